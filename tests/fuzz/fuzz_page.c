/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer target: any bytes as metadata and a stream file, read by the reader "ctf" and packet by packet
 * with all fields.  Checks that both give the same events.
 *
 * The input is the length of the metadata (2 bytes, little endian), the metadata, the stream file.  With
 * FUZZ_SEEDS=FOLDER in the environment the program writes small traces there at its start.
 */
#include "trace/ctf/trc_ctf.h"
#include "trace/trc_reader.h"
#include "trace/trc_test_open.h"
#include "trace/trc_test_pick.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *folder; /* of the trace; in memory if /dev/shm exists */

static const char seed[] =
	"/* CTF 1.8 */typealias integer { size = 8; align = 8; } := u8;typealias integer { size = 32; align = 8; } := u32;"
	"trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; }; };"
	"clock { name = c; freq = 1000000000; };"
	"stream { event.header := struct { u8 id; integer { size = 32; align = 8; map = clock.c.value; } timestamp; };"
	" packet.context := struct { u32 content_size; u32 packet_size; u32 cpu_id; }; };"
	"event { name = \"e\"; id = 0; fields := struct { enum : u8 { a = 0 ... 9, b = 10 } t; variant <t> { u32 a; string b; } v;"
	" u8 n; integer { size = 3; align = 1; base = x; signed = true; } s[n]; floating_point { exp_dig = 8; mant_dig = 24; align = 8; } f; }; };"
	"event { name = \"f\"; id = 1; fields := struct { integer { size = 8; align = 8; encoding = UTF8; } text[4]; string s; }; };";

static void write_seed(const char *to)
{
	static const uint8_t packet[] = { 0xc1, 0x1f, 0xfc, 0xc1, 0xa0, 1, 0, 0, 0xa0, 1, 0, 0, 3, 0, 0, 0, 0,
		10, 0, 0, 0, 2, 1, 2, 3, 4, 3, 0x55, 1, 0, 0, 0x80, 0x3f, 1, 12, 0, 0, 0, 'a', '\n', '"', 0,
		'x', 'y', 0, 0, 11, 0, 0 };
	char *path = g_build_filename(to, "seed-0", NULL);
	FILE *f = fopen(path, "wb");

	g_assert_nonnull(f);
	fputc(sizeof seed & 255, f);
	fputc(sizeof seed >> 8, f);
	fwrite(seed, 1, sizeof seed - 1, f);
	fputc(' ', f);
	fwrite(packet, 1, sizeof packet, f);
	fclose(f);
	g_free(path);
}

