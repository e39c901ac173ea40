/* SPDX-License-Identifier: MIT */
/* Tokens, and the state of the parser, which trc_tsdl.c (blocks) and trc_tsdl_decl.c (types) share. */
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
	TRC_TOKEN_BAD          /* text is the error */
};

struct trc_lex {
	const char *at, *end; /* weak: the rest of the text */
	unsigned line;
	enum trc_token token; /* the current one */
	uint64_t value;
	GString *text; /* owned */
};

/* Go to the first token of TEXT, LENGTH bytes, which must outlive LEX. The caller frees LEX->text. */
void trc_lex_init(struct trc_lex *lex, const char *text, size_t length);
/* Go to the next token. */
void trc_lex_next(struct trc_lex *lex);

/* True if the current token is the punctuation C, or the word WORD. */
bool trc_lex_is(const struct trc_lex *lex, char c);
bool trc_lex_is_word(const struct trc_lex *lex, const char *word);

/* Return the first character of the token after the current one, '\0' at the end.  Does not advance. */
char trc_lex_peek(const struct trc_lex *lex);

/* Names of types that are visible between two braces, or outside of all. */
struct trc_scope {
	struct trc_scope *outer; /* weak */
	/* owned: char * ("struct x", "unsigned long") → struct trc_type *, weak; NULL: none yet. */
	GHashTable *types;
};

struct trc_parser {
	struct trc_lex lex;
	struct trc_meta *t;      /* weak */
	struct trc_scope *scope; /* weak: the innermost scope */
	unsigned depth;          /* depth of nested types */
	GString *path;           /* owned: buffer of trc_parser_path() */
	GError *error;           /* owned: the first failure */
};

/* The value of an attribute: "size = 32;". */
struct trc_value {
	enum trc_token token; /* WORD (also "a.b"), NUMBER, STRING */
	const char *text;     /* lives as long as the metadata */
	uint64_t number;
	bool negative;
};

/* Record the first failure, with the line.  FORMAT says what was expected or what is wrong.  Returns
 * false. */
bool trc_parser_fail(struct trc_parser *p, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Like trc_parser_fail(), for valid text that would be too large for any reader. */
bool trc_parser_refuse(struct trc_parser *p, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Like trc_parser_fail(), for intact text of another version or another language; FORMAT says what to do. */
bool trc_parser_foreign(struct trc_parser *p, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Fail with "expected WHAT, but there is …". */
bool trc_parser_expected(struct trc_parser *p, const char *what);

/* Skip the punctuation C, or fail. */
bool trc_parser_skip(struct trc_parser *p, char c);

/* Return a copy of TEXT that lives as long as the metadata. */
const char *trc_parser_keep(struct trc_parser *p, const char *text);

/* Make SCOPE, whose memory is the caller's, the innermost scope; and end it. */
void trc_scope_enter(struct trc_parser *p, struct trc_scope *scope);
void trc_scope_leave(struct trc_parser *p, struct trc_scope *scope);

/* Parse a dotted path "a.b.c"; NULL after a failure. */
const char *trc_parser_path(struct trc_parser *p);

/* Parse a value and the ';' after it. */
bool trc_parser_value(struct trc_parser *p, struct trc_value *value);
/* Convert VALUE to an unsigned or signed number, or fail. */
bool trc_parser_unsigned(struct trc_parser *p, const struct trc_value *value, uint64_t *number);
bool trc_parser_signed(struct trc_parser *p, const struct trc_value *value, int64_t *number);

/* Define KEY ("struct x") in the innermost scope. */
bool trc_scope_define(struct trc_parser *p, const char *key, struct trc_type *type);

/* Return the type KEY; NULL after a failure. */
struct trc_type *trc_scope_look_up(struct trc_parser *p, const char *key);

/* Parse a type: "uint32_t", "struct { … } align(8)", "integer { … }".  WITH_NAME: the last of several words
 * is the name that follows; it is not consumed.  NULL after a failure. */
struct trc_type *trc_decl_type(struct trc_parser *p, bool with_name);

/* Parse a typealias or typedef with its ';'.  Call if trc_decl_is_alias(). */
bool trc_decl_is_alias(const struct trc_parser *p);
bool trc_decl_alias(struct trc_parser *p);

#endif
