/* SPDX-License-Identifier: MIT */
/* The kernel itself ends a recording at a latency: histogram triggers and a synthetic event. */
#ifndef REC_TRIGGER_H
#define REC_TRIGGER_H

#include "record/rec.h"

/* Behind the name of a recording's instance: that of the one that measures. */
#define REC_TRIGGER_WATCH "-watch"

struct rec_trigger;

/*
 * Let the kernel switch off the instance NAME as a latency of UNTIL ends, and tell of it in the ring of
 * NAME-watch by an event (rec_trigger_event()).  Both are there, and free of triggers.  NULL: this kernel
 * cannot, not for that kind, or there is no instance NAME; nothing is left of the attempt.
 */
struct rec_trigger *rec_trigger_new(const char *name, const struct rec_until *until);
/* The name of that event, of the system "synthetic"; its field "lat" has ns.  Weak. */
const char *rec_trigger_event(const struct rec_trigger *t);
/* To be called now and then: make room for threads that are new.  False: it ended, free it. */
bool rec_trigger_renew(struct rec_trigger *t);
void rec_trigger_free(struct rec_trigger *t);

/* Remove what a recording that was killed left with its instance NAME-watch, which stays. */
void rec_trigger_clean(const char *watch);

/* The lines for a shell that make NAME-watch and set them up, or take them away again; false: none, UNTIL may
 * have no kind. */
bool rec_trigger_tell(const char *name, const struct rec_until *until, bool away, GString *out);

#endif
