/* SPDX-License-Identifier: MIT */
/*
 * The classes of a trace, compiled: for each event class a plan, for each stream class the way to read its
 * event headers.  LTTng's two are recognised in every detail and read without a plan.
 */
#include "trace/ctf/trc_ctf_class.h"

#include "base/base_error.h"
#include "trace/ctf/trc_survey.h"

#include <string.h>

/* ---- headers that are read without a plan ---- */

/* True for a little-endian number without sign of BITS bits. */
static bool head_is_number(const struct trc_type *type, uint64_t bits, uint32_t align, bool is_time)
{
	return type->kind == TRC_TYPE_INTEGER && type->bits == bits && type->align == align &&
		!type->is_signed && !type->big_endian && !type->clock != is_time;
}

/* True when TAG calls 0 to LAST "compact" and LAST + 1 "extended", as a number of BITS bits. */
static bool is_tag(const struct trc_type *tag, uint64_t bits, uint64_t last)
{
	return tag->kind == TRC_TYPE_ENUM && tag->bits == bits && !tag->is_signed && !tag->big_endian &&
		!tag->clock && tag->align == (bits % 8 ? 1 : 8) && tag->n_labels == 2 &&
		!strcmp(tag->labels[0].name, "compact") && tag->labels[0].low == 0 &&
		tag->labels[0].high == last && !strcmp(tag->labels[1].name, "extended") &&
		tag->labels[1].low == last + 1 && tag->labels[1].high == last + 1;
}

/* True when OPTION is a struct of N fields. */
static bool is_struct(const struct trc_field *option, const char *name, unsigned n)
{
	return !strcmp(option->name, name) && option->type->kind == TRC_TYPE_STRUCT &&
		option->type->n_fields == n;
}

/* True when V is the variant behind the tag, with BITS bits of time in the compact form. */
static bool is_variant(const struct trc_type *v, uint64_t bits)
{
	const struct trc_field *time, *extended;

	if (v->kind != TRC_TYPE_VARIANT || v->n_fields != 2 || g_strcmp0(v->reference, "id") != 0 ||
		!is_struct(&v->fields[0], "compact", 1) || !is_struct(&v->fields[1], "extended", 2))
		return false;
	time = &v->fields[0].type->fields[0];
	extended = v->fields[1].type->fields;
	return v->fields[1].type->align == 8 && head_is_number(time->type, bits, bits % 8 ? 1 : 8, true) &&
		v->fields[0].type->align == time->type->align && !strcmp(extended[0].name, "id") &&
		head_is_number(extended[0].type, 32, 8, false) &&
		head_is_number(extended[1].type, 64, 8, true);
}

enum trc_head trc_head_recognise(const struct trc_type *type)
{
	if (!type || type->n_fields != 2 || type->align != 8 || strcmp(type->fields[0].name, "id") != 0)
		return TRC_HEAD_OTHER;
	if (is_tag(type->fields[0].type, 5, 30) && is_variant(type->fields[1].type, 27))
		return TRC_HEAD_COMPACT;
	if (is_tag(type->fields[0].type, 16, 65534) && is_variant(type->fields[1].type, 32))
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
	g_ptr_array_unref(class->events);
	g_free(class);
}

/* Compile EVENT into CLASS; false when it is not understood, or refused. */
static bool add_event_class(struct trc_ctf_stream *class, const struct trc_event_class *event, bool fetch,
	struct trc_budget *costs)
{
	GPtrArray *events = class->events;
	struct trc_ctf_event *e;

	/* Eight places by id that are empty cost as much as a step. */
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
		costs);
	return e->plan;
}

/* Compile the headers and events of CLASS, up to what is not understood. */
static void compile(struct trc_ctf_stream *class, bool fetch, struct trc_budget *costs)
{
	const GPtrArray *events = class->source->events;

	class->head = trc_head_recognise(class->source->event_header);
	class->header = trc_plan_new_header(class->source, costs);
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
		class->events = g_ptr_array_new_with_free_func(event_class_free);
		/* The time of 0 of a clock that counts ns, where adding to it is safe. */
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
