/* SPDX-License-Identifier: MIT */
/*
 * The list of events if the index does not know the places of some packets: a stream with a layout that only
 * babeltrace2 reads, and one in several files, read by babeltrace2. In the made traces each event has its own
 * number as a field.
 */
#include "query/events/events.h"
#include "query/qry_traces.h"
#include "trace/trc_made.h"
#include "trace/trc_test.h"

#include <string.h>

#define METADATA                                                                                              \
	"/* CTF 1.8 */\n"                                                                                     \
	"typealias integer { size = 8; align = 8; } := uint8_t;\n"                                            \
	"typealias integer { size = 32; align = 8; } := uint32_t;\n"                                          \
	"typealias integer { size = 64; align = 8; } := uint64_t;\n"                                          \
	"typealias integer { size = 64; align = 8; map = clock.c.value; } := clock_t;\n"                      \
	"trace { major = 1; minor = 8; byte_order = le;\n"                                                    \
	" packet.header := struct { uint32_t magic; uint32_t stream_id; uint64_t stream_instance_id; }; };\n" \
	"env { hostname = \"made\"; domain = \"kernel\"; tracer_name = \"lttng-modules\"; };\n"               \
	"clock { name = c; freq = 1000000000; offset_s = 5; };\n" STREAM("0", "sched_switch", "", "")         \
		STREAM("1", "other", COUNTS, LISTS)

/* Fields of an event that refer to more fields around it than our reader keeps. */
#define COUNTS \
	" uint8_t c1; uint8_t c2; uint8_t c3; uint8_t c4; uint8_t c5; uint8_t c6; uint8_t c7; uint8_t c8; uint8_t c9;"
#define COUNTS_N 9
#define LIST(n) " uint8_t l" #n "[stream.packet.context.c" #n "];"
#define NO_LISTS ", l1 = [ ], l2 = [ ], l3 = [ ], l4 = [ ], l5 = [ ], l6 = [ ], l7 = [ ], l8 = [ ], l9 = [ ]"
#define LISTS LIST(1) LIST(2) LIST(3) LIST(4) LIST(5) LIST(6) LIST(7) LIST(8) LIST(9)

#define STREAM(id, name, more, fields)                                                                         \
	"stream { id = " id "; event.header := struct { uint8_t id; clock_t timestamp; };\n"                   \
	" packet.context := struct { clock_t timestamp_begin; clock_t timestamp_end; uint32_t content_size;\n" \
	" uint32_t packet_size; uint32_t cpu_id;" more " }; };\n"                                              \
	"event { name = \"" name "\"; id = 0; stream_id = " id                                                 \
	"; fields := struct { uint32_t prev_tid; uint32_t next_tid; string s;" fields " }; };\n"

#define EVENTS 50   /* in a packet */
#define PACKETS 120 /* in each stream: more events than are kept at once */
#define STEP 10     /* ns from event to event of a stream */
#define ALL (EVENTS * PACKETS)

/* Append packet NUMBER of STREAM: event i of a stream is at STEP * i, in stream 1 half a step later. */
static void add_packet(struct made *m, unsigned stream, unsigned number)
{
	guint start = m->bytes->len;
	unsigned first = number * EVENTS, i;
	uint64_t late = stream ? STEP / 2 : 0;

	made_number(m, 0xc1fc1fc1, 4);
	made_number(m, stream, 4);
	made_number(m, 7 + stream, 8);
	made_number(m, (uint64_t)first * STEP + late, 8);
	made_number(m, (uint64_t)(first + EVENTS - 1) * STEP + late, 8);
	made_number(m, 0, 8);
	made_number(m, stream, 4); /* CPU */
	if (stream)
		for (i = 0; i < COUNTS_N; i++)
			made_number(m, 0, 1);
	for (i = first; i < first + EVENTS; i++) {
		made_number(m, 0, 1);
		made_number(m, (uint64_t)i * STEP + late, 8);
		made_number(m, i, 4);
		made_number(m, i + 1, 4);
		made_string(m, i % 3 ? "x" : "");
	}
	made_patch(m, start + 32, (m->bytes->len - start) * 8, 4);
	made_patch(m, start + 36, (m->bytes->len - start) * 8, 4);
}

static void write_file(const char *folder, const char *name, unsigned stream, unsigned first, unsigned end)
{
	struct made m;

	made_init(&m, FALSE);
	for (; first < end; first++)
		add_packet(&m, stream, first);
	made_write(&m, folder, name);
	made_clear(&m);
}

/* A stream in two files, and one whose packets only babeltrace2 can read. */
static char *make_trace(void)
{
	char *folder = made_folder(METADATA);

	write_file(folder, "a_0", 0, 0, PACKETS / 3);
	write_file(folder, "a_1", 0, PACKETS / 3, PACKETS);
	write_file(folder, "b_0", 1, 0, PACKETS);
	return folder;
}

