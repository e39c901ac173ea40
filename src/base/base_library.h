/* SPDX-License-Identifier: MIT */
/* Shared libraries that are loaded on first use: loading them and their dependencies at start would take a
 * third of the time of a short command. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <glib.h>
#include <stddef.h>

/* A function, and the offset of its pointer in the table. */
struct base_library_symbol {
	const char *name;
	size_t offset;
};

/* A library, in static storage.  The user fills in the first three members and TABLE. */
struct base_library {
	const char *file; /* "libz.so.1" */
	const struct base_library_symbol *symbols;
	size_t n_symbols;
	void *table;
	char *problem; /* owned, never freed: why the library is not loaded; NULL: it is loaded */
	gsize loaded;  /* set once loading was tried */
};

/* Return the table of L with all function pointers.  Loads the library once and never unloads it; any thread
 * may call.  NULL with BASE_ERROR_IO and the message "NEED (reason)" if it cannot be loaded. */
const void *base_library_need(struct base_library *l, const char *need, GError **error);

#endif
