/* SPDX-License-Identifier: MIT */
/*
 * How it works: a rate fits if for each lower bound l and each upper bound u some line of that rate passes
 * above l and below u. If u is later than l, this means rate ≤ (z_u − z_l) / (x_u − x_l); if l is later than
 * u, it means ≥. So the rates that fit are an interval, whose ends are tangents to the convex hulls. If it
 * becomes empty, the line ends and the next one begins.
 *
 * Both sides use the same code: upper bounds are kept upside down (−z, −rate).
 *
 * The result is the line in the middle of what its rate allows (best_rate()).
 */
#include "sync/sync_fit.h"

/* ns of one line (52 days): products of two of these fit into 128 bits with room. */
#define SPAN_MAX (INT64_C(1) << 52)
#define CHANCE 8 /* with fewer messages per line, the lines fit by chance */

enum { LOWER, UPPER };

/* ---- hulls ---- */

/* The messages of one direction as bounds of a line, seen from their own side: the line is above all of them.
 * The greatest rate is that of the tangent from the newest message of the other direction to the hull, and
 * with time the vertex that a tangent touches only moves on. */

/* A message: x ns after the line's first one, z ns by which the other clock was more ahead than then.  Both
 * are below 2^52. */
struct vertex {
	int64_t x, z;
};

struct hull {
	GArray *vertices; /* of struct vertex: the upper hull; owned */
	guint tangent;    /* the vertex that the line of the greatest rate touches */
	sync_wide num;    /* the greatest rate, NUM / DEN */
	int64_t den;
	bool bounded;   /* bounded by messages, not only by SYNC_RATE_MAX */
	uint64_t count; /* messages added */
	int64_t last;   /* set by the caller: time of the latest message */
};

/* Make H empty. */
static void hull_reset(struct hull *h)
{
	g_array_set_size(h->vertices, 0);
	h->tangent = 0;
	h->num = SYNC_RATE_MAX;
	h->den = INT64_C(1) << SYNC_FRACTION_BITS;
	h->bounded = false;
	h->count = 0;
}

static const struct vertex *hull_vertex(const struct hull *h, guint i)
{
	return &g_array_index(h->vertices, struct vertex, i);
}

/* How far P is above the line through FROM with the greatest rate, times DEN. */
static sync_wide above(const struct hull *h, const struct vertex *from, const struct vertex *p)
{
	return (sync_wide)(p->z - from->z) * h->den - h->num * (p->x - from->x);
}

/* P, the latest message of the other direction, may bound the greatest rate.  False if no line is above the
 * hull and below P. */
static bool hull_limit(struct hull *h, const struct vertex *p)
{
	if (h->vertices->len == 0 || above(h, hull_vertex(h, h->tangent), p) >= 0)
		return true;
	for (guint i = h->tangent; i < h->vertices->len; i++) {
		const struct vertex *v = hull_vertex(h, i);
		int64_t dx = p->x - v->x, dz = p->z - v->z;

		if (dx == 0)
			return dz >= 0;
		if ((sync_wide)dz * h->den > h->num * dx)
			break;
		h->num = dz;
		h->den = dx;
		h->tangent = i;
		h->bounded = true;
	}
	return true;
}

/* True if B is not above the straight line from A to C. */
static bool is_below(const struct vertex *a, const struct vertex *b, const struct vertex *c)
{
	return (sync_wide)(b->z - a->z) * (c->x - a->x) <= (sync_wide)(c->z - a->z) * (b->x - a->x);
}

/* Add a message of the hull's direction, not before any other message. */
static void hull_add(struct hull *h, const struct vertex *p)
{
	guint n = h->vertices->len;

	h->count++;
	while (n > 0 && hull_vertex(h, n - 1)->x == p->x && hull_vertex(h, n - 1)->z <= p->z)
		n--;
	if (n > 0 && hull_vertex(h, n - 1)->x == p->x)
		return;
	while (n > 1 && is_below(hull_vertex(h, n - 2), hull_vertex(h, n - 1), p))
		n--;
	g_array_set_size(h->vertices, n);
	g_array_append_val(h->vertices, *p);
	if (h->tangent >= n || above(h, hull_vertex(h, h->tangent), p) > 0)
		h->tangent = n;
}

/* The greatest rate, 2^-62 ns per ns, rounded down. */
static int64_t hull_rate(const struct hull *h)
{
	sync_wide num = h->num * ((sync_wide)1 << SYNC_FRACTION_BITS), rate = num / h->den;

	/* The rate NUM / DEN of the fixed limit is in fractions already. */
	if (!h->bounded)
		return SYNC_RATE_MAX;
	return (int64_t)(num < 0 && rate * h->den != num ? rate - 1 : rate);
}

