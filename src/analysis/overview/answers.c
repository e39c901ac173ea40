/* SPDX-License-Identifier: MIT */
/*
 * The answers: sentences about what lost most time.
 *
 * How it works: each user thread is a candidate, in the order of the time that it can have lost at most,
 * which costs two look-ups.  Its causes (analysis/causes) show how much it lost, and to whom. Waits that were
 * no loss do not count (losses.c).  Of threads with one name, which share an answer, two are candidates: the
 * one that most likely lost most, and the one that can have lost most.  The search ends when no remaining
 * candidate can be among the first, or after LOOKS waits.  Requests are summed up by the names of both ends,
 * spans by their name; the path of the slowest shows what it took.
 */
#include "analysis/overview/parts.h"

#include "analysis/causes/causes.h"
#include "analysis/latency/program.h"
#include "analysis/path/path.h"
#include "analysis/request/request.h"
#include "analysis/wait/source.h"
#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/host/tracer.h"

#include <inttypes.h>
#include <string.h>

#define MOST 5   /* answers */
#define RESTS 10 /* a thread rests if it neither ran nor lost time for all but 1/RESTS of its life */
#define NOISE 10 /* no answer for losses below 1/NOISE of the first one that is not spans */
/* Limit of wake-ups of candidates.  Each candidate also costs as much as a wake-up for each row, and as one
 * for each EVENTS_LOOK events of its host, because all CPUs are searched for it. */
#define LOOKS 1000000
#define EVENTS_LOOK 64
#define PEERS 16   /* threads that wait for each other, at most */
#define KEPT 64    /* candidates that are kept */
#define ALIKE 2    /* candidates of one name, at most: only one of them gets an answer */
#define FEW 50     /* a thread that lost 1/FEW of its life is worth a first sentence */
#define LITTLE 200 /* after the first answer, threads that lost less than 1/LITTLE of their life get none */

struct answers {
	struct qry *q;
	bool hide_tracer;
	struct base_progress *progress;
	GArray *found; /* of struct candidate */
	/* No thread lost enough (is_too_little()), so all waits count except own sleeps and unknown ones. */
	bool any;
	GHashTable *alike;    /* of alike_key() → number of threads that can have lost time */
	GHashTable *starters; /* set of rows: ancestors of the tracer's threads */
};

/* A thread, a pair of client and server, or spans. */
struct candidate {
	int64_t worth; /* ns: the sort key */
	uint32_t row;  /* for a pair: the client in the slowest request */
	int64_t lost;  /* ns */
	bool stays;    /* shown however much the others lost */
	bool recorded; /* of the program started for recording, and lost enough: sorted before the others */
	bool rests;    /* it neither ran nor lost time for most of its life: sorted after the others */
	GArray *pair;  /* of struct ana_request, owned; NULL: a thread, or spans */
	struct ana_overview_line line; /* not for a pair: its answer, owned */
};

/* ---- threads that count ---- */

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
		!qry_is_kernel_thread(a->q, row) && !ana_overview_is_remote_shell(r->name) &&
		!(a->hide_tracer &&
			(qry_is_tracer(a->q, row) ||
				g_hash_table_contains(a->starters, GUINT_TO_POINTER(row))));
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
	bool real_time; /* threads of real-time class come first, ... */
	bool recorded;  /* ... then those started for recording: qry_is_recorded() */
	bool needed;
};

/* Set the most that thread T->row can have lost (0: nothing), and how much it likely lost. */
static void set_most(const struct answers *a, struct thread_most *t)
{
	struct qry_cell life = qry_life(a->q, t->row);
	int64_t queued = life.ns[MDL_ST_PREEMPTED] + life.ns[MDL_ST_WAIT_CPU] + life.ns[MDL_ST_NEW];

	if (qry_cell_on_cpu(&life) == 0)
		return;
	queued += life.ns[MDL_ST_VCPU_PREEMPTED] + life.ns[MDL_ST_VCPU_EXIT] +
		ana_overview_spun(a->q, t->row);
	t->most = queued + life.ns[MDL_ST_BLOCKED];
	t->likely = queued + MIN(life.ns[MDL_ST_BLOCKED], qry_cell_on_cpu(&life));
}

