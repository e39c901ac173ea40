/* SPDX-License-Identifier: MIT */
/* Parses field classes (CTF2-SPEC-2.0, 5.3) from JSON into struct trc_type. */
#include "trace/ctf2/trc_ctf2_parse.h"

#include <string.h>

/* ---- words ---- */

/* A word and its value. */
struct field_word {
	const char *word;
	unsigned value;
};

/* Set *VALUE to that of the text KEY of O, one of the N WORDS, if there is one. */
static bool field_word(struct trc_fragments *p, const struct base_json_value *o, const char *key, bool needed,
	const struct field_word *words, size_t n, unsigned *value)
{
	const struct base_json_value *v = trc_fragments_get(p, o, key, BASE_JSON_TEXT, needed);

	for (size_t i = 0; v && i < n; i++) {
		if (strcmp(base_json_value_text(v), words[i].word) != 0)
			continue;
		*value = words[i].value;
		return true;
	}
	return v ? trc_fragments_fail(p, v, BASE_ERROR_DATA, "unknown \"%s\": \"%.60s\"", key,
			   base_json_value_text(v))
		 : !p->error;
}

/* Set *ALIGN to the alignment KEY of O, if there is one. */
static bool field_align(struct trc_fragments *p, const struct base_json_value *o, const char *key,
	uint32_t *align)
{
	uint64_t n = *align;

	if (!trc_fragments_number(p, o, key, false, &n))
		return false;
	if (!n || n > TRC_ALIGN_MAX || n & (n - 1))
		return trc_fragments_fail(p, o, BASE_ERROR_DATA, "\"%s\" must be a power of two, at most %d",
			key, TRC_ALIGN_MAX);
	*align = (uint32_t)n;
	return true;
}

/* Fail because the field class O is too large.  Returns NULL. */
static struct trc_type *field_refuse(struct trc_fragments *p, const struct base_json_value *o)
{
	trc_fragments_fail(p, o, BASE_ERROR_REFUSED, "a field class is too large, or nested too deeply");
	return NULL;
}

/* ---- ranges of integers, and locations ---- */

/* Add the range V, which chooses OPTION. */
static bool add_range(struct trc_fragments *p, const struct base_json_value *v, unsigned option, GArray *to)
{
	struct trc_choice c = { .option = option };
	bool fine = base_json_value_type(v) == BASE_JSON_LIST && base_json_value_length(v) == 2;

	for (unsigned i = 0; fine && i < 2; i++) {
		const struct base_json_value *bound = base_json_value_at(v, i);
		enum base_json_type type = base_json_value_type(bound);
		bool below = type == BASE_JSON_INT && base_json_value_int(bound) < 0;

		fine = type == BASE_JSON_INT || type == BASE_JSON_LARGE;
		if (fine && i) {
			c.high = base_json_value_large(bound);
			c.below_high = below;
		} else if (fine) {
			c.low = base_json_value_large(bound);
			c.below_low = below;
		}
	}
	fine = fine && (c.below_low != c.below_high ? c.below_low : c.low <= c.high);
	if (!fine)
		return trc_fragments_fail(p, v, BASE_ERROR_DATA,
			"a range must be two integers, the lower one first");
	g_array_append_val(to, c);
	return true;
}

/* Add the ranges V, which choose OPTION, to TO (of struct trc_choice). */
static bool add_ranges(struct trc_fragments *p, const struct base_json_value *v, unsigned option, GArray *to)
{
	bool fine = true;

	if (base_json_value_type(v) != BASE_JSON_LIST || !base_json_value_length(v))
		return trc_fragments_fail(p, v, BASE_ERROR_DATA,
			"ranges must be an array, and there must be one");
	for (unsigned i = 0; fine && i < base_json_value_length(v); i++)
		fine = add_range(p, base_json_value_at(v, i), option, to);
	return fine;
}

