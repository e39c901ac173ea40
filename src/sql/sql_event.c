/* SPDX-License-Identifier: MIT */
/*
 * Virtual tables of events: one for each type, whose columns are its fields, and "event" with all.
 *
 * xBestIndex passes the use of each value to xFilter as for the other tables (sql_plan.c). Only the fields
 * that a statement names are read (colUsed).
 */
#include "sql/sql_vtab.h"

#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_text.h"
#include "query/events/scan.h"

#include <inttypes.h>
#include <string.h>

/* The columns before those of the fields. */
enum column { COLUMN_TS, COLUMN_HOST, COLUMN_CPU, COLUMN_UTID, COLUMN_RANK, COLUMNS_OWN };
/* The other columns of the table of all events. */
enum { COLUMN_NAME = COLUMNS_OWN, COLUMN_FIELDS };

struct vtab {
	struct sql_module_vtab in;
	const struct sql_type *type; /* weak; NULL: all events */
	uint64_t count;              /* events, about */
};

struct cursor {
	struct sql_module_cursor in;
	struct qry_scan *scan;  /* owned; NULL: at the end */
	struct qry_event event; /* the current one */
	char *name;             /* owned: the only name of events; NULL: all names of the table */
	char *glob;             /* owned: a pattern for names; NULL: none */
	const char *fields[64]; /* weak: the fields that are read */
	int place[64];          /* by number of the field in the type: its place in FIELDS; -1: not read */
	const struct trc_value *values; /* of the current event; NULL: not read yet */
	GPtrArray *
		texts; /* owned, of char *: texts made for the current event, outside the trace; NULL: none */
};

static struct vtab *vtab_of(const struct cursor *c)
{
	return (struct vtab *)c->in.base.pVtab;
}

/* ---- columns ---- */

guint sql_event_columns(const struct sql_type *type)
{
	return MIN(type->fields->len, TABLE_COLUMNS_MAX - COLUMNS_OWN);
}

const char *sql_event_declared(const struct sql_type *type, guint i)
{
	switch (g_array_index(type->kinds, enum trc_value_type, i)) {
	case TRC_VALUE_SIGNED:
	case TRC_VALUE_UNSIGNED: return "integer";
	case TRC_VALUE_REAL: return "real";
	case TRC_VALUE_TEXT: return "text";
	default: return "";
	}
}

static char *declaration(const struct sql_type *type)
{
	GString *text = g_string_new(
		"CREATE TABLE x(ts TIME, host TEXT, cpu INTEGER, utid INTEGER, rank INTEGER");

	for (guint i = 0; type && i < sql_event_columns(type); i++) {
		char *quoted = sqlite3_mprintf(", \"%w\" %s", type->columns->pdata[i],
			sql_event_declared(type, i));

		g_string_append(text, quoted);
		sqlite3_free(quoted);
	}
	g_string_append(text, type ? ")" : ", name TEXT, fields TEXT)");
	return g_string_free(text, FALSE);
}

/* ---- life ---- */

static uint64_t count_events(const struct qry *q)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < qry_host_count(q); i++)
		n += qry_host(q, i)->meta->events;
	return n;
}

static char *vtab_declare(struct sql_module_vtab *base)
{
	struct vtab *t = (struct vtab *)base;

	t->type = base->of;
	t->count = t->type ? t->type->count : count_events(base->sql->q);
	return declaration(t->type);
}

static void cursor_reset(struct sql_module_cursor *base)
{
	struct cursor *c = (struct cursor *)base;

	g_clear_pointer(&c->scan, qry_scan_free);
	g_clear_pointer(&c->name, g_free);
	g_clear_pointer(&c->glob, g_free);
	g_clear_pointer(&c->texts, g_ptr_array_unref);
}

/* ---- plans ---- */

enum use {
	USE_HOST = 'h', /* and those of sql_plan_time() */
	USE_CPU = 'c',
	USE_ROW = 'r',
	USE_NAME = 'n',
	USE_GLOB = 'g',
};

