/* SPDX-License-Identifier: MIT */
#include "picture/pic_cairo.h"

#include "base/base_error.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#define LIBRARY "libcairo.so.2"

#define SYMBOL(name) { "cairo_" #name, offsetof(struct pic_cairo, name) },
static const struct {
	const char *name;
	size_t offset; /* in struct pic_cairo */
} symbols[] = { PIC_CAIRO(SYMBOL) };

/* What is wrong with the library; NULL nothing.  The caller frees. */
static char *load(struct pic_cairo *cairo)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library && i < G_N_ELEMENTS(symbols); i++) {
		void *function = dlsym(library, symbols[i].name);

		if (!function)
			return g_strdup(dlerror());
		memcpy((char *)cairo + symbols[i].offset, &function, sizeof function);
	}
	return library ? NULL : g_strdup(dlerror());
}

const struct pic_cairo *pic_cairo(GError **error)
{
	static struct pic_cairo cairo;
	static char *problem; /* kept */
	static gsize loaded;

	if (g_once_init_enter(&loaded)) {
		problem = load(&cairo);
		g_once_init_leave(&loaded, 1);
	}
	if (!problem)
		return &cairo;
	return base_error_null(error, BASE_ERROR_IO, "a picture needs cairo: install libcairo2 (%s)",
		problem);
}
