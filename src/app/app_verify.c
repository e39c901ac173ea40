/* SPDX-License-Identifier: MIT */
/*
 * What is there is checked as it is, before anything is built.  Where a trace has
 * no index yet, one is built and checked then.
 */
#include "app/app_command.h"
#include "app/app_progress.h"
#include "app/app_session.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "index/idx_verify.h"
#include "ingest/ing.h"
#include "ingest/ing_place.h"
#include "trace/trc_reader.h"

#include <inttypes.h>
#include <stdio.h>

struct verify {
	const struct app_args *args;
	char *folder;		/* of the indexes; owned */
	uint64_t findings;
};

/* "PATH: text" on standard output. */
static void say(const char *path, const char *text)
{
	char *line = g_strdup_printf("%s: %s", path, text);
	char *clean = base_text_clean(line, -1);

	printf("%s\n", clean);
	g_free(clean);
	g_free(line);
}

static void report(void *path, const char *finding)
{
	say(path, finding);
}

static void verify_file(struct verify *v, const char *path, const char *fingerprint)
{
	struct idx_verify_totals totals;
	char *summary;

	if (idx_verify(path, fingerprint, report, (void *)path, &totals)) {
		summary = g_strdup_printf("intact: %" PRIu64 " bytes, %" PRIu64 " blocks, %" PRIu64 " intervals, %" PRIu64 " wake-ups, %" PRIu64 " causes, "
					  "%" PRIu64 " packets, %" PRIu64 " packets of the net",
					  totals.bytes, totals.blocks, totals.intervals, totals.wakeups, totals.causes, totals.packets, totals.transfers);
		say(path, summary);
		g_free(summary);
	}
	v->findings += totals.findings;
}

/* Check the index of TRACE when there is one, else add its path to MISSING. */
static bool verify_trace(struct verify *v, const char *trace, GPtrArray *missing, GError **error)
{
	char *path = ing_place_file(v->folder, trace), *fingerprint;

	if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
		g_ptr_array_add(missing, path);
		return true;
	}
	fingerprint = trc_fingerprint(trace, error);
	if (fingerprint)
		verify_file(v, path, fingerprint);
	g_free(path);
	g_free(fingerprint);
	return fingerprint != NULL;
}

/* Build what is missing below FOLDER, and check those of MISSING that are there then. */
static bool build_and_verify(struct verify *v, char *folder, const GPtrArray *missing, GError **error)
{
	char *const paths[] = { folder, NULL };
	struct ing_options options = { .index_dir = v->args->index_dir, .jobs = (unsigned)v->args->jobs };
	struct app_progress *shown = app_progress_new(app_session_progress(), FALSE);
	GPtrArray *results = ing_prepare(paths, &options, app_session_progress(), error);

	app_progress_free(shown);
	for (guint i = 0; results && i < results->len; i++) {
		const struct ing_result *r = g_ptr_array_index(results, i);

		if (!r->left_out && g_ptr_array_find_with_equal_func((GPtrArray *)missing, r->index, g_str_equal, NULL))
			verify_file(v, r->index, r->fingerprint);
	}
	if (results)
		g_ptr_array_unref(results);
	return results != NULL;
}

/* All traces below FOLDER. */
static bool verify_folder(struct verify *v, char *folder, GError **error)
{
	GPtrArray *traces = trc_find(folder, error);
	GPtrArray *missing = g_ptr_array_new_with_free_func(g_free);
	bool ok = traces != NULL;

	for (guint i = 0; ok && i < traces->len; i++)
		ok = verify_trace(v, g_ptr_array_index(traces, i), missing, error);
	if (ok && missing->len)
		ok = build_and_verify(v, folder, missing, error);
	g_ptr_array_unref(missing);
	if (traces)
		g_ptr_array_unref(traces);
	return ok;
}

static bool run(const struct app_args *args, GError **error)
{
	struct verify v = { .args = args, .folder = ing_place_folder(args->index_dir) };
	bool ok = true;

	for (char **p = args->traces; ok && *p; p++) {
		if (g_file_test(*p, G_FILE_TEST_IS_REGULAR))
			verify_file(&v, *p, NULL);
		else
			ok = verify_folder(&v, *p, error);
	}
	g_free(v.folder);
	if (ok && v.findings) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			    "%" PRIu64 " findings: nothing but the index is harmed; type \"wakepath index --force TRACE\" to build it again",
			    v.findings);
		ok = false;
	}
	return ok;
}

const struct app_command app_verify = {
	.name = "verify",
	.operands = "TRACE... | INDEXFILE",
	.summary = "Check every block of an index.",
	.options = 0,
	.run = run,
};
