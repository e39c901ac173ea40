/* SPDX-License-Identifier: MIT */
/*
 * How it works: a fair thread is throttled in a wait if the period timer of its quota ended the wait
 * (quota_timer.c) and the process is known to be throttled, or its CPU was idle meanwhile (quota_known.c).
 * While threads of another group have the CPU, the events do not show whether a thread is throttled or waits
 * for its turn, so throttling is never proved.  Core scheduling (forced idle) and sched_ext also leave a CPU
 * idle, and the events do not show them either.
 *
 * Higher classes have budgets (proofs.md R24.3, kernel/sched).  A SCHED_DEADLINE thread has its own:
 * update_curr_dl() throttles it and dl_task_timer() refills it (deadline.c).  Real-time threads share one
 * budget up to 6.11, and with groups: sched_rt_runtime_exceeded(), sched_rt_period_timer() (rt.c).  Since
 * 6.12 a server of the fair class runs before them: dl_server_timer(), called by dl_task_timer().  The next
 * thread on the CPU shows it: pick_next_task() (core.c) takes no thread of a lower class and no idle thread
 * while a thread of a higher class may run.
 *
 * In reverse: a wait is not in doubt if no such timer expired in it, since only these timers put queues back
 * (sched_cfs_slack_timer() too).  It is in doubt if timers were not recorded, and if the CPU idled or ran a
 * lower class for long, because then the waiting thread was not allowed to run, whatever the reason.
 */
#include "analysis/cpu/throttle_parts.h"

#include "base/base_time.h"

static void *throttles_new(struct qry *q)
{
	struct ana_throttles *all = g_new(struct ana_throttles, 1);

	*all = (struct ana_throttles){ .q = q,
		.timers = g_hash_table_new_full(NULL, NULL, NULL, ana_quota_timers_free),
		.processes = g_hash_table_new_full(NULL, NULL, NULL, g_free),
		.lower = ana_lower_new(q) };
	return all;
}

static void throttles_free(void *data)
{
	struct ana_throttles *all = data;

	g_hash_table_unref(all->timers);
	g_hash_table_unref(all->processes);
	ana_lower_free(all->lower);
	g_free(all);
}

static struct ana_throttles *throttles_of(struct qry *q)
{
	static const char key;

	return qry_memo(q, &key, throttles_new, throttles_free);
}

void ana_throttle_many(struct qry *q)
{
	throttles_of(q)->many = true;
}

void ana_throttle_key(struct qry *q, GString *key)
{
	for (uint32_t host = 0; host < qry_host_count(q); host++) {
		struct ana_quota_timers t = ANA_QUOTA_NO_TIMERS;

		if (ana_quota_name_timers(q, host, &t))
			g_string_append_printf(key, " timers %u %u %u %u %u", host, t.period, t.slack,
				t.real_time, t.deadline);
	}
}

struct ana_wait_near ana_wait_near(struct qry *q, uint32_t row)
{
	return (struct ana_wait_near){ .throttles = throttles_of(q),
		.steady = qry_priority_change(q, row, INT64_MIN) == BASE_TIME_NONE,
		.priority = qry_priority_at(q, row, INT64_MIN) };
}

/* True if thread ROW is in the fair class at TIME, or its class is unknown. */
static bool is_fair_near(struct qry *q, uint32_t row, int64_t time, const struct ana_wait_near *near)
{
	return ana_quota_is_fair(near->steady ? near->priority : qry_priority_at(q, row, time));
}

/* ---- budgets of the higher classes ---- */

/* True if the CPU in IV idles, or runs a thread of a lower class than thread ROW. */
static bool is_lower(struct qry *q, uint32_t row, const struct mdl_interval *iv)
{
	if (ana_throttle_is_idle(q, iv))
		return true;
	return iv->aux != MDL_NONE && mdl_state_has_cpu(iv->state) &&
		mdl_class_before(qry_priority_at(q, row, iv->from), qry_priority_at(q, iv->aux, iv->from));
}

/* The interval in which the wait for a CPU of thread ROW begins; WAIT is a part of that wait. */
static struct mdl_interval first_of(struct qry *q, uint32_t row, const struct mdl_interval *wait,
	const struct ana_wait_near *near)
{
	struct mdl_interval first = *wait, before;

	if (near->first)
		return *near->first;
	while (qry_kernel_state_before(q, row, first.from, &before) && before.to == first.from &&
		(before.state == MDL_ST_PREEMPTED || before.state == MDL_ST_WAIT_CPU))
		first = before;
	return first;
}

