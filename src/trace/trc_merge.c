/* SPDX-License-Identifier: MIT */
/*
 * A binary heap of queues, smallest next time on top.  As events come in runs
 * of one CPU, the top queue is drained until it is no longer first, and only
 * then put back in its place.
 *
 * Texts of an event stand in the arena of its queue, which goes away when the
 * queue is filled again.  So a queue that ran empty is filled at the start of
 * the next call, and a call ends there once it has something to return.
 *
 * Ties go to the stream with the lower index, so that every reader gives the
 * same sequence.
 */
#include "trace/trc_merge.h"

#include "base/base_time.h"
#include "trace/trc_reader.h"

#include <string.h>

#define AHEAD 8       /* events */
#define CACHE_LINE 64 /* bytes */

struct trc_merge {
	struct trc_info *info; /* weak */
	trc_fill_func fill;
	void *data;
	struct trc_queue **heap; /* owned array of weak pointers */
	int64_t *times;          /* owned: next time of the queue at the same place of the heap */
	unsigned n;
	struct trc_queue *dry; /* ran empty, must be filled first; not in the heap */
	int64_t now;           /* time of the last event of all */
};

static bool is_before(const struct trc_merge *m, unsigned a, unsigned b)
{
	if (m->times[a] != m->times[b])
		return m->times[a] < m->times[b];
	return m->heap[a]->index < m->heap[b]->index;
}

static void swap(struct trc_merge *m, unsigned a, unsigned b)
{
	struct trc_queue *queue = m->heap[a];
	int64_t time = m->times[a];

	m->heap[a] = m->heap[b];
	m->times[a] = m->times[b];
	m->heap[b] = queue;
	m->times[b] = time;
}

static void sift_up(struct trc_merge *m, unsigned i)
{
	for (; i && is_before(m, i, (i - 1) / 2); i = (i - 1) / 2)
		swap(m, i, (i - 1) / 2);
}

static void sift_down(struct trc_merge *m, unsigned i)
{
	for (;;) {
		unsigned first = i, child = 2 * i + 1;

		if (child < m->n && is_before(m, child, first))
			first = child;
		if (child + 1 < m->n && is_before(m, child + 1, first))
			first = child + 1;
		if (first == i)
			return;
		swap(m, i, first);
		i = first;
	}
}

/* Fill Q if it is empty, or the one that goes on where it ended; put it into the heap if it has something. */
static void refill(struct trc_merge *m, struct trc_queue *q)
{
	while (q && q->position == q->count) {
		if (q->ended) {
			q = trc_queue_go_on(q);
			continue;
		}
		trc_queue_reset(q);
		m->fill(m->data, q);
		if (q->position == q->count && !q->ended)
			return;
	}
	if (!q)
		return;
	m->heap[m->n] = q;
	m->times[m->n] = q->events[q->position].time;
	sift_up(m, m->n++);
}

struct trc_merge *trc_merge_new(GPtrArray *queues, struct trc_info *info, trc_fill_func fill, void *data)
{
	struct trc_merge *m = g_new0(struct trc_merge, 1);
	unsigned i;

	m->info = info;
	m->fill = fill;
	m->data = data;
	m->heap = g_new(struct trc_queue *, queues->len + 1);
	m->times = g_new(int64_t, queues->len + 1);
	m->now = BASE_TIME_NONE;
	for (i = 0; i < queues->len; i++) {
		struct trc_queue *q = g_ptr_array_index(queues, i);

		if (!q->is_later)
			refill(m, q);
	}
	return m;
}

void trc_merge_free(struct trc_merge *m)
{
	if (!m)
		return;
	g_free(m->heap);
	g_free(m->times);
	g_free(m);
}

/*
 * Who is taken out by the first switch of a stream ran since the stream was recorded: the scheduler traces
 * each switch (__schedule() in kernel/sched/core.c), and a stream is of one CPU.  All CPUs begin to record at
 * once, with the first event of any (session->active in lttng_session_enable(), lttng-events.c of
 * lttng-modules); a packet that begins later has others before it that were overwritten.
 */
