/* SPDX-License-Identifier: MIT */
/*
 * Virtual tables of SQLite (https://www.sqlite.org/vtab.html) over the cursors of src/table.
 *
 * xBestIndex tells xFilter what to do with the values that it gets by pairs of characters, one pair for each value:
 * what it is (enum use), and the number of a column or an argument.  What the table takes itself goes into the
 * question; a text that must be equal is compared before the other cells of its row are made.  SQLite checks all of
 * this again, so a value that is not of the column's type just selects nothing less.
 */
#include "sql/sql_parts.h"

#include "analysis/kind/advice.h"
#include "base/base_error.h"
#include "base/base_progress.h"

#include <string.h>

#define CHECKS 4        /* texts that are compared */
#define LOOK_AFTER 1024 /* rows that are passed before it is looked whether to stop */
#define FIRST '0'       /* number 0 in a pair */

enum use {
	USE_ARGUMENT = 'a',
	USE_ROW = 'r',
	USE_ROWS = 'R', /* a list of them */
	USE_HOST = 'h',
	USE_KIND = 'k',
	USE_FROM = '>', /* at or after */
	USE_TO = '<',   /* at or before */
	USE_AT = '=',
	USE_TEXT = 't',
};

struct vtab {
	sqlite3_vtab base;
	struct sql *sql; /* weak */
	const struct sql_source *source;
	GArray *columns;          /* of struct sql_column, owned */
	int utid, ts, host, kind; /* their numbers; -1: there is none */
	uint64_t rows;            /* about how many */
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct table_question ask;
	struct table_cursor *c; /* owned; NULL: at the end */
	const void *row;
	GArray *utids; /* of uint32_t, owned: those that come after the one at hand; NULL: none */
	guint next_utid;
	uint64_t reads;  /* columns of the table that the statement names */
	uint64_t wanted; /* those that were asked for so far */
	unsigned n_checks;
	struct check {
		unsigned number; /* of the table's column */
		char *text;      /* owned */
	} checks[CHECKS];
	sqlite3_int64 id;
	bool filled;
	struct table_row cells; /* if FILLED */
};

static struct vtab *vtab_of(sqlite3_vtab_cursor *c)
{
	return (struct vtab *)c->pVtab;
}

/* ---- columns ---- */

static const struct {
	const char *declared;
	unsigned type;
} types[] = {
	{ "INTEGER", TABLE_NUMBER },
	{ "TIME", TABLE_TIME },
	{ "DURATION", TABLE_DURATION },
	{ "BOOLEAN", TABLE_YES },
	{ "REAL", TABLE_SHARE },
	{ "TEXT", TABLE_WORD },
};

const char *sql_table_type(unsigned type)
{
	for (gsize i = 0; i < G_N_ELEMENTS(types); i++)
		if (types[i].type == type)
			return types[i].declared;
	return "TEXT";
}

static void column_clear(gpointer data)
{
	g_free(((struct sql_column *)data)->name);
}

/* The name of COLUMN of TABLE in SQL; NULL: SQL does not have it. */
static const char *name_in_sql(const struct table *table, const struct table_column *column)
{
	if (!*column->name)
		return NULL;
	for (const struct table_alias *a = table->aliases; a && a->name; a++)
		if (g_str_equal(a->name, column->name))
			return a->sql;
	return column->name;
}

/* When, how long and who come first. */
static int column_place(const struct sql_column *c)
{
	static const char *const first[] = { "ts", "dur", "host", "utid" };

	for (gsize i = 0; i < G_N_ELEMENTS(first); i++)
		if (g_str_equal(c->name, first[i]))
			return (int)i;
	return (int)(G_N_ELEMENTS(first) + c->number);
}

static int by_place(gconstpointer a, gconstpointer b)
{
	return column_place(a) - column_place(b);
}

GArray *sql_table_columns(struct qry *q, const struct table *table)
{
	const struct table_in in = { .q = q, .format = TABLE_CSV };
	struct table_column described[TABLE_COLUMNS_MAX];
	unsigned n = table_describe(table->columns, &in, described);
	GArray *columns = g_array_new(FALSE, FALSE, sizeof(struct sql_column));

	g_array_set_clear_func(columns, column_clear);
	for (unsigned i = 0; i < n; i++) {
		const char *name = name_in_sql(table, &described[i]);
		struct sql_column c = { .number = i,
			.type = described[i].type & ~TABLE_FLAGS,
			.doc = described[i].doc };

		if (!name)
			continue;
		c.name = g_strdelimit(g_strdup(name), "-", '_');
		g_array_append_val(columns, c);
	}
	g_array_sort(columns, by_place);
	return columns;
}

