/* SPDX-License-Identifier: MIT */
/*
 * How it works: the types of the event are walked in the order of the fields, and the place in the data
 * advances with them. Numbers to which later fields refer are kept by their path. The text has the layout of
 * babeltrace2's sink.text.pretty (babeltrace2-sink.text.pretty(7)), with the names of all fields.
 */
#include "trace/ctf/trc_ctf.h"

#include "base/base_text.h"
#include "trace/ctf/trc_plan.h"
#include "trace/ctf/trc_unicode.h"
#include "trace/meta/trc_meta_type.h"

#include <inttypes.h>
#include <string.h>

struct number {
	const struct trc_type *type; /* weak */
	uint64_t value;
};

struct trc_text {
	/* Const struct trc_event_class * → set of names (const char *) or NULL: none; owned. */
	GHashTable *wanted;
	GHashTable *known; /* path → struct number *, of the current event; owned */
	GString *path;     /* of the current field; owned */
	GString *utf8;     /* owned: the last text, converted from another encoding */
	/* The current event: */
	GHashTable *names; /* its set in WANTED; weak */
	const uint8_t *data;
	uint64_t at, limit;
	gsize end; /* length at which the text ends */
	GString *to;
	const struct trc_text_around *around; /* weak */
	const struct trc_taker *taker;        /* weak; NULL: none */
	trc_cut_seen *seen;                   /* NULL: none; with SEEN_DATA */
	void *seen_data;
	const char *field;      /* weak: the innermost field with a name */
	unsigned depth;         /* of the current struct; 1: a root */
	bool in_field;          /* the current type is of a field or option, not of an element */
	struct trc_value value; /* the last number or text */
};

static void set_free(gpointer set)
{
	if (set)
		g_hash_table_unref(set);
}

struct trc_text *trc_text_new(void)
{
	struct trc_text *t = g_new0(struct trc_text, 1);

	t->wanted = g_hash_table_new_full(NULL, NULL, NULL, set_free);
	t->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	t->path = g_string_new(NULL);
	t->utf8 = g_string_new(NULL);
	return t;
}

void trc_text_free(struct trc_text *t)
{
	if (!t)
		return;
	g_hash_table_unref(t->wanted);
	g_hash_table_unref(t->known);
	g_string_free(t->path, TRUE);
	g_string_free(t->utf8, TRUE);
	g_free(t);
}

static bool render(struct trc_text *t, const struct trc_type *type);

/* True if the text has no more room. */
static bool is_full(const struct trc_text *t)
{
	return t->to->len >= t->end;
}

/* ---- numbers ---- */

/* Read the number TYPE at the current place and move past it. A signed number is extended to 64 bits. */
static bool text_read_number(struct trc_text *t, const struct trc_type *type, uint64_t *value)
{
	bool is_leb = trc_type_is_leb(type);
	uint64_t bits = type->bits, left;

	t->at = trc_align(t->at, type->align);
	if (t->at > t->limit)
		return false;
	left = t->limit - t->at;
	if (is_leb) {
		bits = 8 * trc_bits_leb(t->data + t->at / 8, left / 8, type->is_signed, value);
		if (!bits)
			return false;
	} else {
		if (left < bits)
			return false;
		*value = trc_bits_read(t->data, t->at, (unsigned)bits, type->big_endian);
		if (type->reversed)
			*value = trc_bits_reverse(*value, (unsigned)bits);
		if (type->is_signed)
			*value = (uint64_t)trc_bits_sign(*value, (unsigned)bits);
	}
	t->at += bits;
	t->value.number = *value;
	return true;
}

/* ---- texts ---- */

