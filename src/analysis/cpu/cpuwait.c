/* SPDX-License-Identifier: MIT */
/*
 * How it works: the wait is one whole, also if the thread was moved to the queue of another CPU meanwhile.
 * Each stay of an owner of the CPU (split.c) is a turn, and so is each throttled part. The reason for a turn
 * follows from the two threads that change places, at that instant.
 *
 * kernel/sched/core.c: __schedule() picks the next thread when the current one sleeps (prev_state not 0), or
 * when TIF_NEED_RESCHED is set. Four things set it: check_preempt_curr() (wakeup_preempt() since 6.8) at a
 * wake-up, at once if the class of the woken thread is higher; the tick (scheduler_tick() > task_tick());
 * sched_yield(), a system call in the trace; moving a thread to this CPU. The events show only the first and
 * the third, so the others are inferred.
 */
#include "analysis/cpu/cpuwait.h"

#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <string.h>

#define LOOK_BACK 8 /* intervals: interruptions between the start of a system call and its end */
#define NAMED 2     /* the sum names this many threads */

/* ---- classes ---- */

/*
 * kernel/sched/core.c, pick_next_task(): a class with a runnable thread goes first: deadline before real time
 * before fair. rt_sched_class runs the lowest prio. Among fair threads the priority is a weight and decides
 * no order.
 */

static bool is_real_time(int priority)
{
	return priority > MDL_PRIORITY_DEADLINE && priority < MDL_PRIORITY_FAIR;
}

char *ana_cpuwait_class(struct qry *q, uint32_t row, int64_t time)
{
	int priority = qry_priority_at(q, row, time);

	return priority == MDL_PRIORITY_NONE ? NULL
					     : g_strdup_printf("%s %d", mdl_class_name(priority), priority);
}

/* ---- reasons of turns ---- */

/* True if thread ROW was in sched_yield() when it left the CPU at TIME. */
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

static void cpuwait_say(struct ana_turn *turn, enum ana_turn_why why, mdl_doubts doubts)
{
	turn->why = why;
	turn->doubts = doubts;
}

/* Say why the thread of TURN runs although the thread before it was runnable. */
static void say_displaced(struct qry *q, struct ana_turn *turn)
{
	struct mdl_interval own, then;
	bool waited = qry_kernel_state_before(q, turn->row, turn->from, &own);
	/* It was woken while the thread before had the CPU. Else the cause is another wake-up or the tick. */
	bool woken = turn->woken != MDL_NEVER && qry_kernel_state_at(q, turn->before, turn->woken, &then) &&
		then.aux == turn->cpu && mdl_state_has_cpu(then.state);
	int its = qry_priority_at(q, turn->row, turn->from),
	    others = qry_priority_at(q, turn->before, turn->from);
	/* It always goes first: by its class, or by its priority within real time. */
	bool higher = mdl_class_before(its, others) ||
		(is_real_time(its) && is_real_time(others) && its < others);

	if (was_yielding(q, turn->before, turn->from))
		cpuwait_say(turn, ANA_TURN_YIELDED, 0);
	else if (mdl_class_before(others, its))
		cpuwait_say(turn, ANA_TURN_THROTTLED, MDL_DOUBT(QUOTA));
	else if (woken && higher)
		cpuwait_say(turn, ANA_TURN_HIGHER, 0);
	else if (woken)
		cpuwait_say(turn, ANA_TURN_WOKEN, MDL_DOUBT(CHOICE));
	else if (waited && own.aux != MDL_NONE && own.aux != turn->cpu)
		cpuwait_say(turn, ANA_TURN_CAME, MDL_DOUBT(CHOICE));
	else
		cpuwait_say(turn, ANA_TURN_TICK, MDL_DOUBT(CHOICE));
}

