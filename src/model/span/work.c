/* SPDX-License-Identifier: MIT */
/* Spans of work items. span/span.c has the rules. */
#include "model/span/parts.h"

#include "model/core/thread.h"

struct work {
	int64_t since;
	uint64_t function;
	uint32_t row; /* the row that runs it; MDL_NONE: it is queued */
};

/* End the span of the item at ADDRESS in TABLE. */
static void end_work(struct mdl_machine *m, GHashTable *table, uint64_t address, enum mdl_span_kind kind,
	enum mdl_span_fate fate, uint32_t row, uint32_t cpu)
{
	const struct work *w = g_hash_table_lookup(table, (gpointer)(uintptr_t)address);

	if (!w)
		return;
	/* Without switches the worker is unknown, and may have moved. */
	if (w->row != MDL_NONE && fate == MDL_SPAN_DONE && w->row != row &&
		mdl_coverage_has(&m->coverage, MDL_GROUP_SWITCH))
		fate = MDL_SPAN_LOST;
	mdl_span_put(m, kind, mdl_span_fate_of(m, w->since, fate), w->since, m->now,
		w->row != MDL_NONE ? w->row : row, cpu, w->function);
	g_hash_table_remove(table, (gpointer)(uintptr_t)address);
}

static void begin_work(GHashTable *table, uint64_t address, const struct work *w)
{
	if (g_hash_table_size(table) < MDL_SPAN_PENDING)
		g_hash_table_insert(table, (gpointer)(uintptr_t)address, g_memdup2(w, sizeof *w));
}

/* The row that executes a work item on CPU: its thread, or in a softirq the CPU itself. */
static uint32_t worker_of(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	return c->current && mdl_cpu_level(m, cpu) == &c->own ? c->current->track->id : c->track->id;
}

void mdl_span_work(struct mdl_machine *m, const struct mdl_event *e)
{
	uint64_t address = mdl_event_address(e, MDL_WORK_WORK);
	struct work w = { .since = m->now,
		.function = mdl_event_address(e, MDL_WORK_FUNCTION),
		.row = MDL_NONE };
	struct mdl_spans *s = m->spans;
	uint32_t worker;

	if (address == 0)
		return;
	if (e->kind == MDL_EV_WORK_QUEUE) {
		/* An item that was queued before and never began was cancelled, which has no event. */
		begin_work(s->queued, address, &w);
		return;
	}
	worker = worker_of(m, e->cpu);
	if (e->kind == MDL_EV_WORK_END) {
		end_work(m, s->run, address, MDL_SPAN_WORK, MDL_SPAN_DONE, worker, e->cpu);
		return;
	}
	end_work(m, s->queued, address, MDL_SPAN_QUEUE, MDL_SPAN_DONE, worker, e->cpu);
	end_work(m, s->run, address, MDL_SPAN_WORK, MDL_SPAN_LOST, worker, e->cpu);
	w.row = worker;
	begin_work(s->run, address, &w);
}

static void span_work_finish(struct mdl_machine *m, GHashTable *table, enum mdl_span_kind kind)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, table);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct work *w = value;

		mdl_span_put(m, kind, mdl_span_fate_of(m, w->since, MDL_SPAN_OPEN), w->since, m->now, w->row,
			MDL_NONE, w->function);
	}
}

void mdl_span_finish_works(struct mdl_machine *m)
{
	span_work_finish(m, m->spans->queued, MDL_SPAN_QUEUE);
	span_work_finish(m, m->spans->run, MDL_SPAN_WORK);
}
