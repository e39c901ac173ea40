/* SPDX-License-Identifier: MIT */
/* The parts of the walk, private to ana_walk*.c. */
#ifndef ANA_WALK_PARTS_H
#define ANA_WALK_PARTS_H

#include "analysis/ana_pathbuf.h"

/* A thread that is followed back down to LO. */
struct ana_frame {
	uint32_t row;
	int64_t lo;
	uint32_t depth;
	const char *because;	/* static */
};

struct ana_walker {
	struct qry *q;			/* weak */
	struct ana_pathbuf *buf;	/* weak */
	GArray *frames;			/* of struct ana_frame */
	int64_t t;			/* how far the walk has come */
	int64_t handover_at;		/* where the last hand-over was, and how many there */
	unsigned handovers;
};

static inline struct ana_frame *ana_walk_top(const struct ana_walker *w)
{
	return &g_array_index(w->frames, struct ana_frame, w->frames->len - 1);
}

/* The top frame's thread spent [from, t) like this. */
void ana_walk_own_time(struct ana_walker *w, int64_t from, enum ana_segment_kind kind, struct ana_detail detail, const char *because);
/* False when too many hand-overs happen without time passing. */
bool ana_walk_may_hand_over(struct ana_walker *w, int64_t at);
/* Go on with thread ROW down to LO; the top frame goes on from there, unless LO is its end too. */
void ana_walk_follow(struct ana_walker *w, uint32_t row, int64_t lo, const char *because);
/* The top frame's thread was blocked in IV, which WAKEUP ended (ana_walk_wait.c). */
void ana_walk_wait(struct ana_walker *w, const struct mdl_interval *iv, const struct mdl_wakeup *wakeup);

#endif