/* Count N more nodes of TYPE, made from O. */
static bool field_hold(struct trc_fragments *p, const struct base_json_value *o, struct trc_type *type,
	unsigned n)
{
	type->nodes += MIN(n, TRC_NODES_MAX);
	return type->nodes <= TRC_NODES_MAX || field_refuse(p, o);
}

/* Set the choices of TYPE to CHOICES, which this call owns. */
static bool set_choices(struct trc_fragments *p, const struct base_json_value *o, struct trc_type *type,
	GArray *choices)
{
	type->n_choices = choices->len;
	type->choices = (struct trc_choice *)(void *)g_array_free(choices, FALSE);
	return field_hold(p, o, type, type->n_choices);
}

/* Set the labels of TYPE from KEY of O: mappings of a number, or flags of a bit map. */
static bool set_labels(struct trc_fragments *p, const struct base_json_value *o, const char *key,
	struct trc_type *type)
{
	const struct base_json_value *all = trc_fragments_get(p, o, key, BASE_JSON_OBJECT, false);
	g_autoptr(GArray) ranges = g_array_new(FALSE, FALSE, sizeof(struct trc_choice));
	GArray *labels;

	for (unsigned i = 0; all && i < base_json_value_length(all); i++)
		if (!add_ranges(p, base_json_value_at(all, i), i, ranges))
			return false;
	if (!ranges->len)
		return !p->error;
	labels = g_array_new(FALSE, FALSE, sizeof(struct trc_label));
	for (unsigned i = 0; i < ranges->len; i++) {
		const struct trc_choice *c = &g_array_index(ranges, struct trc_choice, i);
		struct trc_label label;

		label.name = g_string_chunk_insert_const(p->t->strings,
			base_json_value_key(base_json_value_at(all, c->option)));
		if (trc_choice_bounds(c, type->is_signed, &label.low, &label.high))
			g_array_append_val(labels, label);
	}
	type->kind = TRC_TYPE_ENUM;
	type->n_labels = labels->len;
	type->labels = (struct trc_label *)(void *)g_array_free(labels, FALSE);
	return field_hold(p, o, type, type->n_labels);
}

/* Remove the last name from PATH. False if there is none after FIRST bytes. */
static bool path_up(GString *path, gsize first)
{
	const char *dot = strrchr(path->str, '.');

	if (path->len == first)
		return false;
	g_string_truncate(path, dot && (gsize)(dot - path->str) >= first ? (gsize)(dot - path->str) : first);
	return true;
}

/* Add the elements of the location V to PATH. *UP counts the nulls that leave PATH. */
static bool location_path(struct trc_fragments *p, const struct base_json_value *v, GString *path,
	unsigned *up)
{
	const gsize first = path->len;
	const unsigned n = base_json_value_length(v);

	if (!n || base_json_value_type(base_json_value_at(v, n - 1)) != BASE_JSON_TEXT)
		return trc_fragments_fail(p, v, BASE_ERROR_DATA,
			"the last element of \"path\" must be a name");
	for (unsigned i = 0; i < n; i++) {
		const struct base_json_value *e = base_json_value_at(v, i);

		if (base_json_value_type(e) == BASE_JSON_TEXT) {
			g_autofree char *name = g_strconcat("_", base_json_value_text(e), NULL);

			trc_path_add(path, name);
		} else if (base_json_value_type(e) != BASE_JSON_NULL) {
			return trc_fragments_fail(p, e, BASE_ERROR_DATA,
				"\"path\" must have strings and nulls");
		} else if (!path_up(path, first) && (first || ++*up > TRC_DEPTH_MAX)) {
			return trc_fragments_fail(p, e, BASE_ERROR_DATA, "\"path\" goes too far up");
		}
	}
	return true;
}

