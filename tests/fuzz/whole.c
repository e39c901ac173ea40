/* SPDX-License-Identifier: MIT */
#include "fuzz/whole.h"

#include "trace/trc_reader.h"
#include "trace/trc_test_open.h"
#include "trace/trc_test_pick.h"

#include <glib/gstdio.h>
#include <stdlib.h>

static char *path; /* of the file; in memory if /dev/shm exists */

static void remove_file(void)
{
	g_unlink(path);
	g_free(path);
}

void whole_init(void)
{
	int fd;

	path = g_strdup_printf("%s/wakepath-fuzz-XXXXXX",
		g_file_test("/dev/shm", G_FILE_TEST_IS_DIR) ? "/dev/shm" : g_get_tmp_dir());
	fd = g_mkstemp(path);
	g_assert_cmpint(fd, >=, 0);
	g_close(fd, NULL);
	atexit(remove_file);
}

/* The events of a stream so far: their number and the time of the last one, ns. */
struct before {
	uint64_t n;
	int64_t latest;
};

/* Check all events of SEEN, a packet of READER; BEFORE: the earlier events of its stream. */
static void check_page(const struct trc_paging_ops *ops, void *trace, const struct trc_reader *reader,
	const struct trc_packet_seen *seen, const struct before *before)
{
	struct trc_paging_packet packet = { .stream = trc_reader_stream(reader, seen->stream).name,
		.offset = seen->offset,
		.size = seen->size,
		.before = before->n,
		.latest = before->latest,
		.events = seen->events,
		.first = seen->first,
		.last = seen->last };
	void *page = ops->read(trace, &packet, NULL);
	struct trc_test_picked picked = trc_test_pick_new(ops, trace);
	GString *text = g_string_new(NULL);
	int64_t last = INT64_MIN;

	g_assert_cmpuint(packet.events, ==, seen->events);
	for (uint64_t i = 0; i < seen->events; i++) {
		struct trc_paging_event event;

		g_string_truncate(text, 0);
		g_assert_true(ops->event(trace, page, i, &event, NULL));
		g_assert_cmpint(event.time, >=, last);
		g_assert_true(i > 0 || event.time == seen->first);
		last = event.time;
		g_assert_true(i > 100 || ops->fields(trace, page, i, text, NULL, NULL));
		if (i <= 100)
			trc_test_pick(&picked, page, i, text);
	}
	trc_test_pick_clear(&picked);
	g_assert_cmpint(last, ==, seen->last);
	g_string_free(text, TRUE);
	ops->free_page(page);
}

static void check_pages(const struct trc_paging_ops *ops, struct trc_reader *r, char *const *files)
{
	GArray *packets = g_array_new(FALSE, FALSE, sizeof(struct trc_packet_seen));
	void *trace = ops->open(files, true, NULL);
	struct before *before = g_new(struct before, trc_reader_stream_count(r));

	g_assert_nonnull(trace);
	for (unsigned i = 0; i < trc_reader_stream_count(r); i++)
		before[i] = (struct before){ 0, INT64_MIN };
	trc_reader_take_packets(r, packets);
	for (guint i = 0; i < packets->len; i++) {
		const struct trc_packet_seen *seen = &g_array_index(packets, struct trc_packet_seen, i);

		check_page(ops, trace, r, seen, &before[seen->stream]);
		before[seen->stream].n += seen->events;
		before[seen->stream].latest = seen->last;
	}
	g_free(before);
	ops->free(trace);
	g_array_unref(packets);
}

static void ask_besides(const struct trc_input_ops *input, char *const *files)
{
	struct trc_guests guests = { .cpus = g_array_new(FALSE, FALSE, sizeof(struct trc_guest_cpu)) };
	gsize length;

	if (input->kallsyms)
		g_free(input->kallsyms(files, &length, NULL));
	if (input->guests)
		input->guests(files, &guests, NULL);
	g_array_unref(guests.cpus);
}

/* Read FILE, or a part of it, to its end, and then each packet of it. */
static void take_trace(char *file, const struct trc_source_ops *source)
{
	char *const files[] = { file, NULL };
	struct mdl_event events[64];
	struct trc_reader *r = trc_test_open(file, source->name, NULL);
	int n = 0;

	while (r && (n = trc_reader_read(r, events, G_N_ELEMENTS(events), NULL)) > 0)
		;
	/* A trace that fails while it is read has no index, so its packets are never read. */
	if (r && n == 0)
		check_pages(source->paging, r, files);
	trc_reader_free(r);
}

void whole_take(const uint8_t *data, size_t size, const struct trc_input_ops *input,
	const struct trc_source_ops *source)
{
	char *const files[] = { path, NULL };
	g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);
	bool is;

	g_assert_true(g_file_set_contents_full(path, (const char *)data, (gssize)size,
		G_FILE_SET_CONTENTS_NONE, 0600, NULL));
	g_assert_true(input->detect(path, &is));
	if (!is)
		return;
	ask_besides(input, files);
	if (input->parts)
		input->parts(path, parts);
	if (parts->len == 0)
		take_trace(path, source);
	for (guint i = 0; i < parts->len; i++) {
		g_autofree char *part = g_build_filename(path, g_ptr_array_index(parts, i), NULL);

		take_trace(part, source);
	}
}
