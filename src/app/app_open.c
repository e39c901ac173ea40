/* SPDX-License-Identifier: MIT */
#include "app/app_open.h"

#include "analysis/latency/program.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "index/table/reader.h"
#include "ingest/ing.h"
#include "query/cases/spans.h"
#include "query/symbols/symbols.h"

/* Open the indexes that ing_prepare() named in RESULTS; readers in RESULTS are taken. */
static struct qry *open_indexes(const GPtrArray *results, GError **error)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new();
	g_autoptr(GPtrArray) fingerprints = g_ptr_array_new();
	g_autoptr(GPtrArray) readers = g_ptr_array_new_with_free_func((GDestroyNotify)idx_reader_free);
	uint32_t host = 0;
	struct qry *q;

	for (guint i = 0; i < results->len; i++) {
		struct ing_result *r = g_ptr_array_index(results, i);

		if (r->left_out)
			continue;
		g_ptr_array_add(paths, r->index);
		g_ptr_array_add(fingerprints, r->fingerprint);
		g_ptr_array_add(readers, g_steal_pointer(&r->reader));
	}
	q = qry_open_taking(paths, fingerprints, readers, error);
	if (q)
		qry_set_spans_maker(q, ing_spans_make);
	for (guint i = 0; q && i < results->len; i++) {
		const struct ing_result *r = g_ptr_array_index(results, i);
		g_autofree char *apart = r->apart ? base_text_clean(r->apart, -1) : NULL;

		if (r->left_out)
			continue;
		qry_set_trace(q, host++, r->recording);
		if (apart)
			qry_warn(q, apart);
	}
	return q;
}

struct qry *app_open_prepared(const GPtrArray *results, const struct ing_options *options,
	const struct app_clocks *clocks, struct base_progress *progress, GError **error)
{
	struct qry *q = open_indexes(results, error);

	if (q && !app_clocks_set(q, clocks, options->force, progress, error))
		g_clear_pointer(&q, qry_free);
	return q;
}

/* Prepare PATHS unless *RESULTS has what ing_prepare() returned, and open them.  Without an experiment,
 * *RESULTS is freed. */
static struct qry *prepare_and_open(char *const *paths, const struct ing_options *options,
	const struct app_clocks *clocks, struct base_progress *progress, GPtrArray **results, GError **error)
{
	struct ing_options opening = *options;
	struct qry *q = NULL;

	opening.opens = true;
	if (!*results)
		*results = ing_prepare(paths, &opening, progress, error);
	if (*results)
		q = app_open_prepared(*results, options, clocks, progress, error);
	if (!q)
		g_clear_pointer(results, g_ptr_array_unref);
	return q;
}

/* Add a warning if the trace of R was left out, or a note if its index was rebuilt. */
static void open_tell(struct qry *q, const struct ing_result *r)
{
	g_autofree char *text = r->left_out ? g_strdup_printf("%s is left out: %s", r->trace, r->left_out)
		: r->replaced               ? g_strdup_printf("%s; built again", r->reason)
					    : NULL,
			*clean = text ? base_text_clean(text, -1) : NULL;

	if (clean)
		(r->left_out ? qry_warn : qry_note)(q, clean);
}

/* If the indexes of TOLD are not kept, add a note with the reason, which they all share. */
static void tell_unkept(struct qry *q, const GPtrArray *told)
{
	const struct ing_result *r = NULL;
	g_autofree char *text = NULL, *clean = NULL;

	for (guint i = 0; !r && i < told->len; i++)
		if (((const struct ing_result *)g_ptr_array_index(told, i))->unkept)
			r = g_ptr_array_index(told, i);
	if (!r)
		return;
	text = g_strdup_printf(
		"%s; until then each run builds the index in a temporary folder, and removes it at its end",
		r->unkept);
	clean = base_text_clean(text, -1);
	qry_note(q, clean);
}

struct qry *app_open_looked(GPtrArray *looked, char *const *paths, const struct ing_options *options,
	const struct app_clocks *clocks, struct base_progress *progress, GError **error)
{
	struct ing_options again = *options;
	g_autoptr(GPtrArray) told = looked;
	GError *problem = NULL;
	struct qry *q = prepare_and_open(paths, options, clocks, progress, &told, &problem);

	/* The header is fresh, but the index is damaged: it is only a cache, rebuild it. */
	if (!q && g_error_matches(problem, BASE_ERROR, BASE_ERROR_STALE)) {
		g_clear_error(&problem);
		again.force = true;
		q = prepare_and_open(paths, &again, clocks, progress, &told, &problem);
	}
	if (!q)
		g_propagate_error(error, problem);
	if (q)
		tell_unkept(q, told);
	for (guint i = 0; q && i < told->len; i++)
		open_tell(q, g_ptr_array_index(told, i));
	return q;
}

struct qry *app_open(char *const *paths, const struct ing_options *options, const struct app_clocks *clocks,
	struct base_progress *progress, GError **error)
{
	return app_open_looked(NULL, paths, options, clocks, progress, error);
}

bool app_open_symbols(struct qry *q, const struct app_args *args, struct base_progress *progress,
	GError **error)
{
	ana_program_declare(q, args->declared);
	return ana_program_prepare(q, progress, error) &&
		(!args->kallsyms || qry_set_kallsyms(q, args->kallsyms, error)) &&
		(!args->symfs || qry_set_symfs(q, args->symfs, error));
}
