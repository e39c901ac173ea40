/* SPDX-License-Identifier: MIT */
/* The names of system calls by number and machine, for events that have only the number (raw_syscalls). */
#ifndef MDL_CALLS_H
#define MDL_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct mdl_calls;

/* The calls of MACHINE, as uname -m prints it ("x86_64"). WIDE: longs of its kernel have 64 bits. NULL:
 * unknown machine. The caller frees with g_free(). */
struct mdl_calls *mdl_calls_new(const char *machine, bool wide);
/* The name of call NR, interned; NULL if no call has this number, or C is NULL. */
const char *mdl_calls_name(const struct mdl_calls *c, int64_t nr);

#endif