/* Set the reference of TYPE from the location KEY of O. */
static bool set_location(struct trc_fragments *p, const struct base_json_value *o, const char *key,
	struct trc_type *type)
{
	static const char *const origins[] = { "packet-header", "packet-context", "event-record-header",
		"event-record-common-context", "event-record-specific-context", "event-record-payload" };
	static const char *const roots[] = { TRC_PATH_PACKET_HEADER, TRC_PATH_PACKET_CONTEXT, TRC_PATH_HEADER,
		TRC_PATH_STREAM_CONTEXT, TRC_PATH_CONTEXT, TRC_PATH_FIELDS };
	const struct base_json_value *v = trc_fragments_get(p, o, key, BASE_JSON_OBJECT, true),
				     *path = v ? trc_fragments_get(p, v, "path", BASE_JSON_LIST, true) : NULL;
	const char *origin = path ? trc_fragments_text(p, v, "origin", false) : NULL;
	g_autoptr(GString) reference = g_string_new(NULL);
	unsigned up = 0;

	for (size_t i = 0; origin && i < G_N_ELEMENTS(origins); i++)
		if (!strcmp(origins[i], origin))
			g_string_assign(reference, roots[i]);
	if (origin && !reference->len)
		trc_fragments_fail(p, v, BASE_ERROR_DATA, "unknown \"origin\": \"%.60s\"", origin);
	if (p->error || !location_path(p, path, reference, &up))
		return false;
	type->reference = g_string_chunk_insert_const(p->t->strings, reference->str);
	type->up = origin ? TRC_ABSOLUTE : (uint8_t)up;
	return true;
}

/* ---- numbers ---- */

/* Set the roles of O. Unknown names do not affect the layout. */
static bool set_roles(struct trc_fragments *p, const struct base_json_value *o, struct trc_type *type)
{
	static const struct field_word words[] = {
		{ "packet-magic-number", TRC_ROLE_MAGIC },
		{ "metadata-stream-uuid", TRC_ROLE_UUID },
		{ "data-stream-class-id", TRC_ROLE_STREAM },
		{ "data-stream-id", TRC_ROLE_INSTANCE },
		{ "packet-total-length", TRC_ROLE_SIZE },
		{ "packet-content-length", TRC_ROLE_CONTENT },
		{ "default-clock-timestamp", TRC_ROLE_TIME },
		{ "packet-end-default-clock-timestamp", TRC_ROLE_END },
		{ "discarded-event-record-counter-snapshot", TRC_ROLE_DISCARDED },
		{ "packet-sequence-number", TRC_ROLE_SEQUENCE },
		{ "event-record-class-id", TRC_ROLE_EVENT },
	};
	const struct base_json_value *v = trc_fragments_get(p, o, "roles", BASE_JSON_LIST, false);

	for (unsigned i = 0; v && i < base_json_value_length(v); i++) {
		const struct base_json_value *role = base_json_value_at(v, i);

		if (base_json_value_type(role) != BASE_JSON_TEXT)
			return trc_fragments_fail(p, role, BASE_ERROR_DATA, "a role must be a string");
		for (size_t k = 0; k < G_N_ELEMENTS(words); k++)
			if (!strcmp(words[k].word, base_json_value_text(role)))
				type->roles |= (uint16_t)words[k].value;
	}
	if (type->roles && type->is_signed)
		return trc_fragments_fail(p, v, BASE_ERROR_DATA, "a signed integer has no roles");
	return !p->error;
}

/* Set properties of integers of fixed and of variable length. */
static bool set_integer(struct trc_fragments *p, const struct base_json_value *o, struct trc_type *type)
{
	uint64_t base = type->base;

	if (!trc_fragments_number(p, o, "preferred-display-base", false, &base))
		return false;
	if (base != 2 && base != 8 && base != 10 && base != 16)
		return trc_fragments_fail(p, o, BASE_ERROR_DATA,
			"\"preferred-display-base\" must be 2, 8, 10 or 16");
	type->base = (uint8_t)base;
	return set_labels(p, o, "mappings", type) && set_roles(p, o, type);
}