static void note_first(const struct trc_merge *m, struct trc_queue *q, struct mdl_event *event, bool is_mark)
{
	if (!is_mark && q->began == BASE_TIME_NONE)
		q->began = q->opened == BASE_TIME_NONE || !m->info->events
			? event->time
			: MIN(event->time, MAX(m->info->first, q->opened));
	if (!is_mark && event->kind != MDL_EV_SCHED_SWITCH)
		return;
	if (!is_mark)
		event->arg[MDL_SWITCH_SINCE] = q->began;
	q->switched = true;
}

/* Give EVENT of Q its time and place in the whole trace. */
static void place(struct trc_merge *m, struct trc_queue *q, struct mdl_event *event)
{
	bool is_mark = event->kind == MDL_EV_GAP_BEGIN || event->kind == MDL_EV_GAP_END;

	if (event->time < m->now) {
		event->time = m->now;
		m->info->stepped_back += !is_mark;
	}
	m->now = event->time;
	event->padded = false; /* its texts are as the reader has them */
	if (!q->switched && q->cpu != TRC_CPU_UNKNOWN)
		note_first(m, q, event, is_mark);
	if (!is_mark) {
		q->delivered = event->time;
		event->rank = ++m->info->events;
		m->info->last = event->time;
		if (event->rank == 1)
			m->info->first = event->time;
	} else if (event->kind == MDL_EV_GAP_END && q->delivered != BASE_TIME_NONE) {
		event->arg[MDL_GAP_LAST_EVENT] = q->delivered;
	}
}

/* Of an event without use only its time and place are known. */
static void clear(struct mdl_event *event)
{
	int i;

	event->label = NULL;
	event->packet = NULL;
	for (i = 0; i < MDL_ARGS; i++)
		event->arg[i] = MDL_ARG_ABSENT;
	memset(event->text, 0, sizeof(event->text));
}

/*
 * Ask for the event that is read a little later: it was written by another
 * processor, whose cache still has it.  An address beyond the end does no harm.
 */
static inline void ask_for(const struct mdl_event *event)
{
	__builtin_prefetch((const char *)(event + AHEAD));
	__builtin_prefetch((const char *)(event + AHEAD) + CACHE_LINE);
}

/* Move events of the top queue to EVENTS until it is empty, no longer first, or MAX are there.  Returns how
 * many. */
static int drain_top(struct trc_merge *m, struct mdl_event *events, int max)
{
	struct trc_queue *q = m->heap[0];
	unsigned other = m->n > 2 && is_before(m, 2, 1) ? 2 : 1;
	int64_t until = m->n > 1 ? m->times[other] : INT64_MAX;
	bool wins_ties = m->n < 2 || q->index < m->heap[other]->index;
	int n = 0;

	while (q->position < q->count && n < max) {
		struct mdl_event *event = &q->events[q->position];

		ask_for(event);
		if (event->time > until || (event->time == until && !wins_ties))
			break;
		q->position++;
		place(m, q, event);
		if (event->kind == MDL_EV_NONE) {
			if (event->rank % TRC_EVENT_STEP != 1)
				continue;
			clear(event);
		}
		events[n++] = *event;
	}
	return n;
}

/* Put the top queue where it belongs after it was drained. */
static void settle_top(struct trc_merge *m)
{
	struct trc_queue *q = m->heap[0];

	if (q->position < q->count) {
		m->times[0] = q->events[q->position].time;
	} else {
		m->dry = q;
		m->n--;
		m->heap[0] = m->heap[m->n];
		m->times[0] = m->times[m->n];
	}
	sift_down(m, 0);
}

int trc_merge_read(struct trc_merge *m, struct mdl_event *events, int max)
{
	int n = 0;

	while (n < max) {
		if (m->dry && n)
			break;
		if (m->dry)
			refill(m, m->dry);
		m->dry = NULL;
		if (!m->n)
			break;
		n += drain_top(m, events + n, max - n);
		settle_top(m);
	}
	return n;
}
