/* SPDX-License-Identifier: MIT */
/*
 * How it works: the timer expires for its groups only.  A thread that waits for another reason may by chance
 * run soon after an expiry.  So a thread counts as throttled only if its process, or the parent process, was
 * seen to be throttled (a child is in the group of its parent unless it is moved), or if the CPU it waited
 * for was idle for longer than SOON.  A process was seen to be throttled if one of its threads left its CPU
 * idle until the timer expired, or if most of its long waits end right after the timer, more often than by
 * chance.
 *
 * A CPU that leaves idle late, for example a guest's, runs the thread long after the expiry.  If the timer
 * was found by its name, the delay after the expiry is therefore not limited, except for a thread that was
 * woken for an idle CPU: it may only wait for that CPU to leave idle.
 *
 * The quota is measured by the expiries: what the family used before each, and if it went on afterwards
 * (quota.c).
 */
#include "analysis/cpu/throttle_parts.h"

#include "base/base_time.h"

#define MEASURED_MOST 400 /* periods that measure a quota */
#define GENERATIONS 8     /* of processes of one group */

/* ---- seen to be throttled ---- */

/* True if ROW is a thread of PROCESS, or of a process that descends from it. */
static bool belongs(const struct qry *q, uint32_t row, uint32_t process)
{
	for (unsigned i = 0; i < GENERATIONS && row != MDL_NONE; i++) {
		if (qry_row(q, row)->process == process)
			return true;
		row = qry_row(q, qry_row(q, row)->process)->parent;
	}
	return false;
}

/* Begin of the last time within WAIT in which its CPU was idle for LEAST ns or longer.  MDL_NEVER if there is
 * none. */
static int64_t last_idle(struct qry *q, uint32_t host, const struct mdl_interval *wait, int64_t least)
{
	uint32_t line = qry_cpu_row(q, host, wait->aux);
	int64_t begin = MDL_NEVER, end = MDL_NEVER;
	struct mdl_interval iv;

	for (int64_t t = wait->to; t > wait->from && qry_kernel_state_before(q, line, t, &iv); t = iv.from) {
		if (ana_throttle_is_idle(q, &iv)) {
			end = end == MDL_NEVER ? MIN(iv.to, wait->to) : end;
			begin = MAX(iv.from, wait->from);
		} else if (end != MDL_NEVER && end - begin >= least) {
			return begin;
		} else {
			end = MDL_NEVER;
		}
	}
	return end != MDL_NEVER && end - begin >= least ? begin : MDL_NEVER;
}

int64_t ana_quota_named_at(struct ana_throttles *all, uint32_t host, const struct mdl_interval *wait,
	int64_t least)
{
	int64_t idle = last_idle(all->q, host, wait, least);

	return idle == MDL_NEVER || idle + least >= wait->to
		? MDL_NEVER
		: ana_quota_last_expiry(all, host, ana_quota_timers(all, host), false, idle + least,
			  wait->to);
}

/* True if thread ROW left its CPU idle until the named timer expired. */
static bool leaves_idle(struct ana_throttles *all, uint32_t row)
{
	const struct qry_row *r = qry_row(all->q, row);
	struct mdl_interval iv;

	for (int64_t t = r->first; qry_kernel_state_at(all->q, row, t, &iv); t = iv.to) {
		if (iv.state == MDL_ST_PREEMPTED && iv.to - iv.from >= SOON && iv.aux != MDL_NONE &&
			qry_cpu_row(all->q, r->host, iv.aux) != MDL_NONE &&
			ana_quota_is_fair(qry_priority_at(all->q, row, iv.from)) &&
			ana_quota_named_at(all, r->host, &iv, SOON) != MDL_NEVER)
			return true;
	}
	return false;
}

/*
 * True if most threads of PROCESS that were preempted for longer than SOON run right after the named timer
 * expires, four times as often as by chance.  This also finds groups while other threads have their CPU.
 */
