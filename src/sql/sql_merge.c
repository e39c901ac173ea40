/* SPDX-License-Identifier: MIT */
/*
 * HOW IT WORKS
 *
 *     SELECT name, avg(dur) d FROM sched JOIN thread USING (utid) WHERE dur > 9 GROUP BY name ORDER BY d DESC
 *     LIMIT 5
 *
 * becomes, for each host,
 *
 *     SELECT name, total(dur), count(dur) FROM sched JOIN thread USING (utid) WHERE dur > 9 GROUP BY 1
 *
 * The rows from all hosts go to a table "part" (c0, c1, c2) in memory, and the last query reads that:
 *
 *     SELECT c0 AS "name", (total(c1) / nullif(sum(c2), 0)) AS "d" FROM part GROUP BY c0 ORDER BY 2 DESC
 *     LIMIT 5
 *
 * Each host answers a query without aggregates and GROUP BY as it is, with more columns for ORDER BY, and the
 * rows follow each other.
 *
 * On each host SQLite also checks the query as it was typed, so the last query need not find errors.  It
 * accepts only words with a known meaning: keys, aggregates, literals, operators.  All others are refused.
 */
#include "sql/sql_merge.h"

#include "sql/sql_parts.h"
#include "sql/sql_words.h"

#include "base/base_error.h"
#include "base/base_sketch.h"

#include <string.h>

#define NO_COLUMN "no such column: "

/* A part of the query that the last query has in another form. */
struct known {
	struct sql_range at;
	char *whole; /* owned */
};

/* A term of ORDER BY. */
struct order {
	struct sql_range term, suffix; /* SUFFIX: COLLATE, DESC, NULLS LAST, … */
	guint item;                    /* the item whose alias it is; MDL_NONE: none */
	bool is_place;                 /* it is the number of an item */
};

struct sql_merge {
	struct sql_words w;
	GHashTable *summing;                                /* set of the names of aggregates (char *) */
	struct sql_range from, group, having, order, limit; /* FROM: with WHERE; empty: there is none */
	bool distinct, sums;                                /* SUMS: it has aggregates, or GROUP BY */
	GArray *items;      /* of struct sql_range: the terms of SELECT, without their names */
	GArray *names;      /* of guint: the token of the name of each item, MDL_NONE: none */
	GArray *orders;     /* of struct order */
	GArray *keys;       /* of struct sql_range */
	GArray *aggregates; /* of struct known */
	GPtrArray *aliases; /* of char *: used aliases; a column with such a name is an error */
	GString *part;      /* the query of each host */
	guint columns;      /* of the part so far */
	guint extra;        /* not SUMS: columns of the part for ORDER BY only */
	char *whole;        /* the last query; until begin_table() only from FROM on */
	GPtrArray *wholes;  /* of char *: the items of the last query; none if not SUMS */
	struct sql *sql;    /* with the table "part" */
	sqlite3_stmt *insert;
	char *shape; /* columns of the part of the first host; NULL: no part yet */
};

static bool refuse(const struct sql_merge *m, guint at, const char *why, GError **error)
{
	return sql_apart_refuse(&m->w, at, why, error);
}

/* ---- clauses ---- */

static bool refuse_words(const struct sql_merge *m, GError **error)
{
	static const struct {
		const char *word, *why;
	} all[] = { { ";", "a fleet answers one statement" },
		{ "UNION", "rows of several SELECTs cannot be merged: ask for each by itself" },
		{ "INTERSECT", "rows of several SELECTs cannot be merged: ask for each by itself" },
		{ "EXCEPT", "rows of several SELECTs cannot be merged: ask for each by itself" },
		{ "WITH", "WITH cannot be merged: each host would answer it by itself" },
		{ "OVER", "a window function cannot be merged: it goes over the rows of all hosts" },
		{ "FILTER", "FILTER cannot be merged: use WHERE, or sum(CASE …)" } };

	for (guint i = 0; i < m->w.tokens->len; i++) {
		for (gsize k = 0; k < G_N_ELEMENTS(all); k++)
			if (sql_words_is(&m->w, i, all[k].word))
				return refuse(m, i, all[k].why, error);
		if (strchr("\"`[", *sql_words_at(&m->w, i)->at) && sql_words_is(&m->w, i + 1, "("))
			return refuse(m, i, "write the name of a function without quotes", error);
	}
	return true;
}

/* The number of arguments of the call of a function at I; 0: none, or a star. */
static unsigned count_arguments(const struct sql_merge *m, guint i)
{
	guint end = sql_words_behind(&m->w, i + 1) - 1;
	unsigned n = end > i + 2 && !sql_words_is(&m->w, i + 2, "*");

	for (guint k = i + 2; k < end; k++)
		n += sql_words_is(&m->w, k, ",") &&
			sql_words_at(&m->w, k)->depth == sql_words_at(&m->w, i)->depth + 1;
	return n;
}

