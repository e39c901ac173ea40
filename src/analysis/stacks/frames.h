/* SPDX-License-Identifier: MIT */
/* The call stack that was recorded with an event: callstack_kernel and callstack_user of LTTng, kernel_stack
 * and user_stack of ftrace, perf_callchain of perf. */
#ifndef ANA_FRAMES_H
#define ANA_FRAMES_H

#include "query/symbols/symbols.h"
#include "query/events/events.h"

struct ana_frames;

/* Q and TEXTS are weak.  TEXTS (a set of char *, which it owns) receives the texts of frames.  KERNEL_ONLY:
 * leave out user-space frames. */
struct ana_frames *ana_frames_new(struct qry *q, GHashTable *texts, bool kernel_only);
void ana_frames_free(struct ana_frames *f);

/*
 * Read the stack of EVENT, which E stepped over last, into FRAMES (of const char *), outermost call first;
 * none if no stack was recorded.  Kernel frames: the function's name if known.  User-space frames: file and
 * offset if maps show them, or the function there (query/symbols/symbols.h).  Else "0x7f…".  Leaves out the
 * tracer's own calls at the inner end.  False with an error.
 */
bool ana_frames_read(struct ana_frames *f, struct qry_events *e, const struct qry_event *event,
	GPtrArray *frames, GError **error);

/* The first frame if the stack was too long for the tracer or for wakepath: outer calls are missing. */
#define ANA_FRAMES_CUT "[outer calls cut off]"

/* The frame for all addresses beyond the number that can be told apart. */
#define ANA_FRAMES_FURTHER "[further addresses]"

/* True if a user-space frame was read that maps could resolve, and no maps are set. */
bool ana_frames_wants_maps(const struct ana_frames *f);
/* Call WALK(DATA), which reads stacks from the beginning.  If it reads a user-space frame that maps could
 * resolve, make maps and call WALK again: they cost a walk through the traces, and most stacks need none.
 * False with the error of WALK or of the maps. */
bool ana_frames_walk(struct ana_frames *f, bool (*walk)(void *data, GError **error), void *data,
	struct base_progress *progress, GError **error);

/* True if HOST's events have no stacks: at least ENOUGH events were read, and none had a field for one.  All
 * events of a kind in a recording have the same fields. */
bool ana_frames_absent(const struct ana_frames *f, uint32_t host, uint64_t enough);

/* True if names in FRAMES show that it is the stack of an interrupt.  *FIRST is where the innermost interrupt
 * begins: frames before it were interrupted. */
bool ana_frames_interrupt(const GPtrArray *frames, guint *first);

/* Warn (qry_warn()) of each host whose symbols do not fit: no stack that LTTng recorded ends in LTTng by
 * these names, so they are of another kernel, or of another boot. */
void ana_frames_warn(const struct ana_frames *f);

#endif
