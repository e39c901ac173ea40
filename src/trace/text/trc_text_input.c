/* SPDX-License-Identifier: MIT */
/* The format text: each file is a recording of its own. */
#include "base/base_error.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "trace/core/trc_folders.h"
#include "trace/text/trc_text.h"

#include <string.h>

typedef struct trc_text_part part;

#define INSTEAD "cut the recording from which it was printed, or keep only the lines of the window"

static bool detect_flags(const char *path, bool *is)
{
	bool flags = false;

	if (!trc_text_detect(path, is, &flags))
		return false;
	*is &= flags;
	return true;
}

static bool detect_any(const char *path, bool *is)
{
	bool flags;

	return trc_text_detect(path, is, &flags);
}

/* ---- facts about the trace ---- */

static const char *const tools[] = { [TRC_TEXT_KERNEL] = "ftrace",
	[TRC_TEXT_TRACE_CMD] = "ftrace",
	[TRC_TEXT_PERF] = "perf",
	[TRC_TEXT_TOOLS] = "ftrace" };

static void add_class(void *info, const char *name)
{
	trc_info_add_class(info, name);
}

static void add_threads(struct trc_info *info, const struct trc_text_survey *s)
{
	GHashTableIter iter;
	gpointer tid, data;

	g_hash_table_iter_init(&iter, s->threads);
	while (g_hash_table_iter_next(&iter, &tid, &data)) {
		const struct trc_text_thread *t = data;
		struct trc_saved saved = { .tid = GPOINTER_TO_INT(tid),
			.pid = t->pid,
			.name = *t->comm ? g_strdup(t->comm) : NULL };

		g_array_append_val(info->saved, saved);
	}
}

