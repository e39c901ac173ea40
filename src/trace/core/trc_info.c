/* SPDX-License-Identifier: MIT */
#include "trace/core/trc_info.h"

#include "base/base_search.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <stdarg.h>
#include <string.h>

#define WARNINGS_KEPT 200 /* a hostile trace may cause millions */

static void chunk_clear(gpointer data)
{
	g_free(((struct trc_chunk *)data)->path);
}

static void saved_clear(gpointer data)
{
	g_free(((struct trc_saved *)data)->name);
}

struct trc_info *trc_info_new(const char *path)
{
	struct trc_info *info = g_new0(struct trc_info, 1);

	info->path = g_strdup(path);
	info->host = g_strdup("");
	info->uuid = g_strdup("");
	info->clock_name = g_strdup("");
	info->clock_uuid = g_strdup("");
	info->domain = g_strdup("");
	info->tracer = g_strdup("");
	info->format = g_strdup("");
	info->release = g_strdup("");
	info->machine = g_strdup("");
	info->counters = g_strdup("");
	info->reader = g_strdup("");
	info->begin = info->floor = info->first = info->last = BASE_TIME_NONE;
	info->end = BASE_TIME_NONE;
	info->classes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	info->warnings = g_ptr_array_new_with_free_func(g_free);
	info->chunks = g_array_new(FALSE, FALSE, sizeof(struct trc_chunk));
	g_array_set_clear_func(info->chunks, chunk_clear);
	info->saved = g_array_new(FALSE, FALSE, sizeof(struct trc_saved));
	g_array_set_clear_func(info->saved, saved_clear);
	trc_cut_mark_init(&info->cut);
	info->common = g_array_new(FALSE, FALSE, sizeof(struct trc_piece));
	info->offline = g_array_new(FALSE, FALSE, sizeof(struct trc_gap));
	info->gaps = g_array_new(FALSE, FALSE, sizeof(struct trc_gap));
	return info;
}

void trc_info_free(struct trc_info *info)
{
	if (!info)
		return;
	g_free(info->path);
	g_free(info->host);
	g_free(info->uuid);
	g_free(info->clock_name);
	g_free(info->clock_uuid);
	g_free(info->domain);
	g_strfreev(info->beside);
	g_free(info->tracer);
	g_free(info->format);
	g_free(info->release);
	g_free(info->machine);
	g_free(info->counters);
	g_free(info->reader);
	g_hash_table_unref(info->classes);
	g_ptr_array_unref(info->warnings);
	g_clear_error(&info->problem);
	g_array_unref(info->chunks);
	g_array_unref(info->saved);
	trc_cut_mark_clear(&info->cut);
	g_array_unref(info->common);
	g_array_unref(info->offline);
	g_array_unref(info->gaps);
	g_free(info);
}

void trc_info_set_text(char **slot, const char *text)
{
	if (!text)
		return;
	g_free(*slot);
	*slot = base_text_clean(text, -1);
}

void trc_info_set_clock(struct trc_info *info, const char *uuid, uint64_t frequency, int64_t zero)
{
	if (g_uuid_string_is_valid(uuid) && strspn(uuid, "0-") < strlen(uuid)) {
		g_free(info->clock_uuid);
		info->clock_uuid = g_ascii_strdown(uuid, -1);
	}
	info->clock_frequency = frequency;
	info->clock_zero = zero;
}

void trc_info_warn(struct trc_info *info, const char *format, ...)
{
	va_list arguments;
	g_autofree char *text = NULL;

	if (info->warnings->len >= WARNINGS_KEPT)
		return;
	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_ptr_array_add(info->warnings, base_text_clean(text, -1));
}

void trc_info_tell_cpuless(struct trc_info *info, const char *name)
{
	info->cpuless++;
	trc_info_warn(info,
		"%s: left out: it does not tell the CPU of its events; record it with the field cpu_id in its packets",
		name);
}

void trc_info_tell_cut_off(struct trc_info *info)
{
	trc_info_warn(info, "the file is cut off or damaged: only its readable part is shown; copy it again");
}

void trc_info_add_class(struct trc_info *info, const char *name)
{
	g_hash_table_add(info->classes, g_strdup(name));
}

static int compare_chunks(gconstpointer a, gconstpointer b)
{
	const struct trc_chunk *ca = a, *cb = b;

	return BASE_BY(ca, cb, from) ?: strcmp(ca->path, cb->path);
}

void trc_info_add_chunk(struct trc_info *info, const char *path, int64_t from, int64_t to)
{
	struct trc_chunk chunk = { .path = g_strdup(path), .from = from, .to = to };

	g_array_append_val(info->chunks, chunk);
	g_array_sort(info->chunks, compare_chunks);
}

void trc_info_begin_at_floor(struct trc_info *info)
{
	if (info->begin != BASE_TIME_NONE)
		info->begin = MAX(info->begin, info->floor);
	for (guint i = 0; i < info->chunks->len; i++) {
		struct trc_chunk *c = &g_array_index(info->chunks, struct trc_chunk, i);

		if (c->from != BASE_TIME_NONE)
			c->from = MAX(c->from, info->floor);
	}
}

