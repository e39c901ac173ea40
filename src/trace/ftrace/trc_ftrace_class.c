/* SPDX-License-Identifier: MIT */
#include "trace/ftrace/trc_ftrace_class.h"

#include "model/mdl_table.h"
#include "trace/core/trc_text_value.h"

#include <string.h>

#define TEXT_END (64 * 1024) /* bytes of fields that are printed */

/* One field that goes into the event. */
struct read {
	const struct tep_format_field *field; /* weak */
	unsigned slot;                        /* of the arguments, or of the texts */
	bool text;
};

struct trc_ftrace_class {
	const struct tep_event *event; /* weak */
	char *name;                    /* owned */
	struct mdl_mapping mapping;
	unsigned n_reads;
	struct read reads[MDL_ARGS + MDL_TEXTS];
};

/* ---- where the bytes of a field are ---- */

/* The bytes of FIELD in RECORD, *LENGTH of them; NULL: it does not hold them. */
static const char *bytes_of(const struct tep_format_field *field, const struct tep_record *record,
	size_t *length)
{
	uint64_t at = (uint64_t)(unsigned)field->offset, n = (uint64_t)(unsigned)field->size;
	const char *data = record->data;
	uint64_t size = record->size < 0 ? 0 : (uint64_t)record->size;
	uint32_t place;

	if (field->offset < 0 || field->size < 0 || at + n > size)
		return NULL;
	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		/* __data_loc: where the bytes are in the record, in 16 bits, and how many; __rel_loc from
		   behind itself (include/trace/stages/). */
		if (n != sizeof place)
			return NULL;
		place = (uint32_t)tep_read_number(field->event->tep, data + at, sizeof place);
		at = (place & 0xffff) + (field->flags & TEP_FIELD_IS_RELATIVE ? at + n : 0);
		n = place >> 16;
		if (at + n > size)
			return NULL;
	}
	*length = (size_t)n;
	return data + at;
}

static bool is_text(const struct tep_format_field *field)
{
	return field->flags & TEP_FIELD_IS_STRING;
}

static bool is_number(const struct tep_format_field *field)
{
	return !(field->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC | TEP_FIELD_IS_STRING)) &&
		(field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8);
}

/* The number of SIZE bytes at P, its sign in all bits where FIELD has one. */
static uint64_t number_at(const struct tep_format_field *field, const void *p, unsigned size)
{
	uint64_t number = tep_read_number(field->event->tep, p, (int)size);
	unsigned shift = 64 - size * 8;

	return field->flags & TEP_FIELD_IS_SIGNED ? (uint64_t)((int64_t)(number << shift) >> shift) : number;
}

/* ---- for the model ---- */

/* Add a read for the first alternative of LIST that the event has in a shape of use. */
static void add_reads(struct trc_ftrace_class *c, const char *list, bool text, unsigned slot)
{
	char **names = list ? g_strsplit(list, "|", -1) : NULL;
	const struct tep_format_field *found = NULL;

	for (unsigned i = 0; names && names[i] && !found; i++) {
		found = c->event->format.fields;
		while (found && !g_str_equal(found->name, names[i]))
			found = found->next;
	}
	g_strfreev(names);
	if (found && (text ? is_text(found) : is_number(found)))
		c->reads[c->n_reads++] = (struct read){ found, slot, text };
}

struct trc_ftrace_class *trc_ftrace_class_new(struct tep_event *event)
{
	struct trc_ftrace_class *c = g_new0(struct trc_ftrace_class, 1);

	c->event = event;
	c->name = g_strdup_printf("%s:%s", event->system, event->name);
	if (!mdl_table_find(c->name, &c->mapping))
		return c;
	for (unsigned i = 0; i < MDL_ARGS; i++)
		add_reads(c, c->mapping.arg_fields[i], false, i);
	for (unsigned i = 0; i < MDL_TEXTS; i++)
		add_reads(c, c->mapping.text_fields[i], true, i);
	return c;
}

