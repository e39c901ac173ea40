/* SPDX-License-Identifier: MIT */
#include "trace/bt2/trc_bt2_open.h"

#include "model/event/table.h"
#include "trace/ctf/trc_net.h"

#include <string.h>

enum how { READ_SIGNED, READ_UNSIGNED, READ_STRING, READ_CHARS };

/* A field that is copied into the event. */
struct read {
	enum how how;
	unsigned slot;   /* of arguments or texts */
	uint64_t member; /* index in the payload */
};

struct trc_bt2_class {
	struct mdl_mapping mapping;
	unsigned n_reads;
	struct read reads[MDL_ARGS + MDL_TEXTS];
};

/* ---- headers of network packets ---- */

static bool is(const bt_field *field, bt_field_class_type type)
{
	return bt_field_class_type_is(bt_field_get_class_type(field), type);
}

/* Return the number in FIELD, an integer. */
static uint64_t bt2_class_number_of(const bt_field *field)
{
	return is(field, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)
		? bt_field_integer_unsigned_get_value(field)
		: (uint64_t)bt_field_integer_signed_get_value(field);
}

/* Set the address FIELD from ARRAY, whose elements are in network order. */
static void read_address(struct trc_net *n, enum trc_net_field field, const bt_field *array)
{
	uint64_t i, length = bt_field_array_get_length(array);
	uint8_t bytes[TRC_NET_ADDRESS_MAX];
	unsigned used = 0;

	for (i = 0; i < length; i++) {
		const bt_field *element = bt_field_array_borrow_element_field_by_index_const(array, i);
		uint64_t bits;

		if (!is(element, BT_FIELD_CLASS_TYPE_INTEGER))
			return;
		bits = bt_field_class_integer_get_field_value_range(bt_field_borrow_class_const(element));
		if (bits % 8)
			return;
		used += trc_net_put(bytes + used, sizeof(bytes) - used, (unsigned)bits,
			bt2_class_number_of(element));
	}
	trc_net_set_address(n, field, bytes, used);
}

static void read_struct(struct trc_net *n, const char *option, const bt_field *field);

/* Read FIELD, called NAME in OPTION, or its members. */
static void read_member(struct trc_net *n, const char *option, const char *name, const bt_field *field)
{
	enum trc_net_field net = trc_net_field_of(option, name);

	if (is(field, BT_FIELD_CLASS_TYPE_VARIANT)) {
		const bt_field_class_variant_option *chosen =
			bt_field_variant_borrow_selected_option_class_const(field);
		const bt_field *inner = bt_field_variant_borrow_selected_option_field_const(field);

		if (is(inner, BT_FIELD_CLASS_TYPE_STRUCTURE))
			read_struct(n, bt_field_class_variant_option_get_name(chosen), inner);
	} else if (net == TRC_NET_FIELDS) {
		return;
	} else if (net > TRC_NET_DESTINATION && is(field, BT_FIELD_CLASS_TYPE_INTEGER)) {
		trc_net_set(n, net, bt2_class_number_of(field));
	} else if (net <= TRC_NET_DESTINATION && is(field, BT_FIELD_CLASS_TYPE_STATIC_ARRAY)) {
		read_address(n, net, field);
	}
}

static void read_struct(struct trc_net *n, const char *option, const bt_field *field)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	uint64_t i, count = bt_field_class_structure_get_member_count(class);

	for (i = 0; i < count; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(class, i);

		read_member(n, option, bt_field_class_structure_member_get_name(member),
			bt_field_structure_borrow_member_field_by_index_const(field, i));
	}
}

/* Return the packet whose headers are in PAYLOAD, kept in Q for EVENT; NULL: it has none. */
static const struct mdl_packet *net_read(struct trc_queue *q, const struct mdl_event *event,
	const bt_field *payload)
{
	struct mdl_packet packet;
	struct trc_net n = { .seen = 0 };

	read_struct(&n, "", payload);
	if (!trc_net_finish(&n, &packet))
		return NULL;
	*trc_queue_net(q, event) = packet;
	return trc_queue_net(q, event);
}

/* ---- fields ---- */

/* True for an array of 8-bit integers, which may be a text. */
static bool is_chars(const bt_field_class *array)
{
	const bt_field_class *element = bt_field_class_array_borrow_element_field_class_const(array);

	return bt_field_class_type_is(bt_field_class_get_type(element), BT_FIELD_CLASS_TYPE_INTEGER) &&
		bt_field_class_integer_get_field_value_range(element) == 8;
}

