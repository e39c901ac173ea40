/* SPDX-License-Identifier: MIT */
#include "trace/meta/trc_meta.h"

#include <string.h>

static bool same_type(const struct trc_type *a, const struct trc_type *b);

static bool same_members(const struct trc_type *a, const struct trc_type *b)
{
	for (unsigned i = 0; i < a->n_fields; i++)
		if (strcmp(a->fields[i].name, b->fields[i].name) != 0 ||
			!same_type(a->fields[i].type, b->fields[i].type))
			return false;
	for (unsigned i = 0; i < a->n_labels; i++)
		if (strcmp(a->labels[i].name, b->labels[i].name) != 0 ||
			a->labels[i].low != b->labels[i].low || a->labels[i].high != b->labels[i].high)
			return false;
	for (unsigned i = 0; i < a->n_choices; i++) {
		const struct trc_choice *x = &a->choices[i], *y = &b->choices[i];

		if (x->low != y->low || x->high != y->high || x->below_low != y->below_low ||
			x->below_high != y->below_high || x->option != y->option)
			return false;
	}
	return true;
}

static bool same_type(const struct trc_type *a, const struct trc_type *b)
{
	if (!a || !b)
		return a == b;
	return a->kind == b->kind && a->align == b->align && a->bits == b->bits && a->nodes == b->nodes &&
		a->is_signed == b->is_signed && a->encoding == b->encoding && a->reversed == b->reversed &&
		a->look == b->look && a->roles == b->roles && a->up == b->up &&
		a->big_endian == b->big_endian && a->base == b->base && a->length == b->length &&
		a->n_fields == b->n_fields && a->n_labels == b->n_labels && a->n_choices == b->n_choices &&
		!g_strcmp0(a->clock, b->clock) && !g_strcmp0(a->reference, b->reference) &&
		same_type(a->element, b->element) && same_members(a, b);
}

static bool has_clock(const struct trc_meta *t, const struct trc_clock *clock)
{
	const struct trc_clock *own = trc_meta_clock(t, clock->name);

	return own && !strcmp(own->uuid, clock->uuid) && own->frequency == clock->frequency;
}

/* Return the first event class of B that A lacks; NULL: none. */
static const struct trc_event_class *missing_event(const struct trc_stream_class *a,
	const struct trc_stream_class *b)
{
	g_autoptr(GHashTable) events = g_hash_table_new(g_int64_hash, g_int64_equal); /* of A, by id */
	const struct trc_event_class *missing = NULL;

	for (unsigned i = 0; i < a->events->len; i++) {
		struct trc_event_class *event = g_ptr_array_index(a->events, i);

		g_hash_table_insert(events, &event->id, event);
	}
	for (unsigned i = 0; i < b->events->len && !missing; i++) {
		const struct trc_event_class *event = g_ptr_array_index(b->events, i);
		const struct trc_event_class *own = g_hash_table_lookup(events, &event->id);

		if (!own || strcmp(own->name, event->name) != 0 || !same_type(own->context, event->context) ||
			!same_type(own->fields, event->fields))
			missing = event;
	}
	return missing;
}

static char *stream_lacks(const struct trc_stream_class *a, const struct trc_stream_class *b)
{
	const struct trc_event_class *event;

	if (!a || !same_type(a->packet_context, b->packet_context) ||
		!same_type(a->event_header, b->event_header) ||
		!same_type(a->event_context, b->event_context))
		return g_strdup_printf("stream %" G_GUINT64_FORMAT, b->id);
	event = missing_event(a, b);
	return event ? g_strdup_printf("event %" G_GUINT64_FORMAT " (%s)", event->id, event->name) : NULL;
}

char *trc_meta_lacks(const struct trc_meta *a, const struct trc_meta *b)
{
	char *lacks = NULL;

	if (a->big_endian != b->big_endian || a->has_uuid != b->has_uuid ||
		memcmp(a->uuid, b->uuid, sizeof(a->uuid)) != 0 ||
		!same_type(a->packet_header, b->packet_header))
		return g_strdup("the header of packets");
	for (unsigned i = 0; i < b->clocks->len; i++)
		if (!has_clock(a, g_ptr_array_index(b->clocks, i)))
			return g_strdup("the clock");
	for (unsigned i = 0; i < b->streams->len && !lacks; i++) {
		const struct trc_stream_class *stream = g_ptr_array_index(b->streams, i);

		lacks = stream_lacks(trc_meta_stream(a, stream->id), stream);
	}
	return lacks;
}
