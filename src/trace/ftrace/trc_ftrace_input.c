/* SPDX-License-Identifier: MIT */
/* trace.dat as a format among others: each file is a recording of its own. */
#include "base/base_error.h"
#include "base/base_time.h"
#include "trace/core/trc_folders.h"
#include "trace/core/trc_stamp.h"
#include "trace/ftrace/trc_ftrace.h"
#include "trace/ftrace/trc_ftrace_file.h"
#include "trace/ftrace/trc_ftrace_options.h"

#include <string.h>

static void free_recording(gpointer data)
{
	struct trc_recording *r = data;

	g_strfreev(r->folders);
	g_free(r->apart);
	g_free(r);
}

static GPtrArray *join(const GPtrArray *files)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(free_recording);

	for (guint i = 0; i < files->len; i++) {
		struct trc_recording *r = g_new0(struct trc_recording, 1);

		r->folders = g_new0(char *, 2);
		r->folders[0] = g_strdup(g_ptr_array_index(files, i));
		g_ptr_array_add(all, r);
	}
	return all;
}

/* "Linux HOST RELEASE …", as uname() tells it. */
static void set_names(struct trc_info *info, const char *uname)
{
	char **words = g_strsplit(uname, " ", 4);

	if (g_strv_length(words) >= 3) {
		trc_info_set_text(&info->host, words[1]);
		trc_info_set_text(&info->release, words[2]);
	}
	g_strfreev(words);
}

static void add_classes(struct trc_info *info, struct tep_handle *tep)
{
	for (int i = 0; i < tep_get_events_count(tep); i++) {
		const struct tep_event *event = tep_get_event(tep, i);
		char *name = g_strdup_printf("%s:%s", event->system, event->name);

		trc_info_add_class(info, name);
		g_free(name);
	}
}

/* Times of CPUs are their own then. */
static void warn_of_clock(struct trc_info *info, const char *clock)
{
	if (g_str_equal(clock, "local"))
		trc_info_warn(info,
			"recorded by the clock \"local\", which each CPU has its own of: what happened on two CPUs may "
			"be in the wrong order; record with trace-cmd record -C mono");
}

static void *survey(char *const *folders, struct trc_info *info, GError **error)
{
	struct trc_ftrace_file *file = trc_ftrace_file_open(folders[0], error);
	struct trc_ftrace_options options;

	if (!file)
		return NULL;
	options = trc_ftrace_options_read(folders[0]);
	trc_info_set_text(&info->domain, "kernel");
	trc_info_set_tracer(info, "ftrace", NULL);
	trc_info_set_text(&info->clock_name, options.clock);
	trc_info_set_clock(info, "", 1000000000, 0);
	set_names(info, options.uname);
	warn_of_clock(info, options.clock);
	add_classes(info, tracecmd_get_tep(file->top));
	trc_info_add_chunk(info, folders[0], BASE_TIME_NONE, BASE_TIME_NONE);
	trc_ftrace_options_clear(&options);
	return file;
}

static void survey_free(void *data)
{
	trc_ftrace_file_free(data);
}

static GPtrArray *streams(const void *data, bool *known, GError **error)
{
	const struct trc_ftrace_file *file = data;
	GPtrArray *all = g_ptr_array_new();

	(void)error;
	for (guint i = 0; i < file->streams->len; i++)
		g_ptr_array_add(all, &g_array_index(file->streams, struct trc_ftrace_stream, i));
	*known = true;
	return all;
}

static void place(void *data, const char *name, struct trc_packet_seen *packet)
{
	(void)data; /* the reader tells */
	(void)name;
	(void)packet;
}

const struct trc_input_ops trc_ftrace_input = {
	.detect = trc_ftrace_options_detect,
	.join = join,
	.fingerprint = trc_stamp_file,
	.survey = survey,
	.survey_free = survey_free,
	.streams = streams,
	.place = place,
};
