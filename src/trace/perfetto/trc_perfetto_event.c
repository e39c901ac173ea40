/* SPDX-License-Identifier: MIT */
/*
 * How it works: a table has the kernel's tracepoint for each field of FtraceEvent, and the tracepoint's field
 * for each number in it (protos/perfetto/trace/ftrace). The trace itself describes an event without
 * a message: since version 50 by a descriptor, whose number is at least GENERIC_FIRST; before that by names
 * in each event.
 *
 * A pointer (void * in the kernel's format) is no address. traced replaces it by a number, which it assigns
 * anew whenever it has read all rings (FtraceMetadata::AddSymbolAddr(), Clear()). Two events with one number
 * may have different timers. So the model does not get it.
 */
#include "trace/perfetto/trc_perfetto.h"

#include "model/event/table.h"

#include <string.h>

#define GENERIC_FIRST 65536    /* number of the first event with a descriptor */
#define GENERIC_MOST 16384     /* events with descriptors at most */
#define FIELDS_MOST 64         /* of an event */
#define NAME_MOST 256          /* bytes of a name in the trace */
#define NAME_COST 1024         /* bytes of memory that an event takes, about */
#define ADDRESS_MIN 0x80000000 /* a kernel's addresses are higher, even with 32 bits */
#define TEXT_END (64 * 1024)   /* bytes of printed fields at most */

/* Fields that are pointers in the kernel's formats, in events that the trace describes. */
static const char *const pointers[] = { "hrtimer", "function", "timer", "work", "skbaddr", "csd", "func",
	"callsite", "caller", "ip", "workqueue", "fun" };

struct field {
	char *name;          /* owned; NULL: no field has this number */
	char kind;           /* as in the table */
	uint8_t args, texts; /* sets of slots of the model's event */
};

struct trc_perfetto_class {
	char *name; /* owned */
	unsigned number;
	struct mdl_mapping mapping;
	unsigned n_fields;    /* with number 0, which no field has */
	struct field *fields; /* owned */
};

struct trc_perfetto_classes {
	struct trc_perfetto_class *typed[TRC_PERFETTO_TYPED]; /* owned; NULL: not needed yet */
	GPtrArray *described; /* of struct trc_perfetto_class * or NULL, owned: by number - GENERIC_FIRST */
	GHashTable *named;    /* name → struct trc_perfetto_class *, owned: events with names */
	struct trc_budget *budget; /* weak */
};

/* ---- making ---- */

static void class_free(void *data)
{
	struct trc_perfetto_class *c = data;

	if (!c)
		return;
	for (unsigned i = 0; i < c->n_fields; i++)
		g_free(c->fields[i].name);
	g_free(c->fields);
	g_free(c->name);
	g_free(c);
}

struct trc_perfetto_classes *trc_perfetto_classes_new(struct trc_budget *budget)
{
	struct trc_perfetto_classes *all = g_new0(struct trc_perfetto_classes, 1);

	all->described = g_ptr_array_new_with_free_func(class_free);
	all->named = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, class_free);
	all->budget = budget;
	return all;
}

void trc_perfetto_classes_free(struct trc_perfetto_classes *all)
{
	if (!all)
		return;
	for (unsigned i = 0; i < TRC_PERFETTO_TYPED; i++)
		class_free(all->typed[i]);
	g_ptr_array_unref(all->described);
	g_hash_table_unref(all->named);
	g_free(all);
}

/* Return a new class. NAME is owned by it. */
static struct trc_perfetto_class *class_new(char *name, unsigned number)
{
	struct trc_perfetto_class *c = g_new0(struct trc_perfetto_class, 1);

	c->name = name;
	c->number = number;
	mdl_table_find(name, &c->mapping);
	return c;
}

static void class_add_field(struct trc_perfetto_class *c, unsigned number, char *name, char kind)
{
	if (number >= c->n_fields) {
		c->fields = g_renew(struct field, c->fields, number + 1);
		memset(c->fields + c->n_fields, 0, (number + 1 - c->n_fields) * sizeof *c->fields);
		c->n_fields = number + 1;
	}
	g_free(c->fields[number].name);
	c->fields[number].name = name;
	c->fields[number].kind = kind;
}

