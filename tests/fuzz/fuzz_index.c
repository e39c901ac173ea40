/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer target: any bytes, opened as an index and read to the end.
 *
 * If the first byte is odd, the checksums of the rest are corrected first, so that the checks behind them are
 * reached.  With FUZZ_SEEDS=FOLDER in the environment the program writes small valid indexes there at its
 * start.
 */
#include "fuzz/feed.h"
#include "index/idx_ask.h"
#include "index/idx_sample.h"
#include "index/verify/verify.h"

#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Write two seeds: the index of PLAN behind each value of the first byte. */
static void write_seed(const char *folder, unsigned number, const struct idx_sample_row *plan, size_t rows,
	unsigned events)
{
	struct idx_sample *s = idx_sample_new(number, plan, rows, events);
	char *index = idx_sample_path("seed.wpi"), *bytes;
	gsize size;

	idx_sample_write(s, index);
	g_assert_true(g_file_get_contents(index, &bytes, &size, NULL));
	for (unsigned choice = 0; choice < 2; choice++) {
		char *name = g_strdup_printf("seed-%u-%u", number, choice);

		feed_seed(folder, name, (uint8_t)choice, bytes, size);
		g_free(name);
	}
	unlink(index);
	g_free(index);
	g_free(bytes);
	idx_sample_free(s);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const struct idx_sample_row small[] = { { MDL_ROW_THREAD, 5, 3 }, { MDL_ROW_CPU, 4, 0 },
		{ MDL_ROW_IRQ, 1, 0 } };
	static const struct idx_sample_row nodes[] = { { MDL_ROW_THREAD, 300, 70 },
		{ MDL_ROW_SOFTIRQ, 0, 0 } };
	static const struct idx_sample_row deep[] = { { MDL_ROW_CPU, 128 * 65, 0 } };
	const char *folder = g_getenv("FUZZ_SEEDS");

	(void)argc;
	(void)argv;
	if (!folder)
		return 0;
	write_seed(folder, 0, small, G_N_ELEMENTS(small), 1);
	write_seed(folder, 1, nodes, G_N_ELEMENTS(nodes), 64 * 300);
	write_seed(folder, 2, deep, G_N_ELEMENTS(deep), 0);
	write_seed(folder, 3, NULL, 0, 0);
	return 0;
}

static void on_finding(void *data, const char *finding)
{
	(void)data;
	(void)finding;
}

static void look(const char *path)
{
	GPtrArray *paths = g_ptr_array_new(), *fingerprints = g_ptr_array_new();
	struct idx_verify_totals totals;
	GError *error = NULL;
	struct idx_reader *r;
	struct qry *q;

	g_ptr_array_add(paths, (gpointer)path);
	g_ptr_array_add(fingerprints, NULL);
	q = qry_open(paths, fingerprints, &error);
	g_assert_true(!q == !!error);
	if (q)
		idx_ask_experiment(q);
	qry_free(q);
	r = idx_reader_open(path, NULL, NULL);
	if (r)
		idx_ask_reader(r);
	idx_reader_free(r);
	g_clear_error(&error);
	g_ptr_array_unref(paths);
	g_ptr_array_unref(fingerprints);
	idx_verify(path, NULL, on_finding, NULL, &totals);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0)
		feed_file(data, size, &idx_map_index, look);
	return 0;
}
