/* SPDX-License-Identifier: MIT */
/*
 * How it works (kernel/sched/fair.c): when a group has used up its quota, throttle_cfs_rq() takes its queue
 * off the CPU.  The running thread is switched out although it is runnable, and the CPU idles if no other
 * thread is runnable.  At the next period the hrtimer sched_cfs_period_timer() calls distribute_cfs_runtime()
 * and unthrottle_cfs_rq(), which puts the queue back, and the thread runs without a wake-up.  If the thread
 * is on another CPU than the timer, an IPI tells that CPU (resched_curr(), since 6.3
 * __cfsb_csd_unthrottle()).  Since 6.18 throttle_cfs_rq_work() takes each thread out when it returns to user
 * space; the thread is runnable there too.
 *
 * The timer is found by the name of its function.  If the trace has no names, the timer is learned from the
 * threads of the host that were preempted longest: it is the timer that ended those of their waits in which
 * the CPU went idle at once.
 */
#include "analysis/cpu/throttle_parts.h"

#include "base/base_search.h"
#include "query/symbols/symbols.h"

#define STEPS_MAX 200000 /* intervals that are examined to learn the timer */
#define ASKED_FEW \
	64 /* questions about single times, after which the expiries of the whole trace are collected */

void ana_quota_timers_free(void *timers)
{
	struct ana_quota_timers *t = timers;

	if (t->expiries)
		g_array_unref(t->expiries);
	g_free(t);
}

static guint count_of(GHashTable *counts, uint32_t context)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(counts, GUINT_TO_POINTER(context)));
}

/* Count one more of CONTEXT in COUNTS. */
static void count_one(GHashTable *counts, uint32_t context)
{
	g_hash_table_insert(counts, GUINT_TO_POINTER(context),
		GUINT_TO_POINTER(count_of(counts, context) + 1));
}

bool ana_throttle_is_idle(struct qry *q, const struct mdl_interval *iv)
{
	return iv->state == MDL_ST_IDLE ||
		(iv->state == MDL_ST_INTERRUPTED && iv->aux != MDL_NONE && qry_row(q, iv->aux)->nr == 0);
}

/* ---- learning the timer ---- */

/* Append the expiries in (AFTER, BEFORE] on the CPU of row LINE, the last one first.  With IPI the scan ends
 * where a thread had the CPU, and *IPI becomes the time of the last IPI. */
static void collect_expiries(struct qry *q, uint32_t line, int64_t after, int64_t before, int64_t *ipi,
	GArray *expiries)
{
	uint32_t host = qry_row(q, line)->host;
	struct mdl_interval iv;

	for (int64_t t = before; qry_kernel_state_before(q, line, t, &iv) && iv.to > after; t = iv.from) {
		struct ana_expiry e = { iv.detail, iv.from };
		enum mdl_ctx_type type = MDL_CTX_TYPES;

		if (iv.state == MDL_ST_INTERRUPTED && iv.detail != MDL_NONE)
			type = qry_context(q, host, iv.detail).type;
		else if (ipi && iv.state != MDL_ST_IDLE && iv.state != MDL_ST_INTERRUPTED)
			return;
		if (type == MDL_CTX_HRTIMER)
			g_array_append_val(expiries, e);
		else if (type == MDL_CTX_IPI && ipi)
			*ipi = MAX(*ipi, iv.from);
	}
}

/* Append the expiries that may have let a thread run on CPU of HOST at TIME: those on this CPU, and if an IPI
 * came, those on the other CPUs. */
static void collect_before(struct qry *q, uint32_t host, uint32_t cpu, int64_t time, GArray *expiries)
{
	uint32_t line = qry_cpu_row(q, host, cpu);
	const struct qry_host *h = qry_host(q, host);
	int64_t ipi = INT64_MIN;

	collect_expiries(q, line, time - SOON, time, &ipi, expiries);
	for (uint32_t i = h->first_row; ipi != INT64_MIN && i < h->first_row + h->n_rows; i++) {
		if (i != line && qry_row(q, i)->type == MDL_ROW_CPU)
			collect_expiries(q, i, ipi - SOON, ipi, NULL, expiries);
	}
}

/* Waits in which the CPU went idle at once, and the timers that may have ended them. */
struct waits {
	guint n;
	GHashTable *votes; /* context → number of waits that it may have ended */
	GArray *expiries;  /* of struct ana_expiry: all that may have ended one */
	guint steps;       /* intervals examined */
};