/* True if thread ROW was runnable when it left its CPU at the begin of the wait that WAIT is a part of, and
 * the CPU went to a thread of a lower class, or idled.  Only throttling does that. */
static bool is_left_out(struct qry *q, uint32_t row, const struct mdl_interval *wait,
	const struct ana_wait_near *near)
{
	struct mdl_interval first = first_of(q, row, wait, near), iv;
	uint32_t line;

	if (first.state != MDL_ST_PREEMPTED || first.aux == MDL_NONE)
		return false;
	/* Only idle is below the fair class. */
	if (near->left != ANA_NEAR_UNKNOWN && near->steady && ana_quota_is_fair(near->priority))
		return near->left == ANA_NEAR_IDLE;
	line = qry_cpu_row(q, qry_row(q, row)->host, first.aux);
	return line != MDL_NONE && qry_kernel_state_at(q, line, first.from, &iv) && is_lower(q, row, &iv);
}

/* Time of the last expiry of TIMER in [FROM, TO) on the CPU of row LINE.  MDL_NEVER if there is none. */
static int64_t last_on(struct qry *q, uint32_t line, uint32_t timer, int64_t from, int64_t to)
{
	struct mdl_interval iv;

	for (int64_t t = to; t > from && qry_kernel_state_before(q, line, t, &iv); t = iv.from) {
		if (iv.state == MDL_ST_INTERRUPTED && iv.detail == timer && iv.from >= from)
			return iv.from;
	}
	return MDL_NEVER;
}

/* Time of the last expiry of TIMER in the wait of thread ROW that begins with FIRST: on the CPUs that it
 * waited for, else on any.  MDL_NEVER if there is none. */
static int64_t last_in_wait(struct qry *q, uint32_t row, uint32_t timer, const struct mdl_interval *first)
{
	const struct ana_quota_timers one = { .period = timer, .slack = MDL_NONE };
	uint32_t host = qry_row(q, row)->host;
	struct mdl_interval iv = *first;
	int64_t last = MDL_NEVER, to;

	if (timer == MDL_NONE)
		return MDL_NEVER;
	do {
		uint32_t line = iv.aux == MDL_NONE ? MDL_NONE : qry_cpu_row(q, host, iv.aux);
		int64_t own = line == MDL_NONE ? MDL_NEVER : last_on(q, line, timer, iv.from, iv.to);

		last = own != MDL_NEVER ? own : last;
		to = iv.to;
	} while (qry_kernel_state_at(q, row, to, &iv) && iv.from == to &&
		(iv.state == MDL_ST_PREEMPTED || iv.state == MDL_ST_WAIT_CPU));
	if (last == MDL_NEVER) {
		g_autoptr(GArray) all = ana_quota_expiries(q, host, &one, first->from, to);

		if (all->len > 0)
			last = g_array_index(all, struct ana_expiry, all->len - 1).time;
	}
	return last;
}

/* True if the server of the fair class, whose timer is SERVER, took the CPU from thread ROW, which left it in
 * FIRST: the timer had just expired there. */
static bool is_served(struct qry *q, uint32_t row, uint32_t server, const struct mdl_interval *first)
{
	uint32_t line = qry_cpu_row(q, qry_row(q, row)->host, first->aux);

	return server != MDL_NONE && last_on(q, line, server, first->from - SOON, first->from) != MDL_NEVER;
}

/* Fill THROTTLE with the end of the time in WAIT in which thread ROW, of a higher class than fair, had no
 * budget.  Returns false if it had one all the time. */
static bool budget_of(struct qry *q, uint32_t row, const struct mdl_interval *wait,
	const struct ana_wait_near *near, struct ana_throttle *throttle)
{
	uint32_t host = qry_row(q, row)->host;
	struct mdl_interval first = first_of(q, row, wait, near);
	const struct ana_quota_timers *timers = ana_quota_timers(near->throttles, host);
	bool deadline = qry_priority_at(q, row, first.from) <= MDL_PRIORITY_DEADLINE;
	int64_t until;

	if (!is_left_out(q, row, wait, near))
		return false;
	until = last_in_wait(q, row, deadline ? timers->deadline : timers->real_time, &first);
	throttle->text = deadline ? "its own deadline budget" : "real-time throttling";
	if (until == MDL_NEVER && !deadline && timers->named) {
		if (!is_served(q, row, timers->deadline, &first))
			return false;
		throttle->text = "the server of fair threads";
	}
	throttle->until = until == MDL_NEVER ? wait->to : CLAMP(until, wait->from, wait->to);
	return throttle->until > wait->from;
}

