/* SPDX-License-Identifier: MIT */
/*
 * How it works: a switch is missing if the thread that an event of a CPU names is not the thread that the
 * last recorded switch brought there (trc_running.c, proofs.md R25.3).
 *
 * A tracer can record a set of threads (set_event_pid, which trace-cmd record -P and -F use). It records the
 * switches that bring or remove a thread of the set, and no others
 * (event_filter_pid_sched_switch_probe_pre(), kernel/trace/trace_events.c). So a thread that lacks a switch
 * is outside the set. No recorded switch is between two threads outside. The other thread in a switch with an
 * outside thread is in the set, and all its switches are recorded. Each remaining thread may be outside, and
 * may run elsewhere while it seems to wait.
 *
 * The tracer records other events of the set only, and in addition the wake-ups of its threads by others
 * (trace_event_ignore_this_pid(), event_filter_pid_sched_wakeup_probe_pre()). With event-fork (trace-cmd
 * record -c, event_filter_pid_sched_process_fork()) new threads join the set. event-fork is on if a thread
 * that was born in the trace has events of its own, and no thread outside has any.
 *
 * If threads that lack switches have switches between each other, there is no set: the event was off for a
 * while, or has another filter. Then it is unknown what any thread did at that time.
 *
 * If less than one switch in fifty is missing, the states follow from the others: the kernel may hide a
 * thread of its own. Missing switches from idle to a thread whose wake-up is recorded change nothing either,
 * however many they are (a filter prev_pid != 0, or a kernel that hides them on one CPU). The thread leaves
 * the CPU by a recorded switch, or by a missing one, which counts. Only the time at which the thread came is
 * unknown. If nothing is recorded while a CPU is idle (perf's exclude_idle), the wake-ups are missing as
 * well, and each missing switch counts.
 */
#include "model/core/missing.h"

#include "model/core/cpu.h"
#include "model/core/thread.h"

#define FEW 50   /* states do not follow if more than one switch in FEW is missing … */
#define MANY 500 /* … ten times in a row: each adds FEW to LATELY, each recorded switch takes 1 away */
/* limit of LATELY: after MOST - MANY recorded switches without a missing one, states follow again */
#define MOST 1000
/* a thread lacks many if one in OWN of its own is missing; its coming and its leaving count once each */
#define OWN 5
#define OFTEN 10 /* one in OFTEN that brings a thread of the set shows that there is no set */

/* True if switches from idle are missing for all threads, not because of a set. */
static bool are_from_idle(const struct mdl_missing *x)
{
	return x->filtered && x->against * OFTEN > x->n;
}

/* True if only the switches of a set of threads are recorded. */
static bool is_set(const struct mdl_missing *x)
{
	return x->one > 3 && x->one > FEW * x->both && !are_from_idle(x);
}

/* True if so many switches are missing that states do not follow from the recorded ones. */
static bool are_many(const struct mdl_machine *m)
{
	const struct mdl_missing *x = &m->missing;

	return x->lately >= MANY || (x->n > 2 && x->n * FEW > m->missing.switches && is_set(x));
}

static bool is_outside(const struct mdl_thread *t)
{
	return t->unseen > t->proofs;
}

bool mdl_missing_is_set(const struct mdl_machine *m)
{
	return are_many(m) && is_set(&m->missing);
}

bool mdl_missing_any(const struct mdl_machine *m)
{
	return are_many(m) && !is_set(&m->missing);
}

/* True if many of T's own switches are missing. One is allowed: that of an exec. */
static bool lacks_many(const struct mdl_missing *x, const struct mdl_thread *t)
{
	uint32_t alone = are_from_idle(x) ? t->from_idle : 0; /* the switch that removes it is recorded */
	uint32_t n = t->unseen - alone;

	return n > 1 && (uint64_t)(n - 1) * OWN > t->runs + alone;
}

/* True if T is in the set, provided that there is a set. */
static bool is_inside(const struct mdl_missing *x, const struct mdl_thread *t)
{
	return t->proofs > t->unseen || (x->follows && !x->filtered && t->track->row.born && t->unseen == 0);
}

bool mdl_missing_hides_wait(const struct mdl_machine *m, const struct mdl_thread *t)
{
	const struct mdl_missing *x = &m->missing;

	if (mdl_missing_none(x) || (is_inside(x, t) && is_set(x)))
		return false;
	return (x->last != MDL_NEVER && t->phase_since <= x->last) || lacks_many(x, t) ||
		(is_set(x) && are_many(m));
}

bool mdl_missing_hides_run(const struct mdl_machine *m, const struct mdl_thread *t)
{
	return is_outside(t) && is_set(&m->missing) && are_many(m);
}

/* True if T only waits for a CPU according to the events. */
static bool is_awake(const struct mdl_thread *t)
{
	return t->phase == MDL_PH_WAIT_CPU || t->phase == MDL_PH_NEW;
}

void mdl_missing_note(struct mdl_machine *m, struct mdl_thread *gone, struct mdl_thread *came)
{
	struct mdl_missing *x = &m->missing;
	bool from_idle = gone && gone->tid == 0 && came && is_awake(came);

	x->n++;
	x->against += from_idle && came->proofs > 0;
	if (gone)
		gone->unseen++;
	if (came)
		came->unseen++;
	if (from_idle)
		came->from_idle++;
	if (from_idle && are_from_idle(x))
		return;
	x->lately = MIN(x->lately + FEW, MOST);
	if (are_many(m))
		x->last = m->now;
}

void mdl_missing_own(struct mdl_machine *m, const struct mdl_thread *t)
{
	m->missing.follows |= t->track->row.born;
	m->missing.filtered |= is_outside(t);
}

void mdl_missing_switch(struct mdl_machine *m, struct mdl_thread *prev, struct mdl_thread *next)
{
	struct mdl_missing *x = &m->missing;
	bool a, b;

	x->lately -= x->lately > 0;
	if (mdl_missing_none(x) || !prev || !next)
		return;
	a = is_outside(prev);
	b = is_outside(next);
	x->one += a != b;
	x->both += a && b;
	if (a && (!b || prev->unseen - prev->proofs > next->unseen - next->proofs))
		next->proofs++;
	else if (b && (!a || next->unseen - next->proofs > prev->unseen - prev->proofs))
		prev->proofs++;
}
