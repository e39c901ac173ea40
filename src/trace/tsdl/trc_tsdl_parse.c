/* SPDX-License-Identifier: MIT */
/*
 * Splits text into tokens. Has the tools that the parsers of blocks (trc_tsdl.c) and of types
 * (trc_tsdl_decl.c) share: errors with a line, scopes of names, values.
 */
#include "trace/tsdl/trc_tsdl_parse.h"

#include "base/base_error.h"
#include "base/base_text.h"

#include <stdarg.h>
#include <string.h>

/* ---- text to tokens ---- */

#define NAME_MAX_BYTES 512 /* LTTng has at most 256 (LTTNG_SYM_NAME_LEN) */
#define TEXT_MAX 65536     /* bytes of a string */

void trc_lex_init(struct trc_lex *lex, const char *text, size_t length)
{
	lex->at = text;
	lex->end = text + length;
	lex->line = 1;
	lex->token = TRC_TOKEN_END;
	lex->value = 0;
	lex->text = g_string_new(NULL);
	trc_lex_next(lex);
}

/* Return the character N places after AT; '\0' after the end. */
static char ahead(const char *at, const char *end, ptrdiff_t n)
{
	return end - at > n ? at[n] : '\0';
}

/* Skip blanks and comments. A comment without end lasts to the end of the text. */
static const char *skip_blank(const char *at, const char *end, unsigned *line)
{
	while (at < end) {
		char c = *at, next = ahead(at, end, 1);

		if (c == '/' && next == '*') {
			for (at += 2; at < end && !(*at == '*' && ahead(at, end, 1) == '/'); at++)
				*line += *at == '\n';
			at = end - at > 2 ? at + 2 : end;
		} else if ((c == '/' && next == '/') || c == '#') {
			while (at < end && *at != '\n')
				at++;
		} else if (g_ascii_isspace(c)) {
			*line += c == '\n';
			at++;
		} else {
			break;
		}
	}
	return at;
}

static void set_bad(struct trc_lex *lex, const char *what)
{
	lex->token = TRC_TOKEN_BAD;
	g_string_assign(lex->text, what);
	lex->at = lex->end;
}

static bool is_word_char(char c)
{
	return g_ascii_isalnum(c) || c == '_';
}

static void read_word(struct trc_lex *lex)
{
	const char *start = lex->at;

	while (lex->at < lex->end && is_word_char(*lex->at))
		lex->at++;
	if (lex->at - start > NAME_MAX_BYTES) {
		set_bad(lex, "a name that is too long");
		return;
	}
	lex->token = TRC_TOKEN_WORD;
	g_string_truncate(lex->text, 0);
	g_string_append_len(lex->text, start, lex->at - start);
}

/* Read a decimal, 0x, 0b or 0 octal number, with an optional suffix of u and l. */
static void tsdl_lex_read_number(struct trc_lex *lex)
{
	unsigned base = 10;
	int digits = 0;

	lex->value = 0;
	if (*lex->at == '0' && g_ascii_tolower(ahead(lex->at, lex->end, 1)) == 'x')
		base = 16;
	else if (*lex->at == '0' && g_ascii_tolower(ahead(lex->at, lex->end, 1)) == 'b')
		base = 2;
	else if (*lex->at == '0')
		base = 8;
	if (base == 16 || base == 2)
		lex->at += 2;
	for (; lex->at < lex->end && g_ascii_isxdigit(*lex->at); lex->at++, digits++) {
		unsigned digit = (unsigned)g_ascii_xdigit_value(*lex->at);

		if (digit >= base || lex->value > (UINT64_MAX - digit) / base) {
			set_bad(lex, "a number that is wrong or too large");
			return;
		}
		lex->value = lex->value * base + digit;
	}
	while (lex->at < lex->end && strchr("uUlL", *lex->at) && *lex->at)
		lex->at++;
	lex->token = TRC_TOKEN_NUMBER;
	if (!digits || (lex->at < lex->end && is_word_char(*lex->at)))
		set_bad(lex, "a number that is wrong");
}

/* Return the character of the escape at *AT (after the backslash), and move *AT past it. */
static char read_escape(const char **at, const char *end)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	char c = *(*at)++;
	const char *known = strchr(from, c);
	int value = 0, n;

	if (known && c)
		return to[known - from];
	if (c == 'x') {
		for (n = 0; n < 2 && *at < end && g_ascii_isxdigit(**at); n++)
			value = value * 16 + g_ascii_xdigit_value(*(*at)++);
		return (char)value;
	}
	if (c >= '0' && c <= '7') {
		value = c - '0';
		for (n = 1; n < 3 && *at < end && **at >= '0' && **at <= '7'; n++)
			value = value * 8 + (*(*at)++ - '0');
		return (char)value;
	}
	return c;
}

