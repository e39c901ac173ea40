/* SPDX-License-Identifier: MIT */
#include "trace/bt2/trc_bt2_text.h"

#include "trace/core/trc_text_value.h"
#include "trace/ctf/trc_text.h"

#include <inttypes.h>
#include <string.h>

static void render(GString *to, const bt_field *field, gsize end);

static void render_integer(GString *to, const bt_field *field, bool is_signed)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	uint64_t value = is_signed ? (uint64_t)bt_field_integer_signed_get_value(field)
				   : bt_field_integer_unsigned_get_value(field);

	trc_text_value_integer(to, is_signed, (unsigned)bt_field_class_integer_get_field_value_range(class),
		(unsigned)bt_field_class_integer_get_preferred_display_base(class), value);
}

static void render_enum(GString *to, const bt_field *field, bool is_signed, gsize end)
{
	bt_field_class_enumeration_mapping_label_array labels;
	uint64_t i, n = 0;

	if (is_signed)
		bt_field_enumeration_signed_get_mapping_labels(field, &labels, &n);
	else
		bt_field_enumeration_unsigned_get_mapping_labels(field, &labels, &n);
	g_string_append(to, n ? "( " : "( <unknown>");
	for (i = 0; i < n && to->len < end; i++) {
		g_string_append(to, i ? ", " : "");
		trc_text_value_string(to, labels[i], UINT64_MAX, end);
	}
	g_string_append(to, " : container = ");
	render_integer(to, field, is_signed);
	g_string_append(to, " )");
}

static void render_float(GString *to, const bt_field *field, bool is_double)
{
	uint64_t bits = 0;
	double d;
	float f;

	if (is_double) {
		d = bt_field_real_double_precision_get_value(field);
		memcpy(&bits, &d, sizeof(d));
	} else {
		uint32_t low;

		f = bt_field_real_single_precision_get_value(field);
		memcpy(&low, &f, sizeof(f));
		bits = low;
	}
	trc_text_value_float(to, is_double ? 64 : 32, bits);
}

/* What FIELD holds, which is printed behind BEGIN of TO. */
static struct trc_value value_of(const bt_field *field, const GString *to, gsize begin)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	struct trc_value v = { .type = TRC_VALUE_TEXT, .text = to->str + begin, .length = to->len - begin };

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
		v.type = TRC_VALUE_SIGNED;
		v.number = (uint64_t)bt_field_integer_signed_get_value(field);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER)) {
		v.type = TRC_VALUE_UNSIGNED;
		v.number = bt_field_integer_unsigned_get_value(field);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_REAL)) {
		v.type = TRC_VALUE_REAL;
		v.real = bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL)
			? bt_field_real_double_precision_get_value(field)
			: (double)bt_field_real_single_precision_get_value(field);
	} else if (type == BT_FIELD_CLASS_TYPE_STRING) {
		v.text = bt_field_string_get_value(field);
		v.length = bt_field_string_get_length(field);
	}
	return v;
}

/* TAKER: NULL for what is a part of a field. */
static void render_struct(GString *to, const bt_field *field, gsize end, const struct trc_taker *taker)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	uint64_t i, n = bt_field_class_structure_get_member_count(class);

	g_string_append_c(to, '{');
	for (i = 0; i < n && to->len < end; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(class, i);

		const bt_field *part = bt_field_structure_borrow_member_field_by_index_const(field, i);
		const char *name = bt_field_class_structure_member_get_name(member);
		struct trc_value value;
		gsize begin;

		g_string_append_printf(to, "%s%s = ", i ? ", " : " ", name);
		begin = to->len;
		render(to, part, end);
		if (!taker)
			continue;
		value = value_of(part, to, begin);
		taker->take(taker->data, name, &value);
	}
	g_string_append(to, " }");
}

static void render_array(GString *to, const bt_field *field, gsize end)
{
	uint64_t i, n = bt_field_array_get_length(field);

	g_string_append_c(to, '[');
	for (i = 0; i < n && to->len < end; i++) {
		g_string_append_printf(to, "%s[%" PRIu64 "] = ", i ? ", " : " ", i);
		render(to, bt_field_array_borrow_element_field_by_index_const(field, i), end);
	}
	g_string_append(to, " ]");
}

static void render_variant(GString *to, const bt_field *field, gsize end)
{
	g_string_append(to, "{ ");
	render(to, bt_field_variant_borrow_selected_option_field_const(field), end);
	g_string_append(to, " }");
}

static void render(GString *to, const bt_field *field, gsize end)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ENUMERATION))
		render_enum(to, field, bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER), end);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER))
		render_integer(to, field, bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER));
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_REAL))
		render_float(to, field,
			bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL));
	else if (type == BT_FIELD_CLASS_TYPE_STRING)
		/* Its value holds what the field had before where it is empty. */
		trc_text_value_string(to, bt_field_string_get_value(field), bt_field_string_get_length(field),
			end);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_STRUCTURE))
		render_struct(to, field, end, NULL);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY))
		render_array(to, field, end);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT))
		render_variant(to, field, end);
	else
		g_string_append(to, "(not known)"); /* no type of CTF 1.8 */
}

void trc_bt2_text_event(const bt_event *event, GString *to, const struct trc_taker *taker)
{
	const bt_field *roots[] = {
		bt_event_borrow_common_context_field_const(event),
		bt_event_borrow_specific_context_field_const(event),
		bt_event_borrow_payload_field_const(event),
	};
	gsize start = to->len, end = start + TRC_TEXT_EVENT_MAX;
	unsigned i;

	for (i = 0; i < G_N_ELEMENTS(roots) && to->len < end; i++) {
		if (!roots[i])
			continue;
		if (to->len > start)
			g_string_append(to, ", ");
		render_struct(to, roots[i], end, taker); /* a root is none other */
	}
	if (to->len >= end) {
		g_string_truncate(to, end);
		g_string_append(to, "…");
	}
}
