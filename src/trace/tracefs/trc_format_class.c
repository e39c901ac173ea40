/* SPDX-License-Identifier: MIT */
#include "trace/tracefs/trc_format.h"

#include "model/event/table.h"

#include <string.h>

#define TEXT_END (64 * 1024) /* bytes of printed fields at most … */
#define TEXT_ANYWAY 1024     /* … and this many for a small record … */
#define TEXT_TIMES 32        /* … or this many per byte of the record: fields may share bytes */
#define STACK_MAX 1024       /* calls that are printed */

/* A field that is copied into the event. */
struct read {
	const struct trc_format_field *field; /* weak */
	unsigned slot;                        /* of arguments or texts */
	bool text, mask;                      /* MASK: of CPUs */
	const GHashTable *texts; /* weak: FIELD points to one of these; NULL: FIELD is the text itself */
	bool width;              /* width of a call's arguments */
};

struct trc_format_class {
	const struct trc_format_field *flags;   /* weak; NULL: none */
	const struct trc_format_field *tid;     /* weak: common_pid; NULL: none */
	const struct trc_format_states *states; /* weak: of prev_state; NULL: none */
	struct mdl_mapping mapping;
	bool is_part; /* mdl_table_is_part() */
	unsigned n_reads;
	struct read reads[MDL_ARGS + MDL_TEXTS];
};

/* ---- bytes of a field ---- */

static bool format_class_is_text(const struct trc_format_field *f)
{
	return f->shape == TRC_FORMAT_TEXT || f->shape == TRC_FORMAT_LOC_TEXT;
}

/* Return the rest of B, in whole elements of F. A text ends before the newline that the kernel adds
 * (tracing_mark_write(), kernel/trace/trace.c). */
static struct trc_bytes open_bytes(const struct trc_format_field *f, struct trc_bytes *b)
{
	uint64_t left = b->at < b->size ? b->size - b->at : 0;
	struct trc_bytes rest = trc_bytes_take_bytes(b, left - left % f->element);

	if (f->shape == TRC_FORMAT_TEXT && rest.data) {
		rest.size = strnlen((const char *)rest.data, rest.size);
		rest.size -= rest.size > 0 && rest.data[rest.size - 1] == '\n';
	}
	return rest;
}

/* Return the bytes of F in RECORD; no data: the record is too short. */
static struct trc_bytes bytes_of(const struct trc_format_field *f, const struct trc_bytes *record)
{
	struct trc_bytes b = *record;
	uint64_t place;

	b.at = f->offset;
	if (f->is_open)
		return open_bytes(f, &b);
	if (f->shape != TRC_FORMAT_LOC_TEXT && f->shape != TRC_FORMAT_LOC_ARRAY)
		return trc_bytes_take_bytes(&b, f->size);
	/* __data_loc, __rel_loc: include/trace/stages/stage1_struct_define.h */
	place = trc_bytes_take_number(&b, 4);
	b.at = (place & 0xffff) + (f->is_relative ? f->offset + f->size : 0);
	return trc_bytes_take_bytes(&b, place >> 16);
}

/* Return the number of N bytes at P, sign-extended to 64 bits if F is signed. */
static uint64_t number_at(const struct trc_format_field *f, const uint8_t *p, unsigned n, bool big)
{
	uint64_t number = trc_bytes_number(p, n, big);
	unsigned shift = 64 - n * 8;

	return f->is_signed && shift < 64 ? (uint64_t)((int64_t)(number << shift) >> shift) : number;
}

/* ---- for the model ---- */

static bool is_mask(const struct trc_format_class *c, const struct trc_format_field *f, unsigned slot)
{
	return c->mapping.kind == MDL_EV_IPI_SEND && slot == MDL_IPI_SEND_MASK &&
		(f->shape == TRC_FORMAT_LOC_ARRAY || f->shape == TRC_FORMAT_ARRAY);
}

/*
 * Return the CPUs of a mask (struct cpumask: longs, CPU 0 is the lowest bit of the first) as 1 << CPU. Absent
 * if a CPU is above 62, or if the size of a long is unknown.
 */
