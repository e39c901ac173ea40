/* SPDX-License-Identifier: MIT */
/* Where files of latencies are, and whose. */
#include "index/file/format.h"
#include "base/base_io.h"
#include "base/base_search.h"
#include "index/spans/spans.h"

#include <glib/gstdio.h>
#include <string.h>
#include <xxhash.h>

/* FILE without its end. */
static char *stem_of(const char *file)
{
	const char *end = strrchr(file, '.');

	return end && !strchr(end, '/') ? g_strndup(file, (gsize)(end - file)) : g_strdup(file);
}

char *idx_spans_path(const char *index)
{
	g_autofree char *stem = stem_of(index);

	return g_strconcat(stem, ".wps", NULL);
}

char *idx_spans_beside(const char *file, const char *name)
{
	g_autofree char *stem = stem_of(file);
	char *path = g_strdup_printf("%s-%016" G_GINT64_MODIFIER "x.wps", stem,
		(guint64)XXH3_64bits(name, strlen(name)));

	return path;
}

GPtrArray *idx_spans_all_beside(const char *file)
{
	GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
	char *stem = stem_of(file), *folder = g_path_get_dirname(file), *base = g_path_get_basename(stem);
	size_t length = strlen(base), whole = length + strlen("-0123456789abcdef.wps");
	g_autoptr(GPtrArray) names = base_io_names(folder);

	for (guint i = 0; names && i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);

		if (g_str_has_prefix(name, base) && name[length] == '-' && g_str_has_suffix(name, ".wps") &&
			strlen(name) == whole)
			g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
	}
	g_ptr_array_sort(paths, base_search_by_text);
	g_free(base);
	g_free(folder);
	g_free(stem);
	return paths;
}

void idx_spans_remove_beside(const char *file)
{
	g_autoptr(GPtrArray) paths = idx_spans_all_beside(file);

	for (guint i = 0; i < paths->len; i++)
		g_unlink(g_ptr_array_index(paths, i));
}

uint64_t idx_spans_hash(uint32_t id, const struct mdl_row *row)
{
	uint8_t bytes[32];

	idx_put64(bytes, id);
	idx_put64(bytes + 8, row->type);
	idx_put64(bytes + 16, (uint64_t)row->nr);
	idx_put64(bytes + 24, (uint64_t)row->first);
	return XXH3_64bits(bytes, sizeof bytes);
}