/* The vertex that a line of RATE touches first, coming from above. */
static guint hull_touched(const struct hull *h, int64_t rate)
{
	sync_wide most = 0;
	guint touched = 0;

	for (guint i = 0; i < h->vertices->len; i++) {
		const struct vertex *v = hull_vertex(h, i);
		sync_wide height = v->z * ((sync_wide)1 << SYNC_FRACTION_BITS) - (sync_wide)rate * v->x;

		if (i == 0 || height > most) {
			most = height;
			touched = i;
		}
	}
	return touched;
}

/* ---- the fit ---- */

struct sync_fit {
	struct hull hulls[2];
	bool open;  /* a line has begun */
	int64_t x0; /* its first message */
	sync_wide z0;
	int64_t last;
	GArray *pieces;     /* of struct sync_piece */
	GArray *bounds;     /* of struct sync_bound, for each */
	uint64_t counts[2]; /* of all messages */
	uint64_t n_lines;   /* also those without a piece */
};

struct sync_fit *sync_fit_new(void)
{
	struct sync_fit *f = g_new0(struct sync_fit, 1);

	for (unsigned i = 0; i < 2; i++) {
		f->hulls[i].vertices = g_array_new(FALSE, FALSE, sizeof(struct vertex));
		hull_reset(&f->hulls[i]);
	}
	f->pieces = g_array_new(FALSE, FALSE, sizeof(struct sync_piece));
	f->bounds = sync_bounds_new();
	return f;
}

void sync_fit_free(struct sync_fit *f)
{
	if (!f)
		return;
	for (unsigned i = 0; i < 2; i++)
		g_array_unref(f->hulls[i].vertices);
	g_array_unref(f->pieces);
	g_array_unref(f->bounds);
	g_free(f);
}

/* ---- messages ---- */

/* Add a message to the line.  False if no line can hold it and all messages before. */
static bool add_to_line(struct sync_fit *f, int64_t host, sync_wide ahead, bool from_host)
{
	sync_wide z = ahead - f->z0;
	unsigned side = from_host ? UPPER : LOWER;
	sync_wide span = (sync_wide)host - f->x0;
	struct hull *against = &f->hulls[!side], before = *against;
	const struct hull *a = &f->hulls[LOWER], *b = &f->hulls[UPPER];
	struct vertex own, other;

	if (span > SPAN_MAX || z > SPAN_MAX || z < -SPAN_MAX)
		return false;
	own.x = other.x = (int64_t)span;
	own.z = side == UPPER ? -(int64_t)z : (int64_t)z;
	other.z = -own.z;
	/* The interval of rates is empty if the fastest is slower than the slowest, −(b->num / b->den). */
	if (!hull_limit(against, &other) || a->num * b->den + b->num * a->den < 0) {
		*against = before;
		return false;
	}
	hull_add(&f->hulls[side], &own);
	f->hulls[side].last = f->last = host;
	return true;
}

/* ---- lines ---- */

/* Vertices FIRST to LAST of a hull as moments of both clocks. */
static GArray *points_of(const struct sync_fit *f, unsigned side, guint first, guint last)
{
	GArray *points = g_array_new(FALSE, FALSE, sizeof(struct sync_point));

	for (guint i = first; i <= last; i++) {
		const struct vertex *v = hull_vertex(&f->hulls[side], i);
		int64_t host = f->x0 + v->x;
		struct sync_point p = { host, (int64_t)(host + f->z0 + (side == UPPER ? -v->z : v->z)) };

		g_array_append_val(points, p);
	}
	return points;
}

/* The highest line at an instant is the slowest one until it touches the upper bounds, then the hull of these
 * until the fastest one touches them, and then the fastest one. The lowest line is alike. Rates are rounded
 * outwards. */
static void add_bound(struct sync_fit *f, const struct sync_piece *p)
{
	const struct hull *lower = &f->hulls[LOWER], *upper = &f->hulls[UPPER];
	struct sync_bound b = { .from = p->line.from,
		.seen = p->line.seen,
		.slow = MAX(p->slow - 1, -SYNC_RATE_MAX),
		.fast = MIN(p->fast + 1, SYNC_RATE_MAX) };

	b.low = points_of(f, LOWER, hull_touched(lower, b.fast), hull_touched(lower, b.slow));
	b.high = points_of(f, UPPER, hull_touched(upper, -b.slow), hull_touched(upper, -b.fast));
	g_array_append_val(f->bounds, b);
}

