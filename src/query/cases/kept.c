/* SPDX-License-Identifier: MIT */
#include "query/cases/kept.h"

#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_scratch.h"
#include "query/clock/clock.h"
#include "query/host/parts.h"
#include "query/cases/spans.h"
#include "query/clock/sync.h"
#include "sync/sync_hosts.h"

#include <string.h>
#include <xxhash.h>

/* ---- which file ---- */

static void add_clocks(XXH3_state_t *hash, const struct qry *q)
{
	const char **names = qry_sync_names(q);
	g_autoptr(GString) text = g_string_new(NULL);

	if (qry_clocks(q))
		sync_file_write(text, qry_clocks(q), names, NULL);
	XXH3_128bits_update(hash, text->str, text->len + 1);
	g_free(names);
}

void qry_kept_fingerprint(char *text, const struct qry *q, const struct qry_kept *kept)
{
	XXH3_state_t *hash = XXH3_createState();
	XXH128_hash_t found;

	XXH3_128bits_reset(hash);
	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		const struct qry_source *s = qry_source(q, i);
		uint64_t checksum = idx_reader_checksum(s->reader);

		XXH3_128bits_update(hash, s->host.meta->fingerprint, strlen(s->host.meta->fingerprint) + 1);
		XXH3_128bits_update(hash, &checksum, sizeof checksum);
	}
	add_clocks(hash, q);
	XXH3_128bits_update(hash, kept->name, strlen(kept->name) + 1);
	XXH3_128bits_update(hash, kept->key, strlen(kept->key));
	found = XXH3_128bits_digest(hash);
	g_snprintf(text, 33, "%016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x", (guint64)found.high64,
		(guint64)found.low64);
	XXH3_freeState(hash);
}

/* The cases of an outline are all of threads. */
static bool is_of_thread(const void *experiment, G_GNUC_UNUSED unsigned what, uint32_t host,
	const struct mdl_span *span)
{
	const struct qry *q = experiment;

	return q->rows[span->row].type == MDL_ROW_THREAD && q->rows[span->row].host == host;
}

static struct idx_spans_of of_file(struct qry *q, const struct qry_kept *kept, const char *fingerprint)
{
	return (struct idx_spans_of){ .fingerprint = fingerprint,
		.hosts = qry_host_count(q),
		.rows = qry_row_count(q),
		.holds = kept->holds || !kept->outline ? kept->holds : is_of_thread,
		.data = q,
		.what = kept->what };
}

/* Open the file PATH for KEPT. NULL with BASE_ERROR_STALE if it has spans and KEPT wants an outline, or the
 * reverse. Otherwise NULL with the error of idx_spans_open(). */
static struct idx_spans *kept_open_file(struct qry *q, const struct qry_kept *kept, const char *path,
	const char *fingerprint, GError **error)
{
	struct idx_spans_of of = of_file(q, kept, fingerprint);
	struct idx_spans *file = idx_spans_open(path, &of, error);

	if (!file || idx_spans_leaf_count(file) == 0 ||
		(idx_spans_is_outline(file) == kept->outline && !idx_spans_is_bare(file)))
		return file;
	g_set_error(error, BASE_ERROR, BASE_ERROR_STALE, "%s: it has other latencies", path);
	idx_spans_free(file);
	return NULL;
}

/* ---- making ---- */

/* Add SPAN, whose kind must be 0. */
static void kept_add(struct qry_kept *kept, uint32_t host, const struct mdl_span *span)
{
	if (kept->watch)
		kept->watch->found(kept->watch->data, host, span);
	idx_spans_writer_add(kept->writer, host, span,
		span->row != MDL_NONE && qry_is_tracer(kept->q, span->row),
		kept->class_of ? qry_class_at(kept->class_of, span->row, span->end) : MDL_SPAN_NO_CLASS);
}

/* Most spans have kind 0 already. Copying each one would take longer than everything else. */
void qry_kept_add(struct qry_kept *kept, uint32_t host, const struct mdl_span *span)
{
	struct mdl_span one;

	if (span->kind == 0) {
		kept_add(kept, host, span);
		return;
	}
	one = *span;
	one.kind = 0;
	kept_add(kept, host, &one);
}

