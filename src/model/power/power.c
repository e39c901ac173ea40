/* SPDX-License-Identifier: MIT */
/*
 * How it works: a suspend freezes all user threads, stops devices and CPUs, and time-keeping last. Then it
 * goes back all the way (pm_suspend(), kernel/power/suspend.c). suspend_resume marks the begin and the end of
 * each part, by its name.
 *
 * The freezer is one thread (suspend_prepare(), freeze_processes(), kernel/power/process.c). It wakes threads
 * that sleep interruptibly, as a signal would (fake_signal_wake_up(), kernel/freezer.c). It waits until each
 * user thread sleeps in the refrigerator, or, since Linux 6.1, sleeps where it may be frozen as it is
 * (TASK_FREEZABLE). If it succeeds, all user threads except itself are frozen, and only thaw_processes() of
 * that thread wakes them (proofs.md R26.1). If it fails, it thaws them before the end of "freeze_processes".
 * Only some kernel threads are frozen: if T may be a kernel thread, the statement is only likely (R26.2).
 *
 * A user thread that slept from before until after the suspend was frozen in between, whatever ended its
 * sleep (R26.3).
 */
#include "model/power/power.h"

#include "model/core/cpu.h"
#include "model/core/frame.h"
#include "model/core/recent.h"
#include "model/core/thread.h"

#define KTHREADD 2 /* the parent of all kernel threads, and of no other (kernel/kthread.c) */

/* True if T is surely no kernel thread, or one that a user thread made, which is frozen like user threads. */
static bool is_user(struct mdl_machine *m, const struct mdl_thread *t)
{
	const struct mdl_row *r = &t->track->row;
	const struct mdl_thread *kthreadd = mdl_thread_peek(m, KTHREADD);

	if (t->mode != MDL_MODE_UNKNOWN || (r->ppid != -1 && r->ppid != KTHREADD) ||
		(r->pid != -1 && r->pid != t->tid))
		return true;
	return r->ppid == -1 && r->parent != MDL_NONE && !(kthreadd && kthreadd->track->id == r->parent);
}

/* ---- what the suspend does ---- */

/* The current suspend; NULL: none. */
static struct mdl_suspend_seen *seen_now(const struct mdl_power *p)
{
	struct mdl_suspend_seen *last = p->suspends->len == 0
		? NULL
		: &g_array_index(p->suspends, struct mdl_suspend_seen, p->suspends->len - 1);

	return last && last->to == MDL_NEVER ? last : NULL;
}

static void seen_begin(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_suspend_seen s = { .from = m->now,
		.to = MDL_NEVER,
		.by = mdl_power_by(mdl_cpu_get(m, cpu)->current) };

	if (!seen_now(m->power) && m->power->suspends->len < MDL_POWER_KEPT)
		g_array_append_val(m->power->suspends, s);
}

static void power_forget(struct mdl_power *p)
{
	p->phase = MDL_POWER_AWAKE;
	p->begin = p->frozen = p->stops_from = p->stopped_by = p->goes_from = MDL_NEVER;
	p->least = p->most = 0;
}

static void freeze(struct mdl_machine *m, const struct mdl_event *e, bool begins)
{
	struct mdl_power *p = m->power;

	if (begins) {
		power_forget(p);
		seen_begin(m, e->cpu);
		p->phase = MDL_POWER_FREEZES;
		p->begin = m->now;
		p->act = mdl_cpu_act(m, e->cpu);
	} else if (p->phase == MDL_POWER_FREEZES) { /* otherwise it failed, and thawed the threads */
		p->phase = MDL_POWER_FROZEN;
		p->frozen = m->now;
	}
}

/* The suspend for which a thread, frozen at FROM, waited until now. */
static struct mdl_suspend suspend_of(const struct mdl_power *p, enum mdl_suspend_by by, int64_t from)
{
	return (struct mdl_suspend){ .by = by,
		.begin = p->begin,
		.from = p->begin == MDL_NEVER ? MDL_NEVER : MAX(from, p->begin),
		.act = p->act,
		.least = p->least,
		.most = p->most };
}

/* All user threads are frozen. For a thread that left its CPU for the refrigerator, prev_state shows only an
 * uninterruptible sleep, up to Linux 6.0 and since 6.14: correct it. */
static void find_frozen(struct mdl_machine *m)
{
	const struct mdl_power *p = m->power;

	m->gaps.gone_over += m->threads.living->len;
	for (guint i = 0; i < m->threads.living->len; i++) {
		struct mdl_thread *t = g_ptr_array_index(m->threads.living, i);

		if (t->phase == MDL_PH_BLOCKED && t->block == MDL_BLOCK_UNINTERRUPTIBLE &&
			t->phase_since != MDL_NEVER && t->phase_since >= p->begin &&
			t->phase_since <= p->frozen && t->track->open.from == t->phase_since && is_user(m, t))
			mdl_track_correct(m, t->track, MDL_ST_BLOCKED, MDL_BLOCK_FROZEN, t->cpu);
	}
}

