/* SPDX-License-Identifier: MIT */
/* The table of tracers: what a recording of each can have, and the command that records events with it. */
#ifndef MDL_TRACER_H
#define MDL_TRACER_H

#include "model/mdl_wanted.h"

#include <stdbool.h>

/* All text is static. */
struct mdl_tracer {
	const char *name; /* the text of a trace about its tracer begins with it */
	bool headers;     /* it records the headers of packets */
	bool dumps;       /* it records what was there before the recording (lttng_statedump_*) */
	bool from_boot;   /* its clock counts from boot, unless the trace says when that was */
	bool raw_calls;   /* it may record system calls by number alone (raw_syscalls), whichever they are */

	/* What records events, before their names; what stands between two of them; and the names for W,
	 * between commas, NULL if it has none. */
	const char *command, *between;
	const char *(*events)(const struct mdl_wanted *w);
};

/* The tracer of a trace that says TEXT ("lttng-modules 2.13.9") about it; never NULL.  One that says nothing
 * may have all that LTTng's have. */
const struct mdl_tracer *mdl_tracer_of(const char *text);

#endif
