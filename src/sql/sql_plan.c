/* SPDX-License-Identifier: MIT */
/*
 * Plans of virtual tables: the constraints of a statement that the table itself applies, so that SQLite does
 * not read all of its rows.
 *
 * A plan is a text: a bit mask of the columns that the statement names, as a decimal number, then a pair of
 * characters for each value that SQLite must pass to xFilter: its use (enum use), and the number of a column
 * or an argument.  Constraints that the table supports go into the question.  A text that must be equal is
 * compared before the other cells of its row are made.  SQLite checks all constraints again, so a value of
 * another type than the column may select too much, never too little.
 */
#include "sql/sql_vtab.h"

#include "analysis/kind/advice.h"
#include "base/base_error.h"

#include <string.h>

#define FIRST '0' /* number 0 in a pair */

enum use {
	USE_ARGUMENT = 'a',
	USE_ROW = 'r',
	USE_ROWS = 'R', /* a list of rows */
	USE_HOST = 'h',
	USE_KIND = 'k',
	USE_FROM = '>', /* at or after */
	USE_TO = '<',   /* at or before */
	USE_AT = '=',
	USE_ENDS = 'e', /* ends after */
	USE_TEXT = 't',
};

/* ---- plans ---- */

struct plan {
	const struct sql_vtab *t;
	sqlite3_index_info *info;
	GString *uses;
	double rows;
	unsigned given; /* a bit for each argument */
	bool row, many; /* constrained to one thread; to a list of threads */
	unsigned n_texts;
};

static void plan_use(struct plan *p, int i, char use, int number)
{
	g_string_append_c(p->uses, use);
	g_string_append_c(p->uses, (char)(FIRST + number));
	p->info->aConstraintUsage[i].argvIndex = (int)p->uses->len / 2;
}

char sql_plan_time(unsigned op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ: return USE_AT;
	case SQLITE_INDEX_CONSTRAINT_GT:
	case SQLITE_INDEX_CONSTRAINT_GE: return USE_FROM;
	case SQLITE_INDEX_CONSTRAINT_LT:
	case SQLITE_INDEX_CONSTRAINT_LE: return USE_TO;
	default: return 0;
	}
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
		p->n_texts < SQL_CHECKS && g_str_equal(sqlite3_vtab_collation(p->info, i), "BINARY")) {
		plan_use(p, i, USE_TEXT, (int)g_array_index(p->t->columns, struct sql_column, column).number);
		p->n_texts++;
		p->rows /= 4;
	}
}

/* Use constraint I.  False if a plan needs its value and SQLite cannot give it. */
static bool plan_constraint(struct plan *p, int i)
{
	const struct sqlite3_index_constraint *c = &p->info->aConstraint[i];
	int argument = c->iColumn - (int)p->t->columns->len;
	bool is_time = c->iColumn == p->t->ts && p->t->source->table->takes & TABLE_TAKES_WINDOW;

	if (c->iColumn < 0)
		return true;
	if (c->iColumn == p->t->ends) {
		if (c->usable && sql_plan_time(c->op) == USE_FROM) {
			plan_use(p, i, USE_ENDS, 0);
			p->rows /= 4;
		}
		return true;
	}
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
	if (is_time && sql_plan_time(c->op)) {
		plan_use(p, i, sql_plan_time(c->op), 0);
		p->rows /= 4;
	} else if (!is_time && c->op == SQLITE_INDEX_CONSTRAINT_EQ) {
		plan_equal(p, i, c->iColumn);
	}
	return true;
}

/* True if rows come in the order of ORDER BY, or grouped where that is enough (sqlite3_vtab_distinct()). */
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

