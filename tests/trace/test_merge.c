/* SPDX-License-Identifier: MIT */
/* Merging streams: order, ties, clocks that step back, gaps, ranks. */
#include "base/base_time.h"
#include "trace/core/trc_info.h"
#include "trace/trc_reader.h"

/* The contents of a stream: numbers are times of events, the constants are what happens between events. */
#define END INT64_MIN
#define PACKET (INT64_MIN + 1) /* a packet begins */
#define CLOSE (INT64_MIN + 5)  /* a packet ends */
#define LOST (INT64_MIN + 2)   /* events are lost from the next number to the one after it */
#define LOST_PACKETS (INT64_MIN + 3)
#define CUT (INT64_MIN + 4)    /* the rest of the stream is damaged */
#define OPENED (INT64_MIN + 6) /* a packet begins; its head says at the next number */
#define CLOSED (INT64_MIN + 7) /* the stream is complete up to the next number */

struct source {
	const int64_t *next;
	unsigned chunk; /* events per filling */
};

static void fill(void *data, struct trc_queue *q)
{
	struct source *s = q->stream;
	unsigned n = 0;

	(void)data;
	while (n < s->chunk && !q->ended) {
		int64_t value = *s->next++;

		switch (value) {
		case END: trc_queue_end(q); break;
		case PACKET: trc_queue_packet_begin(q, q->index, BASE_TIME_NONE); break;
		case OPENED: trc_queue_packet_begin(q, q->index, *s->next++); break;
		case CLOSE: trc_queue_packet_end(q); break;
		case CLOSED: q->closed = *s->next++; break;
		case LOST:
			trc_queue_lost_events(q, s->next[0], s->next[1], 7);
			s->next += 2;
			break;
		case LOST_PACKETS:
			trc_queue_lost_packets(q, s->next[0], s->next[1], 3);
			s->next += 2;
			break;
		case CUT: trc_queue_lost_rest(q, 0); break;
		default:
			trc_queue_add(q, value)->kind = value % 1000 == 0 ? MDL_EV_SCHED_SWITCH
				: value % 2                               ? MDL_EV_NONE
									  : MDL_EV_IRQ_EXIT;
			q->events[q->count - 1].label = NULL;
			q->events[q->count - 1].arg[MDL_SWITCH_SINCE] = MDL_ARG_ABSENT;
			n++;
		}
	}
}

/* Merge STREAMS (each to its END, CHUNK events at once) and describe the result. */
static char *merge(const int64_t *const *streams, unsigned n, unsigned chunk, int max, struct trc_info *info)
{
	GPtrArray *queues = g_ptr_array_new();
	struct source sources[8];
	struct mdl_event events[64];
	GString *text = g_string_new(NULL);
	struct trc_merge *m;
	unsigned i;
	int got;

	for (i = 0; i < n; i++) {
		struct trc_queue *q = trc_queue_new("s", info);

		q->index = q->order = i;
		q->stream = &sources[i];
		sources[i].next = streams[i];
		sources[i].chunk = chunk;
		if (streams[i][0] != LOST && streams[i][0] != OPENED)
			trc_queue_packet_begin(q, i, BASE_TIME_NONE);
		g_ptr_array_add(queues, q);
	}
	m = trc_merge_new(queues, info, fill, NULL);
	while ((got = trc_merge_read(m, events, max)) > 0) {
		int k;

		for (k = 0; k < got; k++) {
			const struct mdl_event *e = &events[k];
			const char *kind = e->kind == MDL_EV_GAP_BEGIN ? "<"
				: e->kind == MDL_EV_GAP_END            ? ">"
								       : "";

			g_string_append_printf(text, "%u%s%" G_GINT64_FORMAT "#%" G_GUINT64_FORMAT, e->cpu,
				*kind ? kind : ":", e->time, e->rank);
			if (*kind == '>')
				g_string_append_printf(text, "(%" G_GINT64_FORMAT ")",
					e->arg[MDL_GAP_LAST_EVENT]);
			if (e->kind == MDL_EV_SCHED_SWITCH && e->arg[MDL_SWITCH_SINCE] != MDL_ARG_ABSENT)
				g_string_append_printf(text, "since%" G_GINT64_FORMAT,
					e->arg[MDL_SWITCH_SINCE]);
			g_string_append_c(text, ' ');
		}
	}
	trc_merge_free(m);
	for (i = 0; i < queues->len; i++)
		trc_queue_free(g_ptr_array_index(queues, i));
	g_ptr_array_unref(queues);
	return g_string_free(text, FALSE);
}