/* True if E, a cause of thread ROW, shows that the thread did little except sleep once. */
static bool is_idler(const struct answers *a, uint32_t row, const struct ana_causes_entry *e)
{
	return ana_causes_is_own_sleep(e) && e->longest >= ana_overview_length(a->q, row) / 2;
}

/* The host and the name, without numbers, of thread ROW.  The caller frees. */
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

/* Make the line of thread C->row from its losses L, whose kinds are set. */
static void tell_thread(const struct answers *a, struct candidate *c, const struct ana_overview_losses *l)
{
	const struct ana_overview_kind *k = &l->kinds[l->first];
	bool stolen = l->first == ANA_OVERVIEW_STOLEN;

	c->line = line_of(a, c);
	*c->line.answer = (struct ana_answer){ .text = ana_overview_sentence(l),
		.kind = stolen ? ANA_KIND_PREEMPTED : (enum ana_kind)l->first,
		.stolen = stolen,
		.life = l->life,
		.ran = l->ran,
		.of_kind = k->time,
		.cause = g_strdup(k->most.label),
		.by_cause = k->most.total,
		.count = k->most.count,
		.longest = k->most.longest,
		.whole = ana_overview_whole(a->q, c->row, l->first, &k->most),
		.alike = l->alike,
		.p50 = BASE_TIME_NONE };
	c->line.of = l->life;
	c->line.way = ANA_OVERVIEW_LIFE;
	c->line.to = k->most.longest_end;
	c->line.from = c->line.to - k->most.longest;
}

/* True if thread ROW runs a CPU of a guest, and a sentence about a thread of the guest shows what that CPU
 * lost. */
static bool is_told_by_guest(const struct answers *a, uint32_t row)
{
	uint32_t cpu = qry_guest_cpu_of(a->q, row);
	const struct qry_host *guest = cpu == MDL_NONE ? NULL : qry_host(a->q, qry_row(a->q, cpu)->host);

	for (uint32_t i = 0; guest && i < guest->n_rows; i++) {
		struct qry_cell life;

		if (!answers_count(a, guest->first_row + i))
			continue;
		life = qry_life(a->q, guest->first_row + i);
		if (ana_overview_lost_cpu(&life))
			return true;
	}
	return false;
}

/* Set how much C, a thread of LIFE, lost in all, from CAUSES and STOLEN (NULL: nothing), and add it with its
 * line if it lost something. */
static void weigh(struct answers *a, struct candidate *c, const struct qry_cell *life, const GArray *causes,
	const GArray *stolen)
{
	struct ana_overview_losses l = { .alike = alike(a, c->row) }, known = { .q = NULL };
	bool idle = false;

	ana_overview_lose(&l, a->q, c->row, causes, stolen, a->any);
	if (a->any)
		ana_overview_lose(&known, a->q, c->row, causes, stolen, false);
	/* Most of it was lost in the usual ways, so its ordinary sentence shows it. */
	if (known.lost > l.lost / 2)
		return;
	for (guint i = 0; i < causes->len; i++)
		idle = idle || is_idler(a, c->row, &g_array_index(causes, struct ana_causes_entry, i));
	/* A thread that waits for others longer than it runs mostly waits for work, so these waits count only
	 * up to its time on a CPU. */
	c->worth = l.direct + CLAMP(l.all - l.direct - l.ends, 0, qry_cell_on_cpu(life));
	c->lost = l.lost;
	c->rests = qry_cell_on_cpu(life) + l.lost < l.life / RESTS &&
		!ana_overview_is_real_time(a->q, c->row);
	c->recorded = qry_is_recorded(a->q, c->row) && c->worth >= l.life / FEW;
	if (c->worth <= 0 || idle || l.ends / 2 > l.all - l.ends || l.kinds[l.first].time == 0)
		return;
	tell_thread(a, c, &l);
	g_array_append_vals(a->found, c, 1);
}

