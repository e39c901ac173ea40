/* SPDX-License-Identifier: MIT */
/* The parser's state, shared by trc_tsdl.c (blocks), trc_tsdl_decl.c (types) and trc_tsdl_number.c, and the
 * tokens that trc_tsdl_lex.c makes of the text. */
#ifndef TRC_TSDL_PARSE_H
#define TRC_TSDL_PARSE_H

#include "trace/tsdl/trc_tsdl.h"

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

/* Names of types known between two braces, and outside of them. */
struct trc_scope {
	struct trc_scope *outer; /* weak */
	/* Char * ("struct x", "unsigned long") → struct trc_type *, weak; owned, NULL: none yet. */
	GHashTable *types;
};

struct trc_parser {
	struct trc_lex lex;
	struct trc_tsdl *t;      /* weak */
	struct trc_scope *scope; /* weak: the innermost */
	unsigned depth;          /* of types within types */
	GString *path;           /* owned: room for trc_parser_path() */
	GError *error;           /* owned: the first failure */
};

/* The value of an attribute: "size = 32;". */
struct trc_value {
	enum trc_token token; /* WORD (also "a.b"), NUMBER, STRING */
	const char *text;     /* as long as the metadata */
	uint64_t number;
	bool negative;
};

/* Remember the first failure, with the line; FORMAT says what was expected or wrong.  Returns false. */
bool trc_parser_fail(struct trc_parser *p, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The same where it is understood well, but would be too much for any reader. */
bool trc_parser_refuse(struct trc_parser *p, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* As "expected WHAT, but there is …". */
bool trc_parser_expected(struct trc_parser *p, const char *what);

/* Past the punctuation C, or a failure. */
bool trc_parser_skip(struct trc_parser *p, char c);

/* TEXT as long as the metadata lives. */
const char *trc_parser_keep(struct trc_parser *p, const char *text);

void trc_scope_enter(struct trc_parser *p, struct trc_scope *scope);
void trc_scope_leave(struct trc_parser *p, struct trc_scope *scope);

/* A dotted path "a.b.c"; NULL with a failure. */
const char *trc_parser_path(struct trc_parser *p);

/* A value up to the ';', which is taken too. */
bool trc_parser_value(struct trc_parser *p, struct trc_value *value);
/* VALUE as a number of no sign, or with one; a failure otherwise. */
bool trc_parser_unsigned(struct trc_parser *p, const struct trc_value *value, uint64_t *number);
bool trc_parser_signed(struct trc_parser *p, const struct trc_value *value, int64_t *number);

/* Make KEY ("struct x") known in the innermost scope. */
bool trc_scope_define(struct trc_parser *p, const char *key, struct trc_type *type);

/* The type known as KEY; NULL with a failure. */
struct trc_type *trc_scope_look_up(struct trc_parser *p, const char *key);

/* Put ALIGN into *TO; a failure when it is no power of two. */
bool trc_number_alignment(struct trc_parser *p, uint64_t align, uint32_t *to);

/* The rest of "integer { … }", "floating_point { … }" (KIND) and "string".  NULL with a failure. */
struct trc_type *trc_number_parse(struct trc_parser *p, enum trc_type_kind kind);
struct trc_type *trc_number_parse_string(struct trc_parser *p);
/* The labels of the enum TYPE, "{ name = 1, … }". */
bool trc_number_parse_labels(struct trc_parser *p, struct trc_type *type);

/*
 * A type: "uint32_t", "struct { … } align(8)", "integer { … }".  WITH_NAME: the
 * last of several words is the name that follows and is left.  NULL with a failure.
 */
struct trc_type *trc_decl_type(struct trc_parser *p, bool with_name);

/* A typealias or typedef with its ';'.  Call when trc_decl_is_alias(). */
bool trc_decl_is_alias(const struct trc_parser *p);
bool trc_decl_alias(struct trc_parser *p);

#endif