/* The result must not depend on how many events come at once. */
static struct trc_info *check(const int64_t *const *streams, unsigned n, const char *expected)
{
	struct trc_info *info = NULL;
	unsigned chunk;
	int max;

	for (chunk = 1; chunk < 6; chunk++) {
		for (max = 1; max < 5; max++) {
			char *text;

			trc_info_free(info);
			info = trc_info_new("/x");
			text = merge(streams, n, chunk, max, info);
			g_assert_cmpstr(text, ==, expected);
			g_free(text);
		}
	}
	return info;
}

static void test_order(void)
{
	static const int64_t a[] = { 10, 20, 20, 30, END }, b[] = { 20, 24, END }, c[] = { END },
			     d[] = { 2, 20, 50, END };
	static const int64_t *const streams[] = { a, b, c, d };
	struct trc_info *info = check(streams, 4,
		"3:2#1 0:10#2 0:20#3 0:20#4 1:20#5 3:20#6 1:24#7 0:30#8 3:50#9 ");

	g_assert_cmpuint(info->events, ==, 9);
	g_assert_cmpuint(info->stepped_back, ==, 0);
	g_assert_cmpuint(info->n_cpus, ==, 4);
	trc_info_free(info);
}

/*
 * The first switch of a stream reports since when the stream has all of its events ("since"): since its first
 * event; or since the begin of its first packet, but not before the first event of all streams. It reports
 * nothing if events were lost before.
 */
static void test_first_switch(void)
{
	static const int64_t plain[] = { 10, 20, 1000, 3000, END }, early[] = { OPENED, 4, 30, 2000, END },
			     late[] = { OPENED, 500, 600, 2000, END };
	static const int64_t lossy[] = { LOST, 40, 700, PACKET, 50, CLOSE, 1000, 3000, END },
			     none[] = { 12, END };
	static const int64_t *const streams[] = { plain, early, late, lossy, none };
	struct trc_info *info = check(streams, 5,
		"0:10#1 4:12#2 0:20#3 1:30#4 3<40#0 3:50#5 2:600#6 3>700#0(50) 0:1000#7since10 3:1000#8 1:2000#9since10 "
		"2:2000#10since500 0:3000#11 3:3000#12 ");

	trc_info_free(info);
}

/* Events at odd times are not used: they have a rank, but only the first of 64 is returned. */
static void test_ranks(void)
{
	static const int64_t a[] = { 1, 3, 4, 5, 8, END }, b[] = { 2, 7, 9, END };
	static const int64_t *const streams[] = { a, b };

	trc_info_free(check(streams, 2, "0:1#1 1:2#2 0:4#4 0:8#7 "));
}

static void test_step_back(void)
{
	static const int64_t a[] = { 10, 30, 26, 28, 40, END }, b[] = { 20, END };
	static const int64_t *const streams[] = { a, b };
	struct trc_info *info = check(streams, 2, "0:10#1 1:20#2 0:30#3 0:30#4 0:30#5 0:40#6 ");

	g_assert_cmpuint(info->stepped_back, ==, 2);
	trc_info_summarise(info);
	g_assert_cmpuint(info->warnings->len, ==, 1);
	g_assert_nonnull(strstr(g_ptr_array_index(info->warnings, 0), "2 events"));
	trc_info_free(info);
}