void trc_ftrace_class_free(gpointer data)
{
	struct trc_ftrace_class *c = data;

	g_free(c->name);
	g_free(c);
}

const char *trc_ftrace_class_name(const struct trc_ftrace_class *c)
{
	return c->name;
}

void trc_ftrace_class_read(const struct trc_ftrace_class *c, struct trc_queue *q, struct mdl_event *event,
	const struct tep_record *record)
{
	event->kind = c->mapping.kind;
	if (event->kind == MDL_EV_NONE)
		return;
	event->label = c->mapping.label;
	event->packet = NULL;
	for (unsigned i = 0; i < MDL_ARGS; i++)
		event->arg[i] = MDL_ARG_ABSENT;
	for (unsigned i = 0; i < MDL_TEXTS; i++)
		event->text[i] = NULL;
	for (unsigned i = 0; i < c->n_reads; i++) {
		const struct read *read = &c->reads[i];
		size_t length;
		const char *bytes = bytes_of(read->field, record, &length);

		if (bytes && read->text)
			event->text[read->slot] = trc_queue_text(q, bytes, length);
		else if (bytes)
			event->arg[read->slot] = (int64_t)number_at(read->field, bytes, (unsigned)length);
	}
}

/* ---- for people ---- */

/* Append what FIELD, LENGTH bytes at BYTES, holds; a hostile array ends where TO has END bytes. */
static struct trc_value append_value(const struct tep_format_field *field, const char *bytes, size_t length,
	GString *to, gsize end)
{
	bool is_signed = field->flags & TEP_FIELD_IS_SIGNED, pointer = field->flags & TEP_FIELD_IS_POINTER;
	unsigned element = field->elementsize == 2 || field->elementsize == 4 || field->elementsize == 8
		? field->elementsize
		: 1;
	struct trc_value value = { .type = TRC_VALUE_TEXT };
	gsize begin = to->len;

	if (is_text(field)) {
		trc_text_value_string(to, bytes, length, end);
		value.text = bytes;
		value.length = strnlen(bytes, length);
		return value;
	}
	if (is_number(field)) {
		value.type = is_signed ? TRC_VALUE_SIGNED : TRC_VALUE_UNSIGNED;
		value.number = number_at(field, bytes, (unsigned)length);
		trc_text_value_integer(to, is_signed, (unsigned)length * 8, pointer ? 16 : 10, value.number);
		return value;
	}
	g_string_append(to, "[ ");
	for (size_t i = 0; i + element <= length && to->len < end; i += element) {
		g_string_append_printf(to, "%s[%zu] = ", i ? ", " : "", i / element);
		trc_text_value_integer(to, is_signed, element * 8, 10, number_at(field, bytes + i, element));
	}
	g_string_append(to, " ]");
	value.text = to->str + begin;
	value.length = to->len - begin;
	return value;
}

/* Append "{ a = 1, b = 2 }" of the list that begins with FIELD. */
static void append_list(const struct tep_format_field *field, const struct tep_record *record, GString *to,
	const struct trc_taker *taker)
{
	gsize end = to->len + TEXT_END;
	const char *between = "";

	g_string_append(to, "{ ");
	for (; field && to->len < end; field = field->next) {
		size_t length;
		const char *bytes = bytes_of(field, record, &length);
		struct trc_value value;

		if (!bytes)
			continue;
		g_string_append_printf(to, "%s%s = ", between, field->name);
		value = append_value(field, bytes, length, to, end);
		if (taker)
			taker->take(taker->data, field->name, &value);
		between = ", ";
	}
	g_string_append(to, " }");
}

void trc_ftrace_class_fields(const struct trc_ftrace_class *c, const struct tep_record *record, GString *to,
	const struct trc_taker *taker)
{
	append_list(c->event->format.common_fields, record, to, taker);
	g_string_append(to, ", ");
	append_list(c->event->format.fields, record, to, taker);
}
