/* SPDX-License-Identifier: MIT */
/* Threads fill queues ahead: nothing is lost or out of order, they stop at any time, and each stream has its
 * thread. */
#include "trace/bt2/trc_bt2_open.h"
#include "trace/bt2/trc_bt2.h"
#include "trace/core/trc_info.h"
#include "trace/ctf/trc_survey.h"

#include <string.h>

#define STREAMS 7
#define EVENTS 20000 /* of the first stream; each further one has less */

/* A stream that counts: event k has time k and its text. */
struct counter {
	int64_t next, end;
	unsigned calls;
};

static int64_t length_of(unsigned stream)
{
	return EVENTS / (stream + 1);
}

/* Fill Q in pieces of odd sizes; every fourth call adds nothing, as a reader may do. */
static void fill(void *data, struct trc_queue *q)
{
	struct counter *c = q->stream;
	char text[32];
	unsigned n;

	(void)data;
	if (++c->calls % 4 == 0)
		return;
	for (n = 0; n < c->calls % 700 + 1 && c->next < c->end; n++) {
		g_snprintf(text, sizeof(text), "%" G_GINT64_FORMAT, c->next);
		trc_queue_add(q, c->next++)->text[0] = trc_queue_text(q, text, strlen(text));
	}
	if (c->next == c->end) {
		q->info->discarded = 1;
		trc_queue_end(q);
	}
}

struct set {
	struct trc_info *info, *infos[STREAMS];
	struct counter counters[STREAMS];
	GPtrArray *backs, *fronts;
	struct trc_lanes *lanes;
};

static void set_up(struct set *s, unsigned n_lanes)
{
	unsigned i;

	memset(s, 0, sizeof(*s));
	s->info = trc_info_new("/x");
	s->backs = g_ptr_array_new();
	s->fronts = g_ptr_array_new();
	for (i = 0; i < STREAMS; i++) {
		struct trc_queue *q = trc_queue_new("back", s->infos[i] = trc_info_new("/x"));

		s->counters[i].end = length_of(i);
		q->stream = &s->counters[i];
		q->index = i % n_lanes;
		g_ptr_array_add(s->backs, q);
		g_ptr_array_add(s->fronts, trc_queue_new("front", s->info));
		fill(NULL, q);
	}
	s->lanes = trc_lanes_new(s->backs, s->fronts, s->info, n_lanes, fill, NULL);
}

static void tear_down(struct set *s)
{
	unsigned i;

	trc_lanes_free(s->lanes);
	for (i = 0; i < STREAMS; i++) {
		trc_queue_free(g_ptr_array_index(s->backs, i));
		trc_queue_free(g_ptr_array_index(s->fronts, i));
		trc_info_free(s->infos[i]);
	}
	g_ptr_array_unref(s->backs);
	g_ptr_array_unref(s->fronts);
	trc_info_free(s->info);
}

/* Empty Q, whose first event has number *NEXT. */
static void check_events(struct trc_queue *q, int64_t *next)
{
	for (; q->position < q->count; q->position++, ++*next) {
		const struct mdl_event *e = &q->events[q->position];

		g_assert_cmpint(e->time, ==, *next);
		g_assert_cmpint(g_ascii_strtoll(e->text[0], NULL, 10), ==, *next);
	}
}

static bool is_complete(const int64_t *next)
{
	unsigned i;

	for (i = 0; i < STREAMS; i++)
		if (next[i] < length_of(i))
			return false;
	return true;
}

/* All events of all streams, filled in an order as random as in a merge. */
static void check_all(unsigned n_lanes)
{
	int64_t next[STREAMS] = { 0 };
	uint32_t random = n_lanes;
	struct set s;

	set_up(&s, n_lanes);
	while (!is_complete(next)) {
		unsigned stream = (random = random * 1103515245 + 12345) >> 16;
		struct trc_queue *q = g_ptr_array_index(s.fronts, stream %= STREAMS);

		check_events(q, &next[stream]);
		if (!q->ended)
			trc_lanes_fill(s.lanes, q);
		check_events(q, &next[stream]);
	}
	g_assert_cmpuint(s.info->discarded, ==, STREAMS);
	tear_down(&s);
}

static void test_all(void)
{
	unsigned n;

	for (n = 1; n <= STREAMS; n++)
		check_all(n);
}

/* Stop after any number of fills, most often while the lanes wait for room. */
static void test_stop(void)
{
	unsigned fills, i;
	struct set s;

	for (fills = 0; fills < 40; fills++) {
		int64_t next = 0;

		set_up(&s, 1 + fills % 4);
		for (i = 0; i < fills; i++) {
			struct trc_queue *q = g_ptr_array_index(s.fronts, 0);

			check_events(q, &next);
			if (!q->ended)
				trc_lanes_fill(s.lanes, q);
		}
		tear_down(&s);
	}
}

/* ---- dealing ---- */

/* Deal streams of these SIZES (0 ends the list), named as babeltrace2 names them. EXPECTED: the graph of each
 * stream, one digit each. */
static void check_deal(const int64_t *sizes, gboolean by_number, bool lone, const char *expected)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free), *streams = g_ptr_array_new();
	struct trc_stream_class class = { .id = 4 };
	struct trc_stream_file files[8] = { 0 };
	struct trc_file disk[8] = { 0 };
	unsigned *graphs, i;

	for (i = 0; sizes[i]; i++) {
		char *name = g_strdup_printf(by_number ? "%u" : "k_%u", i);

		disk[i].name = g_strdup_printf("k_%u", i);
		disk[i].size = sizes[i];
		files[i].file = &disk[i];
		files[i].stream = &class;
		files[i].last.has_instance = by_number;
		files[i].last.instance = i;
		g_ptr_array_add(streams, &files[i]);
		g_ptr_array_add(names,
			g_strdup_printf("uuid%s | %s%s", lone ? "" : " | 4", by_number ? "" : "/a/b/", name));
		g_free(name);
	}
	graphs = trc_bt2_deal(names, streams, 2);
	for (i = 0; sizes[i]; i++) {
		g_assert_cmpuint(graphs[i], ==, (unsigned)(expected[i] - '0'));
		g_free(disk[i].name);
	}
	g_free(graphs);
	g_ptr_array_unref(names);
	g_ptr_array_unref(streams);
}

static void test_deal(void)
{
	static const int64_t skewed[] = { 100, 1, 100, 1, 0 }, one_large[] = { 10, 20, 100, 30, 40, 0 },
			     none[] = { 0 };

	check_deal(skewed, TRUE, FALSE, "0011");
	check_deal(skewed, FALSE, FALSE, "0011");
	check_deal(skewed, TRUE, TRUE, "0011");
	check_deal(one_large, FALSE, TRUE, "11011");
	check_deal(none, TRUE, FALSE, "");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/lanes/all", test_all);
	g_test_add_func("/lanes/stop", test_stop);
	g_test_add_func("/lanes/deal", test_deal);
	return g_test_run();
}