/* True if an aggregate is called at I.  min() and max() of several arguments are not aggregates. */
static bool is_aggregate(const struct sql_merge *m, guint i)
{
	const struct sql_token *t = sql_words_at(&m->w, i);
	g_autofree char *name = NULL;

	if (!sql_words_is(&m->w, i + 1, "("))
		return false;
	name = g_ascii_strdown(t->at, (gssize)t->length);
	return g_hash_table_contains(m->summing, name) &&
		!((g_str_equal(name, "min") || g_str_equal(name, "max")) && count_arguments(m, i) > 1);
}

static bool has_aggregate(const struct sql_merge *m, struct sql_range r)
{
	for (guint i = r.first; i < r.end; i++)
		if (is_aggregate(m, i))
			return true;
	return false;
}

/* Each host runs subqueries on its own rows, so they must not sum up or choose rows of all hosts. */
static bool refuse_subqueries(const struct sql_merge *m, GError **error)
{
	static const char *const sums[] = { "GROUP", "DISTINCT", "LIMIT", NULL };

	for (guint i = 1; i < m->w.tokens->len; i++) {
		unsigned depth = sql_words_at(&m->w, i)->depth;

		if (!sql_words_is(&m->w, i, "SELECT") || depth == 0)
			continue;
		for (guint k = i + 1; k < m->w.tokens->len && sql_words_at(&m->w, k)->depth >= depth; k++)
			if (is_aggregate(m, k) || sql_words_is_one_of(&m->w, k, sums))
				return refuse(m, k,
					"a subquery that sums up or chooses rows cannot be merged: each host would answer it by itself",
					error);
	}
	return true;
}

/* Take the name off ITEM.  Its token; MDL_NONE: there is none. */
static guint take_name(const struct sql_merge *m, struct sql_range *item)
{
	static const char *const goes_on[] = { "AND", "OR", "NOT", "IS", "IN", "LIKE", "GLOB", "BETWEEN",
		"THEN", "ELSE", "WHEN", "CASE", "COLLATE", "ESCAPE", "FROM", NULL },
				 *const ends[] = { "END", "NULL", "ISNULL", "NOTNULL", NULL };
	guint last = item->end - 1;
	const struct sql_token *before = sql_words_at(&m->w, last - 1);

	if (item->end - item->first < 2 || sql_words_at(&m->w, last)->depth > 0)
		return MDL_NONE;
	if (sql_words_is(&m->w, last - 1, "AS")) {
		item->end -= 2;
		return last;
	}
	if (!sql_words_is_name(&m->w, last) || sql_words_is_one_of(&m->w, last - 1, goes_on) ||
		sql_words_is_one_of(&m->w, last, ends) ||
		!(sql_words_is_name(&m->w, last - 1) || g_ascii_isdigit(*before->at) ||
			strchr(")'", *before->at)))
		return MDL_NONE;
	item->end--;
	return last;
}

/* Add to TO the terms of R, which commas separate. */
static void split(const struct sql_merge *m, GArray *to, struct sql_range r)
{
	static const char *const comma[] = { ",", NULL };

	while (r.first < r.end) {
		struct sql_range one = { r.first, MIN(sql_words_find(&m->w, r.first, comma), r.end) };

		if (one.first < one.end)
			g_array_append_val(to, one);
		r.first = one.end + 1;
	}
}

static bool read_clauses(struct sql_merge *m, GError **error)
{
	static const char *const from[] = { "FROM", NULL }, *const group[] = { "GROUP", NULL },
				 *const having[] = { "HAVING", NULL }, *const order[] = { "ORDER", NULL },
				 *const limit[] = { "LIMIT", NULL };
	const struct sql_words *w = &m->w;
	guint n = w->tokens->len, at[5], item = 1;

	if (!sql_words_is(w, 0, "SELECT"))
		return refuse(m, 0, "a fleet answers one SELECT", error);
	m->distinct = sql_words_is(w, 1, "DISTINCT");
	item += m->distinct || sql_words_is(w, 1, "ALL");
	at[0] = MIN(sql_words_find(w, item, from), n);
	at[1] = sql_words_find(w, at[0], group);
	at[2] = sql_words_find(w, at[0], having);
	at[3] = sql_words_find(w, at[0], order);
	at[4] = sql_words_find(w, at[0], limit);
	m->from = (struct sql_range){ at[0], MIN(MIN(at[1], at[2]), MIN(at[3], at[4])) };
	m->group = (struct sql_range){ MIN(at[1] + 2, n), MIN(at[2], MIN(at[3], at[4])) };
	m->having = (struct sql_range){ MIN(at[2] + 1, n), MIN(at[3], at[4]) };
	m->order = (struct sql_range){ MIN(at[3] + 2, n), at[4] };
	m->limit = (struct sql_range){ MIN(at[4] + 1, n), n };
	split(m, m->items, (struct sql_range){ item, at[0] });
	for (guint i = 0; i < m->items->len; i++) {
		guint name = take_name(m, &g_array_index(m->items, struct sql_range, i));

		g_array_append_val(m->names, name);
		m->sums |= has_aggregate(m, g_array_index(m->items, struct sql_range, i));
	}
	m->sums |= m->group.first < m->group.end || has_aggregate(m, m->having) || has_aggregate(m, m->order);
	return true;
}