/* Set *HOW to the way to read FIELD_CLASS as text or number. False if there is none. */
static bool find_how(const bt_field_class *field_class, bool text, enum how *how)
{
	bt_field_class_type type = bt_field_class_get_type(field_class);

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		*how = READ_UNSIGNED;
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		*how = READ_SIGNED;
	else if (type == BT_FIELD_CLASS_TYPE_STRING)
		*how = READ_STRING;
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY) && is_chars(field_class))
		*how = READ_CHARS;
	else
		return false;
	return text == (*how == READ_STRING || *how == READ_CHARS);
}

/* Add a read of the member NAME if PAYLOAD has it with a usable type. */
static bool add_read(struct trc_bt2_class *c, const bt_field_class *payload, const char *name, bool text,
	unsigned slot)
{
	uint64_t i, n = bt_field_class_structure_get_member_count(payload);

	for (i = 0; i < n; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(payload, i);
		struct read *read = &c->reads[c->n_reads];

		if (strcmp(bt_field_class_structure_member_get_name(member), name) != 0)
			continue;
		if (!find_how(bt_field_class_structure_member_borrow_field_class_const(member), text,
			    &read->how))
			return false;
		read->slot = slot;
		read->member = i;
		c->n_reads++;
		return true;
	}
	return false;
}

/* Add a read of the first alternative in LIST that PAYLOAD has. */
static void add_reads(struct trc_bt2_class *c, const bt_field_class *payload, const char *list, bool text,
	unsigned slot)
{
	g_auto(GStrv) names = list ? g_strsplit(list, "|", -1) : NULL;

	for (unsigned i = 0; names && names[i]; i++)
		if (add_read(c, payload, names[i], text, slot))
			break;
}

struct trc_bt2_class *trc_bt2_class_new(const bt_event_class *event_class)
{
	const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(event_class);
	const char *name = bt_event_class_get_name(event_class);
	struct trc_bt2_class *c = g_new0(struct trc_bt2_class, 1);

	if (!name || !mdl_table_find(name, &c->mapping) || !payload)
		return c;
	for (unsigned i = 0; i < MDL_ARGS; i++)
		add_reads(c, payload, c->mapping.arg_fields[i], false, i);
	for (unsigned i = 0; i < MDL_TEXTS; i++)
		add_reads(c, payload, c->mapping.text_fields[i], true, i);
	return c;
}

/* Return an array of 8-bit integers as text, up to its NUL. */
static const char *read_chars(struct trc_queue *q, const bt_field *array)
{
	uint64_t i, n = MIN(bt_field_array_get_length(array), TRC_TEXT_MAX);
	char text[TRC_TEXT_MAX];

	for (i = 0; i < n; i++) {
		const bt_field *element = bt_field_array_borrow_element_field_by_index_const(array, i);
		bt_field_class_type type = bt_field_get_class_type(element);

		if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
			text[i] = (char)bt_field_integer_unsigned_get_value(element);
		else
			text[i] = (char)bt_field_integer_signed_get_value(element);
		if (!text[i])
			break;
	}
	return trc_queue_text(q, text, i);
}

static void read_field(const struct read *read, struct trc_queue *q, struct mdl_event *event,
	const bt_field *field)
{
	switch (read->how) {
	case READ_SIGNED: event->arg[read->slot] = bt_field_integer_signed_get_value(field); break;
	case READ_UNSIGNED:
		event->arg[read->slot] = (int64_t)bt_field_integer_unsigned_get_value(field);
		break;
	case READ_STRING:
		event->text[read->slot] = trc_queue_text(q, bt_field_string_get_value(field),
			bt_field_string_get_length(field));
		break;
	case READ_CHARS: event->text[read->slot] = read_chars(q, field); break;
	}
}

void trc_bt2_class_read(const struct trc_bt2_class *c, struct trc_queue *q, struct mdl_event *event,
	const bt_event *source)
{
	const bt_field *payload;

	if (c->mapping.kind == MDL_EV_NONE)
		return;
	mdl_event_begin(event, c->mapping.kind, c->mapping.label);
	payload = c->n_reads || trc_net_has(event->kind) ? bt_event_borrow_payload_field_const(source) : NULL;
	if (!payload)
		return;
	if (trc_net_has(event->kind))
		event->packet = net_read(q, event, payload);
	for (unsigned i = 0; i < c->n_reads; i++)
		read_field(&c->reads[i], q, event,
			bt_field_structure_borrow_member_field_by_index_const(payload, c->reads[i].member));
}
