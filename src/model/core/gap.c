/* SPDX-License-Identifier: MIT */
/*
 * How it works: while events of a CPU are lost, this CPU may switch threads, wake any sleeping thread and run
 * any waiting thread. Two things remain known: the threads that run on CPUs without a loss, and the threads
 * that have exited. All other threads are unknown until the gap is over and an event shows their state.
 *
 * The range of a gap: LTTng counts lost events with the packet that had no room for them
 * (lib_ring_buffer_try_reserve_slow() gives up while the next sub-buffer is not free). Smaller events may
 * still fit into that packet after a lost one. All events between the end of that packet and the begin of the
 * next are lost. So a gap begins where the tracer's range begins, at the end of the packet before. It ends
 * with the first event of the CPU after that range.
 */
#include "model/core/gap.h"

#include "model/core/cpu.h"
#include "model/core/line.h"
#include "model/core/thread.h"
#include "model/core/track.h"

static bool known_in_spite(const struct mdl_machine *m, const struct mdl_thread *t, uint32_t cpu)
{
	const struct mdl_cpu *c;

	if (t->phase == MDL_PH_UNKNOWN || t->phase == MDL_PH_EXITED)
		return true;
	if (t->phase != MDL_PH_RUN || t->cpu == cpu || cpu == MDL_NONE)
		return false;
	c = g_ptr_array_index(m->cpus, t->cpu);
	return c->current == t && c->gap == MDL_GAP_NONE;
}

static void forget_thread(struct mdl_machine *m, struct mdl_thread *t, int64_t since)
{
	mdl_thread_doubt(m, t);
	mdl_thread_forget(m, t, since);
	t->phase = MDL_PH_UNKNOWN;
	t->mode = MDL_MODE_UNKNOWN;
	t->phase_since = m->now;
	t->cpu = MDL_NONE;
	mdl_track_lose(m, t->track, since);
}

/* Forget each thread whose state the loss on CPU (MDL_NONE: on all CPUs) makes unknown. */
static void forget_threads(struct mdl_machine *m, uint32_t cpu, int64_t since)
{
	m->gaps.gone_over += m->threads.living->len;
	for (guint i = 0; i < m->threads.living->len; i++) {
		struct mdl_thread *t = g_ptr_array_index(m->threads.living, i);

		if (!t->track->has_open || known_in_spite(m, t, cpu) ||
			(t->phase == MDL_PH_BLOCKED &&
				mdl_gap_holds(&m->gaps, since, t->tid, t->phase_since)))
			continue;
		forget_thread(m, t, since);
	}
}

/* Forget everything except threads that the loss on CPU makes unknown. */
static void forget_rest(struct mdl_machine *m, uint32_t cpu, int64_t since)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	for (const struct mdl_part *const *p = m->parts; *p; p++)
		if ((*p)->lose)
			(*p)->lose(m, cpu, since);
	c->current = NULL;
	c->is_sure = c->switched = false;
	mdl_cpu_clear(c);
	m->gaps.had = true;
	mdl_track_lose(m, c->track, since);
	mdl_line_lose(m, cpu, since);
}

static void gap_forget(struct mdl_machine *m, uint32_t cpu, int64_t since)
{
	forget_threads(m, cpu, since);
	forget_rest(m, cpu, since);
}

static void set_phase(struct mdl_machine *m, struct mdl_cpu *c, enum mdl_gap_phase phase)
{
	if ((c->gap == MDL_GAP_NONE) != (phase == MDL_GAP_NONE))
		m->gaps.open += phase == MDL_GAP_NONE ? -1u : 1u;
	c->gap = (uint8_t)phase;
}

void mdl_gap_begin(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	c->n_gaps += c->n_gaps < UINT16_MAX;
	set_phase(m, c, MDL_GAP_OPEN);
	gap_forget(m, cpu, m->now);
}

void mdl_gap_end(struct mdl_machine *m, uint32_t cpu, int64_t last)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	c->n_gaps -= c->n_gaps > 0;
	if (c->n_gaps > 0) /* another stream of the CPU still loses events */
		return;
	c->lost_since = last;
	set_phase(m, c, MDL_GAP_ENDING);
	gap_forget(m, cpu, last);
}

void mdl_gap_resume(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_peek(m, cpu);

	if (!c || c->gap != MDL_GAP_ENDING)
		return;
	set_phase(m, c, MDL_GAP_NONE);
	gap_forget(m, cpu, c->lost_since);
	c->lost_until = m->gaps.lost_until = m->now;
}

void mdl_gap_hole(struct mdl_machine *m, int64_t since)
{
	forget_threads(m, MDL_NONE, since);
	for (uint32_t i = 0; i < m->cpus->len; i++) {
		if (!mdl_cpu_peek(m, i))
			continue;
		forget_rest(m, i, since);
		mdl_cpu_get(m, i)->lost_until = m->now;
	}
	m->gaps.lost_until = m->now;
}