/* Count each timer that may have ended WAIT once. */
static void vote(struct qry *q, uint32_t host, const struct mdl_interval *wait, struct waits *waits)
{
	guint first = waits->expiries->len;

	collect_before(q, host, wait->aux, wait->to, waits->expiries);
	waits->n += waits->expiries->len > first;
	for (guint i = first; i < waits->expiries->len; i++) {
		uint32_t context = g_array_index(waits->expiries, struct ana_expiry, i).context;
		bool again = false;

		for (guint j = first; j < i; j++)
			again |= context == g_array_index(waits->expiries, struct ana_expiry, j).context;
		if (!again)
			count_one(waits->votes, context);
	}
}

/* Add the waits of thread ROW that began with an idle CPU. */
static void look_through(struct qry *q, uint32_t row, struct waits *waits)
{
	const struct qry_row *r = qry_row(q, row);
	struct mdl_interval iv, cpu;

	for (int64_t t = r->first; waits->steps < STEPS_MAX && qry_kernel_state_at(q, row, t, &iv);
		t = iv.to) {
		uint32_t line = iv.aux == MDL_NONE ? MDL_NONE : qry_cpu_row(q, r->host, iv.aux);

		waits->steps++;
		if (iv.state == MDL_ST_PREEMPTED && line != MDL_NONE && iv.to - iv.from >= LEAST &&
			qry_kernel_state_at(q, line, iv.from, &cpu) && ana_throttle_is_idle(q, &cpu) &&
			ana_quota_is_fair(qry_priority_at(q, row, iv.from)))
			vote(q, r->host, &iv, waits);
	}
}

static void waits_init(struct waits *waits)
{
	*waits = (struct waits){ .votes = g_hash_table_new(NULL, NULL),
		.expiries = g_array_new(FALSE, FALSE, sizeof(struct ana_expiry)) };
}

static void waits_clear(struct waits *waits)
{
	g_hash_table_unref(waits->votes);
	g_array_unref(waits->expiries);
}

/* The context that may have ended two thirds of WAITS, and more of them than any other context.  MDL_NONE if
 * there is none. */
static uint32_t winner(const struct waits *waits)
{
	uint32_t best = MDL_NONE;
	gpointer key, value;
	GHashTableIter iter;
	guint most = 0;

	g_hash_table_iter_init(&iter, waits->votes);
	while (g_hash_table_iter_next(&iter, &key, &value)) {
		guint n = GPOINTER_TO_UINT(value);

		if (n >= most)
			best = n > most ? GPOINTER_TO_UINT(key) : MDL_NONE;
		most = MAX(most, n);
	}
	return most >= VOTES_LEAST && 3 * most >= 2 * waits->n ? best : MDL_NONE;
}

/* Expiries of each hrtimer of HOST: context → number.  The caller unrefs. */
static GHashTable *count_expiries(struct qry *q, uint32_t host)
{
	GHashTable *counts = g_hash_table_new(NULL, NULL);
	const struct qry_host *h = qry_host(q, host);
	struct mdl_interval iv;

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		const struct qry_row *r = qry_row(q, i);

		if (r->type != MDL_ROW_CPU)
			continue;
		for (int64_t t = r->first; qry_kernel_state_at(q, i, t, &iv); t = iv.to) {
			if (iv.state == MDL_ST_INTERRUPTED && iv.detail != MDL_NONE &&
				qry_context(q, host, iv.detail).type == MDL_CTX_HRTIMER)
				count_one(counts, iv.detail);
		}
	}
	return counts;
}

/* True if TIMER expires at any time, whatever the threads do, like the tick.  A group may use up its quota in
 * only a few of its periods, so few VOTES are enough for the timer that expires most. */
static bool is_like_the_tick(struct qry *q, uint32_t host, uint32_t timer, guint votes)
{
	g_autoptr(GHashTable) counts = count_expiries(q, host);
	guint own = count_of(counts, timer), most = 0;
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, counts);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		most = MAX(most, GPOINTER_TO_UINT(value));
	return votes < own / (own == most ? 10 : 100);
}

/* A thread and its preempted time. */
struct preempted {
	uint32_t row;
	int64_t time; /* ns */
};

static int longest_first(const void *a, const void *b)
{
	const struct preempted *x = a, *y = b;

	return BASE_BY(y, x, time) ?: BASE_BY(x, y, row);
}

