/* SPDX-License-Identifier: MIT */
#include "trace/ftrace/trc_ftrace_file.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "trace/core/trc_queue.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void clear_stream(void *stream)
{
	g_free(((struct trc_ftrace_stream *)stream)->name);
}

static void close_input(gpointer input)
{
	tracecmd_close(input);
}

/* Add a stream for each CPU of FROM, the buffer called BUFFER ("": the top one). */
static void add_streams(struct trc_ftrace_file *f, struct tracecmd_input *from, const char *buffer)
{
	int cpus = MIN(tep_get_cpus(tracecmd_get_tep(from)), TRC_CPUS_MAX);

	for (int cpu = 0; cpu < cpus; cpu++) {
		struct trc_ftrace_stream s = { .from = from, .cpu = cpu };

		s.name = g_strdup_printf("%s%scpu%d", buffer, *buffer ? "/" : "", cpu);
		g_array_append_val(f->streams, s);
	}
}

static void add_instances(struct trc_ftrace_file *f)
{
	int n = tracecmd_buffer_instances(f->top);

	for (int i = 0; i < n; i++) {
		const char *name = tracecmd_buffer_instance_name(f->top, i);
		struct tracecmd_input *from = tracecmd_buffer_instance_handle(f->top, i);

		if (!from)
			continue;
		g_ptr_array_add(f->instances, from);
		add_streams(f, from, name && *name ? name : "instance");
	}
}

struct trc_ftrace_file *trc_ftrace_file_open(const char *path, GError **error)
{
	struct trc_ftrace_file *f;
	struct tracecmd_input *top;

	if (access(path, R_OK)) {
		base_error_set_errno(error, errno, "cannot read the trace", path);
		return NULL;
	}
	tracecmd_set_loglevel(TEP_LOG_NONE);
	top = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!top) {
		char *shown = base_text_clean(path, -1);

		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			"cannot read the trace %s: trace-cmd's library does not understand it; copy the file again",
			shown);
		g_free(shown);
		return NULL;
	}
	f = g_new(struct trc_ftrace_file, 1);
	*f = (struct trc_ftrace_file){ top, g_ptr_array_new_with_free_func(close_input),
		g_array_new(FALSE, FALSE, sizeof(struct trc_ftrace_stream)) };
	g_array_set_clear_func(f->streams, clear_stream);
	add_streams(f, top, "");
	add_instances(f);
	return f;
}

void trc_ftrace_file_free(struct trc_ftrace_file *f)
{
	g_array_unref(f->streams);
	g_ptr_array_unref(f->instances);
	tracecmd_close(f->top);
	g_free(f);
}

const struct trc_ftrace_stream *trc_ftrace_file_stream(const struct trc_ftrace_file *f, const char *name)
{
	for (guint i = 0; i < f->streams->len; i++) {
		const struct trc_ftrace_stream *s = &g_array_index(f->streams, struct trc_ftrace_stream, i);

		if (g_str_equal(s->name, name))
			return s;
	}
	return NULL;
}