/* The item that R is the alias of; MDL_NONE: none. */
static guint alias_of(const struct sql_merge *m, struct sql_range r)
{
	for (guint i = 0; r.end == r.first + 1 && i < m->names->len; i++) {
		guint name = g_array_index(m->names, guint, i);

		if (name != MDL_NONE && sql_words_equal(&m->w, name, r.first))
			return i;
	}
	return MDL_NONE;
}

/* Return the item that R is the number of; MDL_NONE: none. */
static guint place_of(const struct sql_merge *m, struct sql_range r)
{
	g_autofree char *text = sql_words_text(&m->w, r);
	guint64 number;

	return g_ascii_string_to_unsigned(text, 10, 1, UINT32_MAX - 1, &number, NULL) ? (guint)number - 1
										      : MDL_NONE;
}

static void read_order(struct sql_merge *m)
{
	static const char *const suffix[] = { "COLLATE", "ASC", "DESC", "NULLS", NULL };
	g_autoptr(GArray) terms = g_array_new(FALSE, FALSE, sizeof(struct sql_range));

	split(m, terms, m->order);
	for (guint i = 0; i < terms->len; i++) {
		struct sql_range all = g_array_index(terms, struct sql_range, i);
		guint end = MIN(sql_words_find(&m->w, all.first, suffix), all.end);
		struct order o = { .term = { all.first, end }, .suffix = { end, all.end } };

		o.is_place = place_of(m, o.term) != MDL_NONE;
		o.item = alias_of(m, o.term); /* an alias of an item hides a column of that name */
		g_array_append_val(m->orders, o);
	}
}

/* A collation changes which values are equal, which is least and how rows are sorted.  It can be kept only in
 * WHERE, HAVING and at the end of a term of ORDER BY. */
static bool refuse_collations(const struct sql_merge *m, GError **error)
{
	for (guint i = 0; i < m->w.tokens->len; i++) {
		bool fine = (i >= m->from.first && i < m->from.end) ||
			(i >= m->having.first && i < m->having.end && sql_words_at(&m->w, i)->depth == 0);

		for (guint k = 0; k < m->orders->len; k++)
			fine |= i == g_array_index(m->orders, struct order, k).suffix.first;
		if (sql_words_is(&m->w, i, "COLLATE") && !fine)
			return refuse(m, i, "COLLATE cannot be merged here: use lower()", error);
	}
	return true;
}

/* ---- the part ---- */

/* Add the column TEXT to the part.  Returns its number. */
static guint add_column(struct sql_merge *m, const char *text)
{
	g_string_append_printf(m->part, "%s %s", m->columns ? "," : "", text);
	return m->columns++;
}

/* Add the column "NAME(R)" to the part.  Returns its number. */
static guint add_call(struct sql_merge *m, const char *name, struct sql_range r)
{
	g_autofree char *x = sql_words_text(&m->w, r), *text = g_strdup_printf("%s(%s)", name, x);

	return add_column(m, text);
}

static void known_clear(void *known)
{
	g_free(((struct known *)known)->whole);
}

/* Add the aggregate at I.  False with an error if it cannot be merged. */
static bool add_aggregate(struct sql_merge *m, guint i, GError **error)
{
	static const char *const adds[] = { "count", "sum", "total", "min", "max", NULL };
	struct known a = { .at = { i, sql_words_behind(&m->w, i + 1) } };
	struct sql_range inside = { i + 2, a.at.end - 1 };
	guint first;

	if (sql_words_is(&m->w, i + 2, "DISTINCT"))
		return refuse(m, i,
			"an aggregate of DISTINCT values cannot be merged: several hosts may have the same value",
			error);
	if (sql_words_is_one_of(&m->w, i, adds)) {
		g_autofree char *call = sql_words_text(&m->w, a.at),
				*name = sql_words_text(&m->w, (struct sql_range){ i, i + 1 });

		first = add_column(m, call);
		a.whole = g_strdup_printf("%s(c%u)", sql_words_is(&m->w, i, "count") ? "sum" : name, first);
	} else if (sql_words_is(&m->w, i, "avg")) {
		/* SQLite's avg() divides a total(), too; sum() could overflow */
		first = add_call(m, "total", inside);
		a.whole = g_strdup_printf("(total(c%u) / nullif(sum(c%u), 0))", first,
			add_call(m, "count", inside));
	} else if (sql_words_is(&m->w, i, "quantile")) {
		g_autoptr(GArray) arguments = g_array_new(FALSE, FALSE, sizeof(struct sql_range));
		g_autofree char *p = NULL;
		double share;

		split(m, arguments, inside);
		if (arguments->len != 2)
			return refuse(m, i, "quantile(x, p) takes two arguments", error);
		p = sql_words_text(&m->w, g_array_index(arguments, struct sql_range, 1));
		share = g_ascii_strtod(p, NULL);
		if (!*p || strspn(p, "0123456789.") != strlen(p) || share > 1)
			return refuse(m, i, "the p of quantile(x, p) must be a number from 0 to 1", error);
		first = add_call(m, "sketch", g_array_index(arguments, struct sql_range, 0));
		a.whole = g_strdup_printf("sketched(c%u, %s)", first, p);
	} else {
		return refuse(m, i,
			"this aggregate cannot be merged: use count, sum, total, avg, min, max or quantile",
			error);
	}
	g_array_append_val(m->aggregates, a);
	return true;
}

