/* SPDX-License-Identifier: MIT */
#include "trc_test.h"

#include "trace/trc_reader.h"
#include "trace/trc_test_open.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

char *trc_test_run(const char *const *argv, char **errors)
{
	char *output = NULL, *stderr_text = NULL;
	GError *error = NULL;

	g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, &stderr_text, NULL,
		&error);
	g_assert_no_error(error);
	if (errors)
		*errors = stderr_text;
	else
		g_free(stderr_text);
	return output;
}

unsigned trc_test_each_below(const char *path, trc_test_sample_func func, gpointer data)
{
	char *metadata = g_build_filename(path, "metadata", NULL);
	GDir *dir = g_dir_open(path, 0, NULL);
	const char *name;
	bool is_trace = g_file_test(metadata, G_FILE_TEST_IS_REGULAR);
	unsigned n = is_trace;

	if (is_trace) {
		g_test_message("%s", path);
		func(path, data);
	}
	while (!is_trace && dir && (name = g_dir_read_name(dir))) {
		char *below = g_build_filename(path, name, NULL);

		if (g_file_test(below, G_FILE_TEST_IS_DIR))
			n += trc_test_each_below(below, func, data);
		g_free(below);
	}
	if (dir)
		g_dir_close(dir);
	g_free(metadata);
	return n;
}

unsigned trc_test_each_sample(trc_test_sample_func func, gpointer data)
{
	const char *samples = g_getenv("SAMPLES"), *shared = g_getenv("SHARED_TRACES");
	unsigned n = trc_test_each_below(samples ? samples : "sample-traces", func, data);

	if (shared && g_file_test(shared, G_FILE_TEST_IS_DIR))
		n += trc_test_each_below(shared, func, data);
	return n;
}

/* A reader with its latest events. */
struct side {
	struct trc_reader *reader;
	bool marks; /* also marks, which are no event of the trace */
	struct mdl_event events[256];
	int n, i;
};

static void open_side(struct side *side, const char *folder, const char *reader, bool marks)
{
	GError *error = NULL;

	side->reader = trc_test_open(folder, reader, &error);
	g_assert_no_error(error);
	side->n = side->i = 0;
	side->marks = marks;
}

/* The next event; NULL at the end. */
static const struct mdl_event *next_of(struct side *side)
{
	const struct mdl_event *e;

	do {
		if (side->i == side->n) {
			side->i = 0;
			side->n = trc_reader_read(side->reader, side->events, G_N_ELEMENTS(side->events),
				NULL);
			g_assert_cmpint(side->n, >=, 0);
		}
		e = side->n ? &side->events[side->i++] : NULL;
	} while (e && e->rank == 0 && !side->marks);
	return e;
}

static char *describe(const struct mdl_event *e)
{
	return e ? g_strdup_printf("time %" G_GINT64_FORMAT " rank %" G_GUINT64_FORMAT
				   " cpu %u kind %u label %s args %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
				   " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " texts %s %s",
			   e->time, e->rank, e->cpu, e->kind, e->label, e->arg[0], e->arg[1], e->arg[2],
			   e->arg[3], e->text[0], e->text[1])
		 : g_strdup("no event");
}

static void append_address(GString *s, const uint8_t *address, unsigned version)
{
	unsigned i;

	if (version == 4) {
		g_string_append_printf(s, "%u.%u.%u.%u", address[0], address[1], address[2], address[3]);
		for (i = 4; i < 16; i++)
			g_assert_cmpuint(address[i], ==, 0);
		return;
	}
	for (i = 0; i < 16; i += 2)
		g_string_append_printf(s, "%s%x", i ? ":" : "", address[i] << 8 | address[i + 1]);
}

char *trc_test_packet(const struct mdl_packet *packet)
{
	GString *s = g_string_new(packet ? NULL : "none");

	if (!packet)
		return g_string_free(s, FALSE);
	if (mdl_packet_is_numbers(packet)) {
		g_string_append_printf(s, "seq %u ack %u flags 0x%x check %u", packet->sequence,
			packet->acknowledgement, packet->flags, packet->checksum);
		return g_string_free(s, FALSE);
	}
	g_assert_true(packet->version == 4 || packet->version == 6);
	append_address(s, packet->source, packet->version);
	g_string_append(s, " > ");
	append_address(s, packet->destination, packet->version);
	g_string_append_printf(s, " protocol %u id %u", packet->protocol, packet->id);
	if (packet->has_ports)
		g_string_append_printf(s, " ports %u > %u seq %u ack %u flags 0x%x check %u payload %d",
			packet->source_port, packet->destination_port, packet->sequence,
			packet->acknowledgement, packet->flags, packet->checksum, (int)packet->payload);
	return g_string_free(s, FALSE);
}

/* Compares the printed forms, because the struct has padding. */
static bool is_same_packet(const struct mdl_packet *a, const struct mdl_packet *b)
{
	char *ta = trc_test_packet(a), *tb = trc_test_packet(b);
	bool same = g_str_equal(ta, tb);

	g_free(ta);
	g_free(tb);
	return same;
}

