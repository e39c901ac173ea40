/* SPDX-License-Identifier: MIT */
/* What a whole experiment has to tell before anybody asked: where the time went, and the worst of each kind.
 */
#ifndef ANA_OVERVIEW_H
#define ANA_OVERVIEW_H

#include "base/base_progress.h"
#include "query/qry.h"

/* The parts, each a question and the first lines of its answer: P(ID, name, title), in the order in which
 * they are shown: what costs most comes last. */
#define ANA_OVERVIEW_PARTS(P)                                                      \
	P(VCPU, vcpus, "Virtual CPUs that waited longest for a CPU of their host") \
	P(CPU, cpu, "Threads that used the CPUs most")                             \
	P(WAKEUP, wakeup, "Woken, and ran latest")                                 \
	P(WAITING, waiting, "Threads that waited most for something")              \
	P(TAKEN, taken, "Who had the CPU while user threads waited for one")       \
	P(REQUEST, requests, "Requests over the net that took longest")            \
	P(IRQ, interrupts, "Interrupts that took most time")                       \
	P(DISK, disks, "Disks, by their slowest operation")
enum ana_overview_part {
#define ANA_OVERVIEW_ID(ID, name, title) ANA_OVERVIEW_##ID,
	ANA_OVERVIEW_PARTS(ANA_OVERVIEW_ID)
#undef ANA_OVERVIEW_ID
		ANA_OVERVIEW_N
};

/* What a line leads to. */
enum ana_overview_way {
	ANA_OVERVIEW_LIFE,    /* the life of thread ROW, which ran longest at one go FROM to TO */
	ANA_OVERVIEW_ROW,     /* the row ROW, FROM to TO */
	ANA_OVERVIEW_WAIT,    /* the wait of thread ROW that ended at TO */
	ANA_OVERVIEW_ACCOUNT, /* whose time FROM to TO of thread ROW was */
	ANA_OVERVIEW_PATH,    /* the critical path of thread ROW, FROM to TO */
};

struct ana_overview_line {
	char *name;     /* whose it is: "wk-rt[547]", "vdb write"; owned */
	char *what;     /* more about it, a few words; owned, NULL nothing */
	int64_t time;   /* ns; lines with more come first */
	int64_t of;     /* ns that TIME is a share of; 0: of nothing */
	uint64_t count; /* of what TIME is the sum, or the longest; 0: does not apply */
	enum ana_overview_way way;
	uint32_t row; /* MDL_NONE: the line leads nowhere */
	int64_t from, to;
};

/* Static. */
const char *ana_overview_name(enum ana_overview_part part);
const char *ana_overview_title(enum ana_overview_part part);

/* Whether Q has anything that PART is about: where nothing ran a virtual machine none asks for its CPUs. */
bool ana_overview_has(const struct qry *q, enum ana_overview_part part);

/*
 * The first TOP lines of PART, without the tracer's own threads where HIDE_TRACER: GArray of struct
 * ana_overview_line, for the caller to unref; empty where there is none.  NULL with BASE_ERROR_NO_ANSWER
 * where the events that it needs were not recorded, BASE_ERROR_CANCELLED when PROGRESS (may be NULL) was.
 */
GArray *ana_overview_find(struct qry *q, enum ana_overview_part part, unsigned top, bool hide_tracer,
	struct base_progress *progress, GError **error);

struct ana_overview {
	GArray *lines[ANA_OVERVIEW_N]; /* of struct ana_overview_line, owned; NULL: */
	char *missing[ANA_OVERVIEW_N]; /* owned: why there are none; NULL: there are */
};

/* All parts.  NULL with an error, BASE_ERROR_CANCELLED when PROGRESS (may be NULL) was. */
struct ana_overview *ana_overview_new(struct qry *q, unsigned top, bool hide_tracer,
	struct base_progress *progress, GError **error);
void ana_overview_free(struct ana_overview *all);

#endif
