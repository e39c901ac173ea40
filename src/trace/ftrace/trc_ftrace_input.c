/* SPDX-License-Identifier: MIT */
/* The format trace.dat: each file is a recording of its own. */
#include "base/base_time.h"
#include "trace/core/trc_folders.h"
#include "trace/ftrace/trc_ftrace.h"

#include <string.h>

#define SAVED_COST 192 /* bytes of memory per thread name, about, including the model's */

/* Read lines "TID WHAT". WHAT is the process if IS_PID, else the name. */
static void add_saved(struct trc_info *info, struct trc_ftrace_head *head, struct trc_bytes text, bool is_pid)
{
	g_autoptr(GString) line = g_string_new(NULL);

	while (trc_lines_next(&text, line, &head->budget)) {
		char *what;
		struct trc_saved s = { .tid = g_ascii_strtoll(line->str, &what, 10), .pid = -1 };

		if (what == line->str || *what != ' ' || what[1] == '\0' || s.tid <= 0)
			continue;
		if (!trc_budget_spend(&head->budget, SAVED_COST + line->len,
			    "it names more threads than its size has room for"))
			break;
		if (is_pid)
			s.pid = g_ascii_strtoll(what, NULL, 10);
		else
			s.name = g_strdup(what + 1);
		g_array_append_val(info->saved, s);
	}
}

static void *survey(char *const *folders, struct trc_info *info, GError **error)
{
	struct trc_ftrace_head *head = trc_ftrace_head_open(folders[0], error);
	g_auto(GStrv) words = NULL;
	const char *problem;
	g_autofree uint8_t *unpacked = NULL;
	struct trc_bytes tgids = { 0 };
	GHashTableIter iter;
	gpointer event;

	if (!head)
		return NULL;
	info->size = head->bytes.size;
	trc_info_set_text(&info->domain, "kernel");
	trc_info_set_tracer(info, "ftrace", NULL);
	info->declares_more = !head->exact; /* the header has the formats of all events */
	trc_info_set_text(&info->clock_name,
		g_str_equal(head->clock.name, "mono") ? "monotonic" : head->clock.name);
	trc_info_set_clock(info, "", 1000000000, head->clock.ahead);
	words = g_strsplit(head->uname, " ", 4); /* "Linux HOST RELEASE … MACHINE", as uname() gives it */
	if (g_strv_length(words) >= 3) {
		trc_info_set_text(&info->host, words[1]);
		trc_info_set_text(&info->release, words[2]);
	}
	if (g_strv_length(words) >= 4)
		trc_info_set_text(&info->machine,
			strrchr(words[3], ' ') ? strrchr(words[3], ' ') + 1 : words[3]);
	if (head->clocks_differ) /* then the times of different CPUs do not agree */
		trc_info_warn(info,
			"its buffers use different clocks: their times cannot be compared; "
			"record all with trace-cmd record -C mono");
	problem = trc_ftrace_clock_problem(&head->clock);
	if (problem)
		trc_info_warn(info, "%s", problem);
	if (head->cut)
		trc_info_tell_cut_off(info);
	trc_cut_mark_copy(&info->cut, &head->mark);
	add_saved(info, head, trc_ftrace_head_cmdlines(head, &unpacked), false);
	if (head->tgids)
		tgids = (struct trc_bytes){ .data = (const uint8_t *)head->tgids,
			.size = strlen(head->tgids) };
	add_saved(info, head, tgids, true);
	if (head->budget.refused) {
		trc_budget_set_error(&head->budget, folders[0], error);
		trc_ftrace_head_free(head);
		return NULL;
	}
	g_hash_table_iter_init(&iter, head->formats.events);
	while (g_hash_table_iter_next(&iter, NULL, &event))
		trc_info_add_class(info, ((const struct trc_format_event *)event)->name);
	head->absent = trc_ftrace_absent_new(head);
	trc_info_add_chunk(info, folders[0], BASE_TIME_NONE, BASE_TIME_NONE);
	return head;
}

static void read_to_end(const void *data, struct trc_info *info)
{
	const struct trc_ftrace_head *head = data;

	trc_info_tell_absent(info, trc_ftrace_absent_cpus(head->absent), info->first, info->last,
		"trace-cmd record without -M, and all CPUs in tracing_cpumask");
}

static char *kallsyms(char *const *folders, gsize *length, GError **error)
{
	struct trc_ftrace_head *head = trc_ftrace_head_open(folders[0], error);
	char *text = head ? trc_ftrace_head_kallsyms(head, length) : NULL;

	if (head)
		trc_ftrace_head_free(head);
	return text;
}

static bool guests(char *const *folders, struct trc_guests *guests, GError **error)
{
	struct trc_ftrace_head *head = trc_ftrace_head_open(folders[0], error);

	if (!head)
		return false;
	guests->id = head->guests.id;
	guests->peer = head->clock.shifts ? head->clock.peer : 0;
	g_array_append_vals(guests->cpus, head->guests.cpus->data, head->guests.cpus->len);
	trc_ftrace_head_free(head);
	return true;
}

const struct trc_input_ops trc_ftrace_input = {
	.format = "trace.dat",
	.detect = trc_ftrace_head_detect,
	.join = trc_folders_each,
	.tells_contexts = true,
	.fingerprint = trc_stamp_file,
	.kallsyms = kallsyms,
	.guests = guests,
	.survey = survey,
	.survey_free = (GDestroyNotify)trc_ftrace_head_free,
	.read_to_end = read_to_end,
	.cut = trc_ftrace_cut,
};
