/* SPDX-License-Identifier: MIT */
/* Switches that were not recorded, although no tracer reports them as lost: private to src/model. */
#ifndef MDL_MISSING_H
#define MDL_MISSING_H

#include "model/event/types.h"

#include <glib.h>

struct mdl_machine;
struct mdl_thread;

struct mdl_missing {
	uint64_t switches;  /* number of recorded switches */
	uint64_t n;         /* number of missing switches, as far as other events show them */
	uint32_t lately;    /* grows with each missing switch, falls with each recorded one */
	int64_t last;       /* ns: when a switch was last missing among many; MDL_NEVER: never */
	uint64_t one, both; /* recorded switches in which one thread, or both, lack switches */
	/* missing switches from idle to threads that recorded switches prove to be in the set */
	uint64_t against;
	bool follows;  /* a thread that was born in the trace has events of its own */
	bool filtered; /* a thread that lacks switches has events of its own */
};

/* True if no switch seems to be missing.  Then the predicates below are false.  Inline, because that is
 * nearly always so. */
static inline bool mdl_missing_none(const struct mdl_missing *missing)
{
	return G_LIKELY(missing->n == 0);
}

/* True if the trace seems to have the switches of a set of threads only. */
bool mdl_missing_is_set(const struct mdl_machine *m);
/* True if so many switches are missing, of any threads, that it is unknown which CPUs lack some. */
bool mdl_missing_any(const struct mdl_machine *m);
/* True if T, which seems to wait, may have run meanwhile. */
bool mdl_missing_hides_wait(const struct mdl_machine *m, const struct mdl_thread *t);
/* True if it is unknown until when T, which runs, does so. */
bool mdl_missing_hides_run(const struct mdl_machine *m, const struct mdl_thread *t);
/* A switch is missing: thread GONE (NULL: unknown) left a CPU without an event, and CAME was found there. */
void mdl_missing_note(struct mdl_machine *m, struct mdl_thread *gone, struct mdl_thread *came);
/* T had its CPU when an event came that is recorded for threads of the set only. */
void mdl_missing_own(struct mdl_machine *m, const struct mdl_thread *t);
/* A switch from PREV to NEXT (NULL: unknown) is recorded. */
void mdl_missing_switch(struct mdl_machine *m, struct mdl_thread *prev, struct mdl_thread *next);

#endif
