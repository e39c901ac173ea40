/* SPDX-License-Identifier: MIT */
/* Made hosts that talk to each other: clocks, matching and the path to the reference, compared with the
 * truth. */
#include "sync/sync_hosts.h"
#include "sync/sync_made.h"

#include <stdlib.h>

#define MS INT64_C(1000000)
#define S (1000 * MS)

struct world {
	GArray **packets; /* of struct sync_packet, for each host */
	struct sync_source *sources;
	struct sync_span *spans;
	int64_t *offsets, *ppbs;
	unsigned n;
};

static int64_t clock_of(const struct world *w, unsigned host, int64_t t)
{
	sync_wide d = (sync_wide)t * (1000000000 + w->ppbs[host]) / 1000000000;

	return (int64_t)d + w->offsets[host];
}

static struct world *world_new(GRand *rand, unsigned n, int64_t span)
{
	struct world *w = g_new0(struct world, 1);

	w->n = n;
	w->packets = g_new0(GArray *, n);
	w->sources = g_new0(struct sync_source, n);
	w->spans = g_new0(struct sync_span, n);
	w->offsets = g_new0(int64_t, n);
	w->ppbs = g_new0(int64_t, n);
	for (unsigned i = 0; i < n; i++) {
		w->packets[i] = sync_made_new();
		w->offsets[i] = INT64_C(1800000000) * S +
			(i > 0 ? (int64_t)g_rand_int_range(rand, -100000, 100000) * MS : 0);
		w->ppbs[i] = i > 0 ? g_rand_int_range(rand, -200000, 200000) : 0;
		w->spans[i] = (struct sync_span){ clock_of(w, i, 0), clock_of(w, i, span) };
	}
	return w;
}

static void world_free(struct world *w)
{
	for (unsigned i = 0; i < w->n; i++)
		g_array_unref(w->packets[i]);
	g_free(w->packets);
	g_free(w->sources);
	g_free(w->spans);
	g_free(w->offsets);
	g_free(w->ppbs);
	g_free(w);
}

static void add(struct world *w, unsigned host, int64_t t, bool received, const struct mdl_packet *packet)
{
	struct sync_packet p = { .time = clock_of(w, host, t), .received = received, .packet = *packet };

	g_array_append_val(w->packets[host], p);
}

static struct sync_hosts *find(struct world *w)
{
	for (unsigned i = 0; i < w->n; i++) {
		struct sync_source twin = w->sources[i];

		w->sources[i] = sync_made_source(w->packets[i]);
		w->sources[i].has_twin = twin.has_twin;
		w->sources[i].twin = twin.twin;
		w->sources[i].ahead = twin.ahead;
	}
	return sync_hosts_new(w->sources, NULL, w->spans, w->n, NULL, NULL);
}

static struct mdl_packet segment(unsigned from, unsigned to, uint32_t sequence, uint32_t payload)
{
	struct mdl_packet p = { .version = 4,
		.protocol = 6,
		.has_ports = true,
		.source_port = (uint16_t)(1000 + from),
		.destination_port = (uint16_t)(1000 + to),
		.sequence = sequence,
		.payload = payload,
		.flags = 16 };

	p.source[0] = p.destination[0] = 10;
	p.source[3] = (uint8_t)from;
	p.destination[3] = (uint8_t)to;
	return p;
}

/* A stream of N sendings from one host to another. The sender hands over large pieces, the receiver sees them
 * cut and merged anew. */
static void talk(struct world *w, GRand *rand, unsigned from, unsigned to, unsigned n, int64_t t0,
	int64_t span, uint32_t sequence)
{
	for (unsigned i = 0; i < n; i++) {
		int64_t sent = t0 + span / n * i, way = 50000 + g_rand_int_range(rand, 0, 3000000);
		uint32_t length = (uint32_t)g_rand_int_range(rand, 1, 60000),
			 cut = (uint32_t)g_rand_int_range(rand, 0, (gint32)length);
		struct mdl_packet p = segment(from, to, sequence, length);

		add(w, from, sent, false, &p);
		if (g_rand_int_range(rand, 0, 20) == 0) /* lost on the way, sent again */
			add(w, from, sent + way / 2, false, &p);
		if (cut > 0) {
			p.payload = cut;
			add(w, to, sent + way, true, &p);
		}
		p.sequence += cut;
		p.payload = length - cut;
		add(w, to, sent + way + 1000, true, &p);
		sequence += length; /* wraps: it begins near the end */
	}
}