/* Set properties of integers of up to 64 bits, or of one bit of longer ones. */
static bool set_bits(struct trc_fragments *p, const struct base_json_value *o, struct trc_type *type)
{
	static const struct field_word bytes[] = { { "little-endian", false }, { "big-endian", true } };
	static const struct field_word bits[] = { { "first-to-last", false }, { "last-to-first", true } };
	unsigned big_endian = 0, last_first;

	if (!field_word(p, o, "byte-order", true, bytes, G_N_ELEMENTS(bytes), &big_endian))
		return false;
	last_first = big_endian; /* the default */
	if (!field_word(p, o, "bit-order", false, bits, G_N_ELEMENTS(bits), &last_first))
		return false;
	type->big_endian = big_endian;
	type->reversed = last_first != big_endian;
	return field_align(p, o, "alignment", &type->align);
}

/*
 * Read a field of fixed length. A field of more than 64 bits, or a floating-point number of unknown size,
 * becomes an array of its bits in the order of the stream.
 */
static struct trc_type *read_fixed(struct trc_fragments *p, const struct base_json_value *o,
	struct trc_type *type)
{
	uint64_t length = 0;
	struct trc_type *bits;
	uint32_t align;

	if (!trc_fragments_number(p, o, "length", true, &length) || !set_bits(p, o, type))
		return NULL;
	if (!length) {
		trc_fragments_fail(p, o, BASE_ERROR_DATA, "\"length\" must not be 0");
		return NULL;
	}
	type->bits = length;
	if (length <= 64)
		return type;
	align = type->align;
	type->kind = TRC_TYPE_INTEGER;
	type->bits = type->align = 1;
	type->is_signed = false;
	type->base = 10;
	bits = trc_type_array(p->t, type, length);
	if (!bits)
		return field_refuse(p, o);
	bits->align = align;
	return bits;
}

static struct trc_type *read_integer(struct trc_fragments *p, const struct base_json_value *o, bool is_signed)
{
	struct trc_type *type = trc_type_new(p->t, TRC_TYPE_INTEGER), *made;

	type->is_signed = is_signed;
	made = read_fixed(p, o, type);
	return made && (made != type || set_integer(p, o, type)) ? made : NULL;
}

static struct trc_type *read_leb(struct trc_fragments *p, const struct base_json_value *o, bool is_signed)
{
	struct trc_type *type = trc_type_new(p->t, TRC_TYPE_INTEGER);

	type->is_signed = is_signed;
	type->align = 8;
	type->bits = TRC_VARIABLE;
	return set_integer(p, o, type) ? type : NULL;
}

static struct trc_type *read_unsigned(struct trc_fragments *p, const struct base_json_value *o)
{
	return read_integer(p, o, false);
}

static struct trc_type *read_signed(struct trc_fragments *p, const struct base_json_value *o)
{
	return read_integer(p, o, true);
}

static struct trc_type *read_leb_unsigned(struct trc_fragments *p, const struct base_json_value *o)
{
	return read_leb(p, o, false);
}

static struct trc_type *read_leb_signed(struct trc_fragments *p, const struct base_json_value *o)
{
	return read_leb(p, o, true);
}

static struct trc_type *read_bit_array(struct trc_fragments *p, const struct base_json_value *o)
{
	struct trc_type *type = trc_type_new(p->t, TRC_TYPE_INTEGER);

	type->base = 16;
	return read_fixed(p, o, type);
}

static struct trc_type *read_bit_map(struct trc_fragments *p, const struct base_json_value *o)
{
	struct trc_type *type = trc_type_new(p->t, TRC_TYPE_INTEGER), *made;

	type->base = 16;
	type->look = TRC_LOOK_FLAGS;
	made = read_fixed(p, o, type);
	return made && (made != type || set_labels(p, o, "flags", type)) ? made : NULL;
}

