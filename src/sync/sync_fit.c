/* SPDX-License-Identifier: MIT */
/*
 * How it works: a rate fits when for each lower bound l and each upper bound u
 * some line of that rate passes above l and below u.  With u later than l that
 * says rate ≤ (z_u − z_l) / (x_u − x_l), with l later than u it says ≥; so what fits
 * is an interval.  Its ends are tangents from the newest message to the convex hull
 * of the messages of the other direction, and with time the vertex that a tangent touches
 * only moves on.  When the interval is empty, the line ends and the next one
 * begins.
 *
 * Both sides are the same code: upper bounds are kept upside down (−z, −rate).
 *
 * The line taken lies in the middle of what its rate allows (best_rate()).
 */
#include "sync/sync_fit.h"

#define SPAN_MAX (INT64_C(1) << 52)	/* ns of one line (52 days): products of two such fit into 128 bits with room */
#define CHANCE 8			/* fewer messages than that for each line: no line holds, they are chance */

/* A message as a bound, seen from its own side: the line is above it. */
struct point {
	int64_t x, z;
};

/* The messages of one direction. */
struct side {
	GArray *hull;		/* of struct point: the upper hull */
	guint tangent;		/* the vertex that the line of the greatest rate touches */
	sync_wide num;		/* the greatest rate, NUM / DEN */
	int64_t den;
	bool bounded;		/* by messages */
	uint64_t count;
	int64_t last;		/* ns of the host: of the latest */
};

enum { LOWER, UPPER };

struct sync_fit {
	struct side sides[2];
	bool open;		/* a line has begun */
	int64_t x0;		/* its first message */
	sync_wide z0;
	int64_t first, last;
	GArray *pieces;		/* of struct sync_piece */
	uint64_t counts[2];	/* of all messages */
	uint64_t n_lines;	/* also those without a piece */
};

static const struct point *vertex(const struct side *s, guint i)
{
	return &g_array_index(s->hull, struct point, i);
}

static void side_reset(struct side *s)
{
	g_array_set_size(s->hull, 0);
	s->tangent = 0;
	s->num = SYNC_RATE_MAX;
	s->den = INT64_C(1) << SYNC_FRACTION_BITS;
	s->bounded = false;
	s->count = 0;
}

struct sync_fit *sync_fit_new(void)
{
	struct sync_fit *f = g_new0(struct sync_fit, 1);

	for (unsigned i = 0; i < 2; i++) {
		f->sides[i].hull = g_array_new(FALSE, FALSE, sizeof(struct point));
		side_reset(&f->sides[i]);
	}
	f->pieces = g_array_new(FALSE, FALSE, sizeof(struct sync_piece));
	return f;
}

void sync_fit_free(struct sync_fit *f)
{
	if (f == NULL)
		return;
	g_array_unref(f->sides[LOWER].hull);
	g_array_unref(f->sides[UPPER].hull);
	g_array_unref(f->pieces);
	g_free(f);
}

/* ---- messages ---- */

/* How far P is above the line through FROM with the side's greatest rate, times DEN. */
static sync_wide above(const struct side *s, const struct point *from, const struct point *p)
{
	return (sync_wide)(p->z - from->z) * s->den - s->num * (p->x - from->x);
}

/* P, a message of the other direction, may bound the greatest rate.  False when it comes before one that it must come after. */
static bool bound(struct side *s, const struct point *p)
{
	if (s->hull->len == 0 || above(s, vertex(s, s->tangent), p) >= 0)
		return true;
	for (guint i = s->tangent; i < s->hull->len; i++) {
		const struct point *v = vertex(s, i);
		int64_t dx = p->x - v->x, dz = p->z - v->z;

		if (dx == 0)
			return dz >= 0;
		if ((sync_wide)dz * s->den > s->num * dx)
			break;
		s->num = dz;
		s->den = dx;
		s->tangent = i;
		s->bounded = true;
	}
	return true;
}