int sql_plan_find(const struct sql_vtab *t, sqlite3_index_info *info)
{
	struct plan p = { .t = t, .info = info, .uses = g_string_new(NULL), .rows = (double)t->rows };
	unsigned required = (1u << t->source->required) - 1;

	for (int i = 0; i < info->nConstraint; i++)
		if (!plan_constraint(&p, i)) {
			g_string_free(p.uses, TRUE);
			return SQLITE_CONSTRAINT;
		}
	info->idxStr = sqlite3_mprintf("%lld %s",
		(sqlite3_int64)(info->colUsed | (t->in.sql->needs_ids ? SQL_TELLS_APART : 0)), p.uses->str);
	info->needToFreeIdxStr = 1;
	g_string_free(p.uses, TRUE);
	if ((p.given & required) != required)
		return SQLITE_CONSTRAINT;
	info->orderByConsumed = plan_is_ordered(&p);
	info->estimatedRows = (sqlite3_int64)MAX(p.rows, 1);
	info->estimatedCost = MAX(p.rows, 1) + 4;
	return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- constraints ---- */

/* A value that a column is compared with: a number; NULL, which matches nothing; or left to SQLite. */
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

/* Restrict the question to the threads in the list VALUE.  False if no thread is in it. */
static bool ask_rows(struct sql_cursor *c, sqlite3_value *value)
{
	const struct qry *q = sql_vtab_of(c)->in.sql->q;
	sqlite3_value *one;
	guint n = 0;

	c->utids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	for (int found = sqlite3_vtab_in_first(value, &one); found == SQLITE_OK && one;
		found = sqlite3_vtab_in_next(value, &one)) {
		int64_t utid;
		uint32_t row;

		switch (tell_number(one, &utid)) {
		case TOLD_LATER: /* read all threads, and let SQLite filter */
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

bool sql_plan_window(char use, sqlite3_value *value, int64_t *from, int64_t *to)
{
	int64_t time;
	enum told told = tell_number(value, &time);

	if (told == TOLD_NUMBER && use != USE_TO)
		*from = MAX(*from, time);
	if (told == TOLD_NUMBER && use != USE_FROM && time < INT64_MAX - 1)
		*to = MIN(*to, time + 2); /* a real number was rounded down */
	return told != TOLD_NOTHING && *from < *to;
}

/* Restrict the question by VALUE, whose use is the pair at USE.  False if no row can match it. */
static bool ask_value(struct sql_cursor *c, const char *use, sqlite3_value *value)
{
	const struct qry *q = sql_vtab_of(c)->in.sql->q;
	bool is_string = sqlite3_value_type(value) == SQLITE_TEXT;
	const char *text = is_string ? (const char *)sqlite3_value_text(value) : NULL;
	int64_t utid, time;

	if (sqlite3_value_type(value) == SQLITE_NULL && use[0] != USE_ROWS)
		return false;
	switch (use[0]) {
	case USE_ROW:
		if (tell_number(value, &utid) != TOLD_NUMBER)
			return true;
		c->ask.row = (uint32_t)utid;
		return is_thread(q, utid);
	case USE_ROWS: return ask_rows(c, value);
	case USE_ENDS:
		if (tell_number(value, &time) == TOLD_NUMBER && time > INT64_MIN)
			c->ask.ends_after = MAX(c->ask.ends_after, time - 1); /* >= */
		return true;
	case USE_HOST: return !text || qry_find_host(q, text, &c->ask.host, NULL);
	case USE_KIND:
		if (text && !c->ask.kind)
			c->ask.kind = g_strdup(text);
		return true;
	case USE_TEXT:
		if (text)
			c->checks[c->n_checks++] = (struct check){ (unsigned)(use[1] - FIRST),
				g_strdup(text) };
		return true;
	default: return sql_plan_window(use[0], value, &c->ask.from, &c->ask.to);
	}
}

/* True if a host recorded sched_switch; else false with BASE_ERROR_NO_ANSWER. */
static bool has_switches(struct qry *q, GError **error)
{
	for (uint32_t i = 0; i < qry_host_count(q); i++)
		if (!ana_advice_switches(q, i))
			return true;
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"%s: no sched_switch was recorded, so it is unknown when threads ran or waited; record it with: %s",
		qry_host(q, 0)->name, ana_advice_switches(q, 0));
}

/* Restrict the question by all VALUES that are not arguments; those go to ARGUMENTS.  False if no row can
 * match. */
static bool ask_all(struct sql_cursor *c, const char *uses, sqlite3_value **values, sqlite3_value **arguments)
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

/* The columns of the table, a bit each, for USED, the columns in SQL that the statement names. */
static uint64_t wanted(const struct sql_vtab *t, uint64_t used)
{
	uint64_t all = 0;

	for (guint i = 0; i < t->columns->len; i++)
		if (used >> MIN(i, 63) & 1)
			all |= UINT64_C(1) << g_array_index(t->columns, struct sql_column, i).number;
	if (t->ends >= 0 && used >> MIN(t->ends, 63) & 1)
		all |= UINT64_C(1) << g_array_index(t->columns, struct sql_column, t->ts).number |
			UINT64_C(1) << g_array_index(t->columns, struct sql_column, t->dur).number;
	return all;
}

int sql_plan_ask(struct sql_cursor *c, const char *plan, sqlite3_value **values, GError **error)
{
	const struct sql_vtab *t = sql_vtab_of(c);
	sqlite3_value *arguments[SQL_ARGUMENTS_MAX + 1] = { NULL };
	char *uses;

	c->used = (uint64_t)g_ascii_strtoll(plan, &uses, 10);
	c->reads = wanted(t, c->used);
	if (t->source->table->takes & TABLE_NEEDS_SWITCHES && !has_switches(t->in.sql->q, error))
		return -1;
	if (!ask_all(c, uses + 1, values, arguments))
		return 0;
	c->ask.rules = t->in.sql->rules;
	return t->source->ask ? t->source->ask(t->in.sql, arguments, &c->ask, error) : 1;
}