static void remove_folder(void)
{
	g_rmdir(folder);
	g_free(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *seeds = g_getenv("FUZZ_SEEDS");

	(void)argc;
	(void)argv;
	if (seeds)
		write_seed(seeds);
	folder = g_strdup_printf("%s/wakepath-fuzz-XXXXXX",
		g_file_test("/dev/shm", G_FILE_TEST_IS_DIR) ? "/dev/shm" : g_get_tmp_dir());
	g_assert_nonnull(g_mkdtemp(folder));
	atexit(remove_folder);
	return 0;
}

static void put(const char *name, const uint8_t *data, size_t size)
{
	char *path = g_build_filename(folder, name, NULL);
	FILE *f = fopen(path, "wb");

	g_assert_nonnull(f);
	fwrite(data, 1, size, f);
	fclose(f);
	g_free(path);
}

static void take(const char *name)
{
	char *path = g_build_filename(folder, name, NULL);

	g_unlink(path);
	g_free(path);
}

/* The packets that the reader finds; NULL if the trace cannot be read. */
static GArray *read_packets(void)
{
	struct trc_reader *r = trc_test_open(folder, "ctf", NULL);
	GArray *packets = g_array_new(FALSE, FALSE, sizeof(struct trc_packet_seen));
	struct mdl_event events[64];

	if (!r) {
		g_array_unref(packets);
		return NULL;
	}
	while (trc_reader_read(r, events, G_N_ELEMENTS(events), NULL) > 0)
		;
	trc_reader_take_packets(r, packets);
	trc_reader_free(r);
	return packets;
}

static int64_t time_of(void *pages, void *page, uint64_t i)
{
	struct trc_paging_event event;

	g_assert_true(trc_ctf_paging.event(pages, page, i, &event, NULL));
	return event.time;
}

static void check_page(void *pages, const struct trc_packet_seen *p, int64_t latest)
{
	struct trc_paging_packet packet = { .stream = "s",
		.offset = p->offset,
		.size = p->size,
		.latest = latest };
	void *page = trc_ctf_paging.read(pages, &packet, NULL);
	GString *text = g_string_new(NULL);
	uint64_t found;

	g_assert_nonnull(page);
	g_assert_cmpuint(packet.events, ==, p->events);
	g_assert_cmpint(packet.first, ==, p->first);
	g_assert_cmpint(packet.last, ==, p->last);
	g_assert_cmpint(time_of(pages, page, packet.events - 1), ==, p->last);
	g_assert_true(trc_ctf_paging.find(pages, page, p->last, &found, NULL));
	g_assert_cmpint(time_of(pages, page, found), ==, p->last);
	for (uint64_t i = 0; i < MIN(packet.events, 100); i++) {
		g_string_truncate(text, 0);
		g_assert_true(trc_ctf_paging.fields(pages, page, i, text, NULL, NULL));
		g_assert_cmpuint(text->len, <=, 2 * 65536);
	}
	g_string_free(text, TRUE);
	trc_ctf_paging.free_page(page);
}

/* Check that reading P forwards gives the same events, and that picked fields equal those of the whole
 * event. */
static void check_forwards(void *pages, const struct trc_packet_seen *p, int64_t latest)
{
	struct trc_paging_packet packet = { .stream = "s",
		.offset = p->offset,
		.size = p->size,
		.latest = latest };
	void *page = trc_ctf_paging.begin(pages, &packet, NULL),
	     *whole = trc_ctf_paging.read(pages, &packet, NULL);
	struct trc_test_picked picked = trc_test_pick_new(&trc_ctf_paging, pages);
	const struct trc_paging_event *events;
	GString *text = g_string_new(NULL);
	struct trc_paging_event event;
	uint64_t at = 0;
	unsigned n;

	g_assert_nonnull(page);
	do {
		g_assert_true(trc_ctf_paging.next(pages, page, &events, &n, NULL));
		for (unsigned i = 0; i < n; i++, at++) {
			g_assert_true(trc_ctf_paging.event(pages, whole, at, &event, NULL));
			g_assert_true(event.time == events[i].time && event.cpu == events[i].cpu &&
				event.offset == events[i].offset && event.name == events[i].name);
			if (at < 100)
				trc_test_pick(&picked, page, at, text);
		}
	} while (n > 0);
	g_assert_cmpuint(at, ==, packet.events);
	trc_test_pick_clear(&picked);
	g_string_free(text, TRUE);
	trc_ctf_paging.free_page(page);
	trc_ctf_paging.free_page(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t length = size < 2 ? 0 : MIN(size - 2, (size_t)(data[0] | data[1] << 8));
	void *pages;
	GArray *packets;

	if (size < 2)
		return 0;
	put("metadata", data + 2, length);
	put("s", data + 2 + length, size - 2 - length);
	packets = read_packets();
	pages = packets ? trc_ctf_paging.open((char *[]){ (char *)folder, NULL }, false, NULL) : NULL;
	g_assert_true(!packets == !pages);
	for (guint i = 0; packets && i < packets->len; i++) {
		const struct trc_packet_seen *p = &g_array_index(packets, struct trc_packet_seen, i);
		int64_t latest = i ? p[-1].last : INT64_MIN;

		check_page(pages, p, latest);
		check_forwards(pages, p, latest);
	}
	if (pages)
		trc_ctf_paging.free(pages);
	if (packets)
		g_array_unref(packets);
	take("metadata");
	take("s");
	return 0;
}
