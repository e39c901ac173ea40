// SPDX-License-Identifier: MIT
/* A line for each packet is written as it is met, so that memory holds the text alone. */
#include "export/exp.h"

#include "export/exp_csv.h"
#include "export/exp_json.h"
#include "export/exp_table.h"

#include "base/base_time.h"

/* ---- packet by packet ---- */

struct writer {
	const struct qry *q;
	GString *out;
	struct exp_csv csv;
	struct exp_table *table;
};

static void put_json(void *data, const struct qry_passage *p, int64_t residual)
{
	const struct writer *w = data;
	JsonObject *o = json_object_new();

	exp_json_text(o, "sender", qry_host(w->q, p->sender)->name);
	exp_json_text(o, "receiver", qry_host(w->q, p->receiver)->name);
	exp_json_time(o, "sent", p->sent);
	exp_json_time(o, "received", p->received);
	exp_json_int(o, "residual", residual);
	exp_json_put(w->out, NULL, o);
}

static void put_csv(void *data, const struct qry_passage *p, int64_t residual)
{
	struct writer *w = data;

	exp_csv_text(&w->csv, qry_host(w->q, p->sender)->name);
	exp_csv_text(&w->csv, qry_host(w->q, p->receiver)->name);
	exp_csv_time(&w->csv, p->sent);
	exp_csv_time(&w->csv, p->received);
	exp_csv_int(&w->csv, residual);
	exp_csv_end_line(&w->csv);
}

static void put_text(void *data, const struct qry_passage *p, int64_t residual)
{
	struct writer *w = data;

	exp_table_add(w->table, qry_host(w->q, p->sender)->name);
	exp_table_add(w->table, qry_host(w->q, p->receiver)->name);
	exp_table_add_time(w->table, p->sent);
	exp_table_add_time(w->table, p->received);
	exp_table_add_duration(w->table, residual);
}

static bool each_json(struct writer *w, struct qry *q, const struct ana_residuals_window *window, struct base_progress *progress, GError **error)
{
	bool whole;

	exp_json_begin(w->out);
	exp_json_begin_list(w->out, "packets");
	whole = ana_residuals_each(q, window, progress, put_json, w, error);
	exp_json_end_list(w->out);
	exp_json_end(w->out);
	return whole;
}

static bool each_csv(struct writer *w, struct qry *q, const struct ana_residuals_window *window, struct base_progress *progress, GError **error)
{
	w->csv = exp_csv_begin(w->out, "sender,receiver,sent,received,residual");
	return ana_residuals_each(q, window, progress, put_csv, w, error);
}

static bool each_text(struct writer *w, struct qry *q, const struct ana_residuals_window *window, struct base_progress *progress, GError **error)
{
	static const char *const headers[] = { "SENDER", "RECEIVER", "SENT", "RECEIVED", ">ON THE WAY", NULL };
	bool whole;

	w->table = exp_table_new(headers);
	whole = ana_residuals_each(q, window, progress, put_text, w, error);
	exp_table_finish(w->table, w->out, "");
	return whole;
}

static bool each_packet(GString *out, struct qry *q, const struct ana_residuals_window *window, enum exp_format format,
			struct base_progress *progress, GError **error)
{
	struct writer w = { .q = q, .out = out };

	switch (format) {
	case EXP_JSON:
		return each_json(&w, q, window, progress, error);
	case EXP_CSV:
		return each_csv(&w, q, window, progress, error);
	default:
		return each_text(&w, q, window, progress, error);
	}
}

/* ---- column by column ---- */

/* The columns of R that have packets, way by way. */
static void each_cell(const struct ana_residuals *r, void *data,
		      void (*each)(void *data, const struct ana_residuals_way *way, const struct ana_residuals_cell *cell, int64_t from, int64_t to))
{
	for (guint i = 0; i < r->ways->len; i++) {
		const struct ana_residuals_way *way = g_ptr_array_index(r->ways, i);

		for (uint32_t c = 0; c < r->n_columns; c++)
			if (way->cells[c].packets > 0)
				each(data, way, &way->cells[c], qry_column_time(r->window.from, r->window.to, r->n_columns, c),
				     qry_column_time(r->window.from, r->window.to, r->n_columns, c + 1));
	}
}

static void cell_json(void *data, const struct ana_residuals_way *way, const struct ana_residuals_cell *cell, int64_t from, int64_t to)
{
	const struct writer *w = data;
	JsonObject *o = json_object_new();

	exp_json_text(o, "sender", qry_host(w->q, way->sender)->name);
	exp_json_text(o, "receiver", qry_host(w->q, way->receiver)->name);
	exp_json_time(o, "from", from);
	exp_json_time(o, "to", to);
	exp_json_int(o, "packets", (int64_t)cell->packets);
	exp_json_int(o, "too_early", (int64_t)cell->early);
	exp_json_int(o, "least", cell->least);
	exp_json_int(o, "most", cell->most);
	exp_json_put(w->out, NULL, o);
}

static void cell_csv(void *data, const struct ana_residuals_way *way, const struct ana_residuals_cell *cell, int64_t from, int64_t to)
{
	struct writer *w = data;

	exp_csv_text(&w->csv, qry_host(w->q, way->sender)->name);
	exp_csv_text(&w->csv, qry_host(w->q, way->receiver)->name);
	exp_csv_time(&w->csv, from);
	exp_csv_time(&w->csv, to);
	exp_csv_int(&w->csv, (int64_t)cell->packets);
	exp_csv_int(&w->csv, (int64_t)cell->early);
	exp_csv_int(&w->csv, cell->least);
	exp_csv_int(&w->csv, cell->most);
	exp_csv_end_line(&w->csv);
}

static void cell_text(void *data, const struct ana_residuals_way *way, const struct ana_residuals_cell *cell, int64_t from, int64_t to)
{
	struct writer *w = data;

	(void)to;
	exp_table_add(w->table, qry_host(w->q, way->sender)->name);
	exp_table_add(w->table, qry_host(w->q, way->receiver)->name);
	exp_table_add_time(w->table, from);
	exp_table_add_int(w->table, (int64_t)cell->packets);
	exp_table_add_int(w->table, (int64_t)cell->early);
	exp_table_add_duration(w->table, cell->least);
	exp_table_add_duration(w->table, cell->most);
}

static void columns_text(struct writer *w, const struct ana_residuals *r)
{
	static const char *const headers[] = { "SENDER", "RECEIVER", "FROM", ">PACKETS", ">TOO EARLY", ">LEAST", ">MOST", NULL };

	w->table = exp_table_new(headers);
	each_cell(r, w, cell_text);
	exp_table_finish(w->table, w->out, "");
}

static void columns(GString *out, struct qry *q, const struct ana_residuals *r, enum exp_format format)
{
	struct writer w = { .q = q, .out = out };

	switch (format) {
	case EXP_JSON:
		exp_json_begin(out);
		exp_json_begin_list(out, "columns");
		each_cell(r, &w, cell_json);
		exp_json_end_list(out);
		exp_json_end(out);
		break;
	case EXP_CSV:
		w.csv = exp_csv_begin(out, "sender,receiver,from,to,packets,too_early,least,most");
		each_cell(r, &w, cell_csv);
		break;
	case EXP_TEXT:
		columns_text(&w, r);
		break;
	}
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
	columns(out, q, r, format);
	ana_residuals_free(r);
	return true;
}
