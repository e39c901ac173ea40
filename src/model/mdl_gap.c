/* SPDX-License-Identifier: MIT */
/*
 * How it works: when events of a CPU are lost, that CPU may have switched
 * threads, woken any sleeping thread and run any waiting one.  Only threads that
 * run on a CPU whose events are all there are known to go on; exited threads
 * stay exited.  All others are unknown until an event tells.  A gap counts at
 * both its ends: at its begin, because events may be missing from there, and at its end,
 * reckoned from the last event before it, because LTTng loses what comes after
 * the last event of a packet (lib_ring_buffer_try_reserve_slow()).
 */
#include "model/mdl_parts.h"

static bool known_in_spite(const struct mdl_machine *m, const struct mdl_thread *t, uint32_t cpu)
{
	const struct mdl_cpu *c;

	if (t->phase == MDL_PH_UNKNOWN || t->phase == MDL_PH_EXITED)
		return true;
	if (t->phase != MDL_PH_RUN || t->cpu == cpu)
		return false;
	c = g_ptr_array_index(m->cpus, t->cpu);
	return c->current == t;
}

static void forget_thread(struct mdl_machine *m, struct mdl_thread *t, int64_t since)
{
	mdl_sched_drop_pending(m, t);
	t->phase = MDL_PH_UNKNOWN;
	t->mode = MDL_MODE_UNKNOWN;
	t->phase_since = m->now;
	t->cpu = MDL_NONE;
	mdl_track_lose(m, t->track, since);
}

void mdl_gap_forget(struct mdl_machine *m, uint32_t cpu, int64_t since)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	for (guint i = 0; i < m->threads->len; i++) {
		struct mdl_thread *t = g_ptr_array_index(m->threads, i);

		if (t->track->has_open && !known_in_spite(m, t, cpu))
			forget_thread(m, t, since);
	}
	c->current = NULL;
	c->depth = 0;
	mdl_track_lose(m, c->track, since);
	mdl_line_lose(m, cpu, since);
}
