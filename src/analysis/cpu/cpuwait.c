/* SPDX-License-Identifier: MIT */
/*
 * How it works: the wait is taken whole, also where the thread was moved from the queue of one CPU to that of
 * another meanwhile. Whoever had the CPU in each part (ana_blame) has a turn for each of its stays.  What
 * made a turn so is read from the two threads that change places, at that instant:
 *
 * kernel/sched/core.c: __schedule() picks the next thread when the current one sleeps (prev_state not 0), or
 * when TIF_NEED_RESCHED is set: by check_preempt_curr() (wakeup_preempt() since 6.8) upon a wake-up, at once
 * where the class of the woken thread is higher; by the tick (scheduler_tick() > task_tick()); by
 * sched_yield(), whose system call shows; by moving a thread here.  Which one it was the events do not say
 * but for the first and the third, so the others are inferred.
 */
#include "analysis/cpu/cpuwait.h"

#include "base/base_time.h"

#include <inttypes.h>
#include <string.h>

#define LOOK_BACK 8 /* intervals: interruptions between the start of a system call and its end */
#define NAMED 2     /* so many threads are named in the sum */

/* ---- classes ---- */

/*
 * kernel/sched/core.c, pick_next_task(): a class that has a thread to run goes first, deadline before real
 * time before fair; rt_sched_class runs the lowest prio.  Among fair threads the priority is a weight, and
 * says not who goes first.
 */

static bool is_real_time(int priority)
{
	return priority > MDL_PRIORITY_DEADLINE && priority < MDL_PRIORITY_FAIR;
}

/* Does thread A go before thread B at TIME whatever they did before: by its class, or by its priority within
 * real time?  False where not known. */
static bool cpuwait_is_before(struct qry *q, uint32_t a, uint32_t b, int64_t time)
{
	int first = qry_priority_at(q, a, time), second = qry_priority_at(q, b, time);

	return mdl_class_before(first, second) ||
		(is_real_time(first) && is_real_time(second) && first < second);
}

char *ana_cpuwait_class(struct qry *q, uint32_t row, int64_t time)
{
	int priority = qry_priority_at(q, row, time);

	return priority == MDL_PRIORITY_NONE ? NULL
					     : g_strdup_printf("%s %d", mdl_class_name(priority), priority);
}

/* ---- what made a turn so ---- */

