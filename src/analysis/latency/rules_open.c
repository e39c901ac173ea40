/* SPDX-License-Identifier: MIT */
/*
 * How it works: the open intervals of a key are in a list in order of start, and a hash table finds the key.
 * Once the oldest interval of all is needed, all intervals are in a list, too; those that are too old or too
 * many leave it at the head.  Each step costs the same however many are open.  Most keys have one interval at
 * a time, which is stored in the key's slot. Most keys also come again, so some keys without an open interval
 * are remembered.
 */
#include "analysis/latency/rules_open.h"

#include "base/base_search.h"

#include <string.h>

#define KEYS_MAX (1 << 28) /* bytes of all keys: a text of a trace may be long */
#define IDLE_MAX 4096      /* keys that are remembered, … */
#define IDLE_SHARE 8       /* … and at most one for this many keys that have an interval … */
#define IDLE_KEY 128       /* … each of at most this many bytes */
#define PLACES 1024        /* at first; a power of two */

/* ---- keys ---- */

uint64_t ana_rules_hash(const uint64_t *words, gsize n)
{
	uint64_t hash = n;

	for (gsize i = 0; i < n; i++)
		hash = (hash ^ words[i] ^ hash >> 32) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static bool is_of(const struct ana_rules_slot *s, const struct ana_rules_key *key)
{
	if (s->key.hash != key->hash || s->key.n != key->n)
		return false;
	for (gsize i = 0; i < key->n; i++)
		if (s->key.words[i] != key->words[i])
			return false;
	return true;
}

static struct ana_rules_slot *slot_of(const struct ana_rules_open *o, const struct ana_rules_key *key)
{
	struct ana_rules_slot *s = o->slots[key->hash & (o->places - 1)];

	while (s && !is_of(s, key))
		s = s->next;
	return s;
}

static gsize bytes_of(const struct ana_rules_slot *s)
{
	return s->key.n * sizeof *s->key.words;
}

static void slot_put(struct ana_rules_open *o, struct ana_rules_slot *s)
{
	struct ana_rules_slot **place = &o->slots[s->key.hash & (o->places - 1)];

	s->next = *place;
	*place = s;
}

/* Rehash all slots into PLACES places. */
static void spread(struct ana_rules_open *o, gsize places)
{
	g_autofree struct ana_rules_slot **old = o->slots;
	gsize n = o->places;

	o->places = places;
	o->slots = g_new0(struct ana_rules_slot *, o->places);
	for (gsize i = 0; i < n; i++)
		for (struct ana_rules_slot *s = old[i], *next; s; s = next) {
			next = s->next;
			slot_put(o, s);
		}
}

static void slot_free(struct ana_rules_slot *s)
{
	for (struct ana_rules_entry *e = s->oldest, *next; e; e = next) {
		next = e->newer;
		if (e != &s->own)
			g_free(e);
	}
	g_free(s);
}

/* Forget the keys without an interval. */
static void forget_idle(struct ana_rules_open *o)
{
	for (gsize i = 0; i < o->places; i++)
		for (struct ana_rules_slot **place = &o->slots[i], *s; (s = *place);) {
			if (s->oldest) {
				place = &s->next;
				continue;
			}
			*place = s->next;
			slot_free(s);
			o->n_slots--;
		}
	o->n_idle = 0;
}

static struct ana_rules_slot *slot_new(struct ana_rules_open *o, const struct ana_rules_key *key)
{
	gsize size = key->n * sizeof *key->words;
	struct ana_rules_slot *s = g_malloc0(sizeof *s + (key->n > ANA_RULES_SHORT ? size : 0));
	uint64_t *words = key->n > ANA_RULES_SHORT ? (uint64_t *)(s + 1) : s->words;

	memcpy(words, key->words, size);
	s->key = (struct ana_rules_key){ words, key->n, key->hash };
	s->text = ANA_RULES_NO_TEXT;
	if (o->n_idle > IDLE_MAX + o->n / IDLE_SHARE)
		forget_idle(o);
	if (++o->n_slots > o->places)
		spread(o, 2 * o->places);
	slot_put(o, s);
	o->n_idle++;
	return s;
}

/* S has no interval any more.  Free it if its key is long. */
static void slot_rest(struct ana_rules_open *o, struct ana_rules_slot *s)
{
	struct ana_rules_slot **place = &o->slots[s->key.hash & (o->places - 1)];

	o->bytes -= bytes_of(s);
	if (bytes_of(s) <= IDLE_KEY) {
		o->n_idle++;
		return;
	}
	while (*place != s)
		place = &(*place)->next;
	*place = s->next;
	o->n_slots--;
	slot_free(s);
}

/* ---- all intervals ---- */

static void list_put(struct ana_rules_open *o, struct ana_rules_entry *e)
{
	e->before = o->newest;
	e->next = NULL;
	*(o->newest ? &o->newest->next : &o->oldest) = e;
	o->newest = e;
}

static void list_take(struct ana_rules_open *o, struct ana_rules_entry *e)
{
	*(e->before ? &e->before->next : &o->oldest) = e->next;
	*(e->next ? &e->next->before : &o->newest) = e->before;
}

static int by_number(const void *a, const void *b)
{
	const struct ana_rules_entry *const *x = a, *const *y = b;

	return BASE_BY(*x, *y, number);
}

/* Put all intervals in a list, and keep doing so. */
static void list_all(struct ana_rules_open *o)
{
	struct ana_rules_entry **all;
	gsize n = 0;

	if (o->listed)
		return;
	o->listed = true;
	all = g_new(struct ana_rules_entry *, o->n);
	for (gsize i = 0; i < o->places; i++)
		for (struct ana_rules_slot *s = o->slots[i]; s; s = s->next)
			for (struct ana_rules_entry *e = s->oldest; e; e = e->newer)
				all[n++] = e;
	if (n > 0)
		qsort(all, n, sizeof(struct ana_rules_entry *), by_number);
	for (gsize i = 0; i < n; i++)
		list_put(o, all[i]);
	g_free(all);
}

/* ---- intervals ---- */

static void entry_add(struct ana_rules_open *o, struct ana_rules_slot *s, const struct ana_rules_interval *i)
{
	struct ana_rules_entry *e = s->own.slot ? o->spare : &s->own;

	if (!e)
		e = g_new(struct ana_rules_entry, 1);
	else if (e == o->spare)
		o->spare = e->next;
	if (!s->oldest) {
		o->n_idle--;
		o->bytes += bytes_of(s);
	}
	*e = (struct ana_rules_entry){ *i, o->entries++, s, s->newest, NULL, NULL, NULL };
	*(s->newest ? &s->newest->newer : &s->oldest) = e;
	s->newest = e;
	o->n++;
	if (o->listed)
		list_put(o, e);
}

/* End E, the oldest or the newest of its key, with FATE. */
static void end(struct ana_rules_open *o, struct ana_rules_entry *e, enum mdl_span_fate fate)
{
	struct ana_rules_slot *s = e->slot;

	g_assert(s);
	o->settle(o->data, &e->interval, s, fate);
	if (o->listed)
		list_take(o, e);
	*(e->older ? &e->older->newer : &s->oldest) = e->newer;
	*(e->newer ? &e->newer->older : &s->newest) = e->older;
	e->slot = NULL;
	if (e != &s->own) {
		e->next = o->spare;
		o->spare = e;
	}
	o->n--;
	if (!s->oldest)
		slot_rest(o, s);
}

/* End the intervals that at NOW are open for longer than the time-out. */
static void expire(struct ana_rules_open *o, int64_t now)
{
	while (o->rule->timeout > 0 && o->oldest && now - o->oldest->interval.start > o->rule->timeout)
		end(o, o->oldest, MDL_SPAN_TIMED_OUT);
}

/* Make room for one more interval, of KEY. */
static void make_room(struct ana_rules_open *o, const struct ana_rules_key *key)
{
	list_all(o);
	while (o->oldest && (o->n >= o->most || o->bytes + key->n * sizeof *key->words > KEYS_MAX))
		end(o, o->oldest, MDL_SPAN_GIVEN_UP);
}

void ana_rules_open_enter(struct ana_rules_open *o, const struct ana_rules_key *key,
	const struct ana_rules_interval *i)
{
	bool next = o->rule->open == ANA_RULE_NEXT;
	struct ana_rules_slot *s;

	expire(o, i->start);
	s = slot_of(o, key);
	if (s && s->oldest && o->rule->open == ANA_RULE_OLDEST) {
		o->settle(o->data, i, s, MDL_SPAN_REPEATED);
		return;
	}
	if (s && s->oldest && (next || o->rule->open == ANA_RULE_NEWEST)) {
		end(o, s->oldest, next ? MDL_SPAN_DONE : MDL_SPAN_REPEATED);
		/* A slot with a long key was freed with its last interval. */
		s = slot_of(o, key);
	}
	if (o->n >= o->most || o->bytes + key->n * sizeof *key->words > KEYS_MAX) {
		make_room(o, key);
		s = slot_of(o, key);
	}
	entry_add(o, s ? s : slot_new(o, key), i);
}

bool ana_rules_open_exit(struct ana_rules_open *o, const struct ana_rules_key *key, int64_t time)
{
	struct ana_rules_entry *e, *next;
	struct ana_rules_slot *s;

	expire(o, time);
	s = slot_of(o, key);
	if (!s || !s->oldest)
		return false;
	/* The slot may be freed with the last of its intervals. */
	for (e = o->rule->open == ANA_RULE_STACK ? s->newest : s->oldest; e; e = next) {
		next = o->rule->open == ANA_RULE_ALL ? e->newer : NULL;
		end(o, e, MDL_SPAN_DONE);
	}
	return true;
}

void ana_rules_open_finish(struct ana_rules_open *o, int64_t now)
{
	expire(o, now);
	list_all(o);
	while (o->oldest)
		end(o, o->oldest, MDL_SPAN_OPEN);
}

/* ---- life ---- */

void ana_rules_open_init(struct ana_rules_open *o)
{
	o->listed = o->rule->timeout > 0;
	o->places = PLACES;
	o->slots = g_new0(struct ana_rules_slot *, o->places);
}

void ana_rules_open_clear(struct ana_rules_open *o)
{
	for (gsize i = 0; i < o->places; i++)
		for (struct ana_rules_slot *s = o->slots[i], *next; s; s = next) {
			next = s->next;
			slot_free(s);
		}
	for (struct ana_rules_entry *e = o->spare, *next; e; e = next) {
		next = e->next;
		g_free(e);
	}
	g_free(o->slots);
}
