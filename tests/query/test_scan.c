/* SPDX-License-Identifier: MIT */
/* A scan gives the events that stepping gives, with the same numbers, threads and fields, for any filter and
 * window. */
#include "base/base_error.h"
#include "query/events/scan.h"
#include "query/host/parts.h"
#include "query/qry_traces.h"
#include "trace/trc_test.h"
#include "trace/trc_test_open.h"

#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILTERS 40 /* per trace */

/* The fields of an event, as given to a taker. */
struct facts {
	GPtrArray *names;
	GArray *values; /* of struct trc_value; their texts are owned */
};

static void value_clear(void *data)
{
	g_free((char *)(uintptr_t)((struct trc_value *)data)->text);
}

static struct facts facts_new(void)
{
	struct facts f = { g_ptr_array_new_with_free_func(g_free),
		g_array_new(FALSE, FALSE, sizeof(struct trc_value)) };

	g_array_set_clear_func(f.values, value_clear);
	return f;
}

static void facts_clear(struct facts *f)
{
	g_ptr_array_unref(f->names);
	g_array_unref(f->values);
}

static void take(void *data, const char *name, const struct trc_value *value)
{
	struct facts *f = data;
	struct trc_value copy = *value;

	copy.text = value->type == TRC_VALUE_TEXT ? g_strndup(value->text, value->length) : NULL;
	g_ptr_array_add(f->names, g_strdup(name));
	g_array_append_val(f->values, copy);
}

/* The last of F called NAME; NULL: none. */
static const struct trc_value *facts_find(const struct facts *f, const char *name)
{
	for (guint i = f->names->len; i-- > 0;)
		if (!strcmp(g_ptr_array_index(f->names, i), name))
			return &g_array_index(f->values, struct trc_value, i);
	return NULL;
}

static void same_value(const char *name, const struct trc_value *value, const struct trc_value *expected)
{
	if (!expected) {
		g_assert_cmpint(value->type, ==, TRC_VALUE_NONE);
		return;
	}
	if (value->type != expected->type)
		g_error("%s: type %d instead of %d", name, value->type, expected->type);
	if (value->type == TRC_VALUE_TEXT) {
		g_assert_cmpmem(value->text, value->length, expected->text, expected->length);
	} else if (value->type == TRC_VALUE_REAL) {
		g_assert_true(value->real == expected->real || (isnan(value->real) && isnan(expected->real)));
	} else {
		g_assert_cmphex(value->number, ==, expected->number);
	}
}

/* ---- random filters ---- */

/* The names of the fields and events of Q. */
struct seen {
	GPtrArray *events, *fields; /* of char *, owned; each once */
};

static void note(GPtrArray *names, const char *name)
{
	if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL))
		g_ptr_array_add(names, g_strdup(name));
}

static GArray *all_events(struct qry *q, struct seen *seen)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct qry_event));
	GError *error = NULL;
	struct qry_events *e = qry_events_new(q, &QRY_EVENTS_ALL, &error);
	struct qry_event event;

	*seen = (struct seen){ g_ptr_array_new_with_free_func(g_free),
		g_ptr_array_new_with_free_func(g_free) };
	note(seen->fields, "no_such_field");
	while (qry_events_step(e, 1, &event, NULL, &error) == 1) {
		struct facts facts = facts_new();
		guint known = seen->events->len;

		g_array_append_val(all, event);
		note(seen->events, event.name);
		if (seen->events->len > known)
			g_assert_true(qry_events_take(e, &(struct trc_taker){ take, &facts }, &error));
		for (guint i = 0; i < facts.names->len; i++)
			note(seen->fields, g_ptr_array_index(facts.names, i));
		facts_clear(&facts);
	}
	g_assert_no_error(error);
	qry_events_free(e);
	return all;
}

static guint below(GRand *rand, guint n)
{
	return (guint)g_rand_int_range(rand, 0, (gint32)n);
}

static const struct qry_event *any_event(GRand *rand, const GArray *all)
{
	return &g_array_index(all, struct qry_event, below(rand, all->len));
}

/* A random filter that selects something. */
static struct qry_events_filter any_filter(GRand *rand, const GArray *all)
{
	struct qry_events_filter f = QRY_EVENTS_ALL;
	const struct qry_event *a = any_event(rand, all), *b = any_event(rand, all);

