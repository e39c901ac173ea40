/* SPDX-License-Identifier: MIT */
/*
 * How it works: the states of a thread contain its calls and the time between them. A run extends from one
 * call that polls to the next, if the thread neither sleeps nor makes another call nor runs for more than
 * BETWEEN on its own. sched_yield() always returns 0. The results of other calls are read from the trace: a
 * run ends with a call that returns something (proofs.md R30).
 *
 * A run is searched around a time, up to LOOK intervals away, and cached. A time without a run is cached,
 * too. So a caller that asks for all times of a thread, forwards or backwards, examines each interval only a
 * few times.
 */
#include "analysis/wait/polling.h"

#include "base/base_search.h"
#include "query/events/scan.h"

#include <string.h>

#define BETWEEN 5000 /* ns of a thread's own time between two calls; it checks a word and repeats */
#define LOOK 4096    /* intervals to search on either side */
#define KEPT 64      /* threads whose last stretch is cached */

static const char *const polls[] = { "sched_yield", "poll", "ppoll", "ppoll_time64", "select", "_newselect",
	"pselect6", "pselect6_time64", "epoll_wait", "epoll_pwait", "epoll_pwait2", "io_uring_enter" };

/* A time of a thread that was searched. */
struct stretch {
	uint32_t row;
	int64_t from, to;
	GArray *runs; /* of struct ana_polling, ascending; owned; NULL: nothing was searched */
};

/* Kept with the experiment: qry_memo(). */
struct kept {
	struct stretch of[KEPT];
	bool *calls; /* by host: calls and their ends are recorded */
};

static void *kept_new(struct qry *q)
{
	struct kept *k = g_new0(struct kept, 1);

	k->calls = g_new(bool, qry_host_count(q));
	for (uint32_t host = 0; host < qry_host_count(q); host++)
		k->calls[host] = qry_host_has(q, host, MDL_GROUP_SYSCALL) &&
			qry_host_has(q, host, MDL_GROUP_SYSCALL_EXIT);
	return k;
}

static void kept_free(void *data)
{
	struct kept *k = data;

	for (unsigned i = 0; i < KEPT; i++)
		g_clear_pointer(&k->of[i].runs, g_array_unref);
	g_free(k->calls);
	g_free(k);
}

static struct kept *kept_of(struct qry *q)
{
	static const char key;

	return qry_memo(q, &key, kept_new, kept_free);
}

/* ---- one interval after the other ---- */

/* The name of the call of IV if it polls; else NULL. */
static const char *poll_of(const struct qry *q, uint32_t host, const struct mdl_interval *iv)
{
	const char *name = iv->state == MDL_ST_SYSCALL ? qry_string(q, host, iv->detail) : "";

	for (gsize i = 0; i < G_N_ELEMENTS(polls); i++)
		if (g_str_equal(name, polls[i]))
			return polls[i];
	return NULL;
}

/* A walk over a run, in either direction. */
struct walk {
	struct qry *q;
	uint32_t row, host;
	int64_t own;      /* ns of own time since the last call */
	int64_t edge;     /* the farthest end of a call that polls */
	int64_t looked;   /* the time up to which the search went */
	bool any, yields; /* ANY: the run has calls; YIELDS: all of them are sched_yield() */
};

/* Add IV, the next interval. False if the run ends before it. */
static bool walk_take(struct walk *w, const struct mdl_interval *iv, bool forward)
{
	const char *name = poll_of(w->q, w->host, iv);

	if (name) {
		w->own = 0;
		w->any = true;
		w->yields &= g_str_equal(name, "sched_yield");
		w->edge = forward ? iv->to : iv->from;
	} else if (mdl_state_runs(iv->state)) {
		w->own += iv->to - iv->from;
		if (iv->state == MDL_ST_SYSCALL || w->own > BETWEEN)
			return false;
	} else if (iv->state != MDL_ST_INTERRUPTED && iv->state != MDL_ST_PREEMPTED &&
		iv->state != MDL_ST_WAIT_CPU) {
		return false; /* it sleeps, or its state is unknown */
	}
	w->looked = forward ? iv->to : iv->from;
	return true;
}

/* Walk on from TIME, which is the begin of an interval. The interval at TIME counts in both directions. */
static void walk_run(struct walk *w, int64_t time, bool forward)
{
	struct mdl_interval iv;

	for (unsigned n = 0; n < LOOK; n++) {
		bool known = forward ? qry_kernel_state_at(w->q, w->row, n == 0 ? time : w->looked, &iv)
			: n == 0     ? qry_kernel_state_at(w->q, w->row, time, &iv)
				     : qry_kernel_state_before(w->q, w->row, w->looked, &iv);

		if (!known || !walk_take(w, &iv, forward))
			return;
	}
}

/* ---- the results of calls ---- */

static bool is_exit(G_GNUC_UNUSED void *data, const char *name)
{
	return strstr(name, "syscall_exit") || strstr(name, "sys_exit") || strstr(name, "exit_syscall");
}

/* The ends of the calls of thread ROW in [FROM, TO] that returned something (int64_t, ascending); the caller
 * unrefs. NULL if the results are unknown. */
static GArray *ends_of(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	static const char *const fields[] = { "ret" };
	const struct qry_scan_want want = { .fields = fields, .n_fields = 1 };
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	GArray *ends = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g_autoptr(GError) error = NULL;
	struct qry_scan *scan;
	struct qry_event e;
	bool told;

	filter.thread = row;
	filter.from = from;
	filter.to = to < INT64_MAX ? to + 1 : to;
	filter.wants = is_exit;
	scan = qry_scan_new(q, &filter, &want, &error);
	told = scan;
	while (told && qry_scan_next(scan, &e, NULL, &error) > 0) {
		const struct trc_value *ret = qry_scan_values(scan, &error);

		told = ret && (ret->type == TRC_VALUE_SIGNED || ret->type == TRC_VALUE_UNSIGNED);
		if (told && ret->number != 0)
			g_array_append_val(ends, e.time);
	}
	qry_scan_free(scan);
	if (!told || error)
		g_clear_pointer(&ends, g_array_unref);
	return ends;
}