/* Find the reason for TURN of WAIT. */
static void find_why(struct qry *q, const struct ana_cpuwait *wait, struct ana_turn *turn)
{
	uint32_t line = qry_cpu_row(q, qry_row(q, wait->row)->host, turn->cpu);
	struct mdl_interval iv;
	struct mdl_wakeup w;

	if (turn->quota)
		cpuwait_say(turn, ANA_TURN_QUOTA, MDL_DOUBT(QUOTA));
	if (!turn->known || turn->quota)
		return;
	if (line == MDL_NONE || !qry_kernel_state_before(q, line, turn->from, &iv) ||
		iv.state == MDL_ST_UNKNOWN)
		iv = (struct mdl_interval){ .state = MDL_ST_UNKNOWN, .aux = MDL_NONE };
	turn->before = iv.aux != MDL_NONE && qry_row(q, iv.aux)->nr == 0 ? MDL_NONE : iv.aux;
	if (turn->row == MDL_NONE) {
		cpuwait_say(turn, ANA_TURN_IDLE, 0);
		return;
	}
	if (qry_wakeup_before(q, turn->row, turn->from + 1, &w) && w.ran_at == turn->from &&
		w.via != MDL_VIA_NONE)
		turn->woken = w.time; /* this wake-up began the stay */
	if (iv.state == MDL_ST_UNKNOWN)
		return;
	if (turn->before == turn->row)
		cpuwait_say(turn, ANA_TURN_HAD_IT, 0);
	else if (turn->before == MDL_NONE)
		cpuwait_say(turn, ANA_TURN_NEXT, 0);
	else if (qry_kernel_state_at(q, turn->before, turn->from, &iv) &&
		(iv.state == MDL_ST_PREEMPTED || iv.state == MDL_ST_WAIT_CPU))
		say_displaced(q, turn);
	else
		cpuwait_say(turn, ANA_TURN_NEXT, 0);
}

/* ---- the wait ---- */

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
		.doubts = MDL_DOUBT(UNKNOWN),
		.before = MDL_NONE,
		.woken = MDL_NEVER,
		.quota = span->what == ANA_BLAME_THROTTLED ? span->name : NULL };

	if (last && last->cpu == turn.cpu && last->row == turn.row && last->known == turn.known &&
		last->quota == turn.quota) {
		last->to = turn.to;
		last->interrupted += turn.interrupted;
	} else {
		g_array_append_val(turns, turn);
	}
}

/* Add DOUBTS to all of WAIT. */
static void doubt_all(struct ana_cpuwait *wait, mdl_doubts doubts)
{
	for (guint i = 0; i < wait->turns->len; i++) {
		struct ana_turn *turn = &g_array_index(wait->turns, struct ana_turn, i);

		turn->doubts |= doubts;
	}
	for (guint i = 0; i < wait->blame->parts->len; i++) {
		struct ana_blame_part *part = &g_array_index(wait->blame->parts, struct ana_blame_part, i);

		part->doubts |= doubts;
	}
}

struct ana_cpuwait *ana_cpuwait_new(struct qry *q, uint32_t row, int64_t time)
{
	struct ana_cpuwait_part parts[ANA_CPUWAIT_PARTS];
	struct ana_wait_near near;
	mdl_doubts doubts = 0;
	struct ana_cpuwait *wait;
	struct mdl_interval iv, before;

	if (qry_row(q, row)->type != MDL_ROW_THREAD || !qry_kernel_state_at(q, row, time, &iv) ||
		!ana_cpuwait_is(q, row, &iv))
		return NULL;
	while (qry_kernel_state_before(q, row, iv.from, &before) && before.to == iv.from &&
		ana_cpuwait_is(q, row, &before))
		iv = before;
	wait = g_new(struct ana_cpuwait, 1);
	*wait = (struct ana_cpuwait){ .row = row,
		.from = iv.from,
		.to = iv.from,
		.preempted = iv.state == MDL_ST_PREEMPTED,
		.turns = g_array_new(FALSE, FALSE, sizeof(struct ana_turn)) };
	wait->blame = ana_blame_new(iv.from, iv.from);
	near = ana_wait_near(q, row);
	do {
		ana_cpuwait_spans(q, row, &iv, iv.from, iv.to, add_span, wait->turns);
		ana_cpuwait_spans(q, row, &iv, iv.from, iv.to, ana_cpuwait_add, wait->blame);
		for (unsigned i = ana_cpuwait_split(q, row, &iv, &near, parts); i-- > 0;)
			doubts |= ana_cpuwait_doubts(q, row, &iv, &near, &parts[i]);
		wait->to = iv.to;
	} while (qry_kernel_state_at(q, row, wait->to, &iv) && iv.from == wait->to &&
		ana_cpuwait_is(q, row, &iv));
	wait->blame->to = wait->to;
	ana_blame_sort(wait->blame);
	for (guint i = 0; i < wait->turns->len; i++)
		find_why(q, wait, &g_array_index(wait->turns, struct ana_turn, i));
	doubt_all(wait, doubts);
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
	if (turn->quota)
		return g_strdup("throttled");
	if (!turn->known)
		return g_strdup("not recorded");
	if (turn->row == MDL_NONE)
		return turn->cpu == MDL_NONE ? g_strdup("the idle thread")
					     : g_strdup_printf("the idle CPU %" PRIu32, turn->cpu);
	return qry_row_label(q, turn->row);
}

