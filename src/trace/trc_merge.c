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
 * A queue that waits for its trace to grow stands in the heap with the time from which on it may have events:
 * what comes later waits with it.
 *
 * The streams of a snapshot end one after the other while the session goes on
 * (lttng_consumer_snapshot_channel() of lttng-tools flushes and copies them in turn), and so do those of each
 * chunk of a rotation: what comes of other streams after the end of one has a gap on its CPU.  When a session
 * stops no event is recorded any more, and then all are flushed.
 *
 * Ties go to the stream that comes first by name, so that every reader gives the
 * same sequence; or, if events have ranks, to the lower rank.
 */
#include "trace/trc_forward.h"
#include "trace/trc_reader.h"

#include "base/base_time.h"

#include <string.h>

#define HOLE 5000000  /* ns: CPUs idle, or run one thread each, for less, often */
#define AHEAD 8       /* events */
#define CACHE_LINE 64 /* bytes */

/* After TIME events of CPU are missing, as a stream of it ended. */
struct closed {
	int64_t time;
	uint32_t cpu;
};

struct trc_merge {
	struct trc_info *info; /* weak */
	trc_fill_func fill;
	void *data;
	struct trc_queue **heap; /* owned array of weak pointers */
	int64_t *times;          /* owned: next time of the queue at the same place of the heap */
	unsigned n;
	GArray *closed;        /* owned, of struct closed: those that are to be told, by time, behind … */
	guint n_told;          /* … so many that are */
	int64_t closes;        /* the first that is to be told; INT64_MAX: there are none */
	struct trc_queue *dry; /* ran empty, must be filled first; not in the heap */
	int64_t now;           /* time of the last event of all */
	int64_t heard;         /* … without asides */
	struct trc_forward forward;
	unsigned n_missing; /* queues that miss a switch before their next event */
};

/* True if the next event of A comes before that of B, at the same time. */
static bool wins_tie(const struct trc_queue *a, const struct trc_queue *b)
{
	if (a->ranked && b->ranked && a->position < a->count && b->position < b->count &&
		a->events[a->position].rank != b->events[b->position].rank)
		return a->events[a->position].rank < b->events[b->position].rank;
	return a->order < b->order;
}

static bool merge_is_before(const struct trc_merge *m, unsigned a, unsigned b)
{
	if (m->times[a] != m->times[b])
		return m->times[a] < m->times[b];
	return wins_tie(m->heap[a], m->heap[b]);
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
	for (; i && merge_is_before(m, i, (i - 1) / 2); i = (i - 1) / 2)
		swap(m, i, (i - 1) / 2);
}

static void sift_down(struct trc_merge *m, unsigned i)
{
	for (;;) {
		unsigned first = i, child = 2 * i + 1;

		if (child < m->n && merge_is_before(m, child, first))
			first = child;
		if (child + 1 < m->n && merge_is_before(m, child + 1, first))
			first = child + 1;
		if (first == i)
			return;
		swap(m, i, first);
		i = first;
	}
}

/* Q ended for good. */
static void note_closed(struct trc_merge *m, const struct trc_queue *q)
{
	struct closed closed = { .time = q->closed, .cpu = q->cpu };

	if (q->closed == BASE_TIME_NONE || q->cpu == TRC_CPU_UNKNOWN)
		return;
	g_array_append_val(m->closed, closed);
	m->closes = MIN(m->closes, closed.time);
}

/* Return the queue that continues Q, which ended. */
static struct trc_queue *next_of(struct trc_merge *m, struct trc_queue *q)
{
	struct trc_queue *next = trc_queue_go_on(q);

	if (!next)
		note_closed(m, q);
	return next;
}

/* Fill Q if it is empty, or the one that goes on where it ended; put it into the heap if it has something. */
static void refill(struct trc_merge *m, struct trc_queue *q)
{
	bool waits = false;

	while (q && q->position == q->count && !waits) {
		if (q->ended) {
			q = next_of(m, q);
			continue;
		}
		trc_queue_reset(q);
		m->fill(m->data, q);
		waits = q->position == q->count && !q->ended;
	}
	if (!q)
		return;
	m->heap[m->n] = q;
	m->times[m->n] = waits ? q->certain : q->events[q->position].time;
	sift_up(m, m->n++);
}

/* Its events are still to come. */
static bool is_waiting(const struct trc_queue *q)
{
	return q->position == q->count;
}

void trc_merge_more(struct trc_merge *m)
{
	unsigned n = m->n;

	/* Each goes back to its place or before it. */
	m->n = 0;
	for (unsigned i = 0; i < n; i++)
		refill(m, m->heap[i]);
}

const struct trc_queue *trc_merge_waits_for(const struct trc_merge *m)
{
	return m->n > 0 && is_waiting(m->heap[0]) ? m->heap[0] : NULL;
}

