/* SPDX-License-Identifier: MIT */
/* A trace.dat opened by libtracecmd: its buffers, each with a stream per CPU. */
#ifndef TRC_FTRACE_FILE_H
#define TRC_FTRACE_FILE_H

#include <glib.h>
#include <trace-cmd.h>

/* The events of one CPU in one buffer. */
struct trc_ftrace_stream {
	char *name;                  /* "cpu0"; of an instance "wk/cpu0"; owned, hostile */
	struct tracecmd_input *from; /* weak */
	int cpu;
};

struct trc_ftrace_file {
	struct tracecmd_input *top; /* owned */
	GPtrArray *instances;       /* owned, of struct tracecmd_input * */
	GArray *streams;            /* owned, of struct trc_ftrace_stream */
};

/* NULL with BASE_ERROR_DATA, or BASE_ERROR_IO.  Used by one thread at a time. */
struct trc_ftrace_file *trc_ftrace_file_open(const char *path, GError **error);
void trc_ftrace_file_free(struct trc_ftrace_file *f);
/* The stream called NAME; NULL: there is none. */
const struct trc_ftrace_stream *trc_ftrace_file_stream(const struct trc_ftrace_file *f, const char *name);

#endif