/* "woken 133 µs before"; nothing if no wake-up began the turn. */
static void append_woken(GString *text, const struct ana_turn *turn)
{
	g_autofree char *before = NULL;

	if (turn->woken == MDL_NEVER)
		return;
	before = base_time_format_duration(turn->from - turn->woken, false);
	g_string_append_printf(text, "%swoken %s before", text->len > 0 ? ", " : "", before);
}

char *ana_turn_text(struct qry *q, const struct ana_turn *turn)
{
	GString *text = g_string_new(NULL);
	g_autofree char *its = NULL, *others = NULL;
	g_autofree char *before = turn->before != MDL_NONE ? qry_row_label(q, turn->before)
							   : g_strdup("nobody");

	switch (turn->why) {
	case ANA_TURN_HAD_IT: g_string_append(text, "had the CPU already"); break;
	case ANA_TURN_HIGHER:
		append_woken(text, turn);
		its = ana_cpuwait_class(q, turn->row, turn->from);
		others = ana_cpuwait_class(q, turn->before, turn->from);
		if (its && others)
			g_string_append_printf(text, ": %s goes before %s", its, others);
		break;
	case ANA_TURN_WOKEN:
		append_woken(text, turn);
		g_string_append_printf(text, ", chosen over %s", before);
		break;
	case ANA_TURN_YIELDED:
		g_string_append_printf(text, "%s yielded", before);
		append_woken(text, turn);
		break;
	case ANA_TURN_CAME:
		g_string_append_printf(text, "migrated from another CPU, chosen over %s", before);
		break;
	case ANA_TURN_TICK: g_string_append_printf(text, "the slice of %s was over", before); break;
	case ANA_TURN_THROTTLED: g_string_append_printf(text, "the budget of %s was used up", before); break;
	case ANA_TURN_NEXT:
		g_string_append_printf(text,
			turn->before != MDL_NONE ? "next after %s" : "next after the idle thread", before);
		append_woken(text, turn);
		break;
	case ANA_TURN_QUOTA: g_string_append(text, turn->quota); break;
	case ANA_TURN_IDLE:
		g_string_append(text, "no thread ran (the CPU left an idle state, or its host had taken it)");
		break;
	case ANA_TURN_UNKNOWN:
	case ANA_TURN_N:
		g_string_append(text, "the thread before is not recorded");
		append_woken(text, turn);
		break;
	}
	return g_string_free(text, FALSE);
}

