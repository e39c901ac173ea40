/* SPDX-License-Identifier: MIT */
/*
 * The critical path of a thread: the active path that leads to the end of a
 * window, walked from its end backwards through the wake-ups that ended each
 * wait.
 *
 * After F. Giraldeau and M. Dagenais, "Wait analysis of distributed systems
 * using kernel tracing", IEEE TPDS 27(8), 2016.  The cost is linear in the
 * number of segments, whatever the length of the trace.
 */
#ifndef ANA_PATH_H
#define ANA_PATH_H

#include "analysis/wait/source.h"
#include "base/base_progress.h"

struct ana_actor {
	enum ana_actor_type type;
	uint32_t host;
	uint32_t row; /* thread: its row; else MDL_NONE */
	char *name;   /* "wk-stage0", "virtio2-req.0", "hrtimer"; "" unknown; owned by the path */
	char *label;  /* as shown: "wk-stage0[1234]"; owned by the path */
};

/* What ana_path_detail() makes the words of: a long path is walked much faster than told. */
enum ana_detail_kind {
	ANA_DETAIL_NONE,
	ANA_DETAIL_TEXT,      /* TEXT itself */
	ANA_DETAIL_STATE,     /* the detail of the thread's state: a call, a context, a way to block */
	ANA_DETAIL_OCCUPANTS, /* who ran instead on CPU */
	ANA_DETAIL_WAITER, /* TEXT (where not NULL), what CAUSE tells of it (of ANA_SEG_TIMER_LATE who had the
			      CPU); whose wait this is, and how it blocked */
};
struct ana_detail {
	enum ana_detail_kind kind;
	uint32_t row;          /* the thread */
	uint32_t state, value; /* STATE, WAITER: as in struct mdl_interval */
	uint32_t cpu;          /* OCCUPANTS; MDL_NONE unknown */
	uint32_t cause;        /* WAITER: number of the cause on the thread's host; 0 none */
	const char *text;      /* TEXT, WAITER: static */
	uint32_t vector;       /* WAITER: the interrupt that a guest waits for; 0 none */
};

/* What is known of a packet's way between two hosts. */
struct ana_crossing {
	bool crossed; /* a network segment whose packet came from another host; else the rest means nothing */
	enum ana_grade grade; /* proved: a thread sent it, and the error is no longer than the segment */
	bool timed; /* a thread sent it, by a clock that is known: the segment is its time on the way, as far
		       as the wait goes */
	/* ns by which the times of the two hosts may be off against each other; INT64_MAX unknown. */
	int64_t error;
};

struct ana_segment {
	int64_t from, to; /* [from, to), never empty */
	uint32_t actor;   /* index into actors */
	enum ana_segment_kind kind;
	uint32_t depth; /* 0: the subject itself; 1: who woke it; … */
	/* Index into sources: the wake-up at its end by which the path goes on; UINT32_MAX none. */
	uint32_t source;
	uint32_t row;      /* the thread that is followed: whose time this is, or its wait */
	enum ana_kind via; /* what the path came to that thread by; of the subject ANA_KIND_UNKNOWN */
	/* The worst of what the path came here by; ANA_UNKNOWN where it ends in what is not known. */
	enum ana_grade grade;
	struct mdl_act turn; /* of a wait: the interrupt context or thread whose turn it was on the way to the
				wake-up; time MDL_NEVER: none's */
	struct ana_detail detail;
	const char *because; /* static: why it is on the path */
	struct ana_crossing crossing;
};

/* A hand-over: at AT the path goes from segment FROM to segment TO (indices, FROM earlier in time). */
struct ana_link {
	int64_t at, arrival; /* ns: when a packet was sent and received, AT being where segment FROM ends or
				before, ARRIVAL within that wait; the same for all else */
	uint32_t from, to;   /* segments */
	enum ana_link_kind kind;
};

/* Share of one actor in one kind. */
struct ana_summary {
	uint32_t actor;
	enum ana_segment_kind kind;
	int64_t time; /* ns */
	double share; /* of the window, 0..1 */
	uint32_t segments;
};

/* What of the window that was asked for is the thread's life. */
struct ana_path_window {
	int64_t from, to;             /* the path covers this */
	int64_t asked_from, asked_to; /* was asked for, as far as the trace goes */
	const char *begins, *ends;    /* static: "created", "first seen", "exited", "last seen": why the path
					 begins later, or ends earlier; NULL: it does not */
};

struct ana_path {
	uint32_t subject; /* row */
	struct ana_path_window window;
	int64_t from, to; /* of the window */
	GArray *segments; /* of struct ana_segment; covers [from, to) exactly once, in time order */
	GArray *links;    /* of struct ana_link, in time order */
	GArray *actors;   /* of struct ana_actor, in order of first appearance; actor 0 is the subject */
	GArray *sources;  /* of struct ana_source */
	GArray *summary;  /* of struct ana_summary, longest first */
};

static inline const struct ana_actor *ana_path_actor(const struct ana_path *path, uint32_t i)
{
	return &g_array_index(path->actors, struct ana_actor, i);
}

static inline const struct ana_segment *ana_path_segment(const struct ana_path *path, uint32_t i)
{
	return &g_array_index(path->segments, struct ana_segment, i);
}

/* Does all of [FROM, TO) lie within the trace and, as far as its begin and end were recorded, the life of
 * thread ROW? */
bool ana_path_covers(struct qry *q, uint32_t row, int64_t from, int64_t to);

/*
 * The path of thread ROW over [FROM, TO); BASE_TIME_NONE for either is that end
 * of the thread's life.  BASE_ERROR_NO_ANSWER when ROW is not a thread, is an
 * idle thread (its time is on nobody's path) or lives nowhere in the window;
 * BASE_ERROR_CANCELLED when PROGRESS (may be NULL) was.  The window is cut to
 * the thread's life, and to the trace: the time before its creation and after its exit is on nobody's path.
 */
struct ana_path *ana_path_new(struct qry *q, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress, GError **error);
void ana_path_free(struct ana_path *path);

/* The detail of SEGMENT in words: "read", "ran instead: wk-rt[547]", …; NULL none.  The caller frees. */
char *ana_path_detail(struct qry *q, const struct ana_segment *segment);

#endif
