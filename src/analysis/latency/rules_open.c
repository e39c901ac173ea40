/* SPDX-License-Identifier: MIT */
/*
 * All open intervals are in one list in the order of their start, from whose head those go that are too old
 * or too many; and in a list of those of their key, in the same order, which a hash finds.  Each step costs
 * the same however many are open.
 */
#include "analysis/latency/rules_open.h"

#define KEYS_MAX (1 << 28) /* bytes of all keys: a text of a trace may be long */

/* A key of which intervals are open. */
struct slot {
	GString *key;
	GQueue intervals; /* of struct entry, oldest first */
};

struct entry {
	struct ana_rules_interval interval;
	struct slot *slot; /* weak */
	GList all, same;   /* its links in both lists; their data is the entry */
};

struct ana_rules_open {
	const struct ana_rule *rule; /* weak */
	uint64_t max;
	ana_rules_settle *settle;
	void *data;
	GQueue all;        /* of struct entry, oldest first; owned */
	gsize bytes;       /* of all keys */
	GHashTable *slots; /* GString → struct slot, whose key it is; owned */
};

static void slot_free(void *data)
{
	struct slot *s = data;

	g_string_free(s->key, TRUE);
	g_free(s);
}

struct ana_rules_open *ana_rules_open_new(const struct ana_rule *rule, uint64_t max, ana_rules_settle *settle,
	void *data)
{
	struct ana_rules_open *o = g_new0(struct ana_rules_open, 1);

	o->rule = rule;
	o->max = max;
	o->settle = settle;
	o->data = data;
	o->slots = g_hash_table_new_full((GHashFunc)g_string_hash, (GEqualFunc)g_string_equal, NULL,
		slot_free);
	return o;
}

static void rules_open_end(struct ana_rules_open *o, struct entry *e, enum mdl_span_fate fate)
{
	struct slot *s = e->slot;

	o->settle(o->data, &e->interval, s->key->str, s->key->len, fate);
	g_queue_unlink(&o->all, &e->all);
	g_queue_unlink(&s->intervals, &e->same);
	g_free(e);
	if (!g_queue_is_empty(&s->intervals))
		return;
	o->bytes -= s->key->len;
	g_hash_table_remove(o->slots, s->key);
}

static struct entry *oldest(const struct ana_rules_open *o)
{
	return o->all.head ? o->all.head->data : NULL;
}

/* What is open for longer than it may be at NOW. */
static void expire(struct ana_rules_open *o, int64_t now)
{
	struct entry *e;

	while (o->rule->timeout > 0 && (e = oldest(o)) && now - e->interval.start > o->rule->timeout)
		rules_open_end(o, e, MDL_SPAN_TIMED_OUT);
}

void ana_rules_open_finish(struct ana_rules_open *o, int64_t time)
{
	expire(o, time);
	while (oldest(o))
		rules_open_end(o, oldest(o), MDL_SPAN_OPEN);
}

void ana_rules_open_free(struct ana_rules_open *o)
{
	if (!o)
		return;
	while (!g_queue_is_empty(&o->all))
		g_free(g_queue_pop_head_link(&o->all)->data);
	g_hash_table_unref(o->slots);
	g_free(o);
}

static struct slot *rules_open_slot_of(struct ana_rules_open *o, const GString *key)
{
	struct slot *s = g_hash_table_lookup(o->slots, key);

	if (s)
		return s;
	s = g_new0(struct slot, 1);
	s->key = g_string_new_len(key->str, (gssize)key->len);
	o->bytes += key->len;
	g_hash_table_insert(o->slots, s->key, s);
	return s;
}

void ana_rules_open_enter(struct ana_rules_open *o, const GString *key, const struct ana_rules_interval *i)
{
	bool one = o->rule->open == ANA_RULE_NEWEST || o->rule->open == ANA_RULE_OLDEST;
	struct slot *s;
	struct entry *e;

	expire(o, i->start);
	s = g_hash_table_lookup(o->slots, key);
	if (s && o->rule->open == ANA_RULE_OLDEST) {
		o->settle(o->data, i, key->str, key->len, MDL_SPAN_REPEATED);
		return;
	}
	if (s && one)
		rules_open_end(o, s->intervals.head->data, MDL_SPAN_REPEATED);
	while (oldest(o) && (o->all.length >= o->max || o->bytes + key->len > KEYS_MAX))
		rules_open_end(o, oldest(o), MDL_SPAN_GIVEN_UP);
	e = g_new0(struct entry, 1);
	e->interval = *i;
	e->slot = rules_open_slot_of(o, key);
	e->all.data = e->same.data = e;
	g_queue_push_tail_link(&o->all, &e->all);
	g_queue_push_tail_link(&e->slot->intervals, &e->same);
}

bool ana_rules_open_exit(struct ana_rules_open *o, const GString *key, int64_t time)
{
	const struct slot *s;
	GList *link, *next;

	expire(o, time);
	s = g_hash_table_lookup(o->slots, key);
	if (!s)
		return false;
	/* The slot goes with the last of its intervals. */
	for (link = o->rule->open == ANA_RULE_STACK ? s->intervals.tail : s->intervals.head; link;
		link = next) {
		next = o->rule->open == ANA_RULE_ALL ? link->next : NULL;
		rules_open_end(o, link->data, MDL_SPAN_DONE);
	}
	return true;
}