/* Return the field of C for the first alternative of LIST; NULL: none. */
static struct field *class_pick(struct trc_perfetto_class *c, const char *list)
{
	g_auto(GStrv) names = list ? g_strsplit(list, "|", -1) : NULL;

	for (unsigned i = 0; names && names[i]; i++)
		for (unsigned k = 0; k < c->n_fields; k++)
			if (c->fields[k].name && g_str_equal(c->fields[k].name, names[i]))
				return &c->fields[k];
	return NULL;
}

/* Find the fields for the model, after all were added. */
static void class_map(struct trc_perfetto_class *c)
{
	for (unsigned i = 0; i < MDL_ARGS; i++) {
		struct field *f = class_pick(c, c->mapping.arg_fields[i]);

		if (f && f->kind != 's' && f->kind != 'x')
			f->args |= (uint8_t)(1 << i);
	}
	for (unsigned i = 0; i < MDL_TEXTS; i++) {
		struct field *f = class_pick(c, c->mapping.text_fields[i]);

		if (f)
			f->texts |= (uint8_t)(1 << i);
	}
}

static struct trc_perfetto_class *class_typed(const struct trc_perfetto_typed *t)
{
	g_auto(GStrv) name = g_strsplit(t->name, ":", 2), fields = g_strsplit(t->fields, " ", -1);
	struct trc_perfetto_class *c = class_new(trc_perfetto_typed_name(name[0], name[1]), t->number);

	for (unsigned i = 0; fields[i]; i++)
		class_add_field(c, i + 1, g_strndup(fields[i], strlen(fields[i]) - 2),
			fields[i][strlen(fields[i]) - 1]);
	class_map(c);
	return c;
}

const struct trc_perfetto_class *trc_perfetto_class_of(struct trc_perfetto_classes *all, unsigned number)
{
	const struct trc_perfetto_typed *t;

	if (number >= GENERIC_FIRST)
		return number - GENERIC_FIRST < all->described->len
			? all->described->pdata[number - GENERIC_FIRST]
			: NULL;
	if (number >= TRC_PERFETTO_TYPED)
		return NULL;
	if (all->typed[number])
		return all->typed[number];
	t = trc_perfetto_typed_find(number);
	all->typed[number] = t ? class_typed(t)
			       : class_new(g_strdup_printf("perfetto:event_%u", number), number);
	return all->typed[number];
}

/* Return the name in W; NULL if it is too long or empty. Names in the kernel are C identifiers. */
static char *name_in(const struct trc_wire *w)
{
	size_t size = trc_wire_size(w);
	char *name = size > 0 && size <= NAME_MOST ? g_strndup((const char *)w->at, size) : NULL;

	if (!name || !*name) {
		g_free(name);
		return NULL;
	}
	return g_strcanon(name, TRC_PERFETTO_WORD, '_');
}

static bool is_pointer(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(pointers); i++)
		if (g_str_equal(pointers[i], name))
			return true;
	return false;
}

/* Return the kind of the field NAME of a described event. TYPE as in FieldDescriptorProto. */
static char kind_of(const char *name, uint64_t type)
{
	if (g_str_equal(name, "dev") || g_str_equal(name, "old_dev"))
		return 'd';
	if (is_pointer(name))
		return 'p';
	if (type == 9 || type == 12) /* string, bytes */
		return 's';
	return type == 4 || type == 13 ? 'u' : 'i'; /* uint64, uint32 */
}

/* FieldDescriptorProto: name 1, number 3, type 5. */
static void describe_field(struct trc_perfetto_class *c, struct trc_wire w)
{
	struct trc_wire_field f;
	char *name = NULL;
	uint64_t number = 0, type = 0;

	while (trc_wire_next(&w, &f))
		if (f.number == 1 && f.type == TRC_WIRE_BYTES && !name)
			name = name_in(&f.bytes);
		else if (f.number == 3)
			number = f.value;
		else if (f.number == 5)
			type = f.value;
	if (name && number > 0 && number < FIELDS_MOST)
		class_add_field(c, (unsigned)number, name, kind_of(name, type));
	else
		g_free(name);
}