/* Was thread ROW in sched_yield() when it left the CPU at TIME? */
static bool was_yielding(struct qry *q, uint32_t row, int64_t time)
{
	struct mdl_interval iv;

	for (unsigned i = 0; i < LOOK_BACK && qry_kernel_state_before(q, row, time, &iv); i++) {
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

	return qry_kernel_state_at(q, row, time, &iv) && iv.aux == cpu &&
		(mdl_state_runs(iv.state) || iv.state == MDL_ST_INTERRUPTED);
}

static void cpuwait_say(struct ana_turn *turn, enum ana_turn_why why, enum ana_grade grade)
{
	turn->why = why;
	turn->grade = grade;
}

/* The thread before could have gone on, but the one of TURN runs. */
static void say_displaced(struct qry *q, struct ana_turn *turn)
{
	struct mdl_interval own;
	bool waited = qry_kernel_state_before(q, turn->row, turn->from, &own);
	/* Later is another's wake-up, or the tick. */
	bool woken = turn->woken != MDL_NEVER && was_there(q, turn->before, turn->cpu, turn->woken);

	if (was_yielding(q, turn->before, turn->from))
		cpuwait_say(turn, ANA_TURN_YIELDED, ANA_PROVED);
	else if (woken && cpuwait_is_before(q, turn->row, turn->before, turn->from))
		cpuwait_say(turn, ANA_TURN_HIGHER, ANA_PROVED);
	else if (woken)
		cpuwait_say(turn, ANA_TURN_WOKEN, ANA_INFERRED);
	else if (waited && own.aux != MDL_NONE && own.aux != turn->cpu)
		cpuwait_say(turn, ANA_TURN_CAME, ANA_INFERRED);
	else
		cpuwait_say(turn, ANA_TURN_TICK, ANA_INFERRED);
}

/* Find out what made TURN of WAIT so. */
static void find_why(struct qry *q, const struct ana_cpuwait *wait, struct ana_turn *turn)
{
	uint32_t line = qry_cpu_row(q, qry_row(q, wait->row)->host, turn->cpu);
	struct mdl_interval iv;

	if (!turn->known)
		return;
	if (line == MDL_NONE || !qry_kernel_state_before(q, line, turn->from, &iv) ||
		iv.state == MDL_ST_UNKNOWN)
		iv = (struct mdl_interval){ .state = MDL_ST_UNKNOWN, .aux = MDL_NONE };
	turn->before = iv.aux != MDL_NONE && qry_row(q, iv.aux)->nr == 0 ? MDL_NONE : iv.aux;
	if (turn->row == MDL_NONE) {
		cpuwait_say(turn, ANA_TURN_IDLE, ANA_PROVED);
		return;
	}
	turn->woken = woken_for(q, turn);
	if (iv.state == MDL_ST_UNKNOWN)
		return;
	if (turn->before == turn->row)
		cpuwait_say(turn, ANA_TURN_HAD_IT, ANA_PROVED);
	else if (turn->before == MDL_NONE)
		cpuwait_say(turn, ANA_TURN_NEXT, ANA_PROVED);
	else if (qry_kernel_state_at(q, turn->before, turn->from, &iv) &&
		(iv.state == MDL_ST_PREEMPTED || iv.state == MDL_ST_WAIT_CPU))
		say_displaced(q, turn);
	else
		cpuwait_say(turn, ANA_TURN_NEXT, ANA_PROVED);
}

/* ---- the wait ---- */

static bool cpuwait_waits(const struct mdl_interval *iv)
{
	return iv->state == MDL_ST_PREEMPTED || iv->state == MDL_ST_WAIT_CPU || iv->state == MDL_ST_NEW;
}

static void add_span(void *data, const struct ana_blame_part *span)
{
	GArray *turns = data;
	struct ana_turn *last = turns->len > 0 ? &g_array_index(turns, struct ana_turn, turns->len - 1)
					       : NULL;
	struct ana_turn turn = { .cpu = span->cpu,
		.row = span->beneath,
		.known = span->what != ANA_BLAME_UNKNOWN,
		.from = span->from,
		.to = span->to,
		.interrupted = span->context != MDL_NONE ? span->time : 0,
		.grade = ANA_UNKNOWN,
		.before = MDL_NONE,
		.woken = MDL_NEVER };

	if (last && last->cpu == turn.cpu && last->row == turn.row && last->known == turn.known) {
		last->to = turn.to;
		last->interrupted += turn.interrupted;
	} else {
		g_array_append_val(turns, turn);
	}
}

/* Nothing of WAIT is surer than BEST: for which CPU it was. */
static void limit_grades(struct ana_cpuwait *wait, enum ana_grade best)
{
	for (guint i = 0; i < wait->turns->len; i++) {
		struct ana_turn *turn = &g_array_index(wait->turns, struct ana_turn, i);

		turn->grade = MAX(turn->grade, best);
	}
	for (guint i = 0; i < wait->blame->parts->len; i++) {
		struct ana_blame_part *part = &g_array_index(wait->blame->parts, struct ana_blame_part, i);

		part->grade = MAX(part->grade, best);
	}
}

struct ana_cpuwait *ana_cpuwait_new(struct qry *q, uint32_t row, int64_t time)
{
	enum ana_grade best = ANA_PROVED;
	struct ana_cpuwait *wait;
	struct mdl_interval iv, before;

	if (qry_row(q, row)->type != MDL_ROW_THREAD || !qry_kernel_state_at(q, row, time, &iv) ||
		!cpuwait_waits(&iv))
		return NULL;
	while (qry_kernel_state_before(q, row, iv.from, &before) && before.to == iv.from &&
		cpuwait_waits(&before))
		iv = before;
	wait = g_new(struct ana_cpuwait, 1);
	*wait = (struct ana_cpuwait){ .row = row,
		.from = iv.from,
		.to = iv.from,
		.preempted = iv.state == MDL_ST_PREEMPTED,
		.turns = g_array_new(FALSE, FALSE, sizeof(struct ana_turn)) };
	wait->blame = ana_blame_new(iv.from, iv.from);
	do {
		ana_blame_spans(q, qry_row(q, row)->host, iv.aux, iv.from, iv.to, add_span, wait->turns);
		ana_blame_spans(q, qry_row(q, row)->host, iv.aux, iv.from, iv.to, ana_blame_add, wait->blame);
		best = MAX(best, ana_throttle_wait_grade(q, row, &iv));
		wait->to = iv.to;
	} while (qry_kernel_state_at(q, row, wait->to, &iv) && iv.from == wait->to && cpuwait_waits(&iv));
	wait->blame->to = wait->to;
	ana_blame_sort(wait->blame);
	for (guint i = 0; i < wait->turns->len; i++)
		find_why(q, wait, &g_array_index(wait->turns, struct ana_turn, i));
	limit_grades(wait, best);
	return wait;
}

void ana_cpuwait_free(struct ana_cpuwait *wait)
{
	if (!wait)
		return;
	g_array_unref(wait->turns);
	ana_blame_free(wait->blame);
	g_free(wait);
}

int64_t ana_turn_time(const struct ana_turn *turn)
{
	return turn->to - turn->from - turn->interrupted;
}

/* ---- in words ---- */

char *ana_turn_who(const struct qry *q, const struct ana_turn *turn)
{
	if (!turn->known)
		return g_strdup("not recorded");
	if (turn->row == MDL_NONE)
		return turn->cpu == MDL_NONE ? g_strdup("the idle thread")
					     : g_strdup_printf("the idle CPU %" PRIu32, turn->cpu);
	return qry_row_label(q, turn->row);
}

/* "woken 133 µs before", nothing where it was not woken for this. */
static void append_woken(GString *text, const struct ana_turn *turn)
{
	g_autofree char *before = NULL;

	if (turn->woken == MDL_NEVER)
		return;
	before = base_time_format_duration(turn->from - turn->woken, false);
	g_string_append_printf(text, "%swoken %s before", text->len > 0 ? ", " : "", before);
}

/* "; class real-time before fair": what decided. */
static void append_classes(GString *text, struct qry *q, const struct ana_turn *turn)
{
	g_autofree char *its = ana_cpuwait_class(q, turn->row, turn->from),
			*others = ana_cpuwait_class(q, turn->before, turn->from);

	if (its && others)
		g_string_append_printf(text, ": %s goes before %s", its, others);
}

char *ana_turn_text(struct qry *q, const struct ana_turn *turn)
{
	GString *text = g_string_new(NULL);
	g_autofree char *before = turn->before != MDL_NONE ? qry_row_label(q, turn->before)
							   : g_strdup("nobody");

	switch (turn->why) {
	case ANA_TURN_HAD_IT: g_string_append(text, "had the CPU already"); break;
	case ANA_TURN_HIGHER:
		append_woken(text, turn);
		append_classes(text, q, turn);
		break;
	case ANA_TURN_WOKEN:
		append_woken(text, turn);
		g_string_append_printf(text, ", taken before %s", before);
		break;
	case ANA_TURN_YIELDED:
		g_string_append_printf(text, "%s yielded", before);
		append_woken(text, turn);
		break;
	case ANA_TURN_CAME:
		g_string_append_printf(text, "came from another CPU, taken before %s", before);
		break;
	case ANA_TURN_TICK: g_string_append_printf(text, "the slice of %s was over", before); break;
	case ANA_TURN_NEXT:
		g_string_append_printf(text, turn->before != MDL_NONE ? "next after %s" : "next after nobody",
			before);
		append_woken(text, turn);
		break;
	case ANA_TURN_IDLE: g_string_append(text, "no thread ran"); break;
	case ANA_TURN_UNKNOWN:
	case ANA_TURN_N:
		g_string_append(text, "what was before is not recorded");
		append_woken(text, turn);
		break;
	}
	return g_string_free(text, FALSE);
}

static const struct ana_turn *turn_of(const struct ana_cpuwait *wait, guint i)
{
	return &g_array_index(wait->turns, struct ana_turn, i);
}

/* "preempted by wk-rt[547], woken 133 µs before": how it began. */
static void append_begin(GString *text, struct qry *q, const struct ana_cpuwait *wait)
{
	const struct ana_turn *first = turn_of(wait, 0);
	g_autofree char *who = ana_turn_who(q, first), *why = ana_turn_text(q, first);

	if (!wait->preempted)
		g_string_append_printf(text, "waited for CPU %" PRIu32, first->cpu);
	else if (first->why == ANA_TURN_YIELDED && first->before == wait->row)
		g_string_append_printf(text, "yielded to %s", who);
	else
		g_string_append_printf(text, "preempted by %s: %s", who, why);
}

char *ana_cpuwait_text(struct qry *q, const struct ana_cpuwait *wait)
{
	GString *text = g_string_new(NULL);
	int64_t length = wait->to - wait->from;
	guint n = wait->blame->parts->len;

	append_begin(text, q, wait);
	for (guint i = 0; i < MIN(n, NAMED); i++) {
		const struct ana_blame_part *p = &g_array_index(wait->blame->parts, struct ana_blame_part, i);
		g_autofree char *who = ana_blame_part_text(q, p),
				*time = base_time_format_duration(p->time, false);

		g_string_append_printf(text, "%s%s %s (%.0f %%)", i == 0 ? "; had it: " : ", ", who, time,
			100 * (double)p->time / (double)length);
	}
	if (n > NAMED)
		g_string_append_printf(text, " and %u other%s", n - NAMED, n - NAMED == 1 ? "" : "s");
	return g_string_free(text, FALSE);
}