static int by_tid(const void *a, const void *b)
{
	const struct trc_saved *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static void warn_of_lines(struct trc_info *info, const struct trc_text_survey *s)
{
	static const char *const better[] = { [TRC_TEXT_KERNEL] = "trace-cmd record keeps ns",
		[TRC_TEXT_TRACE_CMD] = "trace-cmd report -t prints ns",
		[TRC_TEXT_PERF] = "perf script --ns prints ns" };

	if (s->counts)
		trc_info_warn(info,
			"times are counts without a unit (the clock does not count ns): wakepath shows them as ns; "
			"record with trace-cmd record -C mono");
	if (s->coarse && s->unsorted)
		trc_info_warn(info,
			"times have only µs: shorter times are 0, and the order of events of different CPUs within a µs "
			"is unknown; %s",
			better[s->ways.tool]);
	else if (s->coarse)
		trc_info_warn(info,
			"times have only µs: shorter times are 0, and events of one µs are in the order of the text; %s",
			better[s->ways.tool]);
	if (s->unsorted)
		trc_info_warn(info,
			"the lines are not in the order of time: they are merged by time, CPU by CPU");
	if (!s->flags && s->ways.tool == TRC_TEXT_TRACE_CMD)
		trc_info_warn(info,
			"the lines lack the flags of the context: where an interrupt was not recorded, it may have acted for "
			"a thread; trace-cmd report -l prints them");
}

static bool is_usable(const struct trc_text_survey *s, const char *path, GError **error)
{
	if (s->budget.refused) {
		trc_budget_set_error(&s->budget, path, error);
		return false;
	}
	if (s->events > 0)
		return true;
	if (s->no_cpu > 0)
		return base_error_false(error, BASE_ERROR_DATA,
			"%s: its lines lack the CPU or the time of events: print it again with "
			"perf script -F comm,pid,tid,cpu,time,event,trace",
			path);
	return base_error_false(error, BASE_ERROR_DATA,
		"%s: no events in this text: record it again, with events enabled before it starts", path);
}

static void *survey(char *const *folders, struct trc_info *info, GError **error)
{
	struct trc_text_survey *s = trc_text_survey_new(folders[0], error);

	if (!s)
		return NULL;
	if (!is_usable(s, folders[0], error)) {
		trc_text_survey_free(s);
		return NULL;
	}
	info->size = s->file.text.n;
	trc_info_set_text(&info->domain, "kernel");
	trc_info_set_text(&info->format, s->ways.tool == TRC_TEXT_PERF ? "perf script text" : "ftrace text");
	trc_info_set_tracer(info, tools[s->ways.tool], s->version);
	trc_info_set_text(&info->host, s->host);
	trc_info_set_text(&info->release, s->release);
	trc_info_set_text(&info->machine, s->machine);
	info->preempt_rt = s->has_rt_thread && !s->idle_serves;
	info->may_be_rt = !s->has_rt_thread && !s->idle_serves && !*info->release;
	trc_info_set_clock(info, "", 1000000000, 0);
	trc_text_classes_each(s->classes, add_class, info);
	add_threads(info, s);
	g_array_sort(info->saved, by_tid);
	warn_of_lines(info, s);
	if (s->strange > 0)
		trc_info_warn(info,
			"%" G_GUINT64_FORMAT
			" line%s left out: no event can be read there; the first is line %" G_GUINT64_FORMAT,
			s->strange, base_text_s(s->strange), s->strange_at);
	if (s->far > 0)
		trc_info_warn(info, "%" G_GUINT64_FORMAT " event%s left out: no machine has so many CPUs",
			s->far, base_text_s(s->far));
	if (s->no_cpu > 0)
		trc_info_warn(info, "%" G_GUINT64_FORMAT " event%s left out: without CPU or time", s->no_cpu,
			base_text_s(s->no_cpu));
	if (s->cut)
		trc_info_tell_cut_off(info);
	info->begin = s->first;
	info->end = s->last;
	trc_info_add_chunk(info, folders[0], info->begin, info->end);
	return s;
}

static void read_to_end(const void *data, struct trc_info *info)
{
	const struct trc_text_survey *s = data;

	trc_info_tell_absent(info, s->absent, info->first, info->last,
		s->ways.tool == TRC_TEXT_PERF
			? "perf record -a, without -C, and print all of it"
			: "trace-cmd record without -M, and print the events of all CPUs");
}

/* ---- names of functions ---- */

#define SYMBOLS_COST 64

struct symbols {
	GHashTable *known; /* owned: set of addresses */
	GString *text;
	struct trc_budget budget;
};

static void add_symbol(struct symbols *s, part name, uint64_t address)
{
	if (name.n == 0 || address + 1 < 2 || g_hash_table_contains(s->known, (gpointer)(uintptr_t)address) ||
		!trc_budget_spend(&s->budget, SYMBOLS_COST + 2 * name.n,
			"it names more functions than its size has room for"))
		return;
	g_hash_table_add(s->known, (gpointer)(uintptr_t)address);
	g_string_append_printf(s->text, "%" G_GINT64_MODIFIER "x t %.*s\n", address, (int)name.n, name.at);
}

static void take_function(void *data, part name)
{
	add_symbol(data, name, trc_text_address(name));
}

/* True for "ffffffff81c07b1e __schedule+0x2ae ([kernel.kallsyms])", false for "7f1c write+0x4f
 * (/usr/lib/libc.so.6)". */
static bool is_kernel(part line)
{
	const char *open = memrchr(line.at, '(', line.n);

	return !open || open == line.at + line.n - 1 || open[1] == '[' || g_ascii_isxdigit(open[1]);
}

static char *kallsyms(char *const *folders, gsize *length, GError **error)
{
	struct symbols s = { .known = NULL };
	struct trc_text_file f;
	struct trc_text_classes *classes;
	part rest, line;

	if (!trc_text_file_open(&f, folders[0], error))
		return NULL;
	s.budget = trc_budget_of(f.text.n);
	s.known = g_hash_table_new(NULL, NULL);
	s.text = g_string_new(NULL);
	classes = trc_text_classes_new(&s.budget);
	rest = f.text;
	while (!s.budget.refused && trc_text_next(&rest, &line)) {
		struct trc_text_line l;
		const struct trc_text_class *class;
		uint64_t address;
		part name;

		trc_text_file_use(&f, line.n);
		switch (trc_text_line_read(line, TRC_TEXT_CONTEXT, &l)) {
		case TRC_TEXT_EVENT:
			class = trc_text_classes_get(classes, &l);
			if (class)
				trc_text_class_symbols(class, &l, take_function, &s);
			break;
		case TRC_TEXT_STACK:
			name = trc_text_stack_line(line, &address);
			/* The address is that of the return. frames.c looks up the byte before it. */
			if (is_kernel(line))
				add_symbol(&s, name, address - 1);
			break;
		default: break;
		}
	}
	trc_text_classes_free(classes);
	trc_text_file_close(&f);
	g_hash_table_unref(s.known);
	*length = s.text->len;
	return g_string_free(s.text, s.text->len == 0);
}

/* ---- */

const struct trc_input_ops trc_text_input = {
	.format = "text",
	.detect = detect_flags,
	.join = trc_folders_each,
	.tells_contexts = true,
	.by_place = true,
	.fingerprint = trc_stamp_file,
	.kallsyms = kallsyms,
	.survey = survey,
	.survey_free = trc_text_survey_free,
	.read_to_end = read_to_end,
	.instead = INSTEAD,
};

const struct trc_input_ops trc_text_plain_input = {
	.format = "text",
	.detect = detect_any,
	.join = trc_folders_each,
	.by_place = true,
	.fingerprint = trc_stamp_file,
	.kallsyms = kallsyms,
	.survey = survey,
	.survey_free = trc_text_survey_free,
	.read_to_end = read_to_end,
	.instead = INSTEAD,
};