static bool add_aggregates(struct sql_merge *m, struct sql_range r, GError **error)
{
	for (guint i = r.first; i < r.end; i++) {
		if (!is_aggregate(m, i))
			continue;
		if (!add_aggregate(m, i, error))
			return false;
		i = sql_words_behind(&m->w, i + 1) - 1;
	}
	return true;
}

/* ---- keys ---- */

/* Note that NAME, a token, is the alias of an item. */
static void use_alias(struct sql_merge *m, guint name)
{
	const struct sql_token *t = sql_words_at(&m->w, name);

	g_ptr_array_add(m->aliases,
		strchr("\"`['", *t->at) ? g_strndup(t->at + 1, t->length - 2) : g_strndup(t->at, t->length));
}

static bool is_key(const struct sql_merge *m, struct sql_range r)
{
	for (guint i = 0; i < m->keys->len; i++)
		if (sql_words_same(&m->w, g_array_index(m->keys, struct sql_range, i), r))
			return true;
	return false;
}

/* Add the keys: the terms of GROUP BY, or of DISTINCT all items. */
static bool add_keys(struct sql_merge *m, GError **error)
{
	g_autoptr(GArray) terms = g_array_new(FALSE, FALSE, sizeof(struct sql_range));
	bool host = false;
	guint number = MDL_NONE;

	if (m->sums)
		split(m, terms, m->group);
	else
		g_array_append_vals(terms, m->items->data, m->items->len);
	for (guint i = 0; i < terms->len; i++) {
		struct sql_range r = g_array_index(terms, struct sql_range, i);
		guint place = m->sums ? place_of(m, r) : MDL_NONE,
		      alias = m->sums ? alias_of(m, r) : MDL_NONE;

		if (place != MDL_NONE || alias != MDL_NONE) {
			if (place >= m->items->len && alias == MDL_NONE)
				return refuse(m, r.first, "the query has fewer columns", error);
			if (place == MDL_NONE)
				use_alias(m, r.first);
			r = g_array_index(m->items, struct sql_range, place == MDL_NONE ? alias : place);
		}
		if (is_key(m, r))
			continue;
		for (guint k = r.first; k < r.end; k++)
			if (sql_apart_is_number(&m->w, k))
				number = k;
		host |= sql_words_is(&m->w, r.end - 1, "host") &&
			(r.end - r.first == 1 ||
				(r.end - r.first == 3 && sql_words_is(&m->w, r.first + 1, ".")));
		g_array_append_val(m->keys, r);
	}
	if (number != MDL_NONE && !host)
		return refuse(m, number,
			"this number means something else on another host: add host to GROUP BY, or select it, too",
			error);
	for (guint i = 0; i < m->keys->len; i++) {
		g_autofree char *text = sql_words_text(&m->w, g_array_index(m->keys, struct sql_range, i));

		add_column(m, text);
	}
	return true;
}

/* ---- the last query ---- */

/* True if KEY at AT is a whole operand there, within R. */
static bool is_operand(const struct sql_merge *m, struct sql_range key, struct sql_range at,
	struct sql_range r)
{
	const struct sql_words *w = &m->w;
	guint n = key.end - key.first, paren = key.first + (n > 1 && !sql_words_is(w, key.first, "("));

	if ((at.first > r.first && sql_words_is(w, at.first - 1, ".")) || sql_words_is(w, at.end, ".") ||
		(n == 1 && sql_words_is(w, at.end, "(")))
		return false;
	return n == 1 || (n == 3 && sql_words_is(w, key.first + 1, ".")) ||
		(sql_words_is(w, paren, "(") && sql_words_behind(w, paren) == key.end) ||
		((at.first == r.first || sql_words_is(w, at.first - 1, "(") ||
			 sql_words_is(w, at.first - 1, ",")) &&
			(at.end == r.end || sql_words_is(w, at.end, ")") || sql_words_is(w, at.end, ",")));
}

