/* SPDX-License-Identifier: MIT */
/*
 * The stack of calls in which an event was recorded, from its contexts: callstack_kernel and callstack_user
 * of LTTng, kernel_stack and user_stack of ftrace, perf_callchain of perf.
 */
#ifndef ANA_FRAMES_H
#define ANA_FRAMES_H

#include "query/symbols/maps.h"
#include "query/events/events.h"

struct ana_frames;

/*
 * Q and TEXTS (a set of char *, owned by it), which what is read goes into, are weak.  KERNEL_ONLY: a
 * program's own calls are left out.
 */
struct ana_frames *ana_frames_new(struct qry *q, GHashTable *texts, bool kernel_only);
void ana_frames_free(struct ana_frames *f);

/*
 * The calls in which EVENT, which E stepped over last, was recorded, into FRAMES (of const char *): the
 * outermost first, by the names of kernel functions where these are known, of a program's calls by the file
 * and the place in it, where maps tell, or the function there (query/symbols/programs.h), else "0x7f…".  None
 * where no stack was recorded.  What the tracer itself called, at the inner end, is left out.  False with an
 * error.
 */
bool ana_frames_read(struct ana_frames *f, struct qry_events *e, const struct qry_event *event,
	GPtrArray *frames, GError **error);

/* The first of a stack that was too long for the tracer, or is for us: its outer calls are not there. */
#define ANA_FRAMES_CUT "[outer calls cut off]"

/* For addresses that are more than anybody can look at. */
#define ANA_FRAMES_FURTHER "[further addresses]"

/* Programs' calls are told by MAPS (weak) from now on. */
void ana_frames_set_maps(struct ana_frames *f, const struct qry_maps *maps);
/* Whether a program's call was read that maps could tell, and there are none. */
bool ana_frames_wants_maps(const struct ana_frames *f);

/*
 * Whether HOST's events have no stacks: ENOUGH were read that had not even a place for one.  A recording's
 * events of a kind are all alike in that.
 */
bool ana_frames_absent(const struct ana_frames *f, uint32_t host, uint64_t enough);

/* Whether FRAMES show by their names that they are of an interrupt, and at which of them the innermost
 * begins: what is before it was interrupted. */
bool ana_frames_interrupt(const GPtrArray *frames, guint *first);

/*
 * Warn (qry_warn()) of each host whose symbols do not fit: of stacks that LTTng recorded none ended in LTTng
 * by their names, so these are those of another kernel, or of another boot of it.
 */
void ana_frames_warn(const struct ana_frames *f);

#endif
