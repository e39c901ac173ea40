/* SPDX-License-Identifier: MIT */
/*
 * How it works (kernel/sched/fair.c): when a group has used up its quota, throttle_cfs_rq() takes its queue
 * off the CPU: the thread that runs is switched out although it could go on, and if there is nobody else the
 * CPU idles; threads that are woken meanwhile are queued and do not run.  At the next period
 * sched_cfs_period_timer(), an hrtimer, calls distribute_cfs_runtime() and unthrottle_cfs_rq(), which puts
 * the queue back, and the thread runs without a wake-up.  On another CPU than the timer's it comes by an IPI
 * (resched_curr(), or since 6.3 __cfsb_csd_unthrottle()).
 *
 * (Since 6.18 throttle_cfs_rq_work() takes each thread out as it returns to user space; it still could go
 * on.)
 *
 * The timer is known by the name of its function.  Where functions have none it is learned from the threads
 * of the host that were preempted most: that which ended their waits, where the CPU went idle at once
 * although they could have gone on.  Only fair threads have such a quota.  Core scheduling (forced idle) and
 * sched_ext make a CPU idle, too; these cannot be told by the events, so nothing here is proved.
 *
 * What stops the higher classes is a budget of their own (proofs.md R24.3): a thread of SCHED_DEADLINE has
 * one (update_curr_dl() throttles it, dl_task_timer() gives it the next, kernel/sched/deadline.c); all
 * real-time threads have one together up to 6.11, or with groups (sched_rt_runtime_exceeded(),
 * sched_rt_period_timer(), rt.c), and since 6.12 fair threads have a server that goes before them
 * (dl_server_timer(), called by dl_task_timer()).  It shows by the thread that has the CPU next: pick_next_task()
 * (core.c) takes none of a lower class, nor idle, while one that is queued may run.
 *
 * The timer expires for its groups alone.  Who waits for another reason may run soon after it by chance, so a
 * thread counts as throttled only if its process was surely seen to be, or the one that made it (a child is
 * in the group of its parent unless it is moved), or if the CPU that it waited for was idle for long.  A CPU
 * that leaves idle late, as that of a guest may, takes the thread long after the expiry: where the timer has
 * its name, how soon is not asked, unless the thread was but woken for an idle CPU and may wait for that.
 *
 * While another group's threads have the CPU nothing tells a throttled thread from one that waits for its
 * turn.  Nobody is throttled in a wait in which no such timer expired, as only these put queues back
 * (sched_cfs_slack_timer() does, too): in any other it is not proved that the thread could have run.  Nor is
 * it where timers were not recorded.
 *
 * No CPU idles, or runs a lower class, for long while a thread on its queue could run (pick_next_task(),
 * kernel/sched/core.c), so that thread could not: its quota was used up, of which the timer may not be known,
 * or real-time throttling (sched_rt_runtime_exceeded(), rt.c; sched_rt_period_timer() lets it go), a
 * deadline's budget (update_curr_dl(), dl_task_timer()), since 6.12 the fair server, which runs fair threads
 * before real-time ones (dl_server_timer(), deadline.c), core scheduling.
 */
#include "analysis/cpu/cpuwait.h"
#include "analysis/cpu/lower.h"

#include "analysis/cpu/quota.h"
#include "base/base_search.h"
#include "base/base_time.h"
#include "query/symbols/symbols.h"

#define SOON ANA_SOON
#define LEAST 100000 /* ns: a shorter wait is not looked at */
#define VOTES_LEAST 3
#define STEPS_MAX 200000  /* intervals that are looked through to learn */
#define MEASURED_MOST 400 /* periods by which a quota is measured */
#define GENERATIONS 8     /* of processes of one group */
#define ASKED_FEW 64      /* waits for each of which the CPUs are looked through, and not once for all */

