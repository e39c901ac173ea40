/* SPDX-License-Identifier: MIT */
/*
 * More packets in a few seconds than can be kept: memory is bounded, time is linear, packets given up are
 * counted, and no false pair is made. With -m perf, ten million of each kind.
 */
#include "sync/sync_match.h"

#include <sys/resource.h>
#include <time.h>

#define MS INT64_C(1000000)
#define S (1000 * MS)
#define KEPT_MAX (1u << 20) /* the most packets kept of any kind */

/* The packets of a host: datagrams that all differ, or packets of connections that all differ. */
enum kind { SENT_DATAGRAMS, GOT_DATAGRAMS, SENT_SYNS, GOT_SYNS, SENT_STREAM, KINDS };

/* Packets of a flood, STEP ns apart, and given packets before and after it; all in order of time. */
struct source {
	enum kind kind;
	uint64_t n;
	int64_t step;
	const struct sync_packet *before, *after;
	uint64_t n_before, n_after;
};

struct cursor {
	const struct source *source;
	uint64_t at;
};

static void *open_source(void *data)
{
	struct cursor *c = g_new0(struct cursor, 1);

	c->source = data;
	return c;
}

static struct sync_packet flood(const struct source *s, uint64_t i)
{
	struct sync_packet p = { .time = S + (int64_t)i * s->step,
		.number = i,
		.received = s->kind == GOT_DATAGRAMS || s->kind == GOT_SYNS,
		.device = 1 };
	bool tcp = s->kind >= SENT_SYNS, alone = tcp && s->kind != SENT_STREAM;

	p.packet = (struct mdl_packet){ .version = 4,
		.protocol = tcp ? 6 : 17,
		.has_ports = true,
		.destination = { 10, 0, 0, 2 },
		.source_port = 4000,
		.destination_port = 53,
		.source = { 10, 0, 0, 1 },
		.payload = tcp ? 100 : 16,
		.id = (uint16_t)i,
		.checksum = (uint16_t)(1 + (i >> 16)),
		.sequence = alone ? 1 : (uint32_t)i * 100,
		.flags = alone ? 2 : 16 };
	if (alone)
		for (unsigned k = 0; k < 4; k++)
			p.packet.source[k] = (uint8_t)((i + (UINT64_C(10) << 24)) >> (24 - 8 * k));
	return p;
}

static bool next_packet(void *cursor, struct sync_packet *p)
{
	struct cursor *c = cursor;
	const struct source *s = c->source;
	uint64_t at = c->at++;

	if (at < s->n_before)
		*p = s->before[at];
	else if (at - s->n_before < s->n)
		*p = flood(s, at - s->n_before);
	else if (at - s->n_before - s->n < s->n_after)
		*p = s->after[at - s->n_before - s->n];
	else
		return false;
	return true;
}

static struct sync_source made(struct source *s)
{
	return (struct sync_source){ .data = s, .open = open_source, .next = next_packet, .close = g_free };
}

static void note_pair(void *data, const struct sync_pair *p)
{
	g_string_append_printf(data, " %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT, p->sent_number,
		p->received_number);
}

/* Match the packets of A and B, whose clocks are equal: the pairs are EXPECTED. Returns processor time in
 * ns. */
static int64_t match(struct source *a, struct source *b, struct sync_counts *counts, const char *expected)
{
	struct sync_source sources[] = { made(a), made(b) };
	struct sync_rough_piece whole = { INT64_MIN, 0 };
	struct sync_rough rough[2] = { { g_array_new(FALSE, FALSE, sizeof whole) } };
	GString *pairs = g_string_new(NULL);
	struct timespec from, to;

	g_array_append_val(rough[0].pieces, whole);
	rough[1] = rough[0];
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	sync_match(sources, 2, rough, note_pair, pairs, counts);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	g_assert_cmpstr(pairs->str, ==, expected);
	g_string_free(pairs, TRUE);
	g_array_unref(rough[0].pieces);
	return (to.tv_sec - from.tv_sec) * S + to.tv_nsec - from.tv_nsec;
}

