/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_metadata.h"

#include <string.h>

/* The text of NAME; NULL: it is none, or not there. */
static const char *learn_text_of(const void *trace, trc_learn_value_of value_of, const char *name)
{
	struct trc_learn_value value;

	return value_of(trace, name, &value) ? value.text : NULL;
}

/* "major.minor.patchlevel" of LTTng, or perf's version; the caller frees.  NULL: not said. */
static char *tracer_version(const void *trace, trc_learn_value_of value_of)
{
	static const char *const parts[] = { "tracer_major", "tracer_minor", "tracer_patchlevel" };
	const char *version = learn_text_of(trace, value_of, "version");
	GString *text = g_string_new(NULL);
	struct trc_learn_value value;
	unsigned i;

	for (i = 0; i < G_N_ELEMENTS(parts) && value_of(trace, parts[i], &value) && !value.text; i++)
		g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i ? "." : "", value.number);
	if (!text->len && version)
		g_string_assign(text, version);
	return g_string_free(text, text->len == 0);
}

char *trc_learn_uuid(const uint8_t *u)
{
	GString *text = g_string_new(NULL);
	int i;

	for (i = 0; u && i < 16; i++)
		g_string_append_printf(text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			u[i]);
	return g_string_free(text, FALSE);
}

void trc_learn_env(struct trc_info *info, const void *trace, trc_learn_value_of value_of, const uint8_t *uuid)
{
	const char *release = learn_text_of(trace, value_of, "kernel_release"),
		   *host = learn_text_of(trace, value_of, "hostname"),
		   *build = learn_text_of(trace, value_of,
			   "kernel_version"); /* "#1 SMP PREEMPT_RT Debian …" */
	g_autofree char *version = tracer_version(trace, value_of), *id = trc_learn_uuid(uuid);

	trc_info_set_text(&info->host, host ? host : learn_text_of(trace, value_of, "host")); /* perf */
	trc_info_set_text(&info->domain, learn_text_of(trace, value_of, "domain"));
	trc_info_set_text(&info->release, release ? release : learn_text_of(trace, value_of, "release"));
	info->preempt_rt = build && strstr(build, "PREEMPT_RT");
	trc_info_set_tracer(info, learn_text_of(trace, value_of, "tracer_name"), version);
	trc_info_set_text(&info->uuid, id);
}

static bool learn_value_of(const void *t, const char *name, struct trc_learn_value *value)
{
	const struct trc_env *env = trc_tsdl_env(t, name);

	if (env)
		*value = (struct trc_learn_value){ env->text, env->number };
	return env;
}

/* Traces with several clocks, or none, have no clock of their host. */
static void learn_clock(struct trc_info *info, const struct trc_tsdl *t)
{
	const struct trc_clock *clock = t->clocks->len == 1 ? g_ptr_array_index(t->clocks, 0) : NULL;
	unsigned i;

	for (i = 0; i < t->clocks->len; i++)
		if (((const struct trc_clock *)g_ptr_array_index(t->clocks, i))->astray)
			trc_info_warn(info,
				"metadata: damaged: the offset of a clock is beyond the years 1843 to 2097: times count from "
				"1970 without it; copy the trace again if the original is whole");
	if (!clock)
		return;
	trc_info_set_text(&info->clock_name, clock->name);
	trc_info_set_clock(info, clock->uuid, clock->frequency, trc_clock_ns(clock, 0));
}

void trc_learn(struct trc_info *info, const struct trc_tsdl *t)
{
	unsigned i, j;

	trc_learn_env(info, t, learn_value_of, t->has_uuid ? t->uuid : NULL);
	learn_clock(info, t);
	for (i = 0; i < t->streams->len; i++) {
		const struct trc_stream_class *stream = g_ptr_array_index(t->streams, i);

		for (j = 0; j < stream->events->len; j++)
			trc_info_add_class(info,
				((struct trc_event_class *)g_ptr_array_index(stream->events, j))->name);
	}
}