/* How much a process may use. */
struct known {
	bool seen; /* a thread of it left a CPU idle until the timer expired, or of the process that made it
		    */
	int64_t period, quota; /* ns; 0 not known */
	const char *text;
};

/* The timers of a host's quotas. */
struct timers {
	uint32_t period, slack;       /* contexts; MDL_NONE: none is known */
	uint32_t real_time, deadline; /* of other throttling, where functions have names */
	bool named;                   /* known by their functions' names */
	unsigned asked;               /* how often for expiries */
	GArray *expiries; /* of struct expiry, owned: all of both, by time; NULL: not looked for yet */
};

/* The quotas of processes, found once for each and kept with the experiment. */
struct ana_throttles {
	struct qry *q;      /* weak */
	bool many;          /* asked of many waits: the CPUs are looked through once for all */
	GHashTable *timers; /* host → struct timers, owned */
	uint32_t host;      /* asked for last, and its timers; NULL: not made yet */
	struct timers *last;
	GHashTable *processes;   /* row of a process → struct known, owned */
	struct ana_lower *lower; /* of many waits; owned */
};

static void free_timers(void *data)
{
	struct timers *t = data;

	if (t->expiries)
		g_array_unref(t->expiries);
	g_free(t);
}

static void *throttles_new(struct qry *q)
{
	struct ana_throttles *all = g_new(struct ana_throttles, 1);

	*all = (struct ana_throttles){ .q = q,
		.timers = g_hash_table_new_full(NULL, NULL, NULL, free_timers),
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

/* An expiry of an hrtimer. */
struct expiry {
	uint32_t context;
	int64_t time;
};

static guint count_of(GHashTable *counts, uint32_t context)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(counts, GUINT_TO_POINTER(context)));
}

/* One more of CONTEXT in COUNTS. */
static void throttle_count(GHashTable *counts, uint32_t context)
{
	g_hash_table_insert(counts, GUINT_TO_POINTER(context),
		GUINT_TO_POINTER(count_of(counts, context) + 1));
}

/* Append the expiries on the CPU of row LINE in (AFTER, BEFORE], the last first, back to a thread's time
 * where IPI is given: that becomes when the last IPI came. */
