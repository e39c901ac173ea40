/* SPDX-License-Identifier: MIT */
/* Names of the kernel's functions, from a copy of its /proc/kallsyms. */
#ifndef ANA_SYMBOLS_H
#define ANA_SYMBOLS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct ana_symbols;

/* From the file PATH, which may be compressed by gzip.  NULL with BASE_ERROR_IO or _DATA: it cannot be read,
 * names no functions, or hides their addresses. */
struct ana_symbols *ana_symbols_new(const char *path, GError **error);
void ana_symbols_free(struct ana_symbols *symbols);

/* The function at ADDRESS, "ext4_sync_file", and where it is of a module that, "ring_buffer
 * [lttng_ring_buffer]"; NULL: in none, or SYMBOLS is NULL.  Owned by SYMBOLS. */
const char *ana_symbols_name(const struct ana_symbols *symbols, uint64_t address);

#endif
