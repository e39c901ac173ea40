/* SPDX-License-Identifier: MIT */
#include "trace/bt2/trc_bt2_net.h"

#include "trace/ctf/trc_net.h"

static bool is(const bt_field *field, bt_field_class_type type)
{
	return bt_field_class_type_is(bt_field_get_class_type(field), type);
}

/* The number in FIELD, an integer. */
static uint64_t number_of(const bt_field *field)
{
	return is(field, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)
		? bt_field_integer_unsigned_get_value(field)
		: (uint64_t)bt_field_integer_signed_get_value(field);
}

/* Note the address in ARRAY: its elements in the order of the net. */
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
		used += trc_net_put(bytes + used, sizeof(bytes) - used, (unsigned)bits, number_of(element));
	}
	trc_net_set_address(n, field, bytes, used);
}

static void read_struct(struct trc_net *n, const char *option, const bt_field *field);

/* Note FIELD, called NAME in OPTION, or what is in it. */
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
		trc_net_set(n, net, number_of(field));
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

const struct mdl_packet *trc_bt2_net_read(struct trc_queue *q, const struct mdl_event *event,
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
