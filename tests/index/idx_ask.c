/* SPDX-License-Identifier: MIT */
#include "index/idx_ask.h"

#include <string.h>

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

void idx_ask_experiment(struct qry *q)
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

void idx_ask_reader(struct idx_reader *r)
{
	struct idx_packet packet;
	struct mdl_cause cause;
	int64_t time;

	for (uint64_t rank = 1; rank < 100000; rank += 640)
		idx_reader_event_time(r, rank, &time);
	for (uint32_t number = 1; number <= 5000 && idx_reader_cause(r, number, &cause); number++)
		;
	for (uint32_t i = 0; i < idx_reader_stream_count(r); i++)
		for (uint64_t k = 0; k < 1000 && idx_reader_packet(r, i, k, &packet); k++)
			g_assert_cmpuint(idx_reader_packet_at(r, i, packet.first), <=,
				idx_reader_stream(r, i)->packets);
	ask_transfers(r);
}

/* ---- files beside an index ---- */

void idx_ask_spans(struct idx_spans *s)
{
	struct mdl_span *leaf = g_new(struct mdl_span, IDX_LEAF_SPANS);
	struct idx_spans_figures f;
	struct idx_spans_found found;

	for (uint32_t i = 0; i < idx_spans_leaf_count(s); i++)
		for (unsigned k = 0, n = idx_spans_read(s, i, leaf); k < n; k++)
			if (idx_spans_text(s, leaf[k].key))
				g_assert_cmpuint(strlen(idx_spans_text(s, leaf[k].key)), <,
					idx_spans_size(s));
	for (unsigned kind = 0; kind < MDL_SPAN_KINDS; kind++)
		for (unsigned tracer = 0; tracer < 2; tracer++) {
			idx_spans_figures(s, kind, tracer, &f);
			idx_spans_figures_clear(&f);
			for (uint32_t i = 0; idx_spans_worst(s, kind, tracer, i, &found); i++)
				g_assert_cmpuint(found.leaf, <, idx_spans_leaf_count(s));
			idx_spans_worst_last(s, kind, tracer, &found);
		}
	g_assert_cmpuint(strlen(idx_spans_note(s)), <, idx_spans_size(s));
	g_free(leaf);
}

void idx_ask_pairs(struct idx_pairs *p)
{
	for (uint32_t i = 0; i < MIN(idx_pairs_host_count(p), 1000); i++) {
		struct idx_pairs_cursor *c = idx_pairs_cursor_new(p, i);
		struct idx_pair pair;

		idx_pairs_cursor_seek(c, 7);
		for (unsigned k = 0; k < 5000 && idx_pairs_cursor_next(c, &pair); k++)
			g_assert_cmpuint(pair.sender, <, idx_pairs_host_count(p));
		idx_pairs_cursor_free(c);
	}
}
