/* SPDX-License-Identifier: MIT */
/*
 * Slow against fast: the critical paths of many intervals, folded into steps (ana_fold), and the steps in
 * which the paths of one group take longer than those of another.  The differences of all rows sum to the
 * difference of the means.
 */
#ifndef ANA_COMPARE_H
#define ANA_COMPARE_H

#include "analysis/compare/fold.h"
#include "analysis/compare/set.h"

/* The property that makes the groups. */
enum ana_compare_by {
	ANA_COMPARE_BY_DURATION,
	ANA_COMPARE_BY_STRUCTURE,
	ANA_COMPARE_BY_HOST,
	ANA_COMPARE_BY_KEY,   /* of the intervals: by connection, name, field, or by hand */
	ANA_COMPARE_BY_ORIGIN /* this set, and the one it is compared with */
};

/* By duration: the choice of slow intervals. */
enum ana_compare_slow {
	ANA_COMPARE_GAP,  /* above the natural gap; if there is none, see GAP_ONLY */
	ANA_COMPARE_OVER, /* those of OVER ns or longer */
	ANA_COMPARE_TOP   /* the longest share TOP of all */
};

struct ana_compare_options {
	enum ana_compare_by by;
	enum ana_compare_slow slow;
	bool gap_only; /* without a gap: true: no answer; false: the longest tenth is slow */
	int64_t over;  /* ns */
	double top;    /* 0 … 1 */
	/* If groups are not by duration: the slow group; NULL: the one whose paths together take most beyond
	 * the mean of all. */
	const char *group;
	double at;        /* 0 … 1: of each group only the paths around this quantile; NAN: all */
	unsigned threads; /* number of threads that work; 0: number of CPUs */
	bool one_host;    /* all hosts of the experiment are recordings of one machine: hosts are not named */
};

/* The two sides that are compared, as indices. */
enum { ANA_COMPARE_SLOW, ANA_COMPARE_FAST, ANA_COMPARE_NEITHER };

/* Durations of paths, or of a step in them (0 in a path without it).  BASE_TIME_NONE: no paths. */
struct ana_compare_figures {
	uint64_t count; /* paths; for a step, the paths that have it */
	int64_t mean;   /* ns, over all paths; the means of all rows of one side sum to that of the paths */
	int64_t p50, p99, min, max;
};

enum ana_compare_class {
	ANA_COMPARE_STRUCTURE, /* the step is only in paths of one side */
	ANA_COMPARE_TIMING,    /* the step takes longer, or shorter */
	ANA_COMPARE_NOISE      /* chance explains the difference */
};

struct ana_compare_row {
	uint32_t step;                    /* of FOLD */
	int64_t difference;               /* ns: mean of slow minus mean of fast */
	double share;                     /* of the whole difference; NAN if that is 0 */
	struct ana_compare_figures in[2]; /* ANA_COMPARE_SLOW, ANA_COMPARE_FAST */
	/* Of the time in the step with the duration of the path, -1 … 1; NAN unknown. */
	double correlation[2];
	/* Probability of a difference like this by chance, corrected for the number of rows.  1: the time is
	 * the same in all paths.  NAN: not tested, because there are too few paths. */
	double p;
	enum ana_compare_class class;
	/* Numbers of intervals in PATHS: the one with the median time in this step, and the one with the
	 * longest.  UINT32_MAX: none. */
	uint32_t typical[2], extreme[2];
};

/* One of the intervals that were compared. */
struct ana_compare_path {
	int64_t from, to;
	uint32_t row;   /* the thread */
	uint16_t of;    /* 0: of the recording itself; 1: of AGAINST */
	uint16_t side;  /* ANA_COMPARE_SLOW, …; an interval without a path is on neither */
	uint32_t group; /* number in GROUPS */
};

/* The time of one path in one step. */
struct ana_compare_kept {
	uint32_t path, step;
	int64_t time; /* ns */
};

#define ANA_COMPARE_MEMBERS 1000

struct ana_compare_group {
	char *name; /* owned */
	struct ana_compare_figures figures;
	unsigned side;   /* ANA_COMPARE_SLOW, … */
	GArray *members; /* of uint32_t: its first paths that were compared, ANA_COMPARE_MEMBERS at most;
			    owned */
};

struct ana_compare_side {
	char *name; /* "slow", "fast", or of the group; owned */
	char *word; /* NAME in at most ten columns, for "only in WORD"; owned */
	struct ana_compare_figures figures;
	uint32_t typical, extreme; /* the path of the median, the longest; UINT32_MAX none */
};

/* The natural gap of the durations. */
struct ana_compare_gap {
	bool asked;       /* false: the gap was not looked for */
	bool found;       /* false: the longest tenth is slow */
	int64_t from, to; /* ns: the longest below it, the shortest above it */
	double p;         /* probability of a gap like it if there is only one population */
};

/* Intervals that were left out. */
struct ana_compare_left {
	uint64_t no_thread;  /* without a known thread */
	uint64_t outside;    /* of a file: not wholly within the trace and the life of their thread */
	uint64_t unfinished; /* not over when the trace ended, or events were lost */
	uint64_t no_path;    /* the thread did not exist then */
};