/* Add thread ROW, if it lost time. */
static bool add_thread(struct answers *a, uint32_t row, GError **error)
{
	struct qry_cell life = qry_life(a->q, row);
	struct candidate c = { .row = row };
	g_autoptr(GArray) stolen = NULL;
	int64_t from, to;
	struct ana_causes *causes;

	if (ana_overview_lost_cpu(&life)) {
		stolen = ana_overview_stolen(a->q, row, a->progress, error);
		if (!stolen)
			return false;
	}
	qry_span(a->q, &from, &to);
	causes = answers_causes(a, row, from, to, error);
	if (!causes)
		return false;
	weigh(a, &c, &life, ana_causes_entries(causes), stolen);
	ana_causes_free(causes);
	return true;
}

/* ---- requests ---- */

/* Add each pair of recorded threads of which one sent requests to the other over the network. */
static bool add_pairs(struct answers *a, GError **error)
{
	g_autoptr(GPtrArray) pairs = ana_overview_pairs(a->q, a->hide_tracer, a->progress, error);

	for (guint i = 0; pairs && i < pairs->len; i++) {
		struct candidate c = { .pair = g_array_new(FALSE, FALSE, sizeof(struct ana_request)) };
		const GArray *pair = g_ptr_array_index(pairs, i);
		double squares = 0, longest = 0;

		for (guint k = 0; k < pair->len; k++) {
			const struct ana_request *r = &g_array_index(pair, struct ana_request, k);

			if (r->asker == MDL_NONE || r->server == MDL_NONE || !answers_count(a, r->asker) ||
				!answers_count(a, r->server))
				continue;
			g_array_append_vals(c.pair, r, 1);
			c.lost = base_time_sum(c.lost, ana_overview_took(r));
			c.row = r->asker;
			longest = (double)ana_overview_took(r);
			squares += longest * longest;
		}
		c.worth = longest > 0 ? (int64_t)(squares / longest)
				      : 0; /* many fast ones weigh less than a few slow ones */
		if (c.pair->len > 0)
			g_array_append_val(a->found, c);
		else
			g_array_unref(c.pair);
	}
	return pairs;
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

/* Append the actors that took most of [FROM, TO) on the path of thread ROW, as far as there is room: ", of
 * which 56 % httpd/wk-server[492], 35 % db/wk-server[412]". */
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
		gsize before = text->len;

		if (t->time < (to - from) / 10)
			break;
		g_string_append(text, told == 0 ? ", of which " : ", ");
		ana_overview_put_share(text, t->time, to - from);
		g_string_append_printf(text, " %s", ana_path_actor(path, t->actor)->label);
		if (!ana_overview_fits(text->str)) {
			g_string_truncate(text, before);
			break;
		}
		told++;
	}
	ana_path_free(path);
	return true;
}

