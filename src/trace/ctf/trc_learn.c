/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_learn.h"

static const char *env_text(const struct trc_tsdl *t, const char *name)
{
	const struct trc_env *env = trc_tsdl_env(t, name);

	return env ? env->text : NULL;
}

/* "major.minor.patchlevel" of LTTng, or perf's version; the caller frees.  NULL: not said. */
static char *tracer_version(const struct trc_tsdl *t)
{
	static const char *const parts[] = { "tracer_major", "tracer_minor", "tracer_patchlevel" };
	GString *text = g_string_new(NULL);
	unsigned i;

	for (i = 0; i < G_N_ELEMENTS(parts); i++) {
		const struct trc_env *env = trc_tsdl_env(t, parts[i]);

		if (!env || env->text)
			break;
		g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i ? "." : "", env->number);
	}
	if (!text->len && env_text(t, "version"))
		g_string_assign(text, env_text(t, "version"));
	return g_string_free(text, text->len == 0);
}

static void learn_uuid(struct trc_info *info, const struct trc_tsdl *t)
{
	GString *text = g_string_new(NULL);
	int i;

	for (i = 0; t->has_uuid && i < 16; i++)
		g_string_append_printf(text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			t->uuid[i]);
	trc_info_set_text(&info->uuid, text->str);
	g_string_free(text, TRUE);
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
	const char *release = env_text(t, "kernel_release"), *host = env_text(t, "hostname");
	char *version = tracer_version(t);
	unsigned i, j;

	trc_info_set_text(&info->host, host ? host : env_text(t, "host")); /* perf */
	trc_info_set_text(&info->domain, env_text(t, "domain"));
	trc_info_set_text(&info->release, release ? release : env_text(t, "release"));
	trc_info_set_tracer(info, env_text(t, "tracer_name"), version);
	g_free(version);
	learn_uuid(info, t);
	learn_clock(info, t);
	for (i = 0; i < t->streams->len; i++) {
		const struct trc_stream_class *stream = g_ptr_array_index(t->streams, i);

		for (j = 0; j < stream->events->len; j++)
			trc_info_add_class(info,
				((struct trc_event_class *)g_ptr_array_index(stream->events, j))->name);
	}
}
