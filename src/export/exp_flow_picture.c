/* SPDX-License-Identifier: MIT */
/* The control flow of a window: its active rows, and a picture of their states. */
#include "export/exp.h"

#include "export/exp_chart.h"
#include "export/exp_rows.h"

#include "analysis/cpu/cpuwait.h"
#include "analysis/kind/kind.h"
#include "base/base_time.h"
#include "query/host/tracer.h"

#include <string.h>

/* True if ROW is active or waits for a CPU in the window. */
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

GArray *exp_flow_rows(struct qry *q, const struct exp_options *o, uint32_t host)
{
	static const enum mdl_row_type order[] = { MDL_ROW_CPU, MDL_ROW_THREAD, MDL_ROW_VCPU, MDL_ROW_IRQ,
		MDL_ROW_SOFTIRQ, MDL_ROW_DEVICE };
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t h = 0; h < qry_host_count(q); h++) {
		const struct qry_host *of = qry_host(q, h);

		for (size_t k = 0; k < G_N_ELEMENTS(order) && (host == MDL_NONE || host == h); k++)
			for (uint32_t i = of->first_row; i < of->first_row + of->n_rows; i++) {
				const struct qry_row *row = qry_row(q, i);
				/* it has the same times as the row of its CPU */
				bool idle_thread = row->type == MDL_ROW_THREAD && row->cpu != MDL_NONE;

				if (row->type == order[k] && !idle_thread &&
					!(o->hide_tracer && qry_is_tracer(q, i)) &&
					is_active(q, row, o->from, o->to))
					g_array_append_val(rows, i);
			}
	}
	return rows;
}

/* ---- the picture ---- */

static const struct {
	enum pic_pattern pattern;
	bool rests, unseen;
} looks[QRY_CELL_N] = {
	[MDL_ST_UNKNOWN] = { .rests = true },
	[MDL_ST_USERMODE] = { PIC_SOLID, false, false },
	[MDL_ST_SYSCALL] = { PIC_RISING, false, false },
	[MDL_ST_RUNNING] = { PIC_SOLID, false, false },
	[MDL_ST_INTERRUPTED] = { PIC_DOTS, false, false },
	[MDL_ST_WAIT_CPU] = { PIC_UPRIGHT, false, false },
	[MDL_ST_PREEMPTED] = { PIC_CROSSED, false, false },
	[MDL_ST_BLOCKED] = { .rests = true },
	[MDL_ST_NEW] = { PIC_HOLLOW, false, false },
	[MDL_ST_EXITED] = { .unseen = true },
	[MDL_ST_VCPU_PREEMPTED] = { PIC_GRID, false, false },
	[MDL_ST_VCPU_EXIT] = { PIC_LEVEL, false, false },
	[MDL_ST_IDLE] = { .rests = true },
	[MDL_ST_QUEUED] = { PIC_UPRIGHT, false, false },
	[MDL_ST_IN_FLIGHT] = { PIC_SOLID, false, false },
	[MDL_ST_WAITING] = { PIC_HOLLOW, false, false },
	[QRY_CELL_THROTTLED] = { PIC_FALLING, false, false },
};

/* A row and the time for which it was active, in ns. */
struct candidate {
	uint32_t row;
	guint place;
	int64_t active;
};

static int by_activity(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return (x->active < y->active) - (x->active > y->active);
}

static int by_place(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->place < y->place ? -1 : 1;
}

/* The ROOM most active of ROWS, in their order, of struct candidate. The caller unrefs. */
static GArray *flow_picture_choose(struct qry *q, const GArray *rows, const struct exp_options *o, guint room)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct candidate));

	for (guint i = 0; i < rows->len; i++) {
		struct candidate c = { g_array_index(rows, uint32_t, i), i, 0 };
		struct qry_cell cell;

		qry_share(q, c.row, o->from, o->to, &cell);
		for (int s = 0; s < MDL_ST_N; s++)
			c.active += looks[s].rests || looks[s].unseen ? 0 : cell.ns[s];
		g_array_append_val(all, c);
	}
	g_array_sort(all, by_activity);
	g_array_set_size(all, MIN(all->len, room));
	g_array_sort(all, by_place);
	return all;
}

