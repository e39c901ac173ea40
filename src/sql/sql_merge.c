/* SPDX-License-Identifier: MIT */
/*
 * HOW IT WORKS
 *
 *     SELECT name, avg(dur) d FROM sched JOIN thread USING (utid) WHERE dur > 9 GROUP BY name ORDER BY d DESC LIMIT 5
 *
 * becomes, for each host,
 *
 *     SELECT name, sum(dur), count(dur) FROM sched JOIN thread USING (utid) WHERE dur > 9 GROUP BY 1
 *
 * whose rows of all hosts are those of a table "part" (k0, a0, a1) in memory, and of that
 *
 *     SELECT k0 AS "name", (sum(a0) * 1.0 / sum(a1)) AS "d" FROM part GROUP BY k0 ORDER BY d DESC LIMIT 5
 *
 * A query without aggregates and GROUP BY is answered by each host as it is, and the rows follow each other.
 *
 * Words are all that is known of the query: SQLite checks the part, and what is refused here is what could be wrong
 * without any error.
 */
#include "sql/sql_merge.h"

#include "sql/sql_parts.h"

#include "base/base_error.h"
#include "base/base_sketch.h"
#include "base/base_time.h"

#include <string.h>

struct token {
	const char *at;
	size_t length;
	unsigned depth; /* of parentheses around it */
};

/* Tokens FIRST to before END. */
struct range {
	guint first, end;
};

/* An aggregate in the query. */
struct aggregate {
	struct range call;
	char *whole; /* in place of CALL in the last query; owned */
};

struct sql_merge {
	char *query;
	GArray *tokens;                                 /* of struct token */
	struct range from, group, having, order, limit; /* FROM: with WHERE; empty: there is none */
	bool distinct, sums;                            /* SUMS: it has aggregates, or GROUP BY */
	GArray *items;      /* of struct range: of the result, without their names */
	GPtrArray *names;   /* of char *: their names, NULL: none */
	GPtrArray *keys;    /* of char *: expressions */
	GArray *aggregates; /* of struct aggregate */
	GPtrArray *parts;   /* of char *: columns for the aggregates */
	GString *part;      /* the query of each host */
	char *whole;        /* the last query; NULL: not known yet */
	struct sql *sql;    /* with the table "part"; NULL: no part came yet */
	sqlite3_stmt *insert;
	unsigned columns;
};

/* ---- words ---- */

static const char *behind(const char *at, const char *mark)
{
	const char *found = strstr(at, mark);

	return found ? found + strlen(mark) : at + strlen(at);
}

static const char *behind_quoted(const char *at)
{
	char end = *at == '[' ? ']' : *at;

	for (at++; *at; at++) {
		if (*at != end)
			continue;
		if (end == ']' || at[1] != end)
			return at + 1;
		at++;
	}
	return at;
}

static bool in_word(char c)
{
	return g_ascii_isalnum(c) || c == '_' || c == '$' || c & 0x80;
}

static const char *behind_token(const char *at)
{
	if (strchr("'\"`[", *at))
		return behind_quoted(at);
	if (!in_word(*at))
		return at + 1;
	while (in_word(*at) || (*at == '.' && g_ascii_isdigit(at[1]) && g_ascii_isdigit(at[-1])))
		at++;
	return at;
}

static void read_tokens(struct sql_merge *m)
{
	unsigned depth = 0;

	for (const char *at = m->query; *at;) {
		struct token t = { .at = at };

		if (g_ascii_isspace(*at)) {
			at++;
			continue;
		}
		if (at[0] == '-' && at[1] == '-') {
			at = behind(at, "\n");
			continue;
		}
		if (at[0] == '/' && at[1] == '*') {
			at = behind(at + 2, "*/");
			continue;
		}
		at = behind_token(at);
		depth -= *t.at == ')' && depth > 0;
		t.length = (size_t)(at - t.at);
		t.depth = depth;
		depth += *t.at == '(';
		g_array_append_val(m->tokens, t);
	}
	while (m->tokens->len > 0 && *g_array_index(m->tokens, struct token, m->tokens->len - 1).at == ';')
		g_array_set_size(m->tokens, m->tokens->len - 1);
}