static int64_t read_mask(const struct trc_bytes *b)
{
	uint64_t mask = 0;

	if (b->size == 0 || (b->big && b->size != 4))
		return MDL_ARG_ABSENT;
	for (uint64_t i = 8; i < b->size; i++)
		if (b->data[i] != 0)
			return MDL_ARG_ABSENT;
	mask = trc_bytes_number(b->data, (unsigned)MIN(b->size, 8), b->big);
	return mask > INT64_MAX ? MDL_ARG_ABSENT : (int64_t)mask;
}

/* True if F has the arguments of a system call that has only a number. */
static bool is_width(const struct trc_format_class *c, const struct trc_format_field *f, unsigned slot)
{
	return c->mapping.kind == MDL_EV_SYSCALL_ENTRY && slot == MDL_CALL_WIDTH &&
		f->shape == TRC_FORMAT_ARRAY && (f->element == 4 || f->element == 8);
}

static int64_t read_width(const struct trc_format_field *f, const struct trc_bytes *b)
{
	if (f->element == 4)
		return MDL_WIDTH_KERNEL;
	for (uint64_t i = 0; i + 8 <= b->size; i += 8)
		if (trc_bytes_number(b->data + i, 8, b->big) > UINT32_MAX)
			return MDL_WIDTH_WIDE;
	return MDL_WIDTH_NARROW;
}

/* Add a read of the first alternative in LIST that EVENT has with a usable type. */
static void add_reads(struct trc_format_class *c, const struct trc_format_event *event, const char *list,
	bool text, unsigned slot)
{
	char **names = list ? g_strsplit(list, "|", -1) : NULL;
	const struct trc_format_field *f = NULL;

	for (unsigned i = 0; names && names[i] && !f; i++)
		f = trc_format_event_field(event, names[i]);
	g_strfreev(names);
	if (f && text && f->is_pointer && f->shape == TRC_FORMAT_NUMBER)
		c->reads[c->n_reads++] =
			(struct read){ .field = f, .slot = slot, .text = true, .texts = event->texts };
	else if (f && !text && is_width(c, f, slot))
		c->reads[c->n_reads++] = (struct read){ .field = f, .slot = slot, .width = true };
	else if (f && (text ? format_class_is_text(f) : f->shape == TRC_FORMAT_NUMBER || is_mask(c, f, slot)))
		c->reads[c->n_reads++] = (struct read){ .field = f,
			.slot = slot,
			.text = text,
			.mask = f->shape != TRC_FORMAT_NUMBER };
}

struct trc_format_class *trc_format_class_new(const struct trc_format_event *event)
{
	struct trc_format_class *c = g_new0(struct trc_format_class, 1);

	c->tid = trc_format_event_field(event, "common_pid");
	c->is_part = mdl_table_is_part(event->name);
	if (!mdl_table_find(event->name, &c->mapping))
		return c;
	c->states = c->mapping.kind == MDL_EV_SCHED_SWITCH ? event->states : NULL;
	c->flags = trc_format_event_field(event, "common_flags");
	for (unsigned i = 0; i < MDL_ARGS; i++)
		add_reads(c, event, c->mapping.arg_fields[i], false, i);
	for (unsigned i = 0; i < MDL_TEXTS; i++)
		add_reads(c, event, c->mapping.text_fields[i], true, i);
	return c;
}

/* enum trace_flag_type, include/linux/trace_events.h: unchanged since Linux 2.6.28, NMI since 4.7. */
enum { FLAG_HARDIRQ = 0x08, FLAG_SOFTIRQ = 0x10, FLAG_NMI = 0x40 };

uint8_t trc_format_told(uint64_t flags)
{
	return (uint8_t)(MDL_TOLD_WITHIN | (flags & (FLAG_HARDIRQ | FLAG_NMI) ? MDL_TOLD_IRQ : 0) |
		(flags & FLAG_SOFTIRQ ? MDL_TOLD_SOFTIRQ : 0));
}

