/* SPDX-License-Identifier: MIT */
/* Latencies, from a cause to its effect: statistics, a histogram, and the worst cases. */
#ifndef ANA_LATENCY_H
#define ANA_LATENCY_H

#include "analysis/account/account.h"
#include "analysis/latency/rules.h"
#include "analysis/wait/source.h"
#include "base/base_figures.h"
#include "base/base_progress.h"
#include "base/base_sketch.h"

/* How cases are grouped. */
enum ana_latency_by {
	ANA_LATENCY_BY_NOTHING,
	ANA_LATENCY_BY_THREAD,
	ANA_LATENCY_BY_NAME, /* of the thread at the begin of the case */
	ANA_LATENCY_BY_PROCESS,
	ANA_LATENCY_BY_CPU, /* CPU on which it ended */
	ANA_LATENCY_BY_HOST,
	ANA_LATENCY_BY_CLASS,  /* scheduling class of the thread at the end of the case */
	ANA_LATENCY_BY_CGROUP, /* last control group of the thread */
	ANA_LATENCY_BY_KEY,    /* the kind's own key, for example the cause */
	ANA_LATENCY_BY_CALL,   /* system call that the thread was in when the case began */
	ANA_LATENCY_BY_DEVICE, /* device that it is about, or that ended the wait */
	ANA_LATENCY_BY_DISK,   /* operation of the disk that the case waited for */
	ANA_LATENCY_BY_N
};

struct ana_latency;

/* Instead of the id of a group: all groups whose names begin with a given word. */
#define ANA_LATENCY_LIKE INT64_MAX

struct ana_latency_options {
	const char *kind;              /* one of ana_latency_kinds(), or the name of a rule in RULES */
	const struct ana_rules *rules; /* NULL: KIND is a kind */
	enum ana_latency_by by;        /* make groups */
	bool linear;                   /* classes of the histogram have equal widths */
	bool open;                     /* also list cases that did not end in the trace */
	bool classes;                  /* also make groups by scheduling class */
	uint32_t row;                  /* only this thread; MDL_NONE: all */
	bool hide_tracer;              /* with ROW MDL_NONE: leave out the tracer's threads */
	int64_t from, to;              /* only cases that begin in [from, to); BASE_TIME_NONE: no limit */
	uint32_t top;                  /* number of worst cases; UINT32_MAX: all */
	bool values;                   /* keep each latency, for comparisons */
	bool sketches;                 /* make a sketch of each group, and no figures of times */
	/* Keep only worst cases of at least this, ns; 0: all.  Statistics still cover all cases. */
	int64_t threshold;
	/* Only this group by BY: name and id of a struct ana_latency_group.  NULL: all. */
	const char *only;
	uint64_t only_id; /* ANA_LATENCY_LIKE: ONLY is a list of words, for groups that are texts */
	/* Not 0: fill PARTS instead of WORST, with the worst case that begins in each of so many columns of
	 * [from, columns_to) (base_time_column()). */
	uint32_t columns;
	int64_t columns_to;
	/* With COLUMNS: called now and then, in the same thread, with the result SO_FAR, which the callee
	 * frees.  NULL: not called. */
	void (*so_far)(void *data, struct ana_latency *so_far);
	void *data;
};

/* How complete a measurement is. */
enum ana_latency_stage {
	ANA_LATENCY_WHOLE, /* complete */
	/* So far: cases are being found, in no order; then all are found and are being counted. */
	ANA_LATENCY_FOUND,
	ANA_LATENCY_COUNTED
};

struct ana_latency_case {
	int64_t start, end, latency; /* ns */
	uint32_t host;
	uint32_t row;    /* the thread; for some kinds the IRQ, softirq or CPU; MDL_NONE unknown */
	uint32_t cpu;    /* on which it ended; MDL_NONE unknown */
	uint64_t number; /* of the kind: it makes the key from this number */
	/* Of a rule: the text of the key, set during explanation only; weak, may contain any bytes; NULL:
	 * none. */
	const char *text;
	char *cause; /* obstacle: "ran instead: wk-rt[547] 2.9 ms"; owned, NULL unknown */
	char *key;   /* the key by which the kind groups cases; owned, NULL: none */
};

/* The cases of one bucket of the histogram. */
struct ana_latency_part {
	GArray *worst; /* of struct ana_latency_case, unsorted; NULL none */
	/* by column; start BASE_TIME_NONE: none begins in it; NULL: none in any column */
	struct ana_latency_case *columns;
};

struct ana_latency_group {
	uint64_t id;
	char *name; /* "wk-rt[547]", "CPU 1", "real-time"; owned */
	struct base_figures figures;
	struct base_sketch sketch; /* empty: not asked for */
	GArray *values;            /* of int64_t, ns, ascending; owned; NULL: not asked for */
};

/* Entries without a case, and exits, of a rule (analysis/latency/rules.h). */
struct ana_latency_strays {
	uint64_t repeated;  /* replaced by another entry with the key */
	uint64_t timed_out; /* not over within the rule's time-out */
	uint64_t given_up;  /* oldest ones dropped because too many were open */
	uint64_t unmatched; /* exits without an open entry */
};

