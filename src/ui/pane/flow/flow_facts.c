/* SPDX-License-Identifier: MIT */
/*
 * How it works: time in states is two look-ups for each row, whatever the window.  Only who ran on a CPU, and
 * worst latencies, take as long as there are intervals, or wake-ups, in the window.
 */
#include "ui/pane/flow/flow_facts.h"

#include "analysis/latency/latency.h"
#include "base/base_error.h"

#define SLICES 64 /* in so many parts the history of a CPU is read */

struct finder {
	struct qry *q;
	struct flow_facts *facts;
	struct base_progress *progress;
};

/* How much of [FROM, TO) the state in which ROW is at AT takes, where that is a rest. */
static int64_t rest_at(struct finder *f, uint32_t row, int64_t at, struct mdl_interval *iv)
{
	const struct flow_facts_question *asked = &f->facts->question;

	if (!qry_state_at(f->q, row, at, iv) || iv->state != MDL_ST_BLOCKED ||
		iv->detail == MDL_BLOCK_UNINTERRUPTIBLE || iv->detail == MDL_BLOCK_KILLABLE)
		return 0;
	return MIN(iv->to, asked->to) - MAX(iv->from, asked->from);
}

static int64_t waited(struct finder *f, uint32_t row, const struct qry_cell *cell)
{
	const struct flow_facts_question *asked = &f->facts->question;
	int64_t all = cell->ns[MDL_ST_BLOCKED] + cell->ns[MDL_ST_WAIT_CPU] + cell->ns[MDL_ST_PREEMPTED];
	struct mdl_interval first = { 0 }, last = { 0 };

	if (!asked->waited || cell->ns[MDL_ST_BLOCKED] == 0)
		return all;
	all -= rest_at(f, row, asked->from, &first);
	if (first.from > asked->from || first.to < asked->to) /* else it is the same */
		all -= rest_at(f, row, asked->to - 1, &last);
	return all;
}

static void add_states(struct finder *f, uint32_t row)
{
	struct flow_fact *fact = &f->facts->rows[row];
	struct qry_cell cell;

	qry_share(f->q, row, f->facts->question.from, f->facts->question.to, &cell);
	for (unsigned i = 0; i < MDL_ST_N; i++)
		fact->states |= cell.ns[i] > 0 ? 1U << i : 0;
	fact->on_cpu = qry_cell_on_cpu(&cell);
	fact->waited = waited(f, row, &cell);
	fact->late = -1;
}

static bool is_on_cpu(const struct mdl_interval *iv)
{
	return mdl_state_runs(iv->state) || iv->state == MDL_ST_INTERRUPTED;
}

/* ROW, a CPU or an interrupt line, in [FROM, TO): threads that ran on the CPU, or whether the line did on one
 * that is asked for. */
static void add_ran(struct finder *f, uint32_t row, int64_t from, int64_t to, uint8_t bit)
{
	const struct flow_facts_question *asked = &f->facts->question;
	bool is_cpu = qry_row(f->q, row)->type == MDL_ROW_CPU;
	g_autoptr(GArray) states = qry_states(f->q, row, from, to);

	for (guint i = 0; i < states->len; i++) {
		const struct mdl_interval *iv = &g_array_index(states, struct mdl_interval, i);

		if (is_cpu && iv->aux != MDL_NONE && is_on_cpu(iv))
			f->facts->rows[iv->aux].cpus |= bit;
		for (unsigned c = 0; !is_cpu && iv->state == MDL_ST_RUNNING && c < asked->n_cpus; c++)
			f->facts->rows[row].cpus |= iv->aux == asked->cpu[c] ? 1U << c : 0;
	}
}

/* The whole window, bit by bit.  False: cancelled. */
static bool add_all_ran(struct finder *f, uint32_t row, uint8_t bit)
{
	int64_t from = f->facts->question.from, to = f->facts->question.to;

	for (unsigned i = 0; i < SLICES && !base_progress_cancelled(f->progress); i++)
		add_ran(f, row, qry_column_time(from, to, SLICES, i),
			qry_column_time(from, to, SLICES, i + 1), bit);
	return !base_progress_cancelled(f->progress);
}

static bool add_cpus(struct finder *f)
{
	const struct flow_facts_question *asked = &f->facts->question;
	bool whole = true;

	for (uint32_t row = 0; row < f->facts->n && whole; row++) {
		const struct qry_row *r = qry_row(f->q, row);

		if (asked->n_cpus && (r->type == MDL_ROW_IRQ || r->type == MDL_ROW_SOFTIRQ))
			whole = add_all_ran(f, row, 0);
		for (unsigned c = 0; r->type == MDL_ROW_CPU && whole && c < asked->n_cpus; c++) {
			if (r->nr != asked->cpu[c])
				continue;
			f->facts->rows[row].cpus |= 1U << c;
			whole = add_all_ran(f, row, (uint8_t)(1U << c));
		}
	}
	return whole;
}

static bool add_late(struct finder *f, GError **error)
{
	struct ana_latency_options options = { .kind = "wakeup",
		.by = ANA_LATENCY_BY_THREAD,
		.row = MDL_NONE,
		.from = f->facts->question.from,
		.to = f->facts->question.to };
	struct ana_latency *l = ana_latency_new(f->q, &options, f->progress, error);

	if (!l)
		return false;
	for (guint i = 0; i < l->groups->len; i++) {
		const struct ana_latency_group *g = &g_array_index(l->groups, struct ana_latency_group, i);

		if (g->id < f->facts->n && g->figures.count > 0)
			f->facts->rows[g->id].late = g->figures.max;
	}
	ana_latency_free(l);
	return true;
}

struct flow_facts *flow_facts_new(struct qry *q, const struct flow_facts_question *question,
	struct base_progress *progress, GError **error)
{
	struct flow_facts *facts = g_new0(struct flow_facts, 1);
	struct finder f = { q, facts, progress };
	bool whole = true;

	facts->question = *question;
	facts->n = qry_row_count(q);
	facts->rows = g_new0(struct flow_fact, facts->n);
	for (uint32_t row = 0; row < facts->n && whole; row++) {
		add_states(&f, row);
		whole = !base_progress_cancelled(progress);
	}
	if (!whole || !add_cpus(&f))
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	else if (!question->late || add_late(&f, error))
		return facts;
	flow_facts_free(facts);
	return NULL;
}

void flow_facts_free(struct flow_facts *facts)
{
	if (facts)
		g_free(facts->rows);
	g_free(facts);
}
