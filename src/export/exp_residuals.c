// SPDX-License-Identifier: MIT
/* A line for each packet is written as it is met, so that memory holds the text alone. */
#include "export/exp.h"

#include "export/exp_json.h"
#include "export/exp_rows.h"

/* ---- packet by packet ---- */

struct packet {
	const struct qry_passage *p;
	int64_t residual;
};

#define PACKET(get, is) EXP_GET(get) { const struct packet *x = row; cell->is; }

PACKET(get_sender, word = qry_host(in->q, x->p->sender)->name)
PACKET(get_receiver, word = qry_host(in->q, x->p->receiver)->name)
PACKET(get_sent, number = x->p->sent)
PACKET(get_received, number = x->p->received)
PACKET(get_residual, number = x->residual)

static const struct exp_column packet_columns[] = {
	{ "sender", "SENDER", EXP_WORD, get_sender },
	{ "receiver", "RECEIVER", EXP_WORD, get_receiver },
	{ "sent", "SENT", EXP_TIME, get_sent },
	{ "received", "RECEIVED", EXP_TIME, get_received },
	{ "residual", ">ON THE WAY", EXP_DURATION, get_residual },
	{ NULL, NULL, EXP_NUMBER, NULL }
};

static void put_packet(void *data, const struct qry_passage *p, int64_t residual)
{
	struct packet x = { p, residual };

	exp_rows_add(data, &x);
}

static bool each_packet(GString *out, struct qry *q, const struct ana_residuals_window *window, enum exp_format format,
			struct base_progress *progress, GError **error)
{
	struct exp_rows *rows;
	bool whole;

	if (format == EXP_JSON)
		exp_json_begin(out);
	rows = exp_rows_new(out, "packets", packet_columns, format, q, NULL);
	whole = ana_residuals_each(q, window, progress, put_packet, rows, error);
	exp_rows_finish(rows);
	if (format == EXP_JSON)
		exp_json_end(out);
	return whole;
}

/* ---- column by column ---- */

struct part {
	const struct ana_residuals_way *way;
	const struct ana_residuals_cell *packets;
	int64_t from, to;
};

#define PART(get, is) EXP_GET(get) { const struct part *x = row; cell->is; }

PART(get_part_sender, word = qry_host(in->q, x->way->sender)->name)
PART(get_part_receiver, word = qry_host(in->q, x->way->receiver)->name)
PART(get_from, number = x->from)
PART(get_to, number = x->to)
PART(get_packets, number = (int64_t)x->packets->packets)
PART(get_early, number = (int64_t)x->packets->early)
PART(get_least, number = x->packets->least)
PART(get_most, number = x->packets->most)

static const struct exp_column part_columns[] = {
	{ "sender", "SENDER", EXP_WORD, get_part_sender },
	{ "receiver", "RECEIVER", EXP_WORD, get_part_receiver },
	{ "from", "FROM", EXP_TIME, get_from },
	{ "to", "TO", EXP_TIME, get_to },
	{ "packets", ">PACKETS", EXP_NUMBER, get_packets },
	{ "too_early", ">TOO EARLY", EXP_NUMBER, get_early },
	{ "least", ">LEAST", EXP_DURATION, get_least },
	{ "most", ">MOST", EXP_DURATION, get_most },
	{ NULL, NULL, EXP_NUMBER, NULL }
};

/* The parts of the window, R's columns, that have packets, way by way. */
static void put_parts(struct exp_rows *rows, const struct ana_residuals *r)
{
	for (guint i = 0; i < r->ways->len; i++) {
		const struct ana_residuals_way *way = g_ptr_array_index(r->ways, i);

		for (uint32_t c = 0; c < r->n_columns; c++) {
			struct part x = {
				way, &way->cells[c], qry_column_time(r->window.from, r->window.to, r->n_columns, c),
				qry_column_time(r->window.from, r->window.to, r->n_columns, c + 1),
			};

			if (way->cells[c].packets > 0)
				exp_rows_add(rows, &x);
		}
	}
}

static void each_part(GString *out, struct qry *q, const struct ana_residuals *r, enum exp_format format)
{
	struct exp_rows *rows;

	if (format == EXP_JSON)
		exp_json_begin(out);
	rows = exp_rows_new(out, "columns", part_columns, format, q, NULL);
	put_parts(rows, r);
	exp_rows_finish(rows);
	if (format == EXP_JSON)
		exp_json_end(out);
}

bool exp_residuals(GString *out, struct qry *q, const struct ana_residuals_window *window, uint32_t n_columns, enum exp_format format,
		   struct base_progress *progress, GError **error)
{
	struct ana_residuals *r;

	if (!n_columns)
		return each_packet(out, q, window, format, progress, error);
	r = ana_residuals_new(q, window, n_columns, progress, error);
	if (!r)
		return false;
	each_part(out, q, r, format);
	ana_residuals_free(r);
	return true;
}