static const struct token *token_at(const struct sql_merge *m, guint i)
{
	static const struct token none = { "", 0, 0 };

	return i < m->tokens->len ? &g_array_index(m->tokens, struct token, i) : &none;
}

static bool is(const struct sql_merge *m, guint i, const char *word)
{
	const struct token *t = token_at(m, i);

	return t->length == strlen(word) && g_ascii_strncasecmp(t->at, word, t->length) == 0;
}

static bool is_one_of(const struct sql_merge *m, guint i, const char *const *words)
{
	for (; *words; words++)
		if (is(m, i, *words))
			return true;
	return false;
}

/* The text of R, as it was typed. */
static char *text_of(const struct sql_merge *m, struct range r)
{
	const struct token *last = token_at(m, r.end - 1);

	return r.first < r.end ? g_strndup(token_at(m, r.first)->at,
					 (gsize)(last->at + last->length - token_at(m, r.first)->at))
			       : g_strdup("");
}

static bool is_same(const struct sql_merge *m, struct range a, struct range b)
{
	if (a.end - a.first != b.end - b.first)
		return false;
	for (guint i = 0; i < a.end - a.first; i++) {
		const struct token *x = token_at(m, a.first + i), *y = token_at(m, b.first + i);

		if (x->length != y->length || g_ascii_strncasecmp(x->at, y->at, x->length) != 0)
			return false;
	}
	return true;
}

static bool refuse(const struct sql_merge *m, guint at, const char *why, GError **error)
{
	return sql_result_fail_at(m->query, token_at(m, at)->length ? token_at(m, at)->at : m->query, why,
		error);
}

/* ---- clauses ---- */

/* The first of WORDS outside of parentheses from FROM on; the end of the query if there is none. */
static guint find_clause(const struct sql_merge *m, guint from, const char *const *words)
{
	for (; from < m->tokens->len; from++)
		if (token_at(m, from)->depth == 0 && is_one_of(m, from, words))
			return from;
	return from;
}

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

	for (guint i = 0; i < m->tokens->len; i++)
		for (gsize k = 0; k < G_N_ELEMENTS(all); k++)
			if (is(m, i, all[k].word))
				return refuse(m, i, all[k].why, error);
	return true;
}

static const char *const summing[] = { "count", "sum", "total", "avg", "min", "max", "quantile", "stddev",
	"quantize", "lquantize", "first", "last", "group_concat", "string_agg", "json_group_array",
	"json_group_object", NULL };

/* The token behind the call of a function at I: behind its ")". */
static guint behind_call(const struct sql_merge *m, guint i)
{
	unsigned depth = token_at(m, i)->depth;

	for (i += 2; i < m->tokens->len && !(is(m, i, ")") && token_at(m, i)->depth == depth); i++)
		;
	return MIN(i + 1, m->tokens->len);
}

/* The number of arguments of the call of a function at I; 0: none, or a star. */
static unsigned count_arguments(const struct sql_merge *m, guint i)
{
	guint end = behind_call(m, i) - 1;
	unsigned n = end > i + 2 && !is(m, i + 2, "*");

	for (guint k = i + 2; k < end; k++)
		n += is(m, k, ",") && token_at(m, k)->depth == token_at(m, i)->depth + 1;
	return n;
}

/* True if an aggregate is called at I.  min() and max() of several arguments are none. */
static bool is_aggregate(const struct sql_merge *m, guint i)
{
	return is_one_of(m, i, summing) && is(m, i + 1, "(") &&
		!((is(m, i, "min") || is(m, i, "max")) && count_arguments(m, i) > 1);
}

/* What is within parentheses is answered by each host: only its rows may come out of it. */
static bool refuse_subqueries(const struct sql_merge *m, GError **error)
{
	static const char *const sums[] = { "GROUP", "DISTINCT", "LIMIT", NULL };

	for (guint i = 1; i < m->tokens->len; i++) {
		unsigned depth = token_at(m, i)->depth;

		if (!is(m, i, "SELECT") || depth == 0)
			continue;
		for (guint k = i + 1; k < m->tokens->len && token_at(m, k)->depth >= depth; k++)
			if (is_aggregate(m, k) || is_one_of(m, k, sums))
				return refuse(m, k,
					"a subquery that sums up or chooses rows cannot be merged: each host would answer it by itself",
					error);
	}
	return true;
}