/* GROUPED: the row is below the heading of its host. */
static void put_row(struct exp_chart *chart, struct qry *q, uint32_t row, bool grouped,
	const struct exp_options *o)
{
	unsigned n = exp_chart_columns(chart);
	g_autoptr(GArray) found = g_array_new(FALSE, TRUE, sizeof(struct qry_cell)),
			  cells = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g_autofree char *label = qry_row_label(q, row);
	const char *host = qry_host(q, qry_row(q, row)->host)->name;
	bool prefixed = grouped && g_str_has_prefix(label, host);

	g_array_set_size(found, n);
	ana_throttled_window(q, &row, 1, o->from, o->to, n, &g_array_index(found, struct qry_cell, 0));
	for (unsigned c = 0; c < n; c++)
		g_array_append_vals(cells, g_array_index(found, struct qry_cell, c).ns, QRY_CELL_N);
	exp_chart_row(chart, prefixed ? label + strlen(host) + 1 : label, &g_array_index(cells, int64_t, 0));
}

static uint32_t host_at(const struct qry *q, const GArray *rows, guint i)
{
	return qry_row(q, g_array_index(rows, struct candidate, i).row)->host;
}

static bool begins_host(const struct qry *q, const GArray *rows, guint i)
{
	return i == 0 || host_at(q, rows, i) != host_at(q, rows, i - 1);
}

static bool flow_picture_draw(GString *out, struct qry *q, const GArray *all, const struct exp_options *o,
	enum pic_format format, GError **error)
{
	uint32_t hosts = qry_host_count(q) > 1 ? MIN(qry_host_count(q), EXP_CHART_ROWS / 2) : 0;
	g_autoptr(GArray) rows = flow_picture_choose(q, all, o, EXP_CHART_ROWS - hosts);
	struct exp_chart_kind kinds[QRY_CELL_N];
	g_autofree char *begin = base_time_format_full(o->from),
			*length = table_duration_text(o->to - o->from),
			*about = g_strdup_printf("Window from %s, %s", begin, length);
	struct exp_chart_of of = { "Control flow", about, "state", kinds, QRY_CELL_N, o->from, o->to,
		rows->len, 0 };
	struct exp_chart *chart;
	struct ana_throttled *throttled;
	guint begins = 0;
	bool grouped;

	if (!ana_throttled_is_known(q)) {
		throttled = ana_throttled_new(q, o->progress, error);
		if (!throttled)
			return false;
		ana_throttled_use(q, throttled);
	}
	for (guint i = 0; i < rows->len; i++)
		begins += begins_host(q, rows, i);
	grouped = hosts && begins <= hosts; /* false if another order of rows mixes the hosts */
	for (unsigned k = 0; k < QRY_CELL_N; k++)
		kinds[k] = (struct exp_chart_kind){ k == QRY_CELL_THROTTLED
				? ana_kind_name(ANA_KIND_THROTTLED)
				: mdl_state_name(k),
			looks[k].pattern, looks[k].rests, looks[k].unseen };
	of.n_rows += grouped ? begins : 0;
	chart = exp_chart_new(format, &of, q, o, error);
	if (!chart)
		return false;
	for (guint i = 0; i < rows->len; i++) {
		if (grouped && begins_host(q, rows, i))
			exp_chart_host(chart, host_at(q, rows, i));
		put_row(chart, q, g_array_index(rows, struct candidate, i).row, grouped, o);
	}
	if (rows->len < all->len)
		exp_chart_remark(chart,
			g_strdup_printf("%u less active rows do not fit", all->len - rows->len));
	exp_chart_remark(chart,
		g_strdup(
			"Bar height: share of the state. Thin line: idle, blocked or unknown. Sums are over the rows shown"));
	return exp_chart_finish(chart, out, error);
}

EXP_CHART_FORMATS(flow)