/* Set *LINE to the sentence about the requests of C. */
static bool tell_pair(const struct answers *a, const struct candidate *c, struct ana_overview_line *line,
	GError **error)
{
	const struct ana_request *worst = &g_array_index(c->pair, struct ana_request, c->pair->len - 1),
				 *middle = &g_array_index(c->pair, struct ana_request,
					 (c->pair->len - 1) / 2);
	int64_t longest = ana_overview_took(worst), p50 = ana_overview_took(middle);
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

static bool add_spans(struct answers *a, struct ana_overview_meeting *meeting, GError **error)
{
	struct ana_overview_marked marked;
	struct candidate c;
	bool fine = ana_overview_marked(a->q, &marked, meeting, a->progress, error);

	if (fine && marked.name && answers_count(a, marked.row)) {
		fine = tell_spans(a, &marked, &c, error);
		if (fine)
			g_array_append_val(a->found, c);
	}
	ana_overview_marked_clear(&marked);
	return fine;
}

/* ---- threads that wait for each other ---- */

/* True if threads ONE and OTHER do the same part of one program: they share a process or a parent, and their
 * names differ only in a number. */
static bool is_peer(const struct answers *a, uint32_t one, uint32_t other)
{
	const struct qry_row *x = qry_row(a->q, one), *y = qry_row(a->q, other);
	static const char digits[] = "0123456789";
	size_t n = strcspn(x->name, digits);

	return x->host == y->host && y->type == MDL_ROW_THREAD &&
		(x->process == y->process || (x->parent != MDL_NONE && x->parent == y->parent)) && n > 0 &&
		!strncmp(x->name, y->name, n) && strspn(x->name + n, digits) == strlen(x->name + n) &&
		strspn(y->name + n, digits) == strlen(y->name + n) && x->name[n] && y->name[n];
}

/* Add the losses of thread ROW to its peers to WAITS. */
static bool add_waits(const struct answers *a, uint32_t row, GArray *waits, GError **error)
{
	struct ana_causes *causes;
	const GArray *entries;
	int64_t from, to;

	qry_span(a->q, &from, &to);
	causes = answers_causes(a, row, from, to, error);
	if (!causes)
		return false;
	entries = ana_causes_entries(causes);
	for (guint i = 0; i < entries->len; i++) {
		const struct ana_causes_entry *e = &g_array_index(entries, struct ana_causes_entry, i);

		if ((e->kind == ANA_KIND_THREAD || e->kind == ANA_KIND_WAITING) && e->row != MDL_NONE &&
			ana_overview_is_loss(a->q, row, e) && is_peer(a, row, e->row))
			ana_overview_wait_add(waits, row, e->row, e->longest_end - e->longest, e->longest_end,
				e->total);
	}
	ana_causes_free(causes);
	return true;
}

/* Find the peer of thread ROW that its peers waited for most, or ROW itself. */
static bool find_peers(const struct answers *a, uint32_t row, struct ana_overview_meeting *best,
	GError **error)
{
	struct ana_overview_meeting m = { .name = NULL };
	g_autoptr(GArray) peers = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	GArray *waits;
	bool fine = true;

	for (uint32_t i = 0; i < qry_row_count(a->q) && peers->len <= PEERS; i++)
		if (is_peer(a, row, i))
			g_array_append_val(peers, i);
	if (peers->len < 3 || peers->len > PEERS)
		return true;
	waits = g_array_new(FALSE, FALSE, sizeof(struct ana_overview_wait));
	for (guint i = 0; fine && i < peers->len; i++)
		fine = add_waits(a, g_array_index(peers, uint32_t, i), waits, error);
	m.threads = peers->len;
	ana_overview_meeting_take(best, &m, waits);
	return fine;
}

static void tell_meeting(struct answers *a, const struct ana_overview_meeting *m)
{
	const struct ana_overview_wait *most = &g_array_index(m->waits, struct ana_overview_wait, 0);
	struct candidate c = { .row = m->last, .worth = m->waited, .lost = m->waited, .stays = true };

	c.line = line_of(a, &c);
	*c.line.answer = (struct ana_answer){ .text = ana_overview_meeting_text(a->q, m),
		.kind = ANA_KIND_WAITING,
		.life = ana_overview_length(a->q, m->last),
		.ran = BASE_TIME_NONE,
		.of_kind = m->waited,
		.cause = qry_row_label(a->q, most->waiter),
		.by_cause = most->time,
		.count = m->waits->len,
		.longest = most->to - most->from,
		.whole = most->to - most->from,
		.alike = 1,
		.p50 = BASE_TIME_NONE };
	c.line.way = ANA_OVERVIEW_ROW; /* those who waited are seen beside the subject */
	c.line.from = most->from;
	c.line.to = most->to;
	g_array_append_val(a->found, c);
}

/* Add the sentence about threads that waited for each other: those of MEETING, or the peers of the first
 * thread in the answers. */
static bool add_meeting(struct answers *a, struct ana_overview_meeting *meeting, GError **error)
{
	bool fine = true;

	for (guint i = 0; i < a->found->len; i++) {
		const struct candidate *c = &g_array_index(a->found, struct candidate, i);

		if (c->pair || c->rests || c->line.way != ANA_OVERVIEW_LIFE)
			continue;
		fine = find_peers(a, c->row, meeting, error);
		break;
	}
	if (fine && meeting->waited > 0)
		tell_meeting(a, meeting);
	return fine;
}

/* ---- all answers ---- */

static int by_most(const void *a, const void *b)
{
	const struct thread_most *x = a, *y = b;

	return BASE_BY(y, x, real_time) ?: BASE_BY(y, x, recorded) ?: BASE_BY(y, x, most) ?: BASE_BY(x, y, row);
}

static int by_worth(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return BASE_BY(x, y, rests) ?: BASE_BY(y, x, recorded) ?: BASE_BY(y, x, worth) ?: BASE_BY(x, y, row);
}

static bool same_name(const struct answers *a, const struct candidate *x, const struct candidate *y)
{
	g_autofree char *one = ana_group_name(qry_row(a->q, x->row)->name),
			*other = ana_group_name(qry_row(a->q, y->row)->name);

	return !x->pair && !y->pair && qry_row(a->q, x->row)->host == qry_row(a->q, y->row)->host &&
		g_str_equal(one, other);
}

/* The place of the real-time thread that lost most, which always has an answer; 0: there is none. */
static guint first_real_time(const struct answers *a)
{
	for (guint i = 0; i < a->found->len; i++) {
		const struct candidate *c = &g_array_index(a->found, struct candidate, i);

		if (!c->pair && ana_overview_is_real_time(a->q, c->row))
			return i;
	}
	return 0;
}

/* Sort the candidates. Keep only the first of each name, and at most KEPT in all. */
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

/* Mark the first ALIKE / 2 threads of each name in ALL. */
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

/* True if no thread that lost at most MOST can be among the first TOP, or would get an answer. */
static bool is_enough(const struct answers *a, unsigned top, int64_t most)
{
	const struct candidate *c = (const struct candidate *)(const void *)a->found->data;

	if (a->found->len > 0 && !c[0].pair && !c[0].rests && most < c[0].worth / NOISE)
		return true;
	return a->found->len >= top && !c[top - 1].rests && c[top - 1].worth >= most;
}

static bool add_threads(struct answers *a, unsigned top, GError **error)
{
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct thread_most));
	uint64_t looks = 0;

	for (uint32_t row = 0; row < qry_row_count(a->q); row++) {
		struct thread_most t = { .row = row };

		if (answers_count(a, row))
			set_most(a, &t);
		t.recorded = t.most > 0 && qry_is_recorded(a->q, row);
		t.real_time = t.most > 0 && ana_overview_is_real_time(a->q, row);
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

		if (!t->real_time && !t->recorded && is_enough(a, top, t->most))
			break;
		if (!t->needed || is_told_by_guest(a, t->row))
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
	return !c->pair && c->worth < ana_overview_length(a->q, c->row) / LITTLE;
}