/* LATE: ignore since when the thread that leaves has run, which depends on the begin of the stream. */
static bool is_same(const struct mdl_event *a, const struct mdl_event *b, bool late)
{
	struct mdl_event ours;

	if (!a || !b)
		return a == b;
	if (late && a->kind == MDL_EV_SCHED_SWITCH) {
		ours = *a;
		ours.arg[MDL_SWITCH_SINCE] = b->arg[MDL_SWITCH_SINCE];
		a = &ours;
	}
	return a->time == b->time && a->rank == b->rank && a->cpu == b->cpu && a->kind == b->kind &&
		a->label == b->label && is_same_packet(a->packet, b->packet) &&
		memcmp(a->arg, b->arg, sizeof(a->arg)) == 0 && !g_strcmp0(a->text[0], b->text[0]) &&
		!g_strcmp0(a->text[1], b->text[1]);
}

bool trc_test_is_late(const struct trc_info *info, const struct trc_gap *gap)
{
	return !gap->count && gap->from == info->begin;
}

static void remove_late(const struct trc_info *info)
{
	for (guint i = info->gaps->len; i-- > 0;)
		if (trc_test_is_late(info, &g_array_index(info->gaps, struct trc_gap, i)))
			g_array_remove_index(info->gaps, i);
}

/* LATE: ignore gaps from the begin of the trace, of which A has more. */
static char *compare_gaps(const struct trc_info *a, const struct trc_info *b, bool late)
{
	guint i;

	if (late) {
		remove_late(a);
		remove_late(b);
	}
	if (a->gaps->len != b->gaps->len)
		return g_strdup_printf("%u and %u gaps", a->gaps->len, b->gaps->len);
	for (i = 0; i < a->gaps->len; i++) {
		const struct trc_gap *ga = &g_array_index(a->gaps, struct trc_gap, i);
		const struct trc_gap *gb = &g_array_index(b->gaps, struct trc_gap, i);

		if (ga->cpu != gb->cpu || ga->from != gb->from || ga->to != gb->to || ga->count != gb->count)
			return g_strdup_printf("gap %u differs", i);
	}
	return NULL;
}

static char *compare_infos(const struct trc_info *a, const struct trc_info *b, bool marks)
{
	if (strcmp(a->host, b->host) || strcmp(a->uuid, b->uuid) || strcmp(a->tracer, b->tracer) ||
		strcmp(a->release, b->release))
		return g_strdup("the texts of the trace differ");
	if (strcmp(a->clock_uuid, b->clock_uuid) || a->clock_frequency != b->clock_frequency ||
		a->clock_zero != b->clock_zero)
		return g_strdup("the clocks of the trace differ");
	if (a->events != b->events || a->discarded != b->discarded ||
		a->discarded_packets != b->discarded_packets || a->stepped_back != b->stepped_back ||
		a->n_cpus != b->n_cpus || a->begin != b->begin || a->end != b->end)
		return g_strdup("the counts of the trace differ");
	if (g_hash_table_size(a->classes) != g_hash_table_size(b->classes))
		return g_strdup("the classes of the trace differ");
	return compare_gaps(a, b, !marks);
}

/* MARKS: include marks, which are no event of the trace, and all gaps. */
static char *compare(const char *a, const char *b, bool marks)
{
	const struct mdl_event *ea = NULL, *eb = NULL;
	char *difference = NULL, *ta, *tb;
	struct side sa, sb;

	open_side(&sa, a, "ctf", marks);
	open_side(&sb, b, "babeltrace2", marks);
	do {
		ea = next_of(&sa);
		eb = next_of(&sb);
	} while (ea && is_same(ea, eb, !marks));
	if (ea || eb) {
		ta = describe(ea);
		tb = describe(eb);
		difference = g_strdup_printf("ctf: %s\nbabeltrace2: %s", ta, tb);
		g_free(ta);
		g_free(tb);
	} else {
		difference = compare_infos(trc_reader_info(sa.reader), trc_reader_info(sb.reader), marks);
	}
	trc_reader_free(sa.reader);
	trc_reader_free(sb.reader);
	return difference;
}

void trc_test_remove(const char *folder)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		char *path = g_build_filename(folder, name, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_DIR) && !g_file_test(path, G_FILE_TEST_IS_SYMLINK))
			trc_test_remove(path);
		else
			g_remove(path);
		g_free(path);
	}
	if (dir)
		g_dir_close(dir);
	g_rmdir(folder);
}

/* True if a stream of FOLDER begins later than others, with a packet that is not its first. babeltrace2 does
 * not report the numbers of packets. */
static bool begins_late(const char *folder)
{
	struct side side;
	const struct trc_info *info;
	bool late = false;

	open_side(&side, folder, "ctf", true);
	while (next_of(&side))
		;
	info = trc_reader_info(side.reader);
	for (guint i = 0; i < info->gaps->len; i++)
		late |= trc_test_is_late(info, &g_array_index(info->gaps, struct trc_gap, i));
	trc_reader_free(side.reader);
	return late;
}

char *trc_test_compare(const char *a, const char *b)
{
	char *difference = compare(a, b, true);

	if (!difference || !begins_late(a))
		return difference;
	g_free(difference);
	return compare(a, b, false);
}
