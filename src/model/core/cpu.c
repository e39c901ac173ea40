/* SPDX-License-Identifier: MIT */
#include "model/core/cpu.h"

#include "model/core/gap.h"
#include "model/core/missing.h"
#include "model/core/thread.h"
#include "model/core/track.h"

struct mdl_cpu *mdl_cpu_new(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = g_new0(struct mdl_cpu, 1);

	if (m->cpus->len > 0 && m->coverage.lone) {
		m->coverage.lone = false;
		mdl_coverage_update(&m->coverage);
	}
	if (cpu >= m->cpus->len)
		g_ptr_array_set_size(m->cpus, (gint)cpu + 1);
	c->track = mdl_track_new(m, MDL_ROW_CPU, cpu, m->from);
	c->softirqs = g_hash_table_new(g_direct_hash, g_direct_equal);
	c->own.context = MDL_NONE;
	c->lost_until = c->left_at = MDL_NEVER;
	for (const struct mdl_part *const *p = m->parts; *p; p++) {
		mdl_part_keep(c, &(*p)->cpu);
		if ((*p)->init_cpu)
			(*p)->init_cpu(c);
	}
	g_ptr_array_index(m->cpus, cpu) = c;
	mdl_track_set(m, c->track, m->from, MDL_ST_UNKNOWN, 0, MDL_NONE);
	return c;
}

void mdl_cpu_free(struct mdl_machine *m)
{
	for (uint32_t i = 0; i < m->cpus->len; i++) {
		struct mdl_cpu *c = mdl_cpu_peek(m, i);

		if (!c)
			continue;
		for (const struct mdl_part *const *p = m->parts; *p; p++) {
			if ((*p)->clear_cpu)
				(*p)->clear_cpu(c);
			mdl_part_drop(c, &(*p)->cpu);
		}
		g_hash_table_unref(c->softirqs);
		g_free(c);
	}
	g_ptr_array_unref(m->cpus);
}

bool mdl_cpu_has_interrupt(const struct mdl_cpu *c)
{
	const struct mdl_level *softirq = c->current ? c->current->softirq : NULL;

	return c->depth > 1 ||
		!(c->stack[0].type == MDL_CTX_HRTIMER && softirq && softirq->nr == MDL_SOFTIRQ_HRTIMER);
}

void mdl_cpu_refresh(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	uint32_t thread = mdl_cpu_thread(c);

	if (c->gap != MDL_GAP_NONE)
		mdl_track_set(m, c->track, m->now, MDL_ST_UNKNOWN, 0, MDL_NONE);
	else if (c->current && !mdl_missing_none(&m->missing) && mdl_missing_hides_run(m, c->current))
		mdl_track_set(m, c->track, m->now, MDL_ST_UNKNOWN, 0, MDL_NONE);
	else if (mdl_cpu_is_interrupted(c))
		mdl_track_set(m, c->track, m->now, MDL_ST_INTERRUPTED, c->stack[c->depth - 1].context,
			thread);
	else if (!c->current)
		mdl_track_set(m, c->track, m->now, MDL_ST_UNKNOWN, 0, MDL_NONE);
	else if (c->current == c->idle)
		mdl_track_set(m, c->track, m->now, MDL_ST_IDLE,
			c->stops == MDL_STOPS_OFF ? MDL_IDLE_OFFLINE : c->sleeps, thread);
	else
		mdl_track_set(m, c->track, m->now, mdl_thread_runs(c->current), mdl_thread_call(c->current),
			thread);
}

struct mdl_level *mdl_cpu_level(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	if (c->is_unseen)
		return &c->unseen;
	if (c->depth > 0)
		return &c->stack[c->depth - 1];
	return c->current && c->current->softirq ? c->current->softirq : &c->own;
}

struct mdl_act mdl_cpu_act_of(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l)
{
	return (struct mdl_act){ .time = m->now,
		.cpu = cpu,
		.context = l->context,
		/* Without its entry event, the only known bound is that the context was entered before
		 * now. */
		.entry = l->context == MDL_NONE ? MDL_NEVER
			: l->told               ? m->now
						: l->entry,
		.thread = mdl_cpu_thread(mdl_cpu_get(m, cpu)) };
}

struct mdl_act mdl_cpu_act(struct mdl_machine *m, uint32_t cpu)
{
	return mdl_cpu_act_of(m, cpu, mdl_cpu_level(m, cpu));
}

void mdl_cpu_place(struct mdl_machine *m, uint32_t cpu, struct mdl_wakeup *w)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	w->cpu = cpu;
	w->waker = MDL_NONE;
	w->n_contexts = 0;
	/* the thread and the contexts of this CPU may have changed in lost events */
	if (c->gap != MDL_GAP_NONE)
		return;
	w->waker = mdl_cpu_thread(c);
	w->n_contexts = (uint8_t)c->depth;
	for (uint32_t i = 0; i < c->depth; i++) {
		w->contexts[i].context = c->stack[i].context;
		w->contexts[i].entry = c->stack[i].entry;
	}
	if (c->is_unseen && w->n_contexts < MDL_CTX_MAX) {
		w->contexts[w->n_contexts].context = c->unseen.context;
		w->contexts[w->n_contexts++].entry = c->unseen.entry;
	}
}

void mdl_cpu_clear(struct mdl_cpu *c)
{
	c->depth = 0;
	c->own.facts.has = 0;
	c->own.expired_timer = 0;
	c->own.origin.n = 0;
	c->is_unseen = false;
	c->leaving = NULL;
	c->sleeps = MDL_IDLE_ONLINE;
}