/* ---- a wait ---- */

/* True if the CPU of row LINE was idle at TIME and a thread took it within SOON. */
static bool is_let_go(struct qry *q, uint32_t line, int64_t time)
{
	struct mdl_interval iv;

	if (!qry_kernel_state_at(q, line, time, &iv) || !ana_throttle_is_idle(q, &iv))
		return false;
	while (ana_throttle_is_idle(q, &iv) && iv.to <= time + SOON &&
		qry_kernel_state_at(q, line, iv.to, &iv))
		;
	return !ana_throttle_is_idle(q, &iv) && iv.from <= time + SOON;
}

/* Time of the last expiry of TIMER in WAIT, on any CPU of HOST, after which a thread took the idle CPU.
 * MDL_NEVER if there is none. */
static int64_t let_go_at(struct qry *q, uint32_t host, uint32_t timer, const struct mdl_interval *wait)
{
	uint32_t line = qry_cpu_row(q, host, wait->aux);
	const struct qry_host *h = qry_host(q, host);
	int64_t last = MDL_NEVER;
	struct mdl_interval iv;

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		int64_t end = qry_row(q, i)->type == MDL_ROW_CPU ? MAX(wait->from, last) : wait->to;

		for (int64_t t = wait->to; t > end && qry_kernel_state_before(q, i, t, &iv); t = iv.from) {
			if (iv.state == MDL_ST_INTERRUPTED && iv.detail == timer && iv.from > end &&
				is_let_go(q, line, iv.from))
				end = last = iv.from;
		}
	}
	return last;
}

/* Time at which TIMER expired in the interrupts right before the thread of WAIT ran.  MDL_NEVER if it did
 * not. */
static int64_t interrupt_at(struct qry *q, uint32_t host, uint32_t timer, const struct mdl_interval *wait)
{
	uint32_t line = qry_cpu_row(q, host, wait->aux);
	struct mdl_interval iv;

	for (int64_t t = wait->to; qry_kernel_state_before(q, line, t, &iv) && iv.to == t &&
		iv.state == MDL_ST_INTERRUPTED && iv.from > wait->from;
		t = iv.from) {
		if (iv.detail == timer)
			return iv.from;
	}
	return MDL_NEVER;
}

/*
 * For a process that was seen to be throttled: time of the expiry of the named timer that let the thread of
 * WAIT run, although other threads had its CPU.  It counts if the thread ran right after it, or if the group
 * had used most of its quota since the expiry before the wait.  MDL_NEVER if there is none.
 */
static int64_t busy_until(struct ana_throttles *all, uint32_t row, const struct mdl_interval *wait,
	const struct ana_quota_known *known)
{
	uint32_t host = qry_row(all->q, row)->host;
	struct ana_quota_timers *timers = ana_quota_timers(all, host);
	int64_t last = ana_quota_last_expiry(all, host, timers, false, wait->from, wait->to), before;
	struct ana_quota_end used = { .time = wait->from };
	g_autoptr(GArray) family = NULL;

	if (last == MDL_NEVER || wait->to - wait->from < SOON)
		return MDL_NEVER;
	if (wait->to - last < SOON)
		return last;
	before = ana_quota_last_expiry(all, host, timers, false, wait->from - known->period - SOON,
		wait->from);
	if (known->quota == 0 || before == MDL_NEVER || wait->to - last > known->period / 2)
		return MDL_NEVER;
	family = ana_quota_family(all->q, qry_row(all->q, row)->process);
	for (guint i = 0; i < family->len; i++)
		ana_quota_add_used(all->q, g_array_index(family, uint32_t, i), before, &used);
	return 4 * used.most >= 3 * known->quota ? last : MDL_NEVER;
}

