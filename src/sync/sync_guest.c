/* SPDX-License-Identifier: MIT */
/*
 * How it works: an offset between the clocks assigns the events of the guest's CPU to stays, and follows
 * them: an event between two stays, but near one of them, moves the offset. An offset that is slightly wrong
 * may assign an event to the stay before or after. So an event becomes a message only if every offset that
 * may be right assigns it there.
 */
#include "sync/sync_guests.h"

#include "sync/sync_clock.h"

#define NEAR 20000  /* ns that an event may lie beside a stay */
#define SURE 100000 /* ns that a line which follows the stays may be off, plus … */
#define DRIFT 5000  /* … 1/DRIFT of the time since the event before: 200 ppm */
#define SECOND INT64_C(1000000000)

struct stay {
	int64_t from, to;
};

struct sync_guest {
	const struct sync_rows *rows; /* weak */
	int64_t from, to;             /* ns of the host: stays that begin in [FROM, TO) count */
	void *stays, *events;
	/* if there is none, BEFORE and NOW begin at INT64_MIN, NEXT at INT64_MAX */
	struct stay before, now, next;
	struct sync_line line;
	const GArray *bounds; /* weak; NULL: the line is followed */
	int64_t off;          /* ns by which the present stays are later than the line */
	int64_t last;         /* ns of the guest: the event before; INT64_MIN: none */
	bool last_sure;       /* … and it surely belongs to NOW, not to NEXT */
	bool fresh;           /* no message of NOW's begin yet */
	struct sync_message queue[2];
	unsigned n_queue;
	uint64_t inside, outside;
};

/* The next stay that counts. */
static struct stay read_stay(const struct sync_guest *g)
{
	struct stay s;

	while (g->rows->next(g->stays, &s.from, &s.to))
		if (s.from >= g->from)
			return s.from < g->to ? s : (struct stay){ INT64_MAX, INT64_MAX };
	return (struct stay){ INT64_MAX, INT64_MAX };
}

struct sync_guest *sync_guest_new(const struct sync_rows *rows, const struct sync_vcpu *v, bool all)
{
	static const struct stay none = { INT64_MIN, INT64_MIN };
	struct sync_guest *g = g_new0(struct sync_guest, 1);

	g->rows = rows;
	g->from = v->from;
	g->to = v->to;
	g->line = v->line;
	g->bounds = v->bounds;
	g->stays = rows->open(rows->data, v->self.host, v->self.row,
		MAX(v->from, sync_line_reference(&v->line, v->begin) - SECOND));
	g->events = all ? rows->open_all(rows->data, v->cpu.host, v->cpu.row, v->begin) : NULL;
	if (!g->events)
		g->events = rows->open(rows->data, v->cpu.host, v->cpu.row, v->begin);
	g->before = g->now = none;
	g->last = INT64_MIN;
	g->next = read_stay(g);
	return g;
}

void sync_guest_free(struct sync_guest *g)
{
	g->rows->close(g->stays);
	g->rows->close(g->events);
	g_free(g);
}

/* Go to the next stay.  The last event of the stay before becomes a message. */
static void guest_step(struct sync_guest *g)
{
	if (g->last_sure)
		g->queue[g->n_queue++] = (struct sync_message){ g->last, g->now.to, true };
	g->last_sure = false;
	g->fresh = true;
	g->before = g->now;
	g->now = g->next;
	if (g->next.from < INT64_MAX)
		g->next = read_stay(g);
}

/* Find the stay of the event at AT of the host.  False if there is none near. */
static bool find_stay(struct sync_guest *g, int64_t at, int64_t near)
{
	while (g->next.from <= at)
		guest_step(g);
	if (at <= g->now.to)
		return true;
	if (g->next.from != INT64_MAX && g->next.from - at <= near &&
		(g->now.from == INT64_MIN || g->next.from - at < at - g->now.to)) {
		g->off += g->next.from - at;
		guest_step(g);
		return true;
	}
	if (g->now.from == INT64_MIN || at - g->now.to > near)
		return false;
	g->off -= at - g->now.to;
	return true;
}

/* The time of an event of the guest by the host's clock. */
struct when {
	int64_t low, at, high;
	int64_t near; /* ns that it may lie beside a stay */
};

static struct when followed(const struct sync_guest *g, int64_t time)
{
	int64_t drift = g->last == INT64_MIN ? 0 : (time - g->last) / DRIFT, sure = SURE + 2 * drift,
		at = sync_line_reference(&g->line, time) + g->off;

	return (struct when){ at - sure, at, at + sure, NEAR + drift };
}

static struct when bounded(const struct sync_guest *g, int64_t time)
{
	sync_wide low, high;
	struct when w = { .near = NEAR };

	sync_bounds_at(g->bounds, time, &low, &high);
	w.low = (int64_t)low;
	w.high = (int64_t)high;
	w.at = w.low + (w.high - w.low) / 2;
	return w;
}

static void add_event(struct sync_guest *g, int64_t time)
{
	struct when w = g->bounds ? bounded(g, time) : followed(g, time);

	if (!find_stay(g, w.at, w.near)) {
		/* Events before and after the host's recording show nothing. */
		g->outside += g->now.from != INT64_MIN && g->next.from != INT64_MAX;
		return;
	}
	g->inside++;
	if (g->fresh && g->before.from != INT64_MIN && w.low > g->before.to)
		g->queue[g->n_queue++] = (struct sync_message){ time, g->now.from, false };
	g->fresh = false;
	g->last = time;
	g->last_sure = g->next.from != INT64_MAX && w.high < g->next.from;
}

bool sync_guest_next(struct sync_guest *g, struct sync_message *message)
{
	int64_t time, unused;

	while (g->n_queue == 0)
		if (!g->rows->next(g->events, &time, &unused))
			return false;
		else
			add_event(g, time);
	*message = g->queue[0];
	g->queue[0] = g->queue[1];
	g->n_queue--;
	return true;
}

void sync_guest_count(const struct sync_guest *g, struct sync_vcpu *v)
{
	v->inside = g->inside;
	v->outside = g->outside;
}
