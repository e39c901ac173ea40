/* SPDX-License-Identifier: MIT */
/* Files of packets: every lookup finds what was written; damage is reported and never crashes. */
#include "base/base_error.h"
#include "index/idx_ask.h"
#include "index/file/map.h"
#include "index/idx_mutate.h"
#include "index/idx_pairs_sample.h"
#include "index/idx_repair.h"
#include "index/idx_sample.h"
#include "index/verify/verify.h"

#include <glib/gstdio.h>
#include <string.h>

static char *file;

static struct idx_pairs *open_whole(const struct idx_pairs_sample *s)
{
	GError *error = NULL;
	struct idx_pairs *p = idx_pairs_open(file, s->hosts, s->n, &error);

	g_assert_no_error(error);
	return p;
}

static void on_finding(void *data, const char *finding)
{
	unsigned *told = data;

	g_assert_null(strchr(finding, '\n'));
	++*told;
}

static unsigned findings(struct idx_verify_totals *totals)
{
	unsigned told = 0;
	bool clean = idx_verify_pairs(file, NULL, 0, on_finding, &told, totals);

	g_assert_cmpint(clean, ==, told == 0);
	g_assert_cmpuint(told, ==, totals->findings);
	return told;
}

/* The first pair at or after NUMBER: by lookup and by scanning. */
static void check_seek(const struct idx_pairs_sample *s, struct idx_pairs_cursor *c, uint32_t receiver,
	uint64_t number)
{
	struct idx_pair pair;
	guint i = 0;

	while (i < s->pairs[receiver]->len &&
		g_array_index(s->pairs[receiver], struct idx_pair, i).received_number < number)
		i++;
	idx_pairs_cursor_seek(c, number);
	if (i == s->pairs[receiver]->len) {
		g_assert_false(idx_pairs_cursor_next(c, &pair));
		return;
	}
	g_assert_true(idx_pairs_cursor_next(c, &pair));
	g_assert_cmpmem(&pair.received_number, 8,
		&g_array_index(s->pairs[receiver], struct idx_pair, i).received_number, 8);
	g_assert_cmpmem(&pair.sent_number, 8,
		&g_array_index(s->pairs[receiver], struct idx_pair, i).sent_number, 8);
}

static void check_seeks(const struct idx_pairs_sample *s, struct idx_pairs *p, uint32_t receiver)
{
	struct idx_pairs_cursor *c = idx_pairs_cursor_new(p, receiver);
	struct idx_pair pair;

	g_assert_false(idx_pairs_cursor_next(c, &pair));
	check_seek(s, c, receiver, 0);
	check_seek(s, c, receiver, UINT64_MAX);
	for (guint i = 0; i < s->pairs[receiver]->len; i += 1 + s->pairs[receiver]->len / 40) {
		uint64_t number = g_array_index(s->pairs[receiver], struct idx_pair, i).received_number;

		check_seek(s, c, receiver, number);
		check_seek(s, c, receiver, number + 1);
	}
	idx_pairs_cursor_free(c);
}

static void test_round_trip(void)
{
	static const struct {
		uint32_t hosts;
		unsigned most;
	} sizes[] = {
		{ 2, 0 },
		{ 2, 1 },
		{ 2, 128 },
		{ 2, 129 },
		{ 3, 300 },
		{ 20, 500 },
		{ 200, 400 },
		{ 2, 30000 },
	};

	for (guint i = 0; i < 5 * G_N_ELEMENTS(sizes); i++) {
		struct idx_pairs_sample *s = idx_pairs_sample_new(i, sizes[i % G_N_ELEMENTS(sizes)].hosts,
			sizes[i % G_N_ELEMENTS(sizes)].most);
		struct idx_verify_totals totals;
		uint64_t all = 0;
		struct idx_pairs *p;

		idx_pairs_sample_write(s, file);
		p = open_whole(s);
		g_assert_cmpstr(idx_pairs_sample_compare(s, p), ==, NULL);
		for (uint32_t k = 0; k < s->n; k++) {
			check_seeks(s, p, k);
			all += s->pairs[k]->len;
		}
		g_assert_no_error(idx_pairs_damage(p));
		g_assert_cmpuint(findings(&totals), ==, 0);
		g_assert_cmpuint(totals.pairs, ==, all);
		idx_pairs_free(p);
		idx_pairs_sample_free(s);
	}
}

