/* SPDX-License-Identifier: MIT */
/* Types of the metadata without others in them: numbers and strings; the labels of enums. */
#include "trace/tsdl/trc_tsdl_parse.h"
#include "trace/tsdl/trc_tsdl_type.h"

#include <string.h>

bool trc_number_alignment(struct trc_parser *p, uint64_t align, uint32_t *to)
{
	if (!align || align > TRC_ALIGN_MAX || (align & (align - 1)))
		return trc_parser_fail(p, "an alignment must be a power of two");
	*to = (uint32_t)align;
	return true;
}

static bool set_byte_order(struct trc_parser *p, const char *order, struct trc_type *type)
{
	type->native_order = !strcmp(order, "native");
	type->big_endian = !strcmp(order, "be") || !strcmp(order, "network");
	return type->native_order || type->big_endian || !strcmp(order, "le") ||
		trc_parser_fail(p, "a byte order is le, be, network or native");
}

static bool is_true(const struct trc_value *value)
{
	return value->token == TRC_TOKEN_NUMBER ? value->number != 0
						: g_ascii_strcasecmp(value->text, "true") == 0;
}

/* "clock.NAME.value" */
static const char *clock_of(struct trc_parser *p, const char *map)
{
	g_auto(GStrv) parts = g_strsplit(map, ".", -1);
	const char *clock = NULL;

	if (g_strv_length(parts) == 3 && !strcmp(parts[0], "clock") && !strcmp(parts[2], "value"))
		clock = trc_parser_keep(p, parts[1]);
	return clock;
}

/* "base = 16;" or one of the words for it (CTF 1.8, "Integers"); what is not known is shown as decimal. */
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
	char word[32]; /* none is that long */
	uint8_t base = 10;
	size_t i;

	g_snprintf(word, sizeof(word), " %s ", value->text);
	for (i = 0; i < G_N_ELEMENTS(bases); i++)
		if (value->token == TRC_TOKEN_NUMBER ? value->number == bases[i].base
						     : !!strstr(bases[i].words, word))
			base = bases[i].base;
	return base;
}

/* One attribute of a number or a string.  *ALIGNED is set when it tells the alignment. */
static bool set_attribute(struct trc_parser *p, struct trc_type *type, const char *name,
	const struct trc_value *value, bool *aligned)
{
	uint64_t number = 0;

	if (!strcmp(name, "align")) {
		*aligned = true;
		return trc_parser_unsigned(p, value, &number) &&
			trc_number_alignment(p, number, &type->align);
	}
	if (!strcmp(name, "size") || !strcmp(name, "exp_dig") || !strcmp(name, "mant_dig")) {
		if (!trc_parser_unsigned(p, value, &number) || number > 64)
			return trc_parser_fail(p, "numbers of more than 64 bits are not read");
		type->bits += number;
	} else if (!strcmp(name, "signed")) {
		type->is_signed = is_true(value);
	} else if (!strcmp(name, "byte_order")) {
		return set_byte_order(p, value->text, type);
	} else if (!strcmp(name, "encoding")) {
		type->is_text = g_ascii_strcasecmp(value->text, "none") != 0;
	} else if (!strcmp(name, "map")) {
		type->clock = clock_of(p, value->text);
	} else if (!strcmp(name, "base")) {
		type->base = base_of(value);
	}
	return true; /* what later writers add changes no layout */
}

/* "{ name = value; … }" */
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

struct trc_type *trc_number_parse(struct trc_parser *p, enum trc_type_kind kind)
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

struct trc_type *trc_number_parse_string(struct trc_parser *p)
{
	struct trc_type *type = trc_type_new(p->t, TRC_TYPE_STRING);
	bool aligned;

	if (trc_lex_is(&p->lex, '{') && !parse_attributes(p, type, &aligned))
		return NULL;
	type->align = 8;
	type->bits = TRC_VARIABLE;
	return type;
}

/* ---- labels ---- */

/* A number with its sign, as two's complement. */
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

/* "name", "name = 1" or "name = 1 ... 3"; *NEXT is the value where none is given. */
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

bool trc_number_parse_labels(struct trc_parser *p, struct trc_type *type)
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
	type->shared = false; /* a copy of an integer has its own */
	type->nodes += MIN(type->n_labels, TRC_NODES_MAX);
	if (fine && type->nodes > TRC_NODES_MAX)
		fine = trc_parser_refuse(p, "an enum has too many labels");
	if (fine)
		trc_lex_next(&p->lex);
	return fine;
}
