/* SPDX-License-Identifier: MIT */
/*
 * The answers: sentences about what lost most time.
 *
 * How it works: each user thread is a candidate, in the order of the time that it can have lost at most, which two
 * look-ups tell.  Its causes (analysis/causes) say what it lost, and to whom; those of its waits that were no loss are
 * taken out again.  Of threads of one name, of which one is told, two are candidates: the one that most likely lost
 * most, and the one that can have lost most.  It ends when no candidate that is left can be among the first, or after
 * LOOKS waits.  Requests are summed up by the names of both ends, spans by their name; the path of the slowest says what
 * it took.
 */
#include "analysis/overview/parts.h"

#include "analysis/causes/causes.h"
#include "analysis/latency/program.h"
#include "analysis/path/path.h"
#include "analysis/request/request.h"
#include "analysis/wait/polling.h"
#include "analysis/wait/source.h"
#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/host/tracer.h"

#include <inttypes.h>
#include <string.h>

#define MOST 5   /* answers */
#define WORKS 20 /* a thread works that runs for at least 1/WORKS of its life */
#define NOISE 10 /* what lost less than 1/NOISE of the first one that is no span is not told */
/* Wake-ups of candidates, at most.  Each candidate costs as much as a wake-up for each row, and for so many events of its
 * host, besides: all CPUs are looked through for it. */
#define LOOKS 1000000
#define EVENTS_LOOK 64
#define KEPT 64    /* candidates that are kept */
#define ALIKE 2    /* candidates of one name, at most: only one of them is told */
#define SECOND 3   /* a second kind, or cause, is told that took at least 1/SECOND of the first */
#define LITTLE 200 /* behind the first answer no thread is told that lost less than 1/LITTLE of its life */
#define NEARLY_ALL 0.85 /* of a kind: its largest cause is called so */

struct answers {
	struct qry *q;
	bool hide_tracer;
	struct base_progress *progress;
	GArray *found;        /* of struct candidate */
	bool any;             /* nothing was lost: what a thread waited for its children tells, too */
	GHashTable *alike;    /* of text as alike_key() → number of threads that can have lost time */
	GHashTable *starters; /* set of rows: ancestors of the tracer's threads, which record */
};

/* A thread, a pair of client and server, or spans. */
struct candidate {
	int64_t worth;                 /* ns: what it is sorted by */
	uint32_t row;                  /* of a pair: the client in the slowest request */
	int64_t lost;                  /* ns */
	bool stays;                    /* told whatever the others lost */
	GArray *pair;                  /* of struct ana_request, owned; NULL: a thread, or spans */
	struct ana_overview_line line; /* unless of a pair: its answer, owned */
};

/* ---- who counts ---- */

/* Programs that carry the session in which one records. */
static bool is_remote_shell(const char *name)
{
	static const char *const names[] = { "ssh", "sshd", "sshd-session", "dropbear", "mosh-server" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_str_equal(name, names[i]))
			return true;
	return false;
}

static void find_starters(struct answers *a)
{
	for (uint32_t row = 0; row < qry_row_count(a->q); row++) {
		uint32_t up = qry_row(a->q, row)->type == MDL_ROW_THREAD && qry_is_tracer(a->q, row)
			? qry_row(a->q, row)->parent
			: MDL_NONE;

		while (up != MDL_NONE && g_hash_table_add(a->starters, GUINT_TO_POINTER(up)))
			up = qry_row(a->q, up)->parent;
	}
}

static bool answers_count(const struct answers *a, uint32_t row)
{
	const struct qry_row *r = qry_row(a->q, row);

	return r->type == MDL_ROW_THREAD && r->cpu == MDL_NONE && r->first < r->last &&
		!qry_is_kernel_thread(a->q, row) && !is_remote_shell(r->name) &&
		!(a->hide_tracer &&
			(qry_is_tracer(a->q, row) ||
				g_hash_table_contains(a->starters, GUINT_TO_POINTER(row))));
}

/* ns from the begin of thread ROW to its exit. */
static int64_t answers_length(const struct answers *a, uint32_t row)
{
	return qry_life_end(a->q, row) - qry_row(a->q, row)->first;
}

static bool works(const struct answers *a, uint32_t row, const struct qry_cell *life)
{
	return qry_cell_on_cpu(life) >= answers_length(a, row) / WORKS;
}

