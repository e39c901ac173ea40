/* SPDX-License-Identifier: MIT */
/* The kernel itself ends a recording at a latency, by histogram triggers and a synthetic event. */
#ifndef REC_TRIGGER_H
#define REC_TRIGGER_H

#include "record/rec.h"

/* Appended to the name of the recording's instance: the name of the instance that measures. */
#define REC_TRIGGER_WATCH "-watch"

struct rec_trigger;

/* Make the kernel stop the instance NAME when a latency of UNTIL ends, and report it in the ring of
 * NAME-watch as the event rec_trigger_event().  Both instances must exist and have no triggers.  NULL if
 * this kernel cannot do it (for this kind), or the instance NAME does not exist; nothing remains of the
 * attempt. */
struct rec_trigger *rec_trigger_new(const char *name, const struct rec_until *until);
/* Return the name of that event of the system "synthetic"; its field "lat" is in ns.  Weak. */
const char *rec_trigger_event(const struct rec_trigger *t);
/* Call now and then: makes room for new threads.  False if the measurement has stopped; free T then. */
bool rec_trigger_renew(struct rec_trigger *t);
void rec_trigger_free(struct rec_trigger *t);

/* Remove everything that a killed recording left in its instance NAME-watch; the instance itself stays. */
void rec_trigger_clean(const char *watch);

/* Append the shell lines that create NAME-watch and set the triggers, or with AWAY remove them.  False if
 * there are none, for example because UNTIL has no kind. */
bool rec_trigger_tell(const char *name, const struct rec_until *until, bool away, GString *out);

#endif