static bool runs_by_timer(struct ana_throttles *all, uint32_t process)
{
	uint32_t host = qry_row(all->q, process)->host;
	const struct qry_host *h = qry_host(all->q, host);
	struct ana_quota_timers *timers = ana_quota_timers(all, host);
	unsigned n = 0, soon = 0;
	struct mdl_interval iv;

	if (!timers->expiries)
		timers->expiries = ana_quota_expiries(all->q, host, timers, h->from, h->to);
	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		const struct qry_row *r = qry_row(all->q, i);

		if (r->type != MDL_ROW_THREAD || r->process != process)
			continue;
		for (int64_t t = r->first; qry_kernel_state_at(all->q, i, t, &iv); t = iv.to) {
			int64_t last;

			if (iv.state != MDL_ST_PREEMPTED || iv.to - iv.from < 2 * SOON ||
				!ana_quota_is_fair(qry_priority_at(all->q, i, iv.from)))
				continue;
			last = ana_quota_last_expiry(all, host, timers, false, iv.from, iv.to);
			n++;
			soon += last != MDL_NEVER && iv.to - last < SOON;
		}
	}
	return soon >= VOTES_LEAST && 2 * soon >= n &&
		(int64_t)soon * (h->to - h->from) > 4 * (int64_t)n * timers->expiries->len * SOON;
}

/* True if PROCESS itself was seen to be throttled. */
static bool was_throttled(struct ana_throttles *all, uint32_t process)
{
	const struct qry_host *h = qry_host(all->q, qry_row(all->q, process)->host);
	const struct ana_quota_timers *timers = ana_quota_timers(all, qry_row(all->q, process)->host);
	bool was = false;

	for (uint32_t i = h->first_row; !was && i < h->first_row + h->n_rows; i++) {
		if (qry_row(all->q, i)->type != MDL_ROW_THREAD || qry_row(all->q, i)->process != process)
			continue;
		was = ana_quota_left_idle(all->q, i, timers->period) ||
			(timers->named && leaves_idle(all, i));
	}
	return was || (timers->named && timers->period != MDL_NONE && runs_by_timer(all, process));
}

/* ---- the quota ---- */

GArray *ana_quota_family(struct qry *q, uint32_t process)
{
	const struct qry_host *h = qry_host(q, qry_row(q, process)->host);
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		if (qry_row(q, i)->type == MDL_ROW_THREAD && belongs(q, i, process))
			g_array_append_val(rows, i);
	}
	return rows;
}

void ana_quota_add_used(struct qry *q, uint32_t row, int64_t from, struct ana_quota_end *end)
{
	struct qry_cell cell;

	qry_share(q, row, from, end->time, &cell);
	end->most = base_time_sum(end->most, qry_cell_on_cpu(&cell));
	end->least = base_time_sum(end->least, qry_cell_on_cpu(&cell) - cell.ns[MDL_ST_INTERRUPTED]);
}

/* True if thread ROW, in its interval WAIT, could not run until a timer expired at TIME: its CPU was idle
 * then, or the thread ran within SOON after it. */
static bool is_kept_at(struct qry *q, uint32_t row, const struct mdl_interval *wait, int64_t time)
{
	uint32_t line = wait->aux == MDL_NONE ? MDL_NONE : qry_cpu_row(q, qry_row(q, row)->host, wait->aux);
	struct mdl_interval iv;

	if ((wait->state != MDL_ST_PREEMPTED && wait->state != MDL_ST_WAIT_CPU) ||
		wait->to - wait->from < LEAST || line == MDL_NONE)
		return false;
	return wait->to - time < SOON ||
		(qry_kernel_state_at(q, line, time, &iv) && ana_throttle_is_idle(q, &iv));
}

/* Each expiry of TIMER on HOST, with its effect on FAMILY (struct ana_quota_end). The caller unrefs. */
static GArray *ends_of(struct qry *q, const GArray *family, uint32_t host, uint32_t timer)
{
	const struct ana_quota_timers one = { .period = timer, .slack = MDL_NONE };
	const struct qry_host *h = qry_host(q, host);
	g_autoptr(GArray) expiries = ana_quota_expiries(q, host, &one, h->from, h->to);
	GArray *ends = g_array_new(FALSE, FALSE, sizeof(struct ana_quota_end));
	int64_t from = h->from;

	for (guint i = 0; i < expiries->len && i < MEASURED_MOST; i++) {
		struct ana_quota_end end = { .time = g_array_index(expiries, struct ana_expiry, i).time };
		int64_t next = i + 1 < expiries->len ? g_array_index(expiries, struct ana_expiry, i + 1).time
						     : h->to;

		if (i + 1 < expiries->len && next - end.time < SOON) /* of several groups at once */
			continue;
		for (guint j = 0; j < family->len; j++) {
			uint32_t row = g_array_index(family, uint32_t, j);
			struct mdl_interval iv;

			ana_quota_add_used(q, row, from, &end);
			if (!qry_kernel_state_at(q, row, end.time, &iv) || iv.from >= end.time ||
				!is_kept_at(q, row, &iv, end.time))
				continue;
			end.stopped = true;
			end.let_go |= iv.to <= next;
		}
		g_array_append_val(ends, end);
		from = end.time;
	}
	return ends;
}

