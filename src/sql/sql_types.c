/* SPDX-License-Identifier: MIT */
/*
 * The types of events in the traces: the number of events and the fields of each.
 *
 * Finding them reads each trace once, so they are kept beside the index in a file of spans
 * (query/cases/kept.h). The file has one span for each type of a host.  The span goes from 0 to the number of
 * events; its key is a text with the name and the fields.
 */
#include "sql/sql_parts.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "query/cases/spans.h"
#include "query/events/scan.h"

#include <string.h>

#define FIELDS_MOST 256 /* of a type */
#define TYPES_MOST 16384
#define FIELDS_TAKEN 64 /* SQLite's statements have no more columns */

/* The letter of each enum trc_value_type. */
static const char letters[] = "SURTN";

struct sql_types {
	GPtrArray *all;     /* of struct sql_type *, owned */
	GHashTable *tables; /* name in SQL in lower case → struct sql_type *, weak */
};

/* ---- finding them ---- */

/* The number of events of each name of each host: an array, by host, of tables NAME (owned by the
 * experiment) → uint64_t *.  NULL with an error. */
static GPtrArray *count_all(struct qry *q, struct base_progress *progress, GError **error)
{
	const struct qry_events_filter filter = QRY_EVENTS_ALL;
	const struct qry_scan_want want = { .n_fields = 0 };
	GPtrArray *hosts = g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
	struct qry_scan *scan = qry_scan_new(q, &filter, &want, error);
	struct qry_event e, last = { .host = MDL_NONE };
	uint64_t *count = NULL;
	int more = scan ? 1 : -1;

	for (uint32_t i = 0; i < qry_host_count(q); i++)
		g_ptr_array_add(hosts, g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free));
	while (more > 0 && (more = qry_scan_next(scan, &e, progress, error)) > 0) {
		if (!count || last.name != e.name || last.host != e.host)
			count = g_hash_table_lookup(hosts->pdata[e.host], e.name);
		if (!count && g_hash_table_size(hosts->pdata[e.host]) < TYPES_MOST) {
			count = g_new0(uint64_t, 1);
			g_hash_table_insert(hosts->pdata[e.host], (gpointer)(uintptr_t)e.name, count);
		}
		if (count)
			++*count;
		last = e;
	}
	qry_scan_free(scan);
	if (more < 0)
		g_clear_pointer(&hosts, g_ptr_array_unref);
	return hosts;
}

/* "sched_switch\nT prev_comm\nS prev_tid".  The caller frees. */
static char *text_of(const struct qry_scan_type *type)
{
	GString *text = g_string_new(type->name);

	for (guint i = 0; i < MIN(type->fields->len, FIELDS_MOST); i++) {
		const struct qry_scan_field *f = &g_array_index(type->fields, struct qry_scan_field, i);

		if (base_text_is_plain(f->name, strlen(f->name)))
			g_string_append_printf(text, "\n%c %s", letters[f->type], f->name);
	}
	return g_string_free(text, FALSE);
}

/* True if HOST's trace describes only types that were recorded, so a type without events had no events. */
static bool describes_recorded(const struct qry *q, uint32_t host)
{
	return g_str_has_prefix(qry_host(q, host)->meta->format, "ctf");
}

static bool types_make(G_GNUC_UNUSED void *data, struct qry_kept *kept, struct base_progress *progress,
	GError **error)
{
	g_autoptr(GPtrArray) counts = count_all(kept->q, progress, error), types = NULL;

	for (uint32_t host = 0; counts && host < qry_host_count(kept->q); host++) {
		g_clear_pointer(&types, g_ptr_array_unref);
		types = qry_scan_types(kept->q, host, progress, error);
		if (!types)
			return false;
		for (guint i = 0; i < types->len; i++) {
			const struct qry_scan_type *type = types->pdata[i];
			const uint64_t *count = g_hash_table_lookup(counts->pdata[host], type->name);
			g_autofree char *text = text_of(type);
			struct mdl_span span = { .end = count ? (int64_t)MIN(*count, (uint64_t)INT64_MAX / 4)
							      : 0,
				.row = MDL_NONE,
				.cpu = MDL_NONE,
				.fate = MDL_SPAN_DONE };

			if (!count && !describes_recorded(kept->q, host))
				continue;
			span.key = qry_kept_text(kept, text);
			qry_kept_add(kept, host, &span);
		}
	}
	return counts;
}

/* ---- reading them ---- */

static void type_free(gpointer data)
{
	struct sql_type *t = data;

	g_free(t->table);
	g_ptr_array_unref(t->names);
	g_ptr_array_unref(t->fields);
	g_ptr_array_unref(t->columns);
	g_array_unref(t->kinds);
	g_free(t);
}

/* The name of the table of the events called NAME: sched_switch for "sched:sched_switch"; "event:irq" for
 * "irq", because another table has that name. */
static char *table_of(const struct sql *s, const char *name)
{
	const char *behind = strrchr(name, ':');
	g_autofree char *clean = base_text_clean(behind && behind[1] ? behind + 1 : name, -1),
			*lower = g_utf8_strdown(clean, -1);
	bool other = g_hash_table_contains(s->tables, lower) || g_str_equal(lower, "event") ||
		g_str_has_prefix(lower, "wakepath_") || g_str_has_prefix(lower, "sqlite_") ||
		g_str_has_prefix(lower, "pragma_");

	return other ? g_strconcat("event:", lower, NULL) : g_steal_pointer(&lower);
}

