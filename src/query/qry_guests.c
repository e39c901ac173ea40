/* SPDX-License-Identifier: MIT */
#include "query/qry_guests.h"

#include "query/qry_parts.h"

#include "trace/trc_reader.h"

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

/* The row of CPU number NR of HOST, as one of that host's; MDL_NONE: there is none. */
static uint32_t cpu_row(const struct qry *q, uint32_t host, uint32_t nr)
{
	const struct qry_host *h = qry_host(q, host);

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++)
		if (q->rows[i].type == MDL_ROW_CPU && q->rows[i].nr == nr)
			return i - h->first_row;
	return MDL_NONE;
}

/* The recording of HOST says that CPU of a guest is run by a thread: take that as given for G. */
static void take_given(const struct qry *q, struct sync_guests *g, const struct trc_guests *told,
	uint32_t host, const struct trc_guest_cpu *cpu)
{
	for (uint32_t guest = 0; guest < qry_host_count(q); guest++) {
		uint32_t row = guest != host && told[guest].id == cpu->guest && cpu->guest != 0
			? cpu_row(q, guest, cpu->cpu)
			: MDL_NONE;

		for (guint i = 0; row != MDL_NONE && i < g->vcpus->len; i++) {
			struct sync_vcpu *v = &g_array_index(g->vcpus, struct sync_vcpu, i);

			if (v->self.host != host ||
				q->rows[qry_host(q, host)->first_row + v->self.row].nr != cpu->tid)
				continue;
			v->given = true;
			v->cpu = (struct sync_cpu){ guest, row };
			v->same_clock = told[host].id != 0 && told[guest].peer == told[host].id;
		}
	}
}

/* What recordings that were made together (trace-cmd record -A) say of who runs whom. */
static void take_all_given(const struct qry *q, struct sync_guests *g)
{
	uint32_t n = qry_host_count(q);
	struct trc_guests *told = g_new0(struct trc_guests, n);

	for (uint32_t i = 0; i < n; i++)
		if (qry_source(q, i)->folders && *qry_source(q, i)->folders)
			told[i] = trc_guests(qry_source(q, i)->folders);
	for (uint32_t i = 0; i < n; i++)
		for (guint k = 0; told[i].cpus && k < told[i].cpus->len; k++)
			take_given(q, g, told, i, &g_array_index(told[i].cpus, struct trc_guest_cpu, k));
	for (uint32_t i = 0; i < n; i++)
		g_clear_pointer(&told[i].cpus, g_array_unref);
	g_free(told);
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
	if (qry_host_count(q) > 1 && g->vcpus->len > 0) {
		take_all_given(q, g);
		return g;
	}
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
