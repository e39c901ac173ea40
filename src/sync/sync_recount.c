/* SPDX-License-Identifier: MIT */
/*
 * The bounds of a clock that does not follow one line: it changed its rate, so the lines that fit its parts
 * show less than they seem to.
 *
 * The only assumptions are that no message arrives before it was sent, and that the rate of the clock is at
 * most SYNC_RATE_MAX off (an NTP slew is 500 ppm). So each message bounds the clock from above or below, and
 * from there the clock can move away at that rate only. Between two lines, where the clock stepped, either
 * may hold (sync_bounds_at()). Packets do not show a step that is smaller than the quickest round trip; it is
 * known from the next packets on.
 *
 * How it works: the largest distance of the clock above and below the line of the piece is followed from
 * message to message, forwards over all of them and backwards within a block. The largest distance between
 * two messages is kept for the stretch between them. Neighbouring stretches are joined, the cheapest first,
 * so that few are left.
 */

#include "sync/sync_fit.h"
#include "sync/sync_hosts_parts.h"

#define BLOCK 4096                 /* messages that are followed backwards */
#define STRETCHES_MAX 32           /* stretches of a piece before joining … */
#define STRETCHES_KEPT 16          /* … and after it */
#define UNKNOWN (INT64_C(1) << 50) /* ns (13 days): nothing bounds it; sums of a few of these fit */

enum { ABOVE, BELOW, SIDES };

/* The largest distance of the clock from the line at a message, on either side. */
struct mark {
	int64_t at; /* ns of the host */
	int64_t off[SIDES];
};

struct stretch {
	int64_t from, to; /* ns of the host */
	int64_t off[SIDES];
};

struct wander {
	const GArray *pieces; /* weak */
	guint piece;          /* the piece of the present messages */
	struct sync_order order;
	GArray *block;          /* of struct mark: by their own messages */
	int64_t carried[SIDES]; /* at the first message of the block, from all before it */
	GArray *stretches;      /* of struct stretch: of the piece */
	GArray *bounds;         /* of struct sync_bound: of the pieces before it */
};

static const struct sync_piece *piece_of(const struct wander *w)
{
	return &g_array_index(w->pieces, struct sync_piece, w->piece);
}

static struct stretch *stretch_of(const struct wander *w, guint i)
{
	return &g_array_index(w->stretches, struct stretch, i);
}

static struct mark *mark_of(const struct wander *w, guint i)
{
	return &g_array_index(w->block, struct mark, i);
}

/* The distance that the clock can move away from the piece's line in SPAN ns. */
static int64_t gone(const struct wander *w, int64_t span)
{
	int64_t rate = piece_of(w)->line.rate;
	sync_wide way = ((sync_wide)span * (SYNC_RATE_MAX + ABS(rate)) >> SYNC_FRACTION_BITS) + 1;

	return way > UNKNOWN ? UNKNOWN : (int64_t)way;
}

/* ---- stretches ---- */

/* The area between the bounds that joining A and B adds. */
static double cost(const struct stretch *a, const struct stretch *b)
{
	double sum = 0;

	for (unsigned side = 0; side < SIDES; side++) {
		int64_t most = MAX(a->off[side], b->off[side]);

		sum += (double)(most - a->off[side]) * (double)(a->to - a->from) +
			(double)(most - b->off[side]) * (double)(b->to - b->from);
	}
	return sum;
}

static void make_few(struct wander *w)
{
	while (w->stretches->len > STRETCHES_KEPT) {
		struct stretch *a;
		guint best = 0;

		for (guint i = 1; i + 1 < w->stretches->len; i++)
			if (cost(stretch_of(w, i), stretch_of(w, i + 1)) <
				cost(stretch_of(w, best), stretch_of(w, best + 1)))
				best = i;
		a = stretch_of(w, best);
		a->to = a[1].to;
		for (unsigned side = 0; side < SIDES; side++)
			a->off[side] = MAX(a->off[side], a[1].off[side]);
		g_array_remove_index(w->stretches, best + 1);
	}
}

static void add_stretch(struct wander *w, const struct stretch *new)
{
	struct stretch *last = w->stretches->len > 0 ? stretch_of(w, w->stretches->len - 1) : NULL;

	/* Most stretches are like the one before. */
	if (last && new->off[ABOVE] <= last->off[ABOVE] && new->off[BELOW] <= last->off[BELOW] &&
		2 * (new->off[ABOVE] + new->off[BELOW]) >= last->off[ABOVE] + last->off[BELOW]) {
		last->to = new->to;
		return;
	}
	g_array_append_vals(w->stretches, new, 1);
	if (w->stretches->len > STRETCHES_MAX)
		make_few(w);
}

/* ---- a block ---- */

/* Set the distance at each message by the messages before, and BACK (of the size of the block) by those
 * after. */