static bool read_clauses(struct sql_merge *m, GError **error)
{
	static const char *const from[] = { "FROM", NULL }, *const group[] = { "GROUP", NULL },
				 *const having[] = { "HAVING", NULL }, *const order[] = { "ORDER", NULL },
				 *const limit[] = { "LIMIT", NULL };
	guint n = m->tokens->len, at[5], item = 1;

	if (!is(m, 0, "SELECT"))
		return refuse(m, 0, "a fleet answers one SELECT", error);
	m->distinct = is(m, 1, "DISTINCT");
	item += m->distinct || is(m, 1, "ALL");
	at[0] = find_clause(m, item, from);
	at[1] = find_clause(m, at[0], group);
	at[2] = find_clause(m, at[0], having);
	at[3] = find_clause(m, at[0], order);
	at[4] = find_clause(m, at[0], limit);
	m->from = (struct range){ at[0], MIN(MIN(at[1], at[2]), MIN(at[3], at[4])) };
	m->group = (struct range){ MIN(at[1] + 2, n), MIN(at[2], MIN(at[3], at[4])) };
	m->having = (struct range){ MIN(at[2] + 1, n), MIN(at[3], at[4]) };
	m->order = (struct range){ MIN(at[3] + 2, n), at[4] };
	m->limit = (struct range){ MIN(at[4] + 1, n), n };
	for (guint i = item; i <= at[0]; i++) {
		struct range one = { item, i };

		if (i < at[0] && !(is(m, i, ",") && token_at(m, i)->depth == 0))
			continue;
		g_array_append_val(m->items, one);
		item = i + 1;
	}
	return true;
}

/* Take the name off item ITEM. */
static char *take_name(const struct sql_merge *m, struct range *item)
{
	static const char *const goes_on[] = { "AND", "OR", "NOT", "IS", "IN", "LIKE", "GLOB", "BETWEEN",
		"THEN", "ELSE", "WHEN", "CASE", "COLLATE", "ESCAPE", "FROM", NULL },
				 *const ends[] = { "END", "NULL", "ISNULL", "NOTNULL", "AS", NULL };
	guint last = item->end - 1;
	const struct token *t = token_at(m, last);
	bool named = item->end - item->first > 1 && t->depth == 0 &&
		((in_word(*t->at) && !g_ascii_isdigit(*t->at)) || strchr("\"`[", *t->at));
	char *name;

	if (!named)
		return NULL;
	if (is(m, last - 1, "AS")) {
		item->end -= 2;
	} else {
		const struct token *before = token_at(m, last - 1);

		if (is_one_of(m, last - 1, goes_on) || is_one_of(m, last, ends) ||
			!(in_word(*before->at) || strchr(")'\"`]", before->at[before->length - 1])))
			return NULL;
		item->end--;
	}
	name = strchr("\"`[", *t->at) ? g_strndup(t->at + 1, t->length - 2) : g_strndup(t->at, t->length);
	return name;
}

/* ---- aggregates ---- */

static char *part_name(const struct sql_merge *m, guint i)
{
	return g_strdup_printf("a%u", m->parts->len + i);
}