void sql_table_cell(sqlite3_context *to, unsigned type, const struct table_cell *cell)
{
	switch (type) {
	case TABLE_WORD:
	case TABLE_LONG:
	case TABLE_DECIMAL:
		if (table_word(cell))
			sqlite3_result_text(to, table_word(cell), -1, SQLITE_TRANSIENT);
		break; /* else it is NULL */
	case TABLE_SHARE:
		if (!isnan(cell->share))
			sqlite3_result_double(to, cell->share);
		break;
	default:
		if (cell->number != MDL_NEVER)
			sqlite3_result_int64(to, cell->number);
	}
}

int sql_table_declare(struct sql *s, const char *text)
{
	int status;

	s->declares = true;
	status = sqlite3_declare_vtab(s->db, text);
	s->declares = false;
	return status;
}

int sql_table_fail(struct sql *s, sqlite3_vtab *t, GError *problem)
{
	bool cancelled = g_error_matches(problem, BASE_ERROR, BASE_ERROR_CANCELLED);

	sqlite3_free(t->zErrMsg);
	t->zErrMsg = sqlite3_mprintf("%s", problem->message);
	if (s->problem)
		g_error_free(problem);
	else
		s->problem = problem;
	return cancelled ? SQLITE_INTERRUPT : SQLITE_ERROR;
}

