/* SPDX-License-Identifier: MIT */
#include "trace/meta/trc_meta_type.h"

#include <string.h>

struct trc_type *trc_type_new(struct trc_meta *t, enum trc_type_kind kind)
{
	struct trc_type *type = g_new0(struct trc_type, 1);

	type->kind = kind;
	type->align = 1;
	type->nodes = type->depth = 1;
	type->base = 10;
	type->up = TRC_SEARCH;
	g_ptr_array_add(t->types, type);
	return type;
}

struct trc_type *trc_type_copy(struct trc_meta *t, const struct trc_type *other)
{
	struct trc_type *type = trc_type_new(t, other->kind);

	*type = *other;
	type->shared = true;
	return type;
}

/* Count OTHER as part of TYPE. False if TYPE becomes too large. */
static bool meta_type_hold(struct trc_type *type, const struct trc_type *other)
{
	type->nodes += other->nodes;
	type->depth = MAX(type->depth, other->depth + 1);
	return type->nodes <= TRC_NODES_MAX && type->depth <= TRC_DEPTH_MAX;
}

struct trc_type *trc_type_array(struct trc_meta *t, struct trc_type *element, uint64_t length)
{
	struct trc_type *type = trc_type_new(t, TRC_TYPE_ARRAY);
	uint64_t stride, bits = 0;

	type->element = element;
	type->length = length;
	type->align = element->align;
	type->bits = element->bits;
	if (length > TRC_BITS_MAX || !meta_type_hold(type, element))
		return NULL;
	if (element->bits == TRC_VARIABLE)
		return type;
	stride = trc_align(element->bits, element->align);
	if (length && (__builtin_mul_overflow(stride, length - 1, &bits) || bits > TRC_BITS_MAX))
		return NULL;
	type->bits = length ? bits + element->bits : 0;
	return type->bits <= TRC_BITS_MAX ? type : NULL;
}

struct trc_type *trc_type_sequence(struct trc_meta *t, struct trc_type *element, const char *reference)
{
	struct trc_type *type = trc_type_new(t, TRC_TYPE_SEQUENCE);

	type->element = element;
	type->reference = reference;
	type->align = element->align;
	type->bits = TRC_VARIABLE;
	return meta_type_hold(type, element) ? type : NULL;
}

struct trc_type *trc_type_optional(struct trc_meta *t, struct trc_type *element, const char *reference)
{
	struct trc_type *type = trc_type_new(t, TRC_TYPE_OPTIONAL);

	type->element = element;
	type->reference = reference;
	type->bits = TRC_VARIABLE;
	return meta_type_hold(type, element) ? type : NULL;
}

/* Set offsets and size of a struct. False if it is too large. */
static bool meta_type_lay_out(struct trc_type *type)
{
	uint64_t at = 0;

	for (unsigned i = 0; i < type->n_fields; i++) {
		struct trc_field *field = &type->fields[i];

		type->align = MAX(type->align, field->type->align);
		field->offset = at == TRC_VARIABLE ? TRC_VARIABLE : trc_align(at, field->type->align);
		if (field->offset == TRC_VARIABLE || field->type->bits == TRC_VARIABLE)
			at = TRC_VARIABLE;
		else
			at = field->offset + field->type->bits;
		if (at != TRC_VARIABLE && at > TRC_BITS_MAX)
			return false;
	}
	type->bits = at;
	return true;
}

bool trc_type_set_fields(struct trc_type *type, GArray *fields, uint32_t align)
{
	type->n_fields = fields->len;
	type->fields = (struct trc_field *)(void *)g_array_free(fields, FALSE);
	type->align = align;
	for (unsigned i = 0; i < type->n_fields; i++)
		if (!meta_type_hold(type, type->fields[i].type))
			return false;
	if (type->kind == TRC_TYPE_STRUCT)
		return meta_type_lay_out(type);
	type->bits = TRC_VARIABLE;
	return true;
}

void trc_type_free(gpointer data)
{
	struct trc_type *type = data;

	if (!type->shared) {
		g_free(type->fields);
		g_free(type->labels);
		g_free(type->choices);
	}
	g_free(type);
}

const struct trc_field *trc_type_find(const struct trc_type *type, const char *name)
{
	for (unsigned i = 0; type && i < type->n_fields; i++) {
		const char *own = type->fields[i].name;

		if (!strcmp(own, name) || (own[0] == '_' && !strcmp(own + 1, name)))
			return &type->fields[i];
	}
	return NULL;
}

const char *trc_type_bare(const char *name)
{
	return name[0] == '_' ? name + 1 : name;
}

/* ---- what a number chooses ---- */

/* True if VALUE of TYPE lies within LABEL. */
static bool type_label_holds(const struct trc_type *type, const struct trc_label *label, uint64_t value)
{
	if (type->is_signed)
		return (int64_t)value >= (int64_t)label->low && (int64_t)value <= (int64_t)label->high;
	return value >= label->low && value <= label->high;
}

bool trc_type_has_label(const struct trc_type *type, const struct trc_label *label, uint64_t value)
{
	if (type->look != TRC_LOOK_FLAGS)
		return type_label_holds(type, label, value);
	for (uint64_t bit = label->low; bit <= label->high && bit < 64; bit++)
		if (value >> bit & 1)
			return true;
	return false;
}

bool trc_choice_bounds(const struct trc_choice *c, bool is_signed, uint64_t *low, uint64_t *high)
{
	*low = c->low;
	*high = c->high;
	if (is_signed) {
		if (!c->below_high && c->high > INT64_MAX)
			*high = INT64_MAX;
		return c->below_low || c->low <= INT64_MAX;
	}
	if (c->below_low)
		*low = 0;
	return !c->below_high;
}

/* Like trc_type_choose(), for a TYPE with choices of its own. */
static int type_choose_of(const struct trc_type *type, bool is_signed, uint64_t value)
{
	for (unsigned i = 0; i < type->n_choices; i++) {
		struct trc_label range = { .name = NULL };
		const struct trc_type tag = { .is_signed = is_signed };

		if (trc_choice_bounds(&type->choices[i], is_signed, &range.low, &range.high) &&
			type_label_holds(&tag, &range, value))
			return (int)type->choices[i].option;
	}
	return -1;
}

int trc_type_choose(const struct trc_type *type, const struct trc_type *tag, uint64_t value)
{
	g_autoptr(GHashTable) names = NULL;

	if (type->n_choices)
		return type_choose_of(type, tag->is_signed, value);
	if (type->kind == TRC_TYPE_OPTIONAL)
		return value ? 0 : -1;
	names = g_hash_table_new(g_str_hash, g_str_equal);
	for (unsigned i = 0; i < tag->n_labels; i++)
		if (type_label_holds(tag, &tag->labels[i], value))
			g_hash_table_add(names, (gpointer)trc_type_bare(tag->labels[i].name));
	for (unsigned i = 0; i < type->n_fields; i++)
		if (g_hash_table_contains(names, trc_type_bare(type->fields[i].name)))
			return (int)i;
	return -1;
}

/* Replace a dot within NAME by a byte that UTF-8 does not have, so that no name looks like a path. */
void trc_path_add(GString *path, const char *name)
{
	if (path->len)
		g_string_append_c(path, '.');
	for (; *name; name++)
		g_string_append_c(path, *name == '.' ? '\xff' : *name);
}
