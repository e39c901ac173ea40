/* SPDX-License-Identifier: MIT */
/* TSDL text into tokens; for the parser only. */
#ifndef TRC_TSDL_LEX_H
#define TRC_TSDL_LEX_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum trc_token {
	TRC_TOKEN_END,
	TRC_TOKEN_WORD,        /* identifier or keyword: text */
	TRC_TOKEN_NUMBER,      /* value */
	TRC_TOKEN_STRING,      /* text, without quotes and escapes */
	TRC_TOKEN_DOTS,        /* "..." */
	TRC_TOKEN_ASSIGN_TYPE, /* ":=" */
	TRC_TOKEN_PUNCTUATION, /* one character: value */
	TRC_TOKEN_BAD          /* text says what is wrong */
};

struct trc_lex {
	const char *at, *end; /* weak: the text that is left */
	unsigned line;
	enum trc_token token; /* the current one */
	uint64_t value;
	GString *text; /* owned */
};

void trc_lex_init(struct trc_lex *lex, const char *text, size_t length);
void trc_lex_clear(struct trc_lex *lex);

/* Go to the next token. */
void trc_lex_next(struct trc_lex *lex);

/* True when the current token is the punctuation C, or the word WORD. */
bool trc_lex_is(const struct trc_lex *lex, char c);
bool trc_lex_is_word(const struct trc_lex *lex, const char *word);

/* The first character of the token after the current one, '\0' at the end; does not move. */
char trc_lex_peek(const struct trc_lex *lex);

/* The current token as text for a person; the caller frees. */
char *trc_lex_describe(const struct trc_lex *lex);

#endif
