/* SPDX-License-Identifier: MIT */
/*
 * How it works: the experiment is opened with an empty folder in the place of all that is kept beside its
 * indexes (qry_set_aside()), and asked for each sort of latencies of which there is a file.  What is made
 * then is the same, byte by byte, unless the file is damaged, or was made with other clocks, which its
 * fingerprint tells.
 */
#include "app/app_verify_again.h"

#include "app/app_open.h"
#include "app/app_session.h"

#include "analysis/latency/latency.h"
#include "base/base_error.h"
#include "base/base_scratch.h"
#include "index/file/format.h"
#include "index/spans/spans.h"
#include "query/cases/kept.h"
#include "query/cases/spans.h"
#include "query/clock/sync.h"

#include <string.h>

struct again {
	struct qry *q;
	const char *aside;
	idx_verify_report report;
	uint64_t *findings;
};

/* True if a file is kept under NAME for the whole experiment. */
static bool is_kept(const struct again *a, const char *name)
{
	g_autofree char *beside = qry_beside_path(a->q), *path = idx_spans_beside(beside, name);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

static bool has_spans(const struct again *a, uint32_t host)
{
	g_autofree char *path = idx_spans_path(qry_host(a->q, host)->index_path);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* Make the spans of KIND; of one host they are of all kinds. */
static bool make_spans(const struct again *a, unsigned kind, GError **error)
{
	struct qry_spans spans;

	return qry_spans_open(a->q, (enum mdl_span_kind)kind, &spans, app_session_progress(), error);
}

static bool make_own_spans(const struct again *a, GError **error)
{
	char name[32];
	bool fine = true, any = qry_host_count(a->q) == 1 && has_spans(a, 0);

	if (any)
		fine = make_spans(a, 0, error);
	for (unsigned kind = 0; fine && qry_host_count(a->q) > 1 && kind < MDL_SPAN_KINDS; kind++) {
		g_snprintf(name, sizeof name, "spans %u", kind);
		fine = !is_kept(a, name) || make_spans(a, kind, error);
	}
	return fine;
}

/* A kind that the trace does not show has no kept file: that is no error. */
static bool make_kinds(const struct again *a, GError **error)
{
	const char *const *kinds = ana_latency_kinds();

	for (unsigned i = 0; kinds[i]; i++) {
		g_autoptr(GError) why = NULL;

		if (!is_kept(a, kinds[i]) || ana_latency_make(a->q, kinds[i], app_session_progress(), &why) ||
			g_error_matches(why, BASE_ERROR, BASE_ERROR_NO_ANSWER))
			continue;
		g_propagate_error(error, g_steal_pointer(&why));
		return false;
	}
	return true;
}

/* Bytes FROM to TO of A and B. */
static bool verify_again_same(const char *a, const char *b, gsize from, gsize to)
{
	return memcmp(a + from, b + from, to - from) == 0;
}

/* Hold the file at PATH against MADE, which is aside. */
static void verify_again_compare(const struct again *a, const char *path, const char *made)
{
	g_autofree char *kept = NULL, *fresh = NULL;
	gsize kept_size, fresh_size;

	if (!g_file_get_contents(path, &kept, &kept_size, NULL) ||
		!g_file_get_contents(made, &fresh, &fresh_size, NULL) || kept_size < IDX_HEADER_SIZE ||
		!verify_again_same(kept, fresh, 48, 80)) /* (It is of other clocks.) */
		return;
	if (kept_size == fresh_size && verify_again_same(kept, fresh, 0, kept_size))
		return;
	a->report((void *)(uintptr_t)path, "damaged: what the traces tell is something else");
	++*a->findings;
}

static void compare_all(const struct again *a)
{
	g_autofree char *beside = qry_beside_path(a->q), *folder = g_path_get_dirname(beside);
	GDir *dir = g_dir_open(a->aside, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL),
				*made = g_build_filename(a->aside, name, NULL);

		verify_again_compare(a, path, made);
	}
	if (dir)
		g_dir_close(dir);
}

bool app_verify_again(const struct app_args *args, char *const *paths, idx_verify_report report,
	uint64_t *findings, GError **error)
{
	struct ing_options options = { .index_dir = args->index_dir, .jobs = (unsigned)args->jobs };
	struct again a = { .aside = base_scratch_folder(error), .report = report, .findings = findings };
	struct app_clocks clocks = { .aside = a.aside };
	bool fine = false;

	if (a.aside)
		a.q = app_open(paths, &options, &clocks, app_session_progress(), error);
	if (a.q) {
		fine = make_own_spans(&a, error) && make_kinds(&a, error);
		compare_all(&a);
	}
	qry_free(a.q);
	if (a.aside)
		base_scratch_remove(a.aside);
	g_free((char *)(uintptr_t)a.aside);
	return fine;
}