static void throttle_collect(struct qry *q, uint32_t line, int64_t after, int64_t before, int64_t *ipi,
	GArray *expiries)
{
	uint32_t host = qry_row(q, line)->host;
	struct mdl_interval iv;

	for (int64_t t = before; qry_kernel_state_before(q, line, t, &iv) && iv.to > after; t = iv.from) {
		struct expiry e = { iv.detail, iv.from };
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

/* Append the expiries that may have let a thread run on CPU of HOST at TIME: there, and where an IPI came, on
 * the other CPUs. */
static void collect_before(struct qry *q, uint32_t host, uint32_t cpu, int64_t time, GArray *expiries)
{
	uint32_t line = qry_cpu_row(q, host, cpu);
	const struct qry_host *h = qry_host(q, host);
	int64_t ipi = INT64_MIN;

	throttle_collect(q, line, time - SOON, time, &ipi, expiries);
	for (uint32_t i = h->first_row; ipi != INT64_MIN && i < h->first_row + h->n_rows; i++) {
		if (i != line && qry_row(q, i)->type == MDL_ROW_CPU)
			throttle_collect(q, i, ipi - SOON, ipi, NULL, expiries);
	}
}

bool ana_throttle_is_idle(struct qry *q, const struct mdl_interval *iv)
{
	return iv->state == MDL_ST_IDLE ||
		(iv->state == MDL_ST_INTERRUPTED && iv->aux != MDL_NONE && qry_row(q, iv->aux)->nr == 0);
}

/* ---- the timer ---- */

/* Waits in which the CPU went idle at once, and a timer that may have ended them. */
struct waits {
	guint n;
	GHashTable *votes; /* context → how many of them it may have ended */
	GArray *expiries;  /* of struct expiry: all that may have */
	guint steps;       /* taken to find them */
};

static void throttle_look_at(struct qry *q, uint32_t host, const struct mdl_interval *wait,
	struct waits *waits)
{
	guint first = waits->expiries->len;

	collect_before(q, host, wait->aux, wait->to, waits->expiries);
	waits->n += waits->expiries->len > first;
	for (guint i = first; i < waits->expiries->len; i++) {
		uint32_t context = g_array_index(waits->expiries, struct expiry, i).context;
		bool again = false;

		for (guint j = first; j < i; j++)
			again |= context == g_array_index(waits->expiries, struct expiry, j).context;
		if (!again)
			throttle_count(waits->votes, context);
	}
}

/* True if thread ROW is in the class that has quotas, or its class is unknown. */
static bool is_fair_priority(int priority)
{
	return priority == MDL_PRIORITY_NONE || priority >= MDL_PRIORITY_FAIR;
}

static bool is_fair(struct qry *q, uint32_t row, int64_t time)
{
	return is_fair_priority(qry_priority_at(q, row, time));
}

struct ana_wait_near ana_wait_near(struct qry *q, uint32_t row)
{
	return (struct ana_wait_near){ .throttles = throttles_of(q),
		.steady = qry_priority_change(q, row, INT64_MIN) == BASE_TIME_NONE,
		.priority = qry_priority_at(q, row, INT64_MIN) };
}

static bool is_fair_near(struct qry *q, uint32_t row, int64_t time, const struct ana_wait_near *near)
{
	return near->steady ? is_fair_priority(near->priority) : is_fair(q, row, time);
}

static void look_through(struct qry *q, uint32_t row, struct waits *waits)
{
	const struct qry_row *r = qry_row(q, row);
	struct mdl_interval iv, cpu;

	for (int64_t t = r->first; waits->steps < STEPS_MAX && qry_kernel_state_at(q, row, t, &iv);
		t = iv.to) {
		uint32_t line = iv.aux == MDL_NONE ? MDL_NONE : qry_cpu_row(q, r->host, iv.aux);

		waits->steps++;
		/* The CPU was idle when the wait began. */
		if (iv.state == MDL_ST_PREEMPTED && line != MDL_NONE && iv.to - iv.from >= LEAST &&
			qry_kernel_state_at(q, line, iv.from, &cpu) && ana_throttle_is_idle(q, &cpu) &&
			is_fair(q, row, iv.from))
			throttle_look_at(q, r->host, &iv, waits);
	}
}

static void waits_init(struct waits *waits)
{
	*waits = (struct waits){ .votes = g_hash_table_new(NULL, NULL),
		.expiries = g_array_new(FALSE, FALSE, sizeof(struct expiry)) };
}

static void waits_clear(struct waits *waits)
{
	g_hash_table_unref(waits->votes);
	g_array_unref(waits->expiries);
}

/* The context that may have ended most of WAITS, and more than any other; MDL_NONE: none can be told. */
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

/* How often each timer of HOST expired: context → number.  The caller unrefs. */
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
				throttle_count(counts, iv.detail);
		}
	}
	return counts;
}

/* True if TIMER expires like the tick: all the time, whatever threads do.  A group may use up its quota in
 * few of its periods only. */
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

/* A thread, and how long it was preempted. */
struct preempted {
	uint32_t row;
	int64_t time;
};

static int throttle_longest_first(const void *a, const void *b)
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
	g_array_sort(threads, throttle_longest_first);
	for (guint i = 0; i < threads->len; i++)
		look_through(q, g_array_index(threads, struct preempted, i).row, &waits);
	timer = winner(&waits);
	if (timer != MDL_NONE && is_like_the_tick(q, host, timer, count_of(waits.votes, timer)))
		timer = MDL_NONE;
	waits_clear(&waits);
	return timer;
}

/* By the names of HOST's functions.  False: they have none. */
static bool find_named(struct qry *q, uint32_t host, struct timers *timers)
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