/* DescriptorProto: name 1, fields 2. */
static struct trc_perfetto_class *class_described(struct trc_wire w, const char *group, unsigned number)
{
	struct trc_wire all = w;
	struct trc_wire_field f;
	g_autofree char *name = NULL;
	struct trc_perfetto_class *c;

	while (trc_wire_next(&w, &f))
		if (f.number == 1 && f.type == TRC_WIRE_BYTES && !name)
			name = name_in(&f.bytes);
	if (!name)
		return NULL;
	c = class_new(trc_perfetto_typed_name(group, name), number);
	while (trc_wire_next(&all, &f))
		if (f.number == 2 && f.type == TRC_WIRE_BYTES)
			describe_field(c, f.bytes);
	class_map(c);
	return c;
}

/* GenericEventDescriptor: number 1, descriptor 2, group 3. */
static void describe_event(struct trc_perfetto_classes *all, struct trc_wire w)
{
	struct trc_wire_field f;
	struct trc_wire descriptor = { NULL, NULL };
	g_autofree char *group = NULL;
	uint64_t number = 0;
	guint at;

	while (trc_wire_next(&w, &f))
		if (f.number == 1 && f.type == TRC_WIRE_NUMBER)
			number = f.value;
		else if (f.number == 2 && f.type == TRC_WIRE_BYTES)
			descriptor = f.bytes;
		else if (f.number == 3 && f.type == TRC_WIRE_BYTES && !group)
			group = name_in(&f.bytes);
	if (number < GENERIC_FIRST || number >= GENERIC_FIRST + GENERIC_MOST || !descriptor.at)
		return;
	at = (guint)(number - GENERIC_FIRST);
	/* The first description is kept. A trace has one for each number. */
	if ((at < all->described->len && all->described->pdata[at]) ||
		!trc_budget_spend(all->budget, NAME_COST + trc_wire_size(&descriptor),
			"it describes more events than its size has room for"))
		return;
	if (at >= all->described->len)
		g_ptr_array_set_size(all->described, (gint)at + 1);
	all->described->pdata[at] = class_described(descriptor, group ? group : "", (unsigned)number);
}

void trc_perfetto_classes_describe(struct trc_perfetto_classes *all, struct trc_wire bundle)
{
	struct trc_wire_field f;

	while (trc_wire_next(&bundle, &f))
		if (f.number == 11 && f.type == TRC_WIRE_BYTES)
			describe_event(all, f.bytes);
}

/* GenericFtraceEvent: name 1, fields 2 with name 1, text 3, signed 4, unsigned 5. */
static char *generic_name(struct trc_wire w)
{
	struct trc_wire_field f;

	while (trc_wire_next(&w, &f))
		if (f.number == 1 && f.type == TRC_WIRE_BYTES)
			return name_in(&f.bytes);
	return NULL;
}

/* Return the class of PAYLOAD, which has its name; NULL: it has none. */
static const struct trc_perfetto_class *class_named(struct trc_perfetto_classes *all,
	const struct trc_wire *payload)
{
	g_autofree char *name = generic_name(*payload);
	g_autofree char *full = name ? trc_perfetto_typed_name("", name) : NULL;
	struct trc_perfetto_class *c = full ? g_hash_table_lookup(all->named, full) : NULL;

	if (c || !full)
		return c;
	if (g_hash_table_size(all->named) >= GENERIC_MOST ||
		!trc_budget_spend(all->budget, NAME_COST,
			"it describes more events than its size has room for"))
		return NULL;
	c = class_new(g_steal_pointer(&full), TRC_PERFETTO_GENERIC);
	g_hash_table_insert(all->named, c->name, c);
	return c;
}

const char *trc_perfetto_class_name(const struct trc_perfetto_class *c)
{
	return c->name;
}

enum mdl_kind trc_perfetto_class_kind(const struct trc_perfetto_class *c)
{
	return c->mapping.kind;
}

