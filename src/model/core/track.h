/* SPDX-License-Identifier: MIT */
/* Rows and their intervals: private to src/model. */
#ifndef MDL_TRACK_H
#define MDL_TRACK_H

#include "model/event/types.h"

#include <glib.h>

struct mdl_machine;

/* A row and its last two intervals.  They are held back so that an empty interval leaves no trace
 * (core/track.c). */
struct mdl_track {
	struct mdl_row row;
	uint32_t id;
	unsigned place;            /* index among the machine's living tracks */
	bool has_open, has_closed; /* HAS_OPEN is true until the row's end */
	struct mdl_interval open;  /* TO is not set */
	struct mdl_interval closed;
};

/* All rows. */
struct mdl_tracks {
	GPtrArray *living; /* of struct mdl_track *, owned: all rows that have not ended */
	/* of struct mdl_track *, owned: rows that the current event ended; its handler may still use them */
	GPtrArray *over;
	uint32_t n;          /* number of rows ever made … */
	uint64_t memory;     /* … and their bytes (mdl_machine_memory()) */
	bool lacks_switches; /* as mdl_machine_lacks_switches() */
};

void mdl_track_init(struct mdl_tracks *tracks);
void mdl_track_clear(struct mdl_tracks *tracks);

/* Make the row of TYPE with number NR (struct mdl_row), whose life begins at FIRST (ns). The machine owns
 * it. */
struct mdl_track *mdl_track_new(struct mdl_machine *m, enum mdl_row_type type, int64_t nr, int64_t first);
/* From TIME on the row is in STATE.  Does nothing if the row is already in it. */
void mdl_track_set(struct mdl_machine *m, struct mdl_track *t, int64_t time, enum mdl_state state,
	uint32_t detail, uint32_t aux);
/* Correct the CPU of a thread's open interval in place. */
void mdl_track_set_aux(struct mdl_track *t, uint32_t aux);
/* Correct the state of T's open interval in place; DETAIL and AUX as in mdl_track_set(). */
void mdl_track_correct(struct mdl_machine *m, struct mdl_track *t, enum mdl_state state, uint32_t detail,
	uint32_t aux);
/* The row's state is unknown from TIME on, or from the start of the open interval if that is later. */
void mdl_track_lose(struct mdl_machine *m, struct mdl_track *t, int64_t time);
/* The row's life ends at TIME: hand out the intervals held back and the row itself.  Its memory goes with the
 * next event. */
void mdl_track_end(struct mdl_machine *m, struct mdl_track *t, int64_t time);

#endif
