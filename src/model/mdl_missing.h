/* SPDX-License-Identifier: MIT */
/* Switches that were not recorded, though nobody says that they were lost: private to src/model. */
#ifndef MDL_MISSING_H
#define MDL_MISSING_H

#include "model/mdl_types.h"

#include <glib.h>

struct mdl_machine;
struct mdl_thread;

struct mdl_missing {
	uint64_t n;         /* how many, as far as others show */
	uint32_t lately;    /* grows with each, and falls with each that is there */
	int64_t last;       /* when the last of many was missing; MDL_NEVER never */
	uint64_t one, both; /* switches between threads of which one, or both, lack some */
	uint64_t against;   /* those from idle that are missing of threads that seem to be in the set */
	bool follows;       /* a thread that was born meanwhile has events of its own, */
	bool filtered;      /* and one that lacks switches */
};

/* Is none missing, as far as is seen?  Then nothing below is true; inline, as nearly always. */
static inline bool mdl_missing_none(const struct mdl_missing *missing)
{
	return G_LIKELY(missing->n == 0);
}

/* Are only the switches of a set of threads recorded, as far as is seen? */
bool mdl_missing_is_set(const struct mdl_machine *m);
/* Are so many missing, of any threads, that nobody knows which CPUs lack some? */
bool mdl_missing_any(const struct mdl_machine *m);
/* T waits, as far as is seen: may it have run meanwhile? */
bool mdl_missing_hides_wait(const struct mdl_machine *m, const struct mdl_thread *t);
/* T runs: is not known until when? */
bool mdl_missing_hides_run(const struct mdl_machine *m, const struct mdl_thread *t);
/* One is missing: GONE (NULL: not known) left a CPU unseen, or CAME was found there. */
void mdl_missing_note(struct mdl_machine *m, struct mdl_thread *gone, struct mdl_thread *came);
/* An event that only who is recorded has came while T had its CPU. */
void mdl_missing_own(struct mdl_machine *m, const struct mdl_thread *t);
/* One is there, from PREV to NEXT (NULL: not known). */
void mdl_missing_switch(struct mdl_machine *m, struct mdl_thread *prev, struct mdl_thread *next);

#endif