uint64_t qry_kept_text(struct qry_kept *kept, const char *text)
{
	return idx_spans_writer_text(kept->writer, text);
}

void qry_kept_note(struct qry_kept *kept, const char *note)
{
	idx_spans_writer_note(kept->writer, note);
}

/* N files to open. Those with a path are missing and must be made. */
struct task {
	struct qry *q;
	struct qry_kept *kept;
	unsigned n;
	char (*fingerprints)[33];
	char **paths;
	qry_kept_maker *maker;
	void *data;
	struct base_progress *progress;
};

static bool kept_begin(const struct task *t, GError **error)
{
	for (unsigned i = 0; i < t->n; i++) {
		struct qry_kept *kept = &t->kept[i];

		if (!t->paths[i] || kept->file)
			continue;
		kept->q = t->q;
		kept->watch = t->n == 1 ? t->q->watch : NULL;
		kept->class_of = kept->classes ? qry_classes(t->q) : NULL;
		if (kept->watch)
			kept->watch->found(kept->watch->data, 0, NULL);
		kept->writer = idx_spans_writer_new(t->paths[i],
			kept->outline ? IDX_SPANS_OUTLINE : IDX_SPANS_FULL, error);
		if (!kept->writer)
			return false;
	}
	return true;
}

/* False with the error of the disk or of damaged input if there is one, in place of errors it causes. */
static bool kept_is_whole(const struct task *t, GError **error)
{
	const GError *failure = qry_damage(t->q);

	for (unsigned i = 0; i < t->n; i++)
		if (t->kept[i].writer && idx_spans_writer_error(t->kept[i].writer))
			failure = idx_spans_writer_error(t->kept[i].writer);
	if (!failure)
		return true;
	g_clear_error(error);
	g_propagate_error(error, g_error_copy(failure));
	return false;
}

static bool kept_finish(const struct task *t, GError **error)
{
	for (unsigned i = 0; i < t->n; i++) {
		struct idx_spans_of of = of_file(t->q, &t->kept[i], t->fingerprints[i]);

		if (t->kept[i].writer && !idx_spans_writer_finish(t->kept[i].writer, &of, error))
			return false;
		if (t->kept[i].writer)
			t->kept[i].file = kept_open_file(t->q, &t->kept[i], t->paths[i], t->fingerprints[i],
				error);
		if (!t->kept[i].file)
			return false;
	}
	return true;
}

static bool kept_make(const struct task *t, GError **error)
{
	bool fine = kept_begin(t, error);

	if (fine) {
		fine = t->maker(t->data, t->kept, t->progress, error);
		fine = kept_is_whole(t, error) && fine && kept_finish(t, error);
	}
	for (unsigned i = 0; i < t->n; i++)
		g_clear_pointer(&t->kept[i].writer, idx_spans_writer_free);
	return fine;
}

bool qry_kept_fails(const GError *problem)
{
	return g_error_matches(problem, BASE_ERROR, BASE_ERROR_IO) ||
		g_error_matches(problem, BASE_ERROR, BASE_ERROR_STALE);
}

void qry_kept_warn(struct qry *q, const GError *problem)
{
	g_autofree char *text = NULL;

	if (!g_error_matches(problem, BASE_ERROR, BASE_ERROR_IO))
		return;
	text = g_strdup_printf(
		"wakepath finds latencies and causes again each time, because it cannot store them: %s; "
		"make that folder writable, or choose another one with --index-dir",
		problem->message);
	qry_warn(q, text);
}

/* Make the files for this process alone. Open files need no names. */
static bool make_for_now(struct task *t, const GError *problem, GError **error)
{
	char *folder = base_scratch_folder(error);
	bool fine;

	if (!folder)
		return false;
	for (unsigned i = 0; i < t->n; i++) {
		if (!t->paths[i])
			continue;
		g_free(t->paths[i]);
		t->paths[i] = g_strdup_printf("%s/%u.wps", folder, i);
	}
	fine = kept_make(t, error);
	base_scratch_remove(folder);
	g_free(folder);
	if (fine)
		qry_kept_warn(t->q, problem);
	return fine;
}

