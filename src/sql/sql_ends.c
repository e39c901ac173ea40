/* SPDX-License-Identifier: MIT */
/*
 * Rewrites "s.ts + s.dur > X" to "s.ts_end > X" if S is one of the tables that find rows by their end.
 *
 * SQLite passes to a virtual table only constraints on single columns, not on the sum of two.  So a join of
 * overlapping times would read all rows up to the begin of each time:
 *
 *     FROM windows(1000000) w JOIN sched s ON s.ts < w.ts + w.dur AND s.ts + s.dur > w.ts
 *
 * The hidden column ts_end is that sum.  Like a sum it has no affinity, so comparisons keep their meaning.
 * A sum is replaced only if it is one side of a comparison and S names nothing else in the statement.
 */
#include "sql/sql_parts.h"

#include <string.h>

struct word {
	const char *at;
	size_t length; /* 0: the end of the statement */
};

/* The word or sign at or behind AT; a text in quotes is one word.  Length 0 at END, and before unknown
 * syntax. */
static struct word word_at(const char *at, const char *end)
{
	const char *to;

	while (at < end && g_ascii_isspace(*at))
		at++;
	to = at;
	while (to < end && (g_ascii_isalnum(*to) || *to == '_' || *to == '$' || (*to & 0x80)))
		to++;
	if (to == at && to < end && *to == '\'') {
		to = memchr(at + 1, '\'', (size_t)(end - at - 1));
		to = to ? to + 1 : at;
	} else if (to == at && to < end && !strchr("\"`[-", *to)) {
		to += to + 1 < end && strchr("<>=", to[0]) && strchr("<>=", to[1]) ? 2 : 1;
	} else if (to == at && to < end && *to == '-' && end - at > 1 && at[1] != '-') {
		to++;
	}
	return (struct word){ at, (size_t)(to - at) };
}

static bool is(const struct word *w, const char *text)
{
	return strlen(text) == w->length && !g_ascii_strncasecmp(w->at, text, w->length);
}

static bool is_one_of(const struct word *w, const char *const *texts)
{
	for (; *texts; texts++)
		if (is(w, *texts))
			return true;
	return false;
}

static bool is_same(const struct word *a, const struct word *b)
{
	return a->length == b->length && !g_ascii_strncasecmp(a->at, b->at, a->length);
}

/* True if word I of WORDS names a table that finds rows by their end, or an alias of one. */
static bool is_table(const struct sql *s, const struct word *words, unsigned i)
{
	const struct sql_source *source;
	unsigned at = i;

	if (at > 0 && is(&words[at - 1], "as"))
		at--;
	for (unsigned k = 0; (source = sql_sources_at(k)); k++)
		if (source->table->takes & TABLE_TAKES_ENDS &&
			g_hash_table_contains(s->tables, sql_source_name(source)) &&
			(is(&words[i], sql_source_name(source)) ||
				(at > 0 && is(&words[at - 1], sql_source_name(source)))))
			return true;
	return false;
}

/* True if WORDS name NAME once, other than in "NAME.", and it is such a table there. */
static bool is_only_table(const struct sql *s, const struct word *words, unsigned n, const struct word *name)
{
	unsigned named = 0;

	for (unsigned i = 0; i < n; i++)
		if (is_same(&words[i], name) && !(i + 1 < n && is(&words[i + 1], "."))) {
			if (!is_table(s, words, i))
				return false;
			named++;
		}
	return named == 1;
}

/* True if words I to I + 6 are "S.ts + S.dur" and one side of a comparison. */
static bool is_end(const struct word *w, unsigned n, unsigned i)
{
	static const char *const before[] = { "on", "where", "and", "or", "having", "(", "<", ">",
		"<=", ">=", NULL },
				 *const behind[] = { "and", "or", "group", "order", "limit", "window", ")",
					 ";", "<", ">", "<=", ">=", NULL },
				 *const compared[] = { "<", ">", "<=", ">=", NULL };

	return i > 0 && i + 7 <= n && is(&w[i + 1], ".") && is(&w[i + 2], "ts") && is(&w[i + 3], "+") &&
		is_same(&w[i], &w[i + 4]) && is(&w[i + 5], ".") && is(&w[i + 6], "dur") &&
		is_one_of(&w[i - 1], before) && (i + 7 == n || is_one_of(&w[i + 7], behind)) &&
		(is_one_of(&w[i - 1], compared) || (i + 7 < n && is_one_of(&w[i + 7], compared)));
}

char *sql_ends_of(struct sql *s, const char *text, size_t length)
{
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(struct word));
	const char *end = text + length, *copied = text;
	GString *other = NULL;
	struct word next = word_at(text, end);
	const struct word *words;

	for (; next.length; next = word_at(next.at + next.length, end)) {
		if (is(&next, "ts_end")) /* the statement uses ts_end itself */
			return NULL;
		g_array_append_val(all, next);
	}
	words = (const struct word *)(const void *)all->data;
	if (next.at < end) /* unknown syntax */
		return NULL;
	for (unsigned i = 0; i < all->len; i++) {
		if (!is_end(words, all->len, i) || !is_only_table(s, words, all->len, &words[i]))
			continue;
		if (!other)
			other = g_string_new(NULL);
		g_string_append_len(other, copied, words[i].at + words[i].length - copied);
		g_string_append(other, ".ts_end");
		copied = words[i + 6].at + words[i + 6].length;
	}
	if (other)
		g_string_append_len(other, copied, end - copied);
	return other ? g_string_free(other, FALSE) : NULL;
}
