/* SPDX-License-Identifier: MIT */
/*
 * The critical path of a thread: the active path that leads to the end of a window.  The walk starts at the
 * end and goes back through the wake-up that ended each wait.
 *
 * After F. Giraldeau and M. Dagenais, "Wait analysis of distributed systems using kernel tracing", IEEE
 * TPDS 27(8), 2016.  The cost is linear in the number of segments, whatever the length of the trace.
 */
#ifndef ANA_PATH_H
#define ANA_PATH_H

#include "analysis/wait/source.h"
#include "base/base_progress.h"

struct ana_actor {
	enum ana_actor_type type;
	uint32_t host;
	uint32_t row; /* row of a thread; else MDL_NONE */
	char *name;   /* "wk-stage0", "virtio2-req.0", "hrtimer"; "" unknown; owned by the path */
	char *label;  /* as shown: "wk-stage0[1234]"; owned by the path */
};

/* How ana_path_detail() makes the text.  It does so on demand, because the walk of a long path is much faster
 * than its text. */
enum ana_detail_kind {
	ANA_DETAIL_NONE,
	ANA_DETAIL_TEXT,      /* TEXT itself */
	ANA_DETAIL_STATE,     /* the detail of the thread's state: system call, context, kind of block */
	ANA_DETAIL_OCCUPANTS, /* the threads that ran on CPU instead */
	ANA_DETAIL_IPI_WAIT,  /* the CPUs that the thread waited for */
	ANA_DETAIL_WAITING,   /* the state that the user declared to be a wait, and for whom */
	/* TEXT (unless NULL), and what CAUSE shows (for ANA_SEG_TIMER_LATE: the owner of the CPU); the
	 * waiter, and how it blocked. */
	ANA_DETAIL_WAITER,
};
struct ana_detail {
	enum ana_detail_kind kind;
	uint32_t row;          /* the thread */
	uint32_t state, value; /* STATE, WAITER: see struct mdl_interval */
	uint32_t cpu;          /* OCCUPANTS; MDL_NONE unknown */
	uint32_t cause;        /* WAITER: cause number on the thread's host; 0 none */
	const char *text;      /* TEXT, WAITER: static */
	uint32_t vector;       /* WAITER: the interrupt that the guest waits for; 0 none */
};

/* The way of a packet between two hosts. */
struct ana_crossing {
	/* it is a network segment whose packet came from another host; else the rest is unset */
	bool crossed;
	/* No doubts: a thread sent the packet, and ERROR is at most the length of the segment. */
	mdl_doubts doubts;
	/* A thread sent the packet, and the clock of its host is known: the segment is the packet's time on
	 * the way, as far as it lies within the wait. */
	bool timed;
	/* ns; possible error between times of the two hosts; INT64_MAX: unknown */
	int64_t error;
};

struct ana_segment {
	int64_t from, to; /* [from, to), ns, never empty */
	uint32_t actor;   /* index in ACTORS */
	enum ana_segment_kind kind;
	uint32_t depth; /* 0: the subject itself; 1: its waker; … */
	/* Index in SOURCES of the wake-up at its end through which the path continues; UINT32_MAX none. */
	uint32_t source;
	uint32_t row;      /* the thread that is followed: this is its time or its wait */
	enum ana_kind via; /* how the path came to that thread; ANA_KIND_UNKNOWN for the subject */
	/* The doubts about all steps from the end of the path to here; UNKNOWN if the path ends because the
	 * cause is unknown. */
	mdl_doubts doubts;
	/* Of a wait: the interrupt context or thread that acts in this step to the wake-up; time MDL_NEVER:
	 * none. */
	struct mdl_act turn;
	struct ana_detail detail;
	const char *because; /* static: why this segment is on the path */
	struct ana_crossing crossing;
};

/* A hand-over: the path continues from segment FROM to the later segment TO. */
struct ana_link {
	/* ns. For a packet: sent at AT, which is the end of segment FROM or earlier, and received at ARRIVAL,
	 * within the wait. For anything else both are the end of segment FROM. */
	int64_t at, arrival;
	uint32_t from, to; /* indices in SEGMENTS */
	enum ana_link_kind kind;
};

/* Total time of one actor in one kind of segment. */
struct ana_summary {
	uint32_t actor;
	enum ana_segment_kind kind;
	int64_t time; /* ns */
	double share; /* of the window, 0 … 1 */
	uint32_t segments;
};

/* The window, cut to the thread's life. */
struct ana_path_window {
	int64_t from, to;             /* the path covers this, ns */
	int64_t asked_from, asked_to; /* requested by the caller, within the trace */
	/* Static: why the path begins later ("created", "first seen"), or ends earlier ("exited", "last
	 * seen"), than requested; NULL: it does not. */
	const char *begins, *ends;
};

struct ana_path {
	uint32_t subject; /* row of the thread */
	struct ana_path_window window;
	int64_t from, to; /* of the window */
	GArray *segments; /* of struct ana_segment; they cover [from, to) exactly once, in time order */
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

/* True if [FROM, TO) lies within the trace and within the life of thread ROW. A begin or end of the life that
 * was not recorded is no limit. */
bool ana_path_covers(struct qry *q, uint32_t row, int64_t from, int64_t to);

/*
 * The path of thread ROW over [FROM, TO).  BASE_TIME_NONE: the begin, or the end, of the thread's life.  The
 * window is cut to the trace and to the thread's life: time before its creation or after its exit is on no
 * path.
 *
 * NULL with BASE_ERROR_NO_ANSWER if ROW is no thread, is an idle thread (whose time is on no path), or does
 * not live in the window; with BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was cancelled.
 */
struct ana_path *ana_path_new(struct qry *q, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress, GError **error);
void ana_path_free(struct ana_path *path);

/* Finds paths of Q (weak) one after the other, in the same memory. */
struct ana_path_maker;
struct ana_path_maker *ana_path_maker_new(struct qry *q);
void ana_path_maker_free(struct ana_path_maker *maker);
/* Like ana_path_new(), but the path belongs to MAKER and is valid until the next call. It has no summary, its
 * sources and actors are not sorted, and it has actors of other paths, too. */
const struct ana_path *ana_path_maker_next(struct ana_path_maker *maker, uint32_t row, int64_t from,
	int64_t to, struct base_progress *progress, GError **error);

/* The wait for an IPI that SEGMENT is a part of; false: it is not. */
bool ana_path_ipi_wait(const struct qry *q, const struct ana_segment *segment, struct mdl_ipi_wait *wait);
/* The detail of SEGMENT as text: "read", "ran instead: wk-rt[547]", …; NULL none.  The caller frees. */
char *ana_path_detail(struct qry *q, const struct ana_segment *segment);

#endif
