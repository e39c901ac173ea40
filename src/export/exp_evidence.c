/* SPDX-License-Identifier: MIT */
#include "export/exp_evidence.h"

#include "export/exp_json.h"

#include "base/base_text.h"
#include "query/qry_places.h"

#define AT_ONCE 16384 /* events looked up together: some ten MB of objects wait for them */

struct exp_evidence {
	struct qry *q;                  /* weak */
	GString *out;                   /* weak */
	struct base_progress *progress; /* weak */
	GError *error;                  /* owned: the first one */
	GPtrArray *objects;             /* of JsonObject *, that wait */
	GArray *places;                 /* of struct qry_place */
	GPtrArray *lists;               /* of JsonArray *, a reference for each place */
};

struct exp_evidence *exp_evidence_new(struct qry *q, GString *out, struct base_progress *progress)
{
	struct exp_evidence *e = g_new0(struct exp_evidence, 1);

	e->q = q;
	e->out = out;
	e->progress = progress;
	e->objects = g_ptr_array_new_with_free_func((GDestroyNotify)json_object_unref);
	e->places = g_array_new(FALSE, FALSE, sizeof(struct qry_place));
	e->lists = g_ptr_array_new_with_free_func((GDestroyNotify)json_array_unref);
	return e;
}

bool exp_evidence_finish(struct exp_evidence *e, GError **error)
{
	bool fine = !e->error;

	if (!fine)
		g_propagate_error(error, e->error);
	g_ptr_array_unref(e->objects);
	g_array_unref(e->places);
	g_ptr_array_unref(e->lists);
	g_free(e);
	return fine;
}

JsonArray *exp_evidence_list(struct exp_evidence *e, const struct ana_why *why, guint first, guint n)
{
	JsonArray *list = json_array_new();

	for (guint i = first; i < first + n; i++) {
		const struct ana_evidence *of = &g_array_index(why->evidence, struct ana_evidence, i);
		struct qry_place place = { .host = of->host,
			.cpu = of->cpu,
			.time = of->time,
			.event = of->event,
			.rank = of->rank };

		g_array_append_val(e->places, place);
		g_ptr_array_add(e->lists, json_array_ref(list));
	}
	return list;
}

static JsonObject *place_json(const struct qry *q, const struct qry_place *place)
{
	JsonObject *o = json_object_new();
	char *stream = place->found == QRY_PLACE_FOUND ? base_text_clean(place->stream, -1) : NULL;

	exp_json_text(o, "event", place->event);
	exp_json_time(o, "time", place->time);
	exp_json_text(o, "host", qry_host(q, place->host)->name);
	exp_json_id(o, "cpu", place->cpu);
	exp_json_text(o, "stream", stream);
	exp_json_natural(o, "packet", place->packet);
	exp_json_natural(o, "offset", place->offset);
	g_free(stream);
	return o;
}

void exp_evidence_flush(struct exp_evidence *e)
{
	bool fine = !e->error && qry_places_find(e->q, e->places, false, e->progress, &e->error);

	for (guint i = 0; fine && i < e->places->len; i++) {
		const struct qry_place *place = &g_array_index(e->places, struct qry_place, i);

		if (place->found != QRY_PLACE_ABSENT)
			json_array_add_object_element(g_ptr_array_index(e->lists, i),
				place_json(e->q, place));
	}
	for (guint i = 0; fine && i < e->objects->len; i++)
		exp_json_put(e->out, NULL, json_object_ref(g_ptr_array_index(e->objects, i)));
	g_array_set_size(e->places, 0);
	g_ptr_array_set_size(e->lists, 0);
	g_ptr_array_set_size(e->objects, 0);
}

void exp_evidence_put(struct exp_evidence *e, JsonObject *o)
{
	g_ptr_array_add(e->objects, o);
	if (e->places->len >= AT_ONCE)
		exp_evidence_flush(e);
}
