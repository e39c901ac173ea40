/* SPDX-License-Identifier: MIT */
/* The names of system calls by number and machine, for events that tell the number alone (raw_syscalls). */
#ifndef MDL_CALLS_H
#define MDL_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct mdl_calls;

/* The calls of MACHINE, as uname tells it ("x86_64"); WIDE: its kernel's longs have 64 bits.  NULL: unknown.
 * The caller frees (g_free()). */
struct mdl_calls *mdl_calls_new(const char *machine, bool wide);
/* Interned; NULL: no call has number NR, or C is NULL. */
const char *mdl_calls_name(const struct mdl_calls *c, int64_t nr);

#endif