static void test_gaps(void)
{
	static const int64_t a[] = { LOST, 5, 50, PACKET, 10, 20, CLOSE, PACKET, 60, END },
			     b[] = { 30, 70, END };
	static const int64_t *const streams[] = { a, b };
	struct trc_info *info;

	/* The packet with 10 and 20 ends at 50; the lost events lie between 20 and 50. */
	info = check(streams, 2, "0<5#0 0:10#1 0:20#2 1:30#3 0>50#0(20) 0:60#4 1:70#5 ");
	g_assert_cmpuint(info->discarded, ==, 7);
	g_assert_cmpuint(info->gaps->len, ==, 1);
	g_assert_cmpuint(g_array_index(info->gaps, struct trc_gap, 0).cpu, ==, 0);
	g_assert_cmpint(g_array_index(info->gaps, struct trc_gap, 0).to, ==, 50);
	trc_info_free(info);
}

/* A stream that ends before others: events of its CPU are missing from there on. */
static void test_closed(void)
{
	static const int64_t a[] = { 10, CLOSED, 35, CLOSE, END }, b[] = { 20, 30, CLOSED, 36, 36, END },
			     c[] = { 12, CLOSED, 38, CLOSE, END }, d[] = { 14, 40, CLOSED, 45, END };
	static const int64_t *const stopped[] = { a, b }, *const snapshot[] = { a, b, c, d },
				    *const first[] = { c, a };
	static const int64_t early[] = { CLOSED, 5, CLOSE, END };
	static const int64_t *const before[] = { early, a };

	trc_info_free(check(stopped, 2, "0:10#1 1:20#2 1:30#3 0<35#0 1:36#4 "));
	trc_info_free(
		check(snapshot, 4, "0:10#1 2:12#2 3:14#3 1:20#4 1:30#5 0<35#0 1:36#6 1<36#0 2<38#0 3:40#7 "));
	trc_info_free(check(first, 2, "1:10#1 0:12#2 "));
	trc_info_free(check(before, 2, "0<5#0 1:10#1 "));
}

static void test_lost_packets(void)
{
	static const int64_t a[] = { 10, CLOSE, LOST_PACKETS, 20, 40, PACKET, 40, END };
	static const int64_t *const streams[] = { a };
	struct trc_info *info = check(streams, 1, "0:10#1 0<20#0 0>40#0(10) 0:40#2 ");

	g_assert_cmpuint(info->discarded_packets, ==, 3);
	trc_info_free(info);
}

/* A packet that ends after the next begins: marks must not push events forward. */
static void test_overlap(void)
{
	static const int64_t a[] = { LOST, 0, 100, PACKET, 10, CLOSE, LOST, 100, 200, PACKET, 90, 150, CLOSE,
		END };
	static const int64_t *const streams[] = { a };
	struct trc_info *info = check(streams, 1,
		"0<0#0 0:10#1 0>90#0(10) 0<90#0 0:90#2 0:150#3 0>200#0(150) ");

	g_assert_cmpuint(info->stepped_back, ==, 0);
	trc_info_free(info);
}

/* Any number of packets without events make one gap. */
static void test_empty_packets(void)
{
	int64_t a[500], *at = a;
	const int64_t *const streams[] = { a };
	int i;

	*at++ = 2;
	for (i = 0; i < 50; i++) {
		*at++ = CLOSE;
		*at++ = LOST;
		*at++ = 10 * i + 4;
		*at++ = 10 * i + 14;
		*at++ = LOST_PACKETS;
		*at++ = 10 * i + 4;
		*at++ = 10 * i + 5;
		*at++ = PACKET;
	}
	*at++ = CLOSE;
	*at++ = PACKET;
	*at++ = 1000;
	*at = END;
	trc_info_free(check(streams, 1, "0:2#1 0<4#0 0<4#0 0>495#0(2) 0>504#0(2) 0:1000#2 "));
}

