/* SPDX-License-Identifier: MIT */
/*
 * How it works: an answer goes from a wait to what ended it, and on from there. So it can name the threads in
 * the causes of a thread's wake-ups, the threads in the causes of their wake-ups, and so on. The index has
 * the thread of each CPU at each time.
 */
#include "query/events/thin.h"

struct search {
	struct qry *q;
	uint32_t host;
	bool *found;   /* owned; by row of the host: it is in QUEUE */
	GArray *queue; /* owned; rows (uint32_t) */
};

static void add_row(struct search *s, uint32_t row)
{
	const struct qry_host *h = qry_host(s->q, s->host);

	if (row < h->first_row || row - h->first_row >= h->n_rows || s->found[row - h->first_row] ||
		qry_row(s->q, row)->type != MDL_ROW_THREAD)
		return;
	s->found[row - h->first_row] = true;
	g_array_append_val(s->queue, row);
}

static void add_act(struct search *s, const struct mdl_act *act)
{
	if (act->time != MDL_NEVER)
		add_row(s, act->thread);
}

static void add_cause(struct search *s, uint32_t number)
{
	struct mdl_cause cause;

	if (number == 0 || !qry_cause(s->q, s->host, number, &cause))
		return;
	for (unsigned i = 0; i < cause.chain.n; i++)
		add_act(s, &cause.chain.hops[i].act);
	for (unsigned nr = 0; nr < MDL_FACTS_N; nr++) {
		const struct mdl_field *f = mdl_fact_all[nr]->fields;

		for (; cause.facts.has & 1u << nr && f->type != MDL_FIELD_END; f++)
			if (f->type == MDL_FIELD_ACT)
				add_act(s, mdl_fact_peek(&cause.facts, f->at));
	}
}

/* Add all threads of the processes of the threads found so far. */
static void add_processes(struct search *s)
{
	const struct qry_host *h = qry_host(s->q, s->host);
	g_autoptr(GHashTable) processes = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < s->queue->len; i++)
		g_hash_table_add(processes,
			GUINT_TO_POINTER(qry_row(s->q, g_array_index(s->queue, uint32_t, i))->process));
	for (uint32_t row = h->first_row; row < h->first_row + h->n_rows; row++)
		if (qry_row(s->q, row)->type == MDL_ROW_THREAD &&
			g_hash_table_contains(processes, GUINT_TO_POINTER(qry_row(s->q, row)->process)))
			add_row(s, row);
}

GHashTable *qry_thin_callers(struct qry *q, uint32_t host, const GArray *threads, int64_t from, int64_t to)
{
	struct qry_source *source = qry_source(q, host);
	struct search s = { q, host, g_new0(bool, qry_host(q, host)->n_rows),
		g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
	GHashTable *tids = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

	for (guint i = 0; i < threads->len; i++)
		add_row(&s, g_array_index(threads, uint32_t, i));
	add_processes(&s);
	for (guint i = 0; i < s.queue->len; i++) {
		uint32_t row = g_array_index(s.queue, uint32_t, i);
		g_autoptr(GArray) all = qry_wakeups(q, row, qry_source_shown(source, from),
			qry_source_shown(source, to));

		for (guint k = 0; k < all->len; k++) {
			const struct mdl_wakeup *w = &g_array_index(all, struct mdl_wakeup, k);

			add_row(&s, w->waker);
			add_cause(&s, w->cause);
		}
		g_hash_table_add(tids, g_memdup2(&qry_row(q, row)->nr, sizeof(int64_t)));
	}
	g_array_unref(s.queue);
	g_free(s.found);
	return tids;
}

/* ---- times in which other threads run ---- */

static bool is_other(struct qry *q, GHashTable *callers, const struct mdl_interval *i)
{
	return i->state != MDL_ST_UNKNOWN && i->aux != MDL_NONE &&
		!g_hash_table_contains(callers, &qry_row(q, i->aux)->nr);
}

/* Append to THIN the parts of RANGE, of the CPU of ROW, in which threads other than CALLERS run. */
static void add_thin(struct qry *q, uint32_t row, GHashTable *callers, const struct trc_cut_range *range,
	GArray *thin)
{
	struct trc_cut_range r = { .cpu = range->cpu };
	struct mdl_interval i;
	uint32_t of = MDL_NONE; /* the thread (row) of the last range; MDL_NONE: it cannot be extended */

	for (int64_t time = range->from;
		time <= range->to && qry_source_state_at(q, row, time, &i) && i.to > time; time = i.to) {
		bool other = is_other(q, callers, &i);

		if (other && of == i.aux &&
			g_array_index(thin, struct trc_cut_range, thin->len - 1).to == i.from - 1) {
			g_array_index(thin, struct trc_cut_range, thin->len - 1).to = i.to - 1;
			continue;
		}
		of = MDL_NONE;
		r.from = MAX(i.from + 1, range->from);
		r.to = i.to - 1;
		if (!other || r.from > r.to)
			continue;
		g_array_append_val(thin, r);
		of = i.aux;
	}
}

void qry_thin_ranges(struct qry *q, uint32_t host, GHashTable *callers, const GArray *ranges, GArray *thin)
{
	for (guint i = 0; i < ranges->len; i++) {
		const struct trc_cut_range *range = &g_array_index(ranges, struct trc_cut_range, i);
		uint32_t row = qry_cpu_row(q, host, range->cpu);

		if (row != MDL_NONE)
			add_thin(q, row, callers, range, thin);
	}
}