static uint8_t within_of(const struct trc_format_class *c, const struct trc_bytes *record)
{
	struct trc_bytes b = { 0 };

	if (c->flags && c->flags->shape == TRC_FORMAT_NUMBER)
		b = bytes_of(c->flags, record);
	return b.data ? trc_format_told(trc_bytes_number(b.data, (unsigned)b.size, b.big)) : 0;
}

/* Return the text to which the pointer B points, for an event in Q; NULL: unknown. */
static const char *text_at(const struct read *read, struct trc_queue *q, const struct trc_bytes *b)
{
	uint64_t at = number_at(read->field, b->data, (unsigned)b->size, b->big);
	const char *text = g_hash_table_lookup((GHashTable *)(uintptr_t)read->texts, &at);

	return text ? trc_queue_text(q, text, strlen(text)) : NULL;
}

void trc_format_class_read(const struct trc_format_class *c, struct trc_queue *q, struct mdl_event *event,
	const struct trc_bytes *record)
{
	if (c->mapping.kind == MDL_EV_NONE)
		return;
	mdl_event_begin(event, c->mapping.kind, c->mapping.label);
	event->told = within_of(c, record);
	for (unsigned i = 0; i < c->n_reads; i++) {
		const struct read *read = &c->reads[i];
		struct trc_bytes b = bytes_of(read->field, record);

		if (b.data && read->texts)
			event->text[read->slot] = text_at(read, q, &b);
		else if (b.data && read->text)
			event->text[read->slot] = trc_queue_chars(q, (const char *)b.data, b.size);
		else if (b.data && read->width)
			event->arg[read->slot] = read_width(read->field, &b);
		else if (b.data && read->mask)
			event->arg[read->slot] = read_mask(&b);
		else if (b.data)
			event->arg[read->slot] = (int64_t)number_at(read->field, b.data, (unsigned)b.size,
				b.big);
	}
	if (!c->states || event->arg[MDL_SWITCH_PREV_STATE] == MDL_ARG_ABSENT)
		return;
	event->arg[MDL_SWITCH_PREV_STATE] = trc_format_states_read(c->states,
		(uint64_t)event->arg[MDL_SWITCH_PREV_STATE]);
	event->told |= MDL_TOLD_STATE;
}

int64_t trc_format_class_tid(const struct trc_format_class *c, const struct trc_bytes *record)
{
	struct trc_bytes b = { 0 };

	if (c->tid && c->tid->shape == TRC_FORMAT_NUMBER)
		b = bytes_of(c->tid, record);
	return b.data ? (int32_t)trc_bytes_number(b.data, (unsigned)b.size, b.big) : -1;
}

bool trc_format_class_is_part(const struct trc_format_class *c)
{
	return c->is_part;
}

enum mdl_kind trc_format_class_kind(const struct trc_format_class *c)
{
	return c->mapping.kind;
}

unsigned trc_format_class_slot(const struct trc_format_class *c, const char *field)
{
	unsigned i = 0;

	while (i < MDL_ARGS && !mdl_table_field_is(c->mapping.arg_fields[i], field))
		i++;
	return i;
}

/* ---- fields as text ---- */

static void append_array(const struct trc_format_field *f, const struct trc_bytes *b, GString *to, gsize end)
{
	unsigned n = f->element;

	g_string_append(to, "[ ");
	for (uint64_t i = 0; i + n <= b->size && to->len < end; i += n) {
		g_string_append_printf(to, "%s[%" G_GUINT64_FORMAT "] = ", i ? ", " : "", (guint64)(i / n));
		trc_text_value_integer(to, f->is_signed, n * 8, 10, number_at(f, b->data + i, n, b->big));
	}
	g_string_append(to, " ]");
}

/* Return the value of F of EVENT, whose bytes are B. F is no array. */
static struct trc_value value_of(const struct trc_format_event *event, const struct trc_format_field *f,
	const struct trc_bytes *b)
{
	struct trc_value value = { .type = TRC_VALUE_TEXT };

	if (format_class_is_text(f)) {
		value.text = (const char *)b->data;
		value.length = strnlen(value.text, b->size);
		return value;
	}
	value.type = f->is_signed ? TRC_VALUE_SIGNED : TRC_VALUE_UNSIGNED;
	value.number = number_at(f, b->data, f->element, b->big);
	if (f->is_pointer)
		value.text = g_hash_table_lookup((GHashTable *)(uintptr_t)event->texts, &value.number);
	if (value.text) {
		value.type = TRC_VALUE_TEXT;
		value.length = strlen(value.text);
	}
	return value;
}

