/* SPDX-License-Identifier: MIT */
/*
 * Lack of memory ends the program with one line and status 3, after it has removed temporary files and
 * restored the terminal.  GLib would abort, and each library would handle NULL in its own way.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <glib.h>

/* End the program because memory ran out.  For any thread; does not return. */
_Noreturn void base_memory_out(void);

/* If a thread asks for more than 1 GiB at once and does not get it, WORDS returns the line to end with instead,
 * or NULL: for a library that a trace makes ask for too much.  WORDS asks for no memory. */
void base_memory_blame(const char *(*words)(void));

/* Like g_thread_new(), but ends the program as above if no thread can be made. */
GThread *base_memory_thread(const char *name, GThreadFunc func, void *data);

#endif