static struct sql_type *type_new(struct sql_types *types, const char *table)
{
	struct sql_type *t = g_new0(struct sql_type, 1);

	t->table = g_strdup(table);
	t->names = g_ptr_array_new_with_free_func(g_free);
	t->fields = g_ptr_array_new_with_free_func(g_free);
	t->columns = g_ptr_array_new_with_free_func(g_free);
	t->kinds = g_array_new(FALSE, FALSE, sizeof(enum trc_value_type));
	g_ptr_array_add(types->all, t);
	g_hash_table_insert(types->tables, t->table, t);
	return t;
}

static bool is_taken(const GPtrArray *columns, const char *name)
{
	static const char *const own[] = { "ts", "host", "cpu", "utid", "rank" };

	for (gsize i = 0; i < G_N_ELEMENTS(own); i++)
		if (!g_ascii_strcasecmp(own[i], name))
			return true;
	for (guint i = 0; i < columns->len; i++)
		if (!g_ascii_strcasecmp(columns->pdata[i], name))
			return true;
	return false;
}

/* The name of the column for FIELD, different from COLUMNS (of char *).  The caller frees. */
static char *column_of(const GPtrArray *columns, const char *field)
{
	GString *name = g_string_new(field);

	while (is_taken(columns, name->str))
		g_string_append(name, "_field");
	return g_string_free(name, FALSE);
}

static bool is_integer(enum trc_value_type kind)
{
	return kind == TRC_VALUE_SIGNED || kind == TRC_VALUE_UNSIGNED;
}

/* The kind of a column with values of kinds A and B; TRC_VALUE_NONE: each value has its own. */
static enum trc_value_type joined(enum trc_value_type a, enum trc_value_type b)
{
	return a == b || (is_integer(a) && is_integer(b)) ? a : TRC_VALUE_NONE;
}

static void add_field(struct sql_type *t, const char *line)
{
	const char *letter = *line && line[1] == ' ' ? strchr(letters, *line) : NULL;
	enum trc_value_type kind = letter ? (enum trc_value_type)(letter - letters) : TRC_VALUE_NONE;
	guint i;

	if (!letter || !line[2])
		return;
	if (g_ptr_array_find_with_equal_func(t->fields, line + 2, g_str_equal, &i)) {
		enum trc_value_type *known = &g_array_index(t->kinds, enum trc_value_type, i);

		*known = joined(*known, kind);
		return;
	}
	if (t->fields->len >= FIELDS_TAKEN)
		return;
	g_ptr_array_add(t->fields, g_strdup(line + 2));
	g_ptr_array_add(t->columns, column_of(t->columns, line + 2));
	g_array_append_val(t->kinds, kind);
}

struct reading {
	const struct sql *sql;
	struct sql_types *types;
	const struct qry_spans *spans;
};

static void read_type(void *data, const struct idx_spans_found *found)
{
	const struct reading *r = data;
	const char *text = qry_spans_text(r->spans, found->span.key);
	g_auto(GStrv) lines = text && g_utf8_validate(text, -1, NULL) ? g_strsplit(text, "\n", -1) : NULL;
	g_autofree char *table = lines && *lines[0] ? table_of(r->sql, lines[0]) : NULL;
	struct sql_type *t;
	guint i;

	if (!table || found->span.end < 0)
		return;
	t = g_hash_table_lookup(r->types->tables, table);
	if (!t)
		t = type_new(r->types, table);
	t->count += (uint64_t)found->span.end;
	if (!g_ptr_array_find_with_equal_func(t->names, lines[0], g_str_equal, &i))
		g_ptr_array_add(t->names, g_strdup(lines[0]));
	for (char **line = lines + 1; *line; line++)
		add_field(t, *line);
}

static int by_table(gconstpointer a, gconstpointer b)
{
	return strcmp((*(struct sql_type *const *)a)->table, (*(struct sql_type *const *)b)->table);
}

const GPtrArray *sql_types(struct sql *s, GError **error)
{
	struct qry_kept kept = { .name = "event types", .key = "1" };
	const struct qry_spans_filter filter = { .from = INT64_MIN, .to = INT64_MAX, .row = MDL_NONE };
	struct qry_spans spans;
	struct reading reading = { .sql = s, .spans = &spans };

	if (s->types)
		return s->types->all;
	if (!qry_kept_open(s->q, &kept, 1, types_make, NULL, s->progress, error))
		return NULL;
	s->types = reading.types = g_new(struct sql_types, 1);
	s->types->all = g_ptr_array_new_with_free_func(type_free);
	s->types->tables = g_hash_table_new(g_str_hash, g_str_equal);
	spans = (struct qry_spans){ .file = kept.file };
	qry_spans_each(s->q, &spans, &filter, read_type, &reading);
	g_ptr_array_sort(s->types->all, by_table);
	return s->types->all;
}

const struct sql_type *sql_types_find(struct sql *s, const char *name)
{
	g_autofree char *lower = g_utf8_strdown(name, -1);

	return s->types ? g_hash_table_lookup(s->types->tables, lower) : NULL;
}

void sql_types_free(struct sql_types *types)
{
	if (!types)
		return;
	g_hash_table_unref(types->tables);
	g_ptr_array_unref(types->all);
	g_free(types);
}
