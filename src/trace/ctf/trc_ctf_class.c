/* SPDX-License-Identifier: MIT */
/*
 * How it works: the classes of a trace are compiled. Each event class gets a plan, each stream class a way to
 * read its event headers. LTTng's two forms of headers are recognised in every detail and read without a
 * plan.
 */
#include "trace/ctf/trc_ctf_class.h"

#include "base/base_error.h"
#include "trace/ctf/trc_survey.h"

#include <string.h>

/* ---- headers that are read without a plan ---- */

/* True for an unsigned little-endian number of BITS bits with ROLE. */
static bool head_is_number(const struct trc_type *type, uint64_t bits, uint32_t align, enum trc_role role)
{
	bool is_time = type->clock || type->roles & TRC_ROLE_TIME, is_id = type->roles & TRC_ROLE_EVENT;

	return trc_type_is_number(type) && type->bits == bits && type->align == align && !type->is_signed &&
		!type->big_endian && !type->reversed && is_time == (role == TRC_ROLE_TIME) &&
		is_id == (role == TRC_ROLE_EVENT);
}

/* True if TAG chooses field number OPTION of the variant V by the values LOW to HIGH, and no others. */
static bool is_chosen(const struct trc_type *v, const struct trc_type *tag, int option, uint64_t low,
	uint64_t high)
{
	return trc_type_choose(v, tag, low) == option && trc_type_choose(v, tag, high) == option &&
		(v->n_choices ? v->n_choices == 2 : tag->n_labels == 2);
}

/* True if V, a variant in an event header, refers to FIELD beside it. */
static bool head_refers_to(const struct trc_type *v, const struct trc_field *field)
{
	g_autoptr(GString) path = g_string_new(v->up == TRC_ABSOLUTE ? TRC_PATH_HEADER : "");

	trc_path_add(path, field->name);
	return (v->up == TRC_SEARCH || v->up == TRC_ABSOLUTE || v->up == 0) &&
		!g_strcmp0(v->reference, path->str);
}

/* True if OPTION is a struct of N fields. */
static bool is_struct(const struct trc_field *option, unsigned n)
{
	return option->type->kind == TRC_TYPE_STRUCT && option->type->n_fields == n;
}

/* True if V is the variant that follows the tag, with BITS bits of time in the compact form. */
static bool is_variant(const struct trc_type *v, uint64_t bits)
{
	const struct trc_field *time, *extended;

	if (!is_struct(&v->fields[0], 1) || !is_struct(&v->fields[1], 2))
		return false;
	time = &v->fields[0].type->fields[0];
	extended = v->fields[1].type->fields;
	return v->fields[1].type->align == 8 &&
		head_is_number(time->type, bits, bits % 8 ? 1 : 8, TRC_ROLE_TIME) &&
		v->fields[0].type->align == time->type->align &&
		head_is_number(extended[0].type, 32, 8, TRC_ROLE_EVENT) &&
		head_is_number(extended[1].type, 64, 8, TRC_ROLE_TIME);
}

/* True if TYPE is a header whose tag has BITS bits. Its values 0 to LAST are numbers of events, LAST + 1
 * means the extended form. */
static bool is_head(const struct trc_type *type, uint64_t bits, uint64_t last, uint64_t time_bits)
{
	const struct trc_type *tag = type->fields[0].type, *v = type->fields[1].type;

	return head_is_number(tag, bits, bits % 8 ? 1 : 8, TRC_ROLE_EVENT) && v->kind == TRC_TYPE_VARIANT &&
		v->n_fields == 2 && (v->n_choices || tag->kind == TRC_TYPE_ENUM) &&
		head_refers_to(v, &type->fields[0]) && is_chosen(v, tag, 0, 0, last) &&
		is_chosen(v, tag, 1, last + 1, last + 1) && is_variant(v, time_bits);
}

enum trc_head trc_head_recognise(const struct trc_type *type)
{
	if (!type || type->n_fields != 2 || type->align != 8)
		return TRC_HEAD_OTHER;
	if (is_head(type, 5, 30, 27))
		return TRC_HEAD_COMPACT;
	if (is_head(type, 16, 65534, 32))
		return TRC_HEAD_LARGE;
	return TRC_HEAD_OTHER;
}

/* ---- classes ---- */

