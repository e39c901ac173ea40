/* SPDX-License-Identifier: MIT */
/*
 * How it works: the model that made the index reads the trace once more, this time for its spans. It makes
 * the same rows in the same order, which the hash over them proves.
 */
#include "ingest/ing.h"

#include "base/base_error.h"
#include "index/spans/spans.h"
#include "ingest/ing_feed.h"

struct make {
	struct ing_feed feed;
	struct idx_spans_writer *writer;
	struct base_progress *progress;
	const bool *tracer; /* for each of N_TRACER rows of the index, true if it is a thread of the tracer */
	uint32_t n_tracer;  /* number of rows of the index */
	uint32_t rows;
	uint64_t hash;
	mdl_span_visit *found; /* may be NULL */
	void *data;            /* for FOUND */
};

static void on_interval(G_GNUC_UNUSED void *data, G_GNUC_UNUSED uint32_t row,
	G_GNUC_UNUSED const struct mdl_interval *interval)
{
}

static void on_wakeup(G_GNUC_UNUSED void *data, G_GNUC_UNUSED uint32_t row,
	G_GNUC_UNUSED const struct mdl_wakeup *wakeup)
{
}

static void on_name(G_GNUC_UNUSED void *data, G_GNUC_UNUSED uint32_t row, G_GNUC_UNUSED int64_t time,
	G_GNUC_UNUSED uint32_t name)
{
}

static void on_over(void *data, uint32_t row, const struct mdl_row *facts)
{
	struct make *m = data;

	m->rows++;
	m->hash += idx_spans_hash(row, facts);
}

static void on_span(void *data, const struct mdl_span *span)
{
	struct make *m = data;

	if (m->found)
		m->found(m->data, span);
	idx_spans_writer_add(m->writer, 0, span, span->row < m->n_tracer && m->tracer[span->row],
		MDL_SPAN_NO_CLASS);
}

static const struct mdl_sink sink = { .interval = on_interval,
	.wakeup = on_wakeup,
	.name = on_name,
	.span = on_span,
	.over = on_over };

static bool spans_should_stop(void *data, GError **error)
{
	struct make *m = data;
	const GError *failure = idx_spans_writer_error(m->writer);

	if (failure) {
		g_propagate_error(error, g_error_copy(failure));
		return true;
	}
	if (m->progress)
		base_progress_set(m->progress, ing_feed_share(&m->feed), m->feed.events);
	if (!base_progress_cancelled(m->progress))
		return false;
	g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted; nothing was written");
	return true;
}

static bool watch_first(void *data, G_GNUC_UNUSED double share, G_GNUC_UNUSED uint64_t events)
{
	return base_progress_cancelled(((struct make *)data)->progress);
}

static bool spans_make(struct make *m, struct trc_reader *reader, const struct trc_recording *recording,
	const char *fingerprint, GError **error)
{
	static const struct ing_feed_hooks hooks = { .stop = spans_should_stop };

	if (!ing_feed_all(&m->feed, reader, &hooks, m, error) ||
		!ing_feed_is_whole(&m->feed, recording, fingerprint, error))
		return false;
	mdl_machine_finish(m->feed.machine, m->feed.to);
	return idx_spans_writer_finish(m->writer,
		&(struct idx_spans_of){ .fingerprint = fingerprint,
			.hosts = 1,
			.rows = m->rows,
			.hash = m->hash },
		error);
}

bool ing_spans_make(const struct trc_recording *recording, const struct idx_meta *meta, const char *file,
	const bool *tracer, uint32_t rows, mdl_span_visit *found, void *data, struct base_progress *progress,
	GError **error)
{
	/* "ctf, 1 stream by babeltrace2" means: the first reader that understands each stream reads it. */
	const char *only = meta->reader && !strchr(meta->reader, ',') ? meta->reader : NULL;
	struct make m = { .progress = progress,
		.tracer = tracer,
		.n_tracer = rows,
		.found = found,
		.data = data };
	struct trc_reader *reader = trc_reader_open(recording, only, error);
	struct ing_absent absent;
	GArray *firsts;
	bool ok = false;

	if (!reader)
		return false;
	absent = ing_absent_told(reader, meta);
	if (progress)
		base_progress_set_label(progress, "reading the trace for latencies");
	firsts = ing_first_find(recording, only, watch_first, &m, error);
	m.writer = firsts ? idx_spans_writer_new(file, IDX_SPANS_FULL, error) : NULL;
	if (m.writer) {
		ing_feed_init(&m.feed, reader, firsts, &absent, &sink, &m);
		ok = spans_make(&m, reader, recording, meta->fingerprint, error);
		ing_feed_clear(&m.feed);
	}
	ing_absent_clear(&absent);
	ing_first_free(firsts);
	idx_spans_writer_free(m.writer);
	trc_reader_free(reader);
	return ok;
}
