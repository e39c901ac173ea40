/* SPDX-License-Identifier: MIT */
/*
 * overlap(a, b): the overlaps of the intervals of one query with those of another.
 *
 * A and B are the text of a query or the name of a table.  The columns are ts, dur, a value and a key; the
 * last two may be missing.  Both queries run at the same time, sorted by ts.  Two lists keep the intervals
 * that are not over yet; the next one that begins meets those in the list of the other side.
 */
#include "sql/sql_parts.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <string.h>

#define OPEN_MOST 100000 /* intervals of one side that are not over */

struct asked {
	struct sql *sql; /* weak */
	char *text[2];   /* owned */
};

struct interval {
	int64_t from, to;
	sqlite3_value *value, *key; /* owned; NULL: none */
};

/* The intervals of A, or of B. */
struct side {
	sqlite3_stmt *statement; /* owned */
	bool has_next;
	struct interval next;
	GArray *open; /* of struct interval, owned */
};

struct overlap {
	struct table_cursor of;
	struct side sides[2];
	unsigned now;          /* the side whose interval begins */
	struct interval begun; /* weak: that interval, the last of its list */
	guint at;              /* the first in the list of the other side that it has not met yet */
	struct meeting {
		const struct interval *of[2]; /* weak: of A, of B */
		int64_t from, to;
	} meeting;
};

/* ---- arguments ---- */

static int overlap_ask(struct sql *s, sqlite3_value *const *values, struct table_question *ask,
	G_GNUC_UNUSED GError **error)
{
	struct asked *a;

	for (unsigned i = 0; i < 2; i++)
		if (!sqlite3_value_text(values[i]))
			return 0;
	a = g_new0(struct asked, 1);
	a->sql = s;
	for (unsigned i = 0; i < 2; i++)
		a->text[i] = g_strdup((const char *)sqlite3_value_text(values[i]));
	ask->result = a;
	return 1;
}

static void overlap_forget(struct table_question *ask)
{
	struct asked *a = (struct asked *)(uintptr_t)ask->result;

	if (!a)
		return;
	g_free(a->text[0]);
	g_free(a->text[1]);
	g_free(a);
}

/* ---- sides ---- */

static bool fail(struct sql *s, const char *what, GError **error)
{
	g_autofree char *clean = base_text_clean(what, -1);

	if (s->problem)
		g_propagate_error(error, g_steal_pointer(&s->problem));
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "overlap(): %s", clean);
	return false;
}

