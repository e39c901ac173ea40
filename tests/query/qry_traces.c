/* SPDX-License-Identifier: MIT */
#include "query/qry_traces.h"

#include "ingest/ing.h"

const char *const qry_traces[] = { "pipeline", "ioburst-ipi", "lockfight", "lost-events", "preempt",
	"rpc-chain", NULL };

static struct qry *open_all(GPtrArray *paths)
{
	GPtrArray *any = g_ptr_array_new();
	GError *error = NULL;
	struct qry *q;

	g_ptr_array_set_size(any, (gint)paths->len);
	q = qry_open(paths, any, &error);
	g_assert_no_error(error);
	g_ptr_array_unref(any);
	return q;
}

struct qry *qry_traces_open_indexes(const char *const *paths)
{
	GPtrArray *array = g_ptr_array_new();
	struct qry *q;

	for (; *paths; paths++)
		g_ptr_array_add(array, (gpointer)*paths);
	q = open_all(array);
	g_ptr_array_unref(array);
	return q;
}

struct qry *qry_traces_open(const char *name)
{
	char *trace = g_build_filename(g_getenv("SAMPLES"), name, NULL);
	struct qry *q = qry_traces_open_folder(trace);

	g_free(trace);
	return q;
}

struct qry *qry_traces_open_folder(const char *path)
{
	return qry_traces_open_reader(path, NULL);
}

struct qry *qry_traces_open_reader(const char *path, const char *reader)
{
	char *trace = g_strdup(path), *folder = g_build_filename(g_get_tmp_dir(), "query-index", NULL);
	GPtrArray *results, *paths = g_ptr_array_new();
	GError *error = NULL;
	struct qry *q;

	results = ing_prepare((char *[]){ trace, NULL },
		&(struct ing_options){ .index_dir = folder, .reader = reader, .jobs = 1 }, NULL, &error);
	g_assert_no_error(error);
	for (guint i = 0; i < results->len; i++)
		g_ptr_array_add(paths, ((struct ing_result *)g_ptr_array_index(results, i))->index);
	q = open_all(paths);
	for (guint i = 0; i < results->len; i++)
		qry_set_trace(q, i, ((struct ing_result *)g_ptr_array_index(results, i))->recording);
	g_ptr_array_unref(paths);
	g_ptr_array_unref(results);
	g_free(trace);
	g_free(folder);
	return q;
}
