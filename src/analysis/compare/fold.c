/* SPDX-License-Identifier: MIT */
/*
 * How it works: paths are aligned not by time or position, but by what each segment is, as TraceCompare (F.
 * Doray and M. Dagenais, "Diagnosing performance variations by comparing multi-level execution traces", IEEE
 * TPDS 28(2), 2017) does with call stacks, and CRISP (Z. Zhang et al., "CRISP: Critical path analysis of
 * large-scale microservice architectures", USENIX ATC 2022) with calling contexts on critical paths.  A
 * segment belongs to the chain of threads that waited for each other there, the owner of the interval first.
 * A path is walked backwards from its end, so that a waiting thread is known before the thread that it waits
 * for.
 *
 * Every segment has exactly one step, so the steps of a path sum to its length.  A thread that waits for
 * itself through others (A for B for A) is one actor: loops and recursion fold.
 */
#include "analysis/compare/fold.h"

#include "analysis/kind/kind.h"

#include <string.h>

#define DEEPEST 32 /* actors on behalf of each other; deeper ones are folded into the last */

/* The key of an actor, a step or a place.  No padding: it is hashed as bytes. */
struct key {
	const void *host, *name; /* HOST: for a step, WHAT */
	uint32_t above;          /* for a step and a place: the actor */
	uint16_t type;           /* for a step and a place: the kind */
	uint16_t of;             /* 0 actor, 1 step, 2 place */
};

static guint key_hash(gconstpointer data)
{
	const struct key *k = data;
	uint64_t h = (uint64_t)(uintptr_t)k->host * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)k->name;

	h = (h ^ (uint64_t)k->above << 32 ^ (uint64_t)k->type << 8 ^ k->of) * 0xff51afd7ed558ccdu;
	return (guint)(h >> 32);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
	return memcmp(a, b, sizeof(struct key)) == 0;
}

struct ana_fold *ana_fold_new(bool several)
{
	struct ana_fold *f = g_new0(struct ana_fold, 1);

	g_mutex_init(&f->lock);
	f->actors = g_array_new(FALSE, FALSE, sizeof(struct ana_fold_actor));
	f->steps = g_array_new(FALSE, FALSE, sizeof(struct ana_fold_step));
	f->places = g_array_new(FALSE, FALSE, sizeof(struct ana_fold_place));
	f->ids = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
	f->texts = g_string_chunk_new(1024);
	f->several = several;
	return f;
}

void ana_fold_free(struct ana_fold *f)
{
	if (!f)
		return;
	g_array_unref(f->actors);
	g_array_unref(f->steps);
	g_array_unref(f->places);
	g_hash_table_unref(f->ids);
	g_string_chunk_free(f->texts);
	g_mutex_clear(&f->lock);
	g_free(f);
}

/* ---- tables; hold the lock ---- */

static uint32_t fold_add(struct ana_fold *f, const struct key *key, GArray *to, const void *what)
{
	gpointer found;

	if (g_hash_table_lookup_extended(f->ids, key, NULL, &found))
		return GPOINTER_TO_UINT(found);
	g_hash_table_insert(f->ids, g_memdup2(key, sizeof *key), GUINT_TO_POINTER(to->len));
	g_array_append_vals(to, what, 1);
	return to->len - 1;
}

/* The actor above that equals A; MDL_NONE: none.  *DEPTH: number of actors passed on the way. */
static uint32_t find_above(const struct ana_fold *f, const struct ana_fold_actor *a, unsigned *depth)
{
	uint32_t up = a->above;

	for (*depth = 0; up != MDL_NONE; ++*depth) {
		const struct ana_fold_actor *other = &g_array_index(f->actors, struct ana_fold_actor, up);

		if (other->type == a->type && other->host == a->host && other->name == a->name)
			return up;
		up = other->above;
	}
	return MDL_NONE;
}

static uint32_t add_actor(struct ana_fold *f, struct ana_fold_actor a)
{
	unsigned depth;
	uint32_t same = find_above(f, &a, &depth);
	struct key key = { a.host, a.name, a.above, (uint16_t)a.type, 0 };

	if (same != MDL_NONE)
		return same;
	if (depth >= DEEPEST)
		return a.above;
	return fold_add(f, &key, f->actors, &a);
}

/* True if a segment of KIND, whose leaf is no thread, is part of the structure.  Delays are not. */
static bool is_wait(enum ana_segment_kind kind, bool crossed)
{
	switch (kind) {
	case ANA_SEG_BLOCK:
	case ANA_SEG_FLUSH:
	case ANA_SEG_TIMER:
	case ANA_SEG_USER_INPUT:
	case ANA_SEG_BLOCKED: return true;
	case ANA_SEG_NETWORK: return !crossed;
	default: return false;
	}
}

