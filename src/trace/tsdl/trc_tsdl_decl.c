/* SPDX-License-Identifier: MIT */
/* Parses declarations of types into struct trc_type, and keeps their names. */
#include "trace/tsdl/trc_tsdl_parse.h"

#include "trace/meta/trc_meta_type.h"

#include <string.h>

/* ---- numbers and strings, the labels of enums ---- */

/* Set *TO to ALIGN. Fails if it is no power of two. */
static bool set_alignment(struct trc_parser *p, uint64_t align, uint32_t *to)
{
	if (!align || align > TRC_ALIGN_MAX || (align & (align - 1)))
		return trc_parser_fail(p, "an alignment must be a power of two");
	*to = (uint32_t)align;
	return true;
}

/* Return the base of "base = 16;" or one of its words (CTF 1.8, "Integers"); an unknown one is 10. */
static uint8_t base_of(const struct trc_value *value)
{
	static const struct {
		uint8_t base;
		const char *words; /* between spaces */
	} bases[] = {
		{ 16, " hexadecimal hex x X p " },
		{ 8, " octal oct o " },
		{ 2, " binary b " },
	};
	char word[32]; /* known words are shorter */
	uint8_t base = 10;

	g_snprintf(word, sizeof(word), " %s ", value->text);
	for (size_t i = 0; i < G_N_ELEMENTS(bases); i++)
		if (value->token == TRC_TOKEN_NUMBER ? value->number == bases[i].base
						     : !!strstr(bases[i].words, word))
			base = bases[i].base;
	return base;
}

/* Set an attribute of a number or string. *ALIGNED is set if it is the alignment. */
static bool set_attribute(struct trc_parser *p, struct trc_type *type, const char *name,
	const struct trc_value *value, bool *aligned)
{
	uint64_t number = 0;

	if (!strcmp(name, "align")) {
		*aligned = true;
		return trc_parser_unsigned(p, value, &number) && set_alignment(p, number, &type->align);
	}
	if (!strcmp(name, "size") || !strcmp(name, "exp_dig") || !strcmp(name, "mant_dig")) {
		if (!trc_parser_unsigned(p, value, &number) || number > 64)
			return trc_parser_fail(p, "numbers of more than 64 bits are not read");
		type->bits += number;
	} else if (!strcmp(name, "signed")) {
		type->is_signed = value->token == TRC_TOKEN_NUMBER
			? value->number != 0
			: g_ascii_strcasecmp(value->text, "true") == 0;
	} else if (!strcmp(name, "byte_order")) {
		type->native_order = !strcmp(value->text, "native");
		type->big_endian = !strcmp(value->text, "be") || !strcmp(value->text, "network");
		return type->native_order || type->big_endian || !strcmp(value->text, "le") ||
			trc_parser_fail(p, "a byte order is le, be, network or native");
	} else if (!strcmp(name, "encoding")) {
		type->encoding = g_ascii_strcasecmp(value->text, "none") != 0 ? TRC_ENCODING_UTF8
									      : TRC_ENCODING_NONE;
	} else if (!strcmp(name, "map")) {
		g_auto(GStrv) parts = g_strsplit(value->text, ".", -1); /* "clock.NAME.value" */
		bool is_clock = g_strv_length(parts) == 3 && !strcmp(parts[0], "clock") &&
			!strcmp(parts[2], "value");

		type->clock = is_clock ? trc_parser_keep(p, parts[1]) : NULL;
	} else if (!strcmp(name, "base")) {
		type->base = base_of(value);
	}
	return true; /* attributes of later writers do not change the layout */
}

/* Parse "{ name = value; … }". */
static bool parse_attributes(struct trc_parser *p, struct trc_type *type, bool *aligned)
{
	if (!trc_parser_skip(p, '{'))
		return false;
	while (!trc_lex_is(&p->lex, '}')) {
		const char *name = trc_parser_path(p);
		struct trc_value value;

		if (!name || !trc_parser_skip(p, '=') || !trc_parser_value(p, &value) ||
			!set_attribute(p, type, name, &value, aligned))
			return false;
	}
	trc_lex_next(&p->lex);
	return true;
}

/* Parse the rest of "integer { … }" or "floating_point { … }" (KIND). NULL after a failure. */
static struct trc_type *parse_number(struct trc_parser *p, enum trc_type_kind kind)
{
	struct trc_type *type = trc_type_new(p->t, kind);
	bool aligned = false;

	type->native_order = true;
	if (!parse_attributes(p, type, &aligned))
		return NULL;
	if (type->bits < 1 || type->bits > 64) {
		trc_parser_fail(p, "a number must have 1 to 64 bits");
		return NULL;
	}
	if (!aligned)
		type->align = type->bits % 8 ? 1 : 8;
	return type;
}