static void spread(struct wander *w, unsigned side, int64_t *back)
{
	guint n = w->block->len;

	back[n - 1] = mark_of(w, n - 1)->off[side];
	for (guint i = n - 1; i-- > 0;)
		back[i] = MIN(mark_of(w, i)->off[side],
			MIN(back[i + 1] + gone(w, mark_of(w, i + 1)->at - mark_of(w, i)->at), UNKNOWN));
	mark_of(w, 0)->off[side] = MIN(mark_of(w, 0)->off[side], w->carried[side]);
	for (guint i = 1; i < n; i++) {
		int64_t way = gone(w, mark_of(w, i)->at - mark_of(w, i - 1)->at);

		mark_of(w, i)->off[side] = MIN(mark_of(w, i)->off[side],
			MIN(mark_of(w, i - 1)->off[side] + way, UNKNOWN));
	}
	w->carried[side] = mark_of(w, n - 1)->off[side];
}

/* Make stretches from the block; its last message begins the next one. */
static void end_block(struct wander *w)
{
	guint n = w->block->len;
	int64_t *back[SIDES];
	struct mark last;

	if (n == 0)
		return;
	for (unsigned side = 0; side < SIDES; side++) {
		back[side] = g_new(int64_t, n);
		spread(w, side, back[side]);
	}
	for (guint i = 0; i + 1 < n; i++) {
		const struct mark *m = mark_of(w, i), *next = m + 1;
		struct stretch s = { .from = m->at, .to = next->at };

		for (unsigned side = 0; side < SIDES; side++) {
			int64_t a = MIN(m->off[side], back[side][i]), b = back[side][i + 1],
				way = gone(w, next->at - m->at);

			/* the largest distance between the two messages, at which it is A and B */
			s.off[side] = ABS(a - b) >= way ? MIN(a, b) + way : (a + b + way) / 2 + 1;
		}
		add_stretch(w, &s);
	}
	last = *mark_of(w, n - 1);
	g_array_set_size(w->block, 0);
	g_array_append_val(w->block, last);
	for (unsigned side = 0; side < SIDES; side++)
		g_free(back[side]);
}

/* ---- a piece ---- */

/* Add a point of one side, OFF from the line at HOST.  Of two points at HOST the outer one stays. */
static void add_point(GArray *points, const struct sync_line *line, int64_t host, int64_t off, bool up)
{
	sync_wide whole = sync_line_exact(line, host) >> SYNC_FRACTION_BITS,
		  other = up ? whole + off + 2 : whole - off - 1;
	struct sync_point p = { host, (int64_t)CLAMP(other, INT64_MIN, INT64_MAX) }, *last;

	last = points->len > 0 ? &g_array_index(points, struct sync_point, points->len - 1) : NULL;
	if (!last || last->host < host)
		g_array_append_val(points, p);
	else
		last->other = up ? MAX(last->other, p.other) : MIN(last->other, p.other);
}

static GArray *points_of(const struct wander *w, unsigned side)
{
	GArray *points = g_array_new(FALSE, FALSE, sizeof(struct sync_point));
	const struct sync_line *line = &piece_of(w)->line;
	int64_t before = 0;

	for (guint i = 0; i < w->stretches->len; i++) {
		const struct stretch *s = stretch_of(w, i);
		int64_t after = i + 1 < w->stretches->len ? s[1].off[side] : 0;

		/* At the meeting of two stretches, the outer bound holds. */
		add_point(points, line, s->from + (before > s->off[side] && s->from < s->to), s->off[side],
			side == ABOVE);
		add_point(points, line, MAX(s->from, s->to - (after > s->off[side])), s->off[side],
			side == ABOVE);
		before = s->off[side];
	}
	return points;
}

static void end_piece(struct wander *w)
{
	const struct sync_piece *p = piece_of(w);
	struct sync_bound b = { .from = p->line.from,
		.seen = p->line.seen,
		.slow = -SYNC_RATE_MAX,
		.fast = SYNC_RATE_MAX };
	struct stretch only = { .from = p->first, .to = p->first, .off = { UNKNOWN, UNKNOWN } };

	end_block(w);
	/* it has one message at most, which was matched later than others of its time */
	if (w->stretches->len == 0)
		g_array_append_val(w->stretches, only);
	b.low = points_of(w, BELOW);
	b.high = points_of(w, ABOVE);
	g_array_append_val(w->bounds, b);
	g_array_set_size(w->stretches, 0);
	g_array_set_size(w->block, 0);
	w->carried[ABOVE] = w->carried[BELOW] = UNKNOWN;
}

static void recount_take(void *data, const struct sync_message *m)
{
	struct wander *w = data;
	const struct sync_piece *p = piece_of(w);
	struct mark mark = { .at = m->host, .off = { UNKNOWN, UNKNOWN } };
	sync_wide above;

	while (w->piece + 1 < w->pieces->len && p[1].line.from <= m->host) {
		end_piece(w);
		w->piece++;
		p = piece_of(w);
	}
	/* Messages between two pieces, in one direction only, belong to neither. */
	if (m->host < p->first || m->host > p->last)
		return;
	above = (sync_wide)m->other * ((sync_wide)1 << SYNC_FRACTION_BITS) -
		sync_line_exact(&p->line, m->host);
	above = m->from_host ? above : -above;
	mark.off[m->from_host ? ABOVE : BELOW] = (int64_t)CLAMP((above >> SYNC_FRACTION_BITS) + 1, 0,
		UNKNOWN);
	g_array_append_val(w->block, mark);
	if (w->block->len == BLOCK)
		end_block(w);
}