	if (g_rand_boolean(rand))
		f.name = a->name;
	if (below(rand, 4) == 0)
		f.name = "sched_*";
	if (below(rand, 3) == 0)
		f.cpu = a->cpu;
	if (below(rand, 3) == 0)
		f.host = a->host;
	if (below(rand, 4) == 0)
		f.thread = a->thread;
	if (below(rand, 3) > 0) {
		f.from = MIN(a->time, b->time);
		f.to = MAX(a->time, b->time) + g_rand_int_range(rand, 0, 2);
	}
	return f;
}

/* ---- scanning and stepping ---- */

/* The current event of both is equal, with all fields. */
static void check_event(struct qry_scan *s, struct qry_events *e, const struct qry_event *got,
	const struct qry_event *expected, const struct qry_scan_want *want)
{
	struct facts facts = facts_new();
	GError *error = NULL;
	g_autofree char *text = qry_events_fields(e, &error);
	const struct trc_value *values = qry_scan_values(s, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(got->host, ==, expected->host);
	g_assert_cmpint(got->time, ==, expected->time);
	g_assert_cmpstr(got->name, ==, expected->name);
	g_assert_cmpuint(got->cpu, ==, expected->cpu);
	g_assert_cmpuint(got->rank, ==, want->rank ? expected->rank : 0);
	if (want->thread)
		g_assert_cmpuint(got->thread, ==, expected->thread);
	g_assert_true(qry_events_take(e, &(struct trc_taker){ take, &facts }, &error));
	for (unsigned i = 0; i < want->n_fields; i++)
		same_value(want->fields[i], &values[i], facts_find(&facts, want->fields[i]));
	g_assert_cmpstr(qry_scan_text(s, &error), ==, text);
	g_assert_no_error(error);
	facts_clear(&facts);
}

/* The number of events both give with F. */
static guint check_filter(struct qry *q, const struct qry_events_filter *f, const struct qry_scan_want *want)
{
	GError *error = NULL;
	struct qry_events *e = qry_events_new(q, f, &error);
	struct qry_scan *s = qry_scan_new(q, f, want, &error);
	struct qry_event got, expected;
	guint n = 0;

	g_test_message("host %u cpu %u thread %u from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " name %s",
		f->host, f->cpu, f->thread, f->from, f->to, f->name);
	g_assert_no_error(error);
	for (;; n++) {
		int one = qry_scan_next(s, &got, NULL, &error),
		    other = qry_events_step(e, 1, &expected, NULL, &error);

		g_assert_no_error(error);
		g_assert_cmpint(one, ==, other);
		if (one == 0)
			break;
		check_event(s, e, &got, &expected, want);
	}
	g_assert_cmpint(qry_scan_next(s, &got, NULL, &error), ==, 0);
	qry_scan_free(s);
	qry_events_free(e);
	return n;
}

static const struct qry_scan_type *type_called(const GPtrArray *types, const char *name)
{
	for (guint i = 0; i < types->len; i++) {
		const struct qry_scan_type *type = g_ptr_array_index(types, i);

		if (!strcmp(type->name, name))
			return type;
	}
	g_error("no type %s", name);
}

/* TYPE has the field NAME, of a type that can hold VALUE. */
static void check_field(const struct qry_scan_type *type, const char *name, const struct trc_value *value)
{
	/* Stacks that ftrace writes behind the event have no description. */
	if (g_str_has_suffix(name, "_stack"))
		return;
	for (guint i = 0; i < type->fields->len; i++) {
		const struct qry_scan_field *field = &g_array_index(type->fields, struct qry_scan_field, i);

		if (strcmp(field->name, name) != 0)
			continue;
		if (value->type != field->type)
			g_assert_true(field->type == TRC_VALUE_TEXT ||
				(field->type == TRC_VALUE_SIGNED && value->type == TRC_VALUE_UNSIGNED));
		return;
	}
	g_error("%s has no field %s", type->name, name);
}

/* Every event has a type, which has its fields; no type comes twice. */
static void check_types(struct qry *q, const GArray *all)
{
	GError *error = NULL;
	GPtrArray *types = qry_scan_types(q, MDL_NONE, NULL, &error);
	struct qry_events *e = qry_events_new(q, &QRY_EVENTS_ALL, &error);
	struct qry_event event;

	g_assert_no_error(error);
	for (guint i = 1; i < types->len; i++)
		g_assert_cmpstr(((const struct qry_scan_type *)g_ptr_array_index(types, i - 1))->name, <,
			((const struct qry_scan_type *)g_ptr_array_index(types, i))->name);
	for (guint n = 0; n < MIN(all->len, 2000); n++) {
		struct facts facts = facts_new();

		g_assert_cmpint(qry_events_step(e, 1, &event, NULL, &error), ==, 1);
		g_assert_true(qry_events_take(e, &(struct trc_taker){ take, &facts }, &error));
		for (guint i = 0; i < facts.names->len; i++)
			check_field(type_called(types, event.name), g_ptr_array_index(facts.names, i),
				&g_array_index(facts.values, struct trc_value, i));
		facts_clear(&facts);
	}
	qry_events_free(e);
	g_ptr_array_unref(types);
}

static void check_trace(struct qry *q, const char *name)
{
	GRand *rand = g_rand_new_with_seed(7);
	struct seen seen;
	GArray *all = all_events(q, &seen);
	guint checked = 0;

	check_types(q, all);
	for (unsigned i = 0; i < FILTERS; i++) {
		struct qry_events_filter f = i == 0 ? QRY_EVENTS_ALL : any_filter(rand, all);
		const char *fields[5];
		struct qry_scan_want want = { fields, 0, g_rand_boolean(rand), g_rand_boolean(rand) };
		guint first = below(rand, seen.fields->len);

		want.n_fields = MIN(below(rand, G_N_ELEMENTS(fields) + 1), seen.fields->len);
		for (unsigned k = 0; k < want.n_fields; k++)
			fields[k] = g_ptr_array_index(seen.fields, (first + k) % seen.fields->len);
		f.match = below(rand, 8) == 0 ? qry_events_regex("[a-m]id = [0-9]*1", NULL) : NULL;
		checked += check_filter(q, &f, &want);
		if (f.match)
			g_regex_unref((GRegex *)(uintptr_t)f.match);
	}
	g_test_message("%s: %u events, %u checked", name, all->len, checked);
	g_assert_cmpuint(checked, >=, all->len);
	g_ptr_array_unref(seen.events);
	g_ptr_array_unref(seen.fields);
	g_array_unref(all);
	g_rand_free(rand);
}

static void test_samples(void)
{
	static const char *const names[] = { "pipeline", "lockfight", "lost-events", "rpc-chain",
		"offcpu-stacks" };

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		struct qry *q = qry_traces_open(names[i]);

		check_trace(q, names[i]);
		qry_free(q);
	}
}