/* Return the longest key at token I within R; *END: the token behind it.  MDL_NONE: none. */
static guint key_at(const struct sql_merge *m, guint i, struct sql_range r, guint *end)
{
	guint found = MDL_NONE;

	*end = i;
	for (guint k = 0; k < m->keys->len; k++) {
		struct sql_range key = g_array_index(m->keys, struct sql_range, k),
				 at = { i, i + key.end - key.first };

		if (at.end > r.end || at.end <= *end || !sql_words_same(&m->w, key, at) ||
			!is_operand(m, key, at, r))
			continue;
		found = k;
		*end = at.end;
	}
	return found;
}

static const struct known *aggregate_at(const struct sql_merge *m, guint i)
{
	for (guint k = 0; k < m->aggregates->len; k++)
		if (g_array_index(m->aggregates, struct known, k).at.first == i)
			return &g_array_index(m->aggregates, struct known, k);
	return NULL;
}

/* True if token I, of an expression from FIRST on, depends on no row and no host, so the last query can
 * repeat it. */
static bool is_constant(const struct sql_merge *m, guint i, guint first)
{
	static const char *const words[] = { "AND", "OR", "NOT", "IS", "NULL", "ISNULL", "NOTNULL", "IN",
		"LIKE", "GLOB", "BETWEEN", "CASE", "WHEN", "THEN", "ELSE", "END", "CAST", "AS", "COLLATE",
		"ESCAPE", "OFFSET", "DISTINCT", "FROM", NULL },
				 *const names[] = { "AS", "COLLATE", NULL };
	char c = *sql_words_at(&m->w, i)->at;

	if (sql_words_is(&m->w, i, "SELECT") || strchr("?:@", c))
		return false;
	return !sql_words_is_name(&m->w, i) || sql_words_is_one_of(&m->w, i, words) ||
		sql_words_is(&m->w, i + 1, "(") || (i > first && sql_words_is_one_of(&m->w, i - 1, names));
}

/* Append R in its form for the last query.  NAMES: R may use aliases of items.  False with an error. */
static bool put_whole(struct sql_merge *m, GString *to, struct sql_range r, bool names, GError **error)
{
	for (guint i = r.first; i < r.end;) {
		const struct known *sum = aggregate_at(m, i);
		guint end, key = key_at(m, i, r, &end), item = alias_of(m, (struct sql_range){ i, i + 1 });
		const struct sql_token *t = sql_words_at(&m->w, i),
				       *before = sql_words_at(&m->w, i > 0 ? i - 1 : i);

		if (t->at > before->at + before->length)
			g_string_append_c(to, ' ');
		if (sum) {
			g_string_append_printf(to, " %s ", sum->whole);
			i = sum->at.end;
		} else if (key != MDL_NONE) {
			/* a value compared with the column would not get the affinity of the cast */
			if (sql_words_is(&m->w, i, "CAST") && (end - i < r.end - r.first || names))
				return refuse(m, i, "compare or compute with a CAST within WHERE, not here",
					error);
			g_string_append_printf(to, " c%u ", key);
			i = end;
		} else if (names && item != MDL_NONE && !sql_words_is(&m->w, i + 1, "(")) {
			use_alias(m, i);
			g_string_append(to, " (");
			if (!put_whole(m, to, g_array_index(m->items, struct sql_range, item), true, error))
				return false;
			g_string_append(to, ") ");
			i++;
		} else if (is_constant(m, i, r.first)) {
			g_string_append_len(to, t->at, (gssize)t->length);
			i++;
		} else {
			return refuse(m, i,
				"neither an aggregate nor in GROUP BY: its host and row are undefined",
				error);
		}
	}
	return true;
}

static void put_text(const struct sql_merge *m, GString *to, struct sql_range r)
{
	g_autofree char *text = sql_words_text(&m->w, r);

	g_string_append_printf(to, " %s", text);
}

/* Append ORDER BY and LIMIT of the last query.  False with an error. */
static bool put_order(struct sql_merge *m, GString *to, GError **error)
{
	for (guint i = 0; i < m->orders->len; i++) {
		struct order o = g_array_index(m->orders, struct order, i);
		struct sql_range r = o.item == MDL_NONE ? o.term
							: g_array_index(m->items, struct sql_range, o.item);

		g_string_append(to, i ? "," : " ORDER BY");
		if (o.is_place) {
			put_text(m, to, o.term);
		} else if (m->keys->len > 0 || m->sums) {
			if (!put_whole(m, to, r, o.item == MDL_NONE, error))
				return false;
		} else {
			g_autofree char *text = sql_words_text(&m->w, r);

			g_string_append_printf(to, " e%u", m->extra++);
			add_column(m, text);
		}
		put_text(m, to, o.suffix);
	}
	if (m->limit.first == m->limit.end)
		return true;
	g_string_append(to, " LIMIT");
	return put_whole(m, to, m->limit, false, error);
}