static void expect_stale(const struct idx_pairs_sample *s, uint32_t n, const char *expected)
{
	GError *error = NULL;

	g_assert_null(idx_pairs_open(file, s->hosts, n, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_STALE);
	g_assert_nonnull(strstr(error->message, expected));
	g_error_free(error);
}

/* A file belongs to its traces: their order and the content of their indexes. */
static void test_foreign(void)
{
	struct idx_pairs_sample *s = idx_pairs_sample_new(1, 3, 10);
	struct idx_sample *index = idx_sample_new(1, NULL, 0, 1);
	struct idx_pairs_host swap = s->hosts[0];

	g_unlink(file);
	expect_stale(s, 3, "no file of packets yet");
	idx_sample_write(index, file);
	idx_sample_free(index);
	expect_stale(s, 3, "not a wakepath file of packets");
	g_assert_false(idx_map_is(file, &idx_map_pairs));
	idx_pairs_sample_write(s, file);
	g_assert_true(idx_map_is(file, &idx_map_pairs));
	g_assert_false(idx_map_is(file, &idx_map_index));
	expect_stale(s, 2, "other traces");
	s->hosts[0] = s->hosts[1];
	s->hosts[1] = swap;
	expect_stale(s, 3, "other traces");
	s->hosts[1] = s->hosts[0];
	s->hosts[0] = swap;
	s->hosts[2].transfers--;
	expect_stale(s, 3, "other traces");
	s->hosts[2].transfers++;
	s->hosts[2].checksum++;
	expect_stale(s, 3, "other traces");
	s->hosts[2].checksum--;
	idx_pairs_free(open_whole(s));
	idx_pairs_sample_free(s);
}

/* ---- damage ---- */

static void put_file(const uint8_t *bytes, gsize size)
{
	GError *error = NULL;

	g_assert_true(g_file_set_contents_full(file, (const char *)bytes, (gssize)size,
		G_FILE_SET_CONTENTS_NONE, 0600, &error));
}

/* Changed bytes: the answer is right, or the damage is reported. */
static void expect_right_or_told(const struct idx_pairs_sample *s)
{
	struct idx_verify_totals totals;
	struct idx_pairs *p = idx_pairs_open(file, s->hosts, s->n, NULL);

	if (!p)
		return;
	if (idx_pairs_sample_compare(s, p))
		g_assert_nonnull(idx_pairs_damage(p));
	if (idx_pairs_damage(p))
		g_assert_cmpuint(findings(&totals), >, 0);
	idx_pairs_free(p);
}

/* Checksums were made right: reading returns, whatever the answer. */
static void expect_an_end(const struct idx_pairs_sample *s)
{
	struct idx_verify_totals totals;
	struct idx_pairs *p = idx_pairs_open(file, NULL, 0, NULL);

	findings(&totals);
	if (p)
		idx_pairs_sample_compare(s, p);
	idx_pairs_free(p);
}

static void check_harm(const struct idx_pairs_sample *s, bool repair, unsigned times)
{
	GRand *rand = g_rand_new_with_seed(5);
	uint8_t *whole;
	gsize size;

	idx_pairs_sample_write(s, file);
	g_assert_true(g_file_get_contents(file, (char **)&whole, &size, NULL));
	for (unsigned i = 0; i < times; i++) {
		uint8_t *bytes = g_memdup2(whole, size);
		gsize end = i % 4 == 0 ? 128 : size, begin = i % 4 == 1 ? size - MIN(size, 600) : 0;

		for (int n = g_rand_int_range(rand, 1, 4); n > 0; n--)
			bytes[g_rand_int_range(rand, (gint32)begin, (gint32)end)] = (uint8_t)g_rand_int(rand);
		if (repair)
			idx_repair_checksums(bytes, size, &idx_map_pairs);
		put_file(bytes, i % 16 == 15 ? (gsize)g_rand_int_range(rand, 0, (gint32)size) : size);
		if (repair)
			expect_an_end(s);
		else
			expect_right_or_told(s);
		g_free(bytes);
	}
	g_free(whole);
	g_rand_free(rand);
}

static void harm(bool repair)
{
	static const struct {
		uint32_t hosts;
		unsigned most;
	} sizes[] = { { 2, 20 }, { 3, 3000 } };

	for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
		struct idx_pairs_sample *s = idx_pairs_sample_new(2 + i, sizes[i].hosts, sizes[i].most);

		check_harm(s, repair, g_test_slow() ? 20000 : 500);
		idx_pairs_sample_free(s);
	}
}

static void test_bytes(void)
{
	harm(false);
}

static void test_bytes_that_agree(void)
{
	harm(true);
}

/* One change with right checksums: verify finds more packets, or a different number of them. */
static void test_mutants(void)
{
	struct idx_pairs_sample *s = idx_pairs_sample_new(4, 3, 1500);
	struct idx_verify_totals totals;
	struct idx_mutate *m;
	const char *what;
	uint8_t *whole;
	gsize size;

	idx_pairs_sample_write(s, file);
	g_assert_true(g_file_get_contents(file, (char **)&whole, &size, NULL));
	m = idx_mutate_new(whole, size, &idx_map_pairs, 8);
	for (unsigned i = 0; i < idx_mutate_count(300); i++) {
		uint8_t *bytes = idx_mutate_next(m, true, &what);
		struct idx_pairs *p;
		unsigned found;

		put_file(bytes, size);
		found = findings(&totals);
		p = idx_pairs_open(file, NULL, 0, NULL);
		if (p) {
			idx_ask_pairs(p);
			for (uint32_t k = 0; k < s->n && found == 0; k++)
				if (idx_pairs_host_count(p) != s->n ||
					idx_pairs_count(p, k) != s->pairs[k]->len)
					g_error("%s: more or fewer packets, and verify finds nothing", what);
			if (idx_pairs_damage(p))
				g_assert_cmpuint(found, >, 0);
		}
		idx_pairs_free(p);
		g_free(bytes);
	}
	idx_mutate_free(m);
	g_free(whole);
	idx_pairs_sample_free(s);
}

/* Repairing right checksums changes nothing. */
static void test_repair(void)
{
	struct idx_pairs_sample *s = idx_pairs_sample_new(3, 3, 3000);
	uint8_t *whole, *copy;
	gsize size;

	idx_pairs_sample_write(s, file);
	g_assert_true(g_file_get_contents(file, (char **)&whole, &size, NULL));
	copy = g_memdup2(whole, size);
	idx_repair_checksums(copy, size, &idx_map_pairs);
	g_assert_cmpmem(whole, size, copy, size);
	g_free(whole);
	g_free(copy);
	idx_pairs_sample_free(s);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	file = idx_sample_path("sync.wpx");
	g_test_add_func("/pairs/round-trip", test_round_trip);
	g_test_add_func("/pairs/foreign", test_foreign);
	g_test_add_func("/pairs/repair", test_repair);
	g_test_add_func("/pairs/bytes", test_bytes);
	g_test_add_func("/pairs/bytes-that-agree", test_bytes_that_agree);
	g_test_add_func("/pairs/mutants", test_mutants);
	status = g_test_run();
	g_unlink(file);
	g_free(file);
	return status;
}
