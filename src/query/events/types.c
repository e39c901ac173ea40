/* SPDX-License-Identifier: MIT */
#include "query/events/parts.h"
#include "query/events/scan.h"

#include "base/base_text.h"

#include <string.h>

#define FIRST_EVENTS 8 /* of each type, read for their fields if the trace declares none */

/* The types found so far. */
struct found {
	GHashTable *types;   /* name (char *) → struct entry *, owned */
	struct entry *entry; /* to which fields are added */
};

struct entry {
	struct qry_scan_type type;
	GHashTable *fields; /* name (weak) → its number + 1; owned */
	unsigned seen;      /* events read */
};

static void field_clear(void *data)
{
	g_free((char *)(uintptr_t)((struct qry_scan_field *)data)->name);
}

static void type_free(void *data)
{
	struct entry *e = data;

	g_hash_table_unref(e->fields);
	g_array_unref(e->type.fields);
	g_free(e->type.name);
	g_free(e);
}

/* Make the entry of events called NAME, sanitised, the current one. */
static void choose(struct found *f, const char *name)
{
	struct entry *e = g_hash_table_lookup(f->types, name);

	if (!e) {
		e = g_new0(struct entry, 1);
		e->type = (struct qry_scan_type){ g_strdup(name),
			g_array_new(FALSE, FALSE, sizeof(struct qry_scan_field)) };
		g_array_set_clear_func(e->type.fields, field_clear);
		e->fields = g_hash_table_new(g_str_hash, g_str_equal);
		g_hash_table_insert(f->types, e->type.name, e);
	}
	f->entry = e;
}

/* The type of the two that can hold values of both. */
static enum trc_value_type wider(enum trc_value_type a, enum trc_value_type b)
{
	static const unsigned width[] = { [TRC_VALUE_NONE] = 0,
		[TRC_VALUE_UNSIGNED] = 1,
		[TRC_VALUE_SIGNED] = 2,
		[TRC_VALUE_REAL] = 3,
		[TRC_VALUE_TEXT] = 4 };

	return width[a] > width[b] ? a : b;
}

static void add_field(struct found *f, const char *name, enum trc_value_type type)
{
	GArray *fields = f->entry->type.fields;
	guint at = GPOINTER_TO_UINT(g_hash_table_lookup(f->entry->fields, name));
	struct qry_scan_field field = { .type = type };

	if (at > 0) {
		struct qry_scan_field *known = &g_array_index(fields, struct qry_scan_field, at - 1);

		known->type = wider(known->type, type);
		return;
	}
	field.name = g_strdup(name);
	g_array_append_val(fields, field);
	g_hash_table_insert(f->entry->fields, (gpointer)(uintptr_t)field.name, GUINT_TO_POINTER(fields->len));
}

static void on_typed(void *data, const char *event, const char *field, enum trc_value_type type)
{
	struct found *f = data;

	if (field) {
		add_field(f, field, type);
	} else {
		g_autofree char *name = base_text_clean(event, -1);

		choose(f, name);
	}
}

static void types_take(void *data, const char *name, const struct trc_value *value)
{
	add_field(data, name, value->type);
}

/* Find the types of HOST from its events, which are all read. False with an error. */
static bool read_types(struct qry *q, struct found *f, uint32_t host, struct base_progress *progress,
	GError **error)
{
	static const struct qry_scan_want want = { .rank = false };
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	const struct trc_taker taker = { types_take, f };
	const char *last = NULL;
	struct qry_scan *scan;
	struct qry_event event;
	int got = -1;

	filter.host = host;
	scan = qry_scan_new(q, &filter, &want, error);
	while (scan && (got = qry_scan_next(scan, &event, progress, error)) == 1) {
		if (event.name != last)
			choose(f, event.name);
		last = event.name;
		if (f->entry->seen++ < FIRST_EVENTS && !qry_scan_take(scan, &taker, error)) {
			got = -1;
			break;
		}
	}
	qry_scan_free(scan);
	return got == 0;
}

static int by_name(const void *a, const void *b)
{
	const struct qry_scan_type *x = *(struct qry_scan_type *const *)a,
				   *y = *(struct qry_scan_type *const *)b;

	return strcmp(x->name, y->name);
}

GPtrArray *qry_scan_types(struct qry *q, uint32_t host, struct base_progress *progress, GError **error)
{
	struct found f = { .types = g_hash_table_new(g_str_hash, g_str_equal) };
	GPtrArray *types = g_ptr_array_new_with_free_func(type_free);
	GHashTableIter iter;
	gpointer entry;
	bool fine = true;

	for (uint32_t i = 0; fine && i < q->sources->len; i++) {
		struct qry_source *s = qry_source(q, i);

		if (host != MDL_NONE && host != i)
			continue;
		fine = qry_source_open_trace(q, s, error) &&
			(qry_trace_types(s->trace, on_typed, &f) || read_types(q, &f, i, progress, error));
	}
	g_hash_table_iter_init(&iter, f.types);
	while (g_hash_table_iter_next(&iter, NULL, &entry))
		g_ptr_array_add(types, entry);
	g_hash_table_unref(f.types);
	g_ptr_array_sort(types, by_name);
	if (!fine)
		g_clear_pointer(&types, g_ptr_array_unref);
	return types;
}