static const struct timers none = { .period = MDL_NONE,
	.slack = MDL_NONE,
	.real_time = MDL_NONE,
	.deadline = MDL_NONE };

void ana_throttle_key(struct qry *q, GString *key)
{
	for (uint32_t host = 0; host < qry_host_count(q); host++) {
		struct timers t = none;

		if (find_named(q, host, &t))
			g_string_append_printf(key, " timers %u %u %u %u %u", host, t.period, t.slack,
				t.real_time, t.deadline);
	}
}

static struct timers *timers_of(struct ana_throttles *all, uint32_t host)
{
	struct timers *timers = all->host == host ? all->last : NULL;

	if (timers)
		return timers;
	timers = g_hash_table_lookup(all->timers, GUINT_TO_POINTER(host));
	all->host = host;
	all->last = timers;
	if (timers)
		return timers;
	timers = g_new(struct timers, 1);
	*timers = none;
	if (!find_named(all->q, host, timers))
		timers->period = learn_timer(all->q, host);
	g_hash_table_insert(all->timers, GUINT_TO_POINTER(host), timers);
	return timers;
}

static int throttle_by_time(const void *a, const void *b)
{
	const struct expiry *x = a, *y = b;

	return BASE_BY(x, y, time);
}

/* Of TIMERS on any CPU of HOST in [FROM, TO), by time; the caller unrefs. */
static GArray *expiries_of(struct qry *q, uint32_t host, const struct timers *timers, int64_t from,
	int64_t to)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct expiry));
	const struct qry_host *h = qry_host(q, host);
	struct mdl_interval iv;

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		if (qry_row(q, i)->type != MDL_ROW_CPU)
			continue;
		for (int64_t t = to; t > from && qry_kernel_state_before(q, i, t, &iv); t = iv.from) {
			struct expiry e = { iv.detail, iv.from };

			if (iv.state == MDL_ST_INTERRUPTED && iv.detail != MDL_NONE && iv.from >= from &&
				(iv.detail == timers->period || iv.detail == timers->slack))
				g_array_append_val(all, e);
		}
	}
	g_array_sort(all, throttle_by_time);
	return all;
}

/* When one of TIMERS of HOST expired last in [FROM, TO), with SLACK or without that of the slack; MDL_NEVER:
 * it did not. */
static int64_t last_expiry(struct ana_throttles *all, uint32_t host, struct timers *timers, bool slack,
	int64_t from, int64_t to)
{
	const struct qry_host *h = qry_host(all->q, host);
	g_autoptr(GArray) found = NULL;
	int64_t last = MDL_NEVER;
	guint end;

	if (all->many && !timers->expiries && ++timers->asked > ASKED_FEW)
		timers->expiries = expiries_of(all->q, host, timers, h->from, h->to);
	found = timers->expiries ? g_array_ref(timers->expiries)
				 : expiries_of(all->q, host, timers, from, to);
	end = found->len > 0 ? (guint)base_search_below(&g_array_index(found, struct expiry, 0).time,
				       found->len, sizeof(struct expiry), to)
			     : 0;
	while (end-- > 0 && last == MDL_NEVER) {
		const struct expiry *e = &g_array_index(found, struct expiry, end);

		if (e->time < from)
			break;
		if (slack || e->context == timers->period)
			last = e->time;
	}
	return last;
}

/* ---- the quota ---- */

/* True if ROW is a thread of PROCESS, or of a process that it made. */
static bool belongs(const struct qry *q, uint32_t row, uint32_t process)
{
	for (unsigned i = 0; i < GENERATIONS && row != MDL_NONE; i++) {
		if (qry_row(q, row)->process == process)
			return true;
		row = qry_row(q, qry_row(q, row)->process)->parent;
	}
	return false;
}

/* When the CPU of WAIT was last idle for LEAST within it begins there; MDL_NEVER: it was not. */
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