/* E stepped over an event, which is number RANK of the host. */
static void check_event(struct qry_events *e, const struct qry_event *event, unsigned rank)
{
	unsigned stream = (rank - 1) % 2, i = (rank - 1) / 2;
	char *fields = qry_events_fields(e, NULL),
	     *expected = g_strdup_printf("{ prev_tid = %u, next_tid = %u, s = \"%s\"%s }", i, i + 1,
		     i % 3 ? "x" : "", stream ? NO_LISTS : "");

	g_assert_cmpuint(event->rank, ==, rank);
	g_assert_cmpint(event->time, ==, 5000000000 + i * STEP + (stream ? STEP / 2 : 0));
	g_assert_cmpuint(event->cpu, ==, stream);
	g_assert_cmpstr(event->name, ==, stream ? "other" : "sched_switch");
	g_assert_cmpstr(fields, ==, expected);
	g_free(expected);
	g_free(fields);
}

/* All events, forwards and backwards; with a CPU only those of its stream. */
static void check_all(struct qry *q, uint32_t cpu)
{
	struct qry_events_filter f = QRY_EVENTS_ALL;
	struct qry_events *e;
	struct qry_event event;
	GError *error = NULL;
	unsigned step = cpu == MDL_NONE ? 1 : 2, rank = cpu == 1 ? 2 : 1;

	f.cpu = cpu;
	e = qry_events_new(q, &f, &error);
	g_assert_no_error(error);
	for (; rank <= 2 * ALL; rank += step) {
		g_assert_cmpint(qry_events_step(e, 1, &event, NULL, &error), ==, 1);
		check_event(e, &event, rank);
	}
	g_assert_cmpint(qry_events_step(e, 1, &event, NULL, &error), ==, 0);
	while (rank > step) {
		rank -= step;
		g_assert_cmpint(qry_events_step(e, -1, &event, NULL, &error), ==, 1);
		check_event(e, &event, rank);
	}
	g_assert_cmpint(qry_events_step(e, -1, &event, NULL, &error), ==, 0);
	g_assert_no_error(error);
	qry_events_free(e);
}

static void check_places(struct qry *q)
{
	GRand *rand = g_rand_new_with_seed(11);
	GError *error = NULL;
	struct qry_events *e = qry_events_new(q, &QRY_EVENTS_ALL, &error);
	struct qry_event event;

	for (int i = 0; i < 60; i++) {
		unsigned rank = (unsigned)g_rand_int_range(rand, 1, 2 * ALL + 1);

		g_assert_true(qry_events_seek_rank(e, 0, rank, &error));
		g_assert_cmpint(qry_events_step(e, 1, &event, NULL, &error), ==, 1);
		check_event(e, &event, rank);
		rank = (unsigned)g_rand_int_range(rand, 1, 2 * ALL + 1);
		g_assert_true(qry_events_seek(e, 5000000000 + (rank - 1) * STEP / 2, &error));
		g_assert_cmpint(qry_events_step(e, 1, &event, NULL, &error), ==, 1);
		check_event(e, &event, rank);
	}
	qry_events_free(e);
	g_rand_free(rand);
}

/* The number of warnings of Q that NAME is read from its start. */
static unsigned count_warnings(const struct qry *q, const char *name)
{
	unsigned n = 0;

	for (guint i = 0; i < qry_warnings(q)->len; i++)
		n += !!strstr(g_ptr_array_index(qry_warnings(q), i), name);
	return n;
}

static void check_reader(const char *reader, const char *name, unsigned taped)
{
	char *folder = make_trace();
	struct qry *q = qry_traces_open_reader(folder, reader);

	g_assert_cmpstr(qry_host(q, 0)->meta->reader, ==, name);
	g_assert_cmpuint(qry_host(q, 0)->meta->events, ==, 2 * ALL);
	check_all(q, MDL_NONE);
	check_all(q, 0);
	check_all(q, 1);
	check_places(q);
	g_assert_cmpuint(count_warnings(q, "a_0: events are read from its start: only babeltrace2"), ==,
		taped);
	g_assert_cmpuint(count_warnings(q, "b_0: events are read from its start: only babeltrace2"), ==, 1);
	qry_free(q);
	trc_test_remove(folder);
	g_free(folder);
}

/* The known stream is read by packets, the other one is wound. */
static void test_mixed(void)
{
	check_reader(NULL, "ctf, 1 stream by babeltrace2", 0);
}

/* For a stream in two files babeltrace2 gives only the name of the first. */
static void test_babeltrace2(void)
{
	check_reader("babeltrace2", "babeltrace2", 1);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/winding/mixed", test_mixed);
	g_test_add_func("/winding/babeltrace2", test_babeltrace2);
	return g_test_run();
}