static void check(const struct world *w, const struct sync_hosts *h, int64_t span)
{
	for (unsigned i = 0; i < w->n; i++) {
		g_assert_nonnull(h->hosts[i].clock);
		g_assert_cmpuint(h->hosts[i].violations_after, ==, 0);
		for (int64_t t = 0; t <= span; t += span / 10) {
			int64_t found = sync_clock_reference(h->hosts[i].clock, clock_of(w, i, t));

			g_assert_cmpint(llabs(found - clock_of(w, 0, t)), <=, h->hosts[i].error_max + 3);
		}
	}
}

static void test_chain(void)
{
	GRand *rand = g_rand_new_with_seed(1);

	for (unsigned round = 0; round < 20; round++) {
		struct world *w = world_new(rand, 4, 100 * S);
		struct sync_hosts *h;

		for (unsigned i = 0; i + 1 < 4; i++) {
			talk(w, rand, i, i + 1, 300, 0, 100 * S, 0xfff00000);
			talk(w, rand, i + 1, i, 300, 0, 100 * S, 77);
		}
		h = find(w);
		check(w, h, 100 * S);
		g_assert_cmpuint(h->hosts[3].by, ==, 2);
		g_assert_cmpuint(h->hosts[3].counts.matched, ==, h->hosts[3].counts.received);
		sync_hosts_unref(h);
		world_free(w);
	}
	g_rand_free(rand);
}

/* A host that only receives, and one without any packet. */
static void test_apart(void)
{
	GRand *rand = g_rand_new_with_seed(2);
	struct world *w = world_new(rand, 4, 10 * S);
	struct sync_hosts *h;

	talk(w, rand, 0, 1, 100, 0, 10 * S, 5);
	talk(w, rand, 1, 0, 100, 0, 10 * S, 5);
	talk(w, rand, 0, 2, 100, 0, 10 * S, 5);
	h = find(w);
	g_assert_cmpint(h->hosts[1].quality, ==, SYNC_ACCURATE);
	g_assert_cmpint(h->hosts[2].quality, ==, SYNC_INCOMPLETE);
	g_assert_null(h->hosts[2].clock);
	g_assert_cmpint(h->hosts[3].quality, ==, SYNC_ABSENT);
	sync_hosts_unref(h);
	world_free(w);
	g_rand_free(rand);
}

/* Packets that arrive 50 ms before they were sent, between two hosts whose clocks are found by way of a
 * third: all are counted. */
static void test_too_early(void)
{
	GRand *rand = g_rand_new_with_seed(5);

	for (unsigned n = 0; n < 20; n++) {
		struct world *w = world_new(rand, 3, 10 * S);
		struct sync_hosts *h;

		for (unsigned i = 0; i < 2; i++) {
			talk(w, rand, i, i + 1, 300, 0, 10 * S, 5);
			talk(w, rand, i + 1, i, 300, 0, 10 * S, 5);
		}
		for (unsigned i = 0; i < 100; i++) {
			struct mdl_packet p = segment(0, 2, 1000 * i, 1000);
			int64_t way = i < n ? -50 * MS : 50 * MS;

			add(w, 0, (i + 1) * 80 * MS, false, &p);
			add(w, 2, (i + 1) * 80 * MS + way, true, &p);
		}
		h = find(w);
		g_assert_cmpuint(h->hosts[2].by, ==, 1);
		g_assert_cmpuint(h->hosts[0].violations_after, ==, n);
		g_assert_cmpuint(h->hosts[1].violations_after, ==, 0);
		g_assert_cmpuint(h->hosts[2].violations_after, ==, n);
		sync_hosts_unref(h);
		world_free(w);
	}
	g_rand_free(rand);
}

/* Clocks at both ends of 64 bits: any answer is accepted, but there is one. */
static void test_far_apart(void)
{
	GRand *rand = g_rand_new_with_seed(6);
	struct world *w = world_new(rand, 3, 10 * S);
	struct sync_hosts *h;

	w->offsets[0] = INT64_MIN + S;
	w->offsets[1] = 0;
	w->offsets[2] = INT64_MAX - 20 * S;
	for (unsigned i = 0; i < 3; i++) {
		w->ppbs[i] = 0;
		w->spans[i] = (struct sync_span){ clock_of(w, i, 0), clock_of(w, i, 10 * S) };
	}
	for (unsigned i = 0; i < 2; i++) {
		talk(w, rand, i, i + 1, 100, 0, 10 * S, 5);
		talk(w, rand, i + 1, i, 100, 0, 10 * S, 5);
	}
	h = find(w);
	g_assert_cmpuint(h->hosts[1].counts.sent, >=, 200);
	g_assert_cmpuint(h->hosts[2].violations_after, ==, 0);
	sync_hosts_unref(h);
	world_free(w);
	g_rand_free(rand);
}

