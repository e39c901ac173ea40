/* SPDX-License-Identifier: MIT */
/*
 * How it works: the streams are in a binary heap of queues, with the smallest next time on top. Events come
 * in runs of one CPU, so the top queue is drained until it is no longer first, and then moved to its place.
 *
 * Texts of an event are in the memory of its queue, which is reused when the queue is filled. So an empty
 * queue is filled at the start of the next call, and a call ends there if it has something to return.
 *
 * A queue that waits for its trace to grow is in the heap with the earliest time that its next event can
 * have. All later events wait with it.
 *
 * The streams of a snapshot end one by one while the session continues (lttng_consumer_snapshot_channel() of
 * lttng-tools flushes and copies them in turn). So do those of each chunk of a rotation. Events of other
 * streams after the end of one make a gap on its CPU. When a session stops, recording ends first and then all
 * streams are flushed.
 *
 * Events at one time are ordered by the name of their stream, so that every reader gives one sequence; or by
 * rank, if they have ranks.
 */
#include "trace/trc_forward.h"
#include "trace/trc_reader.h"

#include "base/base_time.h"

#include <string.h>

#define HOLE 5000000  /* ns: CPUs are often idle, or run one thread each, for less */
#define AHEAD 8       /* events */
#define CACHE_LINE 64 /* bytes */

/* Events of CPU are missing after TIME, because a stream of it ended. */
struct closed {
	int64_t time;
	uint32_t cpu;
};

struct trc_merge {
	struct trc_info *info; /* weak */
	trc_fill_func fill;
	void *data;
	struct trc_queue **heap; /* owned array of weak pointers */
	int64_t *times;          /* owned: next time of the queue at the same index of HEAP */
	unsigned n;
	GArray *closed;        /* owned, of struct closed: gaps to emit, by time, after … */
	guint n_told;          /* … the first N_TOLD, which are emitted */
	int64_t closes;        /* time of the first to emit; INT64_MAX: none */
	struct trc_queue *dry; /* an empty queue, which must be filled first; not in HEAP */
	int64_t now;           /* time of the last event */
	int64_t heard;         /* time of the last event that is no aside */
	struct trc_forward forward;
	unsigned n_missing; /* queues that miss a switch before their next event */
};

/* True if the next event of A comes before that of B at one time. */
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

/* Note that Q ended and no queue continues it. */
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

/* Fill Q or, if it ended, the queue that continues it. Put it into the heap if it has events or waits. */
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

/* True if Q has no event now. Its trace still grows. */
static bool is_waiting(const struct trc_queue *q)
{
	return q->position == q->count;
}

void trc_merge_more(struct trc_merge *m)
{
	unsigned n = m->n;

	/* Each queue goes back to its index or before it. */
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
 * Note the first switch of a stream. The thread that it takes out ran since the stream began, because the
 * scheduler traces each switch (__schedule(), kernel/sched/core.c), and a stream has one CPU. All CPUs begin
 * to record together, with the first event of any (session->active in lttng_session_enable(), lttng-events.c
 * of lttng-modules). If a stream begins with a later packet, earlier ones were overwritten.
 */
static void note_first(const struct trc_merge *m, struct trc_queue *q, struct mdl_event *event, bool mark)
{
	if (event->kind == MDL_EV_GAP_END && q->delivered == BASE_TIME_NONE) {
		q->switched = false; /* the first event ends a gap before all events of the stream */
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

/* True if EVENT reports a missing switch, found with the queue's next event. SURE: with the thread. */
static bool tells_missing(const struct mdl_event *event, bool sure)
{
	return event->kind == MDL_EV_RUNS && event->arg[MDL_RUNS_TID] != MDL_ARG_ABSENT &&
		(event->arg[MDL_RUNS_SURE] != 0) == sure;
}

/* True if a program wrote EVENT, which has no CPU. */
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

/* True if before EVENT no CPU recorded anything for longer than usual, and a switch was missing. Then tracing
 * was off: tracing_on was 0, or all events were disabled. */
static bool ends_hole(const struct trc_merge *m, const struct mdl_event *event)
{
	return m->heard != BASE_TIME_NONE && !is_mark(event) && !is_of_no_cpu(event) &&
		(!event->aside || tells_missing(event, true)) && event->time - m->heard >= HOLE;
}

/* Return the hole that EVENT ends. It goes before EVENT. */
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

/* True if EVENT comes after the end of a stream. */
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

/* Return the gap of the stream that ended first. It goes before an event of another stream. */
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

/* At the end: the gaps after ended streams last up to the last event. */
static void end_closed(struct trc_merge *m)
{
	for (guint i = 0; i < m->n_told; i++)
		trc_info_add_gap(m->info, closed_at(m, i)->cpu, closed_at(m, i)->time,
			MAX(closed_at(m, i)->time, m->now), 0);
	m->n_told = 0;
	g_array_set_size(m->closed, 0);
	m->closes = INT64_MAX;
}

/* Set time and place of EVENT, of Q, in the whole trace. */
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
	event->padded = true; /* trc_queue_text() pads */
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

/* Of an event that the model does not use, only time and place are known. */
static void merge_clear(struct mdl_event *event)
{
	event->label = NULL;
	event->packet = NULL;
	event->counts = NULL;
	mdl_event_no_args(event);
	memset(event->text, 0, sizeof(event->text));
}

/*
 * Prefetch the event that is read a little later. Another processor wrote it and still has it in its cache.
 * An address after the end does no harm.
 */
static inline void merge_ask_for(const struct mdl_event *event)
{
	__builtin_prefetch((const char *)(event + AHEAD));
	__builtin_prefetch((const char *)(event + AHEAD) + CACHE_LINE);
}

/* Prefetch the place to write an event a little later. Another processor has what it read there. */
static inline void ask_to_write(struct mdl_event *event)
{
	__builtin_prefetch((char *)(event + AHEAD), 1);
	__builtin_prefetch((char *)(event + AHEAD) + CACHE_LINE, 1);
}

/* Move events of the top queue to EVENTS while it has some and is first, at most MAX. Returns their
 * number. */
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
		/* Copy first: copying a part that was just written, with its neighbours, is slow. */
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

/* Move the drained top queue to its place. */
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