/* True if ROW is a real-time or deadline thread at the end of its life. */
static bool is_real_time(const struct answers *a, uint32_t row)
{
	int priority = qry_priority_at(a->q, row, qry_row(a->q, row)->last - 1);

	return priority != MDL_PRIORITY_NONE && priority < MDL_PRIORITY_FAIR;
}

/* ---- what was lost ---- */

/* True if time that thread ROW lost to E, if it WORKS or not, was time between pieces of its work. */
static bool is_loss(const struct answers *a, uint32_t row, const struct ana_causes_entry *e, bool works)
{
	if (a->any)
		return e->kind != ANA_KIND_UNKNOWN && !ana_causes_is_own_sleep(e);
	switch (e->kind) {
	case ANA_KIND_PREEMPTED:
	case ANA_KIND_WAIT_CPU:
	case ANA_KIND_THROTTLED:
	case ANA_KIND_IPI_WAIT:
	case ANA_KIND_WAITING:
	case ANA_KIND_MEMORY:
	case ANA_KIND_BLOCK: return true;
	case ANA_KIND_TIMER: return g_str_has_prefix(e->name, "late: ");
	case ANA_KIND_UNKNOWN:
	case ANA_KIND_NETWORK: /* requests tell of it */
	case ANA_KIND_FORK:    /* of vfork(2): the child execs */
	case ANA_KIND_USER_INPUT: return false;
	/* Work of a timer, or an interrupt that tells nothing more, ends a sleep, as far as is known. */
	case ANA_KIND_WORKQUEUE:
	case ANA_KIND_IRQ:
		if (e->threads == 0 && (e->kind == ANA_KIND_WORKQUEUE || e->row == MDL_NONE))
			return false;
		/* fall through */
	default: return works && e->host == qry_row(a->q, row)->host && !is_remote_shell(e->name);
	}
}

/* True if thread WAKER is one that ROW or its process made, and what it did at TIME was to end. */
static bool is_end_of_child(const struct answers *a, uint32_t row, uint32_t waker, int64_t time)
{
	uint32_t parent = waker == MDL_NONE ? MDL_NONE : qry_row(a->q, waker)->parent;
	int64_t end;
	struct qry_cell cell;

	if (waker == MDL_NONE || waker == row ||
		(parent != row && qry_row(a->q, waker)->process != qry_row(a->q, row)->process &&
			(parent == MDL_NONE ||
				qry_row(a->q, parent)->process != qry_row(a->q, row)->process)))
		return false;
	end = qry_life_end(a->q, waker);
	if (end >= qry_row(a->q, waker)->last && !qry_row(a->q, waker)->died)
		return false;
	if (time >= end)
		return true;
	qry_share(a->q, waker, time, end, &cell);
	return cell.ns[MDL_ST_BLOCKED] == 0;
}

/* ns that thread ROW waited for the end of a child or of another thread of its process. */
static int64_t ends_of_children(const struct answers *a, uint32_t row)
{
	uint64_t n = qry_wakeup_count(a->q, row);
	struct mdl_wakeup w;
	int64_t sum = 0;

	for (uint64_t i = 0; i < n && qry_wakeup_get(a->q, row, i, &w); i++) {
		struct ana_source s;

		if (w.since == MDL_NEVER || w.via == MDL_VIA_NEW)
			continue;
		s = ana_source_of(a->q, row, &w);
		if (is_end_of_child(a, row, s.thread, w.time))
			sum = base_time_sum(sum, w.time - w.since);
	}
	return sum;
}

/* The causes of the waits of thread ROW in [FROM, TO); the caller frees.  NULL with an error. */
static struct ana_causes *answers_causes(const struct answers *a, uint32_t row, int64_t from, int64_t to,
	GError **error)
{
	struct ana_causes *causes = ana_causes_new(a->q, &row, 1, ANA_CAUSES_BY_NAME, from, to);

	if (ana_causes_finish(causes, a->progress, error))
		return causes;
	ana_causes_free(causes);
	return NULL;
}

/* ---- the sentences ---- */

#define POLLS 8 /* a part of the time that a thread ran, from which on it is told that it polled */