/* True when B is not above the straight line from A to C. */
static bool is_below(const struct point *a, const struct point *b, const struct point *c)
{
	return (sync_wide)(b->z - a->z) * (c->x - a->x) <= (sync_wide)(c->z - a->z) * (b->x - a->x);
}

static void side_add(struct side *s, const struct point *p)
{
	guint n = s->hull->len;

	while (n > 0 && vertex(s, n - 1)->x == p->x && vertex(s, n - 1)->z <= p->z)
		n--;
	if (n > 0 && vertex(s, n - 1)->x == p->x)
		return;
	while (n > 1 && is_below(vertex(s, n - 2), vertex(s, n - 1), p))
		n--;
	g_array_set_size(s->hull, n);
	g_array_append_val(s->hull, *p);
	if (s->tangent >= n || above(s, vertex(s, s->tangent), p) > 0)
		s->tangent = n;
}

static bool some_rate_fits(const struct sync_fit *f)
{
	const struct side *a = &f->sides[LOWER], *b = &f->sides[UPPER];

	return a->num * b->den + b->num * a->den >= 0;
}

/* False when no line can hold that also meets the message. */
static bool add_to_line(struct sync_fit *f, int64_t host, sync_wide ahead, bool from_host)
{
	sync_wide z = ahead - f->z0;
	unsigned side = from_host ? UPPER : LOWER;
	sync_wide span = (sync_wide)host - f->x0;
	struct side *against = &f->sides[!side], before = *against;
	struct point own, other;

	if (span > SPAN_MAX || z > SPAN_MAX || z < -SPAN_MAX)
		return false;
	own.x = other.x = (int64_t)span;
	own.z = side == UPPER ? -(int64_t)z : (int64_t)z;
	other.z = -own.z;
	if (!bound(against, &other) || !some_rate_fits(f)) {
		*against = before;
		return false;
	}
	side_add(&f->sides[side], &own);
	f->sides[side].count++;
	f->sides[side].last = f->last = host;
	return true;
}

/* ---- lines ---- */

static sync_wide in_fractions(sync_wide ns)
{
	return ns * ((sync_wide)1 << SYNC_FRACTION_BITS);
}

/* How high the line of RATE must lie at its origin to be above all of the side's messages, as the side sees it. */
static sync_wide height(const struct side *s, int64_t rate)
{
	sync_wide most = 0;

	for (guint i = 0; i < s->hull->len; i++) {
		sync_wide v = in_fractions(vertex(s, i)->z) - (sync_wide)rate * vertex(s, i)->x;

		if (i == 0 || v > most)
			most = v;
	}
	return most;
}

static int64_t greatest_rate(const struct side *s)
{
	return (int64_t)(in_fractions(s->num) / s->den);
}

/* The rate NUM / DEN of the fixed bound is in fractions already. */
static int64_t rate_of(const struct side *s)
{
	return s->bounded ? greatest_rate(s) : SYNC_RATE_MAX;
}

static void measure(const struct sync_fit *f, int64_t rate, sync_wide *low, sync_wide *high)
{
	sync_wide base = in_fractions(f->z0);

	*low = base + height(&f->sides[LOWER], rate);
	*high = base - height(&f->sides[UPPER], -rate);
}

/* How wide the corridor of RATE between the messages of both directions is. */
static sync_wide width(const struct sync_fit *f, int64_t rate)
{
	sync_wide low, high;

	measure(f, rate, &low, &high);
	return high - low;
}

/*
 * The rate to take, of those that fit.  Where messages bound it, that of the widest corridor: the quickest messages of each direction run along
 * its sides.  It is concave in the rate, so halving finds it.  Where they do not, that nearest to none: clocks are kept to within some ppm.
 */
