/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_plan.h"

#include <string.h>

/* True for a little-endian number without sign of BITS bits. */
static bool head_is_number(const struct trc_type *type, uint64_t bits, uint32_t align, bool is_time)
{
	return type->kind == TRC_TYPE_INTEGER && type->bits == bits && type->align == align &&
		!type->is_signed && !type->big_endian && !type->clock != is_time;
}

/* True when TAG calls 0 to LAST "compact" and LAST + 1 "extended", as a number of BITS bits. */
static bool is_tag(const struct trc_type *tag, uint64_t bits, uint64_t last)
{
	return tag->kind == TRC_TYPE_ENUM && tag->bits == bits && !tag->is_signed && !tag->big_endian &&
		!tag->clock && tag->align == (bits % 8 ? 1 : 8) && tag->n_labels == 2 &&
		!strcmp(tag->labels[0].name, "compact") && tag->labels[0].low == 0 &&
		tag->labels[0].high == last && !strcmp(tag->labels[1].name, "extended") &&
		tag->labels[1].low == last + 1 && tag->labels[1].high == last + 1;
}

/* True when OPTION is a struct of N fields. */
static bool is_struct(const struct trc_field *option, const char *name, unsigned n)
{
	return !strcmp(option->name, name) && option->type->kind == TRC_TYPE_STRUCT &&
		option->type->n_fields == n;
}

/* True when V is the variant behind the tag, with BITS bits of time in the compact form. */
static bool is_variant(const struct trc_type *v, uint64_t bits)
{
	const struct trc_field *time, *extended;

	if (v->kind != TRC_TYPE_VARIANT || v->n_fields != 2 || g_strcmp0(v->reference, "id") != 0 ||
		!is_struct(&v->fields[0], "compact", 1) || !is_struct(&v->fields[1], "extended", 2))
		return false;
	time = &v->fields[0].type->fields[0];
	extended = v->fields[1].type->fields;
	return v->fields[1].type->align == 8 && head_is_number(time->type, bits, bits % 8 ? 1 : 8, true) &&
		v->fields[0].type->align == time->type->align && !strcmp(extended[0].name, "id") &&
		head_is_number(extended[0].type, 32, 8, false) &&
		head_is_number(extended[1].type, 64, 8, true);
}

enum trc_head trc_head_recognise(const struct trc_type *type)
{
	if (!type || type->n_fields != 2 || type->align != 8 || strcmp(type->fields[0].name, "id") != 0)
		return TRC_HEAD_OTHER;
	if (is_tag(type->fields[0].type, 5, 30) && is_variant(type->fields[1].type, 27))
		return TRC_HEAD_COMPACT;
	if (is_tag(type->fields[0].type, 16, 65534) && is_variant(type->fields[1].type, 32))
		return TRC_HEAD_LARGE;
	return TRC_HEAD_OTHER;
}
