/* SPDX-License-Identifier: MIT */
/* The table of tracers: what their recordings can contain, and the command that records events. */
#ifndef MDL_TRACER_H
#define MDL_TRACER_H

#include "model/event/wanted.h"

#include <stdbool.h>

/* All text is static, or interned. */
struct mdl_tracer {
	const char *name; /* a trace's text about its tracer begins with it */
	bool headers;     /* it records the headers of packets */
	bool dumps;       /* it records the state at the start (lttng_statedump_*) */
	bool from_boot;   /* its clock counts from boot, unless the trace has the time of boot */
	bool raw_calls;   /* it may record all system calls, by number only (raw_syscalls) */

	/* The command before the names of events; the text between two names; and a function that returns the
	 * names for W, separated by commas, NULL if the tracer has none. */
	const char *command, *between;
	const char *(*events)(const struct mdl_wanted *w);
};

/* Return the tracer of a trace with TEXT about it ("lttng-modules 2.13.9"); never NULL. A trace without this
 * text may contain everything that LTTng's can. */
const struct mdl_tracer *mdl_tracer_of(const char *text);

#endif
