/* SPDX-License-Identifier: MIT */
#include "trace/bt2/trc_bt2_learn.h"

#include "trace/ctf/trc_learn.h"

static bool value_of(const void *trace, const char *name, struct trc_learn_value *value)
{
	const bt_value *found = bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

	if (!found || !(bt_value_is_string(found) || bt_value_is_signed_integer(found)))
		return false;
	*value = (struct trc_learn_value){ .text = NULL };
	if (bt_value_is_string(found))
		value->text = bt_value_string_get(found);
	else
		value->number = bt_value_integer_signed_get(found);
	return true;
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
	g_autofree char *uuid = NULL;
	int64_t zero;

	if (!clock ||
		bt_clock_class_cycles_to_ns_from_origin(clock, 0, &zero) !=
			BT_CLOCK_CLASS_CYCLES_TO_NS_FROM_ORIGIN_STATUS_OK)
		return;
	uuid = trc_learn_uuid(bt_clock_class_get_uuid(clock));
	trc_info_set_text(&info->clock_name, bt_clock_class_get_name(clock));
	trc_info_set_clock(info, uuid, bt_clock_class_get_frequency(clock), zero);
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
	trc_learn_env(info, trace, value_of, bt_trace_get_uuid(trace));
	learn_clock(info, bt_trace_borrow_class_const(trace));
	learn_classes(info, bt_trace_borrow_class_const(trace));
}