/* Add the aggregate at I.  False with an error if it cannot be merged. */
static bool add_aggregate(struct sql_merge *m, guint i, GError **error)
{
	struct aggregate a = { .call = { i, behind_call(m, i) } };
	g_autofree char *call = text_of(m, a.call), *first = part_name(m, 0), *second = part_name(m, 1);
	struct range inside = { i + 2, a.call.end - 1 };

	if (is(m, i + 2, "DISTINCT"))
		return refuse(m, i,
			"an aggregate of DISTINCT values cannot be merged: several hosts may have the same value",
			error);
	if (is(m, i, "count") || is(m, i, "sum") || is(m, i, "total") || is(m, i, "min") || is(m, i, "max")) {
		g_autofree char *name = g_ascii_strdown(token_at(m, i)->at, (gssize)token_at(m, i)->length);

		a.whole = g_strdup_printf("%s(%s)", g_str_equal(name, "count") ? "sum" : name, first);
		g_ptr_array_add(m->parts, g_steal_pointer(&call));
	} else if (is(m, i, "avg")) {
		g_autofree char *x = text_of(m, inside);

		a.whole = g_strdup_printf("(total(%s) / nullif(sum(%s), 0))", first, second);
		g_ptr_array_add(m->parts, g_strdup_printf("sum(%s)", x));
		g_ptr_array_add(m->parts, g_strdup_printf("count(%s)", x));
	} else if (is(m, i, "quantile")) {
		guint comma = a.call.end - 1;
		g_autofree char *x = NULL, *p = NULL;

		while (comma > i &&
			!(is(m, comma, ",") && token_at(m, comma)->depth == token_at(m, i)->depth + 1))
			comma--;
		x = text_of(m, (struct range){ i + 2, comma });
		p = text_of(m, (struct range){ comma + 1, a.call.end - 1 });
		if (comma <= i + 2)
			return refuse(m, i, "quantile(x, p) takes two arguments", error);
		a.whole = g_strdup_printf("sketched(%s, %s)", first, p);
		g_ptr_array_add(m->parts, g_strdup_printf("sketch(%s)", x));
	} else {
		return refuse(m, i,
			"this aggregate cannot be merged: use count, sum, total, avg, min, max or quantile",
			error);
	}
	g_array_append_val(m->aggregates, a);
	return true;
}

static bool add_aggregates(struct sql_merge *m, struct range r, GError **error)
{
	for (guint i = r.first; i < r.end; i++) {
		if (!is_aggregate(m, i))
			continue;
		if (!add_aggregate(m, i, error))
			return false;
		i = behind_call(m, i) - 1;
	}
	return true;
}

static bool has_aggregate(const struct sql_merge *m, struct range r)
{
	for (guint i = r.first; i < r.end; i++)
		if (is_aggregate(m, i))
			return true;
	return false;
}

/* ---- keys ---- */

/* The number of key TEXT, which is added unless it is there. */
static guint key_of(struct sql_merge *m, const char *text)
{
	guint i;

	if (g_ptr_array_find_with_equal_func(m->keys, text, g_str_equal, &i))
		return i;
	g_ptr_array_add(m->keys, g_strdup(text));
	return m->keys->len - 1;
}

/* Return the item that R of GROUP BY or ORDER BY means by its number, its name or its text; MDL_NONE: none. */
static guint item_of(const struct sql_merge *m, struct range r)
{
	g_autofree char *text = text_of(m, r);
	guint64 number;

	if (g_ascii_string_to_unsigned(text, 10, 1, m->items->len, &number, NULL))
		return (guint)number - 1;
	for (guint i = 0; i < m->items->len; i++)
		if (is_same(m, g_array_index(m->items, struct range, i), r))
			return i;
	for (guint i = 0; i < m->items->len; i++) {
		const char *name = g_ptr_array_index(m->names, i);

		if (name && g_ascii_strcasecmp(name, text) == 0)
			return i;
	}
	return MDL_NONE;
}

/* Add the keys of GROUP BY (or of DISTINCT), and check that there is no other item but aggregates. */
static bool add_keys(struct sql_merge *m, GError **error)
{
	guint begin = m->group.first;

	for (guint i = m->group.first; i <= m->group.end && m->group.first < m->group.end; i++) {
		struct range one = { begin, i };
		guint item;
		g_autofree char *text = NULL;

		if (i < m->group.end && !(is(m, i, ",") && token_at(m, i)->depth == 0))
			continue;
		item = item_of(m, one);
		text = text_of(m, item == MDL_NONE ? one : g_array_index(m->items, struct range, item));
		key_of(m, text);
		begin = i + 1;
	}
	for (guint i = 0; i < m->items->len; i++) {
		struct range item = g_array_index(m->items, struct range, i);
		g_autofree char *text = text_of(m, item);

		if (is(m, item.first, "*"))
			return refuse(m, item.first, "name the columns: * has those of one host", error);
		if (has_aggregate(m, item))
			continue;
		if (m->distinct && !m->sums)
			key_of(m, text);
		else if (!g_ptr_array_find_with_equal_func(m->keys, text, g_str_equal, NULL))
			return refuse(m, item.first,
				"neither an aggregate nor in GROUP BY: of which host and row it would be is not told",
				error);
	}
	return true;
}

