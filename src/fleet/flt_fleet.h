/* SPDX-License-Identifier: MIT */
/*
 * Many hosts, each known by its summary: sums over all of them, and the hosts that stand out. Only summaries
 * are read, one after the other; memory grows with hosts, kinds and names, not with events.
 */
#ifndef FLT_FLEET_H
#define FLT_FLEET_H

#include "fleet/flt_summary.h"

/* ---- which hosts ---- */

/* One host of a fleet. */
struct flt_source {
	char *host; /* its name; owned; NULL: the summary has it */
	char *path; /* a summary, a trace, or a folder of these; owned */
	/* it is compared only with hosts of this role; owned; NULL: with those that have none */
	char *role;
	char *reason; /* why it is left out; owned; NULL: it is not */
};

/* Return the hosts at PATH (of struct flt_source; the caller unrefs). If PATH is a folder, these are all
 * summaries in it and below; none is no error. Otherwise PATH is a list with a line for each host: "PATH",
 * "HOST PATH" or "HOST PATH ROLE", quoted as for a shell, with paths relative to the folder of the list. "#"
 * begins a comment. NULL with an error. */
GPtrArray *flt_sources_read(const char *path, GError **error);
/* True if PATH is a summary, by its name or its first bytes. */
bool flt_sources_is_summary(const char *path);
/* Return a new source; the strings are copied. The caller calls flt_source_free(). */
struct flt_source *flt_source_new(const char *host, const char *path);
/* Like flt_source_new(), with the host and role of SOURCE. */
struct flt_source *flt_source_at(const struct flt_source *source, const char *path);
void flt_source_free(void *source);

/* ---- the answers ---- */

/* A measure by which hosts are compared. */
enum flt_measure {
	FLT_MEAN, /* mean of a kind, without the longest case */
	FLT_P50,
	FLT_P99,
	FLT_RATE, /* of waits: ns per second of the recording, without the longest wait */
	FLT_MEASURES
};

struct flt_host {
	char *name, *trace, *path; /* PATH: of the summary; owned */
	char *role;                /* owned; NULL: none */
	int64_t from, to;          /* ns, by its own clock */
	uint64_t events, lost;
	uint32_t cpus;
	/* The kind by which the host stands out, or the one that was asked for (index in KINDS; MDL_NONE:
	 * none), and the figures of that kind; times are BASE_TIME_NONE if there is no case. */
	uint32_t kind;
	uint64_t count;
	int64_t p50, p99;
	bool stands_out;
	enum flt_measure measure; /* the measure of KIND that is farthest above that of the other hosts */
	int64_t value,
		/* ns: VALUE of MEASURE, and TYPICAL, the median of the hosts of its role; BASE_TIME_NONE: too
		 * few hosts or cases */
		typical;
	/* probability that a sound host is as far above the others by chance, corrected for the number of
	 * measures and hosts; NAN: unknown */
	double p;
	uint32_t cause; /* index in CAUSES; MDL_NONE: unknown */
	/* ns per second of the recording that the host lost to the cause, in addition to the median host of
	 * its role */
	int64_t excess;
	GArray *figures, *causes, *steps; /* private */
};

/* A kind, of all hosts together. */
struct flt_fleet_kind {
	char *name;     /* owned; for a group of a kind its name; NULL: all other groups */
	uint32_t hosts; /* number of hosts that recorded it */
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
	double typical;   /* ns per second of the recording that the median host lost to it */
	double spread;    /* 1.4826 × the median distance of hosts from that (MAD) */
	uint32_t most;    /* index of the host that lost the largest part of its time to it */
	double most_rate; /* ns per second that this host lost */
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

/* A cause or a step, compared between the hosts that stand out and the other hosts of their roles. */
struct flt_difference {
	const char *set;         /* "waits", or the set of paths; weak, like the next two */
	const char *kind, *name; /* KIND NULL: NAME is a step; NAME NULL: all others */
	/* means over the hosts that stand out and the others: ns per second for waits, ns per path for
	 * steps */
	double slow, fast;
	uint32_t slow_hosts, fast_hosts; /* that have it */
};

struct flt_fleet {
	/* of struct flt_host: first those that stand out, in order of P; owned, like all members */
	GArray *hosts;
	GPtrArray *left;     /* of struct flt_source: hosts that were left out, with the reason */
	GArray *kinds;       /* of struct flt_fleet_kind, in the order of `latency` */
	GArray *groups;      /* of struct flt_fleet_kind: the groups of the kind asked for; most time first */
	GArray *causes;      /* of struct flt_fleet_cause, most time first */
	GArray *steps;       /* of struct flt_fleet_step */
	GArray *worst;       /* of struct flt_fleet_case: of the kind asked for, longest first, FLT_WORST */
	GArray *differences; /* of struct flt_difference, most time first */
	uint32_t standing;   /* hosts that stand out */
	uint32_t judged;     /* hosts that could be compared */
	GPtrArray *roles;    /* of char *, in the order of the list; empty: no host has one; owned */
	int64_t length;      /* ns: sum over all recordings */
	GHashTable *kind_ids, *cause_ids, *step_ids; /* private */
};

#define FLT_FEWEST 8   /* if a role has fewer hosts, none of them stands out */
#define FLT_FALSE 0.05 /* largest expected share of false ones among the hosts that stand out */

/*
 * Read the summaries of SOURCES (of struct flt_source) and compare the hosts. Hosts are compared by KIND
 * (NULL: by all kinds), and only the groups and worst cases of KIND are kept. A summary that cannot be read
 * is left out. BASE_ERROR_NO_ANSWER if none is left; BASE_ERROR_USAGE if no host has KIND;
 * BASE_ERROR_CANCELLED.
 */
struct flt_fleet *flt_fleet_new(const GPtrArray *sources, const char *kind, struct base_progress *progress,
	GError **error);
void flt_fleet_free(struct flt_fleet *f);

/* "mean", "p50", "p99", "rate"; static. */
const char *flt_measure_name(enum flt_measure measure);
/* Return the cause as text: "block: vda", "wait-cpu: wk-rt"; if NAME is NULL "block: others". The caller
 * frees. */
char *flt_cause_text(const char *kind, const char *name);

#endif
