/* SPDX-License-Identifier: MIT */
/*
 * Shared libraries that are loaded when they are first needed: with those that they bring they would take a
 * third of the time of a short command.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stddef.h>

/* A function, and where the pointer to it stands in the table that is filled. */
struct base_library_symbol {
	const char *name;
	size_t offset;
};

/* Load FILE ("libz.so.1") for good, and fill TABLE with the N SYMBOLS of it.  What is wrong, or NULL:
 * nothing; the caller frees. */
char *base_library_load(const char *file, const struct base_library_symbol *symbols, size_t n, void *table);

#endif
