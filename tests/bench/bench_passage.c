/* SPDX-License-Identifier: MIT */
/*
 * Measures opening the file of packets of an experiment, and looking up the sender of a packet on another
 * host.
 *
 *   bench_passage SAMPLES INDEX...   indexes of the hosts, in their order
 *
 * Prints lines "NAME VALUE", times in ns: opening the indexes only; finding the common packets, with the
 * clocks; p50 and p99 of SAMPLES look-ups of packets drawn from all received ones; and the number of look-ups
 * that found a sender.
 */
#include "query/qry.h"
#include "query/clock/clock.h"
#include "query/clock/sync.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define OPENINGS 20

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static G_GNUC_NORETURN void die(const char *what, GError *error)
{
	fprintf(stderr, "bench_passage: %s%s%s\n", what, error ? ": " : "", error ? error->message : "");
	exit(1);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static struct qry *open_indexes(const GPtrArray *paths)
{
	GPtrArray *unchecked = g_ptr_array_new();
	GError *error = NULL;
	struct qry *q;

	g_ptr_array_set_size(unchecked, (gint)paths->len);
	q = qry_open(paths, unchecked, &error);
	if (!q)
		die("cannot open", error);
	g_ptr_array_unref(unchecked);
	return q;
}

static void set_clocks(struct qry *q)
{
	GError *error = NULL;
	struct sync_hosts *found = qry_sync_open(q, false, NULL, &error);

	if (!found)
		die("no clocks", error);
	qry_set_clocks(q, found);
	sync_hosts_unref(found);
}

static void measure_open(const GPtrArray *paths)
{
	int64_t alone[OPENINGS], packets[OPENINGS];

	for (unsigned i = 0; i < OPENINGS; i++) {
		int64_t begin = now();
		struct qry *q = open_indexes(paths);

		alone[i] = now() - begin;
		begin = now();
		set_clocks(q);
		packets[i] = now() - begin;
		qry_free(q);
	}
	qsort(alone, OPENINGS, sizeof *alone, compare);
	qsort(packets, OPENINGS, sizeof *packets, compare);
	printf("open %" G_GINT64_FORMAT "\nkept %" G_GINT64_FORMAT "\n", alone[OPENINGS / 2],
		packets[OPENINGS / 2]);
}

/* The number of packets that HOST sent and received. */
static uint64_t count(struct qry *q, uint32_t host)
{
	struct qry_transfers *end = qry_transfers_new(q, host, INT64_MAX);
	uint64_t n = qry_transfers_number(end);

	qry_transfers_free(end);
	return n;
}

/* A packet that HOST received, at a random place among all. */
static bool draw(struct qry *q, uint32_t host, GRand *random, struct mdl_received *packet)
{
	struct qry_transfers *all = qry_transfers_new_at(q, host,
		(uint64_t)(g_rand_double(random) * (double)count(q, host)));
	struct mdl_transfer t;
	bool found = false;

	while (!found && qry_transfers_next(all, &t))
		found = t.received;
	qry_transfers_free(all);
	*packet = (struct mdl_received){ .packet = t.packet,
		.device = t.device,
		.time = t.by.time,
		.sender = { .time = MDL_NEVER } };
	return found;
}

static void measure_questions(struct qry *q, unsigned samples)
{
	int64_t *times = g_new0(int64_t, samples);
	GRand *random = g_rand_new_with_seed(1);
	unsigned n = 0, answered = 0;

	for (unsigned i = 0; i < samples; i++) {
		uint32_t host = i % qry_host_count(q);
		struct qry_passage passage;
		struct mdl_received packet;
		int64_t begin;

		if (!draw(q, host, random, &packet))
			continue;
		begin = now();
		answered += qry_passage_of(q, host, &packet, &passage);
		times[n++] = now() - begin;
	}
	if (n == 0)
		die("no host received a packet", NULL);
	qsort(times, n, sizeof *times, compare);
	printf("asked %u\nanswered %u\np50 %" G_GINT64_FORMAT "\np99 %" G_GINT64_FORMAT "\n", n, answered,
		times[n / 2], times[n * 99 / 100]);
	g_rand_free(random);
	g_free(times);
}

int main(int argc, char **argv)
{
	unsigned samples = argc > 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	GPtrArray *paths = g_ptr_array_new();
	struct qry *q;

	if (samples == 0) {
		fprintf(stderr, "usage: bench_passage SAMPLES INDEX...\n");
		return 2;
	}
	for (int i = 2; i < argc; i++)
		g_ptr_array_add(paths, argv[i]);
	q = open_indexes(paths);
	set_clocks(q);
	measure_questions(q, samples);
	qry_free(q);
	measure_open(paths);
	g_ptr_array_unref(paths);
	return 0;
}