/* CROSSED: a packet came from another host that was recorded, too. */
static uint32_t add_step(struct ana_fold *f, uint32_t actor, enum ana_segment_kind kind, const char *what,
	bool crossed)
{
	bool wait = is_wait(kind, crossed);
	const struct ana_fold_actor *a = &g_array_index(f->actors, struct ana_fold_actor, actor);
	/* The thread at ACTOR or above it. */
	uint32_t thread = a->type == ANA_ACTOR_THREAD || a->above == MDL_NONE ? actor : a->above;
	struct ana_fold_place place = { wait ? actor : thread, wait ? kind : ANA_SEG_RUNNING };
	struct key place_key = { NULL, NULL, place.actor, (uint16_t)place.kind, 2 };
	struct ana_fold_step step = { actor, kind, what, fold_add(f, &place_key, f->places, &place) };
	/* A packet from a recorded host and one from another host are two steps. */
	struct key key = { crossed ? f : NULL, what, actor, (uint16_t)kind, 1 };

	return fold_add(f, &key, f->steps, &step);
}

/* ---- folders ---- */

struct ana_folder {
	struct ana_fold *fold;  /* weak */
	const struct qry *q;    /* weak */
	uint32_t own;           /* host of the interval, called "*"; MDL_NONE: all hosts are named */
	GHashTable *threads[2]; /* above and row → actor: of hosts with a name, and of "*" */
	GHashTable *steps;      /* struct key as of a step → step */
	GHashTable *calls;      /* host and number of a call → its name, interned */
	GArray *above;          /* of uint32_t: the waiting actor at each depth */
	GArray *leaves;         /* of struct leaf: actors of the path that are no threads */
};

/* Actor number ACTOR of the path, on behalf of ABOVE. */
struct leaf {
	uint32_t actor, above, id;
};

struct ana_folder *ana_folder_new(struct ana_fold *fold, const struct qry *q)
{
	struct ana_folder *r = g_new0(struct ana_folder, 1);

	r->fold = fold;
	r->q = q;
	r->own = MDL_NONE;
	for (unsigned i = 0; i < 2; i++)
		r->threads[i] = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	r->steps = g_hash_table_new_full(key_hash, key_equal, g_free, NULL);
	r->calls = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	r->above = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	r->leaves = g_array_new(FALSE, FALSE, sizeof(struct leaf));
	return r;
}

void ana_folder_free(struct ana_folder *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < 2; i++)
		g_hash_table_unref(r->threads[i]);
	g_hash_table_unref(r->steps);
	g_hash_table_unref(r->calls);
	g_array_unref(r->above);
	g_array_unref(r->leaves);
	g_free(r);
}

/* Another boot has other IRQ numbers: "IRQ 30 eth0" becomes "IRQ eth0". */
static char *line_name(const char *name)
{
	static const char irq[] = "IRQ ";
	const char *rest;

	if (!g_str_has_prefix(name, irq))
		return g_strdup(name);
	rest = name + strlen(irq);
	rest += strspn(rest, "0123456789");
	return *rest == ' ' && rest[1] ? g_strconcat(irq, rest + 1, NULL) : g_strdup(name);
}

static uint32_t intern_actor(struct ana_folder *r, uint32_t above, enum ana_actor_type type, uint32_t host,
	const char *name)
{
	struct ana_fold *f = r->fold;
	g_autofree char *folded = type == ANA_ACTOR_THREAD ? ana_group_name(name) : line_name(name);
	struct ana_fold_actor a = { .above = above, .type = type };
	uint32_t id;

	g_mutex_lock(&f->lock);
	a.host = f->several && host < qry_host_count(r->q)
		? g_string_chunk_insert_const(f->texts, host == r->own ? "*" : qry_host(r->q, host)->name)
		: NULL;
	a.name = g_string_chunk_insert_const(f->texts, folded);
	id = add_actor(f, a);
	g_mutex_unlock(&f->lock);
	return id;
}

static uint32_t thread_at(struct ana_folder *r, uint32_t above, uint32_t row)
{
	const struct qry_row *thread = qry_row(r->q, row);
	int64_t key = (int64_t)((uint64_t)above << 32 | row);
	GHashTable *known = r->threads[thread->host == r->own];
	gpointer found;
	uint32_t id;

	if (g_hash_table_lookup_extended(known, &key, NULL, &found))
		return GPOINTER_TO_UINT(found);
	id = intern_actor(r, above, ANA_ACTOR_THREAD, thread->host, thread->name);
	g_hash_table_insert(known, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(id));
	return id;
}

/* The folded actor of actor number ACTOR of PATH, which is no thread. */
static uint32_t leaf_at(struct ana_folder *r, const struct ana_path *path, uint32_t actor, uint32_t above)
{
	const struct ana_actor *a = ana_path_actor(path, actor);
	struct leaf next = { .actor = actor, .above = above };

	for (guint i = r->leaves->len; i-- > 0;) {
		const struct leaf *l = &g_array_index(r->leaves, struct leaf, i);

		if (l->actor == actor && l->above == above)
			return l->id;
	}
	next.id = intern_actor(r, above, a->type, a->host, a->name);
	g_array_append_val(r->leaves, next);
	return next.id;
}