/* Traces of other formats, by their own paths. */
static void test_formats(void)
{
	static const char *const names[] = { "typed/typed-sched.dat", "typed/typed-perf-g.data",
		"pipeline/trace.dat", "typed/typed-perf-g.script.txt.zst",
		"../../recordings/machines/x64-perfetto/pipeline.pftrace",
		"../../recordings/machines/x64-stacks/trace.dat",
		"../../recordings/machines/x64-counters-group/perf.data",
		"../../recordings/machines/x64-lttng-both-ctf2/trace/ust/uid/0/64-bit" };

	for (unsigned i = 0; i < G_N_ELEMENTS(names) && g_getenv("SHARED_TRACES"); i++) {
		g_autofree char *path = g_build_filename(g_getenv("SHARED_TRACES"), "inputs", names[i], NULL),
				*plain = g_build_filename(g_get_tmp_dir(), "scan.txt", NULL), *command = NULL;
		struct qry *q;

		if (!g_file_test(path, G_FILE_TEST_EXISTS))
			continue;
		if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
			q = qry_traces_open_folder(path);
			check_trace(q, names[i]);
			qry_free(q);
			continue;
		}
		command = g_strdup_printf("zstd -qdcf '%s' > '%s'", path, plain);
		g_assert_cmpint(system(command), ==, 0);
		q = qry_traces_open_folder(plain);
		check_trace(q, names[i]);
		qry_free(q);
	}
}

/* Streams that babeltrace2 reads. */
static void test_tape(void)
{
	g_autofree char *folder = g_build_filename(g_getenv("SAMPLES"), "pipeline", NULL);
	struct qry *q = qry_traces_open_reader(folder, "babeltrace2");

	g_assert_cmpstr(qry_host(q, 0)->meta->reader, ==, "babeltrace2");
	check_trace(q, "babeltrace2");
	qry_free(q);
}

/* ---- a trace that changed ---- */

