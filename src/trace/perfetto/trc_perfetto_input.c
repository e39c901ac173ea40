/* SPDX-License-Identifier: MIT */
/* The format pftrace: each file, or part of a file, is a recording of its own. */
#include "base/base_text.h"
#include "trace/core/trc_folders.h"
#include "trace/perfetto/trc_perfetto_track.h"

#include <string.h>

/* ---- the events that were recorded ---- */

static void add_class(void *data, const char *name)
{
	trc_info_add_class(data, name);
}

static void drop_class(void *data, const char *name)
{
	g_hash_table_remove(((struct trc_info *)data)->classes, name);
}

/* Add the events that the configuration names and those that occur, because a configuration does not name the
 * events of atrace's categories. */
static void add_classes(struct trc_info *info, const struct trc_perfetto_survey *s)
{
	const struct trc_perfetto_facts *f = &s->facts;

	/* If sources are left out, it is unknown which of them asked for which events. */
	for (guint i = 0; s->sequences == 0 && i < f->asked->len; i++)
		trc_perfetto_typed_asked(f->asked->pdata[i], f->machine, add_class, info);
	for (guint i = 0; i < f->failed->len; i++)
		trc_perfetto_typed_asked(f->failed->pdata[i], f->machine, drop_class, info);
	for (guint i = 0; i < s->streams->len; i++) {
		const struct trc_perfetto_stream *stream = g_ptr_array_index(s->streams, i);
		GHashTableIter iter;
		gpointer class;

		for (unsigned n = 0; n < TRC_PERFETTO_TYPED; n++)
			if (stream->typed[n / 64] & UINT64_C(1) << n % 64)
				add_class(info,
					trc_perfetto_class_name(trc_perfetto_class_of(s->classes, n)));
		if (!stream->others)
			continue;
		g_hash_table_iter_init(&iter, stream->others);
		while (g_hash_table_iter_next(&iter, &class, NULL))
			add_class(info, trc_perfetto_class_name(class));
	}
	for (guint i = 0; i < s->programs->len; i++)
		for (unsigned act = 0; act < TRC_PERFETTO_ACTS; act++)
			if (((const struct trc_perfetto_stream *)g_ptr_array_index(s->programs, i))->acts >>
					act &
				1)
				add_class(info, trc_perfetto_act_name(act));
	/* With this class a trace would have all system calls (mdl_table_has_all_calls()). */
	if (f->some_calls)
		drop_class(info, "raw_syscalls:sys_enter");
}

/* ---- warnings ---- */

static void tell_losses(struct trc_info *info, const struct trc_perfetto_survey *s)
{
	bool full = false;

	for (guint i = 0; i < s->streams->len; i++) {
		const struct trc_perfetto_stream *stream = g_ptr_array_index(s->streams, i);
		uint64_t refused, lost = trc_perfetto_facts_lost(&s->facts, stream->cpu, &refused);

		info->discarded += lost;
		if (refused > 0)
			trc_info_warn(info,
				"%s: a full buffer dropped %" G_GUINT64_FORMAT
				" events at unknown places: states are unknown between any two reads of the buffer; "
				"record with a larger buffer_size_kb",
				stream->name, refused);
	}
	for (guint i = 0; i < s->streams->len; i++)
		full |= ((const struct trc_perfetto_stream *)g_ptr_array_index(s->streams, i))->full;
	if (full)
		trc_info_warn(info,
			"the buffer of Perfetto was full before the recording ended: each CPU is unknown after its last event; "
			"record with a larger size_kb, or with write_into_file");
	if (s->errors > 0)
		trc_info_warn(info,
			"traced could not understand %" G_GUINT64_FORMAT
			" page%s of the kernel's buffers: events are missing there; record with a newer Perfetto",
			s->errors, base_text_s(s->errors));
	if (s->damaged > 0)
		trc_info_warn(info,
			"%" G_GUINT64_FORMAT
			" bundle%s of events %s damaged: the rest of each is left out; copy the trace again",
			s->damaged, base_text_s(s->damaged), s->damaged == 1 ? "is" : "are");
	if (s->skipped > 0)
		trc_info_warn(info,
			"%" G_GUINT64_FORMAT
			" packet%s too large or cannot be unpacked: left out; copy the trace again",
			s->skipped, s->skipped == 1 ? " is" : "s are");
	if (s->cut)
		trc_info_tell_cut_off(info);
}

/* For the first part: warn of other machines with events that are no parts. */
static void tell_other_machines(struct trc_info *info, const struct trc_perfetto_file *f)
{
	g_autofree char *path = trc_folders_file(f->path);
	g_autoptr(GArray) all = f->is_part ? trc_perfetto_machines_in(path) : NULL;
	guint n;

	if (!all || all->len == 0 || g_array_index(all, uint32_t, 0) != f->machine)
		return;
	for (guint i = 0; i < all->len; i++)
		g_hash_table_remove(f->others, GUINT_TO_POINTER(g_array_index(all, uint32_t, i)));
	n = g_hash_table_size(f->others);
	if (all->len == 1)
		trc_info_warn(info,
			"the events of %u other machines are left out: wakepath reads no more than %u of a file",
			n, TRC_PERFETTO_MACHINES_MOST);
	else if (n > 0)
		trc_info_warn(info,
			"the events of %u other machine%s are left out: the beginning of the file does not tell of %s",
			n, base_text_s(n), n == 1 ? "it" : "them");
}