/* The ENDS that fit PERIOD, counted from the first that let the group go on.  The others belong to other
 * groups; the CPU time used before one of those counts for the next own one.  The caller unrefs. */
static GArray *of_period(const GArray *ends, int64_t period)
{
	GArray *own = g_array_new(FALSE, FALSE, sizeof(struct ana_quota_end));
	int64_t first = MDL_NEVER, least = 0, most = 0;

	for (guint i = 0; i < ends->len; i++) {
		struct ana_quota_end e = g_array_index(ends, struct ana_quota_end, i);
		int64_t off;

		first = first == MDL_NEVER && e.let_go ? e.time : first;
		off = first == MDL_NEVER ? 0 : (e.time - first + period / 2) % period - period / 2;
		e.least += least;
		e.most += most;
		least = e.least;
		most = e.most;
		if (first == MDL_NEVER || ABS(off) > period / 8)
			continue;
		g_array_append_val(own, e);
		least = most = 0;
	}
	return own;
}

/* The times of ENDS: of ALL, or of those that let the group go on.  The caller unrefs. */
static GArray *times_of(const GArray *ends, bool all)
{
	GArray *times = g_array_new(FALSE, FALSE, sizeof(int64_t));

	for (guint i = 0; i < ends->len; i++) {
		const struct ana_quota_end *e = &g_array_index(ends, struct ana_quota_end, i);

		if (all || e->let_go)
			g_array_append_val(times, e->time);
	}
	return times;
}

/* The most CPU time used in one PERIOD between two ENDS that let the group go on: an estimate of the quota if
 * ana_quota_of() finds none. */
static int64_t most_used(const GArray *ends, int64_t period)
{
	int64_t quota = 0, before = MDL_NEVER;

	for (guint i = 0; i < ends->len; i++) {
		const struct ana_quota_end *e = &g_array_index(ends, struct ana_quota_end, i);

		if (e->let_go && before != MDL_NEVER && e->time - before < period + period / 8)
			quota = MAX(quota, e->most);
		before = e->let_go ? e->time : MDL_NEVER;
	}
	return quota;
}

static int64_t cpus_of(const struct qry *q, uint32_t host)
{
	const struct qry_host *h = qry_host(q, host);
	int64_t n = 0;

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++)
		n += qry_row(q, i)->type == MDL_ROW_CPU;
	return n;
}

static void measure(struct qry *q, uint32_t process, uint32_t timer, struct ana_quota_known *known)
{
	uint32_t host = qry_row(q, process)->host;
	g_autoptr(GArray) family = ana_quota_family(q, process);
	g_autoptr(GArray) ends = ends_of(q, family, host, timer);
	g_autoptr(GArray) all = times_of(ends, true), let_go = times_of(ends, false), own = NULL;
	g_autofree char *period_text = NULL, *quota_text = NULL, *text = NULL;

	if (let_go->len < 2)
		return;
	known->period = ana_quota_period(all);
	if (known->period == 0)
		known->period = ana_quota_period(let_go);
	if (known->period == 0)
		return;
	own = of_period(ends, known->period);
	known->quota = ana_quota_of(own, known->period * cpus_of(q, host));
	if (known->quota == 0)
		known->quota = most_used(own, known->period);
	if (known->quota == 0)
		return;
	period_text = base_time_format_duration(known->period, FALSE);
	quota_text = base_time_format_duration(known->quota, FALSE);
	text = g_strdup_printf("CPU quota: about %s of every %s", quota_text, period_text);
	known->text = g_intern_string(text);
}

const struct ana_quota_known *ana_quota_known(struct ana_throttles *all, uint32_t process, uint32_t timer)
{
	uint32_t parent = qry_row(all->q, process)->parent;
	struct ana_quota_known *known = g_hash_table_lookup(all->processes, GUINT_TO_POINTER(process));

	if (known)
		return known;
	known = g_new(struct ana_quota_known, 1);
	*known = (struct ana_quota_known){ .text = "CPU quota" };
	if (parent != MDL_NONE && qry_row(all->q, parent)->process != process &&
		ana_quota_known(all, qry_row(all->q, parent)->process, timer)->seen)
		*known = *ana_quota_known(all, qry_row(all->q, parent)->process, timer);
	known->seen |= was_throttled(all, process);
	if (known->seen && known->period == 0)
		measure(all->q, process, timer, known);
	g_hash_table_insert(all->processes, GUINT_TO_POINTER(process), known);
	return known;
}
