/* SPDX-License-Identifier: MIT */
/*
 * The places of the events behind explanations. Until the places are known, a list of evidence is one byte
 * that JSON never has, HOLE. Places are looked up for many lists together.
 */
#include "export/exp_rows.h"

#include "base/base_text.h"
#include "query/events/places.h"

#include <string.h>

#define AT_ONCE 16384     /* events to look up together */
#define WAITING (4 << 20) /* bytes of text that wait for places */
#define HOLE '\1'         /* in place of a list that is not known yet; JSON never has this byte */

struct exp_evidence {
	struct table_evidence base;  /* must be first */
	struct qry *q;               /* weak */
	GString *out;                /* weak */
	const struct exp_options *o; /* weak */
	GError *error;               /* owned; the first error */
	gsize from;                  /* offset in OUT; no holes are before it */
	GArray *places;              /* of struct qry_place */
	GArray *counts;              /* of guint: number of places of each hole */
};

static GString *evidence_list(struct table_evidence *base, const struct ana_why *why, guint first, guint n)
{
	struct exp_evidence *e = (struct exp_evidence *)base;
	GString *list = base_json_list();

	for (guint i = first; i < first + n; i++) {
		const struct ana_evidence *of = &g_array_index(why->evidence, struct ana_evidence, i);
		struct qry_place place = { .host = of->host,
			.cpu = of->cpu,
			.time = of->time,
			.event = of->event,
			.rank = of->rank };

		g_array_append_val(e->places, place);
	}
	g_array_append_val(e->counts, n);
	g_string_append_c(list, HOLE);
	return list;
}

struct exp_evidence *exp_evidence_new(struct qry *q, GString *out, const struct exp_options *o)
{
	struct exp_evidence *e = g_new0(struct exp_evidence, 1);

	e->base.list = evidence_list;
	e->q = q;
	e->out = out;
	e->o = o;
	e->from = out->len;
	e->places = g_array_new(FALSE, FALSE, sizeof(struct qry_place));
	e->counts = g_array_new(FALSE, FALSE, sizeof(guint));
	return e;
}

struct table_evidence *exp_evidence_of(struct exp_evidence *e)
{
	return e ? &e->base : NULL;
}

bool exp_evidence_finish(struct exp_evidence *e, GError **error)
{
	bool fine = !e || !e->error;

	if (!e)
		return true;
	if (!fine)
		g_propagate_error(error, e->error);
	g_array_unref(e->places);
	g_array_unref(e->counts);
	g_free(e);
	return fine;
}

static GString *place_json(const struct qry *q, const struct qry_place *place)
{
	GString *o = base_json_object();
	g_autofree char *stream = place->found == QRY_PLACE_FOUND ? base_text_clean(place->stream, -1) : NULL;

	base_json_text(o, "event", place->event);
	base_json_time(o, "time", place->time);
	base_json_text(o, "host", qry_host(q, place->host)->name);
	table_json_id(o, "cpu", place->cpu);
	base_json_text(o, "stream", stream);
	base_json_natural(o, "packet", place->packet);
	base_json_natural(o, "offset", place->offset);
	return o;
}

static void fill_holes(struct exp_evidence *e)
{
	bool fine = !e->error && qry_places_find(e->q, e->places, false, e->o->progress, &e->error);
	char *waiting = g_strdup(e->out->str + e->from), *rest = waiting, *hole;
	guint next = 0;

	g_string_truncate(e->out, e->from);
	for (guint i = 0; fine && (hole = strchr(rest, HOLE)); i++) {
		g_string_append_len(e->out, rest, hole - rest);
		for (guint n = g_array_index(e->counts, guint, i); n > 0; n--) {
			const struct qry_place *place = &g_array_index(e->places, struct qry_place, next++);

			if (place->found != QRY_PLACE_ABSENT)
				base_json_put(e->out, NULL, place_json(e->q, place));
		}
		rest = hole + 1;
	}
	if (fine)
		g_string_append(e->out, rest);
	g_free(waiting);
	g_array_set_size(e->places, 0);
	g_array_set_size(e->counts, 0);
}

void exp_evidence_flush(struct exp_evidence *e)
{
	if (e->counts->len > 0)
		fill_holes(e);
	exp_file_take(e->o->file, e->out);
	e->from = e->out->len;
}

void exp_evidence_check(struct exp_evidence *e)
{
	if (e->places->len >= AT_ONCE || e->out->len - e->from >= WAITING)
		exp_evidence_flush(e);
}
