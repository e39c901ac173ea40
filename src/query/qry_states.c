/* SPDX-License-Identifier: MIT */
#include "query/qry_parts.h"

#include "base/base_time.h"

#include <string.h>

/* Rows named inside intervals of CPUs are those of the index; make them the experiment's. */
static void globalise(const struct qry_source *s, const struct qry_row *r, struct mdl_interval *i)
{
	if (r->type == MDL_ROW_CPU && i->aux != MDL_NONE)
		i->aux += s->host.first_row;
}

bool qry_state_at(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval)
{
	const struct qry_row *r = &q->rows[row];
	uint32_t local;
	struct qry_source *s = qry_source_of(q, row, &local);
	struct idx_intervals *c;

	if (time < r->first || time >= r->last)
		return false;
	c = qry_source_intervals(s, local);
	if (!idx_intervals_seek(c, local, time) || !idx_intervals_next(c, interval))
		return false;
	globalise(s, r, interval);
	return true;
}

bool qry_state_before(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval)
{
	const struct qry_row *r = &q->rows[row];

	return time > r->first && qry_state_at(q, row, MIN(time, r->last) - 1, interval);
}

GArray *qry_states(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	GArray *states = g_array_new(FALSE, FALSE, sizeof(struct mdl_interval));
	const struct qry_row *r = &q->rows[row];
	struct mdl_interval i;
	uint32_t local;
	struct qry_source *s = qry_source_of(q, row, &local);
	struct idx_intervals *c = qry_source_intervals(s, local);

	from = MAX(from, r->first);
	to = MIN(to, r->last);
	if (from >= to || !idx_intervals_seek(c, local, from))
		return states;
	while (idx_intervals_next(c, &i) && i.from < to) {
		i.from = MAX(i.from, from);
		i.to = MIN(i.to, to);
		globalise(s, r, &i);
		g_array_append_val(states, i);
	}
	return states;
}

/* The cell between two instants of a row. */
static void cell_between(const struct idx_sums *a, const struct idx_sums *b, struct qry_cell *cell)
{
	for (unsigned s = 0; s < MDL_ST_N; s++)
		cell->ns[s] = (int64_t)(b->ns[s] - a->ns[s]);
	cell->intervals = (uint32_t)(b->intervals - a->intervals + (a->cut ? 1 : 0));
}

void qry_share(struct qry *q, uint32_t row, int64_t from, int64_t to, struct qry_cell *cell)
{
	qry_window(q, &row, 1, from, to, 1, cell);
}

int64_t qry_cell_on_cpu(const struct qry_cell *cell)
{
	return cell->ns[MDL_ST_USERMODE] + cell->ns[MDL_ST_SYSCALL] + cell->ns[MDL_ST_RUNNING] + cell->ns[MDL_ST_INTERRUPTED];
}

int64_t qry_column_time(int64_t from, int64_t to, uint32_t n_columns, uint32_t c)
{
	return base_time_column(from, to, n_columns, c);
}

static void window_row(struct qry *q, uint32_t row, const int64_t *times, uint32_t n_columns, struct idx_sums *sums, struct qry_cell *cells)
{
	const struct qry_row *r = &q->rows[row];
	uint32_t local;
	struct qry_source *s = qry_source_of(q, row, &local);

	memset(cells, 0, n_columns * sizeof *cells);
	if (times[0] >= r->last || times[n_columns] <= r->first)
		return;
	idx_reader_sums(s->reader, local, times, n_columns + 1, sums);
	for (uint32_t c = 0; c < n_columns; c++)
		if (times[c + 1] > r->first && times[c] < r->last)
			cell_between(&sums[c], &sums[c + 1], &cells[c]);
}

void qry_window(struct qry *q, const uint32_t *rows, uint32_t n_rows, int64_t from, int64_t to, uint32_t n_columns, struct qry_cell *cells)
{
	int64_t *times = g_new(int64_t, n_columns + 1);
	struct idx_sums *sums = g_new(struct idx_sums, n_columns + 1);

	for (uint32_t c = 0; c <= n_columns; c++)
		times[c] = qry_column_time(from, to, n_columns, c);
	for (uint32_t i = 0; i < n_rows; i++)
		window_row(q, rows[i], times, n_columns, sums, cells + (size_t)i * n_columns);
	g_free(times);
	g_free(sums);
}

struct qry_context qry_context(const struct qry *q, uint32_t host, uint32_t context)
{
	const struct idx_reader *r = qry_source(q, host)->reader;
	const struct mdl_context *c = idx_reader_context(r, context);

	return (struct qry_context){ .type = c->type, .nr = c->nr, .name = idx_reader_string(r, c->name) };
}

char *qry_context_text(const struct qry *q, uint32_t host, uint32_t context)
{
	struct qry_context c = qry_context(q, host, context);

	switch (c.type) {
	case MDL_CTX_SOFTIRQ:
		return *c.name != '\0' ? g_strdup_printf("softirq %s", c.name) : g_strdup_printf("softirq %" G_GINT64_FORMAT, c.nr);
	case MDL_CTX_HRTIMER:
		return g_strdup("hrtimer");
	case MDL_CTX_IPI:
		return g_strdup_printf("ipi %s", c.name);
	default:
		if (c.nr == -1)
			return g_strdup_printf("IRQ %s", c.name);
		return g_strdup_printf("IRQ %" G_GINT64_FORMAT "%s%s", c.nr, *c.name != '\0' ? " " : "", c.name);
	}
}

char *qry_detail_text(const struct qry *q, uint32_t row, const struct mdl_interval *i)
{
	const struct qry_row *r = &q->rows[row];

	switch (i->state) {
	case MDL_ST_SYSCALL:
		return g_strdup(idx_reader_string(qry_source(q, r->host)->reader, i->detail));
	case MDL_ST_INTERRUPTED:
		return qry_context_text(q, r->host, i->detail);
	case MDL_ST_BLOCKED:
		return g_strdup(mdl_block_name(i->detail));
	case MDL_ST_RUNNING:
		return r->type == MDL_ROW_CPU && i->aux != MDL_NONE ? qry_row_label(q, i->aux) : NULL;
	default:
		return NULL;
	}
}
