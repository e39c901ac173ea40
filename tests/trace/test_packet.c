/* SPDX-License-Identifier: MIT */
/* The heads of packets, their times, and the numbers of events: at each limit, and one beyond it. */
#include "base/base_error.h"
#include "base/base_time.h"
#include "trace/core/trc_queue.h"
#include "trace/ctf/trc_packet.h"
#include "trace/tsdl/trc_tsdl.h"
#include "trace/ctf/trc_ctf_class.h"

#include <string.h>

#define U64 "integer { size = 64; align = 8; }"

static struct trc_meta *parse(const char *text)
{
	GError *error = NULL;
	struct trc_meta *t = trc_tsdl_parse(text, strlen(text), &error);

	g_assert_no_error(error);
	return t;
}

/* Read a packet whose context holds NAMES ("a b") with VALUES, in a file of FILE_SIZE bytes. */
static enum trc_packet_status read_packet(const char *names, const uint64_t *values, uint64_t file_size,
	struct trc_packet *packet)
{
	g_auto(GStrv) all = g_strsplit(names, " ", -1);
	g_autoptr(GString) text = g_string_new("stream { packet.context := struct { ");
	uint8_t head[TRC_PACKET_HEAD_MAX] = { 0 };
	const struct trc_stream_class *stream = NULL;
	struct trc_packet_layout *layout;
	enum trc_packet_status status;
	struct trc_meta *t;

	for (unsigned i = 0; all[i]; i++) {
		uint64_t value = GUINT64_TO_LE(values[i]);

		g_string_append_printf(text, U64 " %s; ", all[i]);
		memcpy(head + 8 * i, &value, sizeof value);
	}
	g_string_append(text, "}; };");
	t = parse(text->str);
	layout = trc_packet_layout_new(t);
	status = trc_packet_read(layout, head, MIN(sizeof head, file_size), 0, file_size, packet, &stream);
	trc_packet_layout_free(layout);
	trc_meta_free(t);
	return status;
}

/* A packet whose head gives these two sizes (bits), in a file of 100 bytes. */
static enum trc_packet_status sizes(uint64_t content, uint64_t size)
{
	struct trc_packet packet;
	const uint64_t values[] = { content, size };

	return read_packet("content_size packet_size", values, 100, &packet);
}

static void test_sizes(void)
{
	g_assert_cmpint(sizes(800, 800), ==, TRC_PACKET_FINE);
	g_assert_cmpint(sizes(801, 800), ==, TRC_PACKET_BAD);
	g_assert_cmpint(sizes(800, 808), ==, TRC_PACKET_CUT);
	g_assert_cmpint(sizes(700, 799), ==, TRC_PACKET_BAD);
	g_assert_cmpint(sizes(128, 128), ==, TRC_PACKET_FINE);
	g_assert_cmpint(sizes(127, 128), ==, TRC_PACKET_BAD); /* that is where the events begin */
	g_assert_cmpint(sizes(UINT64_MAX, UINT64_MAX), ==, TRC_PACKET_BAD);
	g_assert_cmpint(sizes(UINT64_MAX - 7, UINT64_MAX - 7), ==, TRC_PACKET_CUT);
}

static void test_cpus(void)
{
	struct trc_packet packet;
	uint64_t cpu = TRC_CPUS_MAX - 1;

	g_assert_cmpint(read_packet("cpu_id", &cpu, 100, &packet), ==, TRC_PACKET_FINE);
	g_assert_cmpuint(packet.cpu, ==, TRC_CPUS_MAX - 1);
	cpu = TRC_CPUS_MAX;
	g_assert_cmpint(read_packet("cpu_id", &cpu, 100, &packet), ==, TRC_PACKET_FINE);
	g_assert_cmpuint(packet.cpu, ==, TRC_CPU_UNKNOWN);
	cpu = UINT64_C(1) << 32;
	g_assert_cmpint(read_packet("cpu_id", &cpu, 100, &packet), ==, TRC_PACKET_FINE);
	g_assert_cmpuint(packet.cpu, ==, TRC_CPU_UNKNOWN);
}

/* A context of BYTES, with a header of HEADER bytes before it. */
static enum trc_packet_status head_of(unsigned header, unsigned bytes)
{
	g_autofree char *text =
		g_strdup_printf("trace { packet.header := struct { integer { size = 8; } a[%u]; }; };"
				" stream { packet.context := struct { integer { size = 8; } b[%u]; }; };",
			header, bytes);
	uint8_t head[TRC_PACKET_HEAD_MAX] = { 0 };
	struct trc_meta *t = parse(text);
	struct trc_packet_layout *layout = trc_packet_layout_new(t);
	const struct trc_stream_class *stream = NULL;
	struct trc_packet packet;
	enum trc_packet_status status = layout
		? trc_packet_read(layout, head, sizeof head, 0, 10000, &packet, &stream)
		: TRC_PACKET_BAD;

	trc_packet_layout_free(layout);
	trc_meta_free(t);
	return status;
}

