/* SPDX-License-Identifier: MIT */
/* Overview of an experiment: where the time went, and the worst of each kind. */
#ifndef ANA_OVERVIEW_H
#define ANA_OVERVIEW_H

#include "base/base_progress.h"
#include "query/qry.h"

/* The parts, each a question and the first lines of its answer: P(ID, name, title), in the order shown.  The
 * most expensive come last. */
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

/* Where a line leads to. */
enum ana_overview_way {
	ANA_OVERVIEW_LIFE,    /* the life of thread ROW, whose longest run was FROM to TO */
	ANA_OVERVIEW_ROW,     /* row ROW, FROM to TO */
	ANA_OVERVIEW_WAIT,    /* the wait of thread ROW that ended at TO */
	ANA_OVERVIEW_ACCOUNT, /* the account of thread ROW, FROM to TO */
	ANA_OVERVIEW_PATH,    /* the critical path of thread ROW, FROM to TO */
};

struct ana_overview_line {
	char *name;     /* subject: "wk-rt[547]", "vdb write"; owned */
	char *what;     /* details, a few words; owned, NULL none */
	int64_t time;   /* ns; lines are sorted by it, most first */
	int64_t of;     /* ns that TIME is a share of; 0: none */
	uint64_t count; /* number of cases that TIME is the sum, or the longest, of; 0: does not apply */
	enum ana_overview_way way;
	uint32_t row; /* MDL_NONE: the line leads nowhere */
	int64_t from, to;
};

/* Static. */
const char *ana_overview_name(enum ana_overview_part part);
const char *ana_overview_title(enum ana_overview_part part);

/* True if PART applies to Q: the part about virtual CPUs needs a host of virtual machines. */
bool ana_overview_has(const struct qry *q, enum ana_overview_part part);

/* The first TOP lines of PART (GArray of struct ana_overview_line); the caller unrefs.  HIDE_TRACER: without
 * the tracer's threads.  Empty if there are none.  NULL with BASE_ERROR_NO_ANSWER if the events that it needs
 * were not recorded; with BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was cancelled. */
GArray *ana_overview_find(struct qry *q, enum ana_overview_part part, unsigned top, bool hide_tracer,
	struct base_progress *progress, GError **error);

struct ana_overview {
	GArray *lines[ANA_OVERVIEW_N]; /* of struct ana_overview_line, owned; NULL: see MISSING */
	char *missing[ANA_OVERVIEW_N]; /* owned: why there are no lines; NULL: there are */
};

/* All parts.  NULL with an error: BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was cancelled. */
struct ana_overview *ana_overview_new(struct qry *q, unsigned top, bool hide_tracer,
	struct base_progress *progress, GError **error);
void ana_overview_free(struct ana_overview *all);

#endif
