/* SPDX-License-Identifier: MIT */
/*
 * Kinds that the state history of a thread has: a stay in some states, from how it began to how it ended.
 *
 * What began before its thread was known is no case: a thread that the state dump found asleep slept since
 * some time before.  Such a sleep has no known way of being blocked, one that begins with a switch has
 * (prev_state).  A stay that ends in an unknown state is one during which events were lost (mdl_gap.c).
 *
 * The idle threads are no cases.  They are always runnable and leave their CPU for whoever comes (fair: 120
 * in the events, their class is below all, kernel/sched/idle.c); that they wait is no latency of anybody.
 */
#include "analysis/ana_latency_kind.h"

#define BIT(state) (1u << (state))
#define ON_CPU                                                                                        \
	(BIT(MDL_ST_USERMODE) | BIT(MDL_ST_SYSCALL) | BIT(MDL_ST_RUNNING) | BIT(MDL_ST_INTERRUPTED) | \
		BIT(MDL_ST_VCPU_PREEMPTED) | BIT(MDL_ST_VCPU_EXIT))

/* What kind of stay. */
struct stay {
	bool seen;       /* its end is the event that woke the thread: without one it is not known */
	unsigned within; /* states it lasts through, as bits */
	unsigned until;  /* states that end it so that it is a case */
};

/* Did an event tell that ROW was woken in the wait from START that is over at TIME? */
static bool was_woken(struct qry *q, uint32_t row, int64_t start, int64_t time)
{
	struct mdl_wakeup w;

	return qry_wakeup_after(q, row, start, &w) && w.time <= time && w.via != MDL_VIA_NONE;
}

/* A stay at START is over with NEXT, NULL: with the trace. */
static void end_stay(struct qry_kept *cases, const struct stay *stay, uint32_t row, int64_t start,
	const struct mdl_interval *next)
{
	if (start == MDL_NEVER)
		return;
	if (!next)
		ana_cases_unfinished(cases, row, start);
	else if (stay->seen && BIT(next->state) & ON_CPU && !was_woken(cases->q, row, start, next->from))
		ana_cases_dropped(cases, row, start);
	else if (BIT(next->state) & stay->until)
		ana_cases_add(cases, row, start, next->from);
	else if (next->state != MDL_ST_EXITED)
		ana_cases_dropped(cases, row, start);
}

/* Did a stay begin with IV, before which the thread was in state BEFORE? */
static bool begins(const struct stay *stay, unsigned before, const struct mdl_interval *iv)
{
	if (!(stay->within & BIT(MDL_ST_BLOCKED)) || BIT(before) & ON_CPU || iv->state == MDL_ST_PREEMPTED)
		return true;
	return iv->state == MDL_ST_BLOCKED && iv->detail != MDL_BLOCK_UNKNOWN;
}

/* Where a walk over states is. */
struct walk {
	struct qry_kept *cases;
	const struct stay *stay;
	uint32_t row;
	bool inside;     /* in a stay, */
	int64_t start;   /* which began then; MDL_NEVER: unknown */
	unsigned before; /* the state before */
};

/* The walk comes to IV. */
static void step(struct walk *w, const struct mdl_interval *iv)
{
	if (w->stay->within & BIT(iv->state)) {
		if (!w->inside && begins(w->stay, w->before, iv))
			w->start = iv->from;
		w->inside = true;
	} else {
		end_stay(w->cases, w->stay, w->row, w->start, iv);
		w->start = MDL_NEVER;
		w->inside = false;
	}
	w->before = iv->state;
}

static void collect_stays(struct qry_kept *cases, uint32_t row, const struct stay *stay)
{
	const struct qry_row *r = qry_row(cases->q, row);
	struct walk w = { cases, stay, row, .start = MDL_NEVER, .before = MDL_ST_UNKNOWN };
	struct mdl_interval iv;

	if (r->cpu != MDL_NONE)
		return;
	for (int64_t at = r->first; qry_kernel_state_at(cases->q, row, at, &iv); at = iv.to)
		step(&w, &iv);
	/* What it does since the last event has no length. */
	iv = (struct mdl_interval){ r->last, r->last, r->final, MDL_NONE, MDL_NONE };
	if (r->final != MDL_ST_N)
		step(&w, &iv);
	end_stay(cases, stay, row, w.start, NULL);
}

static const struct stay waiting = { false, BIT(MDL_ST_WAIT_CPU), ON_CPU },
			 preempted = { false, BIT(MDL_ST_PREEMPTED), ON_CPU },
			 off_cpu = { false,
				 BIT(MDL_ST_BLOCKED) | BIT(MDL_ST_WAIT_CPU) | BIT(MDL_ST_PREEMPTED), ON_CPU },
			 blocked = { true, BIT(MDL_ST_BLOCKED), ON_CPU | BIT(MDL_ST_WAIT_CPU) };

