/* SPDX-License-Identifier: MIT */
/*
 * Accepts a statement if each host can run it on its own rows and the result is the same as on the rows of
 * all hosts.
 *
 * HOW IT WORKS
 *
 * This holds if each row of the result is made of rows of one host.  So the tables of one FROM must be tied
 * to each other by a condition that is always required: "a.utid = b.utid" (or host, by_utid, …) between ANDs
 * of ON or WHERE, or USING (utid).  A table with arguments reads the recording of one host, so it needs no
 * tie.  A subquery in an expression must be "utid IN (SELECT utid …)", and a subquery in FROM must pass on
 * rows.
 *
 * Unknown forms are refused, so a condition that only looks like a tie cannot make a wrong answer.
 */
#include "sql/sql_words.h"

#include "sql/sql_parts.h"

#include <string.h>

#define WRITE_TIE \
	"rows of several hosts would meet: tie the tables by a.utid = b.utid or a.host = b.host, each between ANDs, or by USING"

/* Columns whose numbers mean something else on each host; and the columns that can tie tables. */
static const char *const numbers[] = { "utid", "by_utid", "end_utid", "in_utid", "rowid", "oid", "_rowid_",
	NULL };
static const char *const keys[] = { "utid", "by_utid", "end_utid", "in_utid", "host", NULL };

/* A table in FROM. */
struct source {
	guint name; /* token of its name or alias */
	bool tied;  /* to the first table */
	bool using; /* USING names it and the tables before it */
};

bool sql_apart_refuse(const struct sql_words *w, guint i, const char *why, GError **error)
{
	return sql_result_fail_at(w->text, sql_words_at(w, i)->length ? sql_words_at(w, i)->at : w->text, why,
		error);
}

bool sql_apart_is_number(const struct sql_words *w, guint i)
{
	return sql_words_is_one_of(w, i, numbers);
}

/* The table that token I names; NULL: none. */
static struct source *source_of(const struct sql_words *w, const GArray *sources, guint i)
{
	for (guint k = 0; k < sources->len; k++)
		if (sql_words_equal(w, g_array_index(sources, struct source, k).name, i))
			return &g_array_index(sources, struct source, k);
	return NULL;
}

static const char *const ends_table[] = { "ON", "USING", "JOIN", "LEFT", "RIGHT", "FULL", "INNER", "OUTER",
	"CROSS", "NATURAL", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", ",", ")", NULL };
static const char *const ends_condition[] = { "JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL",
	"WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", ",", NULL };

/* Read the table at I.  *BEHIND: the token behind it.  False with an error. */
static bool add_source(const struct sql_words *w, GArray *sources, guint i, guint *behind, GError **error)
{
	struct source s = { .name = i };

	if (sql_words_is(w, i, "(")) {
		if (!sql_words_is(w, i + 1, "SELECT"))
			return sql_apart_refuse(w, i, "write joins without parentheses", error);
		*behind = sql_words_behind(w, i);
	} else {
		while (sql_words_is(w, i + 1, ".")) /* of a schema */
			i += 2;
		s.name = i;
		s.tied = sql_words_is(w, i + 1, "(");
		*behind = s.tied ? sql_words_behind(w, i + 1) : i + 1;
	}
	*behind += sql_words_is(w, *behind, "AS");
	if (sql_words_is_name(w, *behind) && !sql_words_is_one_of(w, *behind, ends_table))
		s.name = (*behind)++;
	if (source_of(w, sources, s.name))
		return sql_apart_refuse(w, s.name, "give each table a name of its own", error);
	g_array_append_val(sources, s);
	return true;
}

/* If "A.utid = B.utid" is at I, nothing follows it before AND, and one of the two is tied: tie the other.
 * True if it did. */
static bool tie(const struct sql_words *w, const GArray *sources, guint i, guint end)
{
	struct source *a = source_of(w, sources, i), *b = source_of(w, sources, i + 4);
	bool is_tie = a && b && sql_words_is(w, i + 1, ".") && sql_words_is_one_of(w, i + 2, keys) &&
		sql_words_is(w, i + 3, "=") && sql_words_is(w, i + 5, ".") &&
		sql_words_is_one_of(w, i + 6, keys) &&
		sql_words_is(w, i + 2, "host") == sql_words_is(w, i + 6, "host") &&
		(i + 7 >= end || sql_words_is(w, i + 7, "AND"));

	if (!is_tie || a->tied == b->tied)
		return false;
	a->tied = b->tied = true;
	return true;
}