static void thaw(struct mdl_machine *m, const struct mdl_event *e, bool begins)
{
	struct mdl_power *p = m->power;
	struct mdl_suspend_seen *seen = seen_now(p);

	if (!begins && seen)
		seen->to = m->now;
	if (begins) {
		p->reaches = p->phase == MDL_POWER_FROZEN;
		p->phase = MDL_POWER_THAWS;
		p->act = mdl_cpu_act(m, e->cpu);
		if (p->reaches)
			find_frozen(m);
	} else if (p->phase == MDL_POWER_THAWS) {
		if (p->reaches) {
			p->last = suspend_of(p, MDL_SUSPEND_BY_OTHER, MDL_NEVER);
			p->last_frozen = p->frozen;
		}
		power_forget(p);
	}
}

/* Time-keeping was stopped for at least INNER and at most OUTER ns. */
static void add_stop(struct mdl_power *p, int64_t inner, int64_t outer)
{
	struct mdl_suspend_seen *seen = seen_now(p);

	p->least += inner;
	p->most += p->goes_on ? outer : 0;
	if (seen) {
		seen->stopped = true;
		seen->least = p->least;
		seen->most = p->most;
	}
	p->stops_from = p->stopped_by = p->goes_from = MDL_NEVER;
}

/* syscore_suspend() calls timekeeping_suspend(), among others (drivers/base/syscore.c), … */
static void stop_core(struct mdl_power *p, int64_t now, bool begins)
{
	if (begins)
		p->stops_from = now;
	else
		p->stopped_by = now;
}
static void start_core(struct mdl_power *p, int64_t now, bool begins)
{
	if (begins)
		p->goes_from = now;
	else if (p->stops_from != MDL_NEVER && p->stopped_by != MDL_NEVER && p->goes_from != MDL_NEVER)
		add_stop(p, p->goes_from - p->stopped_by, now - p->stops_from);
}
/* … or the last CPU that becomes idle stops time-keeping, and the first one that wakes starts it
 * (tick_freeze(), kernel/time/tick-common.c). */
static void stop_idle(struct mdl_power *p, int64_t now, bool begins)
{
	if (begins)
		p->stops_from = now;
	else if (p->stops_from != MDL_NEVER)
		add_stop(p, 0, now - p->stops_from);
}

void mdl_power_suspend(struct mdl_machine *m, const struct mdl_event *e)
{
	bool begins = e->arg[MDL_SUSPEND_START] == 1;
	const char *what = e->text[0];

	if (!what || (!begins && e->arg[MDL_SUSPEND_START] != 0))
		return;
	if (g_str_equal(what, "freeze_processes"))
		freeze(m, e, begins);
	else if (g_str_equal(what, "thaw_processes"))
		thaw(m, e, begins);
	else if (g_str_equal(what, "syscore_suspend"))
		stop_core(m->power, m->now, begins);
	else if (g_str_equal(what, "syscore_resume"))
		start_core(m->power, m->now, begins);
	else if (begins && (g_str_equal(what, "CPU_OFF") || g_str_equal(what, "CPU_ON")))
		mdl_power_plugs(m, mdl_cpu_get(m, e->cpu)->current, e->arg[MDL_SUSPEND_VAL],
			g_str_equal(what, "CPU_ON"));
	else if (g_str_equal(what, "timekeeping_freeze"))
		stop_idle(m->power, m->now, begins);
}

/* ---- idle states of CPUs ---- */

/*
 * A CPU writes cpu_idle for itself, with the number of the state, before it enters that, and with
 * PWR_EVENT_EXIT, which is -1, when it has left it: cpuidle_enter_state() (drivers/cpuidle/cpuidle.c), and
 * without a driver, as state 1, default_idle_call(), as state 0 cpu_idle_poll() (kernel/sched/idle.c). A
 * state that leaves interrupts on is over with the first one, which has events before that: so any event of
 * the CPU ends a state (mdl_machine_event()).
 */
void mdl_power_idle(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t state = e->arg[MDL_CPU_IDLE_STATE], cpu = e->arg[MDL_CPU_IDLE_CPU];

	if (cpu != MDL_ARG_ABSENT && cpu != e->cpu)
		return;
	mdl_cpu_get(m, e->cpu)->sleeps = state >= 0 && state < MDL_IDLE_STATES
		? (uint8_t)(MDL_IDLE_STATE + state)
		: MDL_IDLE_ONLINE;
	mdl_cpu_refresh(m, e->cpu);
}

