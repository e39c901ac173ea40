/* SPDX-License-Identifier: MIT */
/*
 * How it works: a place (which thread, which of its wake-ups) goes forward with
 * each slice of work; each wait is added to the entry of its kind and of what
 * was behind it: on a busy host many threads of one name do one work.
 * Of a wait for a disk or a packet what interrupts, IPIs and their threads took (ana_steps) is theirs; of a
 * wait for a timer what that was late (ana_late) is theirs who had the CPU.
 */
#include "analysis/ana_causes.h"

#include "analysis/ana_chain.h"
#include "analysis/ana_group.h"
#include "analysis/ana_late.h"
#include "analysis/ana_steps.h"
#include "analysis/ana_words.h"

#include <string.h>

struct ana_causes {
	struct qry *q;			/* weak */
	uint32_t *rows;			/* owned */
	uint32_t n_rows, at;		/* the thread at hand */
	uint64_t next;			/* its next wake-up */
	bool begun;			/* NEXT is set */
	int64_t from, to;
	enum ana_causes_by by;
	GHashTable *by_key;		/* "kind/host/set/name", owned → struct ana_causes_entry *, owned */
	GHashTable *by_thread[ANA_KIND_N];	/* for each kind: row of the thread that ended waits → its entry in BY_KEY, weak */
	GArray *sorted;			/* of struct ana_causes_entry; names and labels weak */
};

static void entry_free(void *data)
{
	struct ana_causes_entry *e = data;

	g_free(e->name);
	g_free(e->label);
	g_free(e);
}

struct ana_causes *ana_causes_new(struct qry *q, const uint32_t *rows, uint32_t n_rows, enum ana_causes_by by, int64_t from, int64_t to)
{
	struct ana_causes *c = g_new0(struct ana_causes, 1);

	c->q = q;
	c->by = by;
	c->rows = g_new(uint32_t, n_rows + 1);
	for (uint32_t i = 0; i < n_rows; i++)
		if (qry_row(q, rows[i])->type == MDL_ROW_THREAD && qry_row(q, rows[i])->nr != 0)
			c->rows[c->n_rows++] = rows[i];
	c->from = from;
	c->to = to;
	c->by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, entry_free);
	for (unsigned i = 0; i < ANA_KIND_N; i++)
		c->by_thread[i] = g_hash_table_new(NULL, NULL);
	c->sorted = g_array_new(FALSE, FALSE, sizeof(struct ana_causes_entry));
	return c;
}

void ana_causes_free(struct ana_causes *c)
{
	if (!c)
		return;
	g_free(c->rows);
	for (unsigned i = 0; i < ANA_KIND_N; i++)
		g_hash_table_unref(c->by_thread[i]);
	g_hash_table_unref(c->by_key);
	g_array_unref(c->sorted);
	g_free(c);
}

/* Did the thread itself arm the timer that ended its wait? */
static bool is_own_timer(struct qry *q, const struct ana_source *s)
{
	struct mdl_cause cause;

	return ana_source_cause(q, s, &cause) && (cause.facts.has & MDL_FACT_TIMER) &&
	       ana_chain_actor(q, &cause.facts.timer.armed) == s->row;
}

/* The thread behind it: who ended the wait, or sent the packet that did, on whatever host; MDL_NONE none. */
static uint32_t thread_behind(struct qry *q, const struct ana_source *s)
{
	int64_t time;
	uint32_t row;

	if (s->thread != MDL_NONE)
		return s->thread;
	if (s->kind != ANA_KIND_NETWORK || !ana_source_origin(q, s, &row, &time) || qry_row(q, row)->type != MDL_ROW_THREAD)
		return MDL_NONE;
	return row;
}

/* What no thread was behind: its name, and its row. */
static char *behind(struct qry *q, const struct ana_source *s, uint32_t *row)
{
	int64_t time;

	*row = MDL_NONE;
	if (s->kind == ANA_KIND_TIMER && is_own_timer(q, s))
		return g_strdup("own sleep");
	if (s->kind == ANA_KIND_TIMER || s->kind == ANA_KIND_UNKNOWN || s->kind == ANA_KIND_FORK)
		return g_strdup("");
	if (!ana_source_origin(q, s, row, &time))
		*row = MDL_NONE;
	if (s->device)
		return g_strdup(s->device);
	if (s->wakeup.n_contexts > 0)
		return qry_context_text(q, s->host, s->wakeup.contexts[s->wakeup.n_contexts - 1].context);
	return g_strdup("");
}

/* The entry of what is called NAME, which is taken over, on HOST; SET tells one from others of that name.  A new one has no row. */
static struct ana_causes_entry *entry_named(struct ana_causes *c, enum ana_kind kind, uint32_t host, char *name, uint32_t set)
{
	char *key = g_strdup_printf("%d/%u/%u/%s", (int)kind, host, set, name);
	struct ana_causes_entry *e = g_hash_table_lookup(c->by_key, key);

