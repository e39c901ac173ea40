/* SPDX-License-Identifier: MIT */
/*
 * Kinds that the history of a thread shows: from its wake-up until it runs, and a stay in some states, from
 * its begin to its end.
 *
 * A stay that began before its thread was known is no case: a thread that the state dump found asleep had
 * slept for an unknown time.  The interval of such a sleep has MDL_BLOCK_UNKNOWN; a sleep that begins with a
 * switch has the way in which it blocked (prev_state).  If a stay ends in an unknown state, events were lost
 * in it (model/core/gap.c), unless the last event before the loss ended the stay: then the state that this
 * event began has no length.
 *
 * The idle threads are no cases.  They are always runnable and leave their CPU to any other thread (fair: 120
 * in the events, but their class is below all, kernel/sched/idle.c).  Their waits delay nobody.
 */
#include "analysis/account/account.h"
#include "analysis/cpu/cpuwait.h"
#include "analysis/kind/kind.h"
#include "analysis/latency/kind.h"
#include "base/base_time.h"

#include <inttypes.h>

#define BIT(state) (1u << (state))
#define ON_CPU                                                                                        \
	(BIT(MDL_ST_USERMODE) | BIT(MDL_ST_SYSCALL) | BIT(MDL_ST_RUNNING) | BIT(MDL_ST_INTERRUPTED) | \
		BIT(MDL_ST_VCPU_PREEMPTED) | BIT(MDL_ST_VCPU_EXIT) | BIT(MDL_ST_WAITING))

/* ---- from the wake-up of a thread to when it runs: the latency of the scheduler ---- */

/* The thread was woken by W and no event shows that it ran: LOST if events were lost meanwhile, else OPEN. */
static enum mdl_span_fate fate_of(struct qry *q, uint32_t row, const struct mdl_wakeup *w)
{
	struct mdl_interval iv;

	for (int64_t at = w->time; qry_kernel_state_at(q, row, at, &iv); at = iv.to)
		if (iv.state == MDL_ST_UNKNOWN)
			return MDL_SPAN_LOST;
	return MDL_SPAN_OPEN;
}

static void wakeup_walk(struct qry_cases *cases, uint32_t row, int64_t from)
{
	const struct mdl_wakeup *w;
	unsigned n;

	qry_cases_seek_wakeups(cases, from);
	while ((w = qry_cases_wakeups(cases, &n)))
		for (unsigned i = 0; i < n; i++) {
			bool ran = w[i].ran_at != MDL_NEVER;

			/* It ran without a recorded wake-up: nothing to measure from. */
			if (!mdl_wakeup_is_timed(&w[i]))
				continue;
			if (!qry_cases_add(cases, w[i].time, ran ? w[i].ran_at : w[i].time,
				    ran ? MDL_SPAN_DONE : fate_of(qry_cases_of(cases), row, &w[i])))
				return;
		}
}

/* The text for a wake-up that took a good part of the latency to reach another CPU; NULL for any other.  The
 * caller frees. */
static char *flight_text(struct qry *q, const struct ana_latency_case *c)
{
	uint32_t host = qry_row(q, c->row)->host;
	g_autofree char *duration = NULL, *by = NULL;
	struct mdl_cause cause;
	struct mdl_wakeup w;
	int64_t flight;

	if (!qry_wakeup_at(q, c->row, c->start, &w) || w.cause == 0 || !qry_cause(q, host, w.cause, &cause) ||
		!(cause.facts.has & MDL_FACT_ARRIVAL))
		return NULL;
	flight = cause.facts.arrival.time - c->start;
	if (flight <= 0 || flight < c->latency / 4)
		return NULL;
	duration = base_time_format_duration(flight, false);
	if (cause.facts.arrival.context != MDL_NONE)
		by = qry_context_text(q, host, cause.facts.arrival.context);
	return g_strdup_printf("the wake-up took %s to CPU %" PRIu32 "%s%s", duration,
		cause.facts.arrival.cpu, by ? ", by " : "", by ? by : "");
}