/* Append the LENGTH bytes at BYTES, or up to a NUL, as text. */
static void render_text(struct trc_text *t, const uint8_t *bytes, uint64_t length, enum trc_encoding encoding)
{
	const char *text = (const char *)bytes;
	size_t room = length;

	if (encoding > TRC_ENCODING_UTF8) {
		g_string_truncate(t->utf8, 0);
		trc_unicode_append(t->utf8, bytes, length, encoding, TRC_TEXT_EVENT_MAX);
		text = t->utf8->str;
		length = t->utf8->len;
	}
	if (t->seen)
		t->seen(t->seen_data, trc_type_bare(t->field), (char *)(uintptr_t)bytes, room);
	else
		trc_text_value_string(t->to, text, length, t->end);
	t->value = (struct trc_value){ .text = text, .length = strnlen(text, length) };
}

static bool render_string(struct trc_text *t, enum trc_encoding encoding)
{
	const uint8_t *text;
	uint64_t length, whole;

	t->at = trc_align(t->at, 8);
	text = t->data + t->at / 8;
	if (t->at >= t->limit || !trc_unicode_length(text, (t->limit - t->at) / 8, encoding, &length, &whole))
		return false;
	render_text(t, text, length, encoding);
	t->at += whole * 8;
	return true;
}

/* Append an integer without labels. */
static void render_integer(struct trc_text *t, const struct trc_type *type, uint64_t value)
{
	unsigned bits = (unsigned)MIN(type->bits, 64);

	if (type->look == TRC_LOOK_BOOLEAN)
		g_string_append(t->to, value ? "true" : "false");
	else
		trc_text_value_integer(t->to, type->is_signed, bits, type->base, value);
}

static void render_enum(struct trc_text *t, const struct trc_type *type, uint64_t value)
{
	unsigned i, n = 0;

	g_string_append(t->to, "( ");
	for (i = 0; i < type->n_labels; i++) {
		if (!trc_type_has_label(type, &type->labels[i], value) || is_full(t))
			continue;
		g_string_append(t->to, n++ ? ", " : "");
		trc_text_value_string(t->to, type->labels[i].name, UINT64_MAX, t->end);
	}
	g_string_append(t->to, n ? " : container = " : "<unknown> : container = ");
	render_integer(t, type, value);
	g_string_append(t->to, " )");
}

/* ---- compounds ---- */

/* True if other fields refer to the number at the current path. */
static bool text_is_named(const struct trc_text *t)
{
	const char *dot = t->names && t->in_field ? strrchr(t->path->str, '.') : NULL;

	return dot && g_hash_table_contains(t->names, dot + 1);
}

static bool render_number(struct trc_text *t, const struct trc_type *type)
{
	uint64_t value;

	if (!text_read_number(t, type, &value))
		return false;
	if (text_is_named(t)) {
		struct number *number = g_new(struct number, 1);

		*number = (struct number){ type, value };
		g_hash_table_insert(t->known, g_strdup(t->path->str), number);
	}
	if (type->kind == TRC_TYPE_ENUM)
		render_enum(t, type, value);
	else if (type->kind == TRC_TYPE_FLOAT)
		trc_text_value_float(t->to, (unsigned)type->bits, value);
	else
		render_integer(t, type, value);
	return true;
}

/* True if an array of ELEMENT is a text. */
static bool text_is_text(const struct trc_type *element)
{
	return element->kind == TRC_TYPE_INTEGER && element->encoding && element->bits == 8 &&
		element->align == 8;
}

/* Give FIELD, the last one read, to the taker. Its text begins at BEGIN. */
static void give(struct trc_text *t, const struct trc_field *field, gsize begin)
{
	const struct trc_type *type = field->type;
	struct trc_value *v = &t->value;

	v->type = TRC_VALUE_TEXT;
	if (trc_type_is_number(type)) {
		v->type = type->is_signed ? TRC_VALUE_SIGNED : TRC_VALUE_UNSIGNED;
	} else if (type->kind == TRC_TYPE_FLOAT) {
		v->type = TRC_VALUE_REAL;
		v->real = trc_text_value_real((unsigned)type->bits, v->number);
	} else if (type->kind != TRC_TYPE_STRING && !(type->element && text_is_text(type->element))) {
		v->text = t->to->str + begin;
		v->length = t->to->len - begin;
	}
	t->taker->take(t->taker->data, trc_type_bare(field->name), v);
}