/* Append ", of which 95 % polled (sched_yield 9000 times)" if thread ROW, which ran for RAN ns, polled much of that. */
static void put_polled(const struct answers *a, GString *text, uint32_t row, int64_t ran)
{
	const struct qry_row *r = qry_row(a->q, row);
	struct ana_polling run;
	int64_t polled = ana_polling_sum(a->q, row, r->first, r->last, &run);

	if (polled == 0 || polled < ran / POLLS)
		return;
	g_string_append(text, " (");
	ana_overview_put_share(text, polled, ran);
	g_string_append_printf(text, " of that polled: %s %" PRIu32 " times)", run.name, run.calls);
}

/* The words for what a thread did that lost time to a KIND, and those that join its cause. */
static const struct {
	const char *did, *by;
} words[ANA_KIND_N] = {
	[ANA_KIND_PREEMPTED] = { "was preempted", "by" },
	[ANA_KIND_WAIT_CPU] = { "waited for a CPU", "behind" },
	[ANA_KIND_THROTTLED] = { "was throttled", "by" },
	[ANA_KIND_BLOCK] = { "waited for disks", "for" },
	[ANA_KIND_THREAD] = { "waited for threads", "for" },
	[ANA_KIND_TIMER] = { "waited for late timers", "while" },
	[ANA_KIND_WORKQUEUE] = { "waited for work", "by" },
	[ANA_KIND_SIGNAL] = { "waited for signals", "by" },
	[ANA_KIND_SUSPEND] = { "was suspended", NULL },
	[ANA_KIND_IPI_WAIT] = { "waited for IPIs on other CPUs", "on" },
	[ANA_KIND_WAITING] = { "waited on its CPU", "for" },
	[ANA_KIND_MEMORY] = { "went to the kernel's work for memory", "because it" },
};

/* Append " (real-time)" if thread ROW is of a class that goes before others. */
static void put_class(const struct answers *a, GString *text, uint32_t row)
{
	if (row == MDL_NONE || qry_row(a->q, row)->type != MDL_ROW_THREAD || !is_real_time(a, row))
		return;
	g_string_append_printf(text, " (%s)",
		mdl_class_name(qry_priority_at(a->q, row, qry_row(a->q, row)->last - 1)));
}

/* The sum of a kind, and its two largest causes; texts are weak, NULL: none. */
struct of_kind {
	int64_t time;
	struct ana_causes_entry most, next;
};

/* ns of the wait of thread ROW that the longest part of E belongs to.  That of a sleep is not looked for: it is no wait until
 * its time is over.  Of work for memory the part is the whole. */
static int64_t whole_wait(const struct answers *a, uint32_t row, const struct ana_causes_entry *e)
{
	struct mdl_interval iv;

	if (e->kind == ANA_KIND_TIMER || e->kind == ANA_KIND_MEMORY ||
		!qry_state_at(a->q, row, e->longest_end - 1, &iv))
		return e->longest;
	return MAX(iv.to - iv.from, e->longest);
}

/* "wk-rt[547] (real-time): 11 times, worst 3.44 ms of a 3.66 ms wait". */
static void put_cause(const struct answers *a, uint32_t row, GString *text, const struct ana_causes_entry *e)
{
	g_autofree char *worst = base_time_format_duration(e->longest, false),
			*whole = base_time_format_duration(whole_wait(a, row, e), false);

	g_string_append(text, e->label + (e->kind == ANA_KIND_TIMER ? strlen("late: ") : 0));
	put_class(a, text, e->row);
	g_string_append_printf(text, ": %" PRIu32 " time%s, worst %s", e->count, base_text_s(e->count),
		worst);
	if (!g_str_equal(worst, whole))
		g_string_append_printf(text, " of a %s wait", whole);
}

/* "17 % was preempted, nearly all by wk-rt[547] (real-time): 11 times, worst 3.44 ms". */
static void put_kind(const struct answers *a, uint32_t row, GString *text, enum ana_kind kind,
	const struct of_kind *k, int64_t life)
{
	const char *by = g_str_has_prefix(k->most.label, "the idle ") ? "on"
		: words[kind].did                                     ? words[kind].by
								      : "for";
	double share = (double)k->most.total / (double)MAX(k->time, 1);

	ana_overview_put_share(text, k->time, life);
	g_string_append_printf(text, " %s", words[kind].did ? words[kind].did : "waited for interrupts");
	if (!by)
		return;
	g_string_append_printf(text, ", %s %s ",
		share >= NEARLY_ALL    ? "nearly all"
			: share >= 0.5 ? "mostly"
				       : "most",
		by);
	put_cause(a, row, text, &k->most);
	if (k->next.label && k->next.total >= k->most.total / SECOND) {
		g_string_append(text, ", and ");
		put_cause(a, row, text, &k->next);
	}
}

