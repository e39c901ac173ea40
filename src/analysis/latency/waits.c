/* SPDX-License-Identifier: MIT */
/*
 * How it works: the states that the file declares are spans (analysis/latency/program.h).  Those that are
 * waits are separated by state, value and key, and by host unless the file says any host.
 *
 * Peers: a thread comes to a barrier (FROM) before any thread leaves it (TO), and to the next barrier after
 * it has left this one.  So the waits of one key that begin before any of them has ended belong to one
 * round.  The first that begins later is of the next round, even if some threads have not noticed yet that
 * this round is over.  The wait that begins last lets the others go on.
 *
 * Holder: the thread that was the last to enter the state that the file names, of the same key, before the
 * wait was over.
 */
#include "analysis/latency/program.h"

#include "base/base_search.h"

#include <string.h>

#define WAITS_MOST 1000000 /* states: some 90 MB */
#define NAMES_KEPT 65536

/* A state of a thread. */
struct stay {
	const struct ana_rule *rule; /* weak: declares the wait; NULL: for holders only */
	const char *name, *key;      /* of struct qry_spins; KEY contains the host */
	int64_t from, to;
	uint32_t row;
};

struct finding {
	struct qry *q;
	const struct ana_rules *declared;
	const struct qry_spans *spans;
	struct qry_spins *spins;
	GHashTable *names; /* key of a span → struct told *, owned */
	GArray *stays;     /* of struct stay: the waits */
	GArray *holders;   /* of struct stay: states that others wait for */
	bool more;         /* than WAITS_MOST */
};

/* The meaning of the text of a span. */
struct told {
	const struct ana_rule *rule; /* NULL: not a wait */
	const char *name, *key;      /* as in struct stay, without the host */
	bool holds;                  /* others wait for the thread in this state */
};

/* The rule that declares the state called NAME; NULL: none.  If two match, the one with the longer name. */
static const struct ana_rule *rule_of(const struct ana_rules *rules, const char *name)
{
	const struct ana_rule *best = NULL;

	for (guint i = 0; i < rules->rules->len; i++) {
		const struct ana_rule *r = g_ptr_array_index(rules->rules, i);

		if (ana_rules_is_state(r) && ana_rules_state_is(name, r->name + strlen(ANA_STATE_PREFIX)) &&
			(!best || strlen(r->name) > strlen(best->name)))
			best = r;
	}
	return best;
}

/* True if RULE declares that its state called NAME is a wait. */
static bool is_wait(const struct ana_rule *rule, const char *name)
{
	const char *value = name + strlen(rule->name) - strlen(ANA_STATE_PREFIX);

	return rule->waits != ANA_RULE_WORKS &&
		(!rule->waiting || g_pattern_match_simple(rule->waiting, *value ? value + 1 : ""));
}

/* True if a state of RULES waits for the thread in the state called NAME. */
static bool is_waited_for(const struct ana_rules *rules, const char *name)
{
	for (guint i = 0; i < rules->rules->len; i++) {
		const struct ana_rule *r = g_ptr_array_index(rules->rules, i);

		if (r->holder && ana_rules_state_is(name, r->holder))
			return true;
	}
	return false;
}

static const struct told *told_of(struct finding *f, uint64_t key)
{
	struct told *told = g_hash_table_lookup(f->names, &key);
	struct ana_mark_told text;

	if (told)
		return told;
	if (g_hash_table_size(f->names) >= NAMES_KEPT)
		g_hash_table_remove_all(f->names);
	told = g_new0(struct told, 1);
	text = ana_mark_split(qry_spans_text(f->spans, key));
	if (g_str_equal(text.source, ANA_STATE_SOURCE)) {
		told->rule = rule_of(f->declared, text.name);
		if (told->rule && !is_wait(told->rule, text.name))
			told->rule = NULL;
		told->holds = is_waited_for(f->declared, text.name);
	}
	if (told->rule || told->holds) {
		told->name = g_string_chunk_insert_const(f->spins->names, text.name);
		told->key = g_string_chunk_insert_const(f->spins->names, text.key);
	}
	ana_mark_told_clear(&text);
	g_hash_table_insert(f->names, g_memdup2(&key, sizeof key), told);
	return told;
}

static void add_stay(void *data, const struct idx_spans_found *found)
{
	struct finding *f = data;
	const struct mdl_span *span = &found->span;
	const struct told *told;

	if (span->fate != MDL_SPAN_DONE || span->row == MDL_NONE || span->start >= span->end)
		return;
	told = told_of(f, span->key);
	f->more |= (told->rule || told->holds) && f->stays->len + f->holders->len >= WAITS_MOST;
	if ((told->rule || told->holds) && !f->more) {
		struct stay stay = { told->rule, told->name, told->key, span->start, span->end, span->row };

		if (told->rule)
			g_array_append_val(f->stays, stay);
		if (told->holds)
			g_array_append_val(f->holders, stay);
	}
}

/* ---- rounds and holders ---- */

/* Texts are interned: equal texts have the same pointer. */
static int by_key(const struct stay *x, const struct stay *y, bool any_host, const struct qry *q)
{
	return BASE_ORDER((uintptr_t)x->key, (uintptr_t)y->key)
		?: any_host ? 0
			    : BASE_ORDER(qry_row(q, x->row)->host, qry_row(q, y->row)->host);
}