const struct trc_perfetto_class *trc_perfetto_class_for(struct trc_perfetto_classes *all,
	const struct trc_perfetto_event *e)
{
	return e->number == TRC_PERFETTO_GENERIC ? class_named(all, &e->payload)
						 : trc_perfetto_class_of(all, e->number);
}

/* ---- for the model ---- */

/* Return a device number in the kernel's form, from that of stat()
 * (CpuReader::TranslateBlockDeviceIDToUserspace). */
static uint64_t kernel_device(uint64_t dev)
{
	uint64_t major = (dev >> 8 & 0xfff) | (dev >> 32 & 0xfffff000),
		 minor = (dev & 0xff) | (dev >> 12 & 0xffffff00);

	return (major & 0xfff) << 20 | (minor & 0xfffff);
}

static void take_number(const struct field *f, struct mdl_event *to, uint64_t value)
{
	if (f->kind == 'p' && value < ADDRESS_MIN)
		return;
	if (f->kind == 'd')
		value = kernel_device(value);
	if (f->kind == 'a')
		value = value > UINT32_MAX || to->arg[MDL_CALL_WIDTH] == MDL_WIDTH_WIDE ? MDL_WIDTH_WIDE
											: MDL_WIDTH_NARROW;
	for (unsigned i = 0; i < MDL_ARGS; i++)
		if (f->args & 1 << i)
			to->arg[i] = (int64_t)value;
}

static void take_field(const struct field *f, struct trc_queue *q, struct mdl_event *to,
	const struct trc_wire_field *from)
{
	if (from->type == TRC_WIRE_BYTES) {
		for (unsigned i = 0; i < MDL_TEXTS; i++)
			if (f->texts & 1 << i)
				to->text[i] = trc_queue_text(q, (const char *)from->bytes.at,
					trc_wire_size(&from->bytes));
	} else if (f->args) {
		take_number(f, to, from->value);
	}
}

/* Read a field with its name, of an event with its name. False if W is none. */
static bool generic_field(struct trc_wire w, struct field *f, struct trc_wire_field *value)
{
	struct trc_wire_field at;
	bool has = false;

	*f = (struct field){ .kind = 'u' };
	while (trc_wire_next(&w, &at)) {
		if (at.number == 1 && at.type == TRC_WIRE_BYTES && !f->name)
			f->name = name_in(&at.bytes);
		if (at.number < 3 || at.number > 5 || (at.number == 3) != (at.type == TRC_WIRE_BYTES))
			continue;
		*value = at;
		has = true;
		f->kind = at.number == 3 ? 's' : at.number == 4 ? 'i' : 'u';
	}
	if (f->name && f->kind != 's')
		f->kind = kind_of(f->name, f->kind == 'u' ? 4 : 3);
	if (has && f->name)
		return true;
	g_clear_pointer(&f->name, g_free);
	return false;
}

static void take_generic(const struct trc_perfetto_class *c, struct trc_queue *q, struct mdl_event *to,
	struct trc_wire w)
{
	struct trc_wire_field f, value;
	struct field field;

	while (trc_wire_next(&w, &f)) {
		if (f.number != 2 || f.type != TRC_WIRE_BYTES || !generic_field(f.bytes, &field, &value))
			continue;
		for (unsigned i = 0; i < MDL_ARGS; i++)
			if (mdl_table_field_is(c->mapping.arg_fields[i], field.name))
				field.args |= (uint8_t)(1 << i);
		for (unsigned i = 0; i < MDL_TEXTS; i++)
			if (mdl_table_field_is(c->mapping.text_fields[i], field.name))
				field.texts |= (uint8_t)(1 << i);
		take_field(&field, q, to, &value);
		g_free(field.name);
	}
}

void trc_perfetto_class_read(const struct trc_perfetto_class *c, struct trc_queue *q, struct mdl_event *to,
	struct trc_wire payload)
{
	struct trc_wire_field f;

	mdl_event_begin(to, c->mapping.kind, c->mapping.label);
	if (c->number == TRC_PERFETTO_GENERIC) {
		take_generic(c, q, to, payload);
		return;
	}
	while (trc_wire_next(&payload, &f))
		if (f.number < c->n_fields && c->fields[f.number].args | c->fields[f.number].texts)
			take_field(&c->fields[f.number], q, to, &f);
}

