/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer target: any bytes as the text of clocks, and as a file of packets that is read to its end.
 *
 * If bit 1 of the first byte is set, the rest is the text, else the file.  If bit 0 is set, the checksums of
 * the file are corrected first, so that the checks behind them are reached.  With FUZZ_SEEDS=FOLDER in the
 * environment the program writes small valid inputs there at its start.
 */
#include "fuzz/feed.h"
#include "index/idx_ask.h"
#include "index/idx_pairs_sample.h"
#include "index/idx_sample.h"
#include "index/verify/verify.h"
#include "sync/sync_hosts.h"

#include <unistd.h>

#define HOSTS 3
#define EPOCH INT64_C(1795169151000000000)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[HOSTS] = { "a", "b", "c" };
static const struct sync_span spans[HOSTS] = { { EPOCH, EPOCH + 1000000000 }, { 0, 5 }, { -10, EPOCH } };

static const char seed[] =
	"{\"reference\":\"a\",\"hosts\":[{\"host\":\"a\",\"quality\":\"accurate\",\"slope\":\"1\",\"offset_ns\":\"0\",\"error_ns_max\":0,\"by\":null,"
	"\"packets_sent\":3},{\"host\":\"c\",\"quality\":\"approximate\",\"slope\":\"1.00001\",\"offset_ns\":\"-5.25\",\"by\":\"b\",\"lines\":["
	"{\"from\":null,\"seen\":100,\"origin\":7,\"slope\":\"1.00001\",\"offset_ns\":\"-5.25\"},{\"from\":200,\"seen\":null,\"origin\":-7,\"slope\":\"0.999\","
	"\"offset_ns\":\"9\"}],\"bounds\":[{\"from\":null,\"seen\":150,\"slow\":\"0.9999\",\"fast\":\"1.0001\",\"low\":[[1,2],[5,7]],\"high\":[[3,9]]},"
	"{\"from\":200,\"seen\":null,\"slow\":\"1\",\"fast\":\"1\",\"low\":[[300,301]],\"high\":[[300,302]]}]},"
	"{\"host\":\"b\",\"slope\":\"1\",\"offset_ns\":\"1000000000.5\"}]}";

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *folder = g_getenv("FUZZ_SEEDS");

	(void)argc;
	(void)argv;
	if (!folder)
		return 0;
	feed_seed(folder, "text", 2, seed, sizeof seed - 1);
	for (unsigned i = 0; i < 3; i++) {
		struct idx_pairs_sample *s = idx_pairs_sample_new(i, 2 + i, i == 0 ? 5 : 300);
		char *path = idx_sample_path("seed.wpx"), *bytes, *name = g_strdup_printf("file-%u", i);
		gsize size;

		idx_pairs_sample_write(s, path);
		g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
		feed_seed(folder, name, (uint8_t)(i % 2), bytes, size);
		unlink(path);
		g_free(name);
		g_free(bytes);
		g_free(path);
		idx_pairs_sample_free(s);
	}
	return 0;
}

/* Check that TEXT gives clocks or a message, that the clocks can be queried, and that they survive writing
 * and reading. */
static void take_text(const char *text, size_t size)
{
	GError *error = NULL;
	struct sync_hosts *h = sync_file_read(text, size, names, spans, HOSTS, &error), *again;
	GString *out = g_string_new(NULL), *same = g_string_new(NULL);

	g_assert_true(!h == !!error);
	g_clear_error(&error);
	if (h) {
		for (unsigned i = 1; i < HOSTS; i++)
			g_assert_cmpint(sync_hosts_error(h, i, i - 1, EPOCH), >=, 0);
		sync_file_write(out, h, names, NULL);
		again = sync_file_read(out->str, out->len, names, spans, HOSTS, &error);
		g_assert_no_error(error);
		sync_file_write(same, again, names, NULL);
		g_assert_cmpstr(out->str, ==, same->str);
		sync_hosts_unref(again);
	}
	sync_hosts_unref(h);
	g_string_free(out, TRUE);
	g_string_free(same, TRUE);
}

static void on_finding(void *data, const char *finding)
{
	(void)data;
	(void)finding;
}

static void take_file(const char *path)
{
	struct idx_pairs *p = idx_pairs_open(path, NULL, 0, NULL);
	struct idx_verify_totals totals;

	if (p)
		idx_ask_pairs(p);
	idx_pairs_free(p);
	idx_verify_pairs(path, NULL, 0, on_finding, NULL, &totals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	if (data[0] & 2)
		take_text((const char *)data + 1, size - 1);
	else
		feed_file(data, size, &idx_map_pairs, take_file);
	return 0;
}