static struct ana_overview_line line_of(const struct answers *a, const struct candidate *c)
{
	return (struct ana_overview_line){ .name = qry_row_label(a->q, c->row),
		.time = c->lost,
		.row = c->row,
		.answer = g_new0(struct ana_answer, 1) };
}

/* ---- threads ---- */

/* A candidate before its causes are known. */
struct thread_most {
	int64_t most, likely; /* ns */
	uint32_t row;
	bool real_time; /* these come first */
	bool needed;
};

/* Set the most that thread T->row can have lost (0: nothing), and how much it likely did. */
static void set_most(const struct answers *a, struct thread_most *t)
{
	struct qry_cell life = qry_life(a->q, t->row);
	int64_t queued = life.ns[MDL_ST_PREEMPTED] + life.ns[MDL_ST_WAIT_CPU] + life.ns[MDL_ST_NEW];

	if (qry_cell_on_cpu(&life) == 0)
		return;
	t->most = queued + life.ns[MDL_ST_BLOCKED];
	t->likely = queued + MIN(life.ns[MDL_ST_BLOCKED], qry_cell_on_cpu(&life));
}

/* True if E, of thread ROW, shows that it did little else than sleep once. */
static bool is_idler(const struct answers *a, uint32_t row, const struct ana_causes_entry *e)
{
	return ana_causes_is_own_sleep(e) && e->longest >= answers_length(a, row) / 2;
}

/* What threads of one host with one name have in common.  The caller frees. */
static char *alike_key(const struct answers *a, uint32_t row)
{
	g_autofree char *group = ana_group_name(qry_row(a->q, row)->name);

	return g_strdup_printf("%u/%s", qry_row(a->q, row)->host, group);
}

/* The number of threads with the name of thread ROW that can have lost time. */
static guint alike(const struct answers *a, uint32_t row)
{
	g_autofree char *key = alike_key(a, row);

	return MAX(GPOINTER_TO_UINT(g_hash_table_lookup(a->alike, key)), 1);
}

/* Make the line of thread C->row, of LIFE, from the ENTRIES that are losses if it WORKS or not; ENDS: ns of them that
 * it waited for ends of children.  False if that leaves nothing to tell. */
static bool tell_thread(const struct answers *a, struct candidate *c, const struct qry_cell *life,
	const GArray *entries, bool working, int64_t ends)
{
	int64_t length_ns = answers_length(a, c->row);
	struct of_kind kinds[ANA_KIND_N] = { 0 };
	uint32_t cpu = qry_guest_cpu_of(a->q, c->row);
	enum ana_kind first = 0, second = 0;
	GString *text;
	g_autofree char *length = base_time_format_duration(length_ns, false),
			*guest = cpu == MDL_NONE ? NULL : qry_row_label(a->q, cpu);

	for (guint i = 0; i < entries->len; i++) {
		const struct ana_causes_entry *e = &g_array_index(entries, struct ana_causes_entry, i);
		struct of_kind *k = &kinds[e->kind];

		if (!is_loss(a, c->row, e, working))
			continue;
		k->time = base_time_sum(k->time, e->total);
		if (!k->most.label) /* they come in the order of their times */
			k->most = *e;
		else if (!k->next.label)
			k->next = *e;
	}
	/* It mostly waited for the ends of children: that is no loss to tell of. */
	if (ends > kinds[ANA_KIND_THREAD].time / 2)
		kinds[ANA_KIND_THREAD].time = 0;
	for (unsigned i = 0; i < ANA_KIND_N; i++)
		if (kinds[i].time > kinds[first].time)
			first = i;
	if (kinds[first].time == 0)
		return false;
	second = first == 0 ? 1 : 0;
	for (unsigned i = 0; i < ANA_KIND_N; i++)
		if (i != first && kinds[i].time > kinds[second].time)
			second = i;
	c->line = line_of(a, c);
	text = g_string_new(NULL);
	if (alike(a, c->row) > 1) {
		g_autofree char *group = ana_group_name(qry_row(a->q, c->row)->name);

		g_string_append_printf(text, "%u threads %s, one of them ", alike(a, c->row), group);
	}
	g_string_append(text, c->line.name);
	put_class(a, text, c->row);
	g_string_append_printf(text, "%s%s: %s, of which ", guest ? ", which is " : "", guest ? guest : "",
		length);
	ana_overview_put_share(text, qry_cell_ran(life), length_ns);
	g_string_append(text, " ran");
	put_polled(a, text, c->row, qry_cell_ran(life));
	g_string_append(text, ", ");
	put_kind(a, c->row, text, first, &kinds[first], length_ns);
	if (kinds[second].time > 0 && kinds[second].time >= kinds[first].time / SECOND) {
		g_string_append(text, "; ");
		put_kind(a, c->row, text, second, &kinds[second], length_ns);
	}
	*c->line.answer = (struct ana_answer){ .text = g_string_free(text, FALSE),
		.kind = first,
		.life = length_ns,
		.ran = qry_cell_ran(life),
		.of_kind = kinds[first].time,
		.cause = g_strdup(kinds[first].most.label),
		.by_cause = kinds[first].most.total,
		.count = kinds[first].most.count,
		.longest = kinds[first].most.longest,
		.whole = whole_wait(a, c->row, &kinds[first].most),
		.alike = alike(a, c->row),
		.p50 = BASE_TIME_NONE };
	c->line.of = c->line.answer->life;
	c->line.way = ANA_OVERVIEW_LIFE;
	c->line.to = kinds[first].most.longest_end;
	c->line.from = c->line.to - c->line.answer->longest;
	return true;
}

