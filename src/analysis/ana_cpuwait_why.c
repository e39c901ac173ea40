/* SPDX-License-Identifier: MIT */
/*
 * What made a thread take the place of another, by what both did at that instant.
 *
 * kernel/sched/core.c: __schedule() picks the next thread when the current one sleeps (prev_state not 0), or
 * when TIF_NEED_RESCHED is set: by check_preempt_curr() (wakeup_preempt() since 6.8) upon a wake-up, at once
 * where the class of the woken thread is higher; by the tick (scheduler_tick() > task_tick()); by
 * sched_yield(), whose system call shows; by moving a thread here.  Which one it was the events do not say
 * but for the first and the third, so the others are inferred.
 */
#include "analysis/ana_cpuwait_parts.h"

#include "analysis/ana_class.h"

#include <string.h>

#define LOOK_BACK 8 /* intervals: interruptions between the start of a system call and its end */

/* Was thread ROW in sched_yield() when it left the CPU at TIME? */
static bool was_yielding(struct qry *q, uint32_t row, int64_t time)
{
	struct mdl_interval iv;

	for (unsigned i = 0; i < LOOK_BACK && qry_state_before(q, row, time, &iv); i++) {
		if (iv.state == MDL_ST_SYSCALL)
			return !strcmp(qry_string(q, qry_row(q, row)->host, iv.detail), "sched_yield");
		if (iv.state != MDL_ST_INTERRUPTED)
			return false;
		time = iv.from;
	}
	return false;
}

/* When the thread of TURN was woken for it; MDL_NEVER: it was not. */
static int64_t woken_for(struct qry *q, const struct ana_turn *turn)
{
	struct mdl_wakeup w;

	if (!qry_wakeup_before(q, turn->row, turn->from + 1, &w) || w.ran_at != turn->from ||
		w.via == MDL_VIA_NONE)
		return MDL_NEVER;
	return w.time;
}

/* Was thread ROW on CPU at TIME? */
static bool was_there(struct qry *q, uint32_t row, uint32_t cpu, int64_t time)
{
	struct mdl_interval iv;

	return qry_state_at(q, row, time, &iv) && iv.aux == cpu &&
		(iv.state == MDL_ST_RUNNING || iv.state == MDL_ST_USERMODE || iv.state == MDL_ST_SYSCALL ||
			iv.state == MDL_ST_INTERRUPTED);
}

static void say(struct ana_turn *turn, enum ana_turn_why why, enum ana_grade grade)
{
	turn->why = why;
	turn->grade = grade;
}

/* The thread before could have gone on, but the one of TURN runs. */
static void say_displaced(struct qry *q, struct ana_turn *turn)
{
	struct mdl_interval own;
	bool waited = qry_state_before(q, turn->row, turn->from, &own);
	/* Later is another's wake-up, or the tick. */
	bool woken = turn->woken != MDL_NEVER && was_there(q, turn->before, turn->cpu, turn->woken);

	if (was_yielding(q, turn->before, turn->from))
		say(turn, ANA_TURN_YIELDED, ANA_PROVED);
	else if (woken && ana_class_is_before(q, turn->row, turn->before, turn->from))
		say(turn, ANA_TURN_HIGHER, ANA_PROVED);
	else if (woken)
		say(turn, ANA_TURN_WOKEN, ANA_INFERRED);
	else if (waited && own.aux != MDL_NONE && own.aux != turn->cpu)
		say(turn, ANA_TURN_CAME, ANA_INFERRED);
	else
		say(turn, ANA_TURN_TICK, ANA_INFERRED);
}

void ana_cpuwait_why(struct qry *q, const struct ana_cpuwait *wait, struct ana_turn *turn)
{
	uint32_t line = qry_cpu_row(q, qry_row(q, wait->row)->host, turn->cpu);
	struct mdl_interval iv;

	if (!turn->known)
		return;
	if (line == MDL_NONE || !qry_state_before(q, line, turn->from, &iv) || iv.state == MDL_ST_UNKNOWN)
		iv = (struct mdl_interval){ .state = MDL_ST_UNKNOWN, .aux = MDL_NONE };
	turn->before = iv.aux != MDL_NONE && qry_row(q, iv.aux)->nr == 0 ? MDL_NONE : iv.aux;
	if (turn->row == MDL_NONE) {
		say(turn, ANA_TURN_IDLE, ANA_PROVED);
		return;
	}
	turn->woken = woken_for(q, turn);
	if (iv.state == MDL_ST_UNKNOWN)
		return;
	if (turn->before == turn->row)
		say(turn, ANA_TURN_HAD_IT, ANA_PROVED);
	else if (turn->before == MDL_NONE)
		say(turn, ANA_TURN_NEXT, ANA_PROVED);
	else if (qry_state_at(q, turn->before, turn->from, &iv) &&
		(iv.state == MDL_ST_PREEMPTED || iv.state == MDL_ST_WAIT_CPU))
		say_displaced(q, turn);
	else
		say(turn, ANA_TURN_NEXT, ANA_PROVED);
}
