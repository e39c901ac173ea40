/* SPDX-License-Identifier: MIT */
/*
 * SQLite reads rows of a virtual table, never a sum.  So wakepath recognises two forms of statements by their
 * words and runs another statement with the same result:
 *
 * - SELECT count(*) FROM T, where T is a type of events: the count is known (sql_types.c);
 * - a SELECT from thread_state alone that names no column but utid, state and, in sum(dur), dur:
 *   thread_state_sums has the sums of each thread and state (sql_sums.c), and sums of those are sums of
 *   all.  It may have WHERE, GROUP BY, HAVING, ORDER BY, LIMIT.
 *
 * Every word of the statement must be one of the expected words, so no other statement is mistaken for these.
 */
#include "sql/sql_parts.h"

#include <inttypes.h>
#include <string.h>

#define TOKENS_MOST 200

enum token_type { TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_PARAMETER, TOKEN_SIGN };

struct token {
	enum token_type type;
	const char *at;
	size_t length;
};

static bool in_word(char c)
{
	return g_ascii_isalnum(c) || c == '_';
}

/* The end of the text in quotes C at AT; NULL: it does not end. */
static const char *behind_quotes(const char *at, const char *end, char c)
{
	for (at++; at < end; at++) {
		if (*at != c)
			continue;
		if (at + 1 < end && at[1] == c)
			at++;
		else
			return at + 1;
	}
	return NULL;
}

static const char *behind_blanks(const char *at, const char *end)
{
	while (at < end) {
		if (g_ascii_isspace(*at))
			at++;
		else if (end - at > 1 && at[0] == '-' && at[1] == '-')
			while (at < end && *at != '\n')
				at++;
		else
			break;
	}
	return at;
}

/* Split TEXT into TOKENS.  Returns their number; 0 for unknown syntax or too many tokens. */
static unsigned read_tokens(const char *text, const char *end, struct token *tokens)
{
	unsigned n = 0;

	for (const char *at = behind_blanks(text, end), *to; at < end; at = behind_blanks(to, end)) {
		struct token *t = &tokens[n];

		if (n == TOKENS_MOST)
			return 0;
		to = at + 1;
		if (g_ascii_isdigit(*at) || *at == '$' || g_ascii_isalpha(*at) || *at == '_') {
			t->type = g_ascii_isdigit(*at) ? TOKEN_NUMBER
				: *at == '$'           ? TOKEN_PARAMETER
						       : TOKEN_WORD;
			while (to < end && in_word(*to))
				to++;
		} else if (*at == '\'') {
			t->type = TOKEN_STRING;
			to = behind_quotes(at, end, '\'');
			if (!to)
				return 0;
		} else if (strchr("(),*<>=;", *at)) {
			t->type = TOKEN_SIGN;
		} else {
			return 0;
		}
		t->at = at;
		t->length = (size_t)(to - at);
		n++;
	}
	while (n > 0 && *tokens[n - 1].at == ';')
		n--;
	return n;
}

static bool is(const struct token *t, const char *text)
{
	return t->type != TOKEN_STRING && strlen(text) == t->length &&
		!g_ascii_strncasecmp(t->at, text, t->length);
}

static bool is_one_of(const struct token *t, const char *const *texts)
{
	for (; *texts; texts++)
		if (is(t, *texts))
			return true;
	return false;
}

/* ---- SELECT count(*) FROM T ---- */

static char *short_count(struct sql *s, const struct token *t, unsigned n)
{
	static const char *const form[] = { "select", "count", "(", "*", ")", "from" };
	g_autofree char *name = NULL, *heading = NULL;
	const struct sql_type *type;
	char *quoted, *text;

	if (n != G_N_ELEMENTS(form) + 1 || t[n - 1].type != TOKEN_WORD)
		return NULL;
	for (unsigned i = 0; i < G_N_ELEMENTS(form); i++)
		if (!is(&t[i], form[i]))
			return NULL;
	name = g_strndup(t[n - 1].at, t[n - 1].length);
	type = sql_types_find(s, name);
	if (!type)
		return NULL;
	heading = g_strndup(t[1].at, (size_t)(t[4].at + t[4].length - t[1].at));
	quoted = sqlite3_mprintf("SELECT %lld AS \"%w\"", (sqlite3_int64)type->count, heading);
	text = g_strdup(quoted);
	sqlite3_free(quoted);
	return text;
}

/* ---- sums of thread_state ---- */

#define TABLE_NAME "thread_state"

static bool is_sum(const struct token *t, unsigned n, unsigned i)
{
	return i + 3 < n && is(&t[i], "sum") && is(&t[i + 1], "(") && is(&t[i + 2], "dur") &&
		is(&t[i + 3], ")");
}

/* The number of the token that names the table, if the statement is of this form; else 0. */
static unsigned find_sums(const struct token *t, unsigned n)
{
	static const char *const words[] = { "utid", "state", "where", "and", "or", "not", "in", "is", "null",
		"between", "group", "by", "having", "order", "asc", "desc", "limit", "offset", NULL },
				 *const behind[] = { "where", "group", "order", "limit", NULL };
	unsigned table = 0, sums = 0;

	if (n == 0 || !is(&t[0], "select"))
		return 0;
	for (unsigned i = 1; i < n; i++) {
		if (is_sum(t, n, i)) {
			sums++;
			i += 3;
		} else if (is(&t[i], "from")) {
			if (table || i + 1 == n || !is(&t[i + 1], TABLE_NAME) ||
				(i + 2 < n && !is_one_of(&t[i + 2], behind)))
				return 0;
			table = ++i;
		} else if ((t[i].type == TOKEN_WORD && !is_one_of(&t[i], words)) || is(&t[i], "*") ||
			is(&t[i], ";")) {
			return 0;
		}
	}
	return sums > 0 ? table : 0;
}

char *sql_short_of(struct sql *s, const char *text, size_t length)
{
	struct token tokens[TOKENS_MOST];
	unsigned n = read_tokens(text, text + length, tokens), table;
	GString *other;

	/* With several hosts times are converted to another clock, and a sum and its parts round
	 * differently. */
	table = qry_host_count(s->q) == 1 ? find_sums(tokens, n) : 0;
	if (!table)
		return short_count(s, tokens, n);
	other = g_string_new_len(text, (gssize)length);
	g_string_insert(other, tokens[table].at + tokens[table].length - text, "_sums");
	return g_string_free(other, FALSE);
}
