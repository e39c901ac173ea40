/* SPDX-License-Identifier: MIT */
#include "index/idx_pairs_sample.h"

#include <string.h>

#define EPOCH G_GINT64_CONSTANT(1795132800000000000)

/* Any number, the small ones more often. */
static uint64_t any(GRand *rand)
{
	return ((uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand)) >> g_rand_int_range(rand, 0, 64);
}

static void fill(struct idx_pairs_sample *s, GRand *rand, uint32_t receiver, unsigned n)
{
	uint64_t number = 0;
	int64_t time = EPOCH + (int64_t)(any(rand) >> 4);
	bool wild = g_rand_int_range(rand, 0, 4) == 0;

	for (unsigned i = 0; i < n; i++) {
		struct idx_pair pair = { .sender = (uint32_t)g_rand_int_range(rand, 0, (gint32)s->n) };

		if (pair.sender == receiver)
			continue;
		number += (uint64_t)g_rand_int_range(rand, 0, 4) +
			(g_rand_int_range(rand, 0, 50) == 0 ? any(rand) >> 24 : 0);
		time += (int64_t)(any(rand) >> (wild ? 20 : 40));
		pair.received_number = number;
		pair.received = time;
		pair.sent_number = wild ? any(rand) >> 1 : number + any(rand) % 16;
		pair.sent = wild ? (int64_t)any(rand) : time - (int64_t)(any(rand) >> 40);
		g_array_append_val(s->pairs[receiver], pair);
	}
}

struct idx_pairs_sample *idx_pairs_sample_new(guint32 seed, uint32_t n, unsigned most)
{
	struct idx_pairs_sample *s = g_new0(struct idx_pairs_sample, 1);
	GRand *rand = g_rand_new_with_seed(seed);

	s->n = n;
	s->hosts = g_new0(struct idx_pairs_host, n);
	s->pairs = g_new(GArray *, n);
	for (uint32_t i = 0; i < n; i++) {
		char text[33];

		g_snprintf(text, sizeof text, "%032x", seed + i);
		memcpy(s->hosts[i].fingerprint, text, 32);
		s->hosts[i].transfers = UINT64_MAX;
		s->hosts[i].checksum = g_rand_int(rand);
		s->pairs[i] = g_array_new(FALSE, FALSE, sizeof(struct idx_pair));
		if (n > 1 && most > 0)
			fill(s, rand, i, (unsigned)g_rand_int_range(rand, 0, (gint32)most + 1));
	}
	s->clocks = g_strdup_printf("{\"seed\":%u}", seed);
	g_rand_free(rand);
	return s;
}

void idx_pairs_sample_free(struct idx_pairs_sample *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		g_array_unref(s->pairs[i]);
	g_free(s->pairs);
	g_free(s->hosts);
	g_free(s->clocks);
	g_free(s);
}

void idx_pairs_sample_write(const struct idx_pairs_sample *s, const char *path)
{
	GError *error = NULL;
	struct idx_pairs_writer *w = idx_pairs_writer_new(path, s->hosts, s->n, &error);
	bool more = true;

	g_assert_no_error(error);
	for (guint k = 0; more; k++) {
		more = false;
		for (uint32_t i = 0; i < s->n; i++) {
			if (k >= s->pairs[i]->len)
				continue;
			idx_pairs_writer_add(w, i, &g_array_index(s->pairs[i], struct idx_pair, k));
			more = true;
		}
	}
	g_assert_true(idx_pairs_writer_finish(w, s->clocks, strlen(s->clocks), &error));
	g_assert_no_error(error);
	idx_pairs_writer_free(w);
}

static const char *compare_receiver(const struct idx_pairs_sample *s, struct idx_pairs *p, uint32_t receiver)
{
	struct idx_pairs_cursor *c = idx_pairs_cursor_new(p, receiver);
	const char *wrong = NULL;
	struct idx_pair pair;

	idx_pairs_cursor_seek(c, 0);
	for (guint i = 0; !wrong && i < s->pairs[receiver]->len; i++) {
		const struct idx_pair *is = &g_array_index(s->pairs[receiver], struct idx_pair, i);

		if (!idx_pairs_cursor_next(c, &pair))
			wrong = "a pair is missing";
		else if (pair.sender != is->sender || pair.received_number != is->received_number ||
			pair.sent_number != is->sent_number || pair.received != is->received ||
			pair.sent != is->sent)
			wrong = "a pair is another";
	}
	if (!wrong && idx_pairs_cursor_next(c, &pair))
		wrong = "a pair too many";
	idx_pairs_cursor_free(c);
	return wrong;
}

const char *idx_pairs_sample_compare(const struct idx_pairs_sample *s, struct idx_pairs *p)
{
	const char *clocks, *wrong = NULL;
	size_t size;

	if (idx_pairs_host_count(p) != s->n)
		return "number of hosts";
	clocks = idx_pairs_clocks(p, &size);
	if (size != strlen(s->clocks) || memcmp(clocks, s->clocks, size) != 0)
		return "clocks";
	for (uint32_t i = 0; !wrong && i < s->n; i++)
		wrong = idx_pairs_count(p, i) != s->pairs[i]->len ? "number of pairs"
								  : compare_receiver(s, p, i);
	return wrong;
}