/* Plan a query with groups of rows. */
static bool plan_sums(struct sql_merge *m, GString *whole, GError **error)
{
	g_string_assign(m->part, "SELECT");
	if (!add_keys(m, error))
		return false;
	for (guint i = 0; i < m->items->len; i++)
		if (!add_aggregates(m, g_array_index(m->items, struct sql_range, i), error))
			return false;
	if (!add_aggregates(m, m->having, error) || !add_aggregates(m, m->order, error))
		return false;
	for (guint i = 0; i < m->items->len; i++) {
		struct sql_range item = g_array_index(m->items, struct sql_range, i);
		GString *one = g_string_new(NULL);
		bool fine = sql_words_is(&m->w, item.end - 1, "*")
			? refuse(m, item.first, "name the columns: * has those of one host", error)
			: put_whole(m, one, item, false, error);

		g_ptr_array_add(m->wholes, g_string_free(one, FALSE));
		if (!fine)
			return false;
	}
	put_text(m, m->part, m->from);
	for (guint i = 0; i < m->keys->len; i++) {
		g_string_append_printf(m->part, "%s %u", i ? "," : " GROUP BY", i + 1);
		g_string_append_printf(whole, "%s c%u", i ? "," : " GROUP BY", i);
	}
	if (m->having.first < m->having.end) {
		g_string_append(whole, " HAVING");
		if (!put_whole(m, whole, m->having, true, error))
			return false;
	}
	return put_order(m, whole, error);
}

/* Plan a query whose result has the rows of one host after those of another. */
static bool plan_rows(struct sql_merge *m, GString *whole, GError **error)
{
	static const char *const skips[] = { "OFFSET", ",", NULL };
	struct sql_range all = { 0, m->from.first };

	put_text(m, m->part, all);
	m->columns = 1; /* at least */
	if (!put_order(m, whole, error))
		return false;
	put_text(m, m->part, m->from);
	/* With its own ORDER BY and LIMIT a host sends enough rows for the result, unless OFFSET skips
	 * some. */
	if (m->limit.first == m->limit.end || sql_words_find(&m->w, m->limit.first, skips) < m->limit.end)
		return true;
	if (m->orders->len > 0) {
		g_string_append(m->part, " ORDER BY");
		put_text(m, m->part, m->order);
	}
	g_string_append(m->part, " LIMIT");
	put_text(m, m->part, m->limit);
	return true;
}

static bool plan(struct sql_merge *m, GError **error)
{
	g_autoptr(GString) whole = g_string_new(" FROM part");
	bool fine = refuse_words(m, error) && refuse_subqueries(m, error) && read_clauses(m, error) &&
		sql_apart_check(&m->w, error);

	if (!fine)
		return false;
	if (m->distinct && m->sums)
		return refuse(m, 1,
			"DISTINCT of sums cannot be merged: leave it out, or GROUP BY all columns", error);
	read_order(m);
	fine = refuse_collations(m, error) &&
		(m->sums || m->distinct ? plan_sums(m, whole, error) : plan_rows(m, whole, error));
	m->whole = g_string_free(g_steal_pointer(&whole), FALSE);
	return fine;
}

/* Get the names of all aggregates from SQLite. */
static bool find_summing(struct sql_merge *m, GError **error)
{
	sqlite3_stmt *s = NULL;

	m->sql->copies = true;
	if (sqlite3_prepare_v2(m->sql->db,
		    "SELECT lower(name) FROM pragma_function_list WHERE type IN ('a', 'w')", -1, &s,
		    NULL) == SQLITE_OK)
		while (sqlite3_step(s) == SQLITE_ROW)
			g_hash_table_add(m->summing, g_strdup((const char *)sqlite3_column_text(s, 0)));
	sqlite3_finalize(s);
	m->sql->copies = false;
	return g_hash_table_contains(m->summing, "count") ||
		sql_result_fail(m->sql, sqlite3_errcode(m->sql->db), error);
}

struct sql_merge *sql_merge_new(const char *query, GError **error)
{
	struct sql_merge *m = g_new0(struct sql_merge, 1);

