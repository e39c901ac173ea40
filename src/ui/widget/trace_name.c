/* SPDX-License-Identifier: MIT */
#include "ui/widget/trace_name.h"

#include "query/qry.h"

/* The folder that holds the trace of HOST; the caller frees. */
static char *parent_of(const struct qry *q, uint32_t host)
{
	return g_path_get_dirname(qry_host(q, host)->meta->path);
}

static bool has_parent(const struct qry *q, uint32_t host, const char *parent)
{
	g_autofree char *own = parent_of(q, host);

	return g_str_equal(own, parent);
}

/* The name of HOST's trace, or of the folder that holds those of several hosts, which stand together. */
static char *folder_name(const struct qry *q, uint32_t host)
{
	g_autofree char *name = g_path_get_basename(qry_host(q, host)->meta->path),
			*parent = parent_of(q, host);
	bool together = (host > 0 && has_parent(q, host - 1, parent)) ||
		(host + 1 < qry_host_count(q) && has_parent(q, host + 1, parent));

	/* "…/pipeline/kernel" says more with the folder above. */
	return together || g_str_equal(name, "kernel") ? g_path_get_basename(parent) : g_steal_pointer(&name);
}

char *trace_name_text(const struct qry *q)
{
	g_autofree char *first = folder_name(q, 0), *before = g_strdup(first);
	unsigned others = 0;

	for (uint32_t i = 1; i < qry_host_count(q); i++) {
		char *folder = folder_name(q, i);

		others += !g_str_equal(folder, first) && !g_str_equal(folder, before);
		g_free(before);
		before = folder;
	}
	return others ? g_strdup_printf("%s +%u", first, others) : g_steal_pointer(&first);
}
