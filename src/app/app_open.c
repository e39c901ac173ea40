/* SPDX-License-Identifier: MIT */
#include "app/app_open.h"

#include "base/base_error.h"
#include "base/base_text.h"

/* Open the indexes that ing_prepare() named in RESULTS. */
static struct qry *open_indexes(const GPtrArray *results, GError **error)
{
	GPtrArray *paths = g_ptr_array_new();
	GPtrArray *fingerprints = g_ptr_array_new();
	uint32_t host = 0;
	struct qry *q;

	for (guint i = 0; i < results->len; i++) {
		const struct ing_result *r = g_ptr_array_index(results, i);

		if (r->left_out)
			continue;
		g_ptr_array_add(paths, r->index);
		g_ptr_array_add(fingerprints, r->fingerprint);
	}
	q = qry_open(paths, fingerprints, error);
	for (guint i = 0; q && i < results->len; i++) {
		const struct ing_result *r = g_ptr_array_index(results, i);

		if (!r->left_out)
			qry_set_trace(q, host++, r->trace);
	}
	g_ptr_array_unref(paths);
	g_ptr_array_unref(fingerprints);
	return q;
}

struct qry *app_open_prepared(const GPtrArray *results, const struct ing_options *options, const struct app_clocks *clocks,
			      struct base_progress *progress, GError **error)
{
	struct qry *q = open_indexes(results, error);

	if (q && !app_clocks_set(q, clocks, options->force, progress, error))
		g_clear_pointer(&q, qry_free);
	return q;
}

static struct qry *prepare_and_open(char *const *paths, const struct ing_options *options, const struct app_clocks *clocks,
				    struct base_progress *progress, GPtrArray **results, GError **error)
{
	GPtrArray *prepared = ing_prepare(paths, options, progress, error);
	struct qry *q = prepared ? app_open_prepared(prepared, options, clocks, progress, error) : NULL;

	if (q && results)
		*results = g_steal_pointer(&prepared);
	if (prepared)
		g_ptr_array_unref(prepared);
	return q;
}

struct qry *app_open(char *const *paths, const struct ing_options *options, const struct app_clocks *clocks, struct base_progress *progress,
		     GPtrArray **results, GError **error)
{
	struct ing_options again = *options;
	GError *problem = NULL;
	struct qry *q = prepare_and_open(paths, options, clocks, progress, results, &problem);

	/* Fresh by its header, damaged further in: the index is no more than a cache, build it anew. */
	if (!q && g_error_matches(problem, BASE_ERROR, BASE_ERROR_STALE)) {
		g_clear_error(&problem);
		again.force = TRUE;
		q = prepare_and_open(paths, &again, clocks, progress, results, &problem);
	}
	if (!q)
		g_propagate_error(error, problem);
	return q;
}

char *app_open_unkept(const struct ing_result *r)
{
	char *text, *clean;

	if (!r->unkept)
		return NULL;
	text = g_strdup_printf("%s; until then the index is built in a temporary folder each time, and removed at the end", r->unkept);
	clean = base_text_clean(text, -1);
	g_free(text);
	return clean;
}

char *app_open_replaced(const struct ing_result *r)
{
	char *text, *clean;

	if (!r->replaced)
		return NULL;
	text = g_strdup_printf("%s; built again", r->reason);
	clean = base_text_clean(text, -1);
	g_free(text);
	return clean;
}