struct trc_merge *trc_merge_new(GPtrArray *queues, struct trc_info *info, trc_fill_func fill, void *data)
{
	struct trc_merge *m = g_new0(struct trc_merge, 1);

	m->info = info;
	m->fill = fill;
	m->data = data;
	m->heap = g_new(struct trc_queue *, queues->len + 1);
	m->times = g_new(int64_t, queues->len + 1);
	m->now = m->heard = BASE_TIME_NONE;
	m->closed = g_array_new(FALSE, FALSE, sizeof(struct closed));
	m->closes = INT64_MAX;
	for (unsigned i = 0; i < queues->len; i++) {
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
	g_array_unref(m->closed);
	g_free(m);
}

/*
 * The thread that the first switch of a stream takes out ran since the stream was recorded: the scheduler
 * traces each switch (__schedule() in kernel/sched/core.c), and a stream is of one CPU.  All CPUs begin to
 * record at once, with the first event of any (session->active in lttng_session_enable(), lttng-events.c of
 * lttng-modules); a packet that begins later has others before it that were overwritten.
 */
static void note_first(const struct trc_merge *m, struct trc_queue *q, struct mdl_event *event, bool mark)
{
	if (event->kind == MDL_EV_GAP_END && q->delivered == BASE_TIME_NONE) {
		q->switched = false; /* a gap before all events of the stream is over with the first */
		q->opened = BASE_TIME_NONE;
		return;
	}
	if (!mark && q->began == BASE_TIME_NONE)
		q->began = q->opened == BASE_TIME_NONE || !m->info->events
			? event->time
			: MIN(event->time, MAX(m->info->first, q->opened));
	if (!mark && event->kind != MDL_EV_SCHED_SWITCH)
		return;
	if (!mark)
		event->arg[MDL_SWITCH_SINCE] = q->began;
	q->switched = true;
}

static bool is_mark(const struct mdl_event *event)
{
	return event->kind == MDL_EV_GAP_BEGIN || event->kind == MDL_EV_GAP_END;
}

/* True if EVENT says that a switch is missing, which its queue shows with its next event.  SURE: it
 * names the running thread. */
static bool tells_missing(const struct mdl_event *event, bool sure)
{
	return event->kind == MDL_EV_RUNS && event->arg[MDL_RUNS_TID] != MDL_ARG_ABSENT &&
		(event->arg[MDL_RUNS_SURE] != 0) == sure;
}

/* True if a program wrote EVENT, whether the kernel was recorded or not. */
static bool is_of_no_cpu(const struct mdl_event *event)
{
	return event->cpu == TRC_CPU_UNKNOWN;
}

static void note_missing(struct trc_merge *m, struct trc_queue *q, const struct mdl_event *event)
{
	bool misses = event->aside && (q->misses || tells_missing(event, false));

	if (!event->aside && !is_of_no_cpu(event))
		m->heard = event->time;
	m->n_missing = m->n_missing + misses - q->misses;
	q->misses = misses;
}

/* True if no CPU recorded anything before EVENT for longer than usual while a switch was missed.  Then
 * tracing was off: tracing_on was 0, or all events were disabled. */
static bool ends_hole(const struct trc_merge *m, const struct mdl_event *event)
{
	return m->heard != BASE_TIME_NONE && !is_mark(event) && !is_of_no_cpu(event) &&
		(!event->aside || tells_missing(event, true)) && event->time - m->heard >= HOLE;
}

/* The hole that EVENT ends, to be delivered before it. */
static struct mdl_event take_hole(struct trc_merge *m, const struct mdl_event *event)
{
	struct mdl_event hole = { .time = event->time,
		.cpu = event->cpu,
		.kind = MDL_EV_HOLE,
		.aside = true };

