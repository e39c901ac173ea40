/* SPDX-License-Identifier: MIT */
/* How it works: the first event of a class makes a plan for the class. */
#include "trace/ctf/trc_pick.h"

#include "trace/meta/trc_meta_type.h"

#include <string.h>

#define KNOWN 32 /* classes that are found without the hash table */

/* A field that the events of a class have. */
struct picked {
	unsigned name;             /* number of the name */
	enum trc_value_type type;  /* of its value */
	const struct trc_type *of; /* weak */
};

/* The fields in the events of one class. */
struct pick {
	struct trc_plan *plan; /* owned; NULL: all fields must be decoded */
	struct picked *picked; /* owned: N of them */
	unsigned n;
};

struct trc_ctf_picker {
	char **names; /* owned */
	unsigned n;
	GHashTable *picks; /* const struct trc_ctf_event * → struct pick *; owned */
	struct {
		const void *class; /* weak */
		const struct pick *pick;
	} known[KNOWN];          /* some of PICKS, by address */
	struct trc_taken *taken; /* owned: N of them */
	struct trc_walk walk;
	struct trc_budget costs;
};

static void pick_free(void *data)
{
	struct pick *p = data;

	trc_plan_free(p->plan);
	g_free(p->picked);
	g_free(p);
}

struct trc_ctf_picker *trc_ctf_picker_new(const char *const *names, unsigned n)
{
	struct trc_ctf_picker *p = g_new0(struct trc_ctf_picker, 1);

	p->n = n;
	p->names = g_new0(char *, n + 1);
	for (unsigned i = 0; i < n; i++)
		p->names[i] = g_strdup(names[i]);
	p->picks = g_hash_table_new_full(NULL, NULL, NULL, pick_free);
	p->taken = g_new0(struct trc_taken, n);
	p->costs.left = TRC_PLAN_COSTS;
	return p;
}

void trc_ctf_picker_free(void *picker)
{
	struct trc_ctf_picker *p = picker;

	g_strfreev(p->names);
	g_hash_table_unref(p->picks);
	g_free(p->taken);
	g_free(p);
}

/* ---- the plan of a class ---- */

/* True if a plan can read a value of TYPE: a number or a text, no compound. */
static bool is_plain(const struct trc_type *type)
{
	const struct trc_type *e = type->element;

	switch (type->kind) {
	case TRC_TYPE_INTEGER:
	case TRC_TYPE_ENUM:
	case TRC_TYPE_FLOAT: return true;
	case TRC_TYPE_STRING: return type->encoding <= TRC_ENCODING_UTF8;
	case TRC_TYPE_ARRAY:
	case TRC_TYPE_SEQUENCE:
		return e->kind == TRC_TYPE_INTEGER && e->encoding == TRC_ENCODING_UTF8 && e->bits == 8 &&
			e->align == 8;
	default: return false;
	}
}

static enum trc_value_type type_of(const struct trc_type *type)
{
	if (trc_type_is_number(type))
		return type->is_signed ? TRC_VALUE_SIGNED : TRC_VALUE_UNSIGNED;
	return type->kind == TRC_TYPE_FLOAT ? TRC_VALUE_REAL : TRC_VALUE_TEXT;
}

/* Set FIELD to the last field called NAME of ROOT (NULL: none), if there is one. It hides an earlier find. */
static void look(struct trc_plan_field *field, const struct trc_type *root, const char *name)
{
	for (unsigned i = 0; root && i < root->n_fields; i++)
		if (!strcmp(trc_type_bare(root->fields[i].name), name))
			*field = (struct trc_plan_field){ root, &root->fields[i] };
}

