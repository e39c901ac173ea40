/* SPDX-License-Identifier: MIT */
/*
 * Lack of memory ends the program with one line and status 3; temporary files are removed and the terminal is
 * given back.  GLib would abort, and libraries that get NULL would each do something else.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <glib.h>

/* There is no memory.  May be called by any thread; does not return. */
_Noreturn void base_memory_out(void);

/* As g_thread_new(); where no thread can be made the program ends in the same way. */
GThread *base_memory_thread(const char *name, GThreadFunc func, void *data);

#endif