static struct trc_type *parse_string(struct trc_parser *p)
{
	struct trc_type *type = trc_type_new(p->t, TRC_TYPE_STRING);
	bool aligned;

	if (trc_lex_is(&p->lex, '{') && !parse_attributes(p, type, &aligned))
		return NULL;
	type->align = 8;
	type->bits = TRC_VARIABLE;
	type->encoding = TRC_ENCODING_UTF8;
	return type;
}

/* ---- labels ---- */

/* Parse a number with its sign, as two's complement. */
static bool parse_enum_number(struct trc_parser *p, uint64_t *number)
{
	bool negative = trc_lex_is(&p->lex, '-');

	if (negative || trc_lex_is(&p->lex, '+'))
		trc_lex_next(&p->lex);
	if (p->lex.token != TRC_TOKEN_NUMBER)
		return trc_parser_expected(p, "a number");
	*number = negative ? 0 - p->lex.value : p->lex.value;
	trc_lex_next(&p->lex);
	return true;
}

/* Parse "name", "name = 1" or "name = 1 ... 3". *NEXT is the value if none is given. */
static bool parse_label(struct trc_parser *p, GArray *labels, uint64_t *next)
{
	struct trc_label label;

	if (p->lex.token != TRC_TOKEN_WORD && p->lex.token != TRC_TOKEN_STRING)
		return trc_parser_expected(p, "a label");
	label.name = trc_parser_keep(p, p->lex.text->str);
	label.low = label.high = *next;
	trc_lex_next(&p->lex);
	if (trc_lex_is(&p->lex, '=')) {
		trc_lex_next(&p->lex);
		if (!parse_enum_number(p, &label.low))
			return false;
		label.high = label.low;
		if (p->lex.token == TRC_TOKEN_DOTS) {
			trc_lex_next(&p->lex);
			if (!parse_enum_number(p, &label.high))
				return false;
		}
	}
	*next = label.high + 1;
	g_array_append_val(labels, label);
	return true;
}

/* Parse the labels of the enum TYPE: "{ name = 1, … }". */
static bool parse_labels(struct trc_parser *p, struct trc_type *type)
{
	GArray *labels = g_array_new(FALSE, FALSE, sizeof(struct trc_label));
	uint64_t next = 0;
	bool fine = true;

	trc_lex_next(&p->lex);
	while (fine && !trc_lex_is(&p->lex, '}')) {
		fine = parse_label(p, labels, &next);
		if (fine && !trc_lex_is(&p->lex, '}'))
			fine = trc_parser_skip(p, ',');
	}
	type->n_labels = labels->len;
	type->labels = (struct trc_label *)(void *)g_array_free(labels, FALSE);
	type->shared = false; /* a copy of an integer has labels of its own */
	type->nodes += MIN(type->n_labels, TRC_NODES_MAX);
	if (fine && type->nodes > TRC_NODES_MAX)
		fine = trc_parser_refuse(p, "an enum has too many labels");
	if (fine)
		trc_lex_next(&p->lex);
	return fine;
}

#define DIMENSIONS_MAX 8 /* of an array */

/* ---- fields, arrays ---- */

/* Parse a "[…]": a LENGTH, or a REFERENCE to the field with the length. */
static bool parse_dimension(struct trc_parser *p, uint64_t *length, const char **reference)
{
	*reference = NULL;
	*length = 0;
	trc_lex_next(&p->lex);
	if (p->lex.token == TRC_TOKEN_NUMBER) {
		*length = p->lex.value;
		trc_lex_next(&p->lex);
	} else {
		*reference = trc_parser_path(p);
	}
	return trc_parser_skip(p, ']');
}

/* Parse the name of a field of TYPE and its "[…]"s. Returns TYPE, perhaps as array; NULL with a failure. */
static struct trc_type *parse_declarator(struct trc_parser *p, struct trc_type *type, const char **name)
{
	uint64_t lengths[DIMENSIONS_MAX];
	const char *references[DIMENSIONS_MAX];
	unsigned n = 0;

	if (p->lex.token != TRC_TOKEN_WORD) {
		trc_parser_expected(p, "a name");
		return NULL;
	}
	*name = trc_parser_keep(p, p->lex.text->str);
	trc_lex_next(&p->lex);
	for (; trc_lex_is(&p->lex, '['); n++) {
		if (n == DIMENSIONS_MAX || !parse_dimension(p, &lengths[n], &references[n])) {
			trc_parser_refuse(p, "an array has too many dimensions");
			return NULL;
		}
	}
	while (type && n-- > 0) {
		if (references[n])
			type = trc_type_sequence(p->t, type, references[n]);
		else
			type = trc_type_array(p->t, type, lengths[n]);
	}
	if (!type)
		trc_parser_refuse(p, "the array \"%.60s\" is too large, or nested too deeply", *name);
	return type;
}