static uint32_t learn_timer(struct qry *q, uint32_t host)
{
	const struct qry_host *h = qry_host(q, host);
	g_autoptr(GArray) threads = g_array_new(FALSE, FALSE, sizeof(struct preempted));
	struct waits waits;
	uint32_t timer;

	waits_init(&waits);
	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		const struct qry_row *r = qry_row(q, i);
		struct preempted thread = { .row = i };

		if (r->type != MDL_ROW_THREAD || r->nr == 0)
			continue;
		thread.time = qry_life(q, i).ns[MDL_ST_PREEMPTED];
		if (thread.time >= LEAST)
			g_array_append_val(threads, thread);
	}
	g_array_sort(threads, longest_first);
	for (guint i = 0; i < threads->len; i++)
		look_through(q, g_array_index(threads, struct preempted, i).row, &waits);
	timer = winner(&waits);
	if (timer != MDL_NONE && is_like_the_tick(q, host, timer, count_of(waits.votes, timer)))
		timer = MDL_NONE;
	waits_clear(&waits);
	return timer;
}

bool ana_quota_left_idle(struct qry *q, uint32_t row, uint32_t timer)
{
	struct waits waits;
	bool left;

	waits_init(&waits);
	look_through(q, row, &waits);
	left = count_of(waits.votes, timer) > 0;
	waits_clear(&waits);
	return left;
}

/* ---- the timers of a host ---- */

bool ana_quota_name_timers(struct qry *q, uint32_t host, struct ana_quota_timers *timers)
{
	for (uint32_t i = 0; i < qry_context_count(q, host); i++) {
		struct qry_context c = qry_context(q, host, i);
		const char *name;

		if (c.type != MDL_CTX_HRTIMER)
			continue;
		if (!qry_has_symbols(q, host))
			return false;
		timers->named = true;
		name = qry_symbol(q, host, (uint64_t)c.nr);
		if (!g_strcmp0(name, "sched_cfs_period_timer"))
			timers->period = i;
		else if (!g_strcmp0(name, "sched_cfs_slack_timer"))
			timers->slack = i;
		else if (!g_strcmp0(name, "sched_rt_period_timer"))
			timers->real_time = i;
		else if (!g_strcmp0(name, "dl_task_timer"))
			timers->deadline = i;
	}
	return timers->named;
}

struct ana_quota_timers *ana_quota_timers(struct ana_throttles *all, uint32_t host)
{
	struct ana_quota_timers *timers = all->host == host ? all->last : NULL;

	if (timers)
		return timers;
	timers = g_hash_table_lookup(all->timers, GUINT_TO_POINTER(host));
	all->host = host;
	all->last = timers;
	if (timers)
		return timers;
	timers = g_new(struct ana_quota_timers, 1);
	*timers = ANA_QUOTA_NO_TIMERS;
	if (!ana_quota_name_timers(all->q, host, timers))
		timers->period = learn_timer(all->q, host);
	g_hash_table_insert(all->timers, GUINT_TO_POINTER(host), timers);
	return timers;
}

/* ---- expiries ---- */

static int expiry_by_time(const void *a, const void *b)
{
	const struct ana_expiry *x = a, *y = b;

	return BASE_BY(x, y, time);
}

GArray *ana_quota_expiries(struct qry *q, uint32_t host, const struct ana_quota_timers *timers, int64_t from,
	int64_t to)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct ana_expiry));
	const struct qry_host *h = qry_host(q, host);
	struct mdl_interval iv;

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		if (qry_row(q, i)->type != MDL_ROW_CPU)
			continue;
		for (int64_t t = to; t > from && qry_kernel_state_before(q, i, t, &iv); t = iv.from) {
			struct ana_expiry e = { iv.detail, iv.from };

			if (iv.state == MDL_ST_INTERRUPTED && iv.detail != MDL_NONE && iv.from >= from &&
				(iv.detail == timers->period || iv.detail == timers->slack))
				g_array_append_val(all, e);
		}
	}
	g_array_sort(all, expiry_by_time);
	return all;
}

int64_t ana_quota_last_expiry(struct ana_throttles *all, uint32_t host, struct ana_quota_timers *timers,
	bool slack, int64_t from, int64_t to)
{
	const struct qry_host *h = qry_host(all->q, host);
	g_autoptr(GArray) found = NULL;
	int64_t last = MDL_NEVER;
	guint end;

	if (all->many && !timers->expiries && ++timers->asked > ASKED_FEW)
		timers->expiries = ana_quota_expiries(all->q, host, timers, h->from, h->to);
	found = timers->expiries ? g_array_ref(timers->expiries)
				 : ana_quota_expiries(all->q, host, timers, from, to);
	end = found->len > 0 ? (guint)base_search_below(&g_array_index(found, struct ana_expiry, 0).time,
				       found->len, sizeof(struct ana_expiry), to)
			     : 0;
	while (end-- > 0 && last == MDL_NEVER) {
		const struct ana_expiry *e = &g_array_index(found, struct ana_expiry, end);

		if (e->time < from)
			break;
		if (slack || e->context == timers->period)
			last = e->time;
	}
	return last;
}