/* ---- fields as text ---- */

void trc_perfetto_text_number(GString *to, const char *name, char kind, uint64_t number,
	const struct trc_taker *taker)
{
	struct trc_value value = { .type = kind == 'i' ? TRC_VALUE_SIGNED : TRC_VALUE_UNSIGNED };

	value.number = kind == 'd' ? kernel_device(number) : number;
	g_string_append_printf(to, "%s%s = ", to->str[to->len - 1] == ' ' ? "" : ", ", name);
	trc_text_value_integer(to, kind == 'i', 64, kind == 'p' && number >= ADDRESS_MIN ? 16 : 10,
		value.number);
	if (taker)
		taker->take(taker->data, name, &value);
}

void trc_perfetto_text_bytes(GString *to, const char *name, const struct trc_wire *bytes,
	const struct trc_taker *taker)
{
	struct trc_value value = { .type = TRC_VALUE_TEXT, .text = (const char *)bytes->at };
	size_t size = trc_wire_size(bytes);

	/* The kernel ends each text of print with a newline. */
	size -= size > 0 && value.text[size - 1] == '\n';
	value.length = strnlen(value.text, size);
	g_string_append_printf(to, "%s%s = ", to->str[to->len - 1] == ' ' ? "" : ", ", name);
	trc_text_value_string(to, value.text, size, to->len + TEXT_END);
	if (taker)
		taker->take(taker->data, name, &value);
}

static void append_field(GString *to, const char *name, char kind, const struct trc_wire_field *f,
	const struct trc_taker *taker)
{
	if (f->type == TRC_WIRE_BYTES)
		trc_perfetto_text_bytes(to, name, &f->bytes, taker);
	else
		trc_perfetto_text_number(to, name, kind, f->value, taker);
}

/* Append the arguments of a system call as a list. */
static void append_arguments(GString *to, const char *name, struct trc_wire w, unsigned number,
	const struct trc_taker *taker)
{
	struct trc_value value = { .type = TRC_VALUE_TEXT };
	struct trc_wire_field f;
	unsigned n = 0;
	gsize begin;

	g_string_append_printf(to, "%s%s = ", to->str[to->len - 1] == ' ' ? "" : ", ", name);
	begin = to->len;
	g_string_append(to, "[ ");
	while (n < 6 && trc_wire_next(&w, &f)) {
		if (f.number != number || !trc_wire_is_number(&f))
			continue;
		g_string_append_printf(to, "%s[%u] = %" G_GUINT64_FORMAT, n ? ", " : "", n, f.value);
		n++;
	}
	g_string_append(to, " ]");
	value.text = to->str + begin;
	value.length = to->len - begin;
	if (taker)
		taker->take(taker->data, name, &value);
}

void trc_perfetto_class_fields(const struct trc_perfetto_class *c, struct trc_wire payload, GString *to,
	const struct trc_taker *taker)
{
	struct trc_wire all = payload;
	struct trc_wire_field f, value;
	gsize end = to->len + TEXT_END;
	bool had_arguments = false;

	while (to->len < end && trc_wire_next(&payload, &f)) {
		const struct field *known = f.number < c->n_fields ? &c->fields[f.number] : NULL;
		struct field field;
		g_autofree char *number = NULL;

		if (c->number == TRC_PERFETTO_GENERIC) {
			if (f.number != 2 || f.type != TRC_WIRE_BYTES ||
				!generic_field(f.bytes, &field, &value))
				continue;
			append_field(to, field.name, field.kind, &value, taker);
			g_free(field.name);
		} else if (known && known->name && known->kind == 'a') {
			if (!had_arguments)
				append_arguments(to, known->name, all, f.number, taker);
			had_arguments = true;
		} else if (known && known->name) {
			append_field(to, known->name, known->kind, &f, taker);
		} else {
			number = g_strdup_printf("field_%u", f.number);
			append_field(to, number, 'u', &f, taker);
		}
	}
}
