/* SPDX-License-Identifier: MIT */
/* Splits a statement into words.  Skips comments; a text in quotes is one word. */
#include "sql/sql_words.h"

#include <string.h>

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

void sql_words_read(struct sql_words *w, const char *text)
{
	unsigned depth = 0;

	w->text = g_strdup(text);
	w->tokens = g_array_new(FALSE, FALSE, sizeof(struct sql_token));
	for (const char *at = w->text; *at;) {
		struct sql_token t = { .at = at };

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
		g_array_append_val(w->tokens, t);
	}
	while (w->tokens->len > 0 && sql_words_is(w, w->tokens->len - 1, ";"))
		g_array_set_size(w->tokens, w->tokens->len - 1);
}

void sql_words_clear(struct sql_words *w)
{
	g_free(w->text);
	g_array_unref(w->tokens);
}

const struct sql_token *sql_words_at(const struct sql_words *w, guint i)
{
	static const struct sql_token none = { "", 0, 0 };

	return i < w->tokens->len ? &g_array_index(w->tokens, struct sql_token, i) : &none;
}

bool sql_words_is(const struct sql_words *w, guint i, const char *word)
{
	const struct sql_token *t = sql_words_at(w, i);

	return t->length == strlen(word) && g_ascii_strncasecmp(t->at, word, t->length) == 0;
}

bool sql_words_is_one_of(const struct sql_words *w, guint i, const char *const *words)
{
	for (; *words; words++)
		if (sql_words_is(w, i, *words))
			return true;
	return false;
}

bool sql_words_equal(const struct sql_words *w, guint a, guint b)
{
	const struct sql_token *x = sql_words_at(w, a), *y = sql_words_at(w, b);

	if (x->length != y->length)
		return false;
	return in_word(*x->at) ? g_ascii_strncasecmp(x->at, y->at, x->length) == 0
			       : strncmp(x->at, y->at, x->length) == 0;
}

bool sql_words_same(const struct sql_words *w, struct sql_range a, struct sql_range b)
{
	if (a.end - a.first != b.end - b.first)
		return false;
	for (guint i = 0; i < a.end - a.first; i++)
		if (!sql_words_equal(w, a.first + i, b.first + i))
			return false;
	return true;
}

bool sql_words_is_name(const struct sql_words *w, guint i)
{
	char c = *sql_words_at(w, i)->at;

	return c && ((in_word(c) && !g_ascii_isdigit(c)) || strchr("\"`[", c));
}

char *sql_words_text(const struct sql_words *w, struct sql_range r)
{
	const struct sql_token *first = sql_words_at(w, r.first), *last = sql_words_at(w, r.end - 1);

	return r.first < r.end ? g_strndup(first->at, (gsize)(last->at + last->length - first->at))
			       : g_strdup("");
}

guint sql_words_find(const struct sql_words *w, guint from, const char *const *words)
{
	unsigned depth = sql_words_at(w, from)->depth;

	for (; from < w->tokens->len && sql_words_at(w, from)->depth >= depth; from++)
		/* "a IS DISTINCT FROM b" */
		if (sql_words_at(w, from)->depth == depth && sql_words_is_one_of(w, from, words) &&
			!(from > 1 && sql_words_is(w, from - 1, "DISTINCT")))
			return from;
	return from;
}

guint sql_words_behind(const struct sql_words *w, guint i)
{
	unsigned depth = sql_words_at(w, i)->depth;

	for (i++; i < w->tokens->len && !(sql_words_is(w, i, ")") && sql_words_at(w, i)->depth == depth); i++)
		;
	return MIN(i + 1, w->tokens->len);
}