static struct trc_type *read_boolean(struct trc_fragments *p, const struct base_json_value *o)
{
	struct trc_type *type = trc_type_new(p->t, TRC_TYPE_INTEGER);

	type->look = TRC_LOOK_BOOLEAN;
	return read_fixed(p, o, type);
}

static struct trc_type *read_float(struct trc_fragments *p, const struct base_json_value *o)
{
	return read_fixed(p, o, trc_type_new(p->t, TRC_TYPE_FLOAT));
}

/* ---- strings and BLOBs ---- */

/* Return a byte of a string in ENCODING, or of a BLOB. */
static struct trc_type *field_unit(struct trc_fragments *p, enum trc_encoding encoding)
{
	struct trc_type **unit = &p->units[encoding];

	if (!*unit) {
		*unit = trc_type_new(p->t, TRC_TYPE_INTEGER);
		(*unit)->bits = (*unit)->align = 8;
		(*unit)->encoding = (uint8_t)encoding;
		(*unit)->base = encoding == TRC_ENCODING_NONE ? 16 : 10;
	}
	return *unit;
}

static bool field_encoding(struct trc_fragments *p, const struct base_json_value *o,
	enum trc_encoding *encoding)
{
	static const struct field_word words[] = {
		{ "utf-8", TRC_ENCODING_UTF8 },
		{ "utf-16le", TRC_ENCODING_UTF16LE },
		{ "utf-16be", TRC_ENCODING_UTF16BE },
		{ "utf-32le", TRC_ENCODING_UTF32LE },
		{ "utf-32be", TRC_ENCODING_UTF32BE },
	};
	unsigned value = TRC_ENCODING_UTF8;
	bool fine = field_word(p, o, "encoding", false, words, G_N_ELEMENTS(words), &value);

	*encoding = (enum trc_encoding)value;
	return fine;
}

static struct trc_type *read_string(struct trc_fragments *p, const struct base_json_value *o)
{
	struct trc_type *type = trc_type_new(p->t, TRC_TYPE_STRING);
	enum trc_encoding encoding;

	if (!field_encoding(p, o, &encoding))
		return NULL;
	type->encoding = (uint8_t)encoding;
	type->align = 8;
	type->bits = TRC_VARIABLE;
	return type;
}

/* Return an array of ELEMENT with the fixed length of O. */
static struct trc_type *field_array(struct trc_fragments *p, const struct base_json_value *o,
	struct trc_type *element)
{
	uint64_t length = 0;
	struct trc_type *type;

	if (!trc_fragments_number(p, o, "length", true, &length))
		return NULL;
	type = trc_type_array(p->t, element, length);
	return type ?: field_refuse(p, o);
}

/* Return an array of ELEMENT whose length is at the location of O. */
static struct trc_type *field_sequence(struct trc_fragments *p, const struct base_json_value *o,
	struct trc_type *element)
{
	struct trc_type *type = trc_type_sequence(p->t, element, NULL);

	if (!type)
		return field_refuse(p, o);
	return set_location(p, o, "length-field-location", type) ? type : NULL;
}

static struct trc_type *read_static_string(struct trc_fragments *p, const struct base_json_value *o)
{
	enum trc_encoding encoding;

	return field_encoding(p, o, &encoding) ? field_array(p, o, field_unit(p, encoding)) : NULL;
}

static struct trc_type *read_dynamic_string(struct trc_fragments *p, const struct base_json_value *o)
{
	enum trc_encoding encoding;

	return field_encoding(p, o, &encoding) ? field_sequence(p, o, field_unit(p, encoding)) : NULL;
}

static struct trc_type *read_static_blob(struct trc_fragments *p, const struct base_json_value *o)
{
	struct trc_type *type = field_array(p, o, field_unit(p, TRC_ENCODING_NONE));

	return type && set_roles(p, o, type) ? type : NULL;
}

static struct trc_type *read_dynamic_blob(struct trc_fragments *p, const struct base_json_value *o)
{
	return field_sequence(p, o, field_unit(p, TRC_ENCODING_NONE));
}