/* The use of a value that COLUMN is compared with by OP; 0: none. */
static char use_of(const struct vtab *t, int column, unsigned op, bool is_binary)
{
	if (column == COLUMN_TS)
		return sql_plan_time(op);
	if (!t->type && column == COLUMN_NAME && op == SQLITE_INDEX_CONSTRAINT_GLOB)
		return USE_GLOB;
	if (op != SQLITE_INDEX_CONSTRAINT_EQ)
		return 0;
	switch (column) {
	case COLUMN_HOST: return is_binary ? USE_HOST : 0;
	case COLUMN_CPU: return USE_CPU;
	case COLUMN_UTID: return USE_ROW;
	default: return !t->type && column == COLUMN_NAME && is_binary ? USE_NAME : 0;
	}
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct vtab *t = (const struct vtab *)base;
	double rows = (double)t->count + 10;
	GString *uses = g_string_new(NULL);

	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];
		char use = c->usable
			? use_of(t, c->iColumn, c->op, g_str_equal(sqlite3_vtab_collation(info, i), "BINARY"))
			: 0;

		if (!use || (!strchr(">=<", use) && strchr(uses->str, use)))
			continue;
		g_string_append_c(uses, use);
		info->aConstraintUsage[i].argvIndex = (int)uses->len;
		rows /= 4;
	}
	info->idxStr = sqlite3_mprintf("%lld %s",
		(sqlite3_int64)(info->colUsed | (uint64_t)t->in.sql->needs_ids << COLUMN_RANK), uses->str);
	info->needToFreeIdxStr = 1;
	info->orderByConsumed = info->nOrderBy == 1 && info->aOrderBy[0].iColumn == COLUMN_TS &&
		!info->aOrderBy[0].desc;
	info->estimatedRows = (sqlite3_int64)MAX(rows, 1);
	/* each start of a scan reads packets */
	info->estimatedCost = MAX(rows, 1) + 10000;
	g_string_free(uses, TRUE);
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- constraints ---- */

/* True if the table has events called NAME and the statement wants them. */
static bool wants(void *data, const char *name)
{
	const struct cursor *c = data;
	const struct sql_type *type = vtab_of(c)->type;
	guint i;

	if (type)
		return g_ptr_array_find_with_equal_func(type->names, name, g_str_equal, &i);
	return (!c->name || g_str_equal(c->name, name)) && (!c->glob || !sqlite3_strglob(c->glob, name));
}

/* Add the constraint VALUE to F or C.  False if no event can match it. */
static bool ask(struct cursor *c, struct qry_events_filter *f, char use, sqlite3_value *value)
{
	const struct qry *q = vtab_of(c)->in.sql->q;
	bool is_text = sqlite3_value_type(value) == SQLITE_TEXT,
	     is_number = sqlite3_value_type(value) == SQLITE_INTEGER;
	const char *text = is_text ? (const char *)sqlite3_value_text(value) : NULL;
	int64_t number = is_number ? sqlite3_value_int64(value) : -1;

	if (sqlite3_value_type(value) == SQLITE_NULL)
		return false;
	switch (use) {
	case USE_HOST: return !text || qry_find_host(q, text, &f->host, NULL);
	case USE_CPU:
		f->cpu = number >= 0 && number < MDL_NONE ? (uint32_t)number : MDL_NONE;
		return !is_number || f->cpu != MDL_NONE;
	case USE_ROW:
		f->thread = number >= 0 && number < qry_row_count(q) ? (uint32_t)number : MDL_NONE;
		if (f->thread != MDL_NONE && qry_row(q, f->thread)->type != MDL_ROW_THREAD)
			return false;
		return !is_number || f->thread != MDL_NONE;
	case USE_NAME: c->name = g_strdup(text); return true;
	case USE_GLOB: c->glob = g_strdup(text); return true;
	default: return sql_plan_window(use, value, &f->from, &f->to);
	}
}

/* The fields in USED, the columns that a statement names. */
static unsigned choose_fields(struct cursor *c, const struct sql_type *type, uint64_t used)
{
	unsigned n = 0;

	for (guint i = 0; type && i < sql_event_columns(type); i++) {
		c->place[i] = -1;
		if (used >> MIN(i + COLUMNS_OWN, 63) & 1) {
			c->place[i] = (int)n;
			c->fields[n++] = type->fields->pdata[i];
		}
	}
	return n;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;
	struct vtab *t = vtab_of(c);
	GError *problem = NULL;
	int found = qry_scan_next(c->scan, &c->event, t->in.sql->progress, &problem);

	c->in.id++;
	c->values = NULL;
	g_clear_pointer(&c->texts, g_ptr_array_unref);
	if (found < 0)
		return sql_module_fail(&t->in, problem);
	if (found == 0)
		g_clear_pointer(&c->scan, qry_scan_free);
	return SQLITE_OK;
}

static int cursor_filter(sqlite3_vtab_cursor *base, G_GNUC_UNUSED int number, const char *plan, int n,
	sqlite3_value **values)
{
	struct cursor *c = (struct cursor *)base;
	struct vtab *t = vtab_of(c);
	struct qry_events_filter f = QRY_EVENTS_ALL;
	struct qry_scan_want want = { .fields = c->fields };
	char *uses;
	uint64_t used = (uint64_t)g_ascii_strtoll(plan, &uses, 10);
	GError *problem = NULL;

	cursor_reset(&c->in);
	for (int i = 0; i < n; i++)
		if (!ask(c, &f, uses[1 + i], values[i]))
			return SQLITE_OK;
	if (c->in.host != MDL_NONE)
		f.host = c->in.host;
	f.wants = wants;
	f.data = c;
	want.n_fields = choose_fields(c, t->type, used);
	want.rank = used >> COLUMN_RANK & 1;
	want.thread = used >> COLUMN_UTID & 1;
	c->scan = qry_scan_new(t->in.sql->q, &f, &want, &problem);
	return c->scan ? cursor_next(base) : sql_module_fail(&t->in, problem);
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
	return !((struct cursor *)base)->scan;
}

