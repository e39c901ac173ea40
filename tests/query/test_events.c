/* SPDX-License-Identifier: MIT */
/* Events near any instant: equal to those of a reading from the start, with the same numbers, with any
 * filter, in both directions. */
#include "base/base_error.h"
#include "index/table/reader.h"
#include "query/events/events.h"
#include "query/host/parts.h"
#include "query/qry_traces.h"
#include "trace/trc_test.h"
#include "trace/trc_test_open.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All events of an experiment, from one pass. */
static GArray *all_events(struct qry *q)
{
	GArray *all = g_array_new(FALSE, TRUE, sizeof(struct qry_event));
	GError *error = NULL;
	struct qry_events *e = qry_events_new(q, &QRY_EVENTS_ALL, &error);
	struct qry_event event;
	int got;

	g_assert_no_error(error);
	while ((got = qry_events_step(e, 1, &event, NULL, &error)) == 1)
		g_array_append_val(all, event);
	g_assert_no_error(error);
	g_assert_cmpint(got, ==, 0);
	qry_events_free(e);
	return all;
}

#define EVENT(all, i) (&g_array_index(all, struct qry_event, i))

static void same_event(const struct qry_event *a, const struct qry_event *b)
{
	g_assert_cmpuint(a->host, ==, b->host);
	g_assert_cmpuint(a->rank, ==, b->rank);
	g_assert_cmpint(a->time, ==, b->time);
	g_assert_cmpuint(a->cpu, ==, b->cpu);
	g_assert_cmpuint(a->thread, ==, b->thread);
	g_assert_cmpstr(a->name, ==, b->name);
}

/* Numbers rise by one within each host, up to the number of its events; times do not step back. */
static void check_order(struct qry *q, const GArray *all)
{
	uint64_t *ranks = g_new0(uint64_t, qry_host_count(q));

	for (guint i = 0; i < all->len; i++) {
		const struct qry_event *event = EVENT(all, i);

		g_assert_cmpuint(event->rank, ==, ++ranks[event->host]);
		g_assert_true(i == 0 || EVENT(all, i - 1)->time <= event->time);
	}
	for (uint32_t host = 0; host < qry_host_count(q); host++)
		g_assert_cmpuint(ranks[host], ==, qry_host(q, host)->meta->events);
	g_free(ranks);
}

/* The index keeps the time of every 64th event: it came from the reader. */
static void check_reader(struct qry *q, const GArray *all)
{
	struct idx_reader **indexes = g_new(struct idx_reader *, qry_host_count(q));
	int64_t time;

	for (uint32_t host = 0; host < qry_host_count(q); host++)
		indexes[host] = idx_reader_open(qry_host(q, host)->index_path, NULL, NULL);
	for (guint i = 0; i < all->len; i++) {
		const struct qry_event *event = EVENT(all, i);

		if (event->rank % 64 != 1)
			continue;
		g_assert_true(idx_reader_event_time(indexes[event->host], event->rank, &time));
		g_assert_cmpint(time, ==, event->time);
	}
	for (uint32_t host = 0; host < qry_host_count(q); host++)
		idx_reader_free(indexes[host]);
	g_free(indexes);
}

/* The number N in "KEY = N" of FIELDS; -1 if it is missing. */
static int64_t number_in(const char *fields, const char *key)
{
	const char *at = strstr(fields, key);

	return at ? g_ascii_strtoll(at + strlen(key), NULL, 10) : -1;
}

/* After a sched_switch the thread that it names runs on that CPU, up to and including the next
 * sched_switch. */
