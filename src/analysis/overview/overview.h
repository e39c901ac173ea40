/* SPDX-License-Identifier: MIT */
/* Overview of an experiment: where the time went, and the worst case of each kind; what to show first; the
 * cost of recording. */
#ifndef ANA_OVERVIEW_H
#define ANA_OVERVIEW_H

#include "analysis/kind/kind.h"
#include "analysis/path/path.h"
#include "base/base_progress.h"
#include "query/host/tracer.h"
#include "query/qry.h"

/* The parts, each a question and the first lines of its answer: P(ID, name, title), in the order shown.  The
 * most expensive come last. */
#define ANA_OVERVIEW_PARTS(P)                                                      \
	P(ANSWER, answers, "Where work lost most time")                            \
	P(VCPU, vcpus, "Virtual CPUs that waited longest for a CPU of their host") \
	P(CPU, cpu, "Threads that used the CPUs most")                             \
	P(WAKEUP, wakeup, "Threads that ran latest after a wake-up")               \
	P(WAITING, waiting, "Threads that lost most time")                         \
	P(TAKEN, taken, "Threads that ran while user threads waited for a CPU")    \
	P(REQUEST, requests, "Requests over the network that took longest")        \
	P(IRQ, interrupts, "Interrupts that took most time")                       \
	P(DISK, disks, "Disks, by their slowest operation")
enum ana_overview_part {
#define ANA_OVERVIEW_ID(ID, name, title) ANA_OVERVIEW_##ID,
	ANA_OVERVIEW_PARTS(ANA_OVERVIEW_ID)
#undef ANA_OVERVIEW_ID
		ANA_OVERVIEW_N
};

/* The target of a line. */
enum ana_overview_way {
	ANA_OVERVIEW_LIFE,    /* the life of thread ROW, whose longest run was FROM to TO */
	ANA_OVERVIEW_ROW,     /* row ROW, FROM to TO */
	ANA_OVERVIEW_WAIT,    /* the wait of thread ROW that ended at TO */
	ANA_OVERVIEW_ACCOUNT, /* the account of thread ROW, FROM to TO */
	ANA_OVERVIEW_PATH,    /* the critical path of thread ROW, FROM to TO */
	ANA_OVERVIEW_SPANS, /* slow against fast spans of the kind WHAT; the worst one is FROM to TO of ROW */
};

/* The subject of an answer, as bits: for a thread, the bit of its kind; ANA_ANSWER_THREADS: all of these. */
#define ANA_ANSWER_KIND(kind) (1u << ANA_KIND_##kind)
#define ANA_ANSWER_THREADS ((1u << ANA_KIND_N) - 1)
#define ANA_ANSWER_REQUESTS (1u << ANA_KIND_N)
#define ANA_ANSWER_SPANS (1u << (ANA_KIND_N + 1))

/* The numbers in an answer: a sentence about a thread that lost time, about the requests of one thread to
 * another, or about spans.  What is said of requests holds for spans, too, unless noted.  Numbers of causes
 * are those of ana_causes for the same thread in the whole trace.  For a thread that others waited for, KIND
 * is ANA_KIND_WAITING, RAN is BASE_TIME_NONE, and the cause is the thread that waited longest. */
struct ana_answer {
	char *text; /* the sentence; owned */
	/* Most was lost while a virtual CPU was outside its guest; KIND is then ANA_KIND_PREEMPTED. */
	bool stolen;
	enum ana_kind
		kind; /* the kind that took most; for requests: ANA_KIND_NETWORK, spans: ANA_KIND_UNKNOWN */
	int64_t life,
		ran; /* ns that the thread existed, and ran; for requests LIFE is the sum of their times */
	int64_t of_kind; /* ns lost to KIND; for spans: over the median */
	char *cause; /* label of its largest cause, or of the server; owned, NULL unknown, and for spans */
	int64_t by_cause; /* ns lost to CAUSE */
	uint64_t count;   /* number of times that CAUSE took time; for requests their number */
	int64_t longest;  /* ns of the longest of these */
	int64_t whole;    /* ns of the wait that contains LONGEST; for requests LONGEST itself */
	uint64_t alike;   /* threads with that name, including this one; for requests 1 */
	int64_t p50;      /* ns; for requests, else BASE_TIME_NONE */
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
	struct ana_answer *answer; /* owned; NULL except in ANA_OVERVIEW_ANSWER */
};

