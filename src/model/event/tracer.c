/* SPDX-License-Identifier: MIT */
#include "model/event/tracer.h"

#include <glib.h>

static const char *lttng_events(const struct mdl_wanted *w)
{
	return w->lttng;
}

static const char *perf_events(const struct mdl_wanted *w)
{
	return w->perf;
}

/* The last one is any other. */
static const struct mdl_tracer tracers[] = {
	{ .name = "lttng",
		.headers = true,
		.dumps = true,
		.command = "lttng enable-event -k ",
		.between = ",",
		.events = lttng_events },
	{ .name = "ftrace",
		.raw_calls = true,
		.command = "trace-cmd record -C mono -e ",
		.between = " -e ",
		.events = mdl_wanted_ftrace },
	{ .name = "perf",
		.from_boot = true,
		.raw_calls = true,
		.command = "perf record -a -k mono -e ",
		.between = ",",
		.events = perf_events },
	{ .name = "", .command = "lttng enable-event -k ", .between = ",", .events = lttng_events },
};

const struct mdl_tracer *mdl_tracer_of(const char *text)
{
	const struct mdl_tracer *t = tracers;

	while (*text && !g_str_has_prefix(text, t->name))
		t++;
	return t;
}
