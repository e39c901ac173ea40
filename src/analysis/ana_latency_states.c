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
	unsigned within; /* states it lasts through, as bits */
	unsigned until;  /* states that end it so that it is a case */
};

/* Did the stay of ROW since START end with the trace's last event?  No state comes behind that, but a wake-up
 * knows.  Not so one that ended in being preempted, of which at most one on each CPU is open in vain. */
static bool ended_last(struct qry *q, const struct stay *stay, uint32_t row, int64_t start)
{
	int64_t last = qry_row(q, row)->last;
	struct mdl_wakeup w;

	return qry_wakeup_before(q, row, INT64_MAX, &w) && w.time >= start &&
		(w.ran_at == last || (w.time == last && stay->until & BIT(MDL_ST_WAIT_CPU)));
}

/* A stay at START is over with NEXT, NULL: with the trace. */
static void end_stay(struct qry *q, struct ana_tally *tally, const struct stay *stay, uint32_t row,
	int64_t start, const struct mdl_interval *next)
{
	if (start == MDL_NEVER)
		return;
	if (!next && ended_last(q, stay, row, start))
		ana_tally_case(tally, row, start, qry_row(q, row)->last);
	else if (!next)
		ana_tally_unfinished(tally, row, start);
	else if (BIT(next->state) & stay->until)
		ana_tally_case(tally, row, start, next->from);
	else if (next->state != MDL_ST_EXITED)
		ana_tally_dropped(tally, row, start);
}

/* Did a stay begin with IV, before which the thread was in state BEFORE? */
static bool begins(const struct stay *stay, unsigned before, const struct mdl_interval *iv)
{
	if (!(stay->within & BIT(MDL_ST_BLOCKED)) || BIT(before) & ON_CPU || iv->state == MDL_ST_PREEMPTED)
		return true;
	return iv->state == MDL_ST_BLOCKED && iv->detail != MDL_BLOCK_UNKNOWN;
}

static void collect_stays(struct qry *q, uint32_t row, int64_t from, int64_t to, struct ana_tally *tally,
	const struct stay *stay)
{
	int64_t at = MAX(from, qry_row(q, row)->first), start = MDL_NEVER;
	unsigned before = MDL_ST_UNKNOWN;
	bool inside = false;
	struct mdl_interval iv;

	if (qry_row(q, row)->cpu != MDL_NONE)
		return;
	if (qry_state_before(q, row, at, &iv)) {
		before = iv.state;
		inside = (stay->within & BIT(iv.state)) != 0;
	}
	for (; qry_state_at(q, row, at, &iv); at = iv.to) {
		if (stay->within & BIT(iv.state)) {
			if (!inside && iv.from >= from && iv.from < to && begins(stay, before, &iv))
				start = iv.from;
			inside = true;
		} else {
			end_stay(q, tally, stay, row, start, &iv);
			start = MDL_NEVER;
			inside = false;
			if (iv.from >= to)
				return;
		}
		before = iv.state;
	}
	end_stay(q, tally, stay, row, start, NULL);
}

static const struct stay waiting = { BIT(MDL_ST_WAIT_CPU), ON_CPU },
			 preempted = { BIT(MDL_ST_PREEMPTED), ON_CPU },
			 off_cpu = { BIT(MDL_ST_BLOCKED) | BIT(MDL_ST_WAIT_CPU) | BIT(MDL_ST_PREEMPTED),
				 ON_CPU },
			 blocked = { BIT(MDL_ST_BLOCKED), ON_CPU | BIT(MDL_ST_WAIT_CPU) };

static void collect_preempted(struct qry *q, uint32_t row, int64_t from, int64_t to, struct ana_tally *tally)
{
	collect_stays(q, row, from, to, tally, &preempted);
}

static void collect_off_cpu(struct qry *q, uint32_t row, int64_t from, int64_t to, struct ana_tally *tally)
{
	collect_stays(q, row, from, to, tally, &off_cpu);
}