/* Read a string or character constant, from its quote on. */
static void read_string(struct trc_lex *lex)
{
	char quote = *lex->at++;

	g_string_truncate(lex->text, 0);
	while (lex->at < lex->end && *lex->at != quote && *lex->at != '\n' && lex->text->len < TEXT_MAX) {
		char c = *lex->at++;

		if (c == '\\' && lex->at < lex->end)
			c = read_escape(&lex->at, lex->end);
		if (c)
			g_string_append_c(lex->text, c);
	}
	lex->token = TRC_TOKEN_STRING;
	if (lex->at < lex->end && *lex->at == quote)
		lex->at++;
	else
		set_bad(lex, "a string without end");
}

void trc_lex_next(struct trc_lex *lex)
{
	char c;

	if (lex->token == TRC_TOKEN_BAD)
		return;
	lex->at = skip_blank(lex->at, lex->end, &lex->line);
	if (lex->at == lex->end) {
		lex->token = TRC_TOKEN_END;
		return;
	}
	c = *lex->at;
	if (g_ascii_isdigit(c)) {
		tsdl_lex_read_number(lex);
	} else if (is_word_char(c)) {
		read_word(lex);
	} else if (c == '"' || c == '\'') {
		read_string(lex);
	} else if (c == '.' && ahead(lex->at, lex->end, 1) == '.' && ahead(lex->at, lex->end, 2) == '.') {
		lex->token = TRC_TOKEN_DOTS;
		lex->at += 3;
	} else if (c == ':' && ahead(lex->at, lex->end, 1) == '=') {
		lex->token = TRC_TOKEN_ASSIGN_TYPE;
		lex->at += 2;
	} else if (strchr("{}[]()<>;:,=.*+-", c) && c) {
		lex->token = TRC_TOKEN_PUNCTUATION;
		lex->value = (unsigned char)c;
		lex->at++;
	} else {
		set_bad(lex, "an unexpected character");
	}
}

bool trc_lex_is(const struct trc_lex *lex, char c)
{
	return lex->token == TRC_TOKEN_PUNCTUATION && lex->value == (unsigned char)c;
}

bool trc_lex_is_word(const struct trc_lex *lex, const char *word)
{
	return lex->token == TRC_TOKEN_WORD && !strcmp(lex->text->str, word);
}

char trc_lex_peek(const struct trc_lex *lex)
{
	unsigned line = 0;
	const char *at = skip_blank(lex->at, lex->end, &line);

	return at < lex->end ? *at : '\0';
}

/* Return the current token for a message; the caller frees it. */
static char *lex_describe(const struct trc_lex *lex)
{
	switch (lex->token) {
	case TRC_TOKEN_END: return g_strdup("its end");
	case TRC_TOKEN_WORD: return g_strdup_printf("\"%.60s\"", lex->text->str);
	case TRC_TOKEN_STRING: return g_strdup_printf("the string \"%.60s\"", lex->text->str);
	case TRC_TOKEN_NUMBER: return g_strdup_printf("the number %" G_GUINT64_FORMAT, lex->value);
	case TRC_TOKEN_DOTS: return g_strdup("\"...\"");
	case TRC_TOKEN_ASSIGN_TYPE: return g_strdup("\":=\"");
	case TRC_TOKEN_PUNCTUATION: return g_strdup_printf("\"%c\"", (char)lex->value);
	case TRC_TOKEN_BAD: break;
	}
	return g_strdup(lex->text->str);
}

/* ---- errors, names and values, for the parsers of blocks and types ---- */

static G_GNUC_PRINTF(3, 0) void set_error(struct trc_parser *p, enum base_error code, const char *format,
	va_list arguments)
{
	g_autofree char *text = NULL, *shown = NULL;

	if (p->error)
		return;
	text = g_strdup_vprintf(format, arguments);
	shown = base_text_clean(text, -1);
	g_set_error(&p->error, BASE_ERROR, (gint)code, "metadata line %u: %s", p->lex.line, shown);
}