/* When the timer with the name expired that let the thread of WAIT go, which had left its CPU idle for LEAST
 * before; MDL_NEVER: none did. */
static int64_t named_at(struct ana_throttles *all, uint32_t host, const struct mdl_interval *wait,
	int64_t least)
{
	int64_t idle = last_idle(all->q, host, wait, least);

	return idle == MDL_NEVER || idle + least >= wait->to
		? MDL_NEVER
		: last_expiry(all, host, timers_of(all, host), false, idle + least, wait->to);
}

/* True if thread ROW left its CPU idle until the timer with the name expired. */
static bool leaves_idle(struct ana_throttles *all, uint32_t row)
{
	const struct qry_row *r = qry_row(all->q, row);
	struct mdl_interval iv;

	for (int64_t t = r->first; qry_kernel_state_at(all->q, row, t, &iv); t = iv.to) {
		if (iv.state == MDL_ST_PREEMPTED && iv.to - iv.from >= SOON && iv.aux != MDL_NONE &&
			qry_cpu_row(all->q, r->host, iv.aux) != MDL_NONE && is_fair(all->q, row, iv.from) &&
			named_at(all, r->host, &iv, SOON) != MDL_NEVER)
			return true;
	}
	return false;
}

/*
 * True if the threads of PROCESS, preempted for longer than SOON, run again right behind the timer with the
 * name, most of them and not by chance: also where others have their CPU meanwhile.
 */
static bool runs_by_timer(struct ana_throttles *all, uint32_t process)
{
	uint32_t host = qry_row(all->q, process)->host;
	const struct qry_host *h = qry_host(all->q, host);
	struct timers *timers = timers_of(all, host);
	unsigned n = 0, soon = 0;
	struct mdl_interval iv;

	if (!timers->expiries)
		timers->expiries = expiries_of(all->q, host, timers, h->from, h->to);
	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		const struct qry_row *r = qry_row(all->q, i);

		if (r->type != MDL_ROW_THREAD || r->process != process)
			continue;
		for (int64_t t = r->first; qry_kernel_state_at(all->q, i, t, &iv); t = iv.to) {
			int64_t last;

			if (iv.state != MDL_ST_PREEMPTED || iv.to - iv.from < 2 * SOON ||
				!is_fair(all->q, i, iv.from))
				continue;
			last = last_expiry(all, host, timers, false, iv.from, iv.to);
			n++;
			soon += last != MDL_NEVER && iv.to - last < SOON;
		}
	}
	return soon >= VOTES_LEAST && 2 * soon >= n &&
		(int64_t)soon * (h->to - h->from) > 4 * (int64_t)n * timers->expiries->len * SOON;
}

/* True if a thread of PROCESS itself left its CPU idle until the timer expired. */
static bool was_throttled(struct ana_throttles *all, uint32_t process)
{
	const struct qry_host *h = qry_host(all->q, qry_row(all->q, process)->host);
	const struct timers *timers = timers_of(all, qry_row(all->q, process)->host);
	struct waits waits;
	bool was = false;

	waits_init(&waits);
	for (uint32_t i = h->first_row; !was && i < h->first_row + h->n_rows; i++) {
		if (qry_row(all->q, i)->type != MDL_ROW_THREAD || qry_row(all->q, i)->process != process)
			continue;
		look_through(all->q, i, &waits);
		was = count_of(waits.votes, timers->period) > 0 || (timers->named && leaves_idle(all, i));
	}
	waits_clear(&waits);
	return was || (timers->named && timers->period != MDL_NONE && runs_by_timer(all, process));
}

/* The threads of PROCESS, and of those that it made: rows.  The caller unrefs. */
static GArray *family_of(struct qry *q, uint32_t process)
{
	const struct qry_host *h = qry_host(q, qry_row(q, process)->host);
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t i = h->first_row; i < h->first_row + h->n_rows; i++) {
		if (qry_row(q, i)->type == MDL_ROW_THREAD && belongs(q, i, process))
			g_array_append_val(rows, i);
	}
	return rows;
}