/* Parse "type name;", or the definition of a type within a struct. */
static bool parse_field(struct trc_parser *p, GArray *fields)
{
	struct trc_field field = { 0 };
	struct trc_type *type;

	if (trc_decl_is_alias(p))
		return trc_decl_alias(p);
	type = trc_decl_type(p, true);
	if (!type)
		return false;
	while (!trc_lex_is(&p->lex, ';')) {
		field.type = parse_declarator(p, type, &field.name);
		if (!field.type)
			return false;
		g_array_append_val(fields, field);
		if (!trc_lex_is(&p->lex, ','))
			break;
		trc_lex_next(&p->lex);
	}
	return trc_parser_skip(p, ';');
}

/* Parse "align(8)" after a struct. */
static bool parse_struct_align(struct trc_parser *p, uint32_t *align)
{
	uint64_t number;

	if (!trc_lex_is_word(&p->lex, "align"))
		return true;
	trc_lex_next(&p->lex);
	if (!trc_parser_skip(p, '('))
		return false;
	number = p->lex.token == TRC_TOKEN_NUMBER ? p->lex.value : 0;
	trc_lex_next(&p->lex);
	return set_alignment(p, number, align) && trc_parser_skip(p, ')');
}

/* Parse "{ fields } align(8)" into TYPE. */
static bool parse_body(struct trc_parser *p, struct trc_type *type)
{
	GArray *fields = g_array_new(FALSE, FALSE, sizeof(struct trc_field));
	struct trc_scope scope;
	uint32_t align = 1;
	bool fine = true;

	trc_lex_next(&p->lex);
	trc_scope_enter(p, &scope);
	while (fine && !trc_lex_is(&p->lex, '}'))
		fine = parse_field(p, fields);
	trc_scope_leave(p, &scope);
	if (fine) {
		trc_lex_next(&p->lex);
		fine = type->kind != TRC_TYPE_STRUCT || parse_struct_align(p, &align);
	}
	if (!trc_type_set_fields(type, fields, align))
		return trc_parser_refuse(p, "a struct is too large, or nested too deeply");
	return fine;
}

/* Take the name of a struct, variant or enum as key "struct x"; the caller frees it. NULL: no name. */
static char *tag_name(struct trc_parser *p, const char *kind)
{
	char *key = NULL;

	if (p->lex.token == TRC_TOKEN_WORD) {
		key = g_strdup_printf("%s %s", kind, p->lex.text->str);
		trc_lex_next(&p->lex);
	}
	return key;
}

static struct trc_type *parse_struct(struct trc_parser *p)
{
	g_autofree char *key = tag_name(p, "struct");
	struct trc_type *type = NULL;

	if (trc_lex_is(&p->lex, '{')) {
		type = trc_type_new(p->t, TRC_TYPE_STRUCT);
		if (!parse_body(p, type) || (key && !trc_scope_define(p, key, type)))
			type = NULL;
	} else if (key) {
		type = trc_scope_look_up(p, key);
	} else {
		trc_parser_expected(p, "\"{\" or the name of a struct");
	}
	return type;
}

static struct trc_type *parse_variant(struct trc_parser *p)
{
	g_autofree char *key = tag_name(p, "variant");
	struct trc_type *type = NULL;
	const char *tag = NULL;

	if (trc_lex_is(&p->lex, '<')) { /* variant <tag> */
		trc_lex_next(&p->lex);
		tag = trc_parser_path(p);
		if (!tag || !trc_parser_skip(p, '>'))
			return NULL;
	}
	if (trc_lex_is(&p->lex, '{')) {
		type = trc_type_new(p->t, TRC_TYPE_VARIANT);
		if (!parse_body(p, type) || (key && !trc_scope_define(p, key, type)))
			type = NULL;
	} else if (key) {
		type = trc_scope_look_up(p, key);
		type = type ? trc_type_copy(p->t, type) : NULL;
	} else {
		trc_parser_expected(p, "\"{\" or the name of a variant");
	}
	if (type && tag)
		type->reference = tag;
	return type;
}

/* ---- any type ---- */

/* Parse a type that has only words: "uint32_t", "unsigned long". */
static struct trc_type *parse_words(struct trc_parser *p, bool with_name)
{
	g_autoptr(GString) key = g_string_new(NULL);
	struct trc_type *type = NULL;

