/* SPDX-License-Identifier: MIT */
/*
 * How it works: who runs by an event of a CPU, and by the switch before, differ where a switch is missing
 * (trc_running.c, proofs.md R25.3).
 *
 * Of a set of threads (set_event_pid, as trace-cmd record -P and -F use it) all switches are recorded that
 * take one of them out or in, and no others (event_filter_pid_sched_switch_probe_pre(),
 * kernel/trace/trace_events.c).  So who lacks a switch is outside the set; no recorded switch is between two
 * of these, and whoever else is in a switch with one of them is in the set: of that one all is known.  Of any
 * other thread nobody knows whether it is outside, and runs elsewhere while it seems to wait.
 *
 * All other events are there of the set only, but for the wake-ups of its threads by others
 * (trace_event_ignore_this_pid(), event_filter_pid_sched_wakeup_probe_pre()).  So where a thread that was
 * born meanwhile has such events, and no thread outside has any, who is born is in the set (event-fork, as
 * trace-cmd record -c sets it: event_filter_pid_sched_process_fork()).
 *
 * Where switches are missing of threads that have them among each other, it is no such set: the event was
 * switched off for a while, or is filtered by something else.  Then what anybody did at such a time is not
 * known.
 *
 * A few that are missing, fewer than one in fifty, leave the rest as it is told: the kernel may hide a thread
 * of its own.  So do those from
 * idle to a thread whose wake-up is there, be they many (a filter by prev_pid != 0, or a kernel that has them
 * hidden on one CPU): who came leaves the CPU by a switch that is there, or by one that is missing too and
 * counts.  No thread runs and waits again unseen for their sake alone; what is not known is when between two
 * events it came.  Where nothing is recorded while a CPU is idle (perf's exclude_idle), wake-ups are missing
 * as well, and each counts.
 */
#include "model/core/missing.h"

#include "model/core/cpu.h"
#include "model/core/thread.h"

#define FEW 50    /* one in so many is missing … */
#define MANY 500  /* … ten times in a row */
#define MOST 1000 /* so many that are there show that it is over, but for MANY */
#define OWN 5     /* one in so many of a thread's own, each missed as it comes and as it goes */
#define OFTEN 10  /* one in so many of a thread in the set speaks against it */

/* Are those from idle missing of all threads, and so not because of a set? */
static bool are_from_idle(const struct mdl_missing *x)
{
	return x->filtered && x->against * OFTEN > x->n;
}

/* Are only the switches of a set of threads recorded? */
static bool is_set(const struct mdl_missing *x)
{
	return x->one > 3 && x->one > FEW * x->both && !are_from_idle(x);
}

/* Are so many missing that states do not follow from those that are there? */
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

/* Are many of T's own switches missing, and not just that of an exec? */
static bool lacks_many(const struct mdl_missing *x, const struct mdl_thread *t)
{
	uint32_t alone = are_from_idle(x) ? t->from_idle : 0; /* it goes by one that is there */
	uint32_t n = t->unseen - alone;

	return n > 1 && (uint64_t)(n - 1) * OWN > t->runs + alone;
}

/* Is T one of the set, if it is one? */
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

/* Does T only wait for a CPU, as far as is told? */
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