	if (e) {
		g_free(name);
		g_free(key);
		return e;
	}
	e = g_new(struct ana_causes_entry, 1);
	*e = (struct ana_causes_entry){ .kind = kind, .host = host, .name = name, .row = MDL_NONE, .longest_row = MDL_NONE };
	g_hash_table_insert(c->by_key, key, e);
	return e;
}

/* THREAD, which is behind E, was not known to be. */
static void add_thread(struct ana_causes *c, struct ana_causes_entry *e, uint32_t thread)
{
	e->row = e->threads++ == 0 ? thread : MDL_NONE;
	g_free(e->label);
	if (e->threads == 1)
		e->label = qry_row_label(c->q, thread);
	else if (qry_host_count(c->q) == 1)
		e->label = g_strdup_printf("%s (%u threads)", e->name, e->threads);
	else
		e->label = g_strdup_printf("%s/%s (%u threads)", qry_host(c->q, e->host)->name, e->name, e->threads);
}

/* Most waits end by a thread: its name is made once, not for each of them. */
static struct ana_causes_entry *entry_of_thread(struct ana_causes *c, enum ana_kind kind, uint32_t thread)
{
	const struct qry_row *r = qry_row(c->q, thread);
	struct ana_causes_entry *e = g_hash_table_lookup(c->by_thread[kind], GUINT_TO_POINTER(thread));

	if (e)
		return e;
	e = entry_named(c, kind, r->host, ana_group_name(r->name), c->by == ANA_CAUSES_BY_THREAD ? thread : MDL_NONE);
	add_thread(c, e, thread);
	g_hash_table_insert(c->by_thread[kind], GUINT_TO_POINTER(thread), e);
	return e;
}

static struct ana_causes_entry *entry_of(struct ana_causes *c, const struct ana_source *s)
{
	uint32_t thread = thread_behind(c->q, s), row;
	struct ana_causes_entry *e;
	char *name;

	if (thread != MDL_NONE)
		return entry_of_thread(c, s->kind, thread);
	name = behind(c->q, s, &row);
	e = entry_named(c, s->kind, s->host, name, MDL_NONE);
	if (!e->label) {
		e->label = g_strdup(e->name);
		e->row = row;
	}
	return e;
}

/* The entry of the context, or thread, whose turn STEP of S was. */
static struct ana_causes_entry *entry_of_step(struct ana_causes *c, const struct ana_source *s, const struct ana_step *step)
{
	static const enum ana_kind kinds[MDL_CTX_TYPES] = {
		[MDL_CTX_IRQ] = ANA_KIND_IRQ, [MDL_CTX_VECTOR] = ANA_KIND_IRQ, [MDL_CTX_HRTIMER] = ANA_KIND_TIMER,
		[MDL_CTX_IPI] = ANA_KIND_IPI, [MDL_CTX_SOFTIRQ] = ANA_KIND_SOFTIRQ,
	};
	uint32_t thread = ana_chain_actor(c->q, &step->act), context = step->act.context;
	struct ana_causes_entry *e;

	if (thread != MDL_NONE)
		return entry_of_thread(c, ANA_KIND_THREAD, thread);
	if (context == MDL_NONE)
		return entry_of(c, s);
	e = entry_named(c, kinds[qry_context(c->q, s->host, context).type], s->host, qry_context_text(c->q, s->host, context), MDL_NONE);
	if (!e->label) {
		e->label = g_strdup(e->name);
		e->row = qry_context_row(c->q, s->host, context, step->act.cpu);
	}
	return e;
}

/* LENGTH of the wait of ROW that W ended belongs to E. */
static void put(struct ana_causes_entry *e, uint32_t row, const struct mdl_wakeup *w, int64_t length, enum ana_grade grade)
{
	e->count++;
	e->grades[grade]++;
	e->total += length;
	if (e->longest_row != MDL_NONE && length <= e->longest)
		return;
	e->longest = length;
	e->longest_row = row;
	e->longest_end = w->time;
}

/* Put down what of the wait [FROM, TO) of S was neither the disk's nor the net's; returns how much that was. */
static int64_t put_steps(struct ana_causes *c, const struct ana_source *s, int64_t from, int64_t to)
{
	struct mdl_cause cause;
	struct mdl_chain chain;
	struct ana_steps steps;
	enum ana_grade grade = s->grade;
	int64_t all = 0, length = 0;

	if (s->thread != MDL_NONE || (s->kind != ANA_KIND_BLOCK && s->kind != ANA_KIND_NETWORK) || !ana_source_chain(c->q, s, &cause, &chain))
		return 0;
	ana_steps_of(c->q, s, &cause.facts, &chain, &steps);
	for (unsigned i = steps.n_request; i < steps.n; i++) {
		const struct ana_step *step = &steps.steps[i];
		bool goes_on = i + 1 < steps.n && step[1].act.context == step->act.context && step[1].act.thread == step->act.thread;

		length += MAX(MIN(step->to, to) - MAX(step->from, from), 0);
		grade = MAX(grade, step->grade);
		if (goes_on)	/* an IPI that was under way, and then handled */
			continue;
		if (length > 0)
			put(entry_of_step(c, s, step), s->row, &s->wakeup, length, grade);
		all += length;
		length = 0;
		grade = s->grade;
	}
	return all;
}

