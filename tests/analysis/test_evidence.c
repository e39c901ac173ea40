/* SPDX-License-Identifier: MIT */
/* Every event that an explanation gives as evidence is in the trace: for all threads of all traces. */
#include "analysis/ana_fixture.h"
#include "analysis/wait/why.h"
#include "query/events/places.h"

/* Adds the evidence of ROW's wake-ups. */
static void add_row(struct qry *q, uint32_t row, GArray *places)
{
	struct mdl_wakeup w;

	for (uint64_t i = 0; qry_wakeup_get(q, row, i, &w); i++) {
		struct ana_why *why = ana_why_new(q, row, &w);

		for (guint j = 0; j < why->evidence->len; j++) {
			const struct ana_evidence *e = &g_array_index(why->evidence, struct ana_evidence, j);
			struct qry_place place = { .host = e->host,
				.cpu = e->cpu,
				.time = e->time,
				.event = e->event,
				.rank = e->rank };

			g_array_append_val(places, place);
		}
		ana_why_free(why);
	}
}

static void check_place(const struct qry *q, const struct qry_place *place)
{
	bool found = place->found == QRY_PLACE_FOUND && place->stream && place->packet >= 0 &&
		place->offset >= 0;

	if (!found)
		g_test_message("%s: no %s at %" G_GINT64_FORMAT " on CPU %u", qry_host(q, place->host)->name,
			place->event, place->time, place->cpu);
	if (!found)
		g_test_fail();
}

static void test_all(const void *name)
{
	struct ana_fixture *f = ana_fixture_open(name);
	GArray *places = g_array_new(FALSE, FALSE, sizeof(struct qry_place));
	struct qry *q = ana_fixture_qry(f);
	GError *error = NULL;

	for (uint32_t row = 0; row < qry_row_count(q); row++)
		add_row(q, row, places);
	qry_places_find(q, places, false, NULL, &error);
	g_assert_no_error(error);
	g_test_message("%u events", places->len);
	for (guint i = 0; i < places->len; i++)
		check_place(q, &g_array_index(places, struct qry_place, i));
	g_array_unref(places);
	ana_fixture_close_all();
}

int main(int argc, char **argv)
{
	char **names;

	g_test_init(&argc, &argv, NULL);
	names = ana_fixture_names();
	for (unsigned i = 0; names[i]; i++) {
		char *path = g_strdup_printf("/evidence/%s", names[i]);

		g_test_add_data_func(path, names[i], test_all);
		g_free(path);
	}
	return ana_fixture_run();
}
