/* SPDX-License-Identifier: MIT */
/*
 * How it works: existing files are checked before anything is built.  If a trace has no index yet, one is
 * built and then checked.  The packets between hosts are checked if they were kept.
 */
#include "app/app_args.h"
#include "app/app_open.h"
#include "app/app_session.h"

#include "analysis/latency/latency.h"
#include "base/base_error.h"
#include "base/base_scratch.h"
#include "base/base_text.h"
#include "index/file/format.h"
#include "index/file/map.h"
#include "index/pairs/pairs.h"
#include "index/spans/spans.h"
#include "index/verify/verify.h"
#include "fleet/flt_fleet.h"
#include "ingest/ing.h"
#include "query/cases/kept.h"
#include "query/cases/spans.h"
#include "query/clock/sync.h"
#include "trace/core/trc_folders.h"
#include "trace/trc_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct verify {
	const struct app_args *args;
	char *folder;       /* the index folder; owned */
	GPtrArray *indexes; /* of char *: the indexes of all traces, in the order of the experiment; owned */
	GPtrArray *folders; /* of char **: the traces' folders, in the same order; owned */
	uint64_t findings;
};

/* Print "PATH: TEXT" on standard output. */
static void verify_say(const char *path, const char *text)
{
	g_autofree char *line = g_strdup_printf("%s: %s", path, text);
	g_autofree char *clean = base_text_clean(line, -1);

	printf("%s\n", clean);
}

static void report(void *path, const char *finding)
{
	verify_say(path, finding);
}

/* Count the findings in PATH; if it is FINE, print that it is intact, with SUMMARY (taken). */
static void conclude(struct verify *v, const char *path, const struct idx_verify_totals *totals, bool fine,
	char *summary)
{
	g_autofree char *line = g_strdup_printf("intact: %" PRIu64 " bytes, %" PRIu64 " block%s, %s",
		totals->bytes, totals->blocks, base_text_s(totals->blocks), summary);

	if (fine)
		verify_say(path, line);
	v->findings += totals->findings;
	g_free(summary);
}

/* Check the file of packets PATH.  READERS, N of them: the indexes that it belongs to; NULL: unknown. */
static void verify_pairs(struct verify *v, const char *path, struct idx_reader *const *readers, uint32_t n)
{
	struct idx_verify_totals totals;
	bool fine = idx_verify_pairs(path, readers, n, report, (void *)path, &totals);

	conclude(v, path, &totals, fine,
		g_strdup_printf("%" PRIu64 " packet%s between hosts", totals.pairs,
			base_text_s(totals.pairs)));
}

/* Check the file of latencies PATH.  INDEX: the index that it belongs to; NULL: unknown. */
static void verify_spans(struct verify *v, const char *path, struct idx_reader *index)
{
	struct idx_verify_totals totals;
	bool fine = idx_spans_verify(path, index, report, (void *)path, &totals);

	conclude(v, path, &totals, fine,
		g_strdup_printf("%" PRIu64 " %s", totals.spans, totals.spans == 1 ? "latency" : "latencies"));
}

/* Check the summary PATH. */
static void verify_summary(struct verify *v, const char *path)
{
	g_autoptr(GError) why = NULL;
	struct flt_summary *s = flt_summary_read(path, NULL, FLT_ALL, &why);

	if (s) {
		g_autofree char *text = g_strdup_printf("whole: summary of %s, %u kinds, %u causes", s->host,
			s->kinds->len, s->causes->len);

		verify_say(path, text);
	} else {
		verify_say(path, why->message);
		v->findings++;
	}
	flt_summary_free(s);
}

/* Check the files of latencies beside the file PATH. */
static void verify_kept(struct verify *v, const char *path)
{
	g_autoptr(GPtrArray) paths = idx_spans_all_beside(path);

	for (guint i = 0; i < paths->len; i++)
		verify_spans(v, g_ptr_array_index(paths, i), NULL);
}

/* Check the files beside INDEX; its spans only if INDEX can be read. */
static void verify_beside(struct verify *v, const char *index)
{
	g_autofree char *path = idx_spans_path(index), *summary = flt_summary_path(index);
	struct idx_reader *r = g_file_test(path, G_FILE_TEST_EXISTS) ? idx_reader_open(index, NULL, NULL)
								     : NULL;

	if (r)
		verify_spans(v, path, r);
	verify_kept(v, index);
	if (g_file_test(summary, G_FILE_TEST_EXISTS))
		verify_summary(v, summary);
	idx_reader_free(r);
}

