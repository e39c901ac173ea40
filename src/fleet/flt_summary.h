/* SPDX-License-Identifier: MIT */
/*
 * The summary of one host. A fleet needs only summaries, no traces or indexes. Summaries can be added.
 * docs/index-format.md describes the file, which has at most FLT_SUMMARY_MOST bytes.
 */
#ifndef FLT_SUMMARY_H
#define FLT_SUMMARY_H

#include "base/base_progress.h"
#include "base/base_sketch.h"
#include "query/qry.h"

#define FLT_SUMMARY_MOST (1u << 20) /* most bytes of a file */
#define FLT_WORST 64                /* most worst cases of a kind */
#define FLT_GROUPS 48               /* most groups by name of a kind; the last one is all others */
#define FLT_CAUSES 256              /* most causes by name; all others are one cause for each kind */
#define FLT_STEPS 256               /* most steps of a set of paths; all others are one */
#define FLT_PATHS 256               /* most paths of a set that are walked */

/* Prefix of kinds of latency that are waits: the kind of the cause follows. */
#define FLT_WAITS "waits:"

/* A part of the account of a case. */
struct flt_part {
	char *text;   /* "wk-rt[547]"; owned */
	int64_t time; /* ns */
};

/* One of the worst cases of a kind. */
struct flt_case {
	int64_t start, end; /* ns, by the host's own clock */
	int64_t latency;
	char *subject;     /* "wk-victim[546]"; owned, NULL: unknown */
	char *key, *cause; /* as in struct ana_latency_case; the cause is the sentence; owned, NULL: none */
	GArray *parts;     /* of struct flt_part, longest first; owned */
};

/* The cases of one name (ana_group_name()): hosts share names, not TIDs. */
struct flt_group {
	char *name; /* owned; NULL: all other names */
	struct base_sketch sketch;
};

struct flt_kind {
	char *name; /* as --kind takes it, or FLT_WAITS and the kind of a cause; owned */
	uint64_t unfinished;
	struct base_sketch all;
	uint32_t others; /* number of names in the group without a name */
	GArray *groups;  /* of struct flt_group, most time first; kinds with FLT_WAITS have none; owned */
	GArray *worst;   /* of struct flt_case, longest first; owned */
};

/* Durations without a distribution. */
struct flt_sum {
	uint64_t count;
	int64_t longest;    /* ns */
	base_wide time;     /* ns, exact */
	base_uwide squares; /* modulo 2^128 */
};

/* The waits of user threads for one cause. */
struct flt_cause {
	char *kind, *name; /* as `causes` has them; owned; NAME NULL: all other names */
	bool own_sleep;    /* ana_causes_is_own_sleep() */
	struct flt_sum sum;
};

/* A step of critical paths. */
struct flt_step {
	char *text;         /* "wk-client > wk-server running"; owned; NULL: all other steps */
	struct flt_sum sum; /* sum over the paths that have this step */
};

/* Paths that can be compared: of requests, or of spans with one name. */
struct flt_paths {
	char *set;      /* "requests", "span:NAME"; owned */
	uint64_t count; /* number of intervals of the set */
	/* sum over the intervals whose paths were walked: at most FLT_PATHS, evenly chosen */
	struct flt_sum of;
	GArray *steps; /* of struct flt_step, most time first; owned */
};

struct flt_summary {
	char *host, *trace, *tracer, *release; /* as in struct idx_meta; owned */
	int64_t from, to;                      /* ns, by the host's own clock */
	uint64_t events, lost;
	uint32_t cpus;
	GArray *kinds; /* of struct flt_kind: only those whose events were recorded; owned, as are the next */
	GArray *causes; /* of struct flt_cause, most time first */
	GArray *paths;  /* of struct flt_paths */
};

struct flt_summary *flt_summary_new(void);
void flt_summary_free(struct flt_summary *s);
/* Add OTHER to SUM. */
void flt_sum_join(struct flt_sum *sum, const struct flt_sum *other);
void flt_sum_add(struct flt_sum *sum, int64_t time);

/* ---- making (flt_make.c) ---- */

/* Make the summary of Q, one host. The caller frees. NULL with BASE_ERROR_CANCELLED if PROGRESS (may be NULL)
 * was cancelled, or with the error of a trace or index that cannot be read. */
struct flt_summary *flt_summary_make(struct qry *q, struct base_progress *progress, GError **error);

/* ---- the file ---- */

/* Return the path of the summary beside INDEX. The caller frees. */
char *flt_summary_path(const char *index);
/* Return the fingerprint of Q's summary, 32 hex digits, which depends on the index and on the version of
 * wakepath. The caller frees. */
char *flt_summary_fingerprint(const struct qry *q);
/* Write S to PATH. If the file would be too large, fewer groups and worst cases are kept in S. False with
 * BASE_ERROR_IO. */
bool flt_summary_write(struct flt_summary *s, const char *path, const char *fingerprint, GError **error);

/* The parts of a summary. */
enum flt_wants {
	FLT_KINDS = 1, /* the kinds, without groups and worst cases */
	FLT_BY_NAME = 2,
	FLT_CASES = 4,
	FLT_BY_CAUSE = 8,
	FLT_BY_STEP = 16,
	FLT_ALL = 31
};

/* Read the parts WANTED (enum flt_wants) of PATH. FINGERPRINT NULL: any, and of any owner. NULL with
 * BASE_ERROR_STALE (missing, another version or index, damaged) or BASE_ERROR_IO. */
struct flt_summary *flt_summary_read(const char *path, const char *fingerprint, unsigned wanted,
	GError **error);
/* True if PATH begins like a summary. */
bool flt_summary_is(const char *path);

#endif