static void tell_left_out(struct trc_info *info, const struct trc_perfetto_survey *s)
{
	tell_other_machines(info, s->file);
	if (s->machines > 0)
		trc_info_warn(info,
			"the events of %u other machine%s are left out: only those of %s are shown",
			s->machines, base_text_s(s->machines),
			s->streams->len == 0 ||
					((const struct trc_perfetto_stream *)g_ptr_array_index(s->streams, 0))
							->machine == 0
				? "the host"
				: "one machine");
	if (s->sequences > 0)
		trc_info_warn(info,
			"several data sources have events of the kernel: for each CPU only those of the largest are shown; "
			"record with one data source linux.ftrace");
	if (s->facts.some_threads) {
		info->some_threads = true;
		trc_info_warn(info,
			"only some threads were recorded (tids_to_trace): what others did is unknown; record without it");
	}
	if (s->facts.some_calls)
		trc_info_warn(info,
			"only some system calls were recorded (syscall_events); record raw_syscalls/sys_enter and sys_exit for all");
}

static void tell_clock(struct trc_info *info, const struct trc_perfetto_zero *z)
{
	trc_info_set_text(&info->clock_name, "boottime");
	trc_info_set_clock(info, "", 1000000000, z->ns);
	if (z->n == 0)
		trc_info_warn(info,
			"times are since boot, not of the day: the trace has no snapshot of its clocks");
	if (z->steps > 0)
		trc_info_warn(info,
			"the time of day was set %u time%s during the recording, by up to %.3f s: times go on as if it had not been set",
			z->steps, base_text_s(z->steps), (double)z->step / 1e9);
}

/* ---- the trace ---- */

/* Set the version from "Perfetto v56.0 (N/A)". */
static void tell_version(struct trc_info *info, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text ? text : "", " ", 3);
	const char *version = words[0] && words[1] ? words[1] : NULL;

	trc_info_set_tracer(info, "perfetto", version && *version == 'v' ? version + 1 : version);
}

static void *survey(char *const *folders, struct trc_info *info, GError **error)
{
	struct trc_perfetto_file *f = trc_perfetto_file_open(folders[0], error);
	struct trc_perfetto_survey *s = f ? trc_perfetto_survey_new(f, error) : NULL;

	if (!s)
		return NULL;
	info->size = f->size;
	trc_info_set_text(&info->domain, trc_perfetto_survey_has_kernel(s) ? "kernel" : "programs");
	tell_version(info, s->facts.version);
	trc_info_set_text(&info->release, s->facts.release);
	trc_info_set_text(&info->machine, s->facts.machine);
	info->preempt_rt = s->facts.rt;
	tell_clock(info, &s->facts.zero);
	add_classes(info, s);
	tell_left_out(info, s);
	tell_losses(info, s);
	if (trc_perfetto_survey_has_kernel(s)) {
		info->begin = trc_perfetto_time(&s->facts.zero, s->first);
		info->end = trc_perfetto_time(&s->facts.zero, s->last);
	}
	trc_info_tell_absent(info, s->absent, info->begin, info->end, "Perfetto without tracing_cpumask");
	trc_info_add_chunk(info, folders[0], info->begin, info->end);
	return s;
}

static void read_to_end(const void *survey, struct trc_info *info)
{
	const struct trc_perfetto_survey *s = survey;

	if (s->outside > 0)
		trc_info_warn(info,
			"left out: %" G_GUINT64_FORMAT
			" event%s of programs before the first event of the kernel, or after the last",
			s->outside, base_text_s(s->outside));
	if (s->lost > 0)
		trc_info_warn(info,
			"left out: %" G_GUINT64_FORMAT
			" event%s of programs that depend on lost packets, or on an unknown clock; "
			"record with a larger size_kb",
			s->lost, base_text_s(s->lost));
	if (s->late > 0)
		trc_info_warn(info,
			"%" G_GUINT64_FORMAT
			" event%s of programs came after later ones: shown at the time of these, with recorded_time as a field",
			s->late, base_text_s(s->late));
}

const struct trc_input_ops trc_perfetto_input = {
	.format = "pftrace",
	.detect = trc_perfetto_file_detect,
	.parts = trc_perfetto_machines_parts,
	.join = trc_folders_each,
	.fingerprint = trc_stamp_file,
	.survey = survey,
	.survey_free = trc_perfetto_survey_free,
	.instead =
		"share the whole file, or what happens in the window: wakepath flow -o window.perfetto.json",
	.read_to_end = read_to_end,
};