static int peers_first(const void *a, const void *b, void *q)
{
	const struct stay *x = a, *y = b;

	return BASE_ORDER((uintptr_t)x->name, (uintptr_t)y->name) ?: by_key(x, y, x->rule->across, q)
		?: BASE_BY(x, y, from) ?: BASE_BY(x, y, row);
}

static int holders_first(const void *a, const void *b)
{
	const struct stay *x = a, *y = b;

	return BASE_ORDER((uintptr_t)x->key, (uintptr_t)y->key) ?: BASE_BY(x, y, from) ?: BASE_BY(x, y, row);
}

static void add_spin(struct finding *f, const struct stay *stay, int64_t released, uint32_t by)
{
	struct qry_spin spin = { stay->from, stay->to, released, stay->row, by == stay->row ? MDL_NONE : by,
		stay->name, 0 };

	g_array_append_val(f->spins->all, spin);
}

/* Add the N waits from AT on as one barrier. */
static void add_round(struct finding *f, const struct stay *at, guint n)
{
	const struct stay *last = &at[n - 1];

	/* If only one waits, the peers are unknown. */
	for (guint i = 0; i < n; i++)
		add_spin(f, &at[i], n > 1 ? last->from : at->to, n > 1 ? last->row : MDL_NONE);
}

/* The holder of what STAY waits for; NULL: unknown. */
static const struct stay *holder_of(const struct finding *f, const struct stay *stay)
{
	guint low = 0, high = f->holders->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;
		const struct stay *at = &g_array_index(f->holders, struct stay, middle);

		if ((BASE_ORDER((uintptr_t)at->key, (uintptr_t)stay->key) ?: BASE_ORDER(at->from, stay->to)) <
			0)
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- > 0) {
		const struct stay *at = &g_array_index(f->holders, struct stay, low);

		if (at->key != stay->key || at->to <= stay->from)
			return NULL;
		if (at->row != stay->row && ana_rules_state_is(at->name, stay->rule->holder) &&
			(stay->rule->across ||
				qry_row(f->q, at->row)->host == qry_row(f->q, stay->row)->host))
			return at;
	}
	return NULL;
}

static void add_all(struct finding *f)
{
	guint n = f->stays->len;
	const struct stay *all;

	g_array_sort_with_data(f->stays, peers_first, f->q);
	all = (const struct stay *)(const void *)f->stays->data;
	g_array_sort(f->holders, holders_first);
	for (guint i = 0, next; i < n; i = next) {
		const struct stay *holder;
		int64_t over = all[i].to;

		next = i + 1;
		switch (all[i].rule->waits) {
		case ANA_RULE_FOR_PEERS:
			for (; next < n && all[next].name == all[i].name &&
				by_key(&all[next], &all[i], all[i].rule->across, f->q) == 0 &&
				all[next].from < over;
				next++)
				over = MIN(over, all[next].to);
			add_round(f, &all[i], next - i);
			break;
		case ANA_RULE_FOR_HOLDER:
			holder = holder_of(f, &all[i]);
			add_spin(f, &all[i], holder ? holder->to : all[i].to,
				holder ? holder->row : MDL_NONE);
			break;
		default: add_spin(f, &all[i], all[i].to, MDL_NONE);
		}
	}
}

/* ---- all of them ---- */

static bool waits(const struct ana_rules *rules)
{
	for (guint i = 0; rules && i < rules->rules->len; i++)
		if (((const struct ana_rule *)g_ptr_array_index(rules->rules, i))->waits != ANA_RULE_WORKS)
			return true;
	return false;
}

/* For qry_spins_maker(). */
static struct qry_spins *find_spins(struct qry *q)
{
	const struct qry_spans_filter filter = { INT64_MIN, INT64_MAX, MDL_NONE, false, NULL };
	struct qry_spans spans;
	struct finding f = { .q = q, .declared = qry_declared(q), .spans = &spans };
	GError *error = NULL;

	if (!ana_program_open(q, NULL, &spans, NULL, &error)) {
		qry_fail(q, error);
		return NULL;
	}
	f.spins = g_new(struct qry_spins, 1);
	*f.spins = (struct qry_spins){ g_array_new(FALSE, FALSE, sizeof(struct qry_spin)),
		g_string_chunk_new(4096) };
	f.names = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	f.stays = g_array_new(FALSE, FALSE, sizeof(struct stay));
	f.holders = g_array_new(FALSE, FALSE, sizeof(struct stay));
	qry_spans_each(q, &spans, &filter, add_stay, &f);
	if (f.more)
		qry_warn(q,
			"more than " G_STRINGIFY(
				WAITS_MOST) " states are waits: the others count as running; declare fewer, or cut the trace");
	add_all(&f);
	g_hash_table_unref(f.names);
	g_array_unref(f.stays);
	g_array_unref(f.holders);
	return f.spins;
}

void ana_program_declare(struct qry *q, const struct ana_rules *rules)
{
	qry_set_declared(q, rules);
	qry_set_spins_maker(q, waits(rules) ? find_spins : NULL);
	qry_set_works_maker(q, ana_program_works);
}

void ana_program_key(struct qry *q, GString *key)
{
	g_autofree char *meaning = waits(qry_declared(q)) ? ana_rules_all_mean(qry_declared(q), NULL) : NULL;

	if (meaning)
		g_string_append_printf(key, " %s", meaning);
}

bool ana_program_prepare(struct qry *q, struct base_progress *progress, GError **error)
{
	struct qry_spans spans;

	return !waits(qry_declared(q)) || ana_program_open(q, NULL, &spans, progress, error);
}