/* Add thread ROW, if it lost time. */
static bool add_thread(struct answers *a, uint32_t row, GError **error)
{
	struct qry_cell life = qry_life(a->q, row);
	struct candidate c = { .row = row };
	bool working = works(a, row, &life), idle = false;
	int64_t from, to, direct = 0, ends = 0;
	struct ana_causes *causes;
	const GArray *entries;

	qry_span(a->q, &from, &to);
	causes = answers_causes(a, row, from, to, error);
	if (!causes)
		return false;
	entries = ana_causes_entries(causes);
	for (guint i = 0; i < entries->len; i++) {
		const struct ana_causes_entry *e = &g_array_index(entries, struct ana_causes_entry, i);

		idle = idle || is_idler(a, row, e);
		if (is_loss(a, row, e, working))
			c.lost = base_time_sum(c.lost, e->total);
		if (is_loss(a, row, e, false))
			direct = base_time_sum(direct, e->total);
	}
	if (working && !a->any)
		ends = ends_of_children(a, row);
	/* A thread that waits for others longer than it works itself mostly waits for something to do. */
	c.worth = direct + CLAMP(c.lost - direct - ends, 0, qry_cell_on_cpu(&life));
	c.lost -= ends;
	if (c.worth > 0 && !idle && ends / 2 <= c.lost && tell_thread(a, &c, &life, entries, working, ends))
		g_array_append_val(a->found, c);
	ana_causes_free(causes);
	return true;
}

/* ---- requests ---- */

static bool request_counts(const struct answers *a, const struct ana_request *r)
{
	return r->asker != MDL_NONE && r->server != MDL_NONE && r->from < r->to &&
		answers_count(a, r->asker) && answers_count(a, r->server) && r->x.request.packets > 0 &&
		r->x.reply.packets > 0;
}

static int by_duration(const void *a, const void *b)
{
	const struct ana_request *x = a, *y = b;
	int64_t one = x->to - x->from, other = y->to - y->from;

	return BASE_ORDER(one, other) ?: BASE_BY(x, y, from);
}

/* Add each pair of threads of which one asked the other over the network. */
static bool add_pairs(struct answers *a, GError **error)
{
	g_autoptr(GArray) all = ana_request_list(a->q, MDL_NONE, MDL_NONE, INT64_MIN, INT64_MAX, a->progress);
	g_autoptr(GHashTable) pairs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GHashTableIter iter;
	gpointer value;

	if (!all)
		return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
	for (guint i = 0; i < all->len; i++) {
		const struct ana_request *r = &g_array_index(all, struct ana_request, i);
		const struct ana_overview_ends ends = { r->asker, r->asker_host, r->server, r->server_host };

		if (request_counts(a, r))
			g_array_append_vals(ana_overview_pair(a->q, pairs, &ends, sizeof *r), r, 1);
	}
	g_hash_table_iter_init(&iter, pairs);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct candidate c = { .pair = value };
		double squares = 0, longest = 0;

		g_array_sort(c.pair, by_duration);
		for (guint i = 0; i < c.pair->len; i++) {
			const struct ana_request *r = &g_array_index(c.pair, struct ana_request, i);

			c.lost = base_time_sum(c.lost, r->to - r->from);
			c.row = r->asker;
			longest = (double)(r->to - r->from);
			squares += longest * longest;
		}
		c.worth = (int64_t)(squares / longest); /* many fast ones weigh less than a few slow ones */
		g_array_append_val(a->found, c);
	}
	return true;
}

