/* SPDX-License-Identifier: MIT */
#include "trace/bt2/trc_bt2_learn.h"

static const bt_value *env_value(const bt_trace *trace, const char *name)
{
	return bt_trace_borrow_environment_entry_value_by_name_const(trace, name);
}

/* The text of the environment entry NAME, NULL when there is none. */
static const char *env_text(const bt_trace *trace, const char *name)
{
	const bt_value *value = env_value(trace, name);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : NULL;
}

/* "major.minor.patchlevel" of the tracer, or perf's version; the caller frees.  NULL: not said. */
static char *tracer_version(const bt_trace *trace)
{
	static const char *const parts[] = { "tracer_major", "tracer_minor", "tracer_patchlevel" };
	GString *text = g_string_new(NULL);
	unsigned i;

	for (i = 0; i < G_N_ELEMENTS(parts); i++) {
		const bt_value *value = env_value(trace, parts[i]);

		if (!value || !bt_value_is_signed_integer(value))
			break;
		g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i ? "." : "",
			(gint64)bt_value_integer_signed_get(value));
	}
	if (!text->len && env_text(trace, "version"))
		g_string_assign(text, env_text(trace, "version"));
	return g_string_free(text, text->len == 0);
}

/* "" for NULL; the caller frees. */
static char *uuid_text(const uint8_t *u)
{
	GString *text = g_string_new(NULL);
	int i;

	for (i = 0; u && i < 16; i++)
		g_string_append_printf(text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			u[i]);
	return g_string_free(text, FALSE);
}

static void learn_uuid(struct trc_info *info, const bt_trace *trace)
{
	char *text = uuid_text(bt_trace_get_uuid(trace));

	trc_info_set_text(&info->uuid, text);
	g_free(text);
}

/* The one clock that all streams have; NULL when there are several, or none. */
static const bt_clock_class *only_clock(const bt_trace_class *trace_class)
{
	const bt_clock_class *only = NULL;
	uint64_t i;

	for (i = 0; i < bt_trace_class_get_stream_class_count(trace_class); i++) {
		const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(
			bt_trace_class_borrow_stream_class_by_index_const(trace_class, i));

		if (clock && only && clock != only)
			return NULL;
		only = clock ? clock : only;
	}
	return only;
}

static void learn_clock(struct trc_info *info, const bt_trace_class *trace_class)
{
	const bt_clock_class *clock = only_clock(trace_class);
	char *uuid;
	int64_t zero;

	if (!clock ||
		bt_clock_class_cycles_to_ns_from_origin(clock, 0, &zero) !=
			BT_CLOCK_CLASS_CYCLES_TO_NS_FROM_ORIGIN_STATUS_OK)
		return;
	uuid = uuid_text(bt_clock_class_get_uuid(clock));
	trc_info_set_text(&info->clock_name, bt_clock_class_get_name(clock));
	trc_info_set_clock(info, uuid, bt_clock_class_get_frequency(clock), zero);
	g_free(uuid);
}

static void learn_classes(struct trc_info *info, const bt_trace_class *trace_class)
{
	uint64_t i, j;

	for (i = 0; i < bt_trace_class_get_stream_class_count(trace_class); i++) {
		const bt_stream_class *stream_class =
			bt_trace_class_borrow_stream_class_by_index_const(trace_class, i);

		for (j = 0; j < bt_stream_class_get_event_class_count(stream_class); j++) {
			const char *name = bt_event_class_get_name(
				bt_stream_class_borrow_event_class_by_index_const(stream_class, j));

			if (name)
				trc_info_add_class(info, name);
		}
	}
}

void trc_bt2_learn(struct trc_info *info, const bt_trace *trace)
{
	const char *name = env_text(trace, "tracer_name"), *release = env_text(trace, "kernel_release");
	const char *host = env_text(trace, "hostname");
	char *version = tracer_version(trace);

	trc_info_set_text(&info->host, host ? host : env_text(trace, "host")); /* perf */
	trc_info_set_text(&info->domain, env_text(trace, "domain"));
	trc_info_set_text(&info->release, release ? release : env_text(trace, "release"));
	trc_info_set_tracer(info, name, version);
	learn_uuid(info, trace);
	learn_clock(info, bt_trace_borrow_class_const(trace));
	learn_classes(info, bt_trace_borrow_class_const(trace));
	g_free(version);
}