static int stopped(struct vtab *t)
{
	return sql_table_fail(t->sql, &t->base,
		g_error_new_literal(BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted"));
}

/* ---- life ---- */

static int find_column(const struct vtab *t, const char *name)
{
	for (guint i = 0; i < t->columns->len; i++)
		if (g_str_equal(g_array_index(t->columns, struct sql_column, i).name, name))
			return (int)i;
	return -1;
}

/* The statement that declares T. */
static char *declaration(const struct vtab *t)
{
	GString *text = g_string_new("CREATE TABLE x(");

	for (guint i = 0; i < t->columns->len; i++) {
		const struct sql_column *c = &g_array_index(t->columns, struct sql_column, i);

		g_string_append_printf(text, "%s\"%s\" %s", i ? ", " : "", c->name, sql_table_type(c->type));
	}
	for (unsigned i = 0; t->source->arguments[i]; i++)
		g_string_append_printf(text, ", \"%s\" HIDDEN", t->source->arguments[i]);
	g_string_append_c(text, ')');
	return g_string_free(text, FALSE);
}

struct module_of {
	struct sql *sql;
	const struct sql_source *source;
};

static int vtab_disconnect(sqlite3_vtab *base)
{
	struct vtab *t = (struct vtab *)base;

	g_array_unref(t->columns);
	g_free(t);
	return SQLITE_OK;
}

static int vtab_connect(sqlite3 *db, void *data, G_GNUC_UNUSED int argc,
	G_GNUC_UNUSED const char *const *argv, sqlite3_vtab **vtab, char **message)
{
	const struct module_of *of = data;
	struct vtab *t = g_new0(struct vtab, 1);
	g_autofree char *text = NULL;
	int status;

	t->sql = of->sql;
	t->source = of->source;
	t->columns = sql_table_columns(t->sql->q, of->source->table);
	t->utid = find_column(t, "utid");
	t->ts = find_column(t, "ts");
	t->host = find_column(t, "host");
	t->kind = find_column(t, "kind");
	t->rows = of->source->table->rows ? of->source->table->rows(t->sql->q) : 100;
	text = declaration(t);
	status = sql_table_declare(of->sql, text);
	if (status == SQLITE_OK)
		*vtab = &t->base;
	else {
		*message = sqlite3_mprintf("%s", sqlite3_errmsg(db));
		vtab_disconnect(&t->base);
	}
	return status;
}

static int cursor_open(G_GNUC_UNUSED sqlite3_vtab *t, sqlite3_vtab_cursor **cursor)
{
	struct cursor *c = g_new0(struct cursor, 1);

	*cursor = &c->base;
	return SQLITE_OK;
}

static void row_forget(struct cursor *c)
{
	if (c->filled)
		table_row_clear(&c->cells);
	c->filled = false;
}

static void cursor_reset(struct cursor *c)
{
	const struct sql_source *source = vtab_of(&c->base)->source;

	row_forget(c);
	g_clear_pointer(&c->c, table_close);
	if (source->forget)
		source->forget(&c->ask);
	g_clear_pointer(&c->utids, g_array_unref);
	for (unsigned i = 0; i < c->n_checks; i++)
		g_free(c->checks[i].text);
	g_free((char *)(uintptr_t)c->ask.kind);
	c->n_checks = c->next_utid = 0;
	c->ask = TABLE_ALL;
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
	cursor_reset((struct cursor *)base);
	g_free(base);
	return SQLITE_OK;
}

/* ---- plans ---- */

struct plan {
	const struct vtab *t;
	sqlite3_index_info *info;
	GString *uses;
	double rows;
	unsigned given; /* arguments: a bit each */
	bool row, many; /* of one thread; of a list of them */
	unsigned n_texts;
};

static void plan_use(struct plan *p, int i, enum use use, int number)
{
	g_string_append_c(p->uses, (char)use);
	g_string_append_c(p->uses, (char)(FIRST + number));
	p->info->aConstraintUsage[i].argvIndex = (int)p->uses->len / 2;
}

static bool is_text(unsigned type)
{
	return type == TABLE_WORD || type == TABLE_LONG;
}

/* Use constraint I, "column = value". */
static void plan_equal(struct plan *p, int i, int column)
{
	unsigned takes = p->t->source->table->takes;
	int in = sqlite3_vtab_in(p->info, i, -1);

	if (column == p->t->utid && takes & TABLE_TAKES_ROW && !p->row && !p->many) {
		if (in)
			sqlite3_vtab_in(p->info, i, 1);
		plan_use(p, i, in ? USE_ROWS : USE_ROW, 0);
		*(in ? &p->many : &p->row) = true;
		p->rows /= in ? 20 : 200;
	} else if (column == p->t->host && takes & TABLE_TAKES_HOST) {
		plan_use(p, i, USE_HOST, 0);
		p->rows /= 2;
	} else if (column == p->t->kind && takes & TABLE_TAKES_KIND) {
		plan_use(p, i, USE_KIND, 0);
		p->rows /= 10;
	} else if (is_text(g_array_index(p->t->columns, struct sql_column, column).type) &&
		p->n_texts < CHECKS && g_str_equal(sqlite3_vtab_collation(p->info, i), "BINARY")) {
		plan_use(p, i, USE_TEXT, (int)g_array_index(p->t->columns, struct sql_column, column).number);
		p->n_texts++;
		p->rows /= 4;
	}
}

/* Use constraint I.  False: a plan without its value is none. */
static bool plan_constraint(struct plan *p, int i)
{
	const struct sqlite3_index_constraint *c = &p->info->aConstraint[i];
	int argument = c->iColumn - (int)p->t->columns->len;
	bool is_time = c->iColumn == p->t->ts && p->t->source->table->takes & TABLE_TAKES_WINDOW;

	if (c->iColumn < 0)
		return true;
	if (argument >= 0) {
		if (c->op != SQLITE_INDEX_CONSTRAINT_EQ)
			return true;
		if (!c->usable)
			return false;
		plan_use(p, i, USE_ARGUMENT, argument);
		p->info->aConstraintUsage[i].omit = 1;
		p->given |= 1u << argument;
		return true;
	}
	if (!c->usable)
		return true;
	switch (c->op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		if (is_time)
			plan_use(p, i, USE_AT, 0);
		else
			plan_equal(p, i, c->iColumn);
		break;
	case SQLITE_INDEX_CONSTRAINT_GT:
	case SQLITE_INDEX_CONSTRAINT_GE:
		if (is_time)
			plan_use(p, i, USE_FROM, 0);
		break;
	case SQLITE_INDEX_CONSTRAINT_LT:
	case SQLITE_INDEX_CONSTRAINT_LE:
		if (is_time)
			plan_use(p, i, USE_TO, 0);
		break;
	default: return true;
	}
	if (is_time)
		p->rows /= 4;
	return true;
}

/* True if rows come in the order that is asked for, or together where that is enough. */
static bool plan_is_ordered(const struct plan *p)
{
	unsigned takes = p->t->source->table->takes;
	bool strict = sqlite3_vtab_distinct(p->info) == 0 || sqlite3_vtab_distinct(p->info) == 3,
	     utid = p->row;
	int n = p->info->nOrderBy;

	if (n == 0 || !(takes & (TABLE_BY_ROW | TABLE_BY_TIME)))
		return false;
	for (int i = 0; i < n; i++) {
		const struct sqlite3_index_orderby *o = &p->info->aOrderBy[i];
		bool is_utid = o->iColumn == p->t->utid, is_ts = o->iColumn == p->t->ts;

		if ((strict && o->desc) || o->iColumn < 0 || !(is_utid || is_ts))
			return false;
		if (takes & TABLE_BY_TIME ? !is_ts : strict && is_ts && !utid)
			return false;
		utid |= is_utid;
	}
	return takes & TABLE_BY_TIME || utid;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct vtab *t = (const struct vtab *)base;
	struct plan p = { .t = t, .info = info, .uses = g_string_new(NULL), .rows = (double)t->rows };
	unsigned required = (1u << t->source->required) - 1;

	for (int i = 0; i < info->nConstraint; i++)
		if (!plan_constraint(&p, i)) {
			g_string_free(p.uses, TRUE);
			return SQLITE_CONSTRAINT;
		}
	info->idxStr = sqlite3_mprintf("%lld %s", (sqlite3_int64)info->colUsed, p.uses->str);
	info->needToFreeIdxStr = 1;
	info->idxNum = (int)p.given;
	g_string_free(p.uses, TRUE);
	if ((p.given & required) != required)
		return SQLITE_CONSTRAINT;
	info->orderByConsumed = plan_is_ordered(&p);
	info->estimatedRows = (sqlite3_int64)MAX(p.rows, 1);
	info->estimatedCost = MAX(p.rows, 1) + 4;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- questions ---- */

/* What a value says of a number: it is NUMBER, nothing is equal to it, or SQLite must compare. */
enum told { TOLD_NUMBER, TOLD_NOTHING, TOLD_LATER };

static enum told tell_number(sqlite3_value *value, int64_t *number)
{
	double real;

	switch (sqlite3_value_type(value)) {
	case SQLITE_NULL: return TOLD_NOTHING;
	case SQLITE_INTEGER: *number = sqlite3_value_int64(value); return TOLD_NUMBER;
	case SQLITE_FLOAT:
		real = floor(sqlite3_value_double(value));
		if (!(real > -9e18 && real < 9e18))
			return TOLD_LATER;
		*number = (int64_t)real;
		return TOLD_NUMBER;
	default: return TOLD_LATER;
	}
}

static bool is_thread(const struct qry *q, int64_t utid)
{
	return utid >= 0 && utid < qry_row_count(q) && qry_row(q, (uint32_t)utid)->type == MDL_ROW_THREAD;
}

static int by_number(gconstpointer a, gconstpointer b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Ask for the threads in the list VALUE.  False: none is there. */
static bool ask_rows(struct cursor *c, sqlite3_value *value)
{
	const struct qry *q = vtab_of(&c->base)->sql->q;
	sqlite3_value *one;
	guint n = 0;

	c->utids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (int found = sqlite3_vtab_in_first(value, &one); found == SQLITE_OK && one;
		found = sqlite3_vtab_in_next(value, &one)) {
		int64_t utid;
		uint32_t row;

		switch (tell_number(one, &utid)) {
		case TOLD_LATER: /* all of them, and SQLite chooses */
			g_clear_pointer(&c->utids, g_array_unref);
			return true;
		case TOLD_NOTHING: break;
		case TOLD_NUMBER:
			row = (uint32_t)utid;
			if (is_thread(q, utid))
				g_array_append_val(c->utids, row);
		}
	}
	g_array_sort(c->utids, by_number);
	for (guint i = 0; i < c->utids->len; i++)
		if (i == 0 ||
			g_array_index(c->utids, uint32_t, i) != g_array_index(c->utids, uint32_t, n - 1))
			g_array_index(c->utids, uint32_t, n++) = g_array_index(c->utids, uint32_t, i);
	g_array_set_size(c->utids, n);
	if (n == 0)
		return false;
	c->ask.row = g_array_index(c->utids, uint32_t, 0);
	c->next_utid = 1;
	return true;
}

static bool ask_time(struct cursor *c, char use, sqlite3_value *value)
{
	int64_t time;
	enum told told = tell_number(value, &time);

	if (told == TOLD_NUMBER && use != USE_TO)
		c->ask.from = MAX(c->ask.from, time);
	if (told == TOLD_NUMBER && use != USE_FROM && time < INT64_MAX - 1)
		c->ask.to = MIN(c->ask.to, time + 2); /* a real number was rounded down */
	return told != TOLD_NOTHING && c->ask.from < c->ask.to;
}

static bool ask_host(struct cursor *c, const char *name)
{
	const struct qry *q = vtab_of(&c->base)->sql->q;

	for (uint32_t i = 0; name && i < qry_host_count(q); i++)
		if (g_str_equal(qry_host(q, i)->name, name)) {
			c->ask.host = i;
			return true;
		}
	return false;
}

/* Ask what VALUE is for, as the pair at USE tells.  False: no row can be in the answer. */
static bool ask_value(struct cursor *c, const char *use, sqlite3_value *value)
{
	const struct qry *q = vtab_of(&c->base)->sql->q;
	bool is_string = sqlite3_value_type(value) == SQLITE_TEXT;
	const char *text = is_string ? (const char *)sqlite3_value_text(value) : NULL;
	int64_t utid;

	if (sqlite3_value_type(value) == SQLITE_NULL && use[0] != USE_ROWS)
		return false;
	switch (use[0]) {
	case USE_ROW:
		if (tell_number(value, &utid) != TOLD_NUMBER)
			return true;
		c->ask.row = (uint32_t)utid;
		return is_thread(q, utid);
	case USE_ROWS: return ask_rows(c, value);
	case USE_HOST: return !text || ask_host(c, text);
	case USE_KIND:
		if (text && !c->ask.kind)
			c->ask.kind = g_strdup(text);
		return true;
	case USE_TEXT:
		if (text)
			c->checks[c->n_checks++] = (struct check){ (unsigned)(use[1] - FIRST),
				g_strdup(text) };
		return true;
	default: return ask_time(c, use[0], value);
	}
}

static bool passes(struct cursor *c)
{
	struct table_row cells;
	bool fine = true;

	cells.columns = NULL;
	for (unsigned i = 0; fine && i < c->n_checks; i++) {
		unsigned number = c->checks[i].number;
		const char *word;

		table_row_fill(&cells, UINT64_C(1) << number, c->c->table->columns, c->row, &c->c->in);
		word = table_word(&cells.cells[number]);
		fine = word && g_str_equal(word, c->checks[i].text);
		table_row_clear(&cells);
	}
	return fine;
}

/* Open the next thread of the list.  1; 0: there is none; -1 with an error. */
static int next_thread(struct cursor *c, GError **error)
{
	struct vtab *t = vtab_of(&c->base);

	g_clear_pointer(&c->c, table_close);
	if (!c->utids || c->next_utid >= c->utids->len)
		return 0;
	c->ask.row = g_array_index(c->utids, uint32_t, c->next_utid++);
	c->c = table_open(t->source->table, t->sql->q, &c->ask, error);
	if (c->c)
		c->c->wanted = c->reads;
	return c->c ? 1 : -1;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)base;
	struct vtab *t = vtab_of(base);
	GError *problem = NULL;

	row_forget(c);
	c->id++;
	for (unsigned n = 1; c->c; n++) {
		int found = table_next(c->c, &c->row, &problem);

		if (found == 0)
			found = next_thread(c, &problem);
		else if (found > 0 && (!c->n_checks || passes(c)))
			break;
		if (found < 0)
			return sql_table_fail(t->sql, &t->base, problem);
		if (n % LOOK_AFTER == 0 && base_progress_cancelled(t->sql->progress))
			return stopped(t);
	}
	return SQLITE_OK;
}

/* True if a host recorded the switches between threads. */
static bool has_switches(struct qry *q, GError **error)
{
	for (uint32_t i = 0; i < qry_host_count(q); i++)
		if (!ana_advice_switches(q, i))
			return true;
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"%s: no sched_switch was recorded, so which thread ran or waited when is not known; record it with: %s",
		qry_host(q, 0)->name, ana_advice_switches(q, 0));
}

/* The question without its arguments; false: no row can be in the answer. */
static bool ask_all(struct cursor *c, const char *uses, sqlite3_value **values, sqlite3_value **arguments)
{
	bool fine = true;

	for (int i = 0; uses[2 * i]; i++) {
		if (uses[2 * i] == USE_ARGUMENT)
			arguments[uses[2 * i + 1] - FIRST] = values[i];
		else
			fine = fine && ask_value(c, uses + 2 * i, values[i]);
	}
	return fine;
}

/* The columns of the table that are among USED, those that a statement names. */
static uint64_t wanted(const struct vtab *t, uint64_t used)
{
	uint64_t all = 0;

	for (guint i = 0; i < t->columns->len; i++)
		if (used >> MIN(i, 63) & 1)
			all |= UINT64_C(1) << g_array_index(t->columns, struct sql_column, i).number;
	return all;
}

static int cursor_filter(sqlite3_vtab_cursor *base, G_GNUC_UNUSED int given, const char *plan,
	G_GNUC_UNUSED int argc, sqlite3_value **values)
{
	char *uses;
	uint64_t used = (uint64_t)g_ascii_strtoll(plan, &uses, 10);
	struct cursor *c = (struct cursor *)base;
	struct vtab *t = vtab_of(base);
	sqlite3_value *arguments[SQL_ARGUMENTS_MAX + 1] = { NULL };
	GError *problem = NULL;
	int asks = 1;

	cursor_reset(c);
	c->ask.whole = true;
	c->ask.format = TABLE_CSV;
	c->ask.progress = t->sql->progress;
	if (t->source->table->takes & TABLE_NEEDS_SWITCHES && !has_switches(t->sql->q, &problem))
		return sql_table_fail(t->sql, base->pVtab, problem);
	if (!ask_all(c, uses + 1, values, arguments))
		return SQLITE_OK;
	if (t->source->ask)
		asks = t->source->ask(t->sql, arguments, &c->ask, &problem);
	if (asks > 0)
		c->c = table_open(t->source->table, t->sql->q, &c->ask, &problem);
	if (asks > 0 && !c->c && t->source->or_nothing &&
		g_error_matches(problem, BASE_ERROR, BASE_ERROR_NO_ANSWER)) {
		g_error_free(problem);
		return SQLITE_OK;
	}
	c->reads = wanted(t, used);
	if (c->c)
		c->c->wanted = c->reads;
	if (asks < 0 || (asks > 0 && !c->c))
		return sql_table_fail(t->sql, &t->base, problem);
	return cursor_next(base);
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
	return !((struct cursor *)base)->c;
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
	struct cursor *c = (struct cursor *)base;
	const struct vtab *t = vtab_of(base);
	const struct sql_column *column;

	if (i >= (int)t->columns->len) /* an argument */
		return SQLITE_OK;
	column = &g_array_index(t->columns, struct sql_column, i);
	if (!c->filled) {
		c->cells.columns = NULL;
		c->cells.n = 0;
		c->cells.wanted = 0;
		c->filled = true;
	}
	if (!(c->cells.wanted >> column->number & 1)) {
		/* SQLite does not tell a cursor which columns it is asked for: those of each row so far. */
		c->wanted |= UINT64_C(1) << column->number;
		table_row_clear(&c->cells);
		table_row_fill(&c->cells, c->wanted, c->c->table->columns, c->row, &c->c->in);
	}
	sql_table_cell(to, column->type, &c->cells.cells[column->number]);
	return SQLITE_OK;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
	*id = ((struct cursor *)base)->id;
	return SQLITE_OK;
}

static const sqlite3_module module = { .iVersion = 0,
	.xConnect = vtab_connect,
	.xBestIndex = best_index,
	.xDisconnect = vtab_disconnect,
	.xOpen = cursor_open,
	.xClose = cursor_close,
	.xFilter = cursor_filter,
	.xNext = cursor_next,
	.xEof = cursor_eof,
	.xColumn = cursor_column,
	.xRowid = cursor_rowid };

bool sql_table_add(struct sql *s, const struct sql_source *source, GError **error)
{
	struct module_of *of = g_new(struct module_of, 1);

	*of = (struct module_of){ s, source };
	g_hash_table_add(s->tables, (gpointer)(uintptr_t)sql_source_name(source));
	if (sqlite3_create_module_v2(s->db, sql_source_name(source), &module, of, g_free) == SQLITE_OK)
		return true;
	return base_error_false(error, BASE_ERROR_IO, "SQLite: %s", sqlite3_errmsg(s->db));
}