	while (p->lex.token == TRC_TOKEN_WORD) {
		char after = trc_lex_peek(&p->lex);
		bool last = !g_ascii_isalpha(after) && after != '_';

		if (with_name && last && key->len)
			break;
		if (!trc_lex_is_word(&p->lex, "const"))
			g_string_append_printf(key, "%s%s", key->len ? " " : "", p->lex.text->str);
		trc_lex_next(&p->lex);
	}
	if (key->len)
		type = trc_scope_look_up(p, key->str);
	else
		trc_parser_expected(p, "a type");
	return type;
}

/* Return the integer of an enum: after ':', or "int". */
static struct trc_type *parse_container(struct trc_parser *p)
{
	struct trc_type *type;

	if (trc_lex_is(&p->lex, ':')) {
		trc_lex_next(&p->lex);
		type = trc_decl_type(p, false);
	} else {
		type = trc_scope_look_up(p, "int");
	}
	if (type && type->kind != TRC_TYPE_INTEGER) {
		trc_parser_fail(p, "an enum is made of an integer");
		return NULL;
	}
	return type;
}

static struct trc_type *parse_enum(struct trc_parser *p)
{
	g_autofree char *key = tag_name(p, "enum");
	struct trc_type *container, *type = NULL;

	if (key && !trc_lex_is(&p->lex, ':') && !trc_lex_is(&p->lex, '{')) {
		type = trc_scope_look_up(p, key);
	} else {
		container = parse_container(p);
		type = container ? trc_type_copy(p->t, container) : NULL;
		if (type) {
			type->kind = TRC_TYPE_ENUM;
			if (!trc_lex_is(&p->lex, '{'))
				trc_parser_expected(p, "\"{\"");
			else if (parse_labels(p, type) && key)
				trc_scope_define(p, key, type);
		}
	}
	return p->error ? NULL : type;
}

static struct trc_type *parse_type(struct trc_parser *p, bool with_name)
{
	static const struct {
		const char *word;
		enum trc_type_kind kind;
	} kinds[] = {
		{ "integer", TRC_TYPE_INTEGER },
		{ "floating_point", TRC_TYPE_FLOAT },
		{ "string", TRC_TYPE_STRING },
		{ "struct", TRC_TYPE_STRUCT },
		{ "variant", TRC_TYPE_VARIANT },
		{ "enum", TRC_TYPE_ENUM },
	};
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (trc_lex_is_word(&p->lex, kinds[i].word))
			break;
	if (i == G_N_ELEMENTS(kinds))
		return parse_words(p, with_name);
	trc_lex_next(&p->lex);
	switch (kinds[i].kind) {
	case TRC_TYPE_STRUCT: return parse_struct(p);
	case TRC_TYPE_VARIANT: return parse_variant(p);
	case TRC_TYPE_ENUM: return parse_enum(p);
	case TRC_TYPE_STRING: return parse_string(p);
	default: return parse_number(p, kinds[i].kind);
	}
}

struct trc_type *trc_decl_type(struct trc_parser *p, bool with_name)
{
	struct trc_type *type = NULL;

	if (p->depth == TRC_DEPTH_MAX)
		trc_parser_refuse(p, "types are nested too deeply");
	else if (p->t->types->len > TRC_TYPES_MAX)
		trc_parser_refuse(p, "it declares too many types");
	p->depth++;
	if (!p->error) {
		if (trc_lex_is_word(&p->lex, "const"))
			trc_lex_next(&p->lex);
		type = parse_type(p, with_name);
	}
	p->depth--;
	return p->error ? NULL : type;
}

bool trc_decl_is_alias(const struct trc_parser *p)
{
	return trc_lex_is_word(&p->lex, "typealias") || trc_lex_is_word(&p->lex, "typedef");
}

bool trc_decl_alias(struct trc_parser *p)
{
	bool is_typedef = trc_lex_is_word(&p->lex, "typedef");
	struct trc_type *type;
	const char *name;
	g_autoptr(GString) key = NULL;
	bool fine;

	trc_lex_next(&p->lex);
	type = trc_decl_type(p, is_typedef);
	if (!type)
		return false;
	if (is_typedef) {
		type = parse_declarator(p, type, &name);
		return type && trc_scope_define(p, name, type) && trc_parser_skip(p, ';');
	}
	if (p->lex.token != TRC_TOKEN_ASSIGN_TYPE)
		return trc_parser_expected(p, "\":=\"");
	trc_lex_next(&p->lex);
	key = g_string_new(NULL); /* all words of the new name */
	for (; p->lex.token == TRC_TOKEN_WORD; trc_lex_next(&p->lex))
		g_string_append_printf(key, "%s%s", key->len ? " " : "", p->lex.text->str);
	fine = key->len ? trc_scope_define(p, key->str, type) : trc_parser_expected(p, "a name");
	return fine && trc_parser_skip(p, ';');
}
