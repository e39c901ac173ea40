/* SPDX-License-Identifier: MIT */
/* The format perf.data. Each file is a recording of its own. So is the folder with a file "data" that perf
 * record --kcore or --threads writes. */
#include "base/base_error.h"
#include "base/base_file.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "trace/core/trc_folders.h"
#include "trace/perf/trc_perf.h"

#include <string.h>
#include <time.h>

static GPtrArray *list_folder(void *folders, GError **error)
{
	return trc_files_list(folders, error);
}

static char *fingerprint(char *const *folders, GError **error)
{
	if (g_file_test(folders[0], G_FILE_TEST_IS_DIR))
		return trc_stamp(list_folder, NULL, (void *)(uintptr_t)folders, error);
	return trc_stamp_file(folders, error);
}

/* ---- facts about the trace ---- */

static const struct trc_perf_attr *attr_at(const struct trc_perf_head *h, guint i)
{
	return &g_array_index(h->attrs, struct trc_perf_attr, i);
}

static void set_clock(struct trc_info *info, const struct trc_perf_head *h)
{
	static const struct {
		int32_t id;
		const char *name;
	} clocks[] = { { CLOCK_REALTIME, "realtime" }, { CLOCK_MONOTONIC, "monotonic" },
		{ CLOCK_MONOTONIC_RAW, "monotonic_raw" }, { CLOCK_BOOTTIME, "boottime" },
		{ CLOCK_TAI, "tai" } };
	const struct trc_perf_attr *a = attr_at(h, 0);
	const char *name = "perf";

	for (size_t i = 0; i < G_N_ELEMENTS(clocks); i++)
		if (a->has_clock && a->clock == clocks[i].id)
			name = clocks[i].name;
	trc_info_set_text(&info->clock_name, name);
	trc_info_set_clock(info, "", 1000000000, h->has_wall ? h->zero : 0);
	if (!a->has_clock)
		trc_info_warn(info,
			"recorded with perf's own clock, which differs between CPUs: the order of events on different CPUs may be wrong; "
			"record with perf record -k mono");
}

/* Add the classes of events that are recorded completely. Warn of the others. */
static void add_classes(struct trc_info *info, const struct trc_perf_survey *s)
{
	for (guint i = 0; i < s->head->attrs->len; i++) {
		const struct trc_perf_attr *a = attr_at(s->head, i);
		const char *name = a->event ? a->event->name : "a tracepoint of which the file has no format";

		if (trc_perf_class_is_whole(a))
			trc_info_add_class(info, name);
		else if (a->is_tracepoint && !a->is_usable)
			trc_info_warn(info,
				"%s: its records lack time, CPU or fields: they are left out; record it as a tracepoint alone",
				name);
		else if (a->is_tracepoint && a->is_sampled)
			trc_info_warn(info,
				"%s: only samples of its events were recorded: states cannot be derived from it; record with perf record -c 1",
				name);
	}
	if (s->head->own.tells_switches && s->some_threads)
		trc_info_add_class(info, s->head->own.name);
	else if (s->head->reads_wide)
		trc_info_add_class(info, s->head->wide.name);
}

/* "cpu-clock 136, page-faults 20" */
static void tell_counters(struct trc_info *info, const struct trc_perf_survey *s)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < s->head->attrs->len; i++)
		if (s->counted[i] > 0)
			g_string_append_printf(text, "%s%s %" G_GUINT64_FORMAT, text->len ? ", " : "",
				trc_perf_head_name(attr_at(s->head, i)), s->counted[i]);
	if (text->len)
		trc_info_set_text(&info->counters, text->str);
	g_string_free(text, TRUE);
}

static void tell_silent(struct trc_info *info, const struct trc_perf_cpu *c)
{
	if (c->silent)
		trc_info_warn(info,
			c->stopped
				? "CPU %" G_GUINT32_FORMAT
				  " was recorded until perf ended there, which it does with one CPU after the other; "
				  "its states after its last event are unknown"
				: "CPU %" G_GUINT32_FORMAT
				  " continued after its last event: perf does not record a CPU that comes back online; "
				  "its states after that event are unknown",
			c->cpu);
}