/* ---- compounds ---- */

/* Add the field with the class KEY of O and its "name", which only an option may lack, to FIELDS. NAMES has
 * earlier ones. A name gets "_" as in LTTng's TSDL, so that both versions show fields alike. */
static bool add_field(struct trc_fragments *p, const struct base_json_value *o, bool needs_name,
	GHashTable *names, GArray *fields)
{
	g_autofree char *name = NULL;
	struct trc_field field = { 0 };
	const char *own;

	if (base_json_value_type(o) != BASE_JSON_OBJECT)
		return trc_fragments_fail(p, o, BASE_ERROR_DATA, "a member or option must be an object");
	own = trc_fragments_text(p, o, "name", needs_name);
	field.type = p->error ? NULL : trc_fragments_class(p, o, "field-class", true);
	if (!field.type)
		return false;
	name = g_strconcat("_", own ?: "", NULL);
	field.name = g_string_chunk_insert_const(p->t->strings, name);
	if (own && !g_hash_table_add(names, (gpointer)field.name))
		return trc_fragments_fail(p, o, BASE_ERROR_DATA, "there are two fields \"%.60s\"", own);
	g_array_append_val(fields, field);
	return true;
}

static struct trc_type *read_structure(struct trc_fragments *p, const struct base_json_value *o)
{
	const struct base_json_value *all = trc_fragments_get(p, o, "member-classes", BASE_JSON_LIST, false);
	struct trc_type *type = trc_type_new(p->t, TRC_TYPE_STRUCT);
	GArray *fields = g_array_new(FALSE, FALSE, sizeof(struct trc_field));
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
	uint32_t align = 1;
	bool fine = !p->error;

	for (unsigned i = 0; fine && all && i < base_json_value_length(all); i++)
		fine = add_field(p, base_json_value_at(all, i), true, names, fields);
	fine = fine && field_align(p, o, "minimum-alignment", &align);
	if (!trc_type_set_fields(type, fields, align))
		return field_refuse(p, o);
	return fine ? type : NULL;
}

/* Return an array of the elements of O, made by MAKE. */
static struct trc_type *read_array(struct trc_fragments *p, const struct base_json_value *o,
	struct trc_type *(*make)(struct trc_fragments *, const struct base_json_value *, struct trc_type *))
{
	struct trc_type *element = trc_fragments_class(p, o, "element-field-class", true);
	struct trc_type *type = element ? make(p, o, element) : NULL;
	uint32_t align = 1;

	if (!type || !field_align(p, o, "minimum-alignment", &align))
		return NULL;
	type->align = MAX(type->align, align);
	return type;
}

static struct trc_type *read_static_array(struct trc_fragments *p, const struct base_json_value *o)
{
	return read_array(p, o, field_array);
}

static struct trc_type *read_dynamic_array(struct trc_fragments *p, const struct base_json_value *o)
{
	return read_array(p, o, field_sequence);
}

static struct trc_type *read_optional(struct trc_fragments *p, const struct base_json_value *o)
{
	struct trc_type *element = trc_fragments_class(p, o, "field-class", true);
	struct trc_type *type = element ? trc_type_optional(p->t, element, NULL) : NULL;
	const struct base_json_value *ranges = base_json_value_member(o, "selector-field-ranges");
	GArray *choices;

	if (!type)
		return element ? field_refuse(p, o) : NULL;
	if (!set_location(p, o, "selector-field-location", type))
		return NULL;
	choices = g_array_new(FALSE, FALSE, sizeof(struct trc_choice));
	if (ranges)
		add_ranges(p, ranges, 0, choices);
	return set_choices(p, o, type, choices) && !p->error ? type : NULL;
}