/* ---- the two queries ---- */

/* Append R with columns of "part" for aggregates and keys. */
static void put_whole(const struct sql_merge *m, GString *to, struct range r)
{
	for (guint i = r.first; i < r.end; i++) {
		const struct aggregate *found = NULL;
		guint key = MDL_NONE, behind_key = i;

		for (guint k = 0; k < m->aggregates->len && !found; k++)
			if (g_array_index(m->aggregates, struct aggregate, k).call.first == i)
				found = &g_array_index(m->aggregates, struct aggregate, k);
		for (guint end = r.end; !found && end > i && key == MDL_NONE; end--) {
			g_autofree char *text = text_of(m, (struct range){ i, end });

			if (g_ptr_array_find_with_equal_func(m->keys, text, g_str_equal, &key))
				behind_key = end;
			else
				key = MDL_NONE;
		}
		if (found)
			g_string_append_printf(to, " %s", found->whole);
		else if (key != MDL_NONE)
			g_string_append_printf(to, " k%u", key);
		else
			g_string_append_printf(to, " %.*s", (int)token_at(m, i)->length, token_at(m, i)->at);
		if (found)
			i = found->call.end - 1;
		else if (key != MDL_NONE)
			i = behind_key - 1;
	}
}

static void put_name(GString *to, const char *name)
{
	g_string_append(to, " AS \"");
	for (; *name; name++)
		g_string_append_printf(to, *name == '"' ? "\"\"" : "%c", *name);
	g_string_append_c(to, '"');
}

static void make_part(struct sql_merge *m)
{
	g_autofree char *from = text_of(m, m->from);

	g_string_assign(m->part, "SELECT");
	for (guint i = 0; i < m->keys->len; i++)
		g_string_append_printf(m->part, "%s %s", i ? "," : "", (char *)g_ptr_array_index(m->keys, i));
	for (guint i = 0; i < m->parts->len; i++)
		g_string_append_printf(m->part, "%s %s", i + m->keys->len ? "," : "",
			(char *)g_ptr_array_index(m->parts, i));
	g_string_append_printf(m->part, " %s", from);
	for (guint i = 0; i < m->keys->len; i++)
		g_string_append_printf(m->part, "%s %u", i ? "," : " GROUP BY", i + 1);
}

static void make_whole(struct sql_merge *m)
{
	GString *whole = g_string_new("SELECT");

	for (guint i = 0; i < m->items->len; i++) {
		struct range item = g_array_index(m->items, struct range, i);
		g_autofree char *text = text_of(m, item);
		const char *name = g_ptr_array_index(m->names, i), *dot = strrchr(text, '.');

		g_string_append(whole, i ? "," : "");
		put_whole(m, whole, item);
		/* SQLite calls a column T.C "C". */
		put_name(whole, name ? name : dot && item.end - item.first == 3 ? dot + 1 : text);
	}
	g_string_append(whole, " FROM part");
	for (guint i = 0; i < m->keys->len; i++)
		g_string_append_printf(whole, "%s k%u", i ? "," : " GROUP BY", i);
	if (m->having.first < m->having.end) {
		g_string_append(whole, " HAVING");
		put_whole(m, whole, m->having);
	}
	if (m->order.first < m->order.end) {
		g_string_append(whole, " ORDER BY");
		put_whole(m, whole, m->order);
	}
	if (m->limit.first < m->limit.end) {
		g_string_append(whole, " LIMIT");
		put_whole(m, whole, m->limit);
	}
	m->whole = g_string_free(whole, FALSE);
}

/* Rows of hosts that follow each other. */
static void make_rows(struct sql_merge *m)
{
	g_autofree char *order = text_of(m, m->order), *limit = text_of(m, m->limit);

	g_string_assign(m->part, m->query);
	while (m->part->len > 0 && strchr("; \t\r\n", m->part->str[m->part->len - 1]))
		g_string_truncate(m->part, m->part->len - 1);
	/* A host's own order and limit leave the rows that the whole can have, unless some are skipped. */
	for (guint i = m->limit.first; i < m->limit.end; i++)
		if (is(m, i, "OFFSET") || is(m, i, ","))
			g_string_truncate(m->part, (gsize)(token_at(m, m->limit.first - 1)->at - m->query));
	m->whole = g_strconcat("SELECT * FROM part", *order ? " ORDER BY " : "", order,
		*limit ? " LIMIT " : "", limit, NULL);
}

