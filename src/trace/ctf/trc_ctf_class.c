/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_ctf_class.h"

#include "base/base_error.h"
#include "trace/ctf/trc_survey.h"

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

/* Let EVENTS have a place ID.  Eight that are empty cost as much as a step. */
static bool ctf_class_make_room(GPtrArray *events, uint32_t id, struct trc_budget *costs)
{
	uint32_t cost = id >= events->len ? (id - events->len) / 8 : 0;

	if (!trc_budget_spend(costs, cost, "the numbers of its events are too far apart"))
		return false;
	if (id >= events->len)
		g_ptr_array_set_size(events, (gint)id + 1);
	return true;
}

/* Compile EVENT into CLASS; false when it is not understood, or refused. */
static bool add_event_class(struct trc_ctf_stream *class, const struct trc_event_class *event, bool fetch,
	struct trc_budget *costs)
{
	struct trc_ctf_event *e;

	if (event->id >= IDS_MAX || !ctf_class_make_room(class->events, (uint32_t)event->id, costs))
		return false;
	if (g_ptr_array_index(class->events, event->id))
		return false;
	e = g_new0(struct trc_ctf_event, 1);
	class->events->pdata[event->id] = e;
	e->source = event;
	if (fetch)
		mdl_table_find(event->name, &e->mapping);
	e->plan = trc_plan_new_event(class->source, event, &e->mapping, class->head == TRC_HEAD_OTHER ? 1 : 8,
		costs);
	return e->plan;
}

/* The time of 0 of a CLOCK that counts ns, where adding to it is safe. */
static int64_t epoch_of(const struct trc_clock *clock)
{
	int64_t epoch = clock && clock->frequency == 1000000000 ? trc_clock_ns(clock, 0) : BASE_TIME_NONE;

	return epoch >= -TRC_CTF_CYCLES && epoch <= TRC_CTF_CYCLES ? epoch : BASE_TIME_NONE;
}

/* Compile the headers and events of CLASS, up to what is not understood. */
static void compile(struct trc_ctf_stream *class, bool fetch, struct trc_budget *costs)
{
	const GPtrArray *events = class->source->events;
	unsigned i;

	class->head = trc_head_recognise(class->source->event_header);
	class->header = trc_plan_new_header(class->source, costs);
	if (!class->header)
		class->unknown = "event headers";
	for (i = 0; !class->unknown && i < events->len; i++) {
		const struct trc_event_class *event = g_ptr_array_index(events, i);

		if (!add_event_class(class, event, fetch, costs))
			class->unknown = event->name;
		class->tells_cpu |= !!trc_type_find(event->fields, TRC_PLAN_CPU);
	}
}

bool trc_ctf_compile(const struct trc_tsdl *t, bool fetch, GPtrArray *classes, GError **error)
{
	struct trc_budget costs = { .left = TRC_PLAN_COSTS };
	unsigned i;

	for (i = 0; i < t->streams->len && !costs.refused; i++) {
		struct trc_ctf_stream *class = g_new0(struct trc_ctf_stream, 1);

		class->source = g_ptr_array_index(t->streams, i);
		class->clock = class->source->clock;
		class->events = g_ptr_array_new_with_free_func(event_class_free);
		class->epoch = epoch_of(class->clock);
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
	unsigned i;

	for (i = 0; i < classes->len; i++)
		if (((struct trc_ctf_stream *)g_ptr_array_index(classes, i))->source == source)
			return g_ptr_array_index(classes, i);
	return NULL;
}

const char *trc_ctf_unknown(const GPtrArray *classes, const struct trc_stream_file *f)
{
	return f->state == TRC_FILE_FOREIGN ? "packets" : trc_ctf_stream_of(classes, f->stream)->unknown;
}
