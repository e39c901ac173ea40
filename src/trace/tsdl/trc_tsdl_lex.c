/* SPDX-License-Identifier: MIT */
#include "trace/tsdl/trc_tsdl_parse.h"

#include <string.h>

#define NAME_MAX_BYTES 512 /* of LTTng 256 at most (LTTNG_SYM_NAME_LEN) */
#define TEXT_MAX 65536     /* longest string */

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

void trc_lex_clear(struct trc_lex *lex)
{
	g_string_free(lex->text, TRUE);
}

/* The character N places on, '\0' beyond the end. */
static char ahead(const char *at, const char *end, ptrdiff_t n)
{
	return end - at > n ? at[n] : '\0';
}

/* Past blanks and comments.  A comment without end goes to the end. */
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

/* Decimal, 0x, 0b and 0 octal, with an optional suffix of u and l. */
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

/* The character for an escape at AT (after the backslash); moves AT past it. */
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

/* A string or a character constant, which starts at its quote. */
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
		set_bad(lex, "a character that does not belong there");
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

char *trc_lex_describe(const struct trc_lex *lex)
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