static void test_cut(void)
{
	static const int64_t a[] = { 10, 20, CUT, END }, b[] = { 30, END };
	static const int64_t *const streams[] = { a, b };
	struct trc_info *info = check(streams, 2, "0:10#1 0:20#2 0<20#0 1:30#3 ");

	g_assert_cmpuint(info->gaps->len, ==, 1);
	trc_info_free(info);
}

static void test_texts(void)
{
	struct trc_info *info = trc_info_new("/x");
	struct trc_queue *q = trc_queue_new("s", info);
	GPtrArray *texts = g_ptr_array_new();
	char large[5000];
	guint i;

	memset(large, 'x', sizeof(large));
	for (i = 0; i < 1000; i++)
		g_ptr_array_add(texts, (gpointer)trc_queue_text(q, large, i * 5));
	for (i = 0; i < 1000; i++)
		g_assert_cmpuint(strlen(g_ptr_array_index(texts, i)), ==, MIN(i * 5, TRC_TEXT_MAX - 1));
	trc_queue_reset(q);
	g_assert_cmpstr(trc_queue_text(q, "ab\0cd", 5), ==, "ab");
	g_assert_cmpstr(trc_queue_text(q, "", 0), ==, "");
	g_ptr_array_unref(texts);
	trc_queue_free(q);
	trc_info_free(info);
}

/* Names are compared with all bytes: bytes of the field or of memory behind the name must not matter. */
static void test_padded(void)
{
	static const struct {
		const char *field, *name; /* of MDL_COMM bytes; up to its first zero, with zeros behind */
	} cases[] = {
		{ "ab\0cdefghijklmn", "ab\0\0\0\0\0\0\0\0\0\0\0\0\0" },
		{ "\0bcdefghijklmno", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" },
		{ "abcdefg\0ijklmno", "abcdefg\0\0\0\0\0\0\0\0" },
		{ "abcdefgh\0jklmno", "abcdefgh\0\0\0\0\0\0\0" },
		{ "\x80\x01\xff\x01\0\x01\x80\xff-------", "\x80\x01\xff\x01\0\0\0\0\0\0\0\0\0\0\0" },
		{ "abcdefghijklmno", "abcdefghijklmno" },
	};
	struct trc_info *info = trc_info_new("/x");
	struct trc_queue *q = trc_queue_new("s", info);

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *field = cases[i].field, *name = cases[i].name;

		for (guint n = 0; n < TRC_TEXTS_SIZE; n += 2 * MDL_COMM) { /* into the reserve, too */
			g_assert_cmpmem(trc_queue_chars(q, field, MDL_COMM), MDL_COMM, name, MDL_COMM);
			g_assert_cmpmem(trc_queue_text(q, field, MDL_COMM), MDL_COMM, name, MDL_COMM);
		}
		g_assert_cmpmem(trc_queue_text(q, field, strlen(field)), MDL_COMM, name, MDL_COMM);
		memset(q->texts, 'x', TRC_TEXTS_SIZE);
		trc_queue_reset(q);
	}
	g_assert_cmpstr(trc_queue_chars(q, "abcdefghijklmnop+", MDL_COMM), ==, "abcdefghijklmnop");
	trc_queue_free(q);
	trc_info_free(info);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/merge/order", test_order);
	g_test_add_func("/merge/first-switch", test_first_switch);
	g_test_add_func("/merge/ranks", test_ranks);
	g_test_add_func("/merge/step-back", test_step_back);
	g_test_add_func("/merge/gaps", test_gaps);
	g_test_add_func("/merge/closed", test_closed);
	g_test_add_func("/merge/lost-packets", test_lost_packets);
	g_test_add_func("/merge/overlap", test_overlap);
	g_test_add_func("/merge/empty-packets", test_empty_packets);
	g_test_add_func("/merge/cut", test_cut);
	g_test_add_func("/merge/texts", test_texts);
	g_test_add_func("/merge/padded", test_padded);
	return g_test_run();
}