static bool is_array(const struct trc_format_field *f)
{
	return f->shape == TRC_FORMAT_ARRAY || f->shape == TRC_FORMAT_LOC_ARRAY;
}

/* Append the value B of F. */
static struct trc_value append_value(const struct trc_format_event *event, const struct trc_format_field *f,
	const struct trc_bytes *b, GString *to, gsize end)
{
	struct trc_value value = { .type = TRC_VALUE_TEXT };
	gsize begin = to->len;

	if (is_array(f)) {
		append_array(f, b, to, end);
		value.text = to->str + begin;
		value.length = to->len - begin;
		return value;
	}
	value = value_of(event, f, b);
	if (value.type == TRC_VALUE_TEXT)
		trc_text_value_string(to, value.text, value.length, end);
	else
		trc_text_value_integer(to, f->is_signed, f->element * 8u, f->is_pointer ? 16 : 10,
			value.number);
	return value;
}

void trc_format_class_texts(const struct trc_format_event *event, const struct trc_bytes *record,
	trc_cut_seen *seen, void *data)
{
	for (guint i = 0; i < event->fields->len; i++) {
		const struct trc_format_field *f = &g_array_index(event->fields, struct trc_format_field, i);
		struct trc_bytes b = { .data = NULL };

		if (format_class_is_text(f))
			b = bytes_of(f, record);
		if (b.data)
			seen(data, f->name, (char *)(uintptr_t)b.data, b.size);
	}
}

/* Append "{ a = 1, b = 2 }": the fields that all events have (COMMON), or the others. */
static void append_fields(const struct trc_format_event *event, bool common, const struct trc_bytes *record,
	GString *to, const struct trc_taker *taker)
{
	gsize end = to->len + MIN(TEXT_END, TEXT_ANYWAY + record->size * TEXT_TIMES);
	const char *between = "";

	g_string_append(to, "{ ");
	for (guint i = 0; i < event->fields->len && to->len < end; i++) {
		const struct trc_format_field *f = &g_array_index(event->fields, struct trc_format_field, i);
		struct trc_bytes b = bytes_of(f, record);
		struct trc_value value;

		if (!b.data || f->is_common != common)
			continue;
		g_string_append_printf(to, "%s%s = ", between, f->name);
		value = append_value(event, f, &b, to, end);
		if (taker)
			taker->take(taker->data, f->name, &value);
		between = ", ";
	}
	g_string_append(to, " }");
}

void trc_format_class_stack(const char *name, struct trc_bytes addresses, unsigned size, GString *to,
	const struct trc_taker *taker)
{
	struct trc_value value = { .type = TRC_VALUE_TEXT };
	gsize begin;

	g_string_append_printf(to, "%s = ", name);
	begin = to->len;
	g_string_append(to, "[ ");
	for (unsigned i = 0; i < STACK_MAX && addresses.size - addresses.at >= size; i++) {
		g_string_append_printf(to, "%s[%u] = ", i ? ", " : "", i);
		trc_text_value_integer(to, false, size * 8, 16, trc_bytes_take_number(&addresses, size));
	}
	g_string_append(to, " ]");
	value.text = to->str + begin;
	value.length = to->len - begin;
	if (taker)
		taker->take(taker->data, name, &value);
}

void trc_format_class_fields(const struct trc_format_event *event, const struct trc_bytes *record,
	GString *to, const struct trc_taker *taker)
{
	append_fields(event, true, record, to, taker);
	g_string_append(to, ", ");
	append_fields(event, false, record, to, taker);
}