#define IDS_MAX (1 << 20)

static void event_class_free(gpointer data)
{
	struct trc_ctf_event *class = data;

	if (class)
		trc_plan_free(class->plan);
	g_free(class);
}

void trc_ctf_stream_free(gpointer data)
{
	struct trc_ctf_stream *class = data;

	trc_plan_free(class->header);
	trc_around_free(class->around);
	g_ptr_array_unref(class->events);
	g_free(class);
}

/* Compile EVENT into CLASS. False if it is not understood, or its cost is refused. */
static bool add_event_class(struct trc_ctf_stream *class, const struct trc_event_class *event, bool fetch,
	struct trc_budget *costs)
{
	GPtrArray *events = class->events;
	struct trc_ctf_event *e;

	/* Eight unused ids cost as much as a step. */
	if (event->id >= IDS_MAX ||
		!trc_budget_spend(costs, event->id >= events->len ? (event->id - events->len) / 8 : 0,
			"the numbers of its events are too far apart"))
		return false;
	if (event->id >= events->len)
		g_ptr_array_set_size(events, (gint)event->id + 1);
	if (g_ptr_array_index(events, event->id))
		return false;
	e = g_new0(struct trc_ctf_event, 1);
	events->pdata[event->id] = e;
	e->source = event;
	if (fetch)
		mdl_table_find(event->name, &e->mapping);
	e->plan = trc_plan_new_event(class->source, event, &e->mapping, class->head == TRC_HEAD_OTHER ? 1 : 8,
		class->around, costs);
	return e->plan;
}

/* Compile the headers and events of CLASS, until one is not understood. */
static void compile(struct trc_ctf_stream *class, bool fetch, struct trc_budget *costs)
{
	const GPtrArray *events = class->source->events;

	/* A header that is read without a plan fills no registers. */
	class->head = class->around ? TRC_HEAD_OTHER : trc_head_recognise(class->source->event_header);
	class->header = trc_plan_new_header(class->source, class->around, costs);
	if (!class->header)
		class->unknown = "event headers";
	for (unsigned i = 0; !class->unknown && i < events->len; i++) {
		const struct trc_event_class *event = g_ptr_array_index(events, i);

		if (!add_event_class(class, event, fetch, costs))
			class->unknown = event->name;
		class->tells_cpu |= !!trc_type_find(event->fields, TRC_PLAN_CPU);
	}
}

bool trc_ctf_compile(const struct trc_meta *t, bool fetch, GPtrArray *classes, GError **error)
{
	struct trc_budget costs = { .left = TRC_PLAN_COSTS };

	for (unsigned i = 0; i < t->streams->len && !costs.refused; i++) {
		struct trc_ctf_stream *class = g_new0(struct trc_ctf_stream, 1);

		class->source = g_ptr_array_index(t->streams, i);
		class->clock = class->source->clock;
		class->around = trc_around_new(t, class->source);
		class->events = g_ptr_array_new_with_free_func(event_class_free);
		/* The time of cycle 0, if the clock counts ns and a sum with it cannot overflow. */
		class->epoch = class->clock && class->clock->frequency == 1000000000
			? trc_clock_ns(class->clock, 0)
			: BASE_TIME_NONE;
		if (class->epoch < -TRC_CTF_CYCLES || class->epoch > TRC_CTF_CYCLES)
			class->epoch = BASE_TIME_NONE;
		compile(class, fetch, &costs);
		g_ptr_array_add(classes, class);
	}
	if (costs.refused)
		g_set_error(error, BASE_ERROR, BASE_ERROR_REFUSED,
			"%s: it is damaged or made to do harm; copy the trace again", costs.refused);
	return !costs.refused;
}

const struct trc_ctf_stream *trc_ctf_stream_of(const GPtrArray *classes,
	const struct trc_stream_class *source)
{
	for (unsigned i = 0; i < classes->len; i++)
		if (((struct trc_ctf_stream *)g_ptr_array_index(classes, i))->source == source)
			return g_ptr_array_index(classes, i);
	return NULL;
}

const char *trc_ctf_unknown(const GPtrArray *classes, const struct trc_stream_file *f)
{
	return f->state == TRC_FILE_FOREIGN ? "packets" : trc_ctf_stream_of(classes, f->stream)->unknown;
}