void trc_info_add_gap(struct trc_info *info, uint32_t cpu, int64_t from, int64_t to, uint64_t count)
{
	struct trc_gap gap = { .cpu = cpu, .from = from, .to = to, .count = count };

	if (info->gaps->len < TRC_GAPS_KEPT)
		g_array_append_val(info->gaps, gap);
}

void trc_info_add_offline(struct trc_info *info, uint32_t cpu, int64_t from, int64_t to)
{
	struct trc_gap span = { .cpu = cpu, .from = from, .to = to };

	if (info->offline->len < TRC_GAPS_KEPT)
		g_array_append_val(info->offline, span);
}

void trc_info_tell_absent(struct trc_info *info, const GArray *cpus, int64_t from, int64_t to,
	const char *how)
{
	g_autoptr(GString) list = g_string_new(NULL); /* at most as many as fit in a line */

	for (guint i = 0; i < cpus->len && list->len < 60; i++)
		g_string_append_printf(list, "%s%" G_GUINT32_FORMAT, i ? ", " : "",
			g_array_index(cpus, uint32_t, i));
	if (list->len >= 60)
		g_string_append(list, ", …");
	if (cpus->len > 0)
		trc_info_warn(info, "not recorded: CPU %s: its states are unknown; record with %s", list->str,
			how);
	for (guint i = 0; i < cpus->len; i++)
		trc_info_add_gap(info, g_array_index(cpus, uint32_t, i), from, to, 0);
}

void trc_info_absorb(struct trc_info *info, const struct trc_info *part)
{
	info->discarded += part->discarded;
	info->discarded_packets += part->discarded_packets;
	if (part->problem && !info->problem)
		info->problem = g_error_copy(part->problem);
	info->n_cpus = MAX(info->n_cpus, part->n_cpus);
	info->cpuless += part->cpuless;
	for (guint i = 0; i < part->warnings->len; i++)
		trc_info_warn(info, "%s", (const char *)g_ptr_array_index(part->warnings, i));
	for (guint i = 0; i < part->gaps->len; i++) {
		const struct trc_gap *g = &g_array_index(part->gaps, struct trc_gap, i);

		trc_info_add_gap(info, g->cpu, g->from, g->to, g->count);
	}
}

void trc_info_set_tracer(struct trc_info *info, const char *name, const char *version)
{
	g_autofree char *text = g_strdup_printf("%s%s%s", name ? name : "", name && version ? " " : "",
		version ? version : "");

	trc_info_set_text(&info->tracer, text);
}

static int compare_gaps(gconstpointer a, gconstpointer b)
{
	const struct trc_gap *ga = a, *gb = b;

	return BASE_BY(ga, gb, cpu) ?: BASE_BY(ga, gb, from);
}

/* Drop the gaps before the window of a cut. The cut left out those events, the tracer did not lose them. */
static void forget_left_out(struct trc_info *info)
{
	guint n = 0;

	for (guint i = 0; i < info->gaps->len; i++) {
		const struct trc_gap *g = &g_array_index(info->gaps, struct trc_gap, i);

		if (g->from >= info->cut.whole || info->cut.whole == INT64_MIN)
			g_array_index(info->gaps, struct trc_gap, n++) = *g;
		else if (g->count > 0)
			info->discarded -= MIN(info->discarded, g->count);
		else
			info->discarded_packets -= info->discarded_packets > 0;
	}
	g_array_set_size(info->gaps, n);
}

void trc_info_summarise(struct trc_info *info)
{
	/* Gaps are not in order, because the reader takes the streams in turns. */
	g_array_sort(info->gaps, compare_gaps);
	forget_left_out(info);
	g_array_sort(info->offline, compare_gaps);
	if (info->discarded)
		trc_info_warn(info,
			"the tracer lost %" G_GUINT64_FORMAT " event%s: states are unknown in those places; "
			"record with larger buffers",
			info->discarded, base_text_s(info->discarded));
	if (info->discarded_packets)
		trc_info_warn(info,
			"%" G_GUINT64_FORMAT " packet%s of events %s missing: states are unknown in those "
			"places; record with larger buffers",
			info->discarded_packets, base_text_s(info->discarded_packets),
			info->discarded_packets == 1 ? "is" : "are");
	if (info->stepped_back)
		trc_info_warn(info,
			"the clock stepped back before %" G_GUINT64_FORMAT
			" events: they got the time of the event before them; "
			"compare times there with care",
			info->stepped_back);
	if (info->stepped_on) {
		g_autofree char *step = base_time_format_duration(info->longest_step, false);
		g_autofree char *often = info->stepped_on > 1
			? g_strdup_printf(" %" G_GUINT64_FORMAT " times, by up to", info->stepped_on)
			: g_strdup(" by");

		trc_info_warn(info,
			"the clock stepped forward%s %s: it was set, or the machine was suspended; "
			"durations across that seem longer by as much",
			often, step);
	}
}
