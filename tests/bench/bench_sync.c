/* SPDX-License-Identifier: MIT */
/*
 * Measures finding the clocks of a hundred hosts, each of which talks with up to four others.
 *
 *   bench_sync PACKETS [FILE]   about that many packets of all hosts; FILE keeps the matched packets
 *
 * Packets are made while they are read, so memory is that of matching only.  Prints lines "NAME VALUE":
 * packets, ns of processor time with and without making packets, peak memory in KiB, and the largest error of
 * a clock, ns.  With FILE also: pairs in it, its bytes, and ns of processor time to open it, including
 * clocks, and to look up a packet in it.
 */
#include "index/pairs/pairs.h"
#include "sync/sync_hosts.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define HOSTS 100
#define EDGES 4                /* of a host: three below it, one above */
#define STEP INT64_C(10000000) /* ns between two segments of a stream */
#define EPOCH INT64_C(1795000000000000000)

/* The packets of a host, one step at a time: in each step each stream sends one packet in the first half, and
 * receives it in the second. */
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
	int64_t ppb = ((int64_t)host * 7919 % 201 - 100) * 1000,
		offset = ((int64_t)host * 104729 % 201 - 100) * INT64_C(1000000000);

	return host == 0 ? EPOCH + t : EPOCH + t + (int64_t)((sync_wide)t * ppb / 1000000000) + offset;
}

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9); /* splitmix64 */
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static void add(struct cursor *c, unsigned from, unsigned to, bool received)
{
	struct sync_packet *p = &c->batch[c->n++], new = { .received = received };
	uint64_t chance = mix(c->step * HOSTS * HOSTS + from * HOSTS + to);
	int64_t t = (int64_t)c->step * STEP + (int64_t)(chance % (STEP / 3));

	new.time = clock_of(c->host, received ? t + 50000 + (int64_t)((chance >> 32) % (STEP / 2)) : t);
	new.packet = (struct mdl_packet){ .version = 4,
		.protocol = 6,
		.has_ports = true,
		.source = { 10, 0, 0, (uint8_t)from },
		.destination = { 10, 0, 0, (uint8_t)to },
		.source_port = 1,
		.destination_port = 2,
		.sequence = (uint32_t)(c->step * 1000),
		.payload = 1000,
		.flags = 16 };
	for (*p = new; p > c->batch &&p[-1].time > new.time; p--) {
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

/* Only make the packets, as often as matching reads them: once for the sample, once for sent and once for
 * received packets. */
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

/* ---- the file ---- */

#define OPENINGS 200
#define LOOK_UPS 200000

static struct idx_pairs_host marks[HOSTS];
static char names[HOSTS][8];
static const char *name_list[HOSTS];

static struct idx_pairs_writer *begin_file(const char *path, uint64_t steps)
{
	GError *error = NULL;
	struct idx_pairs_writer *w;

	for (unsigned i = 0; i < HOSTS; i++) {
		g_snprintf(names[i], sizeof names[i], "h%u", i);
		name_list[i] = names[i];
		marks[i].transfers = steps * 4 * (HOSTS - 1);
	}
	w = idx_pairs_writer_new(path, marks, HOSTS, &error);
	g_assert_no_error(error);
	return w;
}

static void on_pair(void *data, const struct sync_pair *p)
{
	struct idx_pair pair = { p->sender, p->received_number, p->sent_number, p->received, p->sent };

	idx_pairs_writer_add(data, p->receiver, &pair);
}

static void end_file(struct idx_pairs_writer *w, const struct sync_hosts *hosts)
{
	GString *text = g_string_new(NULL);
	GError *error = NULL;

	sync_file_write(text, hosts, name_list, NULL);
	idx_pairs_writer_finish(w, text->str, text->len, &error);
	g_assert_no_error(error);
	idx_pairs_writer_free(w);
	g_string_free(text, TRUE);
}

static void measure_open(const char *path, const struct sync_span *spans)
{
	int64_t begin = processor_time();

	for (unsigned i = 0; i < OPENINGS; i++) {
		struct idx_pairs *p = idx_pairs_open(path, marks, HOSTS, NULL);
		size_t size;
		const char *text = idx_pairs_clocks(p, &size);
		struct sync_hosts *hosts = sync_file_read(text, size, name_list, spans, HOSTS, NULL);

		g_assert_nonnull(hosts);
		sync_hosts_unref(hosts);
		idx_pairs_free(p);
	}
	printf("open %" G_GINT64_FORMAT "\n", (processor_time() - begin) / OPENINGS);
}

static void measure_look_ups(const char *path)
{
	struct idx_pairs *p = idx_pairs_open(path, marks, HOSTS, NULL);
	struct idx_pairs_cursor *cursors[HOSTS];
	uint64_t all = 0, chance = 1;
	int64_t begin;
	struct idx_pair pair;
	GStatBuf st;

	for (unsigned i = 0; i < HOSTS; i++) {
		cursors[i] = idx_pairs_cursor_new(p, i);
		all += idx_pairs_count(p, i);
	}
	begin = processor_time();
	for (unsigned i = 0; i < LOOK_UPS; i++) {
		unsigned host = (unsigned)((chance = mix(chance)) % HOSTS);

		idx_pairs_cursor_seek(cursors[host], mix(chance) % (2 * idx_pairs_count(p, host)));
		g_assert_true(idx_pairs_cursor_next(cursors[host], &pair) || !idx_pairs_damage(p));
	}
	g_stat(path, &st);
	printf("pairs %" G_GUINT64_FORMAT "\nbytes %" G_GINT64_FORMAT "\nlook_up %" G_GINT64_FORMAT "\n", all,
		(gint64)st.st_size, (processor_time() - begin) / LOOK_UPS);
	for (unsigned i = 0; i < HOSTS; i++)
		idx_pairs_cursor_free(cursors[i]);
	idx_pairs_free(p);
}

int main(int argc, char **argv)
{
	uint64_t steps = argc == 2 || argc == 3 ? strtoull(argv[1], NULL, 10) / (4 * (HOSTS - 1)) : 0;
	struct source own[HOSTS];
	struct sync_source sources[HOSTS];
	struct sync_span spans[HOSTS];
	int64_t begin, all, worst = 0, end = (int64_t)steps * STEP;
	struct idx_pairs_writer *writer = NULL;
	struct sync_hosts *hosts;
	struct rusage usage;

	if (steps == 0) {
		fprintf(stderr, "bench_sync PACKETS [FILE]\n");
		return 2;
	}
	for (unsigned i = 0; i < HOSTS; i++) {
		own[i] = (struct source){ i, steps };
		sources[i] = (struct sync_source){ .data = &own[i],
			.open = open_source,
			.next = next_packet,
			.close = g_free };
		spans[i] = (struct sync_span){ clock_of(i, 0), clock_of(i, end) };
	}
	begin = processor_time();
	if (argc == 3)
		writer = begin_file(argv[2], steps);
	hosts = sync_hosts_new(sources, NULL, spans, HOSTS, writer ? on_pair : NULL, writer);
	if (writer)
		end_file(writer, hosts);
	all = processor_time() - begin;
	getrusage(RUSAGE_SELF, &usage);
	for (unsigned i = 0; i < HOSTS; i++) {
		g_assert_nonnull(hosts->hosts[i].clock);
		worst = MAX(worst,
			llabs(sync_clock_reference(hosts->hosts[i].clock, clock_of(i, end / 2)) -
				clock_of(0, end / 2)));
	}
	printf("packets %" G_GUINT64_FORMAT "\nprocessor_with_making %" G_GINT64_FORMAT
	       "\nprocessor %" G_GINT64_FORMAT "\npeak_kib %ld\nworst_error %" G_GINT64_FORMAT "\n",
		steps * 4 * (HOSTS - 1), all, all - time_to_make(sources), usage.ru_maxrss, worst);
	if (argc == 3) {
		measure_open(argv[2], spans);
		measure_look_ups(argv[2]);
	}
	sync_hosts_unref(hosts);
	return 0;
}
