/* SPDX-License-Identifier: MIT */
/* What the head of a trace.dat says that libtracecmd keeps to itself. */
#ifndef TRC_FTRACE_OPTIONS_H
#define TRC_FTRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct trc_ftrace_options {
	char *clock; /* the trace clock: "local", "mono"; "" not told; owned */
	char *uname; /* as "uname -a" says; "" not told; owned */
};

/* Does the file PATH begin as a trace.dat does? */
bool trc_ftrace_options_detect(const char *path);
/* What PATH says, as far as it can be read; hostile. */
struct trc_ftrace_options trc_ftrace_options_read(const char *path);
void trc_ftrace_options_clear(struct trc_ftrace_options *options);

#endif