/* For a clock of PIECES, of struct sync_piece, at least one, which must outlive the result. */
static struct wander *wander_new(const GArray *pieces)
{
	struct wander *w = g_new0(struct wander, 1);

	w->pieces = pieces;
	w->block = g_array_new(FALSE, FALSE, sizeof(struct mark));
	w->stretches = g_array_new(FALSE, FALSE, sizeof(struct stretch));
	w->bounds = sync_bounds_new();
	w->carried[ABOVE] = w->carried[BELOW] = UNKNOWN;
	sync_order_init(&w->order, recount_take, w);
	return w;
}

/* No more messages come.  Frees W, and returns the bounds of each piece; their size does not depend on the
 * number of messages.  The caller frees. */
static GArray *wander_finish(struct wander *w)
{
	GArray *bounds = w->bounds;

	sync_order_finish(&w->order);
	for (; w->piece < w->pieces->len; w->piece++)
		end_piece(w);
	sync_order_clear(&w->order);
	g_array_unref(w->block);
	g_array_unref(w->stretches);
	g_free(w);
	return bounds;
}

/* ---- all hosts ---- */

struct sync_recount {
	struct sync_hosts *h;
	const struct sync_source *sources;
	struct wander **wanders; /* for each host; NULL: a single line holds, or it is not reached */
};

static const struct sync_line *only_line(const struct sync_host *h)
{
	return h->clock->lines->len == 1 ? &g_array_index(h->clock->lines, struct sync_line, 0) : NULL;
}

/* True if no packet between the two hosts of E arrives before it was sent, by their clocks. */
static bool is_settled(const struct sync_hosts *h, const struct sync_edge *e)
{
	const struct sync_host *host = &h->hosts[e->host], *reference = &h->hosts[e->reference];

	if (!host->clock || !reference->clock)
		return true;
	return e->order.whole && only_line(host) && only_line(reference) &&
		sync_fit_holds(e->fit, only_line(host), only_line(reference));
}

/* Either direction's fit has the messages of two hosts. */
bool sync_recount_is_settled(const struct sync_hosts *h, struct sync_edges *edges)
{
	struct sync_edge *e;
	GHashTableIter iter;

	sync_edges_iter(edges, &iter);
	while (sync_edges_next(&iter, &e)) {
		if (!is_settled(h, e) && !is_settled(h, sync_edges_of(edges, e->reference, e->host)))
			return false;
	}
	return true;
}

struct sync_recount *sync_recount_new(struct sync_hosts *h, const struct sync_source *sources,
	struct sync_edges *edges)
{
	struct sync_recount *r = g_new(struct sync_recount, 1);

	*r = (struct sync_recount){ .h = h, .sources = sources, .wanders = g_new0(struct wander *, h->n) };
	for (unsigned i = 0; i < h->n; i++) {
		const GArray *pieces;

		if (h->hosts[i].by == i || sources[i].has_twin)
			continue;
		pieces = sync_fit_pieces(sync_edges_of(edges, i, h->hosts[i].by)->fit);
		if (pieces->len > 1)
			r->wanders[i] = wander_new(pieces);
	}
	return r;
}

static void add_to_wanders(const struct sync_recount *r, const struct sync_pair *pair)
{
	struct sync_pair p = sync_twins_pair(r->sources, pair);
	struct wander *sender = r->wanders[p.sender], *receiver = r->wanders[p.receiver];

	/* in the order in which they are matched */
	if (sender && r->h->hosts[p.sender].by == p.receiver)
		sync_order_add(&sender->order, &(struct sync_message){ p.sent, p.received, true });
	if (receiver && r->h->hosts[p.receiver].by == p.sender)
		sync_order_add(&receiver->order, &(struct sync_message){ p.received, p.sent, false });
}

void sync_recount_pair(void *recount, const struct sync_pair *p)
{
	const struct sync_recount *r = recount;
	struct sync_host *sender = &r->h->hosts[p->sender], *receiver = &r->h->hosts[p->receiver];
	bool early;

	add_to_wanders(r, p);
	if (!sender->clock || !receiver->clock)
		return;
	early = sync_clock_reference(receiver->clock, p->received) <
		sync_clock_reference(sender->clock, p->sent);
	sender->violations_after += early;
	receiver->violations_after += early;
}

void sync_recount_finish(struct sync_recount *r, const struct sync_span *spans)
{
	for (unsigned i = 0; i < r->h->n; i++) {
		if (!r->wanders[i])
			continue;
		g_array_unref(r->h->hosts[i].bounds);
		r->h->hosts[i].bounds = wander_finish(r->wanders[i]);
	}
	sync_hosts_measure_all(r->h, spans);
	g_free(r->wanders);
	g_free(r);
}