bool ana_throttle_of(struct qry *q, uint32_t row, const struct mdl_interval *wait,
	const struct ana_wait_near *near, struct ana_throttle *throttle)
{
	struct ana_throttles *all = near->throttles;
	uint32_t host = qry_row(q, row)->host;
	const struct ana_quota_timers *timers;
	const struct ana_quota_known *known;
	int64_t until;

	if (wait->aux == MDL_NONE || qry_cpu_row(q, host, wait->aux) == MDL_NONE)
		return false;
	if (!is_fair_near(q, row, wait->from, near))
		return budget_of(q, row, wait, near, throttle);
	if (wait->to - wait->from < LEAST)
		return false;
	timers = ana_quota_timers(all, host);
	if (timers->period == MDL_NONE)
		return false;
	known = ana_quota_known(all, qry_row(q, row)->process, timers->period);
	until = let_go_at(q, host, timers->period, wait);
	if (timers->named && (known->seen || wait->state == MDL_ST_PREEMPTED))
		until = MAX(until, ana_quota_named_at(all, host, wait, known->seen ? LEAST : SOON));
	if (until == MDL_NEVER && known->seen)
		until = interrupt_at(q, host, timers->period, wait);
	if (until == MDL_NEVER && known->seen && timers->named)
		until = busy_until(all, row, wait, known);
	if (until == MDL_NEVER || (!known->seen && until - wait->from < SOON))
		return false;
	*throttle = (struct ana_throttle){ until, known->text };
	return true;
}

bool ana_throttle_concerns(struct qry *q, uint32_t row, const struct ana_wait_near *near)
{
	return !near->steady || !ana_quota_is_fair(near->priority) ||
		ana_quota_timers(near->throttles, qry_row(q, row)->host)->period != MDL_NONE;
}

/* ---- doubts ---- */

/* True if TIMER expired on any CPU of HOST in WAIT. */
static bool has_expired(struct qry *q, uint32_t host, uint32_t timer, const struct mdl_interval *wait)
{
	const struct ana_quota_timers one = { .period = timer, .slack = MDL_NONE };
	g_autoptr(GArray) found = timer != MDL_NONE ? ana_quota_expiries(q, host, &one, wait->from, wait->to)
						    : NULL;

	return found && found->len > 0;
}

/*
 * True if the CPU of WAIT was idle or ran lower classes for longer than a switch takes.  Interrupts do not
 * count: the scheduler switches to no thread in them.  The CPU of a guest stays idle in the trace while its
 * host runs something else, but only for a thread that was woken, not for one that was runnable already.
 */
static bool is_passed_over(struct ana_throttles *all, uint32_t row, const struct mdl_interval *wait,
	const struct ana_wait_near *near)
{
	struct qry *q = all->q;
	uint32_t host = qry_row(q, row)->host, line;
	int64_t left = 0;
	struct mdl_interval iv;
	bool late, idle;

	if (wait->to - wait->from < SOON || wait->aux == MDL_NONE)
		return false;
	line = qry_cpu_row(q, host, wait->aux);
	late = wait->state != MDL_ST_PREEMPTED && qry_vcpu_of(q, host, wait->aux) != MDL_NONE;
	if (line == MDL_NONE)
		return false;
	if (all->many && !late && near->steady)
		return ana_lower_is_long(all->lower, line, near->priority, wait->from, wait->to);
	for (int64_t t = wait->to; t > wait->from && qry_kernel_state_before(q, line, t, &iv); t = iv.from) {
		if (iv.state == MDL_ST_INTERRUPTED)
			continue;
		idle = ana_throttle_is_idle(q, &iv);
		if (idle ? late : !is_lower(q, row, &iv))
			left = 0;
		else
			left += MIN(iv.to, wait->to) - MAX(iv.from, wait->from);
		if (left >= SOON)
			return true;
	}
	return false;
}

/* True if thread ROW may have been throttled in WAIT. */
static bool may_be(struct ana_throttles *all, uint32_t row, const struct mdl_interval *wait,
	const struct ana_wait_near *near)
{
	uint32_t host = qry_row(all->q, row)->host;
	struct ana_quota_timers *timers;

	if (qry_host(all->q, host)->hrtimers_missing || is_passed_over(all, row, wait, near) ||
		is_left_out(all->q, row, wait, near))
		return true;
	timers = ana_quota_timers(all, host);
	if (!is_fair_near(all->q, row, wait->from, near))
		return has_expired(all->q, host, timers->real_time, wait) ||
			has_expired(all->q, host, timers->deadline, wait);
	return (timers->period != MDL_NONE || timers->slack != MDL_NONE) &&
		ana_quota_last_expiry(all, host, timers, true, wait->from, wait->to) != MDL_NEVER;
}

mdl_doubts ana_throttle_wait_doubts(struct qry *q, uint32_t row, const struct mdl_interval *wait,
	const struct ana_wait_near *near)
{
	mdl_doubts doubts = ana_blame_wait_doubts(q, row, wait, near->next);

	return doubts || !may_be(near->throttles, row, wait, near) ? doubts : MDL_DOUBT(QUOTA);
}
