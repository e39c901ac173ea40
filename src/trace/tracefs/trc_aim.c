/* SPDX-License-Identifier: MIT */
#include "trace/tracefs/trc_aim.h"

const struct trc_format_field *trc_aim_field(const struct trc_format_event *event, bool waking)
{
	static const char *const names[][2] = { { "sched:sched_waking", "target_cpu" },
		{ "sched:sched_wakeup", "target_cpu" }, { "sched:sched_wakeup_new", "target_cpu" },
		{ "sched:sched_migrate_task", "dest_cpu" } };
	const struct trc_format_field *field = NULL;

	for (size_t i = waking ? 0 : 1; i < G_N_ELEMENTS(names); i++)
		if (g_str_equal(event->name, names[i][0]))
			field = trc_format_event_field(event, names[i][1]);
	return field && field->shape == TRC_FORMAT_NUMBER && field->size == 4 ? field : NULL;
}

uint32_t trc_aim_cpu(const struct trc_format_field *field, const struct trc_bytes *record, uint32_t limit)
{
	if (!record->data || record->size < field->offset + 4)
		return limit;
	return (uint32_t)MIN(trc_bytes_number(record->data + field->offset, 4, record->big), limit);
}