/* Check the kept packets between the hosts, if any; against the indexes only if all indexes can be read. */
static void verify_exchanged(struct verify *v)
{
	g_autofree char *path = idx_pairs_path(v->indexes);
	g_autoptr(GPtrArray) readers = g_ptr_array_new_with_free_func((GDestroyNotify)idx_reader_free);

	for (guint i = 0; i < v->indexes->len; i++) {
		struct idx_reader *r = idx_reader_open(g_ptr_array_index(v->indexes, i), NULL, NULL);

		if (r)
			g_ptr_array_add(readers, r);
	}
	if (g_file_test(path, G_FILE_TEST_EXISTS))
		verify_pairs(v, path,
			readers->len == v->indexes->len ? (struct idx_reader *const *)(void *)readers->pdata
							: NULL,
			readers->len);
	verify_kept(v, path);
}

static void verify_file(struct verify *v, const char *path, const char *fingerprint)
{
	struct idx_verify_totals t;
	bool fine = idx_verify(path, fingerprint, report, (void *)path, &t);

	conclude(v, path, &t, fine,
		g_strdup_printf("%" PRIu64 " interval%s, %" PRIu64 " wake-up%s, %" PRIu64 " cause%s, "
				"%" PRIu64 " packet%s, %" PRIu64 " packet%s of the net",
			t.intervals, base_text_s(t.intervals), t.wakeups, base_text_s(t.wakeups), t.causes,
			base_text_s(t.causes), t.packets, base_text_s(t.packets), t.transfers,
			base_text_s(t.transfers)));
}

/* Check the index of RECORDING; if there is none, add its path to MISSING.  False with an error. */
static bool verify_trace(struct verify *v, const struct trc_recording *recording, GPtrArray *missing,
	GError **error)
{
	char *path = ing_place_file(v->folder, recording->folders), *fingerprint;

	if (!g_ptr_array_find_with_equal_func(v->indexes, path, g_str_equal, NULL)) {
		g_ptr_array_add(v->indexes, g_strdup(path));
		g_ptr_array_add(v->folders, g_strdupv(recording->folders));
	}
	if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
		g_ptr_array_add(missing, path);
		return true;
	}
	fingerprint = trc_fingerprint(recording, error);
	if (fingerprint)
		verify_file(v, path, fingerprint);
	g_free(path);
	g_free(fingerprint);
	return fingerprint;
}

/* Remove the trace in FOLDERS from V: it is not part of the experiment. */
static void forget_index(struct verify *v, char *const *folders)
{
	g_autofree char *path = ing_place_file(v->folder, folders);
	guint at;

	if (g_ptr_array_find_with_equal_func(v->indexes, path, g_str_equal, &at)) {
		g_ptr_array_remove_index(v->indexes, at);
		g_ptr_array_remove_index(v->folders, at);
	}
}

/* Build the missing indexes of the traces below PATHS, and check those in MISSING.  False with an error. */
static bool build_and_verify(struct verify *v, char *const *paths, const GPtrArray *missing, GError **error)
{
	struct ing_options options = { .index_dir = v->args->index_dir, .jobs = (unsigned)v->args->jobs };
	struct app_progress *shown = app_progress_new(app_session_progress(), false);
	GPtrArray *results = ing_prepare(paths, &options, app_session_progress(), error);
	g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);

	app_progress_free(shown);
	for (guint i = 0; results && i < results->len; i++) {
		const struct ing_result *r = g_ptr_array_index(results, i);

		if (r->left_out) {
			g_ptr_array_add(warnings,
				g_strdup_printf("%s is left out: %s", r->trace, r->left_out));
			forget_index(v, r->recording->folders);
		} else if (g_ptr_array_find_with_equal_func((GPtrArray *)missing, r->index, g_str_equal,
				   NULL))
			verify_file(v, r->index, r->fingerprint);
	}
	app_session_warn_all(warnings);
	if (results)
		g_ptr_array_unref(results);
	return results;
}

