/* SPDX-License-Identifier: MIT */
/*
 * All open intervals are in one list in the order of their start, from whose head those go that are too old
 * or too many; and in a list of those of their key, in the same order, which a table of keys finds.  Each step
 * costs the same however many are open.  Keys come again: some that have none open are remembered.
 */
#include "analysis/latency/rules_open.h"

#include <string.h>

#define KEYS_MAX (1 << 28) /* bytes of all keys: a text of a trace may be long */
#define IDLE_MAX 4096      /* keys that are remembered, */
#define IDLE_KEY 128       /* each of at most so many bytes */
#define PLACES 1024        /* at first; a power of two */

struct entry {
	struct ana_rules_interval interval;
	struct ana_rules_slot *slot; /* weak */
	GList all, same;             /* its links in both lists; their data is the entry */
};

/* ---- keys ---- */

/* A key that is sought. */
struct sought {
	const uint64_t *key;
	gsize words;
	uint64_t hash;
};

static struct sought sought_of(const GString *key)
{
	struct sought k = { (const uint64_t *)(const void *)key->str, key->len / sizeof(uint64_t), key->len };

	for (gsize i = 0; i < k.words; i++)
		k.hash = (k.hash ^ k.key[i] ^ k.hash >> 32) * 0x9e3779b97f4a7c15u;
	k.hash ^= k.hash >> 32;
	return k;
}

static bool is_of(const struct ana_rules_slot *s, const struct sought *k)
{
	if (s->hash != k->hash || s->words != k->words)
		return false;
	for (gsize i = 0; i < k->words; i++)
		if (s->key[i] != k->key[i])
			return false;
	return true;
}

static struct ana_rules_slot *slot_of(const struct ana_rules_open *o, const struct sought *k)
{
	struct ana_rules_slot *s = o->slots[k->hash & (o->places - 1)];

	while (s && !is_of(s, k))
		s = s->next;
	return s;
}

static gsize bytes_of(const struct ana_rules_slot *s)
{
	return s->words * sizeof *s->key;
}

static void slot_put(struct ana_rules_open *o, struct ana_rules_slot *s)
{
	struct ana_rules_slot **place = &o->slots[s->hash & (o->places - 1)];

	s->next = *place;
	*place = s;
}

static void grow(struct ana_rules_open *o)
{
	g_autofree struct ana_rules_slot **old = o->slots;
	gsize n = o->places;

	o->places *= 2;
	o->slots = g_new0(struct ana_rules_slot *, o->places);
	for (gsize i = 0; i < n; i++)
		for (struct ana_rules_slot *s = old[i], *next; s; s = next) {
			next = s->next;
			slot_put(o, s);
		}
}

static struct ana_rules_slot *slot_new(struct ana_rules_open *o, const struct sought *k)
{
	struct ana_rules_slot *s = g_malloc0(sizeof *s + k->words * sizeof *k->key);

	memcpy(s->key, k->key, k->words * sizeof *k->key);
	s->words = k->words;
	s->hash = k->hash;
	s->text = ANA_RULES_NO_TEXT;
	s->idle.data = s;
	if (++o->n_slots > o->places)
		grow(o);
	slot_put(o, s);
	g_queue_push_tail_link(&o->idle, &s->idle);
	return s;
}

static void slot_free(struct ana_rules_open *o, struct ana_rules_slot *s)
{
	struct ana_rules_slot **place = &o->slots[s->hash & (o->places - 1)];

	while (*place != s)
		place = &(*place)->next;
	*place = s->next;
	o->n_slots--;
	g_free(s);
}

/* S has no interval any more.  It goes if it is long, else the one that has had none for longest may. */
static void slot_rest(struct ana_rules_open *o, struct ana_rules_slot *s)
{
	struct ana_rules_slot *old = s;

	o->bytes -= bytes_of(s);
	if (bytes_of(s) <= IDLE_KEY) {
		g_queue_push_tail_link(&o->idle, &s->idle);
		if (o->idle.length <= IDLE_MAX)
			return;
		old = o->idle.head->data;
		g_queue_unlink(&o->idle, &old->idle);
	}
	slot_free(o, old);
}

/* ---- intervals ---- */

static struct entry *entry_new(struct ana_rules_open *o)
{
	struct entry *e = o->spare ? o->spare->data : NULL;

