/* SPDX-License-Identifier: MIT */
/*
 * How long the clocks of a hundred hosts take, each of which talks with up to four others.
 *
 *   bench_sync PACKETS      about that many of all hosts together
 *
 * Packets are made while they are read, so memory is that of matching alone.  Prints lines "NAME VALUE": packets, ns of processor time
 * with and without the making, KiB at most, and for the worst of the clocks found how far it is from the truth, ns.
 */
#include "sync/sync_hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define HOSTS 100
#define EDGES 4			/* of a host: three below it, one above */
#define STEP INT64_C(10000000)	/* ns between two segments of a stream */
#define EPOCH INT64_C(1795000000000000000)

/* A host's packets of a step at a time: each stream has one sent in its first and received in its second half. */
struct cursor {
	unsigned host;
	uint64_t step, steps;
	unsigned n, at;
	struct sync_packet batch[4 * EDGES];
};

struct source {
	unsigned host;
	uint64_t steps;
};

/* The clock of HOST at T: up to 100 s and 100 ppm off. */
static int64_t clock_of(unsigned host, int64_t t)
{
	int64_t ppb = ((int64_t)host * 7919 % 201 - 100) * 1000, offset = ((int64_t)host * 104729 % 201 - 100) * INT64_C(1000000000);

	return host == 0 ? EPOCH + t : EPOCH + t + (int64_t)((sync_wide)t * ppb / 1000000000) + offset;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);	/* splitmix64 */
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static void add(struct cursor *c, unsigned from, unsigned to, bool received)
{
	struct sync_packet *p = &c->batch[c->n++], new = { .received = received };
	uint64_t chance = mix(c->step * HOSTS * HOSTS + from * HOSTS + to);
	int64_t t = (int64_t)c->step * STEP + (int64_t)(chance % (STEP / 3));

	new.time = clock_of(c->host, received ? t + 50000 + (int64_t)((chance >> 32) % (STEP / 2)) : t);
	new.packet = (struct mdl_packet){
		.version = 4, .protocol = 6, .has_ports = true, .source = { 10, 0, 0, (uint8_t)from }, .destination = { 10, 0, 0, (uint8_t)to },
		.source_port = 1, .destination_port = 2, .sequence = (uint32_t)(c->step * 1000), .payload = 1000, .flags = 16,
	};
	for (*p = new; p > c->batch && p[-1].time > new.time; p--) {
		p[0] = p[-1];
		p[-1] = new;
	}
}

static void fill(struct cursor *c)
{
	c->n = c->at = 0;
	for (unsigned i = 1; i < HOSTS; i++) {
		unsigned above = i / 3;

		if (c->host != i && c->host != above)
			continue;
		add(c, i, above, c->host == above);
		add(c, above, i, c->host == i);
	}
	c->step++;
}

static void *open_source(void *data)
{
	const struct source *s = data;
	struct cursor *c = g_new0(struct cursor, 1);

	c->host = s->host;
	c->steps = s->steps;
	return c;
}

static bool next_packet(void *cursor, struct sync_packet *packet)
{
	struct cursor *c = cursor;

	if (c->at == c->n) {
		if (c->step == c->steps)
			return false;
		fill(c);
	}
	*packet = c->batch[c->at++];
	return true;
}

static int64_t processor_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Only make them, as often as matching reads them: sampled once, sent and received read apart. */
static int64_t time_to_make(const struct sync_source *sources)
{
	int64_t begin = processor_time();

	for (unsigned i = 0; i < 3 * HOSTS; i++) {
		void *cursor = sources[i % HOSTS].open(sources[i % HOSTS].data);
		struct sync_packet p;

		while (next_packet(cursor, &p))
			;
		g_free(cursor);
	}
	return processor_time() - begin;
}

int main(int argc, char **argv)
{
	uint64_t steps = argc == 2 ? strtoull(argv[1], NULL, 10) / (4 * (HOSTS - 1)) : 0;
	struct source own[HOSTS];
	struct sync_source sources[HOSTS];
	struct sync_span spans[HOSTS];
	int64_t begin, all, worst = 0, end = (int64_t)steps * STEP;
	struct sync_hosts *hosts;
	struct rusage usage;

	if (steps == 0) {
		fprintf(stderr, "bench_sync PACKETS\n");
		return 2;
	}
	for (unsigned i = 0; i < HOSTS; i++) {
		own[i] = (struct source){ i, steps };
		sources[i] = (struct sync_source){ &own[i], open_source, next_packet, g_free };
		spans[i] = (struct sync_span){ clock_of(i, 0), clock_of(i, end) };
	}
	begin = processor_time();
	hosts = sync_hosts_new(sources, spans, HOSTS, NULL, NULL);
	all = processor_time() - begin;
	getrusage(RUSAGE_SELF, &usage);
	for (unsigned i = 0; i < HOSTS; i++) {
		g_assert_nonnull(hosts->hosts[i].clock);
		worst = MAX(worst, llabs(sync_clock_reference(hosts->hosts[i].clock, clock_of(i, end / 2)) - clock_of(0, end / 2)));
	}
	printf("packets %" G_GUINT64_FORMAT "\nprocessor_with_making %" G_GINT64_FORMAT "\nprocessor %" G_GINT64_FORMAT "\npeak_kib %ld\nworst_error %" G_GINT64_FORMAT "\n",
	       steps * 4 * (HOSTS - 1), all, all - time_to_make(sources), usage.ru_maxrss, worst);
	sync_hosts_unref(hosts);
	return 0;
}
