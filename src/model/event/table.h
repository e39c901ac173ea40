/* SPDX-License-Identifier: MIT */
/* The table that maps the tracers' names of events and fields to the model: LTTng 2.0 to 2.13, ftrace and
 * perf.  A new event is one line there. */
#ifndef MDL_TABLE_H
#define MDL_TABLE_H

#include "model/event/event.h"

#include <glib.h>

/* How to fill a struct mdl_event from one class of events.  Field names are lists of alternatives:
 * "prev_tid|prev_pid". */
struct mdl_mapping {
	enum mdl_kind kind;
	const char *label;                /* interned, or NULL */
	const char *arg_fields[MDL_ARGS]; /* NULL: not used */
	const char *text_fields[MDL_TEXTS];
};

/* Find the mapping for event class NAME, as the tracer writes it. False if the model does not use it;
 * *MAPPING then has kind MDL_EV_NONE. The strings in *MAPPING live as long as the program. */
bool mdl_table_find(const char *name, struct mdl_mapping *mapping);

/* True if FIELD (a tracer's field name) is one of the alternatives in LIST ("a|b|c"). */
bool mdl_table_field_is(const char *list, const char *field);

/* True if events NAME are part of the event before, or of a switch under way. They do not show which thread
 * runs on the CPU. */
bool mdl_table_is_part(const char *name);

/* True if a trace with the event classes SEEN has all system calls, provided it has any. */
bool mdl_table_has_all_calls(GHashTable *seen);

/*
 * Event names that differ between the tracer of a trace with the event classes SEEN and LTTng since 2.4:
 * pairs of LTTng's name and the tracer's own ("sched_waking", "sched:sched_waking").  A new array of char *,
 * which owns them; the caller unrefs it.
 */
GPtrArray *mdl_table_names(GHashTable *seen);

#endif