/* An actor of a path, and its time on it. */
struct taker {
	int64_t time;
	uint32_t actor;
};

static int by_time(const void *a, const void *b)
{
	const struct taker *x = a, *y = b;

	return BASE_BY(y, x, time) ?: BASE_BY(x, y, actor);
}

/* Append who took most of [FROM, TO) of thread ROW, by its path: ", of which 56 % httpd/wk-server[492], 35 %
 * db/wk-server[412]". */
static bool put_worst(const struct answers *a, GString *text, uint32_t row, int64_t from, int64_t to,
	GError **error)
{
	struct ana_path *path = ana_path_new(a->q, row, from, to, a->progress, error);
	g_autoptr(GArray) takers = g_array_new(FALSE, TRUE, sizeof(struct taker));
	unsigned told = 0;

	if (!path)
		return false;
	g_array_set_size(takers, path->actors->len);
	for (guint i = 0; i < path->summary->len; i++) {
		const struct ana_summary *s = &g_array_index(path->summary, struct ana_summary, i);
		struct taker *t = &g_array_index(takers, struct taker, s->actor);

		t->actor = s->actor;
		if (s->kind != ANA_SEG_UNKNOWN && s->kind != ANA_SEG_BLOCKED)
			t->time += s->time;
	}
	g_array_sort(takers, by_time);
	for (guint i = 0; i < takers->len && told < 2; i++) {
		const struct taker *t = &g_array_index(takers, struct taker, i);

		if (t->time < (to - from) / 10)
			break;
		g_string_append(text, told == 0 ? ", of which " : ", ");
		ana_overview_put_share(text, t->time, to - from);
		g_string_append_printf(text, " %s", ana_path_actor(path, t->actor)->label);
		told++;
	}
	ana_path_free(path);
	return true;
}

/* Tell of the requests of C in *LINE. */
static bool tell_pair(const struct answers *a, const struct candidate *c, struct ana_overview_line *line,
	GError **error)
{
	const struct ana_request *worst = &g_array_index(c->pair, struct ana_request, c->pair->len - 1),
				 *middle = &g_array_index(c->pair, struct ana_request,
					 (c->pair->len - 1) / 2);
	int64_t longest = worst->to - worst->from, p50 = middle->to - middle->from;
	g_autofree char *most = base_time_format_duration(longest, false),
			*half = base_time_format_duration(p50, false),
			*server = qry_row_label(a->q, worst->server);
	GString *text = g_string_new(NULL);
	bool fine;

	*line = line_of(a, c);
	g_string_printf(text, "%s asked %s %u time%s: p50 %s, worst %s", line->name, server, c->pair->len,
		base_text_s(c->pair->len), half, most);
	fine = put_worst(a, text, worst->row, worst->from, worst->to, error);
	*line->answer = (struct ana_answer){ .text = g_string_free(text, FALSE),
		.kind = ANA_KIND_NETWORK,
		.life = c->lost,
		.ran = BASE_TIME_NONE,
		.of_kind = c->lost,
		.cause = g_steal_pointer(&server),
		.by_cause = c->lost,
		.count = c->pair->len,
		.longest = longest,
		.whole = longest,
		.alike = 1,
		.p50 = p50 };
	line->way = ANA_OVERVIEW_PATH;
	line->row = worst->row;
	line->from = worst->from;
	line->to = worst->to;
	return fine;
}

/* ---- spans ---- */