/* A copy of a sample that the test may change. */
static char *copy_sample(const char *name)
{
	char *folder = g_dir_make_tmp("scan-XXXXXX", NULL);
	g_autofree char *command = g_strdup_printf("cp -a \"$SAMPLES\"/%s/kernel/. %s", name, folder);

	g_assert_cmpint(system(command), ==, 0);
	return folder;
}

/* Scan to the end, or to an error. */
static int go(struct qry_scan *s, GError **error)
{
	struct qry_event event;
	int got;

	while ((got = qry_scan_next(s, &event, NULL, error)) == 1)
		if (!qry_scan_values(s, error))
			return -1;
	return got;
}

static char *stream_in(const char *folder)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	char *stream;

	do
		stream = g_build_filename(folder, g_dir_read_name(dir), NULL);
	while (!strstr(stream, "_0") && (g_free(stream), TRUE));
	g_dir_close(dir);
	return stream;
}

/* Streams are cut or overwritten while a scan is under way: it ends with an error about that, or has not
 * reached that place. */
static void test_changed(void)
{
	static const char *const fields[] = { "prev_comm", "next_tid" };
	const struct qry_scan_want want = { fields, 2, true, true };

	for (unsigned round = 0; round < 40; round++) {
		g_autofree char *folder = copy_sample("pipeline"), *stream = stream_in(folder);
		struct qry *q = qry_traces_open_folder(folder);
		GError *error = NULL;
		struct qry_scan *s = qry_scan_new(q, &QRY_EVENTS_ALL, &want, &error);
		struct qry_event event;
		GRand *rand = g_rand_new_with_seed(round);
		GStatBuf st;
		int got;

		g_assert_no_error(error);
		g_assert_cmpint(qry_scan_next(s, &event, NULL, &error), ==, 1);
		g_assert_cmpint(g_stat(stream, &st), ==, 0);
		if (round == 0) {
			g_assert_cmpint(truncate(stream, 5000), ==, 0);
		} else {
			FILE *f = g_fopen(stream, "r+");

			for (int i = 0; i < 20; i++) {
				fseek(f, g_rand_int_range(rand, 0, (gint32)st.st_size), SEEK_SET);
				fputc(g_rand_int_range(rand, 0, 256), f);
			}
			fclose(f);
		}
		got = go(s, &error);
		g_assert_true((got < 0) == !!error);
		if (error)
			g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
		if (round == 0)
			g_assert_nonnull(strstr(error->message, "is not there any more"));
		g_clear_error(&error);
		qry_scan_free(s);
		qry_free(q);
		g_rand_free(rand);
		trc_test_remove(folder);
	}
}

static void test_cancelled(void)
{
	struct qry *q = qry_traces_open("lockfight");
	struct qry_events_filter f = QRY_EVENTS_ALL;
	const struct qry_scan_want want = { NULL, 0, false, false };
	GError *error = NULL;
	struct base_progress progress;
	struct qry_scan *s;
	struct qry_event event;

	f.name = "no such event";
	s = qry_scan_new(q, &f, &want, &error);
	base_progress_init(&progress);
	base_progress_cancel(&progress);
	g_assert_cmpint(qry_scan_next(s, &event, &progress, &error), ==, -1);
	g_assert_error(error, BASE_ERROR, BASE_ERROR_CANCELLED);
	g_clear_error(&error);
	qry_scan_free(s);
	qry_free(q);
}

/* A filter by CPU reads no other CPU's packets, unless numbers are wanted. */
static void test_work(void)
{
	uint64_t read[2];

	for (unsigned rank = 0; rank < 2; rank++) {
		struct qry *q = qry_traces_open("lost-events");
		struct qry_events_filter f = QRY_EVENTS_ALL;
		const struct qry_scan_want want = { NULL, 0, rank, false };
		GError *error = NULL;
		struct qry_scan *s;

		f.cpu = 1;
		s = qry_scan_new(q, &f, &want, &error);
		g_assert_cmpint(go(s, &error), ==, 0);
		read[rank] = qry_trace_work(qry_source(q, 0)->trace).packets;
		qry_scan_free(s);
		qry_free(q);
	}
	g_assert_cmpuint(read[0], <, read[1]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/scan/samples", test_samples);
	g_test_add_func("/scan/formats", test_formats);
	g_test_add_func("/scan/tape", test_tape);
	g_test_add_func("/scan/changed", test_changed);
	g_test_add_func("/scan/cancelled", test_cancelled);
	g_test_add_func("/scan/work", test_work);
	return g_test_run();
}
