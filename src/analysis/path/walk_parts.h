/* SPDX-License-Identifier: MIT */
/* Parts of the walk.  Private to analysis/path/walk*.c. */
#ifndef ANA_WALK_PARTS_H
#define ANA_WALK_PARTS_H

#include "analysis/wait/border.h"
#include "analysis/path/pathbuf.h"
#include "analysis/wait/steps.h"

/* A thread that is followed back to LO. */
struct ana_frame {
	uint32_t row;
	int64_t lo;
	uint32_t depth;
	const char *because;  /* static */
	enum ana_kind via;    /* how the path came to it */
	enum ana_grade grade; /* worst grade on the way to it */
	/* Because clocks are wrong, it is followed from before the act that it is followed for. */
	bool early;
	/* End of its wait that the path left, in the middle, for another thread, and returns to;
	 * BASE_TIME_NONE none. */
	int64_t resume;
};

struct ana_walker {
	struct qry *q;           /* weak */
	struct ana_pathbuf *buf; /* weak */
	GArray *frames;          /* of struct ana_frame */
	int64_t t;               /* the walk has reached this time, ns */
	int64_t handover_at;     /* time of the last hand-over, and number of hand-overs at that time */
	unsigned handovers;
	bool early;           /* EARLY of the next frame */
	enum ana_kind via;    /* VIA of the next frame */
	enum ana_grade grade; /* GRADE of the next frame */
};

/* A wait under examination. */
struct ana_wait {
	const struct mdl_interval *iv;
	struct ana_source source;
	struct mdl_chain chain;
	struct mdl_cause cause;        /* owner of FACTS */
	const struct mdl_facts *facts; /* NULL: none */
	int64_t from;                  /* its begin, or the LO of the frame */
	enum ana_segment_kind segment;
	uint32_t actor;
	struct mdl_act turn;  /* whose turn it was; time MDL_NEVER: that of the thing waited for */
	enum ana_grade grade; /* of the current part */
	struct ana_crossing crossing;
	uint32_t vector; /* for ANA_SEG_VM_INTERRUPT */
};

/* The thread that began the operation that ended a wait. */
struct ana_origin {
	uint32_t row;          /* MDL_NONE: no thread that can be followed */
	int64_t time, arrival; /* when it did so, and when that arrived here, ns */
	enum ana_link_kind link;
	const char *text;           /* static: what happened since then; NULL: nothing to add */
	const char *because;        /* static: why that is on the path */
	const char *because_before; /* static: why ROW is on the path */
};

static inline struct ana_frame *ana_walk_top(const struct ana_walker *w)
{
	return &g_array_index(w->frames, struct ana_frame, w->frames->len - 1);
}

/* Add a segment: the top frame's thread spent [from, t) in KIND. */
void ana_walk_own_time(struct ana_walker *w, int64_t from, enum ana_segment_kind kind,
	struct ana_detail detail, const char *because);
/* False if too many hand-overs happen without time passing. */
bool ana_walk_may_hand_over(struct ana_walker *w, int64_t at);
/* Follow thread ROW back to LO.  Then the top frame continues, unless LO is its end, too. */
void ana_walk_follow(struct ana_walker *w, uint32_t row, int64_t lo, const char *because);
/* Walk through IV, in which the top frame's thread was blocked and which WAKEUP ended: at `t`, or later if
 * clocks are wrong (analysis/path/walk_wait.c). */
void ana_walk_wait(struct ana_walker *w, const struct mdl_interval *iv, const struct mdl_wakeup *wakeup);

/* If a thread other than the waker began, within WAIT, what ended it: the time since then is one segment, and
 * the path continues with that thread; true.  Else the rest of the wait is the segment; false. */
bool ana_walk_go_on(struct ana_walker *w, const struct ana_wait *wait, const struct ana_origin *origin);
/* Add a segment of WAIT: its actor was at work in [FROM, t).  TEXT: static; NULL: nothing to add. */
void ana_walk_pass(struct ana_walker *w, const struct ana_wait *wait, int64_t from, const char *text,
	const char *because);
/* The actor of TYPE called NAME on HOST; with the host's name if there are several hosts. */
uint32_t ana_walk_actor(const struct ana_walker *w, enum ana_actor_type type, uint32_t host,
	const char *name);
/* The virtual CPU VCPU (a row) as an actor. */
uint32_t ana_walk_vcpu(const struct ana_walker *w, uint32_t vcpu);
/* If the top frame's thread works, in IV, for a virtual CPU inside its guest: continue with the guest's
 * thread on it, true.  Else cut IV to one activity of the virtual CPU, false. */
bool ana_walk_inside(struct ana_walker *w, struct mdl_interval *iv);
/* Walk through WAIT, which was for the packet in its facts. */
void ana_walk_packet(struct ana_walker *w, struct ana_wait *wait);

#endif
