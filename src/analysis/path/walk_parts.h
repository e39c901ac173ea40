/* SPDX-License-Identifier: MIT */
/* Parts of the walk.  Private to analysis/path/walk*.c. */
#ifndef ANA_WALK_PARTS_H
#define ANA_WALK_PARTS_H

#include "analysis/wait/border.h"
#include "analysis/path/walk.h"
#include "analysis/wait/steps.h"

/* A thread that is followed back to LO. */
struct ana_frame {
	uint32_t row;
	int64_t lo;
	uint32_t depth;
	const char *because; /* static */
	enum ana_kind via;   /* how the path came to it */
	mdl_doubts doubts;   /* on the way to it */
	/* Clocks are wrong: the walk enters the thread at a time before the act that it is followed for. */
	bool early;
	/* End of the wait that the path left in the middle to follow another thread, and that it returns to;
	 * BASE_TIME_NONE: none. */
	int64_t resume;
};

struct ana_walker {
	struct qry *q;           /* weak */
	struct ana_pathbuf *buf; /* weak */
	GArray *frames;          /* of struct ana_frame */
	int64_t t;               /* the walk has reached this time, ns */
	int64_t handover_at;     /* time of the last hand-over, and number of hand-overs at that time */
	unsigned handovers;
	bool early;        /* EARLY of the next frame */
	enum ana_kind via; /* VIA of the next frame */
	mdl_doubts doubts; /* DOUBTS of the next frame */
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

/* The actor of TYPE called NAME on HOST; with the host's name if there are several hosts. */
uint32_t ana_walk_actor(const struct ana_walker *w, enum ana_actor_type type, uint32_t host,
	const char *name);
/* The virtual CPU VCPU (a row) as an actor. */
uint32_t ana_walk_vcpu(const struct ana_walker *w, uint32_t vcpu);
/* If the top frame's thread works, in IV, for a virtual CPU inside its guest: continue with the guest's
 * thread on it; true. Otherwise cut IV to one activity of the virtual CPU; false. */
bool ana_walk_inside(struct ana_walker *w, struct mdl_interval *iv);

#endif