static struct pick *pick_new(struct trc_ctf_picker *p, const struct trc_ctf_stream *stream,
	const struct trc_ctf_event *event)
{
	struct trc_plan_field *fields = g_new0(struct trc_plan_field, p->n);
	struct pick *pick = g_new0(struct pick, 1);
	bool plain = true;

	pick->picked = g_new(struct picked, p->n);
	for (unsigned i = 0; i < p->n; i++) {
		look(&fields[i], stream->source->event_context, p->names[i]);
		look(&fields[i], event->source->context, p->names[i]);
		look(&fields[i], event->source->fields, p->names[i]);
		if (!fields[i].field)
			continue;
		plain &= is_plain(fields[i].field->type);
		pick->picked[pick->n++] = (struct picked){ i, type_of(fields[i].field->type),
			fields[i].field->type };
	}
	if (plain)
		pick->plan = trc_plan_new_fields(stream->source, event->source, fields, p->n,
			stream->head == TRC_HEAD_OTHER ? 1 : 8, stream->around, &p->costs);
	g_free(fields);
	g_hash_table_insert(p->picks, (gpointer)(uintptr_t)event, pick);
	return pick;
}

/* ---- events ---- */

/* Return the fields of EVENT, which stands for its class. */
static const struct pick *pick_of(struct trc_ctf_picker *p, const struct trc_ctf_stream *stream,
	const struct trc_ctf_event *event)
{
	unsigned i = ((uintptr_t)event ^ (uintptr_t)event >> 8) / sizeof(void *) % KNOWN;

	if (p->known[i].class != event) {
		const struct pick *pick = g_hash_table_lookup(p->picks, event);

		p->known[i].pick = pick ? pick : pick_new(p, stream, event);
		p->known[i].class = event;
	}
	return p->known[i].pick;
}

static void set_value(const struct picked *picked, const struct trc_taken *taken, struct trc_value *value)
{
	value->type = picked->type;
	value->number = taken->number;
	if (picked->type == TRC_VALUE_REAL) {
		value->real = trc_text_value_real((unsigned)picked->of->bits, taken->number);
	} else if (picked->type == TRC_VALUE_TEXT) {
		value->text = taken->text;
		value->length = strnlen(taken->text, taken->length);
	}
}

bool trc_ctf_pick(struct trc_ctf_picker *p, const struct trc_ctf_stream *stream,
	const struct trc_ctf_event *event, const uint8_t *data, uint64_t at, uint64_t limit,
	const struct trc_text_around *around, struct trc_value *values)
{
	struct trc_walk *w = &p->walk;
	const struct pick *pick = pick_of(p, stream, event);

	if (!pick->plan)
		return false;
	w->data = data;
	w->at = at;
	w->limit = limit;
	w->known = around->known;
	w->taken = p->taken;
	if (around->registers)
		memcpy(w->registers, around->registers, TRC_AROUND_MAX * sizeof *around->registers);
	if (!trc_plan_run(pick->plan, w))
		return false;
	for (unsigned i = 0; i < p->n; i++)
		values[i].type = TRC_VALUE_NONE;
	for (unsigned i = 0; i < pick->n; i++)
		set_value(&pick->picked[i], &p->taken[pick->picked[i].name], &values[pick->picked[i].name]);
	return true;
}

/* ---- types ---- */

static void tell_fields(const char *event, const struct trc_type *root, trc_paging_typed *typed, void *data)
{
	for (unsigned i = 0; root && i < root->n_fields; i++) {
		const struct trc_type *type = root->fields[i].type;

		typed(data, event, trc_type_bare(root->fields[i].name), type_of(type));
	}
}

void trc_ctf_types(const struct trc_meta *t, trc_paging_typed *typed, void *data)
{
	for (unsigned i = 0; i < t->streams->len; i++) {
		const struct trc_stream_class *stream = g_ptr_array_index(t->streams, i);

		for (unsigned k = 0; k < stream->events->len; k++) {
			const struct trc_event_class *event = g_ptr_array_index(stream->events, k);

			typed(data, event->name, NULL, TRC_VALUE_NONE);
			tell_fields(event->name, stream->event_context, typed, data);
			tell_fields(event->name, event->context, typed, data);
			tell_fields(event->name, event->fields, typed, data);
		}
	}
}
