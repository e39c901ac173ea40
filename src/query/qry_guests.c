/* SPDX-License-Identifier: MIT */
#include "query/qry_guests.h"

#include "query/qry_parts.h"

struct cursor {
	struct idx_intervals *intervals;
	bool vcpu;
	int64_t first; /* of a CPU's row: no event */
};

static void *rows_open(void *data, unsigned host, uint32_t row, int64_t from)
{
	const struct qry_source *s = qry_source(data, host);
	struct mdl_row own = idx_reader_row(s->reader, row);
	struct cursor *c = g_new(struct cursor, 1);

	*c = (struct cursor){ idx_intervals_new(s->reader), own.type == MDL_ROW_VCPU, own.first };
	if (from >= own.last || !idx_intervals_seek(c->intervals, row, MAX(from, own.first)))
		g_clear_pointer(&c->intervals, idx_intervals_free);
	return c;
}

/* Where the host lost events the guest may have been inside. */
static bool is_stay(const struct mdl_interval *iv)
{
	return iv->state == MDL_ST_RUNNING || iv->state == MDL_ST_UNKNOWN;
}

static bool rows_next(void *cursor, int64_t *from, int64_t *to)
{
	struct cursor *c = cursor;
	struct mdl_interval iv;

	while (c->intervals && idx_intervals_next(c->intervals, &iv)) {
		*from = iv.from;
		*to = iv.to;
		if (c->vcpu ? is_stay(&iv) : iv.state != MDL_ST_UNKNOWN && iv.from != c->first)
			return true;
	}
	return false;
}

static void rows_close(void *cursor)
{
	struct cursor *c = cursor;

	idx_intervals_free(c->intervals);
	g_free(c);
}

static void clear_vcpu(void *vcpu)
{
	g_clear_pointer(&((struct sync_vcpu *)vcpu)->bounds, g_array_unref);
}

struct sync_guests *qry_guests_new(struct qry *q)
{
	struct sync_guests *g = g_new(struct sync_guests, 1);

	*g = (struct sync_guests){ .rows = { q, rows_open, rows_next, rows_close },
		.vcpus = g_array_new(FALSE, TRUE, sizeof(struct sync_vcpu)),
		.cpus = g_array_new(FALSE, TRUE, sizeof(struct sync_cpu)) };
	g_array_set_clear_func(g->vcpus, clear_vcpu);
	for (uint32_t i = 0; i < q->n_rows; i++) {
		const struct qry_row *r = &q->rows[i];
		struct sync_vcpu v = { .self = { r->host, i - qry_host(q, r->host)->first_row },
			.machine = r->process };

		if (r->type == MDL_ROW_VCPU)
			g_array_append_val(g->vcpus, v);
		else if (r->type == MDL_ROW_CPU)
			g_array_append_val(g->cpus, v.self);
	}
	if (qry_host_count(q) > 1 && g->vcpus->len > 0)
		return g;
	qry_guests_free(g);
	return NULL;
}

void qry_guests_free(struct sync_guests *g)
{
	if (!g)
		return;
	g_array_unref(g->vcpus);
	g_array_unref(g->cpus);
	g_free(g);
}

/* CPU as a row of Q; MDL_NONE: it is none of TYPE. */
static uint32_t row_of(const struct qry *q, const struct sync_cpu *cpu, enum mdl_row_type type)
{
	const struct qry_host *h = qry_host(q, cpu->host);
	uint32_t row = h->first_row + cpu->row;

	return cpu->row < h->n_rows && q->rows[row].type == type ? row : MDL_NONE;
}

bool qry_guest_of(const struct qry *q, uint32_t vcpu, struct qry_guest *guest)
{
	const GArray *all = q->found ? q->found->vcpus : NULL;

	for (guint i = 0; all && i < all->len; i++) {
		const struct sync_vcpu *v = &g_array_index(all, struct sync_vcpu, i);

		if (row_of(q, &v->self, MDL_ROW_VCPU) != vcpu)
			continue;
		*guest = (struct qry_guest){ row_of(q, &v->cpu, MDL_ROW_CPU), v->inside, v->outside };
		return guest->cpu != MDL_NONE;
	}
	return false;
}
