/* SPDX-License-Identifier: MIT */
/* The control flow of a window: which rows it has, and all of it for Perfetto. */
#include "export/exp.h"

#include "export/exp_json.h"
#include "export/exp_perfetto.h"

#include "base/base_error.h"
#include "query/qry_tracer.h"

/* Does ROW do anything there, or want to? */
static bool is_active(struct qry *q, const struct qry_row *row, int64_t from, int64_t to)
{
	struct qry_cell cell;
	int64_t active = 0;

	if (row->last <= from || row->first >= to)
		return false;
	qry_share(q, row->id, from, to, &cell);
	for (int s = 0; s < MDL_ST_N; s++)
		if (s != MDL_ST_UNKNOWN && s != MDL_ST_BLOCKED && s != MDL_ST_EXITED && s != MDL_ST_IDLE)
			active += cell.ns[s];
	return active > 0;
}

/* An idle thread tells no more than the row of its CPU. */
static bool is_wanted(struct qry *q, const struct qry_row *row, const struct exp_options *o)
{
	return !(row->type == MDL_ROW_THREAD && row->cpu != MDL_NONE) &&
		!(o->hide_tracer && qry_is_tracer(q, row->id)) && is_active(q, row, o->from, o->to);
}

GArray *exp_flow_rows(struct qry *q, const struct exp_options *o, uint32_t host)
{
	static const enum mdl_row_type order[] = { MDL_ROW_CPU, MDL_ROW_THREAD, MDL_ROW_VCPU, MDL_ROW_IRQ,
		MDL_ROW_SOFTIRQ, MDL_ROW_DEVICE };
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t h = 0; h < qry_host_count(q); h++) {
		const struct qry_host *of = qry_host(q, h);

		for (size_t k = 0; k < G_N_ELEMENTS(order) && (host == MDL_NONE || host == h); k++)
			for (uint32_t i = of->first_row; i < of->first_row + of->n_rows; i++)
				if (qry_row(q, i)->type == order[k] && is_wanted(q, qry_row(q, i), o))
					g_array_append_val(rows, i);
	}
	return rows;
}

/* ---- for Perfetto ---- */

/* Of a CPU the thread that it ran. */
static const char *slice_name(const struct qry *q, const struct qry_row *r, const struct mdl_interval *i)
{
	const char *name = r->type == MDL_ROW_CPU && i->aux != MDL_NONE && i->state != MDL_ST_IDLE
		? qry_name_at(q, i->aux, i->from)
		: "";

	return *name ? name : mdl_state_name(i->state);
}

static void put_states(struct exp_perfetto *p, struct qry *q, const struct qry_row *r,
	const struct exp_options *o)
{
	g_autoptr(GArray) states = qry_states(q, r->id, o->from, o->to);

	for (guint n = 0; n < states->len && !base_progress_cancelled(o->progress); n++) {
		const struct mdl_interval *i = &g_array_index(states, struct mdl_interval, n);
		g_autofree char *detail = qry_detail_text(q, r->id, i);
		GString *args = base_json_object();

		base_json_string(args, "state", mdl_state_name(i->state));
		if (detail)
			base_json_string(args, "detail", detail);
		if (i->aux != MDL_NONE && r->type == MDL_ROW_THREAD)
			base_json_int(args, "cpu", i->aux);
		exp_perfetto_slice(p, r->host, r->id, i->from, i->to, slice_name(q, r, i), args);
	}
}

/* Who sent W, where that has a row: the innermost interrupt, else the thread; MDL_NONE. */
static uint32_t sender_of(const struct qry *q, const struct qry_row *r, const struct mdl_wakeup *w)
{
	return w->n_contexts == 0
		? w->waker
		: qry_context_row(q, r->host, w->contexts[w->n_contexts - 1].context, w->cpu);
}

static bool has_slice(struct qry *q, uint32_t row, int64_t at, const struct exp_options *o)
{
	struct mdl_interval unused;

	return at >= o->from && at < o->to && qry_state_at(q, row, at, &unused);
}

static void put_wakeups(struct exp_perfetto *p, struct qry *q, const struct qry_row *r, const GArray *written,
	const struct exp_options *o)
{
	g_autoptr(GArray) wakeups = qry_wakeups(q, r->id, o->from, o->to);

	for (guint i = 0; i < wakeups->len && !base_progress_cancelled(o->progress); i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);
		uint32_t sender = sender_of(q, r, w);

		if (sender != MDL_NONE && g_array_index(written, bool, sender) &&
			has_slice(q, sender, w->time, o) && has_slice(q, r->id, w->time, o))
			exp_perfetto_flow(p, "wakeup",
				(struct exp_perfetto_end){ qry_row(q, sender)->host, sender, w->time },
				(struct exp_perfetto_end){ r->host, r->id, w->time });
	}
}

/* Row I of N is written, for the first or the second time.  False with an error: it is to be stopped. */
static bool go_on(const struct exp_options *o, guint i, guint n, GError **error)
{
	if (o->progress)
		base_progress_set(o->progress, (double)(i + 1) / (2.0 * n), 0);
	if (!base_progress_cancelled(o->progress))
		return true;
	return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
}

/* Each row is a track, each state a slice, each wake-up whose sender has a row a flow. */
bool exp_flow_perfetto(GString *out, struct qry *q, const void *result, const struct exp_options *o,
	GError **error)
{
	const GArray *rows = result;
	g_autoptr(GArray) written = g_array_new(FALSE, TRUE, sizeof(bool)); /* of each row */
	struct exp_perfetto p = exp_perfetto_begin(out, q, o, o->from);

	g_array_set_size(written, qry_row_count(q));
	for (guint i = 0; i < rows->len; i++) {
		uint32_t row = g_array_index(rows, uint32_t, i);
		g_autofree char *label = qry_row_label(q, row);

		exp_perfetto_track(&p, qry_row(q, row)->host, row, label);
		put_states(&p, q, qry_row(q, row), o);
		g_array_index(written, bool, row) = true;
		if (!go_on(o, i, rows->len, error))
			return false;
	}
	for (guint i = 0; i < rows->len; i++) {
		const struct qry_row *r = qry_row(q, g_array_index(rows, uint32_t, i));

		if (r->type == MDL_ROW_THREAD)
			put_wakeups(&p, q, r, written, o);
		if (!go_on(o, rows->len + i, rows->len, error))
			return false;
	}
	exp_perfetto_finish(&p, o);
	return true;
}