/* The entry of who had the CPU in PART of the time for which the timer of S was late. */
static struct ana_causes_entry *entry_of_late(struct ana_causes *c, const struct ana_source *s, const struct ana_blame_part *part)
{
	bool thread = part->what == ANA_BLAME_THREAD;
	struct ana_causes_entry *e;
	char *who, *name;

	if (thread) {
		who = ana_group_name(part->name ? part->name : "");
		name = g_strdup_printf("late: %s ran", who);
		g_free(who);
	} else {
		name = g_strdup(part->what == ANA_BLAME_IDLE ? "late: the CPU was idle" :
				part->what == ANA_BLAME_UNKNOWN ? "late: not recorded" : "late: interrupts");
	}
	e = entry_named(c, ANA_KIND_TIMER, s->host, name, MDL_NONE);
	if (!e->label) {
		e->label = g_strdup(e->name);
		e->row = thread ? part->row : MDL_NONE;
	} else if (e->row != part->row) {
		e->row = MDL_NONE;	/* several */
	}
	return e;
}

/* Put down what of the wait [FROM, TO) of S a timer was late; returns how much that was. */
static int64_t put_late(struct ana_causes *c, const struct ana_source *s, int64_t from, int64_t to)
{
	struct ana_causes_entry **entries;
	struct mdl_cause cause;
	struct ana_blame *blame;
	int64_t all = 0;

	if (s->kind != ANA_KIND_TIMER || !ana_source_cause(c->q, s, &cause) || !(cause.facts.has & MDL_FACT_TIMER) || ana_late_ns(&cause.facts.timer) <= 0)
		return 0;
	from = MAX(from, cause.facts.timer.due);
	blame = ana_blame_of_cpu(c->q, s->host, cause.facts.timer.cpu, from, MAX(from, MIN(to, cause.facts.timer.expired_at)));
	entries = g_new0(struct ana_causes_entry *, blame->parts->len + 1);
	for (guint i = 0; i < blame->parts->len; i++)
		entries[i] = entry_of_late(c, s, &g_array_index(blame->parts, struct ana_blame_part, i));
	for (guint i = 0; i < blame->parts->len; i++) {
		int64_t length = 0;
		enum ana_grade grade = s->grade;

		for (guint j = i; entries[i] && j < blame->parts->len; j++) {	/* what stands under one name counts once */
			const struct ana_blame_part *part = &g_array_index(blame->parts, struct ana_blame_part, j);

			if (entries[j] != entries[i])
				continue;
			length += part->time;
			grade = MAX(grade, part->grade);
			entries[j] = j > i ? NULL : entries[j];
		}
		if (entries[i])
			put(entries[i], s->row, &s->wakeup, length, grade);
		all += length;
	}
	g_free(entries);
	ana_blame_free(blame);
	return all;
}

static void add(struct ana_causes *c, uint32_t row, const struct mdl_wakeup *w)
{
	int64_t from = MAX(w->since, c->from), to = MIN(w->time, c->to);
	struct ana_source s = ana_source_of(c->q, row, w);
	int64_t others = put_steps(c, &s, from, to) + put_late(c, &s, from, to);

	put(entry_of(c, &s), row, w, to - from - others, s.grade);
}

/* Look at the next wake-up of the thread at hand.  False when the window holds no more of it. */
static bool step(struct ana_causes *c)
{
	uint32_t row = c->rows[c->at];
	struct mdl_wakeup w;

	if (!c->begun) {
		c->next = qry_wakeup_seek(c->q, row, c->from == INT64_MAX ? c->from : c->from + 1);
		c->begun = true;
	}
	if (!qry_wakeup_get(c->q, row, c->next, &w))
		return false;
	c->next++;
	/* A fork's wake-up ends no wait. */
	if (w.since != MDL_NEVER && w.since < c->to && w.via != MDL_VIA_NEW)
		add(c, row, &w);
	return w.time < c->to;
}

bool ana_causes_work(struct ana_causes *c, unsigned wakeups)
{
	for (unsigned i = 0; i < wakeups && c->at < c->n_rows; i++) {
		if (step(c))
			continue;
		c->at++;
		c->begun = false;
	}
	return c->at < c->n_rows;
}

static int longest_first(const void *a, const void *b)
{
	const struct ana_causes_entry *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return strcmp(x->label, y->label);
}

const GArray *ana_causes_entries(struct ana_causes *c)
{
	GHashTableIter iter;
	gpointer entry;

	g_array_set_size(c->sorted, 0);
	g_hash_table_iter_init(&iter, c->by_key);
	while (g_hash_table_iter_next(&iter, NULL, &entry))
		g_array_append_vals(c->sorted, entry, 1);
	g_array_sort(c->sorted, longest_first);
	return c->sorted;
}