/* The rate to use, of the rates that fit. If messages bound the rate, it is the rate of the widest corridor:
 * the quickest messages of each direction run along its sides. Its width is concave in the rate, so bisection
 * finds it. Otherwise the rate nearest to 0 (sync_reach.c chooses a better one). */
static int64_t best_rate(const struct sync_bound *bound, const struct sync_piece *p)
{
	int64_t low = p->slow, high = p->fast;
	struct sync_line line;

	if (!p->told)
		return low > 0 ? low : MIN(high, 0);
	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (sync_bound_line(bound, middle + 1, &line) > sync_bound_line(bound, middle, &line))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void fit_add_piece(struct sync_fit *f)
{
	const struct hull *lower = &f->hulls[LOWER], *upper = &f->hulls[UPPER];
	struct sync_piece piece = { .first = f->x0,
		.last = f->last,
		.messages = lower->count + upper->count,
		.slow = -hull_rate(upper),
		.fast = hull_rate(lower) };
	const struct sync_bound *bound;

	/* If only one rate fits, it may lie between two integers. */
	piece.fast = MAX(piece.slow, piece.fast);
	piece.bounded = lower->bounded && upper->bounded;
	piece.told = piece.bounded && piece.fast - piece.slow < SYNC_RATE_TOLD;
	piece.line.from = f->pieces->len == 0 ? INT64_MIN : f->x0;
	/* Later only one side bounds it: a step of the clock may be there. */
	piece.line.seen = MIN(lower->last, upper->last);
	add_bound(f, &piece);
	bound = &g_array_index(f->bounds, struct sync_bound, f->bounds->len - 1);
	sync_bound_line(bound, best_rate(bound, &piece), &piece.line);
	g_array_append_val(f->pieces, piece);
}

/* The line that has begun is over. */
static void end_line(struct sync_fit *f)
{
	f->n_lines++;
	if (f->hulls[LOWER].count > 0 && f->hulls[UPPER].count > 0)
		fit_add_piece(f);
	f->open = false;
}

void sync_fit_add(struct sync_fit *f, int64_t host, int64_t reference, bool from_host)
{
	sync_wide ahead = (sync_wide)reference - host;

	f->counts[from_host ? UPPER : LOWER]++;
	if (f->n_lines > SYNC_LINES_MAX)
		return;
	if (f->open && add_to_line(f, host, ahead, from_host))
		return;
	if (f->open)
		end_line(f);
	hull_reset(&f->hulls[LOWER]);
	hull_reset(&f->hulls[UPPER]);
	f->x0 = host;
	f->z0 = ahead;
	f->open = true;
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
	if (f->pieces->len == 0 || f->n_lines > SYNC_LINES_MAX ||
		(f->n_lines > 1 && all / f->n_lines < CHANCE))
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

const GArray *sync_fit_bounds(const struct sync_fit *f)
{
	return f->bounds;
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

/* The time between sending and arrival is linear in the two times of a message, so the vertices of the hulls
 * decide for all messages. Their x and z count from x0 and z0. */
bool sync_fit_holds(const struct sync_fit *f, const struct sync_line *host, const struct sync_line *reference)
{
	if (f->n_lines != 1)
		return f->n_lines == 0;
	for (unsigned side = 0; side < 2; side++) {
		for (guint i = 0; i < f->hulls[side].vertices->len; i++) {
			const struct vertex *v = hull_vertex(&f->hulls[side], i);
			int64_t x = f->x0 + v->x,
				other = (int64_t)(x + f->z0 + (side == UPPER ? -v->z : v->z));
			sync_wide own = sync_line_exact(host, x), far = sync_line_exact(reference, other);

			if (side == UPPER ? far < own : own < far)
				return false;
		}
	}
	return true;
}

const char *sync_quality_name(enum sync_quality quality)
{
	static const char *const names[SYNC_QUALITIES] = { [SYNC_ABSENT] = "absent",
		[SYNC_INCOMPLETE] = "incomplete",
		[SYNC_APPROXIMATE] = "approximate",
		[SYNC_ACCURATE] = "accurate",
		[SYNC_FAIL] = "fail",
		[SYNC_TYPED] = "typed",
		[SYNC_NONE] = "none",
		[SYNC_PENDING] = "pending",
		[SYNC_GIVEN] = "given" };

	return names[quality];
}