static void check_threads(struct qry *q)
{
	/* "host cpu" → TID + 1. */
	GHashTable *running = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GError *error = NULL;
	struct qry_events *e = qry_events_new(q, &QRY_EVENTS_ALL, &error);
	struct qry_event event;
	unsigned checked = 0;

	while (qry_events_step(e, 1, &event, NULL, &error) == 1) {
		char *cpu = g_strdup_printf("%u %u", event.host, event.cpu), *fields;
		int64_t tid = GPOINTER_TO_INT(g_hash_table_lookup(running, cpu)) - 1;

		if (tid >= 0 && event.thread != MDL_NONE) {
			g_assert_cmpint(qry_row(q, event.thread)->nr, ==, tid);
			checked++;
		}
		if (!strcmp(event.name, "sched_switch")) {
			fields = qry_events_fields(e, &error);
			g_hash_table_insert(running, g_strdup(cpu),
				GINT_TO_POINTER((int)number_in(fields, "next_tid = ") + 1));
			g_free(fields);
		} else if (event.thread == MDL_NONE) { /* events were lost */
			g_hash_table_remove(running, cpu);
		}
		g_free(cpu);
	}
	g_assert_no_error(error);
	g_assert_cmpuint(checked, >, 100);
	qry_events_free(e);
	g_hash_table_unref(running);
}

/* Step N times in each direction from place AT (the number of events before it in ALL). */
static void check_around(struct qry_events *e, const GArray *all, guint at, guint n)
{
	GError *error = NULL;
	struct qry_event event;
	guint i;

	for (i = at; i < MIN(at + n, all->len); i++) {
		g_assert_cmpint(qry_events_step(e, 1, &event, NULL, &error), ==, 1);
		same_event(&event, EVENT(all, i));
	}
	if (i == all->len)
		g_assert_cmpint(qry_events_step(e, 1, &event, NULL, &error), ==, 0);
	while (i-- > (at > n ? at - n : 0)) {
		g_assert_cmpint(qry_events_step(e, -1, &event, NULL, &error), ==, 1);
		same_event(&event, EVENT(all, i));
	}
	if (at <= n)
		g_assert_cmpint(qry_events_step(e, -1, &event, NULL, &error), ==, 0);
	g_assert_no_error(error);
}

/* The number of events of ALL before TIME. */
static guint place_of(const GArray *all, int64_t time)
{
	guint i = 0;

	while (i < all->len && EVENT(all, i)->time < time)
		i++;
	return i;
}

