/* SPDX-License-Identifier: MIT */
/*
 * JSON that several results share.  A list of evidence is a byte that no JSON has, HOLE, until the places of
 * its events are known: they are looked up for many lists at once.
 */
#include "export/exp_rows.h"

#include "analysis/kind/chain.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/events/places.h"

#include <inttypes.h>
#include <string.h>

void exp_json_id(GString *o, const char *key, uint32_t value)
{
	base_json_time(o, key, value == MDL_NONE ? BASE_TIME_NONE : (int64_t)value);
}

void exp_json_window(GString *out, const struct exp_options *o)
{
	base_json_time(out, "from", o->from);
	base_json_time(out, "to", o->to);
}

GString *exp_json_subject(const struct qry *q, uint32_t row)
{
	const struct qry_row *r = qry_row(q, row);
	GString *o = base_json_object();

	base_json_string(o, "type", qry_row_type_name(r->type));
	base_json_text(o, "host", qry_host(q, r->host)->name);
	if (r->type == MDL_ROW_THREAD) {
		base_json_int(o, "tid", r->nr);
		base_json_natural(o, "pid", r->pid);
	} else if (r->type != MDL_ROW_CPU) {
		base_json_int(o, "nr", r->nr);
	}
	if (r->type == MDL_ROW_CPU)
		base_json_int(o, "cpu", r->nr);
	else if (r->cpu != MDL_NONE)
		exp_json_id(o, "cpu", r->cpu);
	if (r->type != MDL_ROW_CPU)
		base_json_text(o, "name", r->name);
	return o;
}

GString *exp_json_thread(const struct qry *q, uint32_t row, int64_t time)
{
	GString *o;

	if (row == MDL_NONE)
		return NULL;
	o = base_json_object();
	base_json_text(o, "host", qry_host(q, qry_row(q, row)->host)->name);
	base_json_int(o, "tid", qry_row(q, row)->nr);
	base_json_text(o, "name", qry_name_at(q, row, time));
	return o;
}

void exp_json_address(GString *o, const char *key, uint64_t address)
{
	g_autofree char *text = address != 0 ? g_strdup_printf("0x%" PRIx64, address) : NULL;

	base_json_text(o, key, text);
}

/* ---- evidence ---- */

#define AT_ONCE 16384     /* events looked up together */
#define WAITING (4 << 20) /* bytes of text that wait for them */
#define HOLE '\1'         /* the place of a list that is not known yet: no JSON has such a byte */

struct exp_evidence {
	struct qry *q;               /* weak */
	GString *out;                /* weak */
	const struct exp_options *o; /* weak */
	GError *error;               /* owned: the first one */
	gsize from;                  /* in OUT: there are no holes before it */
	GArray *places;              /* of struct qry_place */
	GArray *counts;              /* of guint: the number of places for each hole */
};

struct exp_evidence *exp_evidence_new(struct qry *q, GString *out, const struct exp_options *o)
{
	struct exp_evidence *e = g_new0(struct exp_evidence, 1);

	e->q = q;
	e->out = out;
	e->o = o;
	e->from = out->len;
	e->places = g_array_new(FALSE, FALSE, sizeof(struct qry_place));
	e->counts = g_array_new(FALSE, FALSE, sizeof(guint));
	return e;
}

bool exp_evidence_finish(struct exp_evidence *e, GError **error)
{
	bool fine = !e->error;

	if (!fine)
		g_propagate_error(error, e->error);
	g_array_unref(e->places);
	g_array_unref(e->counts);
	g_free(e);
	return fine;
}

GString *exp_evidence_list(struct exp_evidence *e, const struct ana_why *why, guint first, guint n)
{
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

static GString *place_json(const struct qry *q, const struct qry_place *place)
{
	GString *o = base_json_object();
	g_autofree char *stream = place->found == QRY_PLACE_FOUND ? base_text_clean(place->stream, -1) : NULL;

	base_json_text(o, "event", place->event);
	base_json_time(o, "time", place->time);
	base_json_text(o, "host", qry_host(q, place->host)->name);
	exp_json_id(o, "cpu", place->cpu);
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

GString *exp_json_doubts(mdl_doubts doubts)
{
	g_autoptr(GPtrArray) words = ana_doubts_list(doubts, false);

	return base_json_texts(words);
}

void exp_json_grade(GString *o, const char *prefix, mdl_doubts doubts)
{
	g_autofree char *grade = g_strconcat(prefix, "grade", NULL),
			*reasons = g_strconcat(prefix, "doubts", NULL);

	base_json_string(o, grade, ana_grade_name(doubts));
	base_json_put(o, reasons, exp_json_doubts(doubts));
}

void exp_json_no_grade(GString *o, const char *prefix)
{
	g_autofree char *grade = g_strconcat(prefix, "grade", NULL),
			*reasons = g_strconcat(prefix, "doubts", NULL);

	base_json_null(o, grade);
	base_json_put(o, reasons, base_json_list());
}