static struct trc_type *read_variant(struct trc_fragments *p, const struct base_json_value *o)
{
	const struct base_json_value *all = trc_fragments_get(p, o, "options", BASE_JSON_LIST, true);
	struct trc_type *type = trc_type_new(p->t, TRC_TYPE_VARIANT);
	GArray *fields = g_array_new(FALSE, FALSE, sizeof(struct trc_field));
	GArray *choices = g_array_new(FALSE, FALSE, sizeof(struct trc_choice));
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
	bool fine = all;

	for (unsigned i = 0; fine && i < base_json_value_length(all); i++) {
		const struct base_json_value *option = base_json_value_at(all, i), *ranges;

		fine = add_field(p, option, false, names, fields);
		ranges = fine ? trc_fragments_get(p, option, "selector-field-ranges", BASE_JSON_LIST, true)
			      : NULL;
		fine = ranges && add_ranges(p, ranges, i, choices);
	}
	if (fine && !fields->len)
		fine = trc_fragments_fail(p, o, BASE_ERROR_DATA, "a variant must have an option");
	if (!trc_type_set_fields(type, fields, 1))
		field_refuse(p, o);
	set_choices(p, o, type, choices);
	return fine && set_location(p, o, "selector-field-location", type) && !p->error ? type : NULL;
}

/* ---- any field class ---- */

static struct trc_type *read_class(struct trc_fragments *p, const struct base_json_value *o)
{
	static const struct {
		const char *type;
		struct trc_type *(*read)(struct trc_fragments *, const struct base_json_value *);
	} types[] = {
		{ "fixed-length-unsigned-integer", read_unsigned },
		{ "fixed-length-signed-integer", read_signed },
		{ "structure", read_structure },
		{ "null-terminated-string", read_string },
		{ "static-length-string", read_static_string },
		{ "dynamic-length-string", read_dynamic_string },
		{ "static-length-array", read_static_array },
		{ "dynamic-length-array", read_dynamic_array },
		{ "variant", read_variant },
		{ "optional", read_optional },
		{ "fixed-length-bit-array", read_bit_array },
		{ "fixed-length-bit-map", read_bit_map },
		{ "fixed-length-boolean", read_boolean },
		{ "fixed-length-floating-point-number", read_float },
		{ "variable-length-unsigned-integer", read_leb_unsigned },
		{ "variable-length-signed-integer", read_leb_signed },
		{ "static-length-blob", read_static_blob },
		{ "dynamic-length-blob", read_dynamic_blob },
	};
	const struct base_json_value *type = trc_fragments_get(p, o, "type", BASE_JSON_TEXT, true);

	for (size_t i = 0; type && i < G_N_ELEMENTS(types); i++)
		if (!strcmp(types[i].type, base_json_value_text(type)))
			return types[i].read(p, o);
	if (type)
		trc_fragments_fail(p, type, BASE_ERROR_DATA, "unknown field class \"%.60s\"",
			base_json_value_text(type));
	return NULL;
}

struct trc_type *trc_fragments_class(struct trc_fragments *p, const struct base_json_value *o,
	const char *key, bool needed)
{
	const struct base_json_value *v = base_json_value_member(o, key);
	struct trc_type *type = NULL;

	if (v && base_json_value_type(v) == BASE_JSON_TEXT) {
		type = g_hash_table_lookup(p->aliases, base_json_value_text(v));
		if (!type)
			trc_fragments_fail(p, v, BASE_ERROR_DATA,
				"no field class alias \"%.60s\" comes before it", base_json_value_text(v));
		return type;
	}
	v = trc_fragments_get(p, o, key, BASE_JSON_OBJECT, needed);
	if (v && p->depth == TRC_DEPTH_MAX)
		return field_refuse(p, v);
	if (v && p->t->types->len > TRC_TYPES_MAX)
		trc_fragments_fail(p, v, BASE_ERROR_REFUSED, "it declares too many field classes");
	p->depth++;
	if (v && !p->error)
		type = read_class(p, v);
	p->depth--;
	return p->error ? NULL : type;
}
