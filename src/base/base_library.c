/* SPDX-License-Identifier: MIT */
#include "base/base_library.h"

#include <dlfcn.h>
#include <glib.h>
#include <string.h>

char *base_library_load(const char *file, const struct base_library_symbol *symbols, size_t n, void *table)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library && i < n; i++) {
		void *function = dlsym(library, symbols[i].name);

		if (!function)
			return g_strdup(dlerror());
		memcpy((char *)table + symbols[i].offset, &function, sizeof function);
	}
	return library ? NULL : g_strdup(dlerror());
}