/* "span sdt_wx:req of wx-worker: 100 times, p50 1.52 ms, worst 31.0 ms, of which 80 % vdb". */
static bool tell_spans(const struct answers *a, const struct ana_overview_marked *m, struct candidate *c,
	GError **error)
{
	int64_t longest = m->to - m->from;
	g_autofree char *most = base_time_format_duration(longest, false),
			*half = base_time_format_duration(m->p50, false);
	const struct qry_host *host = qry_host(a->q, qry_row(a->q, m->row)->host);
	bool hosts = qry_host_count(a->q) > 1;
	GString *text = g_string_new(NULL);

	*c = (struct candidate){ .worth = m->lost, .row = m->row, .lost = m->lost, .stays = true };
	c->line = line_of(a, c);
	g_free(c->line.name);
	c->line.name = g_strdup_printf("span %s", m->name);
	c->line.what = g_strconcat(ANA_PROGRAM_PREFIX, m->name, NULL);
	g_string_printf(text, "%s of %s%s%s%s: %" PRIu64 " times, p50 %s, worst %s", c->line.name,
		hosts ? host->name : "", hosts ? "/" : "", m->who, m->others ? " and others" : "", m->count,
		half, most);
	*c->line.answer = (struct ana_answer){ .kind = ANA_KIND_UNKNOWN,
		.life = m->sum,
		.ran = BASE_TIME_NONE,
		.of_kind = m->lost,
		.by_cause = m->lost,
		.count = m->count,
		.longest = longest,
		.whole = longest,
		.alike = 1,
		.p50 = m->p50 };
	c->line.way = ANA_OVERVIEW_SPANS;
	c->line.from = m->from;
	c->line.to = m->to;
	if (ana_path_covers(a->q, m->row, m->from, m->to) &&
		!put_worst(a, text, m->row, m->from, m->to, error)) {
		g_string_free(text, TRUE);
		ana_overview_line_clear(&c->line);
		return false;
	}
	c->line.answer->text = g_string_free(text, FALSE);
	return true;
}

static bool add_spans(struct answers *a, GError **error)
{
	struct ana_overview_marked marked;
	struct candidate c;
	bool fine = ana_overview_marked(a->q, &marked, a->progress, error);

	if (fine && marked.name && answers_count(a, marked.row)) {
		fine = tell_spans(a, &marked, &c, error);
		if (fine)
			g_array_append_val(a->found, c);
	}
	ana_overview_marked_clear(&marked);
	return fine;
}

/* ---- all of them ---- */

static int by_most(const void *a, const void *b)
{
	const struct thread_most *x = a, *y = b;

	return BASE_BY(y, x, real_time) ?: BASE_BY(y, x, most) ?: BASE_BY(x, y, row);
}

static int by_worth(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return BASE_BY(y, x, worth) ?: BASE_BY(x, y, row);
}

static bool same_name(const struct answers *a, const struct candidate *x, const struct candidate *y)
{
	g_autofree char *one = ana_group_name(qry_row(a->q, x->row)->name),
			*other = ana_group_name(qry_row(a->q, y->row)->name);

	return !x->pair && !y->pair && qry_row(a->q, x->row)->host == qry_row(a->q, y->row)->host &&
		g_str_equal(one, other);
}

/* The place of the real-time thread that lost most, which is always told; 0: there is none. */
static guint first_real_time(const struct answers *a)
{
	for (guint i = 0; i < a->found->len; i++) {
		const struct candidate *c = &g_array_index(a->found, struct candidate, i);

		if (!c->pair && is_real_time(a, c->row))
			return i;
	}
	return 0;
}

/* Sort them; of several with one name only the first stays, and of all the first KEPT. */
static void answers_sort(struct answers *a)
{
	guint real_time;

	g_array_sort(a->found, by_worth);
	for (guint i = 0; i < a->found->len; i++)
		for (guint j = a->found->len - 1; j > i; j--)
			if (same_name(a, &g_array_index(a->found, struct candidate, i),
				    &g_array_index(a->found, struct candidate, j)))
				g_array_remove_index(a->found, j);
	if (a->found->len <= KEPT)
		return;
	real_time = first_real_time(a);
	if (real_time >= KEPT) {
		struct candidate *last = &g_array_index(a->found, struct candidate, KEPT - 1),
				 *first = &g_array_index(a->found, struct candidate, real_time), kept = *last;

		*last = *first;
		*first = kept;
	}
	g_array_set_size(a->found, KEPT);
}

static int by_likely(const void *a, const void *b)
{
	const struct thread_most *x = a, *y = b;

	return BASE_BY(y, x, likely) ?: BASE_BY(x, y, row);
}