static void collect_preempted(struct qry_kept *cases, uint32_t row)
{
	collect_stays(cases, row, &preempted);
}

static void collect_off_cpu(struct qry_kept *cases, uint32_t row)
{
	collect_stays(cases, row, &off_cpu);
}

/* What begins and ends within a nanosecond is in no history of states, but in that of wake-ups. */
static void collect_empty(struct qry_kept *cases, uint32_t row)
{
	GArray *wakeups = qry_wakeup_count(cases->q, row) > 0
		? qry_wakeups(cases->q, row, INT64_MIN, INT64_MAX)
		: NULL;

	for (guint i = 0; wakeups && i < wakeups->len; i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);

		if (w->since == w->time && w->via != MDL_VIA_NONE && w->via != MDL_VIA_NEW)
			ana_cases_add(cases, row, w->time, w->time);
	}
	if (wakeups)
		g_array_unref(wakeups);
}

static void collect_blocked(struct qry_kept *cases, uint32_t row)
{
	collect_empty(cases, row);
	collect_stays(cases, row, &blocked);
}

/* ---- new threads ---- */

/* Thread ROW, new, becomes runnable, or is born, at START; it runs first when it is new no more. */
static void collect_first_run(struct qry_kept *cases, uint32_t row, int64_t start)
{
	static const struct stay as_new = { false, BIT(MDL_ST_NEW), ON_CPU };
	struct mdl_interval iv;
	int64_t at = start;

	for (; qry_kernel_state_at(cases->q, row, at, &iv); at = iv.to) {
		if (iv.state != MDL_ST_NEW) {
			end_stay(cases, &as_new, row, start, &iv);
			return;
		}
	}
	iv = (struct mdl_interval){ at, at, qry_row(cases->q, row)->final, MDL_NONE, MDL_NONE };
	end_stay(cases, &as_new, row, start, BIT(iv.state) & ON_CPU ? &iv : NULL);
}

/* The wake-up of thread ROW, which was born, that made it runnable. */
static bool first_wakeup(struct qry *q, uint32_t row, struct mdl_wakeup *w)
{
	return qry_row(q, row)->born && qry_wakeup_after(q, row, qry_row(q, row)->first, w) &&
		w->via == MDL_VIA_NEW;
}

/* A thread whose fork was lost is born by sched_wakeup_new. */
static void collect_fork(struct qry_kept *cases, uint32_t row)
{
	int64_t born = qry_row(cases->q, row)->first;
	struct mdl_wakeup w;

	if (qry_row(cases->q, row)->born && !(first_wakeup(cases->q, row, &w) && w.time == born))
		collect_first_run(cases, row, born);
}

static void collect_waiting(struct qry_kept *cases, uint32_t row)
{
	struct mdl_wakeup w;

	if (first_wakeup(cases->q, row, &w))
		collect_first_run(cases, row, w.time);
	collect_stays(cases, row, &waiting);
}

/* ---- causes ---- */

static char *key_of_blocked(struct qry *q, const struct ana_latency_case *c)
{
	struct ana_source source;

	return ana_latency_source_of(q, c, &source) ? g_strdup(ana_kind_name(source.kind)) : NULL;
}

/* Of a block it is what ended it; of a time off the CPU too, if it began with a block. */
static void explain(struct qry *q, struct ana_latency_case *c)
{
	struct ana_source source;
	struct mdl_interval iv;

	if (qry_kernel_state_at(q, c->row, c->start, &iv) && iv.state != MDL_ST_BLOCKED) {
		ana_latency_explain_cpu(q, c);
		return;
	}
	if (qry_kernel_state_at(q, c->row, c->end, &iv))
		c->cpu = iv.aux;
	if (ana_latency_source_of(q, c, &source))
		c->cause = ana_source_text(q, &source);
}

const struct ana_latency_kind ana_latency_wait_cpu = { .name = "wait-cpu",
	.collect = collect_waiting,
	.explain = ana_latency_explain_cpu,
	.call = ana_latency_call_of,
	.device = ana_latency_device_of };
const struct ana_latency_kind ana_latency_preempted = { .name = "preempted",
	.collect = collect_preempted,
	.explain = ana_latency_explain_cpu,
	.call = ana_latency_call_of };
const struct ana_latency_kind ana_latency_off_cpu = { .name = "off-cpu",
	.collect = collect_off_cpu,
	.explain = explain,
	.call = ana_latency_call_of,
	.device = ana_latency_device_of };
const struct ana_latency_kind ana_latency_blocked = { .name = "blocked",
	.collect = collect_blocked,
	.explain = explain,
	.key = key_of_blocked,
	.call = ana_latency_call_of,
	.device = ana_latency_device_of };
const struct ana_latency_kind ana_latency_fork = { .name = "fork",
	.needs = { "sched_process_*" },
	.collect = collect_fork,
	.explain = ana_latency_explain_cpu,
	.call = ana_latency_call_of };