/* The bit (see above) of LINE, which has an answer. */
unsigned ana_answer_about(const struct ana_overview_line *line);

/* The name of PART ("answers"), and its title. Static. */
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
	char *missing[ANA_OVERVIEW_N]; /* owned: the reason why LINES is NULL; else NULL */
};

/* All parts except the answers.  NULL with BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was cancelled. */
struct ana_overview *ana_overview_new(struct qry *q, unsigned top, bool hide_tracer,
	struct base_progress *progress, GError **error);
void ana_overview_free(struct ana_overview *all);

/* ---- what to show first of an experiment: one thread and one of its waits ---- */

/*
 * Choose the thread to show first: among the busiest, the one woken most often, because it has most waits to
 * explain.  Busiest: its CPU time, with that of its children within the trace, is at least 1/8 of the
 * maximum.  Kernel threads, threads of the tracer, and threads that ran less than half the time of one of
 * their children (a shell that starts a program) do not count.  MDL_NONE if there is none.
 */
uint32_t ana_story_thread(struct qry *q);

/* The longest wait of thread ROW that has an explained end other than its own sleep; *WAKEUP ends it.  False
 * if there is none. */
bool ana_story_wait(struct qry *q, uint32_t row, struct mdl_wakeup *wakeup);

/* ---- the story of a time of a thread ---- */

/* A part of that time: the account of one owner in one phase, or of all that have no part of their own. */
struct ana_story_part {
	char *text;        /* "wk-rt[547] (real-time)"; owned */
	const char *what;  /* static: "was preempted by", what the thread did in it; "" without an owner */
	mdl_doubts doubts; /* all doubts about the parts that it sums up */
	int64_t time;      /* ns */
	bool is_cause;     /* one of the three largest that are neither its own time nor unknown */
};

struct ana_story {
	uint32_t row;
	int64_t from, to;
	char *text; /* the sentence; owned */
	/* Of struct ana_story_part; they sum to the time: running, causes, the rest, unknown. */
	GArray *parts;
	struct ana_path *path; /* owned; NULL: the thread has none in this time */
	GArray *advice;        /* of struct ana_advice: what would show more, most useful first */
};

/* The story of [FROM, TO) of thread ROW.  Costs as much as its account and its path.  NULL with
 * BASE_ERROR_CANCELLED. */
struct ana_story *ana_story_new(struct qry *q, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress, GError **error);
void ana_story_free(struct ana_story *story);
/* The unknown parts of STORY (of char *): the doubts about each cause, and the events that would show more,
 * each with the command that records it.  The caller unrefs. */
GPtrArray *ana_story_unknown(const struct ana_story *story);

/* ---- the cost of observing a host ---- */

/* The tracer's own threads and packets.  It excludes the time that recording an event takes inside every
 * thread, which no trace shows. */
struct ana_cost {
	uint32_t threads;          /* of the tracer, alive within the trace */
	int64_t cpu_time;          /* ns that they were on a CPU, interrupts on top of them included */
	int64_t busy;              /* ns that the host's CPUs were not idle, summed over CPUs */
	int64_t known;             /* ns for which the state of the host's CPUs is known, summed over CPUs */
	bool sees_senders;         /* see qry_tracer_sees_senders() */
	struct qry_traffic all[2]; /* of the host: sent, received */
	/* Of the tracer: on connections on which one of its threads sent a packet. */
	struct qry_traffic tracer[2];
};

/* Set COST to the cost of observing HOST; FLOWS are those of Q.  It is invalid if PROGRESS (NULL: never) is
 * cancelled. */
void ana_cost_of(struct qry *q, uint32_t host, const struct qry_tracer_flows *flows,
	struct base_progress *progress, struct ana_cost *cost);

#endif
