/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer target: any bytes, opened as an index and read to the end.
 *
 * The first byte chooses: odd, and the checksums of the rest are made right
 * first, so that the checks behind them are reached.  With FUZZ_SEEDS=FOLDER in the
 * environment small whole indexes are written there to begin with.
 */
#include "fuzz/feed.h"
#include "index/idx_sample.h"
#include "index/idx_verify.h"
#include "index/idx_reader.h"
#include "query/qry.h"

#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A seed: the index of PLAN, each byte that chooses in front of it once. */
static void write_seed(const char *folder, unsigned number, const struct idx_sample_row *plan, size_t rows,
	unsigned events)
{
	struct idx_sample *s = idx_sample_new(number, plan, rows, events);
	char *index = idx_sample_path("seed.wpi"), *bytes;
	gsize size;

	idx_sample_write(s, index);
	g_assert_true(g_file_get_contents(index, &bytes, &size, NULL));
	for (unsigned choice = 0; choice < 2; choice++) {
		char *name = g_strdup_printf("seed-%u-%u", number, choice);

		feed_seed(folder, name, (uint8_t)choice, bytes, size);
		g_free(name);
	}
	unlink(index);
	g_free(index);
	g_free(bytes);
	idx_sample_free(s);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const struct idx_sample_row small[] = { { MDL_ROW_THREAD, 5, 3 }, { MDL_ROW_CPU, 4, 0 },
		{ MDL_ROW_IRQ, 1, 0 } };
	static const struct idx_sample_row nodes[] = { { MDL_ROW_THREAD, 300, 70 },
		{ MDL_ROW_SOFTIRQ, 0, 0 } };
	static const struct idx_sample_row deep[] = { { MDL_ROW_CPU, 128 * 65, 0 } };
	const char *folder = g_getenv("FUZZ_SEEDS");

	(void)argc;
	(void)argv;
	if (!folder)
		return 0;
	write_seed(folder, 0, small, G_N_ELEMENTS(small), 1);
	write_seed(folder, 1, nodes, G_N_ELEMENTS(nodes), 64 * 300);
	write_seed(folder, 2, deep, G_N_ELEMENTS(deep), 0);
	write_seed(folder, 3, NULL, 0, 0);
	return 0;
}

static void ask_history(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	GArray *states = qry_states(q, row, INT64_MIN, INT64_MAX),
	       *wakeups = qry_wakeups(q, row, INT64_MIN, INT64_MAX);
	struct qry_cell cells[16];

	for (guint i = 0; i < states->len; i += 1 + states->len / 64)
		g_free(qry_detail_text(q, row, &g_array_index(states, struct mdl_interval, i)));
	for (guint i = 0; i < wakeups->len; i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);

		if (w->waker != MDL_NONE)
			g_free(qry_row_label(q, w->waker));
		for (unsigned k = 0; k < w->n_contexts; k++)
			g_free(qry_context_text(q, 0, w->contexts[k].context));
	}
	qry_window(q, &row, 1, from, to, G_N_ELEMENTS(cells), cells);
	g_array_unref(states);
	g_array_unref(wakeups);
}

static void ask_row(struct qry *q, uint32_t row)
{
	const struct qry_row *r = qry_row(q, row);
	struct mdl_interval interval;
	struct mdl_wakeup wakeup;

	ask_history(q, row, r->first, r->last);
	qry_state_at(q, row, r->first, &interval);
	qry_state_before(q, row, r->last, &interval);
	qry_wakeup_before(q, row, r->last, &wakeup);
	qry_wakeup_after(q, row, r->first, &wakeup);
	qry_name_at(q, row, r->last);
	g_ptr_array_unref(qry_names(q, row));
	g_free(qry_row_label(q, row));
}

static void ask_all(struct qry *q)
{
	int64_t from, to;
	uint32_t row;

	for (row = 0; row < qry_row_count(q); row++)
		ask_row(q, row);
	qry_span(q, &from, &to);
	qry_cpu_row(q, 0, 3);
	qry_find_thread(q, "7", &row, NULL);
	qry_find_line(q, MDL_ROW_CPU, "7", &row, NULL);
}

static void ask_transfers(struct idx_reader *r)
{
	struct idx_transfers *c = idx_transfers_new(r);
	struct mdl_transfer t;

	idx_transfers_seek(c, INT64_MIN);
	for (unsigned i = 0; i < 5000 && idx_transfers_next(c, &t); i++)
		g_assert_cmpstr(idx_reader_string(r, t.device), !=, NULL);
	idx_transfers_free(c);
}

/* Where events are in the trace. */
static void ask_places(const char *path)
{
	struct idx_reader *r = idx_reader_open(path, NULL, NULL);
	struct idx_packet packet;
	struct mdl_cause cause;
	int64_t time;

	for (uint64_t rank = 1; r && rank < 100000; rank += 640)
		idx_reader_event_time(r, rank, &time);
	for (uint32_t number = 1; r && number <= 5000; number++)
		idx_reader_cause(r, number, &cause);
	for (uint32_t i = 0; r && i < idx_reader_stream_count(r); i++)
		for (uint64_t k = 0; k < 1000 && idx_reader_packet(r, i, k, &packet); k++)
			g_assert_cmpuint(idx_reader_packet_at(r, i, packet.first), <=,
				idx_reader_stream(r, i)->packets);
	if (r)
		ask_transfers(r);
	idx_reader_free(r);
}

static void on_finding(void *data, const char *finding)
{
	(void)data;
	(void)finding;
}

static void look(const char *path)
{
	GPtrArray *paths = g_ptr_array_new(), *fingerprints = g_ptr_array_new();
	struct idx_verify_totals totals;
	GError *error = NULL;
	struct qry *q;

	g_ptr_array_add(paths, (gpointer)path);
	g_ptr_array_add(fingerprints, NULL);
	q = qry_open(paths, fingerprints, &error);
	g_assert_true(!q == !!error);
	if (q)
		ask_all(q);
	qry_free(q);
	ask_places(path);
	g_clear_error(&error);
	g_ptr_array_unref(paths);
	g_ptr_array_unref(fingerprints);
	idx_verify(path, NULL, on_finding, NULL, &totals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0)
		feed_file(data, size, &idx_map_index, look);
	return 0;
}