static bool plan(struct sql_merge *m, GError **error)
{
	bool fine = refuse_words(m, error) && refuse_subqueries(m, error) && read_clauses(m, error);

	if (!fine)
		return false;
	for (guint i = 0; i < m->items->len; i++) {
		struct range *item = &g_array_index(m->items, struct range, i);

		g_ptr_array_add(m->names, take_name(m, item));
		m->sums |= has_aggregate(m, *item);
		fine = fine && add_aggregates(m, *item, error);
	}
	m->sums |= m->group.first < m->group.end;
	if (m->distinct && m->sums)
		return refuse(m, 1,
			"DISTINCT of sums cannot be merged: leave it out, or GROUP BY all columns", error);
	if (!fine || (!m->sums && !m->distinct)) {
		if (fine)
			make_rows(m);
		return fine;
	}
	if (!add_aggregates(m, m->having, error) || !add_aggregates(m, m->order, error) ||
		!add_keys(m, error))
		return false;
	make_part(m);
	make_whole(m);
	return true;
}

static void aggregate_clear(void *a)
{
	g_free(((struct aggregate *)a)->whole);
}

struct sql_merge *sql_merge_new(const char *query, GError **error)
{
	struct sql_merge *m = g_new0(struct sql_merge, 1);

	m->query = g_strdup(query);
	m->tokens = g_array_new(FALSE, FALSE, sizeof(struct token));
	m->items = g_array_new(FALSE, FALSE, sizeof(struct range));
	m->aggregates = g_array_new(FALSE, FALSE, sizeof(struct aggregate));
	g_array_set_clear_func(m->aggregates, aggregate_clear);
	m->names = g_ptr_array_new_with_free_func(g_free);
	m->keys = g_ptr_array_new_with_free_func(g_free);
	m->parts = g_ptr_array_new_with_free_func(g_free);
	m->part = g_string_new(NULL);
	read_tokens(m);
	if (!plan(m, error))
		g_clear_pointer(&m, sql_merge_free);
	return m;
}

void sql_merge_free(struct sql_merge *m)
{
	if (!m)
		return;
	sqlite3_finalize(m->insert);
	sql_free(m->sql);
	g_free(m->query);
	g_free(m->whole);
	g_array_unref(m->tokens);
	g_array_unref(m->items);
	g_array_unref(m->aggregates);
	g_ptr_array_unref(m->names);
	g_ptr_array_unref(m->keys);
	g_ptr_array_unref(m->parts);
	g_string_free(m->part, TRUE);
	g_free(m);
}

/* ---- parts as bytes: the columns, each a name and a type; then the values of all rows ---- */

static void put_bytes(GByteArray *to, const char *bytes, size_t length)
{
	base_sketch_put_number(to, length);
	g_byte_array_append(to, (const guint8 *)bytes, (guint)length);
}

static void put_value(GByteArray *to, const struct sql_value *value)
{
	base_sketch_put_number(to, value->kind);
	if (value->kind == SQL_INTEGER)
		base_sketch_put_number(to, base_varint_zigzag(value->number));
	else if (value->kind == SQL_REAL)
		g_byte_array_append(to, (const guint8 *)&value->real, sizeof value->real);
	else if (value->kind == SQL_TEXT)
		put_bytes(to, value->text, value->length);
}

bool sql_merge_part(const struct sql_merge *m, struct sql *s, GByteArray *bytes, GError **error)
{
	const char *text = m->part->str;
	struct sql_result *r = sql_result_new(s, text, &text, error);
	unsigned n = r ? sql_result_count(r) : 0;
	int more = r ? sql_result_next(r, error) : -1;

	base_sketch_put_number(bytes, n);
	for (unsigned i = 0; more >= 0 && i < n; i++) {
		enum table_type declared = sql_result_declared(r, i);
		/* Without a type SQLite keeps values as they are. */
		const char *name = sql_result_name(r, i),
			   *type = declared == TABLE_ANY ? "" : sql_column_type(declared);

		put_bytes(bytes, name, strlen(name));
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
		memcpy(bytes, in->p, *length); /* also behind a NUL */
		in->p += *length;
	}
	return bytes;
}