/* ---- wake-ups ---- */

/* True if T, which sleeps and which the thawing thread wakes, is thawed. Sets S. */
static bool is_thawed(struct mdl_machine *m, const struct mdl_thread *t, struct mdl_suspend *s)
{
	const struct mdl_power *p = m->power;
	bool known = p->frozen != MDL_NEVER && t->phase_since != MDL_NEVER;

	if (t->block == MDL_BLOCK_IDLE || (known && t->phase_since > p->frozen))
		return false;
	*s = suspend_of(p, MDL_SUSPEND_BY_THAW, t->phase_since);
	s->doubts = is_user(m, t) && known && p->reaches ? 0 : MDL_DOUBT(SIGNAL);
	return true;
}

/* True if the freezer wakes T to freeze it. Sets S. */
static bool is_woken_to_freeze(struct mdl_machine *m, const struct mdl_thread *t, struct mdl_suspend *s)
{
	const struct mdl_power *p = m->power;

	if (!is_user(m, t) || t->block != MDL_BLOCK_INTERRUPTIBLE)
		return false;
	*s = suspend_of(p, MDL_SUSPEND_BY_FREEZE, MDL_NEVER);
	s->from = MDL_NEVER;
	s->doubts = t->phase_since != MDL_NEVER && t->phase_since < p->begin ? 0 : MDL_DOUBT(SIGNAL);
	return true;
}

/* True if T, which wakes up, has slept since before the last suspend, and so was frozen. Sets S. */
static bool was_frozen(struct mdl_machine *m, const struct mdl_thread *t, struct mdl_suspend *s)
{
	const struct mdl_power *p = m->power;

	if (p->last_frozen == MDL_NEVER || t->phase_since == MDL_NEVER || t->phase_since > p->last_frozen ||
		t->phase != MDL_PH_BLOCKED || !is_user(m, t))
		return false;
	*s = p->last;
	s->from = MAX(t->phase_since, s->begin);
	return true;
}

static bool is_suspender(const struct mdl_power *p, const struct mdl_cpu *c)
{
	return p->act.thread != MDL_NONE && mdl_cpu_thread(c) == p->act.thread;
}

/* The rest of power_collect(), if a suspend or a step of a CPU was seen. */
G_NO_INLINE static void collect_some(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, struct mdl_facts *facts)
{
	const struct mdl_power *p = m->power;
	const struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	bool own = l == &c->own && t->phase == MDL_PH_BLOCKED, is;

	if (own && p->phase == MDL_POWER_THAWS && is_suspender(p, c))
		is = is_thawed(m, t, &facts->suspend);
	else if (own && p->phase == MDL_POWER_FREEZES && is_suspender(p, c))
		is = is_woken_to_freeze(m, t, &facts->suspend);
	else
		is = was_frozen(m, t, &facts->suspend);
	if (is)
		facts->has |= MDL_FACT_SUSPEND;
	else if (own && p->n_steps > 0)
		mdl_power_step(m, cpu, t, facts);
}

static void power_collect(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, struct mdl_facts *facts)
{
	const struct mdl_power *p = m->power;

	if (p->phase != MDL_POWER_AWAKE || p->last_frozen != MDL_NEVER || p->n_steps > 0)
		collect_some(m, cpu, l, t, facts);
}

/* ---- the part ---- */

static void power_init(struct mdl_machine *m, G_GNUC_UNUSED const char *release)
{
	power_forget(m->power);
	m->power->last_frozen = MDL_NEVER;
	m->power->steps = mdl_recent_new(sizeof(struct mdl_power_step), 256);
	m->power->hotplugs = g_array_new(FALSE, FALSE, sizeof(struct mdl_hotplug_seen));
	m->power->suspends = g_array_new(FALSE, FALSE, sizeof(struct mdl_suspend_seen));
}

static void power_clear(struct mdl_machine *m)
{
	mdl_recent_free(m->power->steps);
	g_array_unref(m->power->hotplugs);
	g_array_unref(m->power->suspends);
}

static void power_lose(struct mdl_machine *m, G_GNUC_UNUSED uint32_t cpu, G_GNUC_UNUSED int64_t since)
{
	power_forget(m->power);
	mdl_recent_clear(m->power->steps);
}

const struct mdl_part mdl_part_power = {
	.machine = MDL_KEPT(struct mdl_machine, power),
	.init = power_init,
	.clear = power_clear,
	.lose = power_lose,
	.collect = power_collect,
};