static void check_places(struct qry *q, const GArray *all)
{
	GRand *rand = g_rand_new_with_seed(3);
	GError *error = NULL;
	struct qry_events *e = qry_events_new(q, &QRY_EVENTS_ALL, &error);

	for (unsigned round = 0; round < 200; round++) {
		guint i = round == 0 ? 0
			: round == 1 ? all->len - 1
				     : (guint)g_rand_int_range(rand, 0, (gint32)all->len);
		int64_t time = EVENT(all, i)->time + g_rand_int_range(rand, -1, 2);
		struct qry_event event;

		g_assert_true(qry_events_seek(e, time, &error));
		check_around(e, all, place_of(all, time), 30);
		g_assert_true(qry_events_seek_rank(e, EVENT(all, i)->host, EVENT(all, i)->rank, &error));
		check_around(e, all, i, 3);
		g_assert_true(qry_event_time(q, EVENT(all, i)->host, EVENT(all, i)->rank, &time, &error));
		g_assert_cmpint(time, ==, EVENT(all, i)->time);
		g_assert_true(qry_events_seek_exact(e, EVENT(all, i)->host, EVENT(all, i)->time,
			EVENT(all, i)->cpu, &error));
		g_assert_cmpint(qry_events_step(e, 1, &event, NULL, &error), ==, 1);
		g_assert_true(event.host == EVENT(all, i)->host && event.time == EVENT(all, i)->time &&
			event.cpu == EVENT(all, i)->cpu);
	}
	check_around(e, all,
		(guint)(place_of(all, INT64_MIN) + (qry_events_seek(e, INT64_MIN, &error) ? 0 : 1)),
		all->len);
	g_assert_true(qry_events_seek(e, INT64_MAX, &error));
	check_around(e, all, all->len, 5);
	g_assert_false(qry_events_seek_rank(e, 0, 0, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER);
	g_clear_error(&error);
	g_assert_false(qry_events_seek_rank(e, 0, qry_host(q, 0)->meta->events + 1, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER);
	g_clear_error(&error);
	g_assert_false(qry_events_seek_exact(e, 0, EVENT(all, 0)->time, 999, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER);
	g_clear_error(&error);
	qry_events_free(e);
	g_rand_free(rand);
}

/* The window of a filter, with places inside and outside. */
static void check_window(struct qry *q, const GArray *all)
{
	guint first = all->len / 3, last = all->len / 2;
	struct qry_events_filter f = QRY_EVENTS_ALL;
	GArray *wanted = g_array_new(FALSE, FALSE, sizeof(struct qry_event));
	GError *error = NULL;
	struct qry_events *e;

	f.from = EVENT(all, first)->time;
	f.to = EVENT(all, last)->time;
	for (guint i = 0; i < all->len; i++)
		if (EVENT(all, i)->time >= f.from && EVENT(all, i)->time < f.to)
			g_array_append_val(wanted, *EVENT(all, i));
	e = qry_events_new(q, &f, &error);
	check_around(e, wanted, 0, wanted->len);
	g_assert_true(qry_events_seek(e, f.to, &error));
	check_around(e, wanted, wanted->len, 10);
	g_assert_true(qry_events_seek(e, EVENT(all, (first + last) / 2)->time, &error));
	check_around(e, wanted, place_of(wanted, EVENT(all, (first + last) / 2)->time), wanted->len);
	qry_events_free(e);
	g_array_unref(wanted);
}

static void test_numbers(void)
{
	struct qry *q = qry_traces_open("rpc-chain");
	uint32_t host = 7;
	uint64_t rank;

	g_assert_true(qry_event_parse(q, "#12", &host, &rank) && host == 7 && rank == 12);
	g_assert_true(qry_event_parse(q, "13#", &host, &rank) && host == 7 && rank == 13);
	g_assert_true(qry_event_parse(q, "httpd/#14", &host, &rank) && rank == 14);
	g_assert_cmpstr(qry_host(q, host)->name, ==, "httpd");
	g_assert_false(qry_event_parse(q, "nobody/#14", &host, &rank));
	g_assert_false(qry_event_parse(q, "14", &host, &rank));
	g_assert_false(qry_event_parse(q, "#14#", &host, &rank));
	g_assert_false(qry_event_parse(q, "#", &host, &rank));
	qry_free(q);
}

static bool is_wanted(const struct qry_event *event, const struct qry_events_filter *f, const char *part)
{
	return (f->host == MDL_NONE || event->host == f->host) &&
		(f->cpu == MDL_NONE || event->cpu == f->cpu) &&
		(f->thread == MDL_NONE || event->thread == f->thread) && (!part || strstr(event->name, part));
}

/* With FILTER, whose name selects PART of a name, only the selected events of ALL come, in both directions
 * and from the middle. */
static void check_filter(struct qry *q, const GArray *all, const struct qry_events_filter *filter,
	const char *part)
{
	GArray *wanted = g_array_new(FALSE, FALSE, sizeof(struct qry_event));
	GError *error = NULL;
	struct qry_events *e = qry_events_new(q, filter, &error);
	int64_t middle;

	g_assert_no_error(error);
	for (guint i = 0; i < all->len; i++)
		if (is_wanted(EVENT(all, i), filter, part))
			g_array_append_val(wanted, *EVENT(all, i));
	check_around(e, wanted, 0, wanted->len);
	middle = EVENT(all, all->len / 2)->time;
	g_assert_true(qry_events_seek(e, middle, &error));
	check_around(e, wanted, place_of(wanted, middle), wanted->len);
	qry_events_free(e);
	g_array_unref(wanted);
}

static void check_filters(struct qry *q, const GArray *all)
{
	for (guint i = 0; i < all->len; i += all->len / 5 + 1) {
		struct qry_events_filter f = QRY_EVENTS_ALL;

		f.cpu = EVENT(all, i)->cpu;
		check_filter(q, all, &f, NULL);
		f.name = "*IRQ*";
		check_filter(q, all, &f, "irq");
		f = QRY_EVENTS_ALL;
		f.thread = EVENT(all, i)->thread;
		check_filter(q, all, &f, NULL);
		f.host = EVENT(all, i)->host;
		f.name = "sched_";
		check_filter(q, all, &f, "sched_");
	}
	for (uint32_t row = 0; row < qry_row_count(q); row++) {
		struct qry_events_filter f = { .host = MDL_NONE,
			.cpu = MDL_NONE,
			.thread = row,
			.from = INT64_MIN,
			.to = INT64_MAX };

		if (qry_row(q, row)->type == MDL_ROW_THREAD)
			check_filter(q, all, &f, NULL);
	}
}

static void test_samples(void)
{
	for (const char *const *name = qry_traces; *name; name++) {
		struct qry *q = qry_traces_open(*name);
		GArray *all = all_events(q);

		g_test_message("%s: %u events", *name, all->len);
		check_order(q, all);
		check_reader(q, all);
		check_threads(q);
		check_places(q, all);
		check_filters(q, all);
		check_window(q, all);
		g_array_unref(all);
		qry_free(q);
	}
}

/* ---- packets that are not read ---- */

/* Packets read since the trace of host 0 was opened. */
static uint64_t packets_read(const struct qry *q)
{
	return qry_trace_work(qry_source(q, 0)->trace).packets;
}

/* Packets of host 0 that end at or after FROM and begin before TO, of CPU (MDL_NONE: any). */
static uint64_t count_packets(const struct qry *q, int64_t from, int64_t to, uint32_t cpu)
{
	struct idx_reader *index = idx_reader_open(qry_host(q, 0)->index_path, NULL, NULL);
	struct idx_packet p;
	uint64_t n = 0;

	for (uint32_t stream = 0; stream < idx_reader_stream_count(index); stream++)
		for (uint64_t i = 0; idx_reader_packet(index, stream, i, &p); i++)
			n += p.last >= from && p.first < to && (cpu == MDL_NONE || p.cpu == cpu);
	idx_reader_free(index);
	return n;
}

/* A seek in a trace just opened reads only packets on the way to the place. */
static void check_seeks(const GArray *all)
{
	GRand *rand = g_rand_new_with_seed(5);
	uint64_t read = 0;

	for (int i = 0; i < 20; i++) {
		struct qry *q = qry_traces_open("lost-events");
		guint at = (guint)g_rand_int_range(rand, 64, (gint32)all->len);
		const struct qry_event *event = EVENT(all, at),
				       *mark = EVENT(all, (event->rank - 1) / 64 * 64);
		GError *error = NULL;
		struct qry_events *e = qry_events_new(q, &QRY_EVENTS_ALL, &error);

		g_assert_cmpuint(packets_read(q), ==, 0);
		if (i % 2) {
			g_assert_true(qry_events_seek(e, event->time, &error));
			g_assert_cmpuint(packets_read(q), <=,
				count_packets(q, event->time, event->time, MDL_NONE));
		} else {
			g_assert_true(qry_events_seek_rank(e, 0, event->rank, &error));
			g_assert_cmpuint(packets_read(q), <=,
				count_packets(q, mark->time, event->time + 1, MDL_NONE));
		}
		read += packets_read(q);
		qry_events_free(e);
		qry_free(q);
	}
	g_assert_cmpuint(read, >, 10);
	g_rand_free(rand);
}

/* With a filter for a CPU all its packets are read, and none of another CPU while nothing is found. */
static void check_cpu(uint32_t cpu, int by)
{
	struct qry *q = qry_traces_open("lost-events");
	struct qry_events_filter f = QRY_EVENTS_ALL;
	GError *error = NULL;
	struct qry_events *e;
	struct qry_event event;

	f.cpu = cpu;
	f.name = "no such event";
	e = qry_events_new(q, &f, &error);
	g_assert_true(qry_events_seek(e, by > 0 ? INT64_MIN : INT64_MAX, &error));
	g_assert_cmpint(qry_events_step(e, by, &event, NULL, &error), ==, 0);
	g_assert_cmpuint(packets_read(q), ==, count_packets(q, INT64_MIN, INT64_MAX, cpu));
	g_assert_cmpuint(packets_read(q), <, count_packets(q, INT64_MIN, INT64_MAX, MDL_NONE));
	g_assert_true(
		qry_events_seek(e, qry_host(q, 0)->meta->from / 2 + qry_host(q, 0)->meta->to / 2, &error));
	g_assert_cmpint(qry_events_step(e, by, &event, NULL, &error), ==, 0);
	g_assert_cmpuint(packets_read(q), <=, 2 * count_packets(q, INT64_MIN, INT64_MAX, cpu));
	qry_events_free(e);
	qry_free(q);
}

static void test_work(void)
{
	struct qry *q = qry_traces_open("lost-events");
	GArray *all = all_events(q);

	g_assert_cmpuint(qry_host_count(q), ==, 1);
	g_test_message("%u packets", (unsigned)count_packets(q, INT64_MIN, INT64_MAX, MDL_NONE));
	check_seeks(all);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		check_cpu(cpu, 1);
		check_cpu(cpu, -1);
	}
	g_array_unref(all);
	qry_free(q);
}

/* ---- streams that only babeltrace2 can read ---- */

/* A copy of a sample whose metadata declares an event with a number that the decoder does not know. */
static char *foreign_sample(const char *name)
{
	char *folder = g_dir_make_tmp("foreign-XXXXXX", NULL);
	char *command = g_strdup_printf(
		"cp -a \"$SAMPLES\"/%s/kernel/. %s && rm -rf %s/index && { echo '/* CTF 1.8 */' && "
		"babeltrace2 -o ctf-metadata \"$SAMPLES\"/%s/kernel && echo 'event { name = \"other\"; id = 2000000; "
		"stream_id = 0; fields := struct { integer { size = 8; align = 8; } a; }; };'; } > %s.tsdl && mv %s.tsdl %s/metadata",
		name, folder, folder, name, folder, folder, folder);

	g_assert_cmpint(system(command), ==, 0);
	g_free(command);
	return folder;
}

/* Q gives the events of OWN, another experiment, with all fields. */
static void check_foreign(struct qry *q, struct qry *own)
{
	GError *error = NULL;
	struct qry_events *a = qry_events_new(q, &QRY_EVENTS_ALL, &error),
			  *b = qry_events_new(own, &QRY_EVENTS_ALL, &error);
	struct qry_event x, y;

	while (qry_events_step(a, 1, &x, NULL, &error) == 1) {
		char *fields_x = qry_events_fields(a, &error), *fields_y;

		g_assert_cmpint(qry_events_step(b, 1, &y, NULL, &error), ==, 1);
		fields_y = qry_events_fields(b, &error);
		same_event(&x, &y);
		g_assert_cmpstr(fields_x, ==, fields_y);
		g_free(fields_x);
		g_free(fields_y);
	}
	g_assert_cmpint(qry_events_step(b, 1, &y, NULL, &error), ==, 0);
	g_assert_no_error(error);
	qry_events_free(a);
	qry_events_free(b);
}

/* The number of warnings of Q about streams that are read from their start. */
static unsigned count_taped(const struct qry *q)
{
	const GPtrArray *warnings = qry_warnings(q);
	unsigned n = 0;

	for (guint i = 0; i < warnings->len; i++)
		n += !!strstr(g_ptr_array_index(warnings, i),
			": events are read from its start: only babeltrace2 can read this stream of ");
	return n;
}

static void test_foreign(void)
{
	static const char *const names[] = { "pipeline", "lost-events" };

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		char *folder = foreign_sample(names[i]);
		struct qry *q = qry_traces_open_folder(folder), *own = qry_traces_open(names[i]);
		GArray *all;

		g_assert_cmpstr(qry_host(q, 0)->meta->reader, ==, "babeltrace2");
		g_assert_cmpuint(count_taped(q), ==, 0);
		check_foreign(q, own);
		g_assert_cmpuint(count_taped(q), ==, 2);
		g_assert_cmpuint(count_taped(own), ==, 0);
		all = all_events(q);
		check_order(q, all);
		check_places(q, all);
		check_filters(q, all);
		g_assert_cmpuint(count_taped(q), ==, 2);
		g_array_unref(all);
		qry_free(own);
		qry_free(q);
		trc_test_remove(folder);
		g_free(folder);
	}
}

static void test_patterns(void)
{
	g_assert_true(qry_events_match("switch", "sched_switch"));
	g_assert_true(qry_events_match("SCHED", "sched_switch"));
	g_assert_true(qry_events_match("", "sched_switch"));
	g_assert_true(qry_events_match("sched_*", "sched_switch"));
	g_assert_true(qry_events_match("?ched_switch", "sched_switch"));
	g_assert_false(qry_events_match("switch*", "sched_switch"));
	g_assert_false(qry_events_match("switched", "sched_switch"));
}

/* ---- a trace that changed ---- */

static void expect_wrong(struct qry *q, int code, const char *expected)
{
	GError *error = NULL;
	struct qry_events *e = qry_events_new(q, &QRY_EVENTS_ALL, &error);

	g_assert_null(e);
	g_assert_error(error, BASE_ERROR, code);
	if (!strstr(error->message, expected) || strchr(error->message, '\n'))
		g_error("expected \"%s\", got \"%s\"", expected, error->message);
	g_error_free(error);
}

/* A copy of a sample that the test may change. */
static char *copy_sample(const char *name)
{
	char *folder = g_dir_make_tmp("events-XXXXXX", NULL);
	char *command = g_strdup_printf("cp -a \"$SAMPLES\"/%s/kernel/. %s", name, folder);

	g_assert_cmpint(system(command), ==, 0);
	g_free(command);
	return folder;
}

/* Point Q at FOLDER as CTF, whatever it contains now. */
static void set_trace(struct qry *q, const char *folder)
{
	struct trc_recording *recording = trc_test_recording(folder);

	qry_set_trace(q, 0, recording);
	trc_folders_recording_free(recording);
}

static void test_changed(void)
{
	char *folder = copy_sample("pipeline"), *stream, *moved = g_strconcat(folder, "-moved", NULL);
	GError *error = NULL;
	struct qry *q = qry_traces_open_folder(folder);
	struct qry_events *e;
	GDir *dir;

	qry_set_trace(q, 0, NULL);
	expect_wrong(q, BASE_ERROR_IO, "is unknown");
	set_trace(q, folder);
	e = qry_events_new(q, &QRY_EVENTS_ALL, &error);
	g_assert_no_error(error);
	qry_events_free(e);
	g_assert_cmpint(g_rename(folder, moved), ==, 0);
	set_trace(q, folder);
	expect_wrong(q, BASE_ERROR_IO, "No such file");
	dir = g_dir_open(moved, 0, NULL);
	do
		stream = g_build_filename(moved, g_dir_read_name(dir), NULL);
	while (!strstr(stream, "_0") && (g_free(stream), TRUE));
	g_dir_close(dir);
	set_trace(q, moved);
	e = qry_events_new(q, &QRY_EVENTS_ALL, &error);
	g_assert_no_error(error);
	g_assert_cmpint(truncate(stream, 5000), ==, 0);
	g_assert_false(
		qry_events_seek(e, (qry_host(q, 0)->meta->from + qry_host(q, 0)->meta->to) / 2, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
	g_assert_nonnull(strstr(error->message, "is not there any more"));
	g_clear_error(&error);
	qry_events_free(e);
	set_trace(q, moved);
	expect_wrong(q, BASE_ERROR_DATA, "has changed since");
	qry_free(q);
	trc_test_remove(moved);
	g_free(stream);
	g_free(moved);
	g_free(folder);
}

static void test_cancelled(void)
{
	struct qry *q = qry_traces_open("lockfight");
	struct qry_events_filter f = QRY_EVENTS_ALL;
	GError *error = NULL;
	struct base_progress progress;
	struct qry_events *e;
	struct qry_event event;

	f.name = "no such event";
	e = qry_events_new(q, &f, &error);
	base_progress_init(&progress);
	base_progress_cancel(&progress);
	g_assert_cmpint(qry_events_step(e, 1, &event, &progress, &error), ==, -1);
	g_assert_error(error, BASE_ERROR, BASE_ERROR_CANCELLED);
	g_clear_error(&error);
	qry_events_free(e);
	qry_free(q);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/events/samples", test_samples);
	g_test_add_func("/events/work", test_work);
	g_test_add_func("/events/foreign", test_foreign);
	g_test_add_func("/events/patterns", test_patterns);
	g_test_add_func("/events/numbers", test_numbers);
	g_test_add_func("/events/changed", test_changed);
	g_test_add_func("/events/cancelled", test_cancelled);
	return g_test_run();
}