static int64_t best_rate(const struct sync_fit *f, const struct sync_piece *p)
{
	int64_t low = p->slow.rate, high = p->fast.rate;

	if (!p->bounded)
		return low > 0 ? low : MIN(high, 0);
	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (width(f, middle + 1) > width(f, middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The line that has begun is over. */
static void end_line(struct sync_fit *f)
{
	struct sync_piece piece = {
		.first = f->first, .last = f->last, .messages = f->sides[LOWER].count + f->sides[UPPER].count,
		.bounded = f->sides[LOWER].bounded && f->sides[UPPER].bounded,
	};
	sync_wide low, high;

	f->n_lines++;
	if (f->sides[LOWER].count > 0 && f->sides[UPPER].count > 0) {
		piece.slow.rate = -rate_of(&f->sides[UPPER]);
		piece.fast.rate = rate_of(&f->sides[LOWER]);
		measure(f, piece.slow.rate, &piece.slow.low, &piece.slow.high);
		measure(f, piece.fast.rate, &piece.fast.low, &piece.fast.high);
		piece.line.from = f->pieces->len == 0 ? INT64_MIN : f->first;
		/* After that only one side bounds it: a step of the clock may lie there. */
		piece.line.seen = MIN(f->sides[LOWER].last, f->sides[UPPER].last);
		piece.line.origin = f->x0;
		piece.line.rate = best_rate(f, &piece);
		measure(f, piece.line.rate, &low, &high);
		piece.line.offset = low + (high - low) / 2;
		g_array_append_val(f->pieces, piece);
	}
	f->open = false;
}

static void begin_line(struct sync_fit *f, int64_t host, sync_wide ahead)
{
	side_reset(&f->sides[LOWER]);
	side_reset(&f->sides[UPPER]);
	f->x0 = f->first = host;
	f->z0 = ahead;
	f->open = true;
}

void sync_fit_add(struct sync_fit *f, int64_t host, int64_t reference, bool from_host)
{
	sync_wide ahead = (sync_wide)reference - host;

	f->counts[from_host ? UPPER : LOWER]++;
	if (f->open && add_to_line(f, host, ahead, from_host))
		return;
	if (f->open)
		end_line(f);
	begin_line(f, host, ahead);
	add_to_line(f, host, ahead, from_host);
}

void sync_fit_finish(struct sync_fit *f)
{
	if (f->open)
		end_line(f);
}

/* ---- results ---- */

enum sync_quality sync_fit_quality(const struct sync_fit *f)
{
	uint64_t all = f->counts[LOWER] + f->counts[UPPER];

	if (all == 0)
		return SYNC_ABSENT;
	if (f->counts[LOWER] == 0 || f->counts[UPPER] == 0)
		return SYNC_INCOMPLETE;
	if (f->pieces->len == 0 || (f->n_lines > 1 && all / f->n_lines < CHANCE))
		return SYNC_FAIL;
	for (guint i = 0; i < f->pieces->len; i++) {
		if (!g_array_index(f->pieces, struct sync_piece, i).bounded)
			return SYNC_APPROXIMATE;
	}
	return SYNC_ACCURATE;
}

const GArray *sync_fit_pieces(const struct sync_fit *f)
{
	return f->pieces;
}

struct sync_clock *sync_fit_clock(const struct sync_fit *f)
{
	enum sync_quality quality = sync_fit_quality(f);
	GArray *lines;

	if (quality != SYNC_APPROXIMATE && quality != SYNC_ACCURATE)
		return NULL;
	lines = g_array_new(FALSE, FALSE, sizeof(struct sync_line));
	for (guint i = 0; i < f->pieces->len; i++)
		g_array_append_val(lines, g_array_index(f->pieces, struct sync_piece, i).line);
	return sync_clock_new(lines);
}

/* The value at X of the straight line from (X0, A) to (X1, B), X0 < X1. */
static sync_wide between(int64_t x, int64_t x0, sync_wide a, int64_t x1, sync_wide b)
{
	/* (b − a) has up to 126 bits: the quotient first; what that loses is far below 1 ns. */
	return a + (b - a) / (x1 - x0) * (x - x0);
}

/*
 * The highest line that fits, as a function of x, is convex: before the first
 * message it is the slowest one, after the last the fastest, and in between it is
 * below the chord.  The lowest likewise.
 */
static void bounds_at(const struct sync_piece *p, int64_t host, sync_wide *low, sync_wide *high)
{
	sync_wide dx = (sync_wide)host - p->line.origin, d0 = (sync_wide)p->first - p->line.origin, d1 = (sync_wide)p->last - p->line.origin;

	if (host <= p->first || p->first == p->last) {
		*high = host <= p->first ? p->slow.high + p->slow.rate * dx : p->fast.high + p->fast.rate * dx;
		*low = host <= p->first ? p->fast.low + p->fast.rate * dx : p->slow.low + p->slow.rate * dx;
	} else if (host >= p->last) {
		*high = p->fast.high + p->fast.rate * dx;
		*low = p->slow.low + p->slow.rate * dx;
	} else {
		*high = between(host, p->first, p->slow.high + p->slow.rate * d0, p->last, p->fast.high + p->fast.rate * d1);
		*low = between(host, p->first, p->fast.low + p->fast.rate * d0, p->last, p->slow.low + p->slow.rate * d1);
	}
}

int64_t sync_fit_error(const struct sync_fit *f, int64_t host)
{
	const struct sync_piece *p = NULL;
	sync_wide low, high, at, off;

	for (guint i = 0; i < f->pieces->len; i++) {
		const struct sync_piece *next = &g_array_index(f->pieces, struct sync_piece, i);

		if (p == NULL || next->line.from <= host)
			p = next;
	}
	if (p == NULL)
		return INT64_MAX;
	bounds_at(p, host, &low, &high);
	at = p->line.offset + ((sync_wide)host - p->line.origin) * p->line.rate;
	off = MAX(high - at, at - low);
	off = (off + in_fractions(1) - 1) >> SYNC_FRACTION_BITS;
	return off > INT64_MAX ? INT64_MAX : (int64_t)MAX(off, 0);
}

int64_t sync_fit_error_max(const struct sync_fit *f, int64_t from, int64_t to)
{
	int64_t most = MAX(sync_fit_error(f, from), sync_fit_error(f, to));

	/* What bounds a line is convex, so it is the furthest off at the ends of where it holds. */
	for (guint i = 1; i < f->pieces->len; i++) {
		int64_t begin = g_array_index(f->pieces, struct sync_piece, i).line.from;

		if (begin > from && begin <= to)
			most = MAX(most, MAX(sync_fit_error(f, begin - 1), sync_fit_error(f, begin)));
	}
	return most;
}

/*
 * Whether a message keeps its order is linear in its two times, so that the vertices of the hulls answer for all; their own x, z count from x0, z0.
 */
bool sync_fit_holds(const struct sync_fit *f, const struct sync_line *host, const struct sync_line *reference)
{
	if (f->n_lines != 1)
		return f->n_lines == 0;
	for (unsigned side = 0; side < 2; side++) {
		for (guint i = 0; i < f->sides[side].hull->len; i++) {
			const struct point *v = vertex(&f->sides[side], i);
			int64_t x = f->x0 + v->x, other = (int64_t)(x + f->z0 + (side == UPPER ? -v->z : v->z));
			sync_wide own = sync_line_exact(host, x), far = sync_line_exact(reference, other);

			if (side == UPPER ? far < own : own < far)
				return false;
		}
	}
	return true;
}

const char *sync_quality_name(enum sync_quality quality)
{
	static const char *const names[SYNC_QUALITIES] = {
		[SYNC_ABSENT] = "absent", [SYNC_INCOMPLETE] = "incomplete", [SYNC_APPROXIMATE] = "approximate",
		[SYNC_ACCURATE] = "accurate", [SYNC_FAIL] = "fail",
	};

	return names[quality];
}