/* "preempted by wk-rt[547], woken 133 µs before": the begin of the wait. */
static void append_begin(GString *text, struct qry *q, const struct ana_cpuwait *wait)
{
	const struct ana_turn *first = &g_array_index(wait->turns, struct ana_turn, 0);
	g_autofree char *who = ana_turn_who(q, first), *why = ana_turn_text(q, first);

	if (first->quota)
		g_string_append_printf(text, "throttled: %s", first->quota);
	else if (!wait->preempted)
		g_string_append_printf(text, "waited for CPU %" PRIu32, first->cpu);
	else if (first->why == ANA_TURN_YIELDED && first->before == wait->row)
		g_string_append_printf(text, "yielded to %s", who);
	else if (first->why == ANA_TURN_THROTTLED && first->before == wait->row)
		g_string_append(text, "throttled: its budget was used up");
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
		bool quota = p->what == ANA_BLAME_THROTTLED;
		g_autofree char *who = quota ? g_strdup("throttled") : ana_blame_part_text(q, p),
				*time = base_time_format_duration(p->time, false);

		g_string_append_printf(text, "%s%s %s (%.0f %%)",
			i > 0           ? ", "
				: quota ? "; "
					: "; on it: ",
			who, time, 100 * (double)p->time / (double)length);
	}
	if (n > NAMED)
		g_string_append_printf(text, " and %u other%s", n - NAMED, base_text_s(n - NAMED));
	return g_string_free(text, FALSE);
}

/* ---- the owners of a CPU in one line ---- */

/*
 * The owners of the CPU (ana_blame), summed up for one line: threads without the interrupts on top of them,
 * all interrupts together, and idle time. The line names the longest of the three.
 */

struct tally {
	const struct ana_blame_part *top;       /* the thread with the most time; weak, NULL: none ran */
	const struct ana_blame_part *quota;     /* weak, NULL: not throttled */
	const struct ana_blame_part *idle_most; /* the CPU that was idle longest; weak, NULL: none was */
	const struct ana_blame_part
		*asleep; /* the idle state that lasted longest; weak, NULL: none is recorded */
	unsigned threads;
	uint32_t cpu; /* the CPU of all interrupts; MDL_NONE: several CPUs */
	/* ns of all threads, of the waiter itself, of idle CPUs, of all interrupts. */
	int64_t time, own, idle, interrupts;
};

static struct tally tally_of(const struct ana_blame *blame)
{
	struct tally t = { 0 };

	for (guint i = 0; i < blame->parts->len; i++) {
		const struct ana_blame_part *p = &g_array_index(blame->parts, struct ana_blame_part, i);

		if (p->what == ANA_BLAME_IDLE) {
			t.idle += p->time;
			t.idle_most = t.idle_most && t.idle_most->time >= p->time ? t.idle_most : p;
			if (p->step && !(t.asleep && t.asleep->time >= p->time))
				t.asleep = p;
		} else if (p->what == ANA_BLAME_RUNNING) {
			t.own += p->time;
		} else if (p->what == ANA_BLAME_THROTTLED) {
			t.quota = t.quota && t.quota->time >= p->time ? t.quota : p;
		} else if (ana_blame_is_thread(p)) {
			t.threads++;
			t.time += p->time;
			/* Of two with equal times take the lower row, so that the answer is always the
			 * same. */
			if (!t.top || p->time > t.top->time ||
				(p->time == t.top->time && p->row < t.top->row))
				t.top = p;
		} else if (p->what != ANA_BLAME_UNKNOWN) {
			t.cpu = t.interrupts == 0 || t.cpu == p->cpu ? p->cpu : MDL_NONE;
			t.interrupts += p->time;
		}
	}
	return t;
}

/* " 2.90 ms" if TIMES. */
static void append_time(GString *text, int64_t ns, bool times)
{
	g_autofree char *duration = base_time_format_duration(ns, false);

	if (times)
		g_string_append_printf(text, " %s", duration);
}

static char *text_of_thread(const struct qry *q, const struct tally *t, bool times)
{
	GString *text = g_string_new("ran instead: ");
	g_autofree char *label = ana_blame_part_text(q, t->top);

	g_string_append(text, label);
	append_time(text, t->top->time, times);
	if (t->threads > 1)
		g_string_append_printf(text, " and %u other%s", t->threads - 1, t->threads == 2 ? "" : "s");
	if (t->interrupts > 0 && times) {
		g_string_append(text, ", interrupts");
		append_time(text, t->interrupts, times);
	}
	return g_string_free(text, FALSE);
}