/* A pointer is printed as its text if that is known, as with trace_printk(). */
static enum trc_value_type type_of(const struct trc_format_event *event, const struct trc_format_field *f)
{
	if (f->shape != TRC_FORMAT_NUMBER ||
		(f->is_pointer && g_hash_table_size((GHashTable *)(uintptr_t)event->texts)))
		return TRC_VALUE_TEXT;
	return f->is_signed ? TRC_VALUE_SIGNED : TRC_VALUE_UNSIGNED;
}

void trc_format_types(const struct trc_format_event *event, trc_paging_typed *typed, void *data)
{
	typed(data, event->name, NULL, TRC_VALUE_NONE);
	for (unsigned pass = 0; pass < 2; pass++)
		for (guint i = 0; i < event->fields->len; i++) {
			const struct trc_format_field *f = &g_array_index(event->fields,
				struct trc_format_field, i);

			if (f->is_common == (pass == 0))
				typed(data, event->name, f->name, type_of(event, f));
		}
}

/* ---- some fields ---- */

/* A field that is picked. */
struct picked {
	const struct trc_format_field *field; /* weak */
	unsigned name;
};

/* The fields of one event. */
struct pick {
	GArray *fields; /* of struct picked, owned: in the order of trc_format_class_fields() */
	bool has_array; /* one is an array, which must be printed */
};

struct trc_format_picker {
	char **names;      /* owned */
	GHashTable *picks; /* const struct trc_format_event * → struct pick *; owned */
};

static void pick_free(void *data)
{
	g_array_unref(((struct pick *)data)->fields);
	g_free(data);
}

struct trc_format_picker *trc_format_picker_new(const char *const *names, unsigned n)
{
	struct trc_format_picker *p = g_new0(struct trc_format_picker, 1);

	p->names = g_new0(char *, n + 1);
	for (unsigned i = 0; i < n; i++)
		p->names[i] = g_strdup(names[i]);
	p->picks = g_hash_table_new_full(NULL, NULL, NULL, pick_free);
	return p;
}

void trc_format_picker_free(void *picker)
{
	struct trc_format_picker *p = picker;

	g_strfreev(p->names);
	g_hash_table_unref(p->picks);
	g_free(p);
}

static void pick_look(struct pick *pick, const struct trc_format_picker *p,
	const struct trc_format_event *event, bool common)
{
	for (guint i = 0; i < event->fields->len; i++) {
		const struct trc_format_field *f = &g_array_index(event->fields, struct trc_format_field, i);
		struct picked picked = { .field = f };

		while (p->names[picked.name] && !g_str_equal(p->names[picked.name], f->name))
			picked.name++;
		if (f->is_common != common || !p->names[picked.name])
			continue;
		g_array_append_val(pick->fields, picked);
		pick->has_array |= is_array(f);
	}
}

static struct pick *pick_new(struct trc_format_picker *p, const struct trc_format_event *event)
{
	struct pick *pick = g_new0(struct pick, 1);

	pick->fields = g_array_new(FALSE, FALSE, sizeof(struct picked));
	pick_look(pick, p, event, true);
	pick_look(pick, p, event, false);
	g_hash_table_insert(p->picks, (gpointer)(uintptr_t)event, pick);
	return pick;
}

bool trc_format_picker_wants(const struct trc_format_picker *p, const char *prefix)
{
	for (char **name = p->names; *name; name++)
		if (g_str_has_prefix(*name, prefix))
			return true;
	return false;
}

bool trc_format_pick(struct trc_format_picker *p, const struct trc_format_event *event,
	const struct trc_bytes *record, struct trc_value *values)
{
	const struct pick *known = g_hash_table_lookup(p->picks, event),
			  *pick = known ? known : pick_new(p, event);

	for (unsigned i = 0; p->names[i]; i++)
		values[i].type = TRC_VALUE_NONE;
	for (guint i = 0; !pick->has_array && i < pick->fields->len; i++) {
		const struct picked *picked = &g_array_index(pick->fields, struct picked, i);
		struct trc_bytes b = bytes_of(picked->field, record);

		if (b.data)
			values[picked->name] = value_of(event, picked->field, &b);
	}
	return !pick->has_array;
}
