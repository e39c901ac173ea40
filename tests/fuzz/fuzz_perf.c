/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer target: any bytes as a perf.data, read from front to back, and block by block with all fields:
 * both must give the same events.
 */
#include "trace/perf/trc_perf.h"
#include "trace/trc_reader.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *path; /* of the file; in memory where there is /dev/shm */

static void remove_file(void)
{
	g_unlink(path);
	g_free(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	int fd;

	(void)argc;
	(void)argv;
	path = g_strdup_printf("%s/wakepath-fuzz-XXXXXX",
		g_file_test("/dev/shm", G_FILE_TEST_IS_DIR) ? "/dev/shm" : g_get_tmp_dir());
	fd = g_mkstemp(path);
	g_assert_cmpint(fd, >=, 0);
	g_close(fd, NULL);
	atexit(remove_file);
	return 0;
}

/* One packet of READER's, all events of it. */
static void check_page(void *trace, const struct trc_reader *reader, const struct trc_packet_seen *seen)
{
	const struct trc_paging_ops *ops = trc_perf_ops.paging;
	struct trc_paging_packet packet = { .stream = trc_reader_stream(reader, seen->stream).name,
		.offset = seen->offset,
		.size = seen->size,
		.events = seen->events };
	void *page = ops->read(trace, &packet, NULL);
	GString *text = g_string_new(NULL);
	int64_t last = INT64_MIN;

	g_assert_cmpuint(packet.events, ==, seen->events);
	for (uint64_t i = 0; i < seen->events; i++) {
		struct trc_paging_event event;

		g_string_truncate(text, 0);
		g_assert_true(ops->event(trace, page, i, &event, NULL));
		g_assert_cmpint(event.time, >=, last);
		last = event.time;
		g_assert_true(i > 100 || ops->fields(trace, page, i, text, NULL, NULL));
	}
	g_assert_cmpint(last, <=, seen->last);
	g_string_free(text, TRUE);
	ops->free_page(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *const files[] = { path, NULL };
	GArray *packets = g_array_new(FALSE, FALSE, sizeof(struct trc_packet_seen));
	struct mdl_event events[64];
	struct trc_reader *r;
	void *trace;

	g_assert_true(g_file_set_contents_full(path, (const char *)data, (gssize)size,
		G_FILE_SET_CONTENTS_NONE, 0600, NULL));
	r = trc_perf_input.detect(path) ? trc_reader_open(files, "perf", NULL) : NULL;
	trace = r ? trc_perf_ops.paging->open(files, true, NULL) : NULL;
	g_assert_true(!r == !trace);
	while (r && trc_reader_read(r, events, G_N_ELEMENTS(events), NULL) > 0)
		;
	if (r)
		trc_reader_take_packets(r, packets);
	for (guint i = 0; i < packets->len; i++)
		check_page(trace, r, &g_array_index(packets, struct trc_packet_seen, i));
	if (trace)
		trc_perf_ops.paging->free(trace);
	trc_reader_free(r);
	g_array_unref(packets);
	return 0;
}
