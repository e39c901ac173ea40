/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer target: any bytes as queries to a small trace.  A query that runs too long is cancelled, as by
 * Esc.
 */
#include "base/base_error.h"
#include "base/base_memory.h"
#include "base/base_progress.h"
#include "query/qry_traces.h"
#include "sql/sql.h"

#include <string.h>

#define MOMENT_US 10000
#define ROWS_MOST 200

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct qry *q;
static struct base_progress progress;
static gint64 began; /* µs; 0: no query runs */
static GMutex lock;

static void *watch(G_GNUC_UNUSED void *data)
{
	while (true) {
		g_usleep(MOMENT_US / 4);
		g_mutex_lock(&lock);
		if (began && g_get_monotonic_time() - began > MOMENT_US)
			base_progress_cancel(&progress);
		g_mutex_unlock(&lock);
	}
	return NULL;
}

int LLVMFuzzerInitialize(G_GNUC_UNUSED int *argc, G_GNUC_UNUSED char ***argv)
{
	q = qry_traces_open("offcpu-stacks");
	base_memory_thread("watch", watch, NULL);
	return 0;
}

static void set_began(gint64 time)
{
	g_mutex_lock(&lock);
	began = time;
	base_progress_init(&progress);
	g_mutex_unlock(&lock);
}

static void read_rows(struct sql_result *r, GError **error)
{
	uint64_t sum = 0;

	for (unsigned n = 0; n < ROWS_MOST && sql_result_next(r, error) > 0; n++)
		for (unsigned i = 0; i < sql_result_count(r); i++) {
			struct sql_value v = sql_result_value(r, i);

			g_assert_nonnull(sql_result_name(r, i));
			for (size_t k = 0; v.kind == SQL_TEXT && k < v.length; k++)
				sum += (unsigned char)v.text[k];
		}
	g_assert_cmpuint(sum, <, UINT64_MAX);
}

/* Check that ERROR has a message and is due to the query, the recording, or the time or memory of the
 * query. */
static void check_error(GError *error)
{
	g_assert_true(!error ||
		(*error->message &&
			(g_error_matches(error, BASE_ERROR, BASE_ERROR_USAGE) ||
				g_error_matches(error, BASE_ERROR, BASE_ERROR_NO_ANSWER) ||
				g_error_matches(error, BASE_ERROR, BASE_ERROR_REFUSED) ||
				g_error_matches(error, BASE_ERROR, BASE_ERROR_CANCELLED))));
	g_clear_error(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *all = g_strndup((const char *)data, MIN(size, 4096));
	const char *text = all;
	GError *error = NULL;
	struct sql *s;

	set_began(g_get_monotonic_time());
	s = sql_open(q, &progress, &error);
	g_assert_no_error(error);
	sql_set(s, "from", 0);
	sql_set(s, "utid", 1);
	for (unsigned n = 0; n < 4 && !error; n++) {
		struct sql_result *r = sql_result_new(s, all, &text, &error);

		if (!r)
			break;
		read_rows(r, &error);
		sql_result_free(r);
	}
	check_error(error);
	set_began(0);
	sql_free(s);
	return 0;
}