static void test_heads(void)
{
	g_assert_cmpint(head_of(12, TRC_PACKET_HEAD_MAX - 12), ==, TRC_PACKET_FINE);
	g_assert_cmpint(head_of(12, TRC_PACKET_HEAD_MAX - 11), ==, TRC_PACKET_FOREIGN);
	g_assert_cmpint(head_of(TRC_PACKET_HEAD_MAX, 0), ==, TRC_PACKET_FINE);
	g_assert_cmpint(head_of(TRC_PACKET_HEAD_MAX + 1, 0), ==, TRC_PACKET_BAD);
}

/* ---- times ---- */

/* The bounds of a packet from BEGIN to END (0: not in its head) by a clock that begins at OFFSET. */
static bool bounds_of(int64_t offset, int64_t begin, int64_t end, struct trc_packet *packet,
	struct trc_bounds *bounds)
{
	const struct trc_clock clock = { .name = "c", .frequency = 1000000000, .offset = offset };

	*packet = (struct trc_packet){ .has_begin = true,
		.begin = (uint64_t)(begin - offset),
		.has_end = end != 0,
		.end = (uint64_t)(end - offset) };
	return trc_bounds_of_packet(packet, &clock, bounds);
}

static void test_bounds(void)
{
	const int64_t begin = 1000, longest = begin + TRC_BOUNDS_LONGEST, farthest = BASE_TIME_FARTHEST;
	struct trc_packet packet;
	struct trc_bounds bounds;

	g_assert_true(bounds_of(0, begin, longest, &packet, &bounds));
	g_assert_true(packet.has_end);
	g_assert_true(trc_bounds_hold(&bounds, begin - TRC_BOUNDS_SLACK));
	g_assert_false(trc_bounds_hold(&bounds, begin - TRC_BOUNDS_SLACK - 1));
	g_assert_true(trc_bounds_hold(&bounds, longest + TRC_BOUNDS_SLACK));
	g_assert_false(trc_bounds_hold(&bounds, longest + TRC_BOUNDS_SLACK + 1));
	g_assert_true(bounds_of(0, begin, longest + 1, &packet, &bounds));
	g_assert_false(packet.has_end); /* no recording is as long */
	g_assert_true(trc_bounds_hold(&bounds, longest));
	g_assert_false(trc_bounds_hold(&bounds, longest + 1));
	g_assert_false(bounds_of(0, begin, begin - 1, &packet, &bounds));

	g_assert_true(bounds_of(0, farthest - 1, 0, &packet, &bounds));
	g_assert_cmpint(bounds.to, ==, farthest - 1);
	g_assert_false(bounds_of(0, farthest, 0, &packet, &bounds));
	g_assert_true(bounds_of(-farthest, -farthest + 1, 0, &packet, &bounds));
	g_assert_cmpint(bounds.from, ==, -farthest + 1);
	g_assert_false(bounds_of(-farthest - 1, -farthest, 0, &packet, &bounds));
}

/* How much earlier a packet may begin than the one before it. */
static void test_follow(void)
{
	const struct trc_clock clock = { .name = "c", .frequency = 1000000000 };
	struct trc_packet packet = { .has_begin = true, .begin = 5 };
	int64_t newest = 5 + TRC_BOUNDS_SLACK;

	g_assert_true(trc_bounds_follow(&packet, &clock, &newest));
	newest++;
	g_assert_false(trc_bounds_follow(&packet, &clock, &newest));
}

/* ---- numbers of events ---- */

/* The refused part of a stream with one event of number ID; NULL: nothing. */
static char *unknown_of(uint64_t id)
{
	g_autofree char *text =
		g_strdup_printf("stream { event.header := struct { " U64 " id; " U64
				" timestamp; }; }; event { name = \"e\"; id = %" G_GUINT64_FORMAT
				"; stream_id = 0; fields := struct { }; };",
			id);
	g_autoptr(GPtrArray) classes = g_ptr_array_new_with_free_func(trc_ctf_stream_free);
	struct trc_meta *t = parse(text);
	GError *error = NULL;
	char *unknown;

	g_assert_true(trc_ctf_compile(t, true, classes, &error));
	g_assert_no_error(error);
	unknown = g_strdup(((const struct trc_ctf_stream *)g_ptr_array_index(classes, 0))->unknown);
	g_ptr_array_set_size(classes, 0);
	trc_meta_free(t);
	return unknown;
}

static void test_ids(void)
{
	g_autofree char *most = unknown_of((1 << 20) - 1), *more = unknown_of(1 << 20),
			*wrapped = unknown_of(UINT64_C(1) << 32);

	g_assert_cmpstr(most, ==, NULL);
	g_assert_cmpstr(more, ==, "e");
	g_assert_cmpstr(wrapped, ==, "e");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/packet/sizes", test_sizes);
	g_test_add_func("/packet/cpus", test_cpus);
	g_test_add_func("/packet/heads", test_heads);
	g_test_add_func("/bounds/packet", test_bounds);
	g_test_add_func("/bounds/follow", test_follow);
	g_test_add_func("/event/ids", test_ids);
	return g_test_run();
}