/* "CPU 1 was idle", "CPU 1 was idle: it left idle state 3 within 62.0 µs"; NULL: none was. */
static char *idle_text(const struct tally *t)
{
	g_autofree char *within = t->asleep ? base_time_format_duration(t->asleep->time, false) : NULL;

	if (!t->idle_most)
		return NULL;
	return within ? g_strdup_printf("CPU %u was idle: it left %s within %s (inferred)", t->asleep->cpu,
				t->asleep->step, within)
		      : g_strdup_printf("CPU %u was idle", t->idle_most->cpu);
}

char *ana_occupants_text_of(const struct qry *q, const struct ana_blame *blame, bool times)
{
	struct tally t = tally_of(blame);
	g_autofree char *quota = NULL;
	GString *text;

	if (t.quota && t.quota->time >= MAX(MAX(t.time, t.own), MAX(t.idle, t.interrupts))) {
		/* "throttled 38.7 ms, CPU quota: about 10.6 ms of every 49.8 ms" */
		text = g_string_new("throttled");
		quota = ana_blame_part_text(q, t.quota);
		append_time(text, t.quota->time, times);
		g_string_append_printf(text, ", %s", quota);
		return g_string_free(text, FALSE);
	}
	if (t.top && t.time >= MAX(t.own, MAX(t.idle, t.interrupts)))
		return text_of_thread(q, &t, times);
	if (t.own > MAX(t.idle, t.interrupts))
		return g_strdup("it was still on its CPU");
	if (t.interrupts <= t.idle)
		return idle_text(&t);
	text = g_string_new("interrupts");
	if (t.cpu != MDL_NONE)
		g_string_append_printf(text, " on CPU %u", t.cpu);
	append_time(text, t.interrupts, times);
	return g_string_free(text, FALSE);
}

char *ana_occupants_text(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to, bool times)
{
	struct ana_blame *blame = ana_blame_of_cpu(q, host, cpu, from, to);
	char *text = ana_occupants_text_of(q, blame, times);

	ana_blame_free(blame);
	return text;
}

char *ana_cpuwait_occupants(struct qry *q, uint32_t row, const struct mdl_interval *iv, int64_t from,
	int64_t to, bool times)
{
	struct ana_blame *blame = ana_blame_new(from, to);
	char *text;

	ana_cpuwait_spans(q, row, iv, from, to, ana_cpuwait_add, blame);
	ana_blame_sort(blame);
	text = ana_occupants_text_of(q, blame, times);
	ana_blame_free(blame);
	return text;
}

/* ---- timers ---- */

/*
 * How it works: a timer expires on the CPU that it is queued on, so the owner of that CPU delays it once it
 * is due: a thread or a context that keeps interrupts off, an idle CPU that has to wake up first, the earlier
 * timers in the same interrupt, and that interrupt itself. A timer that expires in a softirq also waits until
 * the softirq runs.
 */

int64_t ana_late_ns(const struct mdl_timer *t)
{
	int64_t late;

	if (!t->expired || t->due == MDL_NEVER || __builtin_sub_overflow(t->expired_at, t->due, &late))
		return BASE_TIME_NONE;
	return MAX(late, 0);
}

struct ana_blame *ana_late_blame(struct qry *q, uint32_t host, const struct mdl_timer *t)
{
	int64_t late = ana_late_ns(t);

	return late == BASE_TIME_NONE
		? NULL
		: ana_blame_of_cpu(q, host, t->cpu, t->expired_at - late, t->expired_at);
}

char *ana_late_resolution(const struct mdl_timer *t)
{
	g_autofree char *slack = NULL;

	if (t->due == MDL_NEVER || t->slack <= 0)
		return NULL;
	slack = base_time_format_duration(t->slack, false);
	return g_strdup_printf(t->wheel ? "the timer wheel keeps time to %s" : "with %s of slack", slack);
}

char *ana_late_text(struct qry *q, uint32_t host, const struct mdl_timer *t, int64_t from, int64_t to)
{
	struct ana_blame *blame = ana_blame_of_cpu(q, host, t->cpu, from, MAX(from, to));
	char *text = ana_blame_text(q, blame, ana_blame_part_text);

	ana_blame_free(blame);
	return text;
}
