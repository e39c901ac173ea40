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

/* TYPE holds OTHER; false when that is too much. */
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

/* Offsets and size of a struct; false when it is too large. */
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
