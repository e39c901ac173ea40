/* SPDX-License-Identifier: MIT */
/* The index has the places of packets that the tracer's own index files have, by either reader. */
#include "index/table/reader.h"
#include "ingest/ing.h"
#include "trace/trc_test.h"

#include <string.h>

/* Lttng-tools, include/lttng/lttng-index.h: magic, major, minor, size of an entry, all big endian. */
#define ENTRY_HEAD 16

static struct idx_reader *build(const char *trace, const char *reader)
{
	char *folder = g_build_filename(g_get_tmp_dir(), "packets-XXXXXX", NULL);
	struct ing_options options = { .index_dir = g_mkdtemp(folder), .reader = reader, .jobs = 1 };
	GError *error = NULL;
	GPtrArray *results = ing_prepare((char *[]){ (char *)(uintptr_t)trace, NULL }, &options, NULL,
		&error);
	const struct ing_result *result;
	struct idx_reader *r;

	g_assert_no_error(error);
	result = g_ptr_array_index(results, 0);
	r = idx_reader_open(result->index, result->fingerprint, &error);
	g_assert_no_error(error);
	g_ptr_array_unref(results);
	trc_test_remove(folder); /* a mapped file stays readable */
	g_free(folder);
	return r;
}

static uint64_t big_endian(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return GUINT64_FROM_BE(v);
}

/* Compare the packets of STREAM with TRACE/index/NAME.idx; returns the number of packets in that file, 0 if
 * there is no such file. */
static unsigned check_stream(struct idx_reader *r, const char *trace, uint32_t stream)
{
	const struct idx_stream *s = idx_reader_stream(r, stream);
	char *path = g_strconcat(trace, "/index/", s->name, ".idx", NULL), *bytes;
	struct idx_packet p = { .size = 0 };
	uint64_t at = 0, events = 0;
	gsize size, entry;
	unsigned n = 0;

	if (g_file_get_contents(path, &bytes, &size, NULL)) {
		entry = GUINT32_FROM_BE(*(const uint32_t *)(const void *)(bytes + 12));
		for (gsize i = ENTRY_HEAD; i + entry <= size; i += entry, n++) {
			if (at == s->packets || (!p.size && !idx_reader_packet(r, stream, at, &p)) ||
				p.offset != big_endian(bytes + i))
				continue; /* a packet without events */
			g_assert_cmpuint(p.size * 8, ==, big_endian(bytes + i + 8));
			g_assert_cmpuint(p.before, ==, events);
			events += p.events;
			p.size = 0;
			at++;
		}
		g_assert_cmpuint(at, ==, s->packets);
		g_assert_cmpuint(events, ==, s->events);
		g_free(bytes);
	}
	g_free(path);
	return n;
}

static void same_packets(struct idx_reader *a, struct idx_reader *b, uint32_t stream)
{
	const struct idx_stream *sa = idx_reader_stream(a, stream), *sb = idx_reader_stream(b, stream);
	struct idx_packet pa, pb;

	g_assert_cmpstr(sa->name, ==, sb->name);
	g_assert_cmpuint(sa->packets, ==, sb->packets);
	g_assert_cmpuint(sa->events, ==, sb->events);
	for (uint64_t i = 0; i < sa->packets; i++) {
		g_assert_true(idx_reader_packet(a, stream, i, &pa) && idx_reader_packet(b, stream, i, &pb));
		g_assert_cmpuint(pa.offset, ==, pb.offset);
		g_assert_cmpuint(pa.size, ==, pb.size);
		g_assert_cmpuint(pa.events, ==, pb.events);
		g_assert_cmpint(pa.first, ==, pb.first);
		g_assert_cmpint(pa.last, ==, pb.last);
		g_assert_cmpuint(pa.cpu, ==, pb.cpu);
	}
}

static void check_trace(const char *trace, gpointer data)
{
	unsigned *packets = data;
	struct idx_reader *own = build(trace, "ctf"), *other = build(trace, "babeltrace2");

	g_test_message("%s", trace);
	g_assert_cmpstr(idx_reader_stream(own, 0)->reader, ==, "ctf");
	g_assert_cmpstr(idx_reader_stream(other, 0)->reader, ==, "babeltrace2");
	g_assert_cmpuint(idx_reader_stream_count(own), ==, idx_reader_stream_count(other));
	for (uint32_t i = 0; i < idx_reader_stream_count(own); i++) {
		*packets += check_stream(own, trace, i);
		same_packets(own, other, i);
	}
	idx_reader_free(own);
	idx_reader_free(other);
}

static void test_packets(void)
{
	unsigned packets = 0;

	g_assert_cmpuint(trc_test_each_sample(check_trace, &packets), >, 0);
	g_assert_cmpuint(packets, >, 2);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/packets/samples", test_packets);
	return g_test_run();
}