bool trc_parser_fail(struct trc_parser *p, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_error(p, BASE_ERROR_DATA, format, arguments);
	va_end(arguments);
	return false;
}

bool trc_parser_refuse(struct trc_parser *p, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_error(p, BASE_ERROR_REFUSED, format, arguments);
	va_end(arguments);
	return false;
}

bool trc_parser_foreign(struct trc_parser *p, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_error(p, BASE_ERROR_FOREIGN, format, arguments);
	va_end(arguments);
	return false;
}

bool trc_parser_expected(struct trc_parser *p, const char *what)
{
	g_autofree char *found = lex_describe(&p->lex);

	trc_parser_fail(p, "expected %s, but there is %s", what, found);
	return false;
}

bool trc_parser_skip(struct trc_parser *p, char c)
{
	char what[] = { '"', c, '"', '\0' };

	if (!trc_lex_is(&p->lex, c))
		return trc_parser_expected(p, what);
	trc_lex_next(&p->lex);
	return true;
}

const char *trc_parser_keep(struct trc_parser *p, const char *text)
{
	return g_string_chunk_insert_const(p->t->strings, text);
}

void trc_scope_enter(struct trc_parser *p, struct trc_scope *scope)
{
	scope->outer = p->scope;
	scope->types = NULL;
	p->scope = scope;
}

void trc_scope_leave(struct trc_parser *p, struct trc_scope *scope)
{
	p->scope = scope->outer;
	if (scope->types)
		g_hash_table_unref(scope->types);
}

bool trc_scope_define(struct trc_parser *p, const char *key, struct trc_type *type)
{
	if (!p->scope->types)
		p->scope->types = g_hash_table_new(g_str_hash, g_str_equal);
	if (g_hash_table_contains(p->scope->types, key))
		return trc_parser_fail(p, "\"%.60s\" is defined twice", key);
	g_hash_table_insert(p->scope->types, (gpointer)trc_parser_keep(p, key), type);
	return true;
}

struct trc_type *trc_scope_look_up(struct trc_parser *p, const char *key)
{
	struct trc_scope *scope;
	struct trc_type *type;

	for (scope = p->scope; scope; scope = scope->outer) {
		type = scope->types ? g_hash_table_lookup(scope->types, key) : NULL;
		if (type)
			return type;
	}
	trc_parser_fail(p, "unknown type \"%.60s\"", key);
	return NULL;
}

const char *trc_parser_path(struct trc_parser *p)
{
	GString *path = g_string_truncate(p->path, 0);
	const char *kept = NULL;

	while (p->lex.token == TRC_TOKEN_WORD) {
		g_string_append(path, p->lex.text->str);
		trc_lex_next(&p->lex);
		if (!trc_lex_is(&p->lex, '.')) {
			kept = trc_parser_keep(p, path->str);
			break;
		}
		g_string_append_c(path, '.');
		trc_lex_next(&p->lex);
	}
	if (!kept)
		trc_parser_expected(p, "a name");
	return kept;
}

bool trc_parser_value(struct trc_parser *p, struct trc_value *value)
{
	value->negative = trc_lex_is(&p->lex, '-');
	if (value->negative || trc_lex_is(&p->lex, '+'))
		trc_lex_next(&p->lex);
	value->token = p->lex.token;
	value->number = p->lex.value;
	value->text = "";
	if (p->lex.token == TRC_TOKEN_WORD) {
		value->text = trc_parser_path(p);
		return value->text && trc_parser_skip(p, ';');
	}
	if (p->lex.token == TRC_TOKEN_STRING)
		value->text = trc_parser_keep(p, p->lex.text->str);
	else if (p->lex.token != TRC_TOKEN_NUMBER)
		return trc_parser_expected(p, "a value");
	trc_lex_next(&p->lex);
	return trc_parser_skip(p, ';');
}

bool trc_parser_unsigned(struct trc_parser *p, const struct trc_value *value, uint64_t *number)
{
	*number = value->number;
	return (value->token == TRC_TOKEN_NUMBER && !value->negative) ||
		trc_parser_fail(p, "expected a number that is not negative");
}

bool trc_parser_signed(struct trc_parser *p, const struct trc_value *value, int64_t *number)
{
	*number = (int64_t)(value->negative ? 0 - value->number : value->number);
	return (value->token == TRC_TOKEN_NUMBER && value->number <= INT64_MAX) ||
		trc_parser_fail(p, "expected a number that fits in 64 bits with a sign");
}
