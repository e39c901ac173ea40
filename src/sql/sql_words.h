/* SPDX-License-Identifier: MIT */
/* The words and signs of a statement, and questions that need only their order.  Private to src/sql. */
#ifndef SQL_WORDS_H
#define SQL_WORDS_H

#include "sql/sql.h"

struct sql_token {
	const char *at;
	size_t length;
	unsigned depth; /* number of parentheses around it; a parenthesis is outside of itself */
};

/* Tokens FIRST to before END. */
struct sql_range {
	guint first, end;
};

struct sql_words {
	char *text;     /* owned */
	GArray *tokens; /* of struct sql_token; without the ";" at the end; owned */
};

/* Set W to the tokens of TEXT (copied). sql_words_clear() frees. */
void sql_words_read(struct sql_words *w, const char *text);
void sql_words_clear(struct sql_words *w);

/* Token I; behind the last one a token of length 0. */
const struct sql_token *sql_words_at(const struct sql_words *w, guint i);
/* True if token I is WORD, or one of WORDS (NULL-terminated), ignoring case. */
bool sql_words_is(const struct sql_words *w, guint i, const char *word);
bool sql_words_is_one_of(const struct sql_words *w, guint i, const char *const *words);
/* True if tokens A and B, or all tokens of ranges A and B, are equal: words ignoring case, texts in quotes
 * exactly. */
bool sql_words_equal(const struct sql_words *w, guint a, guint b);
bool sql_words_same(const struct sql_words *w, struct sql_range a, struct sql_range b);
/* True if token I is a word or a name in quotes, not a number. */
bool sql_words_is_name(const struct sql_words *w, guint i);
/* R as it was typed.  The caller frees. */
char *sql_words_text(const struct sql_words *w, struct sql_range r);
/* The first of WORDS at the depth of token FROM, from there on and within the same parentheses; else the
 * token that closes these, or the end. */
guint sql_words_find(const struct sql_words *w, guint from, const char *const *words);
/* The token behind the ")" of the "(" at I. */
guint sql_words_behind(const struct sql_words *w, guint i);

/* ---- sql_apart.c ---- */

/* Set BASE_ERROR_USAGE: WHY, and the place of token I.  Returns false. */
bool sql_apart_refuse(const struct sql_words *w, guint i, const char *why, GError **error);
/* False, with an error, if the rows of a SELECT in W can be made of rows of several hosts. */
bool sql_apart_check(const struct sql_words *w, GError **error);
/* True if token I names a column whose numbers are different on each host: utid, by_utid, rowid, …. */
bool sql_apart_is_number(const struct sql_words *w, guint i);

#endif