	mdl_event_no_args(&hole);
	hole.arg[MDL_HOLE_SINCE] = m->heard;
	m->heard = event->time;
	return hole;
}

/* True if EVENT was recorded after a stream had ended. */
static bool is_after_close(const struct trc_merge *m, const struct mdl_event *event)
{
	return event->time > m->closes && !event->aside && !is_mark(event);
}

static int merge_by_time(const void *a, const void *b)
{
	const struct closed *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static const struct closed *closed_at(const struct trc_merge *m, guint i)
{
	return &g_array_index(m->closed, struct closed, i);
}

/* The gap of the stream that ended first, to be delivered before an event of others. */
static struct mdl_event take_closed(struct trc_merge *m)
{
	const struct closed *first;
	struct mdl_event gap = { .kind = MDL_EV_GAP_BEGIN };

	qsort(&g_array_index(m->closed, struct closed, m->n_told), m->closed->len - m->n_told, sizeof *first,
		merge_by_time);
	first = closed_at(m, m->n_told);
	gap.time = m->now = MAX(first->time, m->now);
	gap.cpu = first->cpu;
	mdl_event_no_args(&gap);
	m->n_told++;
	m->closes = m->n_told < m->closed->len ? closed_at(m, m->n_told)->time : INT64_MAX;
	return gap;
}

/* All has been read: the gaps behind streams that had ended go on up to here. */
static void end_closed(struct trc_merge *m)
{
	for (guint i = 0; i < m->n_told; i++)
		trc_info_add_gap(m->info, closed_at(m, i)->cpu, closed_at(m, i)->time,
			MAX(closed_at(m, i)->time, m->now), 0);
	m->n_told = 0;
	g_array_set_size(m->closed, 0);
	m->closes = INT64_MAX;
}

/* Give EVENT of Q its time and place in the whole trace. */
static void merge_place(struct trc_merge *m, struct trc_queue *q, struct mdl_event *event)
{
	bool mark = is_mark(event);

	if (event->time < m->now) {
		event->time = m->now;
		m->info->late |= mark;
		m->info->stepped_back += !mark && !event->aside;
	} else if (trc_forward_looks(&m->forward) && !mark && !event->aside) {
		trc_forward_event(&m->forward, m->info, event,
			m->info->events > 0 ? event->time - m->info->last : 0);
	}
	m->now = event->time;
	event->padded = true; /* by trc_queue_text() */
	if (!mark)
		note_missing(m, q, event);
	if (event->aside)
		return;
	if ((!q->switched || (mark && q->delivered == BASE_TIME_NONE)) && q->cpu != TRC_CPU_UNKNOWN)
		note_first(m, q, event, mark);
	if (!mark) {
		q->delivered = event->time;
		q->n_delivered++;
		event->rank = ++m->info->events;
		m->info->last = event->time;
		if (event->rank == 1)
			m->info->first = event->time;
	} else if (event->kind == MDL_EV_GAP_END && q->delivered != BASE_TIME_NONE) {
		event->arg[MDL_GAP_LAST_EVENT] = q->delivered;
	}
}

/* Of an event without use only its time and place are known. */
static void merge_clear(struct mdl_event *event)
{
	event->label = NULL;
	event->packet = NULL;
	event->counts = NULL;
	mdl_event_no_args(event);
	memset(event->text, 0, sizeof(event->text));
}

/*
 * Ask for the event that is read a little later: it was written by another
 * processor, whose cache still has it.  An address beyond the end does no harm.
 */
static inline void merge_ask_for(const struct mdl_event *event)
{
	__builtin_prefetch((const char *)(event + AHEAD));
	__builtin_prefetch((const char *)(event + AHEAD) + CACHE_LINE);
}

/* Likewise for the place where an event is written a little later: another processor still has what it
 * read there. */
static inline void ask_to_write(struct mdl_event *event)
{
	__builtin_prefetch((char *)(event + AHEAD), 1);
	__builtin_prefetch((char *)(event + AHEAD) + CACHE_LINE, 1);
}

/* Move events of the top queue to EVENTS until it is empty, no longer first, or MAX are there.  Returns how
 * many. */
static int drain_top(struct trc_merge *m, struct mdl_event *events, int max)
{
	struct trc_queue *q = m->heap[0];
	unsigned other = m->n > 2 && merge_is_before(m, 2, 1) ? 2 : 1;
	int64_t until = m->n > 1 ? m->times[other] : INT64_MAX;
	int n = 0;

	while (q->position < q->count && n < max) {
		struct mdl_event *event = &q->events[q->position];

		merge_ask_for(event);
		ask_to_write(&events[n]);
		if (event->time > until || (event->time == until && m->n > 1 && !wins_tie(q, m->heap[other])))
			break;
		if (G_UNLIKELY(is_after_close(m, event))) {
			events[n++] = take_closed(m);
			continue;
		}
		if (G_UNLIKELY(m->n_missing > 0) && ends_hole(m, event)) {
			events[n++] = take_hole(m, event);
			continue;
		}
		q->position++;
		/* (Copied first: a part that was just written is slow to copy with its neighbours.) */
		events[n] = *event;
		merge_place(m, q, &events[n]);
		if (events[n].kind == MDL_EV_NONE) {
			if (events[n].rank % TRC_EVENT_STEP != 1)
				continue;
			merge_clear(&events[n]);
		}
		n++;
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

int trc_merge_cut(struct trc_merge *m, struct mdl_event *events, int max)
{
	int n = 0;

	for (unsigned i = 0; i < m->n; i++) {
		struct trc_queue *q = m->heap[i];

		if (is_waiting(q))
			trc_queue_let_out(q);
		for (; q->position < q->count && n < max && is_mark(&q->events[q->position]); q->position++) {
			q->events[q->position].time = m->now;
			merge_place(m, q, &q->events[q->position]);
			events[n++] = q->events[q->position];
		}
	}
	return n;
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
		if (!m->n || is_waiting(m->heap[0]))
			break;
		n += drain_top(m, events + n, max - n);
		settle_top(m);
	}
	if (!n && !m->n)
		end_closed(m);
	return n;
}