/* ---- opening ---- */

static void kept_keep(struct qry *q, const char *fingerprint, struct idx_spans *file)
{
	if (!q->kept)
		q->kept = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
			(GDestroyNotify)idx_spans_free);
	g_hash_table_insert(q->kept, g_strdup(fingerprint), file);
}

/* Open the files that exist. Returns the number of missing ones. */
static unsigned kept_find(const struct task *t)
{
	g_autofree char *beside = qry_host_count(t->q) > 1 ? qry_sync_path(t->q)
							   : g_strdup(qry_host(t->q, 0)->index_path);
	unsigned missing = 0;

	for (unsigned i = 0; i < t->n; i++) {
		char *path = qry_aside(t->q, idx_spans_beside(beside, t->kept[i].name));

		qry_kept_fingerprint(t->fingerprints[i], t->q, &t->kept[i]);
		t->kept[i].file = t->q->kept ? g_hash_table_lookup(t->q->kept, t->fingerprints[i]) : NULL;
		if (t->kept[i].file) {
			g_free(path);
			continue;
		}
		t->kept[i].file = kept_open_file(t->q, &t->kept[i], path, t->fingerprints[i], NULL);
		if (t->kept[i].file) {
			kept_keep(t->q, t->fingerprints[i], t->kept[i].file);
			g_free(path);
			continue;
		}
		t->paths[i] = path;
		missing++;
	}
	return missing;
}

/* Give the files that were made to the experiment. If making failed, free them all. */
static void kept_settle(const struct task *t, bool fine)
{
	for (unsigned i = 0; i < t->n; i++) {
		if (t->paths[i] && fine)
			kept_keep(t->q, t->fingerprints[i], t->kept[i].file);
		else if (t->paths[i])
			g_clear_pointer(&t->kept[i].file, idx_spans_free);
		g_free(t->paths[i]);
	}
}

bool qry_kept_open(struct qry *q, struct qry_kept *kept, unsigned n, qry_kept_maker *maker, void *data,
	struct base_progress *progress, GError **error)
{
	struct task t = { q, kept, n, g_malloc0(n * sizeof *t.fingerprints), g_new0(char *, n), maker, data,
		progress };
	GError *problem = NULL;
	bool fine = kept_find(&t) == 0 || (maker && kept_make(&t, &problem));

	if (problem && qry_kept_fails(problem))
		fine = make_for_now(&t, problem, error);
	else if (problem)
		g_propagate_error(error, g_steal_pointer(&problem));
	g_clear_error(&problem);
	kept_settle(&t, fine);
	g_free(t.paths);
	g_free(t.fingerprints);
	return fine;
}

/* ---- other answers ---- */

const char *qry_kept_answer(struct qry *q, const char *name, const char *key)
{
	struct qry_kept kept = { .name = name, .key = key };

	return qry_kept_open(q, &kept, 1, NULL, NULL, NULL, NULL) ? idx_spans_note(kept.file) : NULL;
}

static bool note_answer(void *data, struct qry_kept *kept, G_GNUC_UNUSED struct base_progress *progress,
	G_GNUC_UNUSED GError **error)
{
	qry_kept_note(kept, data);
	return true;
}

void qry_keep_answer(struct qry *q, const char *name, const char *key, const char *text)
{
	struct qry_kept kept = { .name = name, .key = key };
	g_autofree char *copy = g_strdup(text);

	qry_kept_open(q, &kept, 1, note_answer, copy, NULL, NULL);
}

void qry_kept_close(struct qry *q)
{
	GHashTableIter iter;
	gpointer file;

	if (!q->kept)
		return;
	g_hash_table_iter_init(&iter, q->kept);
	while (g_hash_table_iter_next(&iter, NULL, &file))
		idx_spans_remove_damaged(file);
	g_clear_pointer(&q->kept, g_hash_table_unref);
}
