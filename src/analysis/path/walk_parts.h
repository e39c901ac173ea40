/* SPDX-License-Identifier: MIT */
/* The parts of the walk, private to ana_walk*.c. */
#ifndef ANA_WALK_PARTS_H
#define ANA_WALK_PARTS_H

#include "analysis/wait/border.h"
#include "analysis/path/pathbuf.h"
#include "analysis/wait/steps.h"

/* A thread that is followed back down to LO. */
struct ana_frame {
	uint32_t row;
	int64_t lo;
	uint32_t depth;
	const char *because;  /* static */
	enum ana_kind via;    /* what led to it, */
	enum ana_grade grade; /* and the worst grade of all that did */
	bool early;     /* by clocks that lie it is followed from before it did what it is followed for */
	int64_t resume; /* the end of a wait of it that the path left for a thread in its midst, and comes
			   back to; BASE_TIME_NONE none */
};

struct ana_walker {
	struct qry *q;           /* weak */
	struct ana_pathbuf *buf; /* weak */
	GArray *frames;          /* of struct ana_frame */
	int64_t t;               /* how far the walk has come */
	int64_t handover_at;     /* where the last hand-over was, and how many there */
	unsigned handovers;
	bool early;           /* the thread that is followed next is so, */
	enum ana_kind via;    /* and is followed by this, */
	enum ana_grade grade; /* which is so sure */
};

/* A wait that is looked through. */
struct ana_wait {
	const struct mdl_interval *iv;
	struct ana_source source;
	struct mdl_chain chain;
	struct mdl_cause cause;        /* of FACTS */
	const struct mdl_facts *facts; /* NULL: none */
	int64_t from;                  /* its begin, or where the frame ends */
	enum ana_segment_kind segment;
	uint32_t actor;
	struct mdl_act turn;  /* whose turn it was; time MDL_NEVER: that of what was waited for */
	enum ana_grade grade; /* of the part at hand */
	struct ana_crossing crossing;
	uint32_t vector; /* of ANA_SEG_VM_INTERRUPT */
};

/* Who began what ended a wait. */
struct ana_origin {
	uint32_t row;          /* a thread; MDL_NONE: no thread that can be followed */
	int64_t time, arrival; /* when it did, and when that was here */
	enum ana_link_kind link;
	const char *text;           /* static: what went on since then; NULL: nothing to add */
	const char *because;        /* static: why that is on the path */
	const char *because_before; /* static: and why ROW is */
};

static inline struct ana_frame *ana_walk_top(const struct ana_walker *w)
{
	return &g_array_index(w->frames, struct ana_frame, w->frames->len - 1);
}

/* The top frame's thread spent [from, t) like this. */
void ana_walk_own_time(struct ana_walker *w, int64_t from, enum ana_segment_kind kind,
	struct ana_detail detail, const char *because);
/* False when too many hand-overs happen without time passing. */
bool ana_walk_may_hand_over(struct ana_walker *w, int64_t at);
/* Go on with thread ROW down to LO; the top frame goes on from there, unless LO is its end too. */
void ana_walk_follow(struct ana_walker *w, uint32_t row, int64_t lo, const char *because);
/* The top frame's thread was blocked in IV, which WAKEUP ended, at `t` or, by clocks that lie, later
 * (analysis/path/walk_wait.c). */
void ana_walk_wait(struct ana_walker *w, const struct mdl_interval *iv, const struct mdl_wakeup *wakeup);

/*
 * Where a thread other than the waiter began within WAIT what ended it, the time since is one segment and the
 * path goes on with that thread; else, and false, all that is left of the wait is the segment.
 */
bool ana_walk_go_on(struct ana_walker *w, const struct ana_wait *wait, const struct ana_origin *origin);
/* The wait was for what its actor did in [FROM, t), as TEXT (static, NULL: nothing to add) says. */
void ana_walk_pass(struct ana_walker *w, const struct ana_wait *wait, int64_t from, const char *text,
	const char *because);
/* The actor of TYPE that is called NAME on HOST; with the host's name where there are several. */
uint32_t ana_walk_actor(const struct ana_walker *w, enum ana_actor_type type, uint32_t host,
	const char *name);
/* The virtual CPU VCPU (a row) as an actor. */
uint32_t ana_walk_vcpu(const struct ana_walker *w, uint32_t vcpu);
/* The top frame's thread, in IV, does the work of a virtual CPU: the path goes on with the guest's thread on
 * it; else IV is cut to what the virtual CPU does in one piece, and false. */
bool ana_walk_inside(struct ana_walker *w, struct mdl_interval *iv);
/* WAIT was for the packet of its facts. */
void ana_walk_packet(struct ana_walker *w, struct ana_wait *wait);

#endif