/* Check the indexes of all traces below PATHS.  False with an error. */
static bool verify_traces(struct verify *v, char *const *paths, GError **error)
{
	g_autoptr(GPtrArray) traces = trc_find(paths, app_session_progress(), error);
	g_autoptr(GPtrArray) missing = g_ptr_array_new_with_free_func(g_free);
	bool ok = traces;

	for (guint i = 0; ok && i < traces->len; i++)
		ok = verify_trace(v, g_ptr_array_index(traces, i), missing, error);
	if (ok && missing->len)
		ok = build_and_verify(v, paths, missing, error);
	return ok;
}

/*
 * ---- files kept beside indexes, made again ----
 *
 * The experiment is opened with an empty folder in place of the files beside its indexes (qry_set_aside()),
 * and each kind of latency that has a file is measured again.  The new files are equal byte by byte, unless a
 * file is damaged, or was made with other clocks; then its fingerprint differs.
 */

struct again {
	struct verify *v;
	struct qry *q;
	char *aside; /* the folder for the new files */
};

/* True if the file NAME is kept beside the experiment. */
static bool is_kept(const struct again *a, const char *name)
{
	g_autofree char *beside = qry_beside_path(a->q), *path = idx_spans_beside(beside, name);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* Make the spans of KIND; for a single host this makes all kinds. */
static bool make_spans(const struct again *a, unsigned kind, GError **error)
{
	struct qry_spans spans;

	return qry_spans_open(a->q, (enum mdl_span_kind)kind, &spans, app_session_progress(), error);
}

static bool make_own_spans(const struct again *a, GError **error)
{
	g_autofree char *path = idx_spans_path(qry_host(a->q, 0)->index_path);
	char name[32];
	bool fine = true;

	if (qry_host_count(a->q) == 1)
		return !g_file_test(path, G_FILE_TEST_EXISTS) || make_spans(a, 0, error);
	for (unsigned kind = 0; fine && kind < MDL_SPAN_KINDS; kind++) {
		g_snprintf(name, sizeof name, "spans %u", kind);
		fine = !is_kept(a, name) || make_spans(a, kind, error);
	}
	return fine;
}

/* Make the kept latencies again.  A kind without an answer in this trace is not an error. */
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

/* Make the summary of the only host, if there is one beside its index. */
static bool make_summary(const struct again *a, GError **error)
{
	g_autofree char *path = flt_summary_path(qry_host(a->q, 0)->index_path),
			*name = g_path_get_basename(path), *made = g_build_filename(a->aside, name, NULL),
			*fingerprint = flt_summary_fingerprint(a->q);
	struct flt_summary *s;
	bool fine;

	if (qry_host_count(a->q) > 1 || !g_file_test(path, G_FILE_TEST_EXISTS))
		return true;
	s = flt_summary_make(a->q, app_session_progress(), error);
	fine = s && flt_summary_write(s, made, fingerprint, error);
	flt_summary_free(s);
	return fine;
}

/* True if PATH has the same spans as MADE, but no statistics, because nobody has asked for these yet. */
static bool is_bare_of(const char *path, const char *made)
{
	struct idx_spans *kept = idx_spans_open(path, NULL, NULL), *fresh = idx_spans_open(made, NULL, NULL);
	bool is = kept && fresh && idx_spans_is_bare(kept) && idx_spans_are_alike(kept, fresh);

	idx_spans_free(kept);
	idx_spans_free(fresh);
	return is;
}

/* Compare the kept file PATH with MADE, and report a difference. */
static void verify_again_compare(const struct again *a, const char *path, const char *made)
{
	g_autofree char *kept = NULL, *fresh = NULL;
	gsize kept_size, fresh_size;

	if (!g_file_get_contents(path, &kept, &kept_size, NULL) ||
		!g_file_get_contents(made, &fresh, &fresh_size, NULL) || kept_size < IDX_HEADER_SIZE ||
		memcmp(kept + 48, fresh + 48, 80 - 48) != 0) /* the fingerprint is that of other clocks */
		return;
	if ((kept_size == fresh_size && memcmp(kept, fresh, kept_size) == 0) || is_bare_of(path, made))
		return;
	verify_say(path, "damaged: the traces give other values");
	a->v->findings++;
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

/* Make again the files beside the indexes of the experiment PATHS, and report each that differs.  Skips files
 * of other clocks and of the user's rules. */
static bool make_again(struct verify *v, char *const *paths, GError **error)
{
	struct ing_options options = { .index_dir = v->args->index_dir, .jobs = (unsigned)v->args->jobs };
	struct again a = { .v = v, .aside = base_scratch_folder(error) };
	struct app_clocks clocks = { .aside = a.aside };
	bool fine = false;

	if (a.aside)
		a.q = app_open(paths, &options, &clocks, app_session_progress(), error);
	if (a.q) {
		fine = make_own_spans(&a, error) && make_kinds(&a, error) && make_summary(&a, error);
		compare_all(&a);
	}
	qry_free(a.q);
	if (a.aside)
		base_scratch_remove(a.aside);
	g_free(a.aside);
	return fine;
}

/* Make again the files beside intact indexes: those of each trace, and those of all traces together. */
static bool verify_again(struct verify *v, char *const *paths, GError **error)
{
	g_autofree char *exchanged = v->indexes->len > 1 ? idx_pairs_path(v->indexes) : NULL;
	bool ok = true;

	for (guint i = 0; ok && i < v->folders->len; i++) {
		const char *index = g_ptr_array_index(v->indexes, i);
		g_autoptr(GPtrArray) beside = idx_spans_all_beside(index);
		g_autofree char *own = idx_spans_path(index);

		if (beside->len > 0 || g_file_test(own, G_FILE_TEST_EXISTS))
			ok = make_again(v, g_ptr_array_index(v->folders, i), error);
	}
	return ok &&
		(!exchanged || !g_file_test(exchanged, G_FILE_TEST_EXISTS) || make_again(v, paths, error));
}

/* Check PATH if it is a file of wakepath by its first bytes or, if these are damaged, by its name.  False: it
 * is a trace or an unknown file. */
static bool verify_named(struct verify *v, const char *path)
{
	if (!g_file_test(path, G_FILE_TEST_IS_REGULAR) || trc_find_is(path))
		return false;
	if (idx_map_is(path, &idx_map_pairs))
		verify_pairs(v, path, NULL, 0);
	else if (idx_map_is(path, &idx_map_spans))
		verify_spans(v, path, NULL);
	else if (flt_sources_is_summary(path))
		verify_summary(v, path);
	else if (idx_map_is(path, &idx_map_index) || g_str_has_suffix(path, ".wpi") ||
		g_str_has_suffix(path, ".wps") || g_str_has_suffix(path, ".wpx"))
		verify_file(v, path, NULL);
	else
		return false;
	return true;
}

static bool verify_run(const struct app_args *args, GError **error)
{
	struct verify v = { .args = args,
		.folder = ing_place_folder(args->index_dir),
		.indexes = g_ptr_array_new_with_free_func(g_free),
		.folders = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev) };
	g_autoptr(GPtrArray) traces = g_ptr_array_new();
	bool ok;

	for (char **p = args->traces; *p; p++)
		if (!verify_named(&v, *p))
			g_ptr_array_add(traces, *p);
	g_ptr_array_add(traces, NULL);
	ok = traces->len == 1 || verify_traces(&v, (char *const *)traces->pdata, error);
	for (guint i = 0; ok && i < v.indexes->len; i++)
		verify_beside(&v, g_ptr_array_index(v.indexes, i));
	if (ok && v.indexes->len > 1)
		verify_exchanged(&v);
	if (ok && !v.findings)
		ok = verify_again(&v, (char *const *)traces->pdata, error);
	g_ptr_array_unref(v.indexes);
	g_ptr_array_unref(v.folders);
	g_free(v.folder);
	if (ok && v.findings)
		ok = base_error_false(error, BASE_ERROR_DATA,
			"%" PRIu64
			" finding%s: only the index is damaged; type \"wakepath index --force TRACE\" to build it again",
			v.findings, base_text_s(v.findings));
	return ok;
}

const struct app_command app_verify = {
	.name = "verify",
	.operands = "TRACE... | INDEXFILE",
	.summary = "Check every block of the indexes and of the files kept with them.",
	.examples = "  wakepath verify sample-traces/pipeline\n",
	.options = 0,
	.run = verify_run,
};