/* The owners of the CPUs for which the thread of C waited, one after the other, as in its account.  The
 * caller frees. */
static char *occupants_text(struct qry *q, const struct ana_latency_case *c)
{
	struct ana_blame *blame = ana_blame_new(c->start, c->end);
	char *text;

	ana_account_spans(q, c->row, c->start, c->end, NULL, ana_cpuwait_add, blame);
	text = ana_occupants_text_of(q, blame, true);
	ana_blame_free(blame);
	return text;
}

/* Explain a wait for a CPU: the threads that ran there instead. */
static void explain_cpu(struct qry *q, struct ana_latency_case *c)
{
	struct mdl_interval iv;
	g_autofree char *flight = NULL, *occupants = NULL;

	if (!qry_kernel_state_at(q, c->row, c->end, &iv))
		return;
	c->cpu = iv.aux;
	occupants = occupants_text(q, c);
	flight = flight_text(q, c);
	if (flight && occupants)
		c->cause = g_strdup_printf("%s; %s", occupants, flight);
	else
		c->cause = g_strdup(flight ? flight : occupants);
}

const struct ana_latency_kind ana_latency_wakeup = { .name = "wakeup",
	.needs = { ANA_LATENCY_WAKES },
	.walk = wakeup_walk,
	.explain = explain_cpu,
	.call = ana_latency_call_of,
	.device = ana_latency_device_of };

/* ---- a stay in some states ---- */

/* A kind of stay. */
struct stay {
	/* It ends with the event that woke the thread; without such an event its end is unknown. */
	bool seen;
	unsigned within; /* states in which it goes on, as bits */
	unsigned until;  /* states that end it and make it a case, as bits */
};

/* The state of ROW is unknown from TIME on. True if it came to a CPU at TIME, or was woken at TIME and that
 * ends STAY. */
static bool ended_last(struct qry *q, const struct stay *stay, uint32_t row, int64_t time)
{
	struct mdl_wakeup w;

	if (!qry_wakeup_before(q, row, time + 1, &w) || (stay->seen && !mdl_wakeup_is_timed(&w)))
		return false;
	return w.ran_at == time || (stay->until & BIT(MDL_ST_WAIT_CPU) && w.time == time);
}

/* Add the stay that began at START, with its fate: NEXT is the interval after it; NULL: the trace ended
 * first. */
static bool end_stay(struct qry_cases *cases, const struct stay *stay, uint32_t row, int64_t start,
	const struct mdl_interval *next)
{
	struct mdl_wakeup w;

	if (start == MDL_NEVER)
		return true;
	if (!next)
		return qry_cases_add(cases, start, start, MDL_SPAN_OPEN);
	/* No event shows a wake-up in the wait. */
	if (stay->seen && BIT(next->state) & ON_CPU &&
		(!qry_wakeup_after(qry_cases_of(cases), row, start, &w) || w.time > next->from ||
			!mdl_wakeup_is_timed(&w)))
		return qry_cases_add(cases, start, start, MDL_SPAN_LOST);
	if (BIT(next->state) & stay->until ||
		(next->state == MDL_ST_UNKNOWN && ended_last(qry_cases_of(cases), stay, row, next->from)))
		return qry_cases_add(cases, start, next->from, MDL_SPAN_DONE);
	return next->state == MDL_ST_EXITED || qry_cases_add(cases, start, start, MDL_SPAN_LOST);
}

/* True if a stay begins with IV, before which the thread was in state BEFORE. */
static bool begins(const struct stay *stay, unsigned before, const struct mdl_interval *iv)
{
	if (!(stay->within & BIT(MDL_ST_BLOCKED)) || BIT(before) & ON_CPU || iv->state == MDL_ST_PREEMPTED)
		return true;
	return iv->state == MDL_ST_BLOCKED && iv->detail != MDL_BLOCK_UNKNOWN;
}

