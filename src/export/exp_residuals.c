/* SPDX-License-Identifier: MIT */
/* A line for each packet is written as it is met, so that memory holds the text alone. */
#include "export/exp.h"

#include "export/exp_rows.h"

/* ---- packet by packet ---- */

struct packet {
	const struct qry_passage *p;
	int64_t residual;
};

EXP_COLUMNS(packet_columns)
{
	const struct packet *x = row;

	EXP_COLUMN("sender", "SENDER", EXP_WORD, word = qry_host(in->q, x->p->sender)->name);
	EXP_COLUMN("receiver", "RECEIVER", EXP_WORD, word = qry_host(in->q, x->p->receiver)->name);
	EXP_COLUMN("sent", "SENT", EXP_TIME, number = x->p->sent);
	EXP_COLUMN("received", "RECEIVED", EXP_TIME, number = x->p->received);
	EXP_COLUMN("residual", ">ON THE WAY", EXP_DURATION, number = x->residual);
}

static void put_packet(void *data, const struct qry_passage *p, int64_t residual)
{
	struct packet x = { p, residual };

	exp_rows_add(data, &x);
}

static bool each_packet(GString *out, struct qry *q, const struct ana_residuals_window *window,
	const struct exp_options *o, GError **error)
{
	struct exp_rows *rows = exp_rows_new(out, "packets", packet_columns, o, q, NULL);
	bool whole = ana_residuals_each(q, window, o->progress, put_packet, rows, error);

	exp_rows_finish(rows);
	return whole;
}

/* ---- column by column ---- */

struct part {
	const struct ana_residuals_way *way;
	const struct ana_residuals_cell *packets;
	int64_t from, to;
};

EXP_COLUMNS(part_columns)
{
	const struct part *x = row;

	EXP_COLUMN("sender", "SENDER", EXP_WORD, word = qry_host(in->q, x->way->sender)->name);
	EXP_COLUMN("receiver", "RECEIVER", EXP_WORD, word = qry_host(in->q, x->way->receiver)->name);
	EXP_COLUMN("from", "FROM", EXP_TIME, number = x->from);
	EXP_COLUMN("to", "TO", EXP_TIME, number = x->to);
	EXP_COLUMN("packets", ">PACKETS", EXP_NUMBER, number = (int64_t)x->packets->packets);
	EXP_COLUMN("too_early", ">TOO EARLY", EXP_NUMBER, number = (int64_t)x->packets->early);
	EXP_COLUMN("least", ">LEAST", EXP_DURATION, number = x->packets->least);
	EXP_COLUMN("most", ">MOST", EXP_DURATION, number = x->packets->most);
}

/* The parts of the window, R's columns, that have packets, way by way. */
static void put_parts(struct exp_rows *rows, const struct ana_residuals *r)
{
	for (guint i = 0; i < r->ways->len; i++) {
		const struct ana_residuals_way *way = g_ptr_array_index(r->ways, i);

		for (uint32_t c = 0; c < r->n_columns; c++) {
			struct part x = { way, &way->cells[c],
				qry_column_time(r->window.from, r->window.to, r->n_columns, c),
				qry_column_time(r->window.from, r->window.to, r->n_columns, c + 1) };

			if (way->cells[c].packets > 0)
				exp_rows_add(rows, &x);
		}
	}
}

EXP_WRITER(exp_residuals)
{
	const struct ana_residuals_window *window = result;
	struct ana_residuals *r;
	struct exp_rows *rows;

	if (!o->n_columns)
		return each_packet(out, q, window, o, error);
	r = ana_residuals_new(q, window, o->n_columns, o->progress, error);
	if (!r)
		return false;
	rows = exp_rows_new(out, "columns", part_columns, o, q, NULL);
	put_parts(rows, r);
	exp_rows_finish(rows);
	ana_residuals_free(r);
	return true;
}