/* True if no thread lost enough for a first sentence: the waits of the busiest thread are of more
 * interest. */
static bool is_too_little(const struct answers *a)
{
	for (guint i = 0; i < a->found->len; i++) {
		const struct candidate *c = &g_array_index(a->found, struct candidate, i);

		if (c->pair || c->worth >= ana_overview_length(a->q, c->row) / FEW ||
			ana_overview_is_real_time(a->q, c->row))
			return false;
	}
	return true;
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
	struct ana_overview_meeting meeting = { .name = NULL };
	int64_t noise = 0;
	uint32_t busiest;
	guint stay = 0;
	bool fine;

	top = MIN(top, MOST);
	g_array_set_clear_func(a.found, clear_candidate);
	find_starters(&a);
	fine = add_pairs(&a, error) && add_threads(&a, top, error);
	if (fine && is_too_little(&a)) {
		a.any = true;
		busiest = ana_story_thread(q);
		fine = busiest == MDL_NONE || add_thread(&a, busiest, error);
	}
	answers_sort(&a);
	if (a.found->len > 0) {
		g_array_index(a.found, struct candidate, first_real_time(&a)).stays = true;
		noise = g_array_index(a.found, struct candidate, 0).worth / NOISE;
	}
	fine = fine && add_spans(&a, &meeting, error) && add_meeting(&a, &meeting, error);
	ana_overview_meeting_clear(&meeting);
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