/* ---- a run ---- */

/* Count the calls in [FROM, TO), and find the most frequent one. RUN begins with the first call. */
static void count_calls(struct qry *q, uint32_t row, int64_t from, int64_t to, struct ana_polling *run)
{
	uint32_t host = qry_row(q, row)->host, of[G_N_ELEMENTS(polls)] = { 0 }, most = 0;
	const char *in = NULL; /* the current call */
	struct mdl_interval iv;

	run->calls = 0;
	run->name = NULL;
	for (int64_t at = from; at < to && qry_kernel_state_at(q, row, at, &iv); at = iv.to) {
		const char *name = poll_of(q, host, &iv);

		if (name && !in && iv.from >= from)
			for (gsize i = 0; i < G_N_ELEMENTS(polls); i++)
				if (name == polls[i]) {
					run->from = run->calls++ == 0 ? iv.from : run->from;
					of[i]++;
					if (of[i] > most) {
						most = of[i];
						run->name = name;
					}
				}
		if (name)
			in = name;
		else if (iv.state == MDL_ST_USERMODE || iv.state == MDL_ST_RUNNING)
			in = NULL;
	}
}

/* Add the run of thread ROW from FROM to TO if it has enough calls. */
static void add_run(struct qry *q, uint32_t row, int64_t from, int64_t to, GArray *runs)
{
	struct ana_polling run = { from, to, 0, NULL };

	count_calls(q, row, from, to, &run);
	if (run.calls >= ANA_POLLING_LEAST)
		g_array_append_val(runs, run);
}

static void look(struct qry *q, uint32_t row, int64_t time, struct stretch *s)
{
	struct walk back = { q, row, qry_row(q, row)->host, 0, INT64_MAX, time, false, true }, on = back;
	g_autoptr(GArray) ends = NULL;
	struct mdl_interval iv;

	if (s->runs)
		g_array_unref(s->runs);
	*s = (struct stretch){ row, time, time < INT64_MAX ? time + 1 : time,
		g_array_new(FALSE, FALSE, sizeof(struct ana_polling)) };
	if (!qry_kernel_state_at(q, row, time, &iv))
		return;
	s->from = iv.from;
	s->to = MAX(iv.to, s->to);
	on.edge = INT64_MIN;
	walk_run(&back, time, false);
	walk_run(&on, time, true);
	if (!back.any || !on.any || back.edge > time || on.edge <= time)
		return;
	s->from = back.edge;
	s->to = on.edge;
	ends = back.yields && on.yields ? g_array_new(FALSE, FALSE, sizeof(int64_t))
					: ends_of(q, row, s->from, s->to);
	for (guint i = 0; ends && i <= ends->len; i++)
		add_run(q, row, i > 0 ? g_array_index(ends, int64_t, i - 1) : s->from,
			i < ends->len ? g_array_index(ends, int64_t, i) : s->to, s->runs);
}

bool ana_polling_at(struct qry *q, uint32_t row, int64_t time, struct ana_polling *run)
{
	struct kept *k = kept_of(q);
	struct stretch *s = &k->of[row % KEPT];
	const struct ana_polling *at;
	size_t n;

	if (!k->calls[qry_row(q, row)->host])
		return false;
	if (!s->runs || s->row != row || time < s->from || time >= s->to)
		look(q, row, time, s);
	/* The number of runs that begin at TIME or before. */
	n = s->runs->len == 0 || time == INT64_MAX
		? 0
		: base_search_below(&g_array_index(s->runs, struct ana_polling, 0).from, s->runs->len,
			  sizeof *at, time + 1);
	at = n > 0 ? &g_array_index(s->runs, struct ana_polling, n - 1) : NULL;
	if (!at || time >= at->to)
		return false;
	*run = *at;
	return true;
}

bool ana_polling_begins(struct qry *q, uint32_t row, const struct mdl_interval *interval)
{
	struct mdl_interval before = *interval;

	if (interval->state != MDL_ST_SYSCALL)
		return false;
	/* Interrupts, and times without a CPU, split a call into several intervals. */
	for (unsigned n = 0; n < LOOK && qry_kernel_state_before(q, row, before.from, &before); n++)
		if (mdl_state_runs(before.state))
			return before.state != MDL_ST_SYSCALL;
	return true;
}

int64_t ana_polling_sum(struct qry *q, uint32_t row, int64_t from, int64_t to, struct ana_polling *run)
{
	struct ana_polling one;
	struct mdl_interval iv;
	uint32_t most = 0;
	int64_t ns = 0;

	*run = (struct ana_polling){ from, to, 0, NULL };
	if (!kept_of(q)->calls[qry_row(q, row)->host])
		return 0;
	for (int64_t at = from; at < to && qry_kernel_state_at(q, row, at, &iv); at = MAX(iv.to, at + 1)) {
		struct qry_cell cell;

		if (!poll_of(q, qry_row(q, row)->host, &iv) || !ana_polling_at(q, row, at, &one))
			continue;
		iv.to = MIN(one.to, to);
		qry_share(q, row, at, iv.to, &cell);
		ns += qry_cell_ran(&cell);
		count_calls(q, row, at, iv.to, &one);
		run->calls += one.calls;
		if (one.calls > most) {
			most = one.calls;
			run->name = one.name;
		}
	}
	return ns;
}