/* Acknowledgements and UDP packets that repeat. */
static void test_singles(void)
{
	GRand *rand = g_rand_new_with_seed(3);
	struct world *w = world_new(rand, 2, 100 * S);
	struct sync_hosts *h;

	for (unsigned i = 0; i < 400; i++) {
		struct mdl_packet p = segment(i % 2, 1 - i % 2, 9, 0);

		if (i % 4 >= 2) {
			p.protocol = 17;
			p.payload = 30;
			p.id = (uint16_t)(i % 8); /* repeats after a while */
		} else {
			p.acknowledgement = i;
		}
		add(w, i % 2, i * 250 * MS, false, &p);
		if (i % 10 != 3)
			add(w, 1 - i % 2, i * 250 * MS + 40000, true, &p);
	}
	h = find(w);
	check(w, h, 100 * S);
	g_assert_cmpuint(h->hosts[0].counts.matched, ==, h->hosts[0].counts.received);
	sync_hosts_unref(h);
	world_free(w);
	g_rand_free(rand);
}

/* A hundred hosts, each of which talks to a few others. */
static void test_many(void)
{
	GRand *rand = g_rand_new_with_seed(4);
	struct world *w = world_new(rand, 100, 50 * S);
	struct sync_hosts *h;

	for (unsigned i = 1; i < 100; i++) {
		talk(w, rand, i, i / 3, 100, 0, 50 * S, i);
		talk(w, rand, i / 3, i, 100, 0, 50 * S, i);
	}
	h = find(w);
	check(w, h, 50 * S);
	sync_hosts_unref(h);
	world_free(w);
	g_rand_free(rand);
}

/* A trace without events, of the boot of another trace, before or after it: it does not widen the error of the
 * other trace's clock, and its own clock has no error. */
static void test_empty_twin(void)
{
	for (unsigned empty = 1; empty <= 2; empty++) {
		GRand *rand = g_rand_new_with_seed(7);
		struct world *w = world_new(rand, 3, 100 * S);
		struct sync_hosts *h;

		w->sources[2].has_twin = true;
		w->sources[2].twin = 1;
		w->sources[2].ahead = w->offsets[2] - w->offsets[1];
		w->ppbs[2] = w->ppbs[1];
		w->spans[empty] = (struct sync_span){ INT64_MIN, INT64_MIN };
		talk(w, rand, 0, 3 - empty, 300, 0, 100 * S, 1);
		talk(w, rand, 3 - empty, 0, 300, 0, 100 * S, 1);
		h = find(w);
		g_assert_nonnull(h->hosts[1].clock);
		g_assert_nonnull(h->hosts[2].clock);
		g_assert_cmpint(h->hosts[1].error_max, <, S);
		g_assert_cmpint(h->hosts[2].error_max, <, S);
		sync_hosts_unref(h);
		world_free(w);
		g_rand_free(rand);
	}
}

/* Two traces of one boot, an hour apart: their clock has an error that covers both, also when it is read from
 * a file. */
static void test_twins_kept(void)
{
	static const char *const names[] = { "reference", "first", "second" };
	GRand *rand = g_rand_new_with_seed(8);
	struct world *w = world_new(rand, 3, 100 * S);
	GString *text = g_string_new(NULL);
	struct sync_hosts *h, *read;
	GError *error = NULL;

	w->sources[2].has_twin = true;
	w->sources[2].twin = 1;
	w->spans[2] = (struct sync_span){ w->spans[1].from + 3600 * S, w->spans[1].to + 3600 * S };
	talk(w, rand, 0, 1, 300, 0, 100 * S, 1);
	talk(w, rand, 1, 0, 300, 0, 100 * S, 1);
	h = find(w);
	sync_file_write(text, h, names, NULL);
	read = sync_file_read(text->str, text->len, names, w->spans, 3, &error);
	g_assert_no_error(error);
	for (unsigned i = 0; i < 3; i++)
		g_assert_cmpint(read->hosts[i].error_max, ==, h->hosts[i].error_max);
	sync_hosts_unref(read);
	sync_hosts_unref(h);
	g_string_free(text, TRUE);
	world_free(w);
	g_rand_free(rand);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sync/hosts in a row", test_chain);
	g_test_add_func("/sync/hosts apart", test_apart);
	g_test_add_func("/sync/packets too early", test_too_early);
	g_test_add_func("/sync/hosts far apart", test_far_apart);
	g_test_add_func("/sync/packets without data", test_singles);
	g_test_add_func("/sync/hundred hosts", test_many);
	g_test_add_func("/sync/hosts without events", test_empty_twin);
	g_test_add_func("/sync/traces of one boot kept", test_twins_kept);
	return g_test_run();
}
