/* SPDX-License-Identifier: MIT */
#include "model/event/tracer.h"

#include <glib.h>
#include <string.h>

static const char *lttng_events(const struct mdl_wanted *w)
{
	return w->lttng;
}

static const char *perf_events(const struct mdl_wanted *w)
{
	return w->perf;
}

/* Perfetto takes "group/event", and "group/\*" for all of a group, but no other pattern. */
static const char *perfetto_events(const struct mdl_wanted *w)
{
	const char *events = mdl_wanted_ftrace(w);
	g_auto(GStrv) names = events ? g_strsplit(events, ",", -1) : NULL;
	g_autofree char *list = NULL;

	for (unsigned i = 0; names && names[i]; i++) {
		char *colon = strchr(names[i], ':');

		*colon = '/';
		if (strchr(colon, '*'))
			memcpy(colon, "/*", sizeof "/*");
	}
	list = names ? g_strjoinv(",", names) : NULL;
	return list ? g_intern_string(list) : NULL;
}

/* The text begins with the name of its tracer. The last entry is for any other text. */
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
	{ .name = "perfetto",
		.raw_calls = true,
		.command = "perfetto -o trace.pftrace -t 10s ",
		.between = " ",
		.events = perfetto_events },
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