/* Make the table "part" with the columns that IN tells.  False with an error. */
static bool begin_table(struct sql_merge *m, struct base_varints *in, GError **error)
{
	g_autoptr(GString) create = g_string_new("CREATE TABLE part ("),
			   insert = g_string_new("INSERT INTO part VALUES (");
	bool fine;

	m->columns = (unsigned)base_varints_get_up_to(in, TABLE_COLUMNS_MAX);
	for (unsigned i = 0; i < m->columns; i++) {
		size_t length;
		g_autofree char *name = get_bytes(in, &length), *type = get_bytes(in, &length),
				*column = g_strdup_printf(i < m->keys->len ? "k%u" : "a%u",
					i < m->keys->len ? i : i - m->keys->len);

		if (m->sql)
			continue;
		g_string_append_printf(create, "%s%s", i ? ", " : "", m->sums || m->distinct ? column : "");
		if (!m->sums && !m->distinct) {
			g_string_append_c(create, '"');
			for (const char *c = name; *c; c++)
				g_string_append_printf(create, *c == '"' ? "\"\"" : "%c", *c);
			g_string_append_c(create, '"');
		}
		g_string_append_printf(create, " %s", type);
		g_string_append(insert, i ? ", ?" : "?");
	}
	if (m->sql)
		return true;
	g_string_append_c(create, ')');
	g_string_append_c(insert, ')');
	m->sql = sql_open_empty(NULL, error);
	if (!m->sql)
		return false;
	m->sql->copies = true;
	fine = sqlite3_exec(m->sql->db, create->str, NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(m->sql->db, insert->str, -1, &m->insert, NULL) == SQLITE_OK;
	m->sql->copies = false;
	return fine || sql_result_fail(m->sql, sqlite3_errcode(m->sql->db), error);
}

static void get_value(struct sql_merge *m, unsigned i, struct base_varints *in)
{
	size_t length;
	double real;
	char *bytes;

	switch (base_varints_get(in)) {
	case SQL_INTEGER:
		sqlite3_bind_int64(m->insert, (int)i + 1, base_varint_unzigzag(base_varints_get(in)));
		break;
	case SQL_REAL:
		if (!in->p || in->end - in->p < (ptrdiff_t)sizeof real) {
			in->p = NULL;
			return;
		}
		memcpy(&real, in->p, sizeof real);
		in->p += sizeof real;
		sqlite3_bind_double(m->insert, (int)i + 1, real);
		break;
	case SQL_TEXT:
		bytes = get_bytes(in, &length);
		if (i >= m->keys->len && m->sums)
			sqlite3_bind_blob64(m->insert, (int)i + 1, bytes, length, g_free);
		else
			sqlite3_bind_text64(m->insert, (int)i + 1, bytes, length, g_free, SQLITE_UTF8);
		break;
	default: sqlite3_bind_null(m->insert, (int)i + 1);
	}
}

bool sql_merge_add(struct sql_merge *m, const uint8_t *bytes, size_t size, GError **error)
{
	struct base_varints in = { bytes, bytes + size };

	if (!begin_table(m, &in, error))
		return false;
	while (in.p && in.p < in.end && m->columns > 0) {
		for (unsigned i = 0; i < m->columns; i++)
			get_value(m, i, &in);
		if (sqlite3_step(m->insert) != SQLITE_DONE)
			return sql_result_fail(m->sql, sqlite3_errcode(m->sql->db), error);
		sqlite3_reset(m->insert);
	}
	return in.p || base_error_false(error, BASE_ERROR_IO, "the answer of a host was cut short");
}

bool sql_merge_whole(struct sql_merge *m, struct sql **s, const char **text, GError **error)
{
	if (!m->sql)
		return base_error_false(error, BASE_ERROR_NO_ANSWER, "no host has answered");
	*s = m->sql;
	*text = m->whole;
	return true;
}
