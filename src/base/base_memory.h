/* SPDX-License-Identifier: MIT */
/*
 * Lack of memory ends the program with one line and status 3; temporary files are removed and the terminal is
 * given back.  GLib would abort, and libraries that get NULL would each do something else.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <glib.h>

/* End the program, because there is no memory.  For any thread; does not return. */
_Noreturn void base_memory_out(void);

/* WORDS returns the line to end with instead, if the calling thread runs out of memory for a reason of its
 * own (a library that a trace makes ask for too much), else NULL.  It asks for no memory. */
void base_memory_blame(const char *(*words)(void));

/* Like g_thread_new(); if no thread can be made, the program ends in the same way. */
GThread *base_memory_thread(const char *name, GThreadFunc func, void *data);

#endif
