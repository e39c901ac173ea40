/* SPDX-License-Identifier: MIT */
#include "trace/tsdl/trc_tsdl_parse.h"

#include "base/base_error.h"
#include "base/base_text.h"

#include <stdarg.h>

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

bool trc_parser_expected(struct trc_parser *p, const char *what)
{
	g_autofree char *found = trc_lex_describe(&p->lex);

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
	trc_parser_fail(p, "the type \"%.60s\" is not known", key);
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