	sql_words_read(&m->w, query);
	m->summing = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	m->items = g_array_new(FALSE, FALSE, sizeof(struct sql_range));
	m->names = g_array_new(FALSE, FALSE, sizeof(guint));
	m->orders = g_array_new(FALSE, FALSE, sizeof(struct order));
	m->keys = g_array_new(FALSE, FALSE, sizeof(struct sql_range));
	m->aggregates = g_array_new(FALSE, FALSE, sizeof(struct known));
	g_array_set_clear_func(m->aggregates, known_clear);
	m->aliases = g_ptr_array_new_with_free_func(g_free);
	m->wholes = g_ptr_array_new_with_free_func(g_free);
	m->part = g_string_new(NULL);
	m->sql = sql_open_empty(NULL, error);
	if (!m->sql || !find_summing(m, error) || !plan(m, error))
		g_clear_pointer(&m, sql_merge_free);
	return m;
}

void sql_merge_free(struct sql_merge *m)
{
	if (!m)
		return;
	sqlite3_finalize(m->insert);
	sql_free(m->sql);
	sql_words_clear(&m->w);
	g_hash_table_unref(m->summing);
	g_free(m->whole);
	g_free(m->shape);
	g_array_unref(m->items);
	g_array_unref(m->names);
	g_array_unref(m->orders);
	g_array_unref(m->keys);
	g_array_unref(m->aggregates);
	g_ptr_array_unref(m->aliases);
	g_ptr_array_unref(m->wholes);
	g_string_free(m->part, TRUE);
	g_free(m);
}

/* ---- parts as bytes: the names of the result, the names and types of the columns; then the values of all
 * rows ---- */

static void put_bytes(GByteArray *to, const char *bytes, size_t length)
{
	base_sketch_put_number(to, length);
	g_byte_array_append(to, (const guint8 *)bytes, (guint)length);
}

static void put_value(GByteArray *to, const struct sql_value *value)
{
	base_sketch_put_number(to, value->kind + 8 * value->is_blob);
	if (value->kind == SQL_INTEGER)
		base_sketch_put_number(to, base_varint_zigzag(value->number));
	else if (value->kind == SQL_REAL)
		g_byte_array_append(to, (const guint8 *)&value->real, sizeof value->real);
	else if (value->kind == SQL_TEXT)
		put_bytes(to, value->text, value->length);
}

/* Let SQLite check the query as it was typed.  An alias that is also a column is an error, because the place
 * decides which of the two SQLite takes.  BYTES gets the names of the result. */
static bool check_query(const struct sql_merge *m, struct sql *s, GByteArray *bytes, GError **error)
{
	const char *text = m->w.text;
	struct sql_result *r = sql_result_new(s, m->w.text, &text, error);
	g_autofree char *from = sql_words_text(&m->w, m->from);
	bool fine = r;

	if (!fine)
		return false;
	base_sketch_put_number(bytes, sql_result_count(r));
	for (unsigned i = 0; i < sql_result_count(r); i++)
		put_bytes(bytes, sql_result_name(r, i), strlen(sql_result_name(r, i)));
	sql_result_free(r);
	for (guint i = 0; fine && i < m->aliases->len; i++) {
		const char *alias = g_ptr_array_index(m->aliases, i);
		g_autofree char *query = g_strdup_printf("SELECT [%s] %s", alias, from);
		sqlite3_stmt *statement = NULL;
		int status = sqlite3_prepare_v2(s->db, query, -1, &statement, NULL);

		sqlite3_finalize(statement);
		fine = status == SQLITE_ERROR && g_str_has_prefix(sqlite3_errmsg(s->db), NO_COLUMN);
		if (!fine)
			g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
				"%s is a column, and the name of a result: give the result another name",
				alias);
	}
	return fine;
}

bool sql_merge_part(const struct sql_merge *m, struct sql *s, GByteArray *bytes, GError **error)
{
	const char *text = m->part->str;
	struct sql_result *r = check_query(m, s, bytes, error) ? sql_result_new(s, text, &text, error) : NULL;
	unsigned n = r ? sql_result_count(r) : 0;
	int more = r ? sql_result_next(r, error) : -1;

	base_sketch_put_number(bytes, n);
	for (unsigned i = 0; more >= 0 && i < n; i++) {
		enum table_type declared = sql_result_declared(r, i);
		/* Without a type SQLite keeps values as they are. */
		const char *type = declared == TABLE_ANY ? "" : sql_column_type(declared);

		put_bytes(bytes, type, strlen(type));
	}
	for (; more > 0; more = sql_result_next(r, error))
		for (unsigned i = 0; i < n; i++) {
			struct sql_value value = sql_result_value(r, i);

			put_value(bytes, &value);
		}
	sql_result_free(r);
	return more == 0;
}

static char *get_bytes(struct base_varints *in, size_t *length)
{
	char *bytes;

	*length = base_varints_get_up_to(in, in->p ? (uint64_t)(in->end - in->p) : 0);
	bytes = in->p ? g_strndup((const char *)in->p, *length) : g_strdup("");
	if (in->p) {
		memcpy(bytes, in->p, *length); /* may contain a NUL */
		in->p += *length;
	}
	return bytes;
}

