/* SPDX-License-Identifier: MIT */
/*
 * Many hosts, each told by its summary: sums over all of them, and the hosts that stand out.  Only summaries are
 * read, one after the other; memory grows with hosts, kinds and names, not with events.
 */
#ifndef FLT_FLEET_H
#define FLT_FLEET_H

#include "fleet/flt_summary.h"

/* ---- which hosts ---- */

/* One host of a fleet. */
struct flt_source {
	char *host;   /* its name; owned; NULL: the summary has it */
	char *path;   /* a summary, a trace, or a folder of these; owned */
	char *role;   /* it is compared with hosts of this role only; owned; NULL: of none */
	char *reason; /* why it is left out; owned; NULL: it is not */
};

/* The hosts that PATH names (of struct flt_source; the caller unrefs): the summaries at or below a folder; else a file
 * with a line for each host, "PATH", "HOST PATH" or "HOST PATH ROLE", quoted as for a shell, relative to the folder of the file; "#"
 * begins a comment.  No host, for a folder without summaries.  NULL with an error. */
GPtrArray *flt_sources_read(const char *path, GError **error);
/* True if PATH is a summary, by its name or its first bytes. */
bool flt_sources_is_summary(const char *path);
/* A new source; the strings are copied. */
struct flt_source *flt_source_new(const char *host, const char *path);
/* Likewise, with host and role of SOURCE. */
struct flt_source *flt_source_at(const struct flt_source *source, const char *path);
void flt_source_free(void *source);

/* ---- the answers ---- */

/* The measure that a host was found by. */
enum flt_measure {
	FLT_MEAN, /* of a kind, without the longest case */
	FLT_P50,
	FLT_P99,
	FLT_RATE, /* of waits: ns per second of the recording, without the longest one */
	FLT_MEASURES
};

struct flt_host {
	char *name, *trace, *path; /* PATH: of the summary; owned */
	char *role;                /* owned; NULL: none */
	int64_t from, to;          /* ns, by its own clock */
	uint64_t events, lost;
	uint32_t cpus;
	/* The kind that the host stands out by, or the one that was asked for; index in KINDS; MDL_NONE: it has
	 * none.  Figures of that kind; BASE_TIME_NONE: there is no case. */
	uint32_t kind;
	uint64_t count;
	int64_t p50, p99;
	bool stands_out;
	enum flt_measure measure; /* that is farthest from that of the other hosts */
	int64_t value,
		typical; /* ns: of it, and the median of the hosts of its role; BASE_TIME_NONE: too few hosts or cases */
	double p; /* that a host without a cause is so far away, corrected for all that was looked at; NAN unknown */
	uint32_t cause; /* index in CAUSES; MDL_NONE: not known */
	int64_t excess; /* ns per second of the recording that the cause took, more than on the median host of its role */
	GArray *figures, *causes, *steps; /* private */
};

/* A kind, of all hosts together. */
struct flt_fleet_kind {
	char *name;     /* owned; of a group: its name, NULL: all others */
	uint32_t hosts; /* that recorded it */
	uint64_t unfinished;
	struct base_sketch all;
	uint32_t slowest; /* the host whose mean is the longest; MDL_NONE: no case */
	double slowest_mean;
};

struct flt_fleet_cause {
	char *kind, *name; /* owned; NAME NULL: all others */
	bool own_sleep;
	uint32_t hosts; /* that have it */
	struct flt_sum sum;
	double typical;   /* ns per second of the recording: the median of all hosts, */
	double spread;    /* and how far hosts are from it: 1.4826 x their median distance */
	uint32_t most;    /* the host that lost the largest part of its time to it */
	double most_rate; /* ns per second */
};

/* One of the worst cases of all hosts. */
struct flt_fleet_case {
	uint32_t host;
	struct flt_case of;
};

struct flt_fleet_step {
	char *set, *text; /* owned; TEXT NULL: all others */
	struct flt_sum sum;
};

/* A cause or a step, of hosts that stand out against the others. */
struct flt_difference {
	const char *set;                 /* "waits", or that of paths; weak, as are the next */
	const char *kind, *name;         /* KIND NULL: NAME is a step; NAME NULL: all others */
	double slow, fast;               /* means: ns per second of waits, ns per path of steps */
	uint32_t slow_hosts, fast_hosts; /* that have it */
};

struct flt_fleet {
	GArray *hosts; /* of struct flt_host: those that stand out first, the surest first; owned, as are all */
	GPtrArray *left;     /* of struct flt_source: those left out, and why */
	GArray *kinds;       /* of struct flt_fleet_kind, in the order of `latency` */
	GArray *groups;      /* likewise, by name: of the kind asked for; most time first */
	GArray *causes;      /* of struct flt_fleet_cause, most time first */
	GArray *steps;       /* of struct flt_fleet_step */
	GArray *worst;       /* of struct flt_fleet_case: of the kind asked for, longest first, FLT_WORST */
	GArray *differences; /* of struct flt_difference, most time first */
	uint32_t standing;   /* hosts that stand out */
	uint32_t judged;     /* hosts that could be compared */
	GPtrArray *roles;    /* of char *, in the order of the list; empty: no host has one; owned */
	int64_t length;      /* ns: of all recordings */
	GHashTable *kind_ids, *cause_ids, *step_ids; /* private */
};

#define FLT_FEWEST 8   /* hosts of a role below which none stands out */
#define FLT_FALSE 0.05 /* share of false ones among those that stand out */

/*
 * Read the summaries of SOURCES (of struct flt_source) and compare the hosts.  KIND (NULL: all) is what hosts are
 * compared by, and the kind whose groups and worst cases are kept.  A summary that cannot be read is left out.
 * BASE_ERROR_NO_ANSWER if none is left; BASE_ERROR_USAGE if no host has KIND; BASE_ERROR_CANCELLED.
 */
struct flt_fleet *flt_fleet_new(const GPtrArray *sources, const char *kind, struct base_progress *progress,
	GError **error);
void flt_fleet_free(struct flt_fleet *f);

/* "mean", "p50", "p99", "rate"; static. */
const char *flt_measure_name(enum flt_measure measure);
/* "block: vda", "wait-cpu: wk-rt"; of all others "block: others".  The caller frees. */
char *flt_cause_text(const char *kind, const char *name);

#endif
