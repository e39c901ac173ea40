/* SPDX-License-Identifier: MIT */
/*
 * How it works: a CPU goes off-line and comes on-line in steps (kernel/cpu.c). cpuhp_enter and cpuhp_exit
 * enclose each step and name the CPU. One thread goes through the steps, the one that wrote to sysfs or
 * suspends: _cpu_down(), _cpu_up(). Some steps must run on that CPU. The thread leaves these to the CPU's own
 * thread, cpuhp/N, and waits for it in a step of its own (cpuhp_kick_ap_work(), takedown_cpu(),
 * bringup_wait_for_ap_online()). In there, cpuhp/N ends no other wait (proofs.md R26.4):
 * wait_for_ap_thread(), ended by complete_ap_thread(), and kthread_park(), ended by the thread as it parks.
 * If a CPU comes up, its idle thread ends the first wait.
 */
#include "model/power/power.h"

#include "model/core/cpu.h"
#include "model/core/frame.h"
#include "model/core/recent.h"
#include "model/core/thread.h"
#include "model/sched/sched.h"

#include <string.h>

struct mdl_power_by mdl_power_by(const struct mdl_thread *t)
{
	struct mdl_power_by by = { .tid = t ? t->tid : -1 };

	if (t)
		memcpy(by.name, t->comm, sizeof by.name);
	return by;
}

/* True if T is the thread that runs the own steps of CPU; CPU MDL_NONE: of any CPU. */
static bool is_stepper(const struct mdl_thread *t, uint32_t cpu)
{
	static const char prefix[] = "cpuhp/";
	const char *number = t->comm + strlen(prefix);
	char name[MDL_COMM];

	if (!t->has_comm || strncmp(t->comm, prefix, strlen(prefix)) != 0 || !g_ascii_isdigit(*number))
		return false;
	g_snprintf(name, sizeof name, "%s%" G_GUINT32_FORMAT, prefix, cpu);
	return cpu == MDL_NONE || strncmp(t->comm, name, MDL_COMM) == 0;
}

void mdl_power_plugs(struct mdl_machine *m, const struct mdl_thread *t, int64_t cpu, bool up)
{
	struct mdl_power *p = m->power;
	struct mdl_hotplug_seen s = { .cpu = (uint32_t)cpu,
		.up = up,
		.for_suspend = p->phase == MDL_POWER_FROZEN,
		.from = m->now,
		.by = mdl_power_by(t) };
	const struct mdl_hotplug_seen *before = NULL;

	if (cpu < 0 || cpu >= UINT32_MAX || p->hotplugs->len == MDL_POWER_KEPT)
		return;
	for (guint i = p->hotplugs->len; i-- > 0 && !before;) {
		const struct mdl_hotplug_seen *b = &g_array_index(p->hotplugs, struct mdl_hotplug_seen, i);

		before = b->cpu == s.cpu ? b : NULL;
	}
	if (!before || before->up != s.up) /* otherwise it is another step of one hotplug */
		g_array_append_val(p->hotplugs, s);
}

void mdl_power_hotplug(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_power *p = m->power;
	const struct mdl_thread *t = mdl_cpu_get(m, e->cpu)->current;
	int64_t cpu = e->arg[MDL_HOTPLUG_CPU], step = e->arg[MDL_HOTPLUG_STEP],
		target = e->arg[MDL_HOTPLUG_TARGET];
	struct mdl_power_step *h;

	if (!t || t->tid <= 0 || cpu < 0 || cpu >= UINT32_MAX || step < 0 || step > UINT32_MAX ||
		is_stepper(t, MDL_NONE))
		return;
	if (e->kind == MDL_EV_HOTPLUG_EXIT) {
		h = mdl_recent_find(p->steps, (uint64_t)t->tid);
		if (h && h->kills && h->is.cpu == cpu && e->arg[MDL_HOTPLUG_RET] == 0)
			mdl_sched_off(m, (uint32_t)cpu);
		mdl_recent_drop(p->steps, (uint64_t)t->tid);
		return;
	}
	if (target < 0)
		return;
	h = mdl_recent_put(p->steps, (uint64_t)t->tid);
	/* CPUHP_OFFLINE is the target of takedown_cpu() and of the steps after it, in which the dead CPU has
	 * no part. */
	h->kills = target == 0 && step > 0;
	h->is = (struct mdl_hotplug){ .cpu = (uint32_t)cpu,
		.up = target >= step, /* the step of a CPU that comes up may be the last one */
		.step = (uint32_t)step,
		.function = mdl_event_address(e, MDL_HOTPLUG_FUNCTION),
		.entered = m->now };
	p->n_steps++;
	mdl_power_plugs(m, t, cpu, h->is.up);
}

/* True if the thread on C, which is CPU, does that CPU's part in STEP of another thread: cpuhp/N, or, as the
 * CPU comes up, its idle thread (cpuhp_online_idle()). */
static bool does_part(const struct mdl_cpu *c, uint32_t cpu, const struct mdl_hotplug *step)
{
	if (!c->current)
		return false;
	return is_stepper(c->current, step->cpu) || (step->up && cpu == step->cpu && c->current == c->idle);
}

void mdl_power_step(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t, struct mdl_facts *facts)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	const struct mdl_power_step *h = mdl_recent_find(m->power->steps, (uint64_t)t->tid);

	if (!h || t->phase_since == MDL_NEVER || t->phase_since < h->is.entered ||
		t->block != MDL_BLOCK_UNINTERRUPTIBLE || !does_part(c, cpu, &h->is))
		return;
	facts->hotplug = h->is;
	facts->has |= MDL_FACT_HOTPLUG;
}
