/* SPDX-License-Identifier: MIT */
/* Intervals by a field of an event: what the first event of that name has that their thread met in them. */
#include "analysis/compare/set.h"

#include "analysis/latency/rules_match.h"
#include "base/base_error.h"

#include <string.h>

struct looking {
	struct ana_set *set;
	struct ana_rules_facts facts;
	struct ana_rule_side side; /* the event, and the field as its key */
	GHashTable *rows;          /* row → GArray of uint32_t: its intervals, by their begin */
	GHashTable *keys;          /* text, weak → index */
	GString *key;
};

static void index_rows(struct looking *l)
{
	for (uint32_t i = 0; i < l->set->intervals->len; i++) {
		struct ana_set_interval *v = &g_array_index(l->set->intervals, struct ana_set_interval, i);
		GArray *of = g_hash_table_lookup(l->rows, GUINT_TO_POINTER(v->row));

		if (!of) {
			of = g_array_new(FALSE, FALSE, sizeof(uint32_t));
			g_hash_table_insert(l->rows, GUINT_TO_POINTER(v->row), of);
		}
		v->key = 0;
		g_array_append_val(of, i);
	}
}

static uint32_t set_field_key_of(struct looking *l)
{
	g_autofree char *text = ana_rules_key_text(l->key->str, l->key->len);
	gpointer found;

	if (!text)
		return 0;
	if (g_hash_table_lookup_extended(l->keys, text, NULL, &found))
		return GPOINTER_TO_UINT(found);
	g_ptr_array_add(l->set->keys, text);
	found = GUINT_TO_POINTER(l->set->keys->len - 1);
	g_hash_table_insert(l->keys, g_steal_pointer(&text), found);
	return GPOINTER_TO_UINT(found);
}

/* Intervals of one thread that are not told apart yet and that hold the event. */
static void set_field_on_event(struct looking *l)
{
	const struct qry_event *e = &l->facts.event;
	GArray *of = g_hash_table_lookup(l->rows, GUINT_TO_POINTER(e->thread));
	uint32_t key = 0;

	for (guint i = 0; of && i < of->len; i++) {
		struct ana_set_interval *v = &g_array_index(l->set->intervals, struct ana_set_interval,
			g_array_index(of, uint32_t, i));

		if (v->from > e->time)
			return;
		if (v->to <= e->time) {
			g_array_remove_index(of, i--);
			continue;
		}
		if (key == 0 && ana_rules_key(&l->facts, &l->side, true, l->key))
			key = set_field_key_of(l);
		v->key = v->key == 0 ? key : v->key;
	}
}

static bool wants(void *data, const char *name)
{
	return ana_rules_is_called(&((struct looking *)data)->side, name);
}

static bool set_field_walk(struct looking *l, struct qry *q, struct base_progress *progress, GError **error)
{
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	struct qry_events *events;
	struct qry_event event;
	int got = 0;
	bool fine;

	filter.wants = wants;
	filter.data = l;
	if (progress)
		base_progress_set_label(progress, "reading the trace for the groups");
	events = qry_events_new(q, &filter, error);
	fine = events;
	while (fine && (got = qry_events_step(events, 1, &event, progress, error)) > 0) {
		fine = ana_rules_facts_read(&l->facts, events, &event, error);
		if (fine)
			set_field_on_event(l);
	}
	qry_events_free(events);
	return fine && got == 0;
}

static bool is_any_known(const struct ana_set *set)
{
	for (guint i = 0; i < set->intervals->len; i++)
		if (g_array_index(set->intervals, struct ana_set_interval, i).key != 0)
			return true;
	return false;
}

bool ana_set_by_field(struct qry *q, struct ana_set *set, const char *what, struct base_progress *progress,
	GError **error)
{
	const char *dot = strrchr(what, '.');
	g_autofree char *event = dot ? g_strndup(what, (gsize)(dot - what)) : NULL;
	struct looking l = { .set = set, .key = g_string_new(NULL) };
	bool fine;

	if (!dot || dot == what || !dot[1]) {
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "\"%s\" makes no groups: type EVENT.FIELD",
			what);
		g_string_free(l.key, TRUE);
		return false;
	}
	l.side = (struct ana_rule_side){ .event = event, .key = g_ptr_array_new() };
	g_ptr_array_add(l.side.key, (char *)(uintptr_t)(dot + 1));
	l.rows = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_array_unref);
	l.keys = g_hash_table_new(g_str_hash, g_str_equal);
	g_ptr_array_set_size(set->keys, 1);
	set->key_name = "field";
	ana_rules_facts_init(&l.facts, q);
	index_rows(&l);
	fine = set_field_walk(&l, q, progress, error);
	if (fine && !is_any_known(set))
		fine = base_error_false(error, BASE_ERROR_NO_ANSWER,
			"no thread met an event \"%s\" with a field \"%s\" in these intervals", event,
			dot + 1);
	ana_rules_facts_clear(&l.facts);
	g_hash_table_unref(l.rows);
	g_hash_table_unref(l.keys);
	g_ptr_array_unref(l.side.key);
	g_string_free(l.key, TRUE);
	return fine;
}
