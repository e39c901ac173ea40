/* SPDX-License-Identifier: MIT */
/*
 * Shared libraries that are loaded when they are first needed: with those that they bring they would take a
 * third of the time of a short command.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <glib.h>
#include <stddef.h>

/* A function, and where the pointer to it stands in the table that is filled. */
struct base_library_symbol {
	const char *name;
	size_t offset;
};

/* A library, static: the first three members and TABLE are its user's. */
struct base_library {
	const char *file; /* "libz.so.1" */
	const struct base_library_symbol *symbols;
	size_t n_symbols;
	void *table;
	char *problem; /* owned, kept: why it is not loaded */
	gsize loaded;  /* it was tried */
};

/* The table of L with all its functions, which is loaded for good; any thread may ask.  NULL with
 * BASE_ERROR_IO, "NEED (why not)": it cannot be loaded. */
const void *base_library_need(struct base_library *l, const char *need, GError **error);

#endif