/* The state of a walk over states. */
struct walk {
	struct qry_cases *cases;
	const struct stay *stay;
	uint32_t row;
	bool inside;     /* in a stay */
	int64_t start;   /* begin of the stay; MDL_NEVER: unknown */
	unsigned before; /* the state before */
	/* For blocks: those that are not in the history because they began and ended at one instant. */
	bool more;     /* there is one */
	int64_t empty; /* its time */
};

/* Add the empty blocks up to TIME.  False: no more are wanted. */
static bool add_empty(struct walk *w, int64_t time)
{
	while (w->more && w->empty <= time) {
		if (!qry_cases_add(w->cases, w->empty, w->empty, MDL_SPAN_DONE))
			return false;
		w->more = qry_cases_empty(w->cases, &w->empty);
	}
	return true;
}

/* The stay ends with NEXT, as in end_stay(). */
static inline bool states_leave(struct walk *w, const struct mdl_interval *next)
{
	bool more = (w->start == MDL_NEVER || add_empty(w, w->start)) &&
		end_stay(w->cases, w->stay, w->row, w->start, next);

	w->start = MDL_NEVER;
	w->inside = false;
	return more;
}

/* Step the walk to IV.  False: stop. */
static inline bool states_step(struct walk *w, const struct mdl_interval *iv)
{
	bool more = true;

	if (w->stay->within & BIT(iv->state)) {
		if (!w->inside && begins(w->stay, w->before, iv))
			w->start = iv->from;
		w->inside = true;
	} else if (w->inside) {
		more = states_leave(w, iv);
	}
	w->before = iv->state;
	return more;
}

/* Walk over all intervals of the thread up to its last event. The state that begins with that event has no
 * length. */
static bool walk_states(struct walk *w)
{
	const struct qry_row *r = qry_row(qry_cases_of(w->cases), w->row);
	const struct mdl_interval last = { r->last, r->last, r->final, MDL_NONE, MDL_NONE }, *iv;
	unsigned n;

	while ((iv = qry_cases_states(w->cases, &n)))
		for (unsigned i = 0; i < n; i++)
			if (!states_step(w, &iv[i]))
				return false;
	return r->final == MDL_ST_STORED || states_step(w, &last);
}

static void walk_stays(struct qry_cases *cases, uint32_t row, int64_t from, const struct stay *stay)
{
	struct walk w = { cases, stay, row, .start = MDL_NEVER, .before = MDL_ST_UNKNOWN };

	if (qry_row(qry_cases_of(cases), row)->cpu != MDL_NONE)
		return;
	qry_cases_seek_states(cases, from);
	if (stay->seen) {
		qry_cases_seek_empty(cases, from);
		w.more = qry_cases_empty(cases, &w.empty);
	}
	if (walk_states(&w) && states_leave(&w, NULL))
		add_empty(&w, INT64_MAX);
}

static const struct stay waiting = { false, BIT(MDL_ST_WAIT_CPU), ON_CPU },
			 preempted = { false, BIT(MDL_ST_PREEMPTED), ON_CPU },
			 off_cpu = { false,
				 BIT(MDL_ST_BLOCKED) | BIT(MDL_ST_WAIT_CPU) | BIT(MDL_ST_PREEMPTED), ON_CPU },
			 blocked = { true, BIT(MDL_ST_BLOCKED), ON_CPU | BIT(MDL_ST_WAIT_CPU) };

static void walk_preempted(struct qry_cases *cases, uint32_t row, int64_t from)
{
	walk_stays(cases, row, from, &preempted);
}

static void walk_off_cpu(struct qry_cases *cases, uint32_t row, int64_t from)
{
	walk_stays(cases, row, from, &off_cpu);
}

static void walk_blocked(struct qry_cases *cases, uint32_t row, int64_t from)
{
	walk_stays(cases, row, from, &blocked);
}

/* ---- new threads ---- */