	if (!e)
		return g_new0(struct entry, 1);
	o->spare = o->spare->next;
	*e = (struct entry){ 0 };
	return e;
}

static void end(struct ana_rules_open *o, struct entry *e, enum mdl_span_fate fate)
{
	struct ana_rules_slot *s = e->slot;

	o->settle(o->data, &e->interval, s, fate);
	g_queue_unlink(&o->all, &e->all);
	g_queue_unlink(&s->intervals, &e->same);
	e->all.next = o->spare;
	o->spare = &e->all;
	if (g_queue_is_empty(&s->intervals))
		slot_rest(o, s);
}

static struct entry *oldest(const struct ana_rules_open *o)
{
	return o->all.head ? o->all.head->data : NULL;
}

/* End the intervals that are open for longer than the time-out at NOW. */
static void expire(struct ana_rules_open *o, int64_t now)
{
	struct entry *e;

	while (o->rule->timeout > 0 && (e = oldest(o)) && now - e->interval.start > o->rule->timeout)
		end(o, e, MDL_SPAN_TIMED_OUT);
}

void ana_rules_open_enter(struct ana_rules_open *o, const GString *key, const struct ana_rules_interval *i)
{
	bool next = o->rule->open == ANA_RULE_NEXT,
	     one = next || o->rule->open == ANA_RULE_NEWEST || o->rule->open == ANA_RULE_OLDEST,
	     ended = false;
	struct sought k = sought_of(key);
	struct ana_rules_slot *s;
	struct entry *e;

	expire(o, i->start);
	s = slot_of(o, &k);
	if (s && !g_queue_is_empty(&s->intervals) && o->rule->open == ANA_RULE_OLDEST) {
		o->settle(o->data, i, s, MDL_SPAN_REPEATED);
		return;
	}
	if (s && !g_queue_is_empty(&s->intervals) && one) {
		end(o, s->intervals.head->data, next ? MDL_SPAN_DONE : MDL_SPAN_REPEATED);
		ended = true;
	}
	while (oldest(o) && (o->all.length >= o->most || o->bytes + key->len > KEYS_MAX)) {
		end(o, oldest(o), MDL_SPAN_GIVEN_UP);
		ended = true;
	}
	/* A key that has none may have been forgotten with what ended. */
	if (s && ended)
		s = slot_of(o, &k);
	if (!s)
		s = slot_new(o, &k);
	if (g_queue_is_empty(&s->intervals)) {
		g_queue_unlink(&o->idle, &s->idle);
		o->bytes += bytes_of(s);
	}
	e = entry_new(o);
	e->interval = *i;
	e->slot = s;
	e->all.data = e->same.data = e;
	g_queue_push_tail_link(&o->all, &e->all);
	g_queue_push_tail_link(&s->intervals, &e->same);
}

bool ana_rules_open_exit(struct ana_rules_open *o, const GString *key, int64_t time)
{
	struct sought k = sought_of(key);
	struct ana_rules_slot *s;
	GList *link, *next;

	expire(o, time);
	s = slot_of(o, &k);
	if (!s || g_queue_is_empty(&s->intervals))
		return false;
	/* The slot may go with the last of its intervals. */
	for (link = o->rule->open == ANA_RULE_STACK ? s->intervals.tail : s->intervals.head; link;
		link = next) {
		next = o->rule->open == ANA_RULE_ALL ? link->next : NULL;
		end(o, link->data, MDL_SPAN_DONE);
	}
	return true;
}

void ana_rules_open_finish(struct ana_rules_open *o, int64_t now)
{
	expire(o, now);
	while (oldest(o))
		end(o, oldest(o), MDL_SPAN_OPEN);
}

/* ---- life ---- */

void ana_rules_open_init(struct ana_rules_open *o)
{
	o->places = PLACES;
	o->slots = g_new0(struct ana_rules_slot *, o->places);
}

void ana_rules_open_clear(struct ana_rules_open *o)
{
	while (!g_queue_is_empty(&o->all))
		g_free(g_queue_pop_head_link(&o->all)->data);
	while (o->spare)
		g_free(entry_new(o));
	for (gsize i = 0; i < o->places; i++)
		for (struct ana_rules_slot *s = o->slots[i], *next; s; s = next) {
			next = s->next;
			g_free(s);
		}
	g_free(o->slots);
}