static bool render_field(struct trc_text *t, const struct trc_field *field)
{
	gsize length = t->path->len, begin;
	bool fine;

	t->field = field->name;
	base_text_append(t->to, trc_type_bare(field->name), strlen(trc_type_bare(field->name)));
	base_text_append(t->to, " = ", 3);
	begin = t->to->len;
	if (t->names)
		trc_path_add(t->path, field->name);
	t->in_field = true;
	fine = render(t, field->type);
	g_string_truncate(t->path, length);
	if (fine && t->taker && t->depth == 1)
		give(t, field, begin);
	return fine;
}

static bool render_struct(struct trc_text *t, const struct trc_type *type)
{
	bool fine = true;

	t->depth++;
	g_string_append_c(t->to, '{');
	for (unsigned i = 0; fine && i < type->n_fields && !is_full(t); i++) {
		base_text_append(t->to, i ? ", " : " ", i ? 2 : 1);
		fine = render_field(t, &type->fields[i]);
	}
	base_text_append(t->to, " }", 2);
	t->depth--;
	return fine;
}

/* Set *NUMBER to the number to which the current field of TYPE refers. False if it is absent. */
static bool text_find(const struct trc_text *t, const struct trc_type *type, struct number *number)
{
	const struct trc_around *around = t->around->around;
	const struct number *here = trc_reference_find(t->known, t->path->str, type);
	const struct trc_known *known = here || !around
		? NULL
		: trc_reference_find(around->known, t->path->str, type);

	if (here)
		*number = *here;
	else if (known && t->around->known >> known->slot & 1)
		*number = (struct number){ known->type, t->around->registers[known->slot] };
	return here || (known && t->around->known >> known->slot & 1);
}

/* Return the choice of TYPE by the number to which the current field refers; -2: the number is absent. */
static int text_choose(const struct trc_text *t, const struct trc_type *type)
{
	struct number tag;

	return text_find(t, type, &tag) ? trc_type_choose(type, tag.type, tag.value) : -2;
}

static bool render_variant(struct trc_text *t, const struct trc_type *type)
{
	int chosen = text_choose(t, type);
	gsize length = t->path->len;
	bool fine;

	if (chosen < 0)
		return false;
	g_string_append(t->to, "{ ");
	if (type->up == TRC_SEARCH) /* in CTF 2 paths do not have options */
		trc_path_add(t->path, type->fields[chosen].name);
	fine = render(t, type->fields[chosen].type);
	g_string_truncate(t->path, length);
	g_string_append(t->to, " }");
	return fine;
}

static bool render_optional(struct trc_text *t, const struct trc_type *type)
{
	int chosen = text_choose(t, type);

	if (chosen == -1)
		g_string_append(t->to, "<none>");
	return chosen == -1 || (chosen == 0 && render(t, type->element));
}

/* Append COUNT elements of type ELEMENT. */
static bool render_elements(struct trc_text *t, const struct trc_type *element, uint64_t count)
{
	bool fine = true;

	if (text_is_text(element)) {
		t->at = trc_align(t->at, 8);
		if (t->at > t->limit || count > (t->limit - t->at) / 8)
			return false;
		render_text(t, t->data + t->at / 8, count, element->encoding);
		t->at += count * 8;
		return true;
	}
	g_string_append_c(t->to, '[');
	for (uint64_t i = 0; fine && i < count && !is_full(t); i++) {
		uint64_t at = t->at;

		g_string_append_printf(t->to, "%s[%" PRIu64 "] = ", i ? ", " : " ", i);
		t->in_field = false;
		fine = render(t, element);
		if (t->seen && t->at == at) /* elements of size 0: they may be many */
			break;
	}
	g_string_append(t->to, " ]");
	return fine;
}