/* Mark the first ALIKE / 2 of each name in ALL. */
static void mark_needed(const struct answers *a, GArray *all)
{
	g_autoptr(GHashTable) alike = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < all->len; i++) {
		struct thread_most *t = &g_array_index(all, struct thread_most, i);
		g_autofree char *group = ana_group_name(qry_row(a->q, t->row)->name);
		char *key = g_strdup_printf("%u/%d/%s", qry_row(a->q, t->row)->host, t->real_time, group);
		guint n = GPOINTER_TO_UINT(g_hash_table_lookup(alike, key));

		t->needed |= n < ALIKE / 2;
		g_hash_table_insert(alike, key, GUINT_TO_POINTER(n + 1));
	}
}

static bool add_threads(struct answers *a, unsigned top, GError **error)
{
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct thread_most));
	uint64_t looks = 0;

	for (uint32_t row = 0; row < qry_row_count(a->q); row++) {
		struct thread_most t = { .row = row };

		if (answers_count(a, row))
			set_most(a, &t);
		t.real_time = t.most > 0 && is_real_time(a, row);
		if (t.most > 0) {
			char *key = alike_key(a, row);
			guint n = GPOINTER_TO_UINT(g_hash_table_lookup(a->alike, key));

			g_hash_table_insert(a->alike, key, GUINT_TO_POINTER(n + 1));
			g_array_append_val(all, t);
		}
	}
	g_array_sort(all, by_likely);
	mark_needed(a, all);
	g_array_sort(all, by_most);
	mark_needed(a, all);
	for (guint i = 0; i < all->len && looks < LOOKS; i++) {
		const struct thread_most *t = &g_array_index(all, struct thread_most, i);

		if (!t->real_time && a->found->len >= top &&
			g_array_index(a->found, struct candidate, top - 1).worth >= t->most)
			break;
		if (!t->needed)
			continue;
		looks += qry_wakeup_count(a->q, t->row) + qry_row_count(a->q) +
			qry_host(a->q, qry_row(a->q, t->row)->host)->meta->events / EVENTS_LOOK;
		if (!add_thread(a, t->row, error))
			return false;
		answers_sort(a);
	}
	return true;
}

/* True if C is a thread that lost little of its life. */
static bool is_little(const struct answers *a, const struct candidate *c)
{
	return !c->pair && c->worth < answers_length(a, c->row) / LITTLE;
}

static void clear_candidate(gpointer data)
{
	struct candidate *c = data;

	if (c->pair)
		g_array_unref(c->pair);
	ana_overview_line_clear(&c->line);
}

bool ana_overview_answers(struct qry *q, unsigned top, bool hide_tracer, struct base_progress *progress,
	GArray *lines, GError **error)
{
	struct answers a = { .q = q,
		.hide_tracer = hide_tracer,
		.progress = progress,
		.found = g_array_new(FALSE, FALSE, sizeof(struct candidate)),
		.alike = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.starters = g_hash_table_new(NULL, NULL) };
	int64_t noise = 0;
	uint32_t busiest;
	guint stay = 0;
	bool fine;

	top = MIN(top, MOST);
	g_array_set_clear_func(a.found, clear_candidate);
	find_starters(&a);
	fine = add_pairs(&a, error) && add_threads(&a, top, error);
	if (fine && a.found->len == 0) {
		a.any = true;
		busiest = ana_story_thread(q);
		fine = busiest == MDL_NONE || add_thread(&a, busiest, error);
	}
	answers_sort(&a);
	if (a.found->len > 0) {
		g_array_index(a.found, struct candidate, first_real_time(&a)).stays = true;
		noise = g_array_index(a.found, struct candidate, 0).worth / NOISE;
	}
	fine = fine && add_spans(&a, error);
	g_array_sort(a.found, by_worth);
	for (guint i = 0; i < a.found->len; i++)
		stay += g_array_index(a.found, struct candidate, i).stays;
	for (guint i = 0; fine && i < a.found->len && lines->len < top; i++) {
		struct candidate *c = &g_array_index(a.found, struct candidate, i);
		struct ana_overview_line line = c->line;

		if (c->stays)
			stay--;
		else if (i > 0 && (c->worth < noise || lines->len + stay >= top || is_little(&a, c)))
			continue;
		c->line = (struct ana_overview_line){ 0 };
		fine = !c->pair || tell_pair(&a, c, &line, error);
		g_array_append_val(lines, line);
	}
	g_array_unref(a.found);
	g_hash_table_unref(a.alike);
	g_hash_table_unref(a.starters);
	return fine;
}