/* Add to END what the thread ROW used of the CPUs since FROM. */
static void add_used(struct qry *q, uint32_t row, int64_t from, struct ana_quota_end *end)
{
	struct qry_cell cell;

	qry_share(q, row, from, end->time, &cell);
	end->most = base_time_sum(end->most, qry_cell_on_cpu(&cell));
	end->least = base_time_sum(end->least, qry_cell_on_cpu(&cell) - cell.ns[MDL_ST_INTERRUPTED]);
}

/* True if thread ROW, in its interval WAIT, is kept from its CPU by a timer that expires at TIME: the CPU is
 * idle, or the thread runs as soon as that. */
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

/* Each expiry of TIMER on the host of FAMILY, and what it was to that (struct ana_quota_end); the caller
 * unrefs. */
static GArray *ends_of(struct qry *q, const GArray *family, uint32_t host, uint32_t timer)
{
	const struct timers one = { .period = timer, .slack = MDL_NONE };
	const struct qry_host *h = qry_host(q, host);
	g_autoptr(GArray) expiries = expiries_of(q, host, &one, h->from, h->to);
	GArray *ends = g_array_new(FALSE, FALSE, sizeof(struct ana_quota_end));
	int64_t from = h->from;

	for (guint i = 0; i < expiries->len && i < MEASURED_MOST; i++) {
		struct ana_quota_end end = { .time = g_array_index(expiries, struct expiry, i).time };
		int64_t next = i + 1 < expiries->len ? g_array_index(expiries, struct expiry, i + 1).time
						     : h->to;

		if (i + 1 < expiries->len && next - end.time < SOON) /* of several groups at once */
			continue;
		for (guint j = 0; j < family->len; j++) {
			uint32_t row = g_array_index(family, uint32_t, j);
			struct mdl_interval iv;

			add_used(q, row, from, &end);
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

/* The ENDS that are of PERIOD, by the first that let the group go: others are another group's.  The time used
 * until one of these counts until the next. */
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

/* When ENDS come, all of them or those that let the group go; the caller unrefs. */
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

/* The most that was used in one of ENDS of PERIOD without being let go twice is about the quota, where these
 * tell no more. */
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

static void throttle_measure(struct qry *q, uint32_t process, uint32_t timer, struct known *known)
{
	uint32_t host = qry_row(q, process)->host;
	g_autoptr(GArray) family = family_of(q, process);
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

/* Of the oldest process of a family that was throttled, twice. */
static const struct known *known_of(struct ana_throttles *all, uint32_t process, uint32_t timer)
{
	uint32_t parent = qry_row(all->q, process)->parent;
	struct known *known = g_hash_table_lookup(all->processes, GUINT_TO_POINTER(process));

	if (known)
		return known;
	known = g_new(struct known, 1);
	*known = (struct known){ .text = "CPU quota" };
	if (parent != MDL_NONE && qry_row(all->q, parent)->process != process &&
		known_of(all, qry_row(all->q, parent)->process, timer)->seen)
		*known = *known_of(all, qry_row(all->q, parent)->process, timer);
	known->seen |= was_throttled(all, process);
	if (known->seen && known->period == 0)
		throttle_measure(all->q, process, timer, known);
	g_hash_table_insert(all->processes, GUINT_TO_POINTER(process), known);
	return known;
}

/* ---- budgets of the higher classes ---- */

/* True if the CPU in IV idles, or runs a thread that goes behind thread ROW by its class. */
static bool is_lower(struct qry *q, uint32_t row, const struct mdl_interval *iv)
{
	if (ana_throttle_is_idle(q, iv))
		return true;
	return iv->aux != MDL_NONE && mdl_state_has_cpu(iv->state) &&
		mdl_class_before(qry_priority_at(q, row, iv->from), qry_priority_at(q, iv->aux, iv->from));
}

/* The interval in which the wait of thread ROW for a CPU begins that WAIT is a part of. */
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

/* True if the CPU that thread ROW left, though it could go on, as the wait began that WAIT is a part of, went
 * to a thread of a lower class, or idled: nothing but throttling does that. */
static bool is_left_out(struct qry *q, uint32_t row, const struct mdl_interval *wait,
	const struct ana_wait_near *near)
{
	struct mdl_interval first = first_of(q, row, wait, near), iv;
	uint32_t line;

	if (first.state != MDL_ST_PREEMPTED || first.aux == MDL_NONE)
		return false;
	/* No class goes behind the fair one. */
	if (near->left != ANA_NEAR_UNKNOWN && near->steady && is_fair_priority(near->priority))
		return near->left == ANA_NEAR_IDLE;
	line = qry_cpu_row(q, qry_row(q, row)->host, first.aux);
	return line != MDL_NONE && qry_kernel_state_at(q, line, first.from, &iv) && is_lower(q, row, &iv);
}

/* When TIMER expired last in [FROM, TO) on the CPU of row LINE; MDL_NEVER: it did not. */
static int64_t last_on(struct qry *q, uint32_t line, uint32_t timer, int64_t from, int64_t to)
{
	struct mdl_interval iv;

	for (int64_t t = to; t > from && qry_kernel_state_before(q, line, t, &iv); t = iv.from) {
		if (iv.state == MDL_ST_INTERRUPTED && iv.detail == timer && iv.from >= from)
			return iv.from;
	}
	return MDL_NEVER;
}

/* When TIMER expired last in the wait of thread ROW that begins in FIRST, on the CPU that it waited for then,
 * or, if on none of these, anywhere; MDL_NEVER: it did not. */
static int64_t last_in_wait(struct qry *q, uint32_t row, uint32_t timer, const struct mdl_interval *first)
{
	const struct timers one = { .period = timer, .slack = MDL_NONE };
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
		g_autoptr(GArray) all = expiries_of(q, host, &one, first->from, to);

		if (all->len > 0)
			last = g_array_index(all, struct expiry, all->len - 1).time;
	}
	return last;
}

/* True if a server of fair threads took the CPU from thread ROW, which left it in FIRST: its timer (SERVER)
 * has just expired there. */
static bool is_served(struct qry *q, uint32_t row, uint32_t server, const struct mdl_interval *first)
{
	uint32_t line = qry_cpu_row(q, qry_row(q, row)->host, first->aux);

	return server != MDL_NONE && last_on(q, line, server, first->from - SOON, first->from) != MDL_NEVER;
}

/* Until when the thread ROW, of a higher class than fair, was out of its budget in WAIT; false: it was not. */
static bool budget_of(struct qry *q, uint32_t row, const struct mdl_interval *wait,
	const struct ana_wait_near *near, struct ana_throttle *throttle)
{
	uint32_t host = qry_row(q, row)->host;
	struct mdl_interval first = first_of(q, row, wait, near);
	const struct timers *timers = timers_of(near->throttles, host);
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

/* True if the CPU of row LINE was idle at TIME and a thread took it soon after. */
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

/* The last expiry of TIMER on any CPU of HOST within WAIT upon which a thread took the idle CPU; MDL_NEVER:
 * none. */
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

/* When TIMER expired in the interrupts upon whose return the thread of WAIT ran; MDL_NEVER: it did not. */
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
 * Of a process that was seen to be throttled: when the timer with the name let the thread of WAIT go, though
 * others had its CPU; MDL_NEVER: it did not.  It did if the thread ran at once behind it, or if the group had
 * used up most of the quota since the expiry before the wait.
 */
static int64_t busy_until(struct ana_throttles *all, uint32_t row, const struct mdl_interval *wait,
	const struct known *known)
{
	uint32_t host = qry_row(all->q, row)->host;
	struct timers *timers = timers_of(all, host);
	int64_t last = last_expiry(all, host, timers, false, wait->from, wait->to), before;
	struct ana_quota_end used = { .time = wait->from };
	g_autoptr(GArray) family = NULL;

	if (last == MDL_NEVER || wait->to - wait->from < SOON)
		return MDL_NEVER;
	if (wait->to - last < SOON)
		return last;
	before = last_expiry(all, host, timers, false, wait->from - known->period - SOON, wait->from);
	if (known->quota == 0 || before == MDL_NEVER || wait->to - last > known->period / 2)
		return MDL_NEVER;
	family = family_of(all->q, qry_row(all->q, row)->process);
	for (guint i = 0; i < family->len; i++)
		add_used(all->q, g_array_index(family, uint32_t, i), before, &used);
	return 4 * used.most >= 3 * known->quota ? last : MDL_NEVER;
}

bool ana_throttle_of(struct qry *q, uint32_t row, const struct mdl_interval *wait,
	const struct ana_wait_near *near, struct ana_throttle *throttle)
{
	struct ana_throttles *all = near->throttles;
	uint32_t host = qry_row(q, row)->host;
	const struct timers *timers;
	const struct known *known;
	int64_t until;

	if (wait->aux == MDL_NONE || qry_cpu_row(q, host, wait->aux) == MDL_NONE)
		return false;
	if (!is_fair_near(q, row, wait->from, near))
		return budget_of(q, row, wait, near, throttle);
	if (wait->to - wait->from < LEAST)
		return false;
	timers = timers_of(all, host);
	if (timers->period == MDL_NONE)
		return false;
	known = known_of(all, qry_row(q, row)->process, timers->period);
	until = let_go_at(q, host, timers->period, wait);
	if (timers->named && (known->seen || wait->state == MDL_ST_PREEMPTED))
		until = MAX(until, named_at(all, host, wait, known->seen ? LEAST : SOON));
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
	return !near->steady || !is_fair_priority(near->priority) ||
		timers_of(near->throttles, qry_row(q, row)->host)->period != MDL_NONE;
}

/* True if TIMER expired in WAIT on any CPU of HOST. */
static bool has_expired(struct qry *q, uint32_t host, uint32_t timer, const struct mdl_interval *wait)
{
	const struct timers one = { .period = timer, .slack = MDL_NONE };
	g_autoptr(GArray) found = timer != MDL_NONE ? expiries_of(q, host, &one, wait->from, wait->to) : NULL;

	return found && found->len > 0;
}

/*
 * True if the CPU of WAIT was idle, or ran lower classes, for longer than a switch takes.  Interrupts do not
 * count: the scheduler switches to no thread in them.  The CPU of a guest, which its host may not run, idles
 * on while it has no CPU, but not once its thread could go on.
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
	struct timers *timers;

	if (qry_host(all->q, host)->hrtimers_missing || is_passed_over(all, row, wait, near) ||
		is_left_out(all->q, row, wait, near))
		return true;
	timers = timers_of(all, host);
	if (!is_fair_near(all->q, row, wait->from, near))
		return has_expired(all->q, host, timers->real_time, wait) ||
			has_expired(all->q, host, timers->deadline, wait);
	return (timers->period != MDL_NONE || timers->slack != MDL_NONE) &&
		last_expiry(all, host, timers, true, wait->from, wait->to) != MDL_NEVER;
}

mdl_doubts ana_throttle_wait_doubts(struct qry *q, uint32_t row, const struct mdl_interval *wait,
	const struct ana_wait_near *near)
{
	mdl_doubts doubts = ana_blame_wait_doubts(q, row, wait, near->next);

	return doubts || !may_be(near->throttles, row, wait, near) ? doubts : MDL_DOUBT(QUOTA);
}