/* ---- cells ---- */

/* *TO becomes TEXT, which C takes over. */
static void put_own(struct cursor *c, char *text, struct sql_value *to)
{
	if (!c->texts)
		c->texts = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(c->texts, text);
	sql_value_text(to, text, strlen(text));
}

static void put_value(struct cursor *c, const struct trc_value *v, struct sql_value *to)
{
	size_t length;

	switch (v->type) {
	case TRC_VALUE_SIGNED: sql_value_number(to, (int64_t)v->number); break;
	case TRC_VALUE_UNSIGNED:
		if (v->number <= INT64_MAX)
			sql_value_number(to, (int64_t)v->number);
		else
			put_own(c, g_strdup_printf("0x%" PRIx64, v->number), to);
		break;
	case TRC_VALUE_REAL: *to = (struct sql_value){ .kind = SQL_REAL, .real = v->real }; break;
	case TRC_VALUE_TEXT:
		length = strnlen(v->text, v->length);
		if (base_text_is_plain(v->text, length))
			sql_value_text(to, v->text, length);
		else
			put_own(c, base_text_clean(v->text, (gssize)length), to);
		break;
	default: break; /* NULL */
	}
}

static int put_field(struct cursor *c, int field, struct sql_value *to)
{
	GError *problem = NULL;

	if (c->place[field] < 0)
		return SQLITE_OK;
	if (!c->values)
		c->values = qry_scan_values(c->scan, &problem);
	if (!c->values)
		return sql_module_fail(&vtab_of(c)->in, problem);
	put_value(c, &c->values[c->place[field]], to);
	return SQLITE_OK;
}

static void put_number(struct sql_value *to, uint32_t number)
{
	if (number != MDL_NONE)
		sql_value_number(to, number);
}

static int put_text(struct sql_value *to, const char *text)
{
	sql_value_text(to, text, strlen(text));
	return SQLITE_OK;
}

static int cursor_value(struct sql_module_cursor *base, int i, struct sql_value *to)
{
	struct cursor *c = (struct cursor *)base;
	const struct vtab *t = vtab_of(c);
	const struct qry_event *e = &c->event;
	GError *problem = NULL;
	const char *text;

	switch (i) {
	case COLUMN_TS: sql_value_number(to, e->time); break;
	case COLUMN_HOST: return put_text(to, qry_host(t->in.sql->q, e->host)->name);
	case COLUMN_CPU: put_number(to, e->cpu); break;
	case COLUMN_UTID: put_number(to, e->thread); break;
	case COLUMN_RANK: sql_value_number(to, (int64_t)e->rank); break;
	default:
		if (t->type)
			return put_field(c, i - COLUMNS_OWN, to);
		if (i != COLUMN_FIELDS)
			return put_text(to, e->name);
		text = qry_scan_text(c->scan, &problem);
		return text ? put_text(to, text) : sql_module_fail(&vtab_of(c)->in, problem);
	}
	return SQLITE_OK;
}

/* The place of the event among all events, not only those that the scan wants. */
static int64_t cursor_id(struct sql_module_cursor *base)
{
	const struct qry_event *e = &((const struct cursor *)base)->event;

	return (int64_t)((uint64_t)e->host << 48 | e->rank);
}

static const struct sql_module module = {
	.calls = { SQL_MODULE_CALLS, .xBestIndex = best_index, .xFilter = cursor_filter, .xNext = cursor_next,
		.xEof = cursor_eof },
	.vtab_size = sizeof(struct vtab),
	.cursor_size = sizeof(struct cursor),
	.declare = vtab_declare,
	.reset = cursor_reset,
	.value = cursor_value,
	.id = cursor_id,
};

bool sql_event_add_all(struct sql *s, GError **error)
{
	return sql_module_add(s, "event", &module, NULL, error);
}

bool sql_event_add_types(struct sql *s, GError **error)
{
	const GPtrArray *types = sql_types(s, error);

	for (guint i = 0; types && i < types->len; i++) {
		const struct sql_type *type = types->pdata[i];

		if (!sql_module_add(s, type->table, &module, type, error))
			return false;
	}
	s->has_events = types;
	return types;
}
