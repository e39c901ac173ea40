/* SPDX-License-Identifier: MIT */
/* Latencies: from a cause to its effect, with statistics, a histogram and the worst cases. */
#ifndef ANA_LATENCY_H
#define ANA_LATENCY_H

#include "analysis/account/account.h"
#include "analysis/latency/rules.h"
#include "analysis/wait/source.h"
#include "base/base_progress.h"
#include "base/base_figures.h"

/* By what cases are told apart. */
enum ana_latency_by {
	ANA_LATENCY_BY_NOTHING,
	ANA_LATENCY_BY_THREAD,
	ANA_LATENCY_BY_NAME, /* of the thread as the case begins */
	ANA_LATENCY_BY_PROCESS,
	ANA_LATENCY_BY_CPU, /* where it ended */
	ANA_LATENCY_BY_HOST,
	ANA_LATENCY_BY_CLASS,  /* of scheduling, of the thread at the end of the case */
	ANA_LATENCY_BY_KEY,    /* what the kind itself has as a key: the cause, … */
	ANA_LATENCY_BY_CALL,   /* the system call in which the thread was as the case began */
	ANA_LATENCY_BY_DEVICE, /* the one that it is about, or that ended the wait */
	ANA_LATENCY_BY_DISK,   /* what a disk did that it waited for */
	ANA_LATENCY_BY_N
};

struct ana_latency;

/* In the place of a group's id: not one group, but all whose names begin with a word. */
#define ANA_LATENCY_LIKE INT64_MAX

struct ana_latency_options {
	const char *kind;              /* of ana_latency_kinds(), or the name of one of these: */
	const struct ana_rules *rules; /* NULL: a kind */
	enum ana_latency_by by;        /* make groups */
	bool linear;                   /* the histogram has classes of one width */
	bool open;                     /* besides, list what did not end in the trace */
	bool classes;                  /* besides, groups by the class of scheduling */
	uint32_t row;                  /* only this thread; MDL_NONE all */
	bool hide_tracer;              /* of all, leave out the tracer's own */
	int64_t from, to;              /* cases that begin in [from, to); BASE_TIME_NONE open */
	uint32_t top;                  /* how many worst cases; UINT32_MAX all */
	bool values;                   /* keep each latency, for comparisons */
	/* Keep only worst cases of at least this, ns; 0 all.  Statistics stay over all cases. */
	int64_t threshold;
	/* Of the groups by BY only this one, of which both are those of a struct ana_latency_group; NULL all.
	 */
	const char *only;
	uint64_t only_id; /* ANA_LATENCY_LIKE: ONLY are words, and groups by a text */
	/* Not 0: parts instead of worst, with the worst case that begins in each of
	 * so many columns of [from, columns_to), as base_time_column() has them. */
	uint32_t columns;
	int64_t columns_to;
	/* With columns: called now and then, in the same thread, with what there is SO_FAR, which is the
	 * callee's then.  NULL: not wanted. */
	void (*so_far)(void *data, struct ana_latency *so_far);
	void *data;
};

/* How far a measurement is. */
enum ana_latency_stage {
	ANA_LATENCY_WHOLE, /* the answer */
	/* So far: cases are found, in no order; or they are known, and counted. */
	ANA_LATENCY_FOUND,
	ANA_LATENCY_COUNTED
};

struct ana_latency_case {
	int64_t start, end, latency; /* ns */
	uint32_t host;
	uint32_t row; /* the thread; by the kind the interrupt line, the softirq, the CPU; MDL_NONE unknown */
	uint32_t cpu; /* where it ended; MDL_NONE */
	uint64_t number;  /* the kind's own, for its key; */
	const char *text; /* the same of a rule, while it is explained; weak, may have any bytes; NULL none */
	char *cause;      /* what was in the way: "ran instead: wk-rt[547] 2.9 ms"; owned, NULL unknown */
	char *key;        /* by the kind; owned, NULL: it has none */
};

/* The cases of a bucket of the histogram. */
struct ana_latency_part {
	GArray *worst;                    /* of struct ana_latency_case, in no order; NULL none */
	struct ana_latency_case *columns; /* start BASE_TIME_NONE: none begins in this one; NULL in none */
};

struct ana_latency_group {
	uint64_t id;
	char *name; /* "wk-rt[547]", "CPU 1", "real-time"; owned */
	struct base_figures figures;
	GArray *values; /* of int64_t, in ascending order; owned; NULL: not asked for */
};

/* What a rule of one's own (analysis/latency/rules.h) counts besides: entries without a case, and exits. */
struct ana_latency_strays {
	uint64_t repeated;  /* gave way to another entry of the key */
	uint64_t timed_out; /* not over within the rule's time-out */
	uint64_t given_up;  /* too many were open: the oldest ones */
	uint64_t unmatched; /* exits of which no entry is open */
};