/* Other activity while the paths were under way. */
enum ana_outside_what {
	ANA_OUTSIDE_LOAD,      /* all CPUs of a host, without what the threads of the paths ran */
	ANA_OUTSIDE_THREAD,    /* threads of one name that are on no path */
	ANA_OUTSIDE_IRQ,       /* in the handler of a line, on any CPU */
	ANA_OUTSIDE_SOFTIRQ,   /* in the handler of a vector, on any CPU */
	ANA_OUTSIDE_DISK,      /* a block device had requests, or some waited for it */
	ANA_OUTSIDE_STEAL,     /* virtual CPUs that waited for a CPU of their host */
	ANA_OUTSIDE_LOST,      /* CPUs in an unknown state: events were lost, or not yet recorded */
	ANA_OUTSIDE_FREQUENCY, /* the path's CPUs, while it ran on them, were slower than the fastest one */
	ANA_OUTSIDE_N
};

/* An activity that takes a larger share of the time of slow paths. That does not make it the cause. */
struct ana_outside {
	enum ana_outside_what what;
	const char *host, *name; /* weak, of FOLD; HOST is NULL as there; NAME is "" for LOAD, STEAL, LOST
				    and FREQUENCY */
	/* By side: the mean over paths of its share of the path's time.  For threads and interrupts 1 is one
	 * whole CPU, for the others all CPUs of the host; for FREQUENCY it is the share missing to the
	 * highest frequency. */
	double share[2];
	double khz[2];    /* FREQUENCY: the mean of each side, */
	uint64_t highest; /* and the highest, kHz; else 0 */
	double p; /* probability that slow paths have so much more of it by chance, corrected for the number
		     of activities tested */
};

struct ana_compare {
	struct qry *q[2]; /* the experiment of each recording; weak; [1] is NULL if there is only one */
	char *set;        /* struct ana_set.spec of the first set; owned */
	bool one_host;    /* hosts are recordings of one machine */
	enum ana_compare_by by;
	const char *by_name;   /* static: "duration", "structure", "host", "connection", "name", "field",
				  "recording" */
	struct ana_fold *fold; /* owned; steps and actors of all rows */
	GArray *rows;   /* of struct ana_compare_row: those that are no noise first, then by difference */
	GArray *groups; /* of struct ana_compare_group, longest mean first; by duration there are two */
	struct ana_compare_side side[2];
	int64_t difference;      /* ns: of the means; the rows sum to it */
	struct base_many *paths; /* of struct ana_compare_path: all intervals */
	GArray *kept;            /* of struct ana_compare_kept, by step: of the paths that are SAMPLED */
	struct ana_compare_left left;
	uint64_t lost;              /* paths with events lost on the way: some of their time is unknown */
	struct ana_compare_gap gap; /* by duration */
	int64_t least;              /* ns, by duration: the shortest slow path */
	/* Of struct ana_outside: those that chance does not explain, the largest difference first.  NULL: a
	 * side has too few paths. */
	GArray *outside;
	uint64_t outside_looked; /* number of activities that were tested */
	bool has_frequency;      /* some host recorded frequencies, so FREQUENCY was tested where paths ran */
	uint64_t
		sampled; /* paths whose times of steps were kept.  If there are more paths, percentiles, p and
			     the choice of typical paths come from these only, all other figures from all */
};

/*
 * Compare the intervals of SET (asked of Q) with each other, or, by origin, with those of AGAINST (asked of
 * AGAINST_Q, which may be Q).  Both sets are weak.  BASE_ERROR_NO_ANSWER if a side has no path, or a gap is
 * required and there is none; BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was cancelled.  Costs the walk
 * of each path; memory is bounded, except for 32 bytes per interval.
 */
struct ana_compare *ana_compare_new(struct qry *q, const struct ana_set *set, struct qry *against_q,
	const struct ana_set *against, const struct ana_compare_options *options,
	struct base_progress *progress, GError **error);
void ana_compare_free(struct ana_compare *c);

/* Return the *N kept times of STEP.  Owned by C. */
const struct ana_compare_kept *ana_compare_kept(const struct ana_compare *c, uint32_t step, guint *n);

/* "load", "thread", "irq", "softirq", "disk", "steal", "lost", "frequency", static. */
const char *ana_outside_what_name(enum ana_outside_what what);
/* "2.94 > 1.21 of 3.00 GHz": fast, slow, the highest; NULL if O is not FREQUENCY.  The caller frees. */
char *ana_outside_frequency_text(const struct ana_outside *o);
/* "structure", "timing", "noise", static. */
const char *ana_compare_class_name(enum ana_compare_class class);

/* ---- parsing of options ---- */

/* Parse "10%", "10 %" or "10" as 0.1.  False unless it is above 0 and at most MOST. */
bool ana_compare_read_share(const char *text, double most, double *share);
/* Parse which intervals are slow: "over D" or "D", "top P%", "gap", or, not by duration, the name of a group
 * (weak).  This and the next ones: false with BASE_ERROR_USAGE. */
bool ana_compare_read_slow(const char *text, struct ana_compare_options *o, GError **error);
/* Parse the property that makes the groups: "duration", "structure", "host", the kind of a set's keys, or
 * "EVENT.FIELD". */
bool ana_compare_read_group(const char *text, struct ana_compare_options *o, GError **error);
/* Give the intervals of SET (asked of Q) the keys that GROUP needs, which was parsed into O.  Errors also as
 * of ana_set_by_field(). */
bool ana_compare_key_set(struct qry *q, struct ana_set *set, const struct ana_compare_options *o,
	const char *group, struct base_progress *progress, GError **error);

#endif
