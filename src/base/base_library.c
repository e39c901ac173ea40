/* SPDX-License-Identifier: MIT */
#include "base/base_library.h"

#include "base/base_error.h"
#include "base/base_memory.h"

#include <dlfcn.h>
#include <string.h>

/* The reason why L cannot be loaded; NULL: it is loaded. The caller frees. */
static char *library_load(const struct base_library *l)
{
	void *library = dlopen(l->file, RTLD_LAZY | RTLD_LOCAL);
	const char *why = library ? "" : dlerror();

	/* (dlopen() does not keep errno. The texts are those of glibc's elf/dl-load.c and
	 * elf/dl-map-segments.h.) */
	if (strstr(why, "failed to map segment") || strstr(why, "annot allocate memory"))
		base_memory_out();
	for (size_t i = 0; library && i < l->n_symbols; i++) {
		void *function = dlsym(library, l->symbols[i].name);

		if (!function)
			return g_strdup(dlerror());
		memcpy((char *)l->table + l->symbols[i].offset, &function, sizeof function);
	}
	return library ? NULL : g_strdup(why);
}

const void *base_library_need(struct base_library *l, const char *need, GError **error)
{
	if (g_once_init_enter(&l->loaded)) {
		l->problem = library_load(l);
		g_once_init_leave(&l->loaded, 1);
	}
	if (!l->problem)
		return l->table;
	return base_error_null(error, BASE_ERROR_IO, "%s (%s)", need, l->problem);
}