static void read_to_end(const void *survey, struct trc_info *info)
{
	const struct trc_perf_survey *s = survey;

	info->end = s->last;
	if (s->common)
		g_array_append_vals(info->common, s->common->data, s->common->len);
	tell_counters(info, s);
	g_array_index(info->chunks, struct trc_chunk, 0).to = s->last;
	trc_info_tell_absent(info, s->absent, s->first, s->last, "perf record -a, without -C");
	for (guint i = 0; i < s->cpus->len; i++)
		tell_silent(info, g_ptr_array_index(s->cpus, i));
	if (s->strangers > 0)
		trc_info_warn(info,
			"%" G_GUINT64_FORMAT " sample%s left out: the file does not define their events",
			s->strangers, base_text_s(s->strangers));
	if (s->elsewhere > 0)
		trc_info_warn(info,
			"%" G_GUINT64_FORMAT
			" records left out: the file says that nothing was recorded on their CPUs; copy it again",
			s->elsewhere);
	if (s->cut || s->head->cut)
		trc_info_tell_cut_off(info);
}

/* True if PATH is the first file that perf record --threads wrote. */
static bool is_in_folder(const char *path)
{
	g_autofree char *second = g_strconcat(path, ".0", NULL);

	return g_str_has_suffix(path, "/data") && g_file_test(second, G_FILE_TEST_EXISTS);
}

static void *survey(char *const *folders, struct trc_info *info, GError **error)
{
	struct trc_perf_head *head = trc_perf_head_open(folders[0], error);
	struct trc_perf_survey *s = head ? trc_perf_survey_new(head) : NULL;

	if (!s)
		return NULL;
	if (head->problem) {
		g_propagate_error(error, g_error_copy(head->problem));
		trc_perf_survey_free(s);
		return NULL;
	}
	if (s->cpus->len == 0) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "%s: no events in this trace: %s", folders[0],
			is_in_folder(folders[0]) ? "they are in other files beside it: give their folder"
						 : "record it again, with events enabled before it starts");
		trc_perf_survey_free(s);
		return NULL;
	}
	info->size = head->size;
	trc_info_set_text(&info->domain, "kernel");
	trc_info_set_tracer(info, "perf", *head->version ? head->version : NULL);
	trc_info_set_text(&info->host, head->host);
	trc_info_set_text(&info->release, head->release);
	trc_info_set_text(&info->machine, head->machine);
	trc_cut_mark_copy(&info->cut, &head->mark);
	set_clock(info, head);
	add_classes(info, s);
	info->some_threads = s->some_threads;
	info->away_only = trc_perf_class_is_away(s);
	if (info->away_only)
		trc_info_warn(info,
			"only some threads were recorded, and only switches away from them: when they ran again is "
			"unknown; record with perf record -a, or with --switch-events");
	else if (s->some_threads)
		trc_info_warn(info,
			"only some threads were recorded: what others did is unknown; record with perf record -a");
	if (head->slots)
		trc_info_warn(info,
			"the CPUs are not recorded: each thread is shown on a CPU of its own; record with perf record "
			"--sample-cpu");
	if (strstr(head->command, " --filter"))
		trc_info_warn(info,
			"recorded with --filter: the events that it left out are unknown; record without it");
	info->begin = s->first;
	info->end = s->first == BASE_TIME_NONE ? BASE_TIME_NONE : s->guess;
	trc_info_add_chunk(info, folders[0], info->begin, info->end);
	return s;
}

static char *kallsyms(char *const *folders, gsize *length, GError **error)
{
	static const struct base_file_kind kind = { "file of the kernel's symbols", 64 << 20, BASE_ERROR_IO };
	g_autofree char *path = g_build_filename(folders[0], "kcore_dir", "kallsyms", NULL);

	return g_file_test(path, G_FILE_TEST_IS_REGULAR) ? base_file_bytes(path, &kind, length, error) : NULL;
}

const struct trc_input_ops trc_perf_input = {
	.format = "perf.data",
	.detect = trc_perf_head_detect,
	.join = trc_folders_each,
	.tells_first = true,
	.tells_contexts = true,
	.fingerprint = fingerprint,
	.kallsyms = kallsyms,
	.survey = survey,
	.survey_free = trc_perf_survey_free,
	.read_to_end = read_to_end,
	.cut = trc_perf_cut,
};