/* Tie the tables that the condition after ON or WHERE, the token I, ties.  OUTER: some joins are outer joins;
 * then ON does not restrict rows of the tables before its own.  True if it tied any. */
static bool tie_all(const struct sql_words *w, const GArray *sources, guint i, bool outer)
{
	static const char *const unknown[] = { "OR", "CASE", "BETWEEN", NULL },
				 *const and[] = { "AND", NULL };
	bool any = false, is_strict = outer && sql_words_is(w, i, "ON");
	guint end = sql_words_find(w, ++i, ends_condition);

	for (guint k = 0;
		is_strict && k + 1 < sources->len && g_array_index(sources, struct source, k + 1).name < i;
		k++)
		if (!g_array_index(sources, struct source, k).tied)
			return false;
	if (sql_words_find(w, i, unknown) < end)
		return false;
	for (; i < end; i = sql_words_find(w, i, and) + 1)
		any |= tie(w, sources, i, end);
	return any;
}

/* Tie the tables with USING if all tables before them are tied.  True if it tied any. */
static bool tie_using(const GArray *sources)
{
	bool before = true, any = false;

	for (guint i = 0; i < sources->len; before &= g_array_index(sources, struct source, i++).tied) {
		struct source *s = &g_array_index(sources, struct source, i);

		any |= before && s->using && !s->tied;
		s->tied |= before && s->using;
	}
	return any;
}

/* Check that all tables in FROM of the SELECT at I are tied.  BELOW: set for the tokens SELECT of its
 * subqueries. */
static bool check_from(const struct sql_words *w, guint i, bool *below, GError **error)
{
	static const char *const from[] = { "FROM", NULL },
				 *const ends[] = { "GROUP", "HAVING", "ORDER", "LIMIT", NULL },
				 *const conditions[] = { "ON", "WHERE", NULL },
				 *const outer_joins[] = { "LEFT", "RIGHT", "FULL", NULL };
	guint begin = sql_words_find(w, i, from), end = sql_words_find(w, i, ends), at = begin;
	unsigned depth = sql_words_at(w, i)->depth;
	g_autoptr(GArray) sources = g_array_new(FALSE, FALSE, sizeof(struct source));
	bool more = true, outer = sql_words_find(w, begin, outer_joins) < end;

	if (!sql_words_is(w, begin, "FROM"))
		return sql_apart_refuse(w, i, "no table is named: each host would answer it by itself",
			error);
	while (at < end && !sql_words_is(w, at, "WHERE")) {
		guint behind = at + 1;

		if (sql_words_at(w, at)->depth != depth) {
			at++;
			continue;
		}
		if (sql_words_is(w, at, "NATURAL"))
			return sql_apart_refuse(w, at, "name the columns by USING instead of NATURAL", error);
		if (sql_words_is(w, at, "FROM") || sql_words_is(w, at, "JOIN") || sql_words_is(w, at, ",")) {
			below[at + 2] = sql_words_is(w, at + 1, "(");
			if (!add_source(w, sources, at + 1, &behind, error))
				return false;
		}
		for (guint k = at + 2; sql_words_is(w, at, "USING") && k < sql_words_behind(w, at + 1); k++)
			g_array_index(sources, struct source, sources->len - 1).using |= sql_words_is(w, k,
												 "utid") ||
				sql_words_is(w, k, "host");
		at = behind;
	}
	for (guint k = 0; k < sources->len && more; k++) {
		more = g_array_index(sources, struct source, k).tied; /* has arguments: go on to the next */
		g_array_index(sources, struct source, k).tied = true;
	}
	for (more = true; more;) {
		more = tie_using(sources);
		for (at = begin; at < end; at++)
			if (sql_words_at(w, at)->depth == depth && sql_words_is_one_of(w, at, conditions))
				more |= tie_all(w, sources, at, outer);
	}
	for (guint k = 0; k < sources->len; k++)
		if (!g_array_index(sources, struct source, k).tied)
			return sql_apart_refuse(w, g_array_index(sources, struct source, k).name, WRITE_TIE,
				error);
	return true;
}