/* Add the time from START, the birth of thread ROW, until it first had a CPU.  False: no more are wanted. */
static bool add_first_run(struct qry_cases *cases, uint32_t row, int64_t start)
{
	static const struct stay as_new = { false, BIT(MDL_ST_NEW) | BIT(MDL_ST_WAIT_CPU), ON_CPU };
	struct qry *q = qry_cases_of(cases);
	struct mdl_interval iv;
	int64_t at = start;

	for (; qry_kernel_state_at(q, row, at, &iv); at = iv.to)
		if (!(as_new.within & BIT(iv.state)))
			return end_stay(cases, &as_new, row, start, &iv);
	iv = (struct mdl_interval){ at, at, qry_row(q, row)->final, MDL_NONE, MDL_NONE };
	return end_stay(cases, &as_new, row, start, BIT(iv.state) & ON_CPU ? &iv : NULL);
}

/* Find the wake-up that made thread ROW, born in the trace, runnable. */
static bool first_wakeup(struct qry *q, uint32_t row, struct mdl_wakeup *w)
{
	return qry_row(q, row)->born && qry_wakeup_after(q, row, qry_row(q, row)->first, w) &&
		w->via == MDL_VIA_NEW;
}

/* If the fork event was lost, sched_wakeup_new is the birth of the thread. */
static void walk_fork(struct qry_cases *cases, uint32_t row, G_GNUC_UNUSED int64_t from)
{
	struct qry *q = qry_cases_of(cases);
	int64_t born = qry_row(q, row)->first;
	struct mdl_wakeup w;

	if (qry_row(q, row)->born && !(first_wakeup(q, row, &w) && w.time == born))
		add_first_run(cases, row, born);
}

static void walk_waiting(struct qry_cases *cases, uint32_t row, int64_t from)
{
	walk_stays(cases, row, from, &waiting);
}

/* ---- causes ---- */

static char *key_of_blocked(struct qry *q, const struct ana_latency_case *c)
{
	struct ana_source source;

	return ana_latency_source_of(q, c, &source) ? g_strdup(ana_kind_name(source.kind)) : NULL;
}

/* A block is explained by what ended it; so is a time off the CPU that began with a block. */
static void states_explain(struct qry *q, struct ana_latency_case *c)
{
	struct ana_source source;
	struct mdl_interval iv;

	if (qry_kernel_state_at(q, c->row, c->start, &iv) && iv.state != MDL_ST_BLOCKED) {
		explain_cpu(q, c);
		return;
	}
	if (qry_kernel_state_at(q, c->row, c->end, &iv))
		c->cpu = iv.aux;
	if (ana_latency_source_of(q, c, &source))
		c->cause = ana_source_text(q, &source);
}

const struct ana_latency_kind ana_latency_wait_cpu = { .name = "wait-cpu",
	.needs = { ANA_LATENCY_WAKES },
	.walk = walk_waiting,
	.explain = explain_cpu,
	.call = ana_latency_call_of,
	.device = ana_latency_device_of };
const struct ana_latency_kind ana_latency_preempted = { .name = "preempted",
	.walk = walk_preempted,
	.explain = explain_cpu,
	.call = ana_latency_call_of };
const struct ana_latency_kind ana_latency_off_cpu = { .name = "off-cpu",
	.walk = walk_off_cpu,
	.explain = states_explain,
	.call = ana_latency_call_of,
	.device = ana_latency_device_of };
const struct ana_latency_kind ana_latency_blocked = { .name = "blocked",
	.needs = { ANA_LATENCY_WAKES },
	.walk = walk_blocked,
	.explain = states_explain,
	.key = key_of_blocked,
	.call = ana_latency_call_of,
	.device = ana_latency_device_of,
	.disk = ana_latency_disk_of };
const struct ana_latency_kind ana_latency_fork = { .name = "fork",
	.needs = { { UINT64_C(1) << MDL_GROUP_FORK, "sched_process_*", "sched_process_fork" } },
	.walk = walk_fork,
	.explain = explain_cpu,
	.call = ana_latency_call_of };