static void collect_blocked(struct qry *q, uint32_t row, int64_t from, int64_t to, struct ana_tally *tally)
{
	collect_stays(q, row, from, to, tally, &blocked);
}

/* ---- new threads ---- */

/* Thread ROW, new, becomes runnable, or is born, at START; it runs first when it is new no more. */
static void collect_first_run(struct qry *q, uint32_t row, int64_t start, int64_t from, int64_t to,
	struct ana_tally *tally)
{
	static const struct stay as_new = { BIT(MDL_ST_NEW), ON_CPU };
	struct mdl_interval iv;
	int64_t at = start;

	if (start < from || start >= to)
		return;
	for (; qry_state_at(q, row, at, &iv); at = iv.to) {
		if (iv.state != MDL_ST_NEW) {
			end_stay(q, tally, &as_new, row, start, &iv);
			return;
		}
	}
	end_stay(q, tally, &as_new, row, start, NULL);
}

/* The wake-up of thread ROW, which was born, that made it runnable. */
static bool first_wakeup(struct qry *q, uint32_t row, struct mdl_wakeup *w)
{
	return qry_row(q, row)->born && qry_wakeup_after(q, row, qry_row(q, row)->first, w) &&
		w->via == MDL_VIA_NEW;
}

/* A thread whose fork was lost is born by sched_wakeup_new. */
static void collect_fork(struct qry *q, uint32_t row, int64_t from, int64_t to, struct ana_tally *tally)
{
	int64_t born = qry_row(q, row)->first;
	struct mdl_wakeup w;

	if (qry_row(q, row)->born && !(first_wakeup(q, row, &w) && w.time == born))
		collect_first_run(q, row, born, from, to, tally);
}

static void collect_waiting(struct qry *q, uint32_t row, int64_t from, int64_t to, struct ana_tally *tally)
{
	struct mdl_wakeup w;

	if (first_wakeup(q, row, &w))
		collect_first_run(q, row, w.time, from, to, tally);
	collect_stays(q, row, from, to, tally, &waiting);
}

/* ---- causes ---- */

/* What ended the block of C; false: not known. */
static bool source_of(struct qry *q, const struct ana_latency_case *c, struct ana_source *source)
{
	struct mdl_wakeup w;

	if (c->end == MDL_NEVER || !qry_wakeup_after(q, c->row, c->start, &w) || w.time > c->end)
		return false;
	*source = ana_source_of(q, c->row, &w);
	return true;
}

static char *key_of_blocked(struct qry *q, const struct ana_latency_case *c)
{
	struct ana_source source;

	return source_of(q, c, &source) ? g_strdup(ana_kind_name(source.kind)) : NULL;
}

/* Of a block it is what ended it; of a time off the CPU too, if it began with a block. */
static void explain(struct qry *q, struct ana_latency_case *c)
{
	struct ana_source source;
	struct mdl_interval iv;

	if (qry_state_at(q, c->row, c->start, &iv) && iv.state != MDL_ST_BLOCKED) {
		ana_latency_explain_cpu(q, c);
		return;
	}
	if (qry_state_at(q, c->row, c->end, &iv))
		c->cpu = iv.aux;
	if (source_of(q, c, &source))
		c->cause = ana_source_text(q, &source);
}

const struct ana_latency_kind ana_latency_wait_cpu = { .name = "wait-cpu",
	.collect = collect_waiting,
	.explain = ana_latency_explain_cpu };
const struct ana_latency_kind ana_latency_preempted = { .name = "preempted",
	.collect = collect_preempted,
	.explain = ana_latency_explain_cpu };
const struct ana_latency_kind ana_latency_off_cpu = { .name = "off-cpu",
	.collect = collect_off_cpu,
	.explain = explain };
const struct ana_latency_kind ana_latency_blocked = { .name = "blocked",
	.collect = collect_blocked,
	.explain = explain,
	.key = key_of_blocked };
const struct ana_latency_kind ana_latency_fork = { .name = "fork",
	.needs = "sched_process_*",
	.collect = collect_fork,
	.explain = ana_latency_explain_cpu };