static void put_quoted(GString *to, const char *name)
{
	for (g_string_append_c(to, '"'); *name; name++)
		g_string_append_printf(to, *name == '"' ? "\"\"" : "%c", *name);
	g_string_append_c(to, '"');
}

/* Make the table "part" with N columns of TYPES, and the last query, whose result has NAMES. */
static bool begin_table(struct sql_merge *m, const GPtrArray *names, const GPtrArray *types, GError **error)
{
	g_autoptr(GString) create = g_string_new("CREATE TABLE part ("),
			   insert = g_string_new("INSERT INTO part VALUES ("),
			   select = g_string_new("SELECT");
	guint own = types->len - m->extra;
	char *rest = m->whole;
	bool fine;

	for (guint i = 0; i < types->len; i++) {
		g_string_append_printf(create, "%s%c%u %s", i ? ", " : "", i < own ? 'c' : 'e',
			i < own ? i : i - own, (const char *)g_ptr_array_index(types, i));
		g_string_append(insert, i ? ", ?" : "?");
	}
	for (guint i = 0; i < names->len; i++) {
		g_string_append(select, i ? ", " : " ");
		if (i < m->wholes->len)
			g_string_append(select, g_ptr_array_index(m->wholes, i));
		else
			g_string_append_printf(select, "c%u", i);
		g_string_append(select, " AS ");
		put_quoted(select, g_ptr_array_index(names, i));
	}
	m->whole = g_strconcat(select->str, rest, NULL);
	g_free(rest);
	g_string_append_c(create, ')');
	g_string_append_c(insert, ')');
	m->columns = types->len;
	m->sql->copies = true;
	fine = sqlite3_exec(m->sql->db, create->str, NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(m->sql->db, insert->str, -1, &m->insert, NULL) == SQLITE_OK;
	m->sql->copies = false;
	return fine || sql_result_fail(m->sql, sqlite3_errcode(m->sql->db), error);
}

/* Read the columns of a part.  False with an error if they are not those of the parts before. */
static bool get_columns(struct sql_merge *m, struct base_varints *in, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free),
			     types = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GString) shape = g_string_new(NULL);

	for (unsigned k = 0; k < 2; k++)
		for (uint64_t n = base_varints_get_up_to(in, TABLE_COLUMNS_MAX); n > 0; n--) {
			size_t length;
			char *text = get_bytes(in, &length);

			g_ptr_array_add(k ? types : names, text);
			g_string_append_printf(shape, "%s%s", shape->len ? ", " : "", text);
		}
	if (!m->shape) {
		m->shape = g_strdup(shape->str);
		return begin_table(m, names, types, error);
	}
	return g_str_equal(m->shape, shape->str) ||
		base_error_false(error, BASE_ERROR_USAGE,
			"the columns or their types differ between hosts (%s; %s): name columns that are the same on all hosts",
			m->shape, shape->str);
}

static void get_value(struct sql_merge *m, int i, struct base_varints *in)
{
	size_t length;
	double real;
	char *bytes;
	uint64_t kind = base_varints_get(in);

	switch (kind % 8) {
	case SQL_INTEGER: sqlite3_bind_int64(m->insert, i, base_varint_unzigzag(base_varints_get(in))); break;
	case SQL_REAL:
		if (!in->p || in->end - in->p < (ptrdiff_t)sizeof real) {
			in->p = NULL;
			return;
		}
		memcpy(&real, in->p, sizeof real);
		in->p += sizeof real;
		sqlite3_bind_double(m->insert, i, real);
		break;
	case SQL_TEXT:
		bytes = get_bytes(in, &length);
		if (kind > 8)
			sqlite3_bind_blob64(m->insert, i, bytes, length, g_free);
		else
			sqlite3_bind_text64(m->insert, i, bytes, length, g_free, SQLITE_UTF8);
		break;
	default: sqlite3_bind_null(m->insert, i);
	}
}

bool sql_merge_add(struct sql_merge *m, const uint8_t *bytes, size_t size, GError **error)
{
	struct base_varints in = { bytes, bytes + size };

	if (!get_columns(m, &in, error))
		return false;
	while (in.p && in.p < in.end && m->columns > 0) {
		for (guint i = 1; i <= m->columns; i++)
			get_value(m, (int)i, &in);
		if (sqlite3_step(m->insert) != SQLITE_DONE)
			return sql_result_fail(m->sql, sqlite3_errcode(m->sql->db), error);
		sqlite3_reset(m->insert);
	}
	return in.p || base_error_false(error, BASE_ERROR_IO, "the answer of a host was cut short");
}

bool sql_merge_whole(struct sql_merge *m, struct sql **s, const char **text, GError **error)
{
	if (!m->shape)
		return base_error_false(error, BASE_ERROR_NO_ANSWER, "no host has answered");
	*s = m->sql;
	*text = m->whole;
	return true;
}