static bool is_name(const char *text)
{
	return *text && strspn(text, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_") == strlen(text);
}

static bool side_open(struct sql *s, struct side *side, const char *text, GError **error)
{
	g_autofree char *query = is_name(text) ? g_strdup_printf("SELECT ts, dur FROM %s ORDER BY ts", text)
					       : g_strdup_printf("SELECT * FROM (%s\n) ORDER BY 1", text);
	const char *rest;

	side->open = g_array_new(FALSE, FALSE, sizeof(struct interval));
	s->needs_ids = true;
	if (sqlite3_prepare_v2(s->db, query, -1, &side->statement, &rest) != SQLITE_OK)
		return fail(s, sqlite3_errmsg(s->db), error);
	if (!side->statement || sqlite3_column_count(side->statement) < 2 || *rest)
		return fail(s,
			"each argument is a table, or one SELECT with the columns ts, dur[, value[, key]]",
			error);
	return true;
}

static void interval_clear(struct interval *i)
{
	sqlite3_value_free(i->value);
	sqlite3_value_free(i->key);
}

static sqlite3_value *copy(sqlite3_stmt *statement, int column)
{
	return column < sqlite3_column_count(statement)
		? sqlite3_value_dup(sqlite3_column_value(statement, column))
		: NULL;
}

/* Read the next interval of SIDE, unless it was read already.  Skips intervals that are empty or have no ts
 * or dur. */
static bool side_look(struct sql *s, struct side *side, GError **error)
{
	int status = SQLITE_ROW;

	while (!side->has_next && side->statement && (status = sqlite3_step(side->statement)) == SQLITE_ROW) {
		int64_t from = sqlite3_column_int64(side->statement, 0),
			dur = sqlite3_column_int64(side->statement, 1);

		if (sqlite3_column_type(side->statement, 0) == SQLITE_NULL || dur <= 0)
			continue;
		side->next = (struct interval){ base_time_near(from),
			base_time_shift(base_time_near(from), dur), copy(side->statement, 2),
			copy(side->statement, 3) };
		side->has_next = true;
	}
	if (status != SQLITE_ROW && status != SQLITE_DONE)
		return fail(s, sqlite3_errmsg(s->db), error);
	if (status == SQLITE_DONE)
		g_clear_pointer(&side->statement, sqlite3_finalize);
	return true;
}

/* Remove the intervals that are over at TIME. */
static void side_end(struct side *side, int64_t time)
{
	guint n = 0;

	for (guint i = 0; i < side->open->len; i++) {
		struct interval *iv = &g_array_index(side->open, struct interval, i);

		if (iv->to > time)
			g_array_index(side->open, struct interval, n++) = *iv;
		else
			interval_clear(iv);
	}
	g_array_set_size(side->open, n);
}

/* ---- rows ---- */

static bool overlap_open(struct table_cursor *cursor, GError **error)
{
	struct overlap *c = (struct overlap *)cursor;
	const struct asked *a = cursor->ask.result;

	return side_open(a->sql, &c->sides[0], a->text[0], error) &&
		side_open(a->sql, &c->sides[1], a->text[1], error);
}

static bool same_key(sqlite3_value *a, sqlite3_value *b)
{
	if (!a || !b)
		return true;
	if (sqlite3_value_type(a) == SQLITE_NULL || sqlite3_value_type(b) == SQLITE_NULL)
		return false;
	if (sqlite3_value_type(a) == SQLITE_INTEGER && sqlite3_value_type(b) == SQLITE_INTEGER)
		return sqlite3_value_int64(a) == sqlite3_value_int64(b);
	return !g_strcmp0((const char *)sqlite3_value_text(a), (const char *)sqlite3_value_text(b));
}

/* Begin the next interval of both sides.  Returns 1; 0 at the end; -1 with an error. */
static int begin(struct overlap *c, GError **error)
{
	struct sql *s = ((const struct asked *)c->of.ask.result)->sql;
	struct side *side;

	if (!side_look(s, &c->sides[0], error) || !side_look(s, &c->sides[1], error))
		return -1;
	if (!c->sides[0].has_next && !c->sides[1].has_next)
		return 0;
	c->now = !c->sides[0].has_next ||
		(c->sides[1].has_next && c->sides[1].next.from < c->sides[0].next.from);
	side = &c->sides[c->now];
	c->begun = side->next;
	side->has_next = false;
	side_end(&c->sides[0], c->begun.from);
	side_end(&c->sides[1], c->begun.from);
	g_array_append_val(side->open, c->begun);
	c->at = 0;
	if (side->open->len <= OPEN_MOST)
		return 1;
	g_set_error(error, BASE_ERROR, BASE_ERROR_REFUSED,
		"overlap(): more than " G_STRINGIFY(OPEN_MOST) " intervals of one query overlap each other");
	return -1;
}

static int overlap_next(struct table_cursor *cursor, const void **row, GError **error)
{
	struct overlap *c = (struct overlap *)cursor;
	const GArray *others = c->sides[!c->now].open;
	int more = 1;

	while (true) {
		for (; c->at < others->len; c->at++) {
			const struct interval *other = &g_array_index(others, struct interval, c->at);

			if (c->begun.to <= c->begun.from || !same_key(other->key, c->begun.key))
				continue;
			c->meeting.of[c->now] = &c->begun;
			c->meeting.of[!c->now] = other;
			c->meeting.from = c->begun.from;
			c->meeting.to = MIN(other->to, c->begun.to);
			c->at++;
			*row = &c->meeting;
			return 1;
		}
		more = begin(c, error);
		if (more <= 0)
			return more;
		others = c->sides[!c->now].open;
	}
}

static void overlap_close(struct table_cursor *cursor)
{
	struct overlap *c = (struct overlap *)cursor;

	for (unsigned i = 0; i < 2; i++) {
		struct side *side = &c->sides[i];

		sqlite3_finalize(side->statement);
		if (side->has_next)
			interval_clear(&side->next);
		for (guint k = 0; side->open && k < side->open->len; k++)
			interval_clear(&g_array_index(side->open, struct interval, k));
		if (side->open)
			g_array_unref(side->open);
	}
}

/* ---- columns ---- */

static void put_value(struct table_cell *cell, sqlite3_value *value)
{
	switch (value ? sqlite3_value_type(value) : SQLITE_NULL) {
	case SQLITE_NULL: break;
	case SQLITE_INTEGER: cell->number = sqlite3_value_int64(value); break;
	case SQLITE_FLOAT: cell->share = sqlite3_value_double(value); break;
	default: cell->taken = g_strdup((const char *)sqlite3_value_text(value));
	}
}

TABLE_COLUMNS(overlap_columns)
{
	const struct meeting *m = row;

	TABLE_COLUMN("ts", NULL, TABLE_TIME, "begin of the time that both have", number = m->from);
	TABLE_COLUMN("dur", NULL, TABLE_DURATION, "its length", number = m->to - m->from);
	TABLE_COLUMN_BY("a_value", NULL, TABLE_ANY, "third column of `a`", put_value(cell, m->of[0]->value));
	TABLE_COLUMN_BY("b_value", NULL, TABLE_ANY, "third column of `b`", put_value(cell, m->of[1]->value));
	TABLE_COLUMN("a_ts", NULL, TABLE_TIME, "the interval of `a`", number = m->of[0]->from);
	TABLE_COLUMN("a_dur", NULL, TABLE_DURATION, "the interval of `a`",
		number = m->of[0]->to - m->of[0]->from);
	TABLE_COLUMN("b_ts", NULL, TABLE_TIME, "the interval of `b`", number = m->of[1]->from);
	TABLE_COLUMN("b_dur", NULL, TABLE_DURATION, "the interval of `b`",
		number = m->of[1]->to - m->of[1]->from);
}

static const struct table overlap_table = {
	.name = "overlap",
	.list = "overlap",
	.doc = "an interval of `a` and one of `b` that have some time in common. `a` and `b` are names of tables, or texts of SELECTs with the columns `ts`, `dur`, and perhaps a value and a key; intervals meet only if their keys are equal: `overlap('SELECT ts, dur, name, cpu FROM irq', 'SELECT ts, dur, utid, cpu FROM sched')`",
	.columns = overlap_columns,
	.size = sizeof(struct overlap),
	.takes = TABLE_BY_TIME,
	.open = overlap_open,
	.next = overlap_next,
	.close = overlap_close,
};

const struct sql_source sql_source_overlap = {
	.table = &overlap_table,
	.arguments = { "a", "b" },
	.required = 2,
	.ask = overlap_ask,
	.forget = overlap_forget,
};
