/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer target: any bytes as a file of latencies, read to its end and checked.
 *
 * If the first byte is odd, the checksums of the rest are corrected first, so that the checks behind them are
 * reached.  With FUZZ_SEEDS=FOLDER in the environment the program writes small valid files there at its
 * start.
 */
#include "fuzz/feed.h"
#include "index/verify/verify.h"
#include "index/idx_ask.h"
#include "index/idx_sample.h"

#include <unistd.h>

#define ROWS 8

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_spans(const char *path, enum idx_spans_form form)
{
	const struct idx_spans_of of = { .fingerprint = IDX_SAMPLE_FINGERPRINT, .hosts = 1, .rows = ROWS };
	struct idx_spans_writer *w = idx_spans_writer_new(path, form, NULL);
	bool outline = form == IDX_SPANS_OUTLINE;

	for (uint32_t i = 0; i < 600; i++) {
		unsigned kind = outline ? 0 : i % MDL_SPAN_KINDS;
		uint32_t row = i * ROWS / 600;
		struct mdl_span span = { .start = i,
			.end = i + i % 37,
			.key = outline ? 0 : idx_spans_writer_text(w, i % 2 ? "read" : "write"),
			.row = row,
			.cpu = i % 3,
			.kind = (uint8_t)kind };

		idx_spans_writer_add(w, 0, &span, row == 1, MDL_SPAN_NO_CLASS);
	}
	idx_spans_writer_finish(w, &of, NULL);
	idx_spans_writer_free(w);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *folder = g_getenv("FUZZ_SEEDS");

	(void)argc;
	(void)argv;
	for (unsigned i = 0; folder && i < 6; i++) {
		char *path = idx_sample_path("seed.wps"), *bytes, *name = g_strdup_printf("spans-%u", i);
		gsize size;

		write_spans(path, i / 2);
		g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
		feed_seed(folder, name, (uint8_t)(i % 2), bytes, size);
		unlink(path);
		g_free(name);
		g_free(bytes);
		g_free(path);
	}
	return 0;
}

static void on_finding(void *data, const char *finding)
{
	(void)data;
	(void)finding;
}

static void look(const char *path)
{
	struct idx_spans *s = idx_spans_open(path, NULL, NULL);
	struct idx_verify_totals totals;

	if (s)
		idx_ask_spans(s);
	idx_spans_free(s);
	idx_spans_verify(path, NULL, on_finding, NULL, &totals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0)
		feed_file(data, size, &idx_map_spans, look);
	return 0;
}
