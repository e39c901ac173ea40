/* SPDX-License-Identifier: MIT */
/*
 * The parts of an interval in which a thread had no CPU and could go on, or was about to.
 *
 *   |--- throttled -----|--- wait-cpu, or preempted ---|    a quota or a budget was used up
 *   |--- wait-cpu, or preempted -----------------------|    any other
 *
 * If the wake-up was sent to another CPU, the account of a wait-cpu has a part of its own for its way there.
 *
 * A new thread is NEW until its creator wakes it (wake_up_new_task(), kernel/sched/core.c). Until then it
 * waits for that thread (proofs.md R9.2).  If no event shows that wake-up, the thread most likely waited for
 * a CPU all the time: kernel_clone() (kernel/fork.c) wakes it right after the event of the fork.
 */
#include "analysis/cpu/cpuwait.h"

bool ana_cpuwait_is(struct qry *q, uint32_t row, const struct mdl_interval *iv)
{
	struct mdl_interval next;
	struct mdl_wakeup w;

	if (iv->state == MDL_ST_PREEMPTED || iv->state == MDL_ST_WAIT_CPU)
		return true;
	return iv->state == MDL_ST_NEW && !qry_wakeup_at(q, row, iv->to, &w) &&
		qry_kernel_state_at(q, row, iv->to, &next) && mdl_state_has_cpu(next.state);
}

/* When the wake-up that begins IV was taken on the CPU that it was sent to; else the begin of IV. */
static int64_t taken_at(struct qry *q, uint32_t row, const struct mdl_interval *iv)
{
	struct mdl_cause cause;
	struct mdl_wakeup w;

	if (iv->state != MDL_ST_WAIT_CPU || !qry_wakeup_at(q, row, iv->from, &w) || w.cause == 0 ||
		!qry_cause(q, qry_row(q, row)->host, w.cause, &cause) ||
		!(cause.facts.has & MDL_FACT_ARRIVAL))
		return iv->from;
	return CLAMP(cause.facts.arrival.time, iv->from, iv->to);
}

unsigned ana_cpuwait_split(struct qry *q, uint32_t row, const struct mdl_interval *iv,
	const struct ana_wait_near *near, struct ana_cpuwait_part parts[ANA_CPUWAIT_PARTS])
{
	struct ana_cpuwait_part rest = { .from = iv->from,
		.to = iv->to,
		.phase = iv->state == MDL_ST_PREEMPTED ? ANA_PHASE_PREEMPTED : ANA_PHASE_WAIT_CPU };
	struct ana_throttle throttle;
	unsigned n = 0;

	if (!ana_cpuwait_is(q, row, iv))
		return 0;
	if (iv->state != MDL_ST_NEW && ana_throttle_of(q, row, iv, near, &throttle) &&
		throttle.until > iv->from) {
		rest.from = MIN(throttle.until, iv->to);
		parts[n++] = (struct ana_cpuwait_part){ iv->from, rest.from, ANA_PHASE_THROTTLED,
			throttle.text };
	}
	if (rest.from < rest.to)
		parts[n++] = rest;
	return n;
}

mdl_doubts ana_cpuwait_doubts(struct qry *q, uint32_t row, const struct mdl_interval *iv,
	const struct ana_wait_near *near, const struct ana_cpuwait_part *part)
{
	if (part->quota)
		return MDL_DOUBT(QUOTA);
	return ana_throttle_wait_doubts(q, row, iv, near) | (iv->state == MDL_ST_NEW ? MDL_DOUBT(WAY) : 0);
}

/* The current part of a wait, cut to the wanted time, and the receiver of its spans. */
struct split_teller {
	struct ana_cpuwait_part part;
	mdl_doubts doubts;
	ana_blame_span span;
	void *data;
};

static void tell_occupant(void *data, const struct ana_blame_part *span)
{
	const struct split_teller *t = data;
	struct ana_blame_part told = *span;

	told.phase = t->part.phase;
	if (told.what != ANA_BLAME_UNKNOWN)
		told.doubts |= t->doubts;
	t->span(t->data, &told);
}

static void tell_quota(const struct split_teller *t, uint32_t host, uint32_t cpu)
{
	struct ana_blame_part told = ana_blame_part(ANA_BLAME_THROTTLED, t->part.phase, host, cpu);

	told.from = t->part.from;
	told.to = t->part.to;
	told.time = told.to - told.from;
	told.name = t->part.quota;
	told.doubts = t->doubts;
	t->span(t->data, &told);
}

void ana_cpuwait_spans(struct qry *q, uint32_t row, const struct mdl_interval *iv, int64_t from, int64_t to,
	ana_blame_span span, void *data)
{
	uint32_t host = qry_row(q, row)->host;
	struct ana_wait_near near = ana_wait_near(q, row);
	struct ana_cpuwait_part parts[ANA_CPUWAIT_PARTS + 1];
	unsigned n = ana_cpuwait_split(q, row, iv, &near, parts);
	int64_t taken = n == 1 && parts[0].phase == ANA_PHASE_WAIT_CPU ? taken_at(q, row, iv) : iv->from;

	if (taken > iv->from) { /* until then the wake-up was on the way */
		parts[n++] = parts[0];
		parts[0].phase = ANA_PHASE_WAKE_UP;
		parts[0].to = parts[1].from = taken;
	}
	for (unsigned i = 0; i < n; i++) {
		struct split_teller t = { parts[i], 0, span, data };

		t.part.from = MAX(t.part.from, from);
		t.part.to = MIN(t.part.to, to);
		if (t.part.from >= t.part.to)
			continue;
		t.doubts = ana_cpuwait_doubts(q, row, iv, &near, &parts[i]);
		if (t.part.phase == ANA_PHASE_THROTTLED)
			tell_quota(&t, host, iv->aux);
		else
			ana_blame_spans(q, host, iv->aux, t.part.from, t.part.to, tell_occupant, &t);
	}
}

void ana_cpuwait_add(void *blame, const struct ana_blame_part *span)
{
	struct ana_blame_part part = *span;

	part.phase = ANA_PHASE_NONE;
	if (part.what != ANA_BLAME_IDLE)
		part.step = NULL;
	ana_blame_add(blame, &part);
}