struct ana_latency {
	const char *kind;                 /* static; of a rule its name, which is the rule's */
	const struct ana_rules *rules;    /* weak; NULL: it is no rule */
	struct ana_latency_strays strays; /* of a rule */
	bool of_device;                   /* a case is a device's; its row is the thread that asked it */
	enum ana_latency_by by;
	struct base_figures all;
	/* Of struct base_bucket: [0, 1), [1, 2), [2, 4), …, or all of one width; no empty ones at the
	 * ends. */
	GArray *histogram;
	GArray *groups; /* of struct ana_latency_group, most time first; empty by nothing */
	/* The same by class, if asked for; empty where there are no threads of several, or groups have them.
	 */
	GArray *classes;
	/* Of struct ana_latency_case, longest first, ties by start, not explained; at most ANA_LATENCY_PAGE
	 * of them: ana_latency_next().  With columns those of the whole trace, as they are known before the
	 * rest; none otherwise. */
	GArray *worst;
	struct ana_latency_rest *rest; /* what may follow; private */
	/* Of struct ana_latency_case: what did not end in the trace, the first first, at most TOP of it, as
	 * long as THRESHOLD (with columns any); END is MDL_NEVER and LATENCY how long it was open.  NULL: not
	 * asked for. */
	GArray *open;
	GArray *parts; /* of struct ana_latency_part, one for each bucket; NULL: not asked for */
	enum ana_latency_stage stage;
	double share;   /* of which so much is done, 0 … 1; of the whole 1 */
	GArray *values; /* of int64_t: all, in ascending order; NULL: not asked for */
};

/*
 * Measure.  BASE_ERROR_USAGE for an unknown kind or rule, and for a group that it does not have;
 * BASE_ERROR_NO_ANSWER when the row is no thread, or no host recorded the events of the kind, or rule;
 * BASE_ERROR_CANCELLED when PROGRESS (may be NULL) was.  No case at all is an answer: count is 0.
 */
struct ana_latency *ana_latency_new(struct qry *q, const struct ana_latency_options *options,
	struct base_progress *progress, GError **error);
void ana_latency_free(struct ana_latency *latency);

/* The next cases behind those in WORST take their place.  False, and WORST is empty: there are none. */
#define ANA_LATENCY_PAGE 65536
bool ana_latency_next(struct qry *q, struct ana_latency *latency);
/* The TOP worst cases of the buckets from FIRST up to before END, longest first, not explained; of all
 * buckets those in WORST, where there are any.  The caller unrefs. */
GArray *ana_latency_worst_of(const struct ana_latency *latency, unsigned first, unsigned end, uint32_t top);
/* The worst of them that begins in COLUMN; NULL: none does. */
const struct ana_latency_case *ana_latency_worst_in(const struct ana_latency *latency, unsigned first,
	unsigned end, uint32_t column);
/* Fill in cpu, cause and key of C, a case of KIND of RULES, where not NULL.  Owned by the caller. */
void ana_latency_explain(struct qry *q, const struct ana_rules *rules, const char *kind,
	struct ana_latency_case *c);

/* Fill in key alone, as of what is open.  Owned by the caller. */
void ana_latency_name(struct qry *q, const struct ana_rules *rules, const char *kind,
	struct ana_latency_case *c);
/* Of what an account of C, a case of KIND (of RULES, unless NULL), is. */
struct ana_account_of ana_latency_account_of(const struct qry *q, const struct ana_rules *rules,
	const char *kind, const struct ana_latency_case *c);

/* Can KIND (of RULES, unless NULL) be measured without reading the trace first?  False with
 * BASE_ERROR_NO_ANSWER. */
bool ana_latency_is_ready(struct qry *q, const struct ana_rules *rules, const char *kind, GError **error);
/* Names of all kinds, NULL-terminated, static. */
const char *const *ana_latency_kinds(void);
/* "thread", "name", …; false with BASE_ERROR_USAGE for another NAME.  NULL: by nothing. */
bool ana_latency_by_parse(const char *name, enum ana_latency_by *by, GError **error);
const char *ana_latency_by_name(enum ana_latency_by by); /* static; NULL for nothing */
bool ana_latency_by_is_text(enum ana_latency_by by);     /* a text stands for a group, no id */
/* Does KIND (of RULES, unless NULL) have groups by BY, and was recorded what they need? */
bool ana_latency_has_by(const struct qry *q, const struct ana_rules *rules, const char *kind,
	enum ana_latency_by by);

#endif