/* A subquery in FROM must pass on the columns that tie unchanged, and must not use their names for anything
 * else. */
static bool check_names(const struct sql_words *w, guint i, GError **error)
{
	static const char *const from[] = { "FROM", NULL }, *const before[] = { "SELECT", ",", ".", NULL },
				 *const after[] = { ",", "FROM", NULL };
	guint end = sql_words_find(w, i, from);

	for (guint k = i + 1; k < end; k++)
		if ((sql_words_is_one_of(w, k, keys) || sql_apart_is_number(w, k)) &&
			(!sql_words_is_one_of(w, k - 1, before) || !sql_words_is_one_of(w, k + 1, after) ||
				sql_words_at(w, k)->depth != sql_words_at(w, i)->depth))
			return sql_apart_refuse(w, k,
				"a subquery must pass this column on unchanged and use its name for nothing else",
				error);
		else if (strchr("\"`['", *sql_words_at(w, k)->at))
			return sql_apart_refuse(w, k, "write names and texts in a subquery without quotes",
				error);
	return true;
}

static bool is_digit(const struct sql_words *w, guint i)
{
	return strchr("0123456789$?:@", *sql_words_at(w, i)->at) && sql_words_at(w, i)->length > 0;
}

/* True if token I is a column whose numbers differ by host, and is compared with a number or a parameter. */
static bool is_typed(const struct sql_words *w, guint i)
{
	static const char *const compares[] = { "=", "<", ">", "!", "IS", "NOT", "IN", "(", "BETWEEN", "+",
		"-", "%", NULL };
	guint before = i - (sql_words_is(w, i - 1, ".") ? 3 : 1), after = i + 1;

	if (!sql_apart_is_number(w, i))
		return false;
	while (sql_words_is_one_of(w, after, compares))
		after++;
	while (before < i && sql_words_is_one_of(w, before, compares) && !sql_words_is(w, before, "("))
		before--;
	return (after > i + 1 && is_digit(w, after)) || (before + 1 < i && is_digit(w, before));
}

/* True if the SELECT at I is part of "utid IN (SELECT utid FROM". */
static bool is_in(const struct sql_words *w, guint i)
{
	static const char *const before[] = { "WHERE", "ON", "AND", "OR", "NOT", "(", NULL };
	guint in = i - 2, column = i + 1, first;

	if (i < 6 || !sql_words_is(w, in, "IN"))
		return false;
	in -= sql_words_is(w, in - 1, "NOT");
	column += sql_words_is(w, column + 1, ".") ? 2 : 0;
	first = in - (sql_words_is(w, in - 2, ".") ? 4 : 2);
	return sql_words_is_one_of(w, first, before) && sql_words_is_one_of(w, in - 1, keys) &&
		sql_words_is_one_of(w, column, keys) && sql_words_is(w, column + 1, "FROM") &&
		sql_words_is(w, in - 1, "host") == sql_words_is(w, column, "host");
}

bool sql_apart_check(const struct sql_words *w, GError **error)
{
	bool *below = g_new0(bool, w->tokens->len + 3), fine = true;

	for (guint i = 0; fine && i < w->tokens->len; i++) {
		if (sql_words_is(w, i, "VALUES") ||
			(sql_words_is(w, i, "IN") && !sql_words_is(w, i + 1, "(")))
			fine = sql_apart_refuse(w, i, "write a list of values as IN (1, 2)", error);
		if (fine && is_typed(w, i))
			fine = sql_apart_refuse(w, i,
				"this number means something else on each host: name a thread by tid or name",
				error);
		if (!sql_words_is(w, i, "SELECT") || !fine)
			continue;
		if (i > 0 && !below[i] && !is_in(w, i))
			fine = sql_apart_refuse(w, i,
				"a subquery cannot be merged, except utid IN (SELECT utid …), host IN (SELECT host …) and rows in FROM",
				error);
		fine = fine && (!below[i] || check_names(w, i, error)) && check_from(w, i, below, error);
	}
	g_free(below);
	return fine;
}