struct ana_latency {
	const char *kind;                 /* static; the name of a rule, which the rule owns */
	const struct ana_rules *rules;    /* weak; NULL: it is no rule */
	struct ana_latency_strays strays; /* for a rule */
	bool of_device; /* a case is of a device; its row is the thread that issued the request */
	enum ana_latency_by by;
	struct base_figures all;
	struct base_sketch sketch; /* of all cases, if there are no groups; empty: not asked for */
	/* Of struct base_bucket: [0, 1), [1, 2), [2, 4), … ns, or of equal widths; without empty ones at both
	 * ends. */
	GArray *histogram;
	GArray *groups; /* of struct ana_latency_group, most time first; empty if BY is nothing */
	/* Groups by scheduling class, if asked for; empty if all threads have one class or GROUPS has
	 * them. */
	GArray *classes;
	/* Of struct ana_latency_case, longest first, then by start, without explanation.  At most
	 * ANA_LATENCY_PAGE of them; see ana_latency_next().  With COLUMNS: those of the whole trace if they
	 * are known before the rest, else empty. */
	GArray *worst;
	struct ana_latency_rest *rest; /* private: the remaining worst cases */
	/* Of struct ana_latency_case: those that did not end in the trace, earliest first, at most TOP, of at
	 * least THRESHOLD (with COLUMNS: any).  END is MDL_NEVER, LATENCY the time open.  NULL: not asked
	 * for. */
	GArray *open;
	GArray *parts; /* of struct ana_latency_part, one per bucket; NULL: not asked for */
	enum ana_latency_stage stage;
	double share;   /* part that is done of STAGE, 0 … 1; 1 if complete */
	GArray *values; /* of int64_t: all latencies, ns, ascending; NULL: not asked for */
};

/* Measure.  BASE_ERROR_USAGE for an unknown kind or rule, or a group that it does not have.
 * BASE_ERROR_NO_ANSWER if the row is no thread, or no host recorded the events of the kind or rule.
 * BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was cancelled.  No cases are an answer, too: count is 0. */
struct ana_latency *ana_latency_new(struct qry *q, const struct ana_latency_options *options,
	struct base_progress *progress, GError **error);
void ana_latency_free(struct ana_latency *latency);

/* Replace WORST by the next page of worst cases.  False, with WORST empty, if there are no more. */
#define ANA_LATENCY_PAGE 65536
bool ana_latency_next(struct qry *q, struct ana_latency *latency);
/* The TOP worst cases of the buckets from FIRST to before END, longest first, without explanation; of all
 * buckets: those in WORST, if there are any.  The caller unrefs. */
GArray *ana_latency_worst_of(const struct ana_latency *latency, unsigned first, unsigned end, uint32_t top);
/* The worst case of these buckets that begins in COLUMN; NULL: none. */
const struct ana_latency_case *ana_latency_worst_in(const struct ana_latency *latency, unsigned first,
	unsigned end, uint32_t column);
/* Set cpu, cause and key of C, a case of KIND (in RULES, unless NULL).  C owns them. */
void ana_latency_explain(struct qry *q, const struct ana_rules *rules, const char *kind,
	struct ana_latency_case *c);

/* Set only the key of C, for example of an open case.  C owns it. */
void ana_latency_name(struct qry *q, const struct ana_rules *rules, const char *kind,
	struct ana_latency_case *c);
/* The time whose account explains C, a case of KIND (in RULES, unless NULL). */
struct ana_account_of ana_latency_account_of(const struct qry *q, const struct ana_rules *rules,
	const char *kind, const struct ana_latency_case *c);

/* True if KIND (in RULES, unless NULL) can be measured without reading the trace first.  False with
 * BASE_ERROR_NO_ANSWER. */
bool ana_latency_is_ready(struct qry *q, const struct ana_rules *rules, const char *kind, GError **error);
/* Names of all kinds.  NULL-terminated, static. */
const char *const *ana_latency_kinds(void);
/* Find the cases of KIND, which is not a rule, and store them.  False with an error, see
 * ana_latency_new(). */
bool ana_latency_make(struct qry *q, const char *kind, struct base_progress *progress, GError **error);
/* Parse "thread", "name", …; NAME NULL: by nothing.  False with BASE_ERROR_USAGE if it is unknown. */
bool ana_latency_by_parse(const char *name, enum ana_latency_by *by, GError **error);
const char *ana_latency_by_name(enum ana_latency_by by); /* static; NULL for nothing */
/* true: a group is identified by a text, not by an id */
bool ana_latency_by_is_text(enum ana_latency_by by);
/* True if KIND (in RULES, unless NULL) has groups by BY, and the events that they need were recorded. */
bool ana_latency_has_by(const struct qry *q, const struct ana_rules *rules, const char *kind,
	enum ana_latency_by by);

/* ---- where, in a window, rows have latencies over a limit ---- */

/* Bits of a column of a row: some case lies in it; some case begins in it. */
enum { ANA_LATENCY_OVER_THERE = 1, ANA_LATENCY_OVER_BEGINS = 2 };

struct ana_latency_over_options {
	const char *kind;              /* one of ana_latency_kinds(), or the name of a rule in RULES */
	const struct ana_rules *rules; /* NULL: KIND is a kind */
	int64_t limit;                 /* ns: only cases of at least this */
	int64_t from, to;              /* the window, in COLUMNS columns (base_time_column()) */
	uint32_t columns;
	const uint32_t *rows; /* N of them: threads, or other rows as the kind has them */
	uint32_t n;
};

/* Returns COLUMNS bytes for each row, row after row, about cases that lie in the window, also those that
 * began before it.  The caller frees.  Costs time in the number of such cases in and near the window.  NULL
 * with an error, see ana_latency_new(). */
uint8_t *ana_latency_over(struct qry *q, const struct ana_latency_over_options *options,
	struct base_progress *progress, GError **error);

#endif