/* Append the value of TYPE and move past it. Once the text is full, the place has no meaning. */
static bool render(struct trc_text *t, const struct trc_type *type)
{
	struct number length;

	if (t->seen) /* the text is not used, and could exceed memory */
		g_string_truncate(t->to, 0);
	t->at = trc_align(t->at, type->align); /* even an array without elements is aligned */
	switch (type->kind) {
	case TRC_TYPE_INTEGER:
	case TRC_TYPE_ENUM:
	case TRC_TYPE_FLOAT: return render_number(t, type);
	case TRC_TYPE_STRING: return render_string(t, type->encoding);
	case TRC_TYPE_OPTIONAL: return render_optional(t, type);
	case TRC_TYPE_STRUCT: return render_struct(t, type);
	case TRC_TYPE_VARIANT: return render_variant(t, type);
	case TRC_TYPE_ARRAY: return render_elements(t, type->element, type->length);
	case TRC_TYPE_SEQUENCE:
		return text_find(t, type, &length) && render_elements(t, type->element, length.value);
	}
	return false;
}

/* ---- the event ---- */

/* Return the names of fields of CLASS to which others refer; NULL: none. */
static GHashTable *names_of(struct trc_text *t, const struct trc_stream_class *stream,
	const struct trc_event_class *class)
{
	GHashTable *names = g_hash_table_lookup(t->wanted, class);

	if (names || g_hash_table_contains(t->wanted, class))
		return names;
	names = g_hash_table_new(g_str_hash, g_str_equal);
	trc_reference_collect(stream->event_context, names);
	trc_reference_collect(class->context, names);
	trc_reference_collect(class->fields, names);
	if (!g_hash_table_size(names))
		g_clear_pointer(&names, g_hash_table_unref);
	g_hash_table_insert(t->wanted, (gpointer) class, names);
	return names;
}

/* Append the struct TYPE (NULL: nothing), whose path is PATH, to the text since START. */
static bool render_root(struct trc_text *t, const struct trc_type *type, const char *path, gsize start)
{
	if (!type || is_full(t))
		return true;
	if (t->to->len > start)
		g_string_append(t->to, ", ");
	g_string_assign(t->path, path);
	return render(t, type);
}

/* Append the event of CLASS in the bits [AT, LIMIT) of DATA to TO, until TO has END bytes. */
static bool text_render(struct trc_text *t, const struct trc_stream_class *stream,
	const struct trc_event_class *class, const uint8_t *data, uint64_t at, uint64_t limit,
	const struct trc_text_around *around, GString *to, gsize end)
{
	gsize start = to->len;

	t->names = names_of(t, stream, class);
	g_hash_table_remove_all(t->known);
	t->data = data;
	t->at = at;
	t->limit = limit;
	t->around = around;
	t->end = end;
	t->to = to;
	t->field = "";
	t->depth = 0;
	return render_root(t, stream->event_context, TRC_PATH_STREAM_CONTEXT, start) &&
		render_root(t, class->context, TRC_PATH_CONTEXT, start) &&
		render_root(t, class->fields, TRC_PATH_FIELDS, start);
}

bool trc_text_visit(struct trc_text *t, const struct trc_stream_class *stream,
	const struct trc_event_class *class, uint8_t *bytes, uint64_t at, uint64_t limit,
	const struct trc_text_around *around, trc_cut_seen *seen, void *data)
{
	GString *text = g_string_new(NULL);
	bool fine;

	t->seen = seen;
	t->seen_data = data;
	t->taker = NULL;
	fine = text_render(t, stream, class, bytes, at, limit, around, text, G_MAXSIZE);
	t->seen = NULL;
	g_string_free(text, TRUE);
	return fine;
}

bool trc_text_event(struct trc_text *t, const struct trc_stream_class *stream,
	const struct trc_event_class *class, const uint8_t *data, uint64_t at, uint64_t limit,
	const struct trc_text_around *around, GString *to, const struct trc_taker *taker)
{
	bool fine;

	t->taker = taker;
	fine = text_render(t, stream, class, data, at, limit, around, to, to->len + TRC_TEXT_EVENT_MAX);
	if (is_full(t)) {
		g_string_truncate(to, t->end);
		g_string_append(to, "…");
	}
	return fine || is_full(t);
}