/* N packets of KIND within SPAN ns, none with a counterpart. */
static int64_t run(enum kind kind, uint64_t n, int64_t span)
{
	struct source a = { .kind = kind, .n = n, .step = MAX(span / (int64_t)n, 1) }, b = { 0 };
	struct sync_counts counts[2], *c = &counts[0];
	int64_t time = match(&a, &b, counts, "");
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	g_test_message("kind %d: %" G_GUINT64_FORMAT
		       " packets, %.2f s, %ld KiB at most until now; %" G_GUINT64_FORMAT
		       " given up, %" G_GUINT64_FORMAT " aged, %" G_GUINT64_FORMAT " unmatched",
		kind, n, (double)time / 1e9, usage.ru_maxrss, c->given_up, c->aged, c->unmatched);
	g_assert_cmpuint(c->sent + c->received, ==, n);
	g_assert_cmpuint(c->given_up + c->aged + c->unmatched, ==, n);
	if (span < 5 * S && n > KEPT_MAX)
		g_assert_cmpuint(c->given_up, >=, n - KEPT_MAX);
#ifndef __SANITIZE_ADDRESS__
	g_assert_cmpint(usage.ru_maxrss, <=, 192 * 1024);
#endif
	return time;
}

#ifdef __SANITIZE_ADDRESS__ /* its allocator takes most of the time, and memory */
#define TURNS 0
#else
#define TURNS 4
#endif

/* Time N and 2 N in turns, take the best of each, until that is conclusive. */
static void test_kind(gconstpointer data)
{
	enum kind kind = (enum kind)GPOINTER_TO_UINT(data);
	uint64_t n = g_test_perf() ? 5000000 : 1200000;
	int64_t one = INT64_MAX, two = INT64_MAX;

	for (int i = 0; i < TURNS && (i == 0 || (double)two >= 2.6 * (double)one); i++) {
		one = MIN(one, run(kind, n, 2 * S));
		two = MIN(two, run(kind, 2 * n, 2 * S));
	}
	if (TURNS > 0)
		g_assert_cmpfloat((double)two, <, 2.6 * (double)one);
	run(kind, n, TURNS > 0 ? 80 * S : 2 * S);
}

/* Two packets look alike. The first was given up and then received, the second was lost: they make no pair. A
 * later packet does. */
static void test_no_false_pair(void)
{
	struct sync_packet twin = flood(&(struct source){ .kind = SENT_DATAGRAMS }, 0), first, sent[2],
			   got[2];
	struct source a = { .kind = SENT_DATAGRAMS,
		.n = 700000,
		.step = 500,
		.before = &first,
		.n_before = 1,
		.after = sent,
		.n_after = 2 };
	struct source b = { .after = got, .n_after = 2 };
	struct sync_counts counts[2];

	twin.packet.source_port = 9;
	first = sent[0] = sent[1] = got[0] = got[1] = twin;
	first.time = S - 1;
	got[0].time = S + 500 * MS;
	sent[0].time = S + 600 * MS;
	sent[1].time = 60 * S;
	got[1].time = 60 * S + MS;
	sent[1].number = got[1].number = 7;
	got[0].received = got[1].received = true;
	match(&a, &b, counts, " 7-7");
	g_assert_cmpuint(counts[1].given_up, ==, 1);
	g_assert_cmpuint(counts[1].matched, ==, 1);
	g_assert_cmpuint(counts[0].given_up, >, 0);
}

int main(int argc, char **argv)
{
	static const char *const names[KINDS] = { "datagrams sent", "datagrams received", "connections begun",
		"connections received", "one stream" };

	g_test_init(&argc, &argv, NULL);
	for (unsigned i = 0; i < KINDS; i++) {
		char *path = g_strdup_printf("/flood/%s", names[i]);

		g_test_add_data_func(path, GUINT_TO_POINTER(i), test_kind);
		g_free(path);
	}
	g_test_add_func("/flood/no false pair", test_no_false_pair);
	return g_test_run();
}