/* WHAT is interned. */
static uint32_t step_at(struct ana_folder *r, uint32_t actor, enum ana_segment_kind kind, const char *what,
	bool crossed)
{
	struct ana_fold *f = r->fold;
	struct key key = { crossed ? f : NULL, what, actor, (uint16_t)kind, 1 };
	gpointer found;
	uint32_t id;

	if (g_hash_table_lookup_extended(r->steps, &key, NULL, &found))
		return GPOINTER_TO_UINT(found);
	g_mutex_lock(&f->lock);
	id = add_step(f, actor, kind, what, crossed);
	g_mutex_unlock(&f->lock);
	g_hash_table_insert(r->steps, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(id));
	return id;
}

/* The system call in which segment S ran, interned; NULL: unknown. */
static const char *call_of(struct ana_folder *r, const struct ana_segment *s)
{
	const struct qry_row *row;
	const char *call;
	int64_t key;

	if (s->kind != ANA_SEG_SYSCALL || s->detail.kind != ANA_DETAIL_STATE ||
		s->detail.state != MDL_ST_SYSCALL)
		return NULL;
	row = qry_row(r->q, s->detail.row);
	key = (int64_t)((uint64_t)row->host << 32 | s->detail.value);
	call = g_hash_table_lookup(r->calls, &key);
	if (!call) {
		call = g_intern_string(qry_string(r->q, row->host, s->detail.value));
		g_hash_table_insert(r->calls, g_memdup2(&key, sizeof key), (char *)(uintptr_t)call);
	}
	return call;
}

static uint32_t fold_step_of(struct ana_folder *r, const struct ana_path *path, const struct ana_segment *s)
{
	const struct ana_actor *who = ana_path_actor(path, s->actor);
	uint32_t depth = MIN(s->depth, DEEPEST);
	uint32_t above = depth == 0 || r->above->len == 0
		? MDL_NONE
		: g_array_index(r->above, uint32_t, MIN(depth, r->above->len) - 1);
	uint32_t thread = thread_at(r, above, s->row), leaf = thread;
	const char *call = call_of(r, s);

	if (who->row != s->row)
		leaf = who->row == MDL_NONE ? leaf_at(r, path, s->actor, thread)
					    : thread_at(r, thread, who->row);
	if (r->above->len > depth)
		g_array_set_size(r->above, depth);
	g_array_append_val(r->above, thread);
	return step_at(r, leaf, s->kind, call, s->crossing.crossed);
}

static void set_own(struct ana_folder *r, uint32_t subject)
{
	r->own = r->fold->own_host ? qry_row(r->q, subject)->host : MDL_NONE;
}

void ana_folder_steps(struct ana_folder *r, const struct ana_path *path, uint32_t *steps)
{
	set_own(r, path->subject);
	g_array_set_size(r->above, 0);
	g_array_set_size(r->leaves, 0);
	for (guint i = path->segments->len; i-- > 0;)
		steps[i] = fold_step_of(r, path, ana_path_segment(path, i));
}

uint32_t ana_folder_unknown(struct ana_folder *r, uint32_t row)
{
	set_own(r, row);
	return step_at(r, thread_at(r, MDL_NONE, row), ANA_SEG_UNKNOWN, NULL, false);
}

/* ---- text ---- */

char *ana_fold_actor_text(const struct ana_fold *fold, uint32_t actor)
{
	const struct ana_fold_actor *a = &g_array_index(fold->actors, struct ana_fold_actor, actor);
	const char *name = *a->name ? a->name : "unknown";

	return a->host ? g_strdup_printf("%s/%s", a->host, name) : g_strdup(name);
}

char *ana_fold_doing(const struct ana_fold_step *step)
{
	const char *kind = ana_segment_kind_name(step->kind);

	return step->what ? g_strdup_printf("%s %s", kind, step->what) : g_strdup(kind);
}

char *ana_fold_step_text(const struct ana_fold *fold, uint32_t step)
{
	const struct ana_fold_step *s = &g_array_index(fold->steps, struct ana_fold_step, step);
	g_autofree char *doing = ana_fold_doing(s);
	GString *text = g_string_new(NULL);

	for (uint32_t at = s->actor; at != MDL_NONE;
		at = g_array_index(fold->actors, struct ana_fold_actor, at).above) {
		g_autofree char *name = ana_fold_actor_text(fold, at);

		g_string_prepend(text, text->len > 0 ? " > " : "");
		g_string_prepend(text, name);
	}
	g_string_append_printf(text, " %s", doing);
	return g_string_free(text, FALSE);
}
