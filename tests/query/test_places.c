/* SPDX-License-Identifier: MIT */
/*
 * Places of events in a made trace with known bytes: events alike in name, CPU and time, at the end of a
 * packet and the begin of the next, in a stream that only babeltrace2 can read, and events that do not exist.
 */
#include "query/events/places.h"
#include "query/qry_traces.h"
#include "trace/trc_made.h"
#include "trace/trc_test.h"

#include <string.h>

#define STREAM(id, more)                                                                                       \
	"stream { id = " id "; event.header := struct { uint8_t id; clock_t timestamp; };\n"                   \
	" packet.context := struct { clock_t timestamp_begin; clock_t timestamp_end; uint32_t content_size;\n" \
	" uint32_t packet_size; uint32_t cpu_id;" more " }; };\n"                                              \
	"event { name = \"sched_switch\"; id = 0; stream_id = " id                                             \
	"; fields := struct { uint32_t prev_tid; uint32_t next_tid; }; };\n"                                   \
	"event { name = \"other\"; id = 1; stream_id = " id                                                    \
	"; fields := struct { uint32_t a; uint32_t b; }; };\n"
#define METADATA                                                                                                               \
	"/* CTF 1.8 */\n"                                                                                                      \
	"typealias integer { size = 8; align = 8; } := uint8_t;\n"                                                             \
	"typealias integer { size = 32; align = 8; } := uint32_t;\n"                                                           \
	"typealias integer { size = 64; align = 8; map = clock.c.value; } := clock_t;\n"                                       \
	"trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint32_t magic; uint32_t stream_id; }; };\n" \
	"env { hostname = \"made\"; domain = \"kernel\"; tracer_name = \"lttng-modules\"; };\n"                                \
	"clock { name = c; freq = 1000000000; offset_s = 5; };\n" STREAM("0", "") STREAM("1", " string _v;")

#define HEAD 36  /* bytes of a packet before its first event, in stream 0 */
#define EVENT 17 /* bytes of an event */

struct event {
	uint64_t time;
	unsigned id;
};

/* Two packets of CPU 0 with three switches at 30, the third in the second packet. The first has rank 2, as
 * stream 1 has an event at 20. */
static const struct event first[] = { { 10, 0 }, { 30, 1 }, { 30, 0 }, { 30, 0 } };
static const struct event second[] = { { 30, 0 }, { 40, 1 } };
static const struct event elsewhere[] = { { 20, 0 }, { 50, 1 } };

static void add_packet(struct made *m, unsigned stream, const struct event *events, unsigned n)
{
	guint start = m->bytes->len;

	made_number(m, 0xc1fc1fc1, 4);
	made_number(m, stream, 4);
	made_number(m, events[0].time, 8);
	made_number(m, events[n - 1].time, 8);
	made_number(m, 0, 8);
	made_number(m, stream, 4); /* CPU */
	if (stream)
		made_string(m, "v");
	for (unsigned i = 0; i < n; i++) {
		made_number(m, events[i].id, 1);
		made_number(m, events[i].time, 8);
		made_number(m, m->bytes->len, 4); /* its own offset */
		made_number(m, 0, 4);
	}
	made_patch(m, start + 24, (m->bytes->len - start) * 8, 4);
	made_patch(m, start + 28, (m->bytes->len - start) * 8, 4);
}

static char *make_trace(void)
{
	char *folder = made_folder(METADATA);
	struct made m;

	made_init(&m, FALSE);
	add_packet(&m, 0, first, G_N_ELEMENTS(first));
	add_packet(&m, 0, second, G_N_ELEMENTS(second));
	made_write(&m, folder, "a_0");
	made_clear(&m);
	made_init(&m, FALSE);
	add_packet(&m, 1, elsewhere, G_N_ELEMENTS(elsewhere));
	made_write(&m, folder, "b_0");
	made_clear(&m);
	return folder;
}

struct asked {
	uint64_t time;
	const char *event;
	uint32_t cpu;
	uint64_t rank;
	const char *found; /* "stream packet offset cpu"; NULL: not found */
};

static void check(const struct qry_place *place, const struct asked *a)
{
	char *text;

	g_assert_cmpint(place->found, ==, a->found ? QRY_PLACE_FOUND : QRY_PLACE_ABSENT);
	if (!a->found)
		return;
	text = g_strdup_printf("%s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %u", place->stream,
		place->packet, place->offset, place->cpu);
	g_assert_cmpstr(text, ==, a->found);
	g_free(text);
}

static void check_all(struct qry *q, const struct asked *asked, guint n, bool fields)
{
	GArray *places = g_array_new(FALSE, TRUE, sizeof(struct qry_place));
	GError *error = NULL;

	for (guint i = 0; i < n; i++) {
		struct qry_place place = { .cpu = asked[i].cpu,
			.time = 5000000000 + (int64_t)asked[i].time,
			.event = asked[i].event,
			.rank = asked[i].rank };

		g_array_append_val(places, place);
	}
	g_assert_true(qry_places_find(q, places, fields, NULL, &error));
	g_assert_no_error(error);
	for (guint i = 0; i < n; i++) {
		struct qry_place *place = &g_array_index(places, struct qry_place, i);

		check(place, &asked[i]);
		if (fields && place->packet >= 0) {
			char *at = g_strdup_printf("%" G_GINT64_FORMAT, place->packet + place->offset + 9);

			g_assert_nonnull(strstr(place->fields, at));
			g_free(at);
		}
		g_free(place->fields);
	}
	g_array_unref(places);
}

static void test_places(void)
{
	static const struct asked asked[] = {
		/* packet 0: 36 + 4 · 17 = 104 bytes */
		{ 40, "other", 0, 0, "a_0 104 53 0" },
		{ 30, "sched_switch", 0, 0, "a_0 0 70 0" },
		{ 30, "sched_switch", 0, 4, "a_0 0 70 0" },
		{ 30, "sched_switch", 0, 5, "a_0 0 87 0" },
		{ 30, "sched_switch", 0, 6, "a_0 104 36 0" },
		{ 30, "sched_switch", MDL_NONE, 6, "a_0 104 36 0" },
		{ 30, "other", 0, 0, "a_0 0 53 0" },
		{ 10, "sched_switch", 0, 0, "a_0 0 36 0" },
		{ 20, "sched_switch", 1, 0, "b_0 0 38 1" },
		{ 50, "other", MDL_NONE, 0, "b_0 0 55 1" },
		{ 20, "sched_switch", 0, 0, NULL },
		{ 30, "sched_waking", 0, 0, NULL },
		{ 31, "sched_switch", 0, 0, NULL },
		{ 9, "sched_switch", 0, 0, NULL },
		{ 60, "other", MDL_NONE, 0, NULL },
	};
	char *folder = make_trace();
	struct qry *q = qry_traces_open_folder(folder);

	G_STATIC_ASSERT(HEAD + 4 * EVENT == 104);
	check_all(q, asked, G_N_ELEMENTS(asked), false);
	check_all(q, asked, G_N_ELEMENTS(asked), true);
	qry_free(q);
	trc_test_remove(folder);
	g_free(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/places/made", test_places);
	return g_test_run();
}
