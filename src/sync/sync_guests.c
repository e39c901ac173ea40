/* SPDX-License-Identifier: MIT */
/*
 * How it works: after a while outside, which is silence in the guest, both record something at about the same
 * time: a burst begins.  The times between bursts are the same by both clocks, whatever these are.  Some
 * bursts of the guest are looked for among those of a virtual CPU by the time to the next one, rare ones
 * only; each that is found votes for an offset.  Where votes agree, the offset is made exact: that by which
 * most events of the next tenth of a second lie inside.  It is believed when nearly all do, when by other
 * offsets many do not, and when that stays so to the end.
 */
#include "sync/sync_guests.h"

#include "base/base_search.h"
#include "sync/sync_fit.h"

#include <stdlib.h>

#define SILENCE 100000        /* ns before a burst */
#define BURSTS_MAX (1u << 20) /* of one row */
#define TRIES 16              /* parts of the guest's trace that are looked for */
#define TRY 256               /* bursts of such a part */
#define LIKE 40000            /* ns by which two times between bursts may differ */
#define RARE 64               /* a time that more bursts have says nothing */
#define VOTES_LEAST 6
#define CANDIDATES 4          /* offsets with most votes that are tried */
#define NEIGHBOUR 1000000     /* ns: votes nearer than that agree */
#define REACH (2 * NEIGHBOUR) /* around the votes, where the exact offset is looked for */
#define PROBE 256             /* events by which, … */
#define PROBE_LONG 100000000  /* … or ns in which that is done: clocks drift by 20 µs meanwhile */
#define PROBE_LEAST 32
#define TELLING 8         /* one event in so many must fall outside by other offsets */
#define SHARPEN 8         /* times at most */
#define OUTSIDE_MOST 1000 /* one event in so many may fall outside */

/* ---- bursts ---- */

/* When bursts of ROW of HOST begin (of int64_t), at most so many. */
static GArray *bursts_of(const struct sync_rows *rows, const struct sync_cpu *row, bool stays)
{
	GArray *bursts = g_array_new(FALSE, FALSE, sizeof(int64_t));
	void *cursor = rows->open(rows->data, row->host, row->row, INT64_MIN);
	int64_t from, to, before = INT64_MIN;

	while (bursts->len < BURSTS_MAX && rows->next(cursor, &from, &to)) {
		if (before != INT64_MIN && from - before >= SILENCE)
			g_array_append_val(bursts, from);
		before = stays ? to : from;
	}
	rows->close(cursor);
	return bursts;
}

static int64_t burst(const GArray *bursts, guint i)
{
	return g_array_index(bursts, int64_t, i);
}

/* From a burst to the next one. */
struct step {
	int64_t length;
	guint first;
};

static int by_length(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->length != y->length)
		return x->length < y->length ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Of BURSTS, the shortest first: of struct step. */
static GArray *steps_of(const GArray *bursts)
{
	GArray *steps = g_array_sized_new(FALSE, FALSE, sizeof(struct step), bursts->len);

	for (guint i = 0; i + 1 < bursts->len; i++) {
		struct step step = { burst(bursts, i + 1) - burst(bursts, i), i };

		g_array_append_val(steps, step);
	}
	qsort(steps->data, steps->len, sizeof(struct step), by_length);
	return steps;
}

struct sought {
	const GArray *steps;
	int64_t length;
};

static bool is_shorter(const void *data, uint64_t i)
{
	const struct sought *s = data;

	return g_array_index(s->steps, struct step, i).length < s->length;
}

static guint step_from(const GArray *steps, int64_t length)
{
	return (guint)base_search(0, steps->len, is_shorter, &(struct sought){ steps, length });
}

/* ---- votes ---- */

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* How far the host is ahead, by each burst of the guest from FIRST on that is like one of the host's: of
 * int64_t, sorted. */
static GArray *votes_of(const GArray *host, const GArray *steps, const GArray *guest, guint first)
{
	GArray *votes = g_array_new(FALSE, FALSE, sizeof(int64_t));

	for (guint i = first; i + 1 < guest->len && i < first + TRY; i++) {
		int64_t length = burst(guest, i + 1) - burst(guest, i);
		guint from = step_from(steps, length - LIKE), end = step_from(steps, length + LIKE + 1);

		for (guint k = from; k < end && end - from <= RARE; k++) {
			int64_t vote = burst(host, g_array_index(steps, struct step, k).first) -
				burst(guest, i);

			g_array_append_val(votes, vote);
		}
	}
	qsort(votes->data, votes->len, sizeof(int64_t), by_number);
	return votes;
}

/* Take the most VOTES that agree out of them; *AHEAD: the middle of these.  Returns how many they were. */
static guint take_most(GArray *votes, int64_t *ahead)
{
	guint best = 0, from = 0;

	for (guint i = 0, end = 0; i < votes->len; i++) {
		while (end < votes->len && burst(votes, end) - burst(votes, i) < NEIGHBOUR)
			end++;
		if (end - i > best) {
			best = end - i;
			from = i;
		}
	}
	if (best > 0) {
		*ahead = burst(votes, from + best / 2);
		g_array_remove_range(votes, from, best);
	}
	return best;
}

/* ---- the exact offset ---- */

struct probe {
	GArray *events; /* of int64_t: the guest's */
	GArray *stays;  /* of int64_t: begin, end, begin, … of the host */
};

static void probe_init(struct probe *p, const struct sync_rows *rows, const struct sync_vcpu *v,
	int64_t ahead, int64_t begin)
{
	void *events = rows->open(rows->data, v->cpu.host, v->cpu.row, begin), *stays;
	int64_t from, to, last = begin;

	p->events = g_array_new(FALSE, FALSE, sizeof(int64_t));
	p->stays = g_array_new(FALSE, FALSE, sizeof(int64_t));
	while (p->events->len < PROBE && rows->next(events, &from, &to) && from - begin < PROBE_LONG) {
		if (from >= begin)
			g_array_append_val(p->events, from);
		last = from;
	}
	rows->close(events);
	stays = rows->open(rows->data, v->self.host, v->self.row, begin + ahead - 64 * NEIGHBOUR);
	while (rows->next(stays, &from, &to) && from < last + ahead + 64 * NEIGHBOUR) {
		g_array_append_val(p->stays, from);
		g_array_append_val(p->stays, to);
	}
	rows->close(stays);
}

static void probe_clear(struct probe *p)
{
	g_array_unref(p->events);
	g_array_unref(p->stays);
}

struct sought_time {
	const GArray *times;
	int64_t time;
};

static bool is_before(const void *data, uint64_t i)
{
	const struct sought_time *s = data;

	return burst(s->times, (guint)i) < s->time;
}

/* The first of TIMES that is not before TIME. */
static guint time_from(const GArray *times, int64_t time)
{
	return (guint)base_search(0, times->len, is_before, &(struct sought_time){ times, time });
}

/* How many of its events lie inside if the host is AHEAD. */
static guint inside_of(const struct probe *p, int64_t ahead)
{
	guint n = 0;

	for (guint i = 0; i < p->events->len; i++) {
		int64_t at = burst(p->events, i) + ahead;
		guint k = time_from(p->stays, at);

		n += k % 2 == 1 || (k < p->stays->len && burst(p->stays, k) == at);
	}
	return n;
}

/* From there on one more event lies inside, or one less. */
struct edge {
	int64_t ahead;
	int change;
};

static int by_ahead(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->ahead != y->ahead)
		return x->ahead < y->ahead ? -1 : 1;
	return x->change > y->change ? -1 : x->change < y->change; /* begins first: ends are included */
}

static GArray *edges_of(const struct probe *p, int64_t ahead)
{
	GArray *edges = g_array_new(FALSE, FALSE, sizeof(struct edge));

	for (guint i = 0; i < p->events->len; i++) {
		int64_t at = burst(p->events, i);

		for (guint k = time_from(p->stays, at + ahead - REACH) & ~1u;
			k + 1 < p->stays->len && burst(p->stays, k) <= at + ahead + REACH; k += 2) {
			struct edge begin = { burst(p->stays, k) - at, 1 },
				    end = { burst(p->stays, k + 1) - at, -1 };

			g_array_append_val(edges, begin);
			g_array_append_val(edges, end);
		}
	}
	qsort(edges->data, edges->len, sizeof(struct edge), by_ahead);
	return edges;
}

/* The middle of the offsets near *AHEAD by which most events lie inside; returns how many do. */
static guint most_inside(const struct probe *p, int64_t *ahead)
{
	GArray *edges = edges_of(p, *ahead);
	int n = 0, best = 0;

	for (guint i = 0; i < edges->len; i++) {
		const struct edge *e = &g_array_index(edges, struct edge, i);

		n += e->change;
		if (n <= best || i + 1 == edges->len)
			continue;
		best = n;
		*ahead = e->ahead + (e[1].ahead - e->ahead) / 2;
	}
	g_array_unref(edges);
	return (guint)best;
}

/* Would events fall outside by offsets that are not the right one? */
static bool is_telling(const struct probe *p, int64_t ahead)
{
	static const int64_t others[] = { -47, -23, -11, -5, 5, 11, 23, 47 };

	for (guint i = 0; i < G_N_ELEMENTS(others); i++)
		if (inside_of(p, ahead + others[i] * NEIGHBOUR) > p->events->len - p->events->len / TELLING)
			return false;
	return true;
}

/* Make V's offset exact, AHEAD being near it at BEGIN of the guest; false: it is none. */
static bool make_exact(const struct sync_rows *rows, struct sync_vcpu *v, int64_t ahead, int64_t begin)
{
	struct probe p;
	bool right;

	probe_init(&p, rows, v, ahead, begin);
	right = p.events->len >= PROBE_LEAST &&
		most_inside(&p, &ahead) >= p.events->len - p.events->len / OUTSIDE_MOST &&
		is_telling(&p, ahead);
	probe_clear(&p);
	v->begin = begin;
	v->line = (struct sync_line){ INT64_MIN, INT64_MAX, begin, ahead * ((sync_wide)1 << SYNC_FRACTION_BITS),
		0 };
	return right;
}

/* What bounds the guest's clock by what V tells; *HALF: by how much that leaves it open.  NULL: no one line
 * fits. */
static GArray *bounds_of(const struct sync_rows *rows, const struct sync_vcpu *v, int64_t *half)
{
	struct sync_guest *g = sync_guest_new(rows, v);
	struct sync_fit *f = sync_fit_new();
	const struct sync_piece *piece;
	struct sync_message m;
	GArray *bounds = NULL;

	while (sync_guest_next(g, &m))
		sync_fit_add(f, m.host, m.other, m.from_host);
	sync_guest_free(g);
	sync_fit_finish(f);
	if (sync_fit_pieces(f)->len == 1) {
		piece = &g_array_index(sync_fit_pieces(f), struct sync_piece, 0);
		*half = sync_bounds_half(sync_fit_bounds(f), piece->first, piece->last);
		bounds = sync_bounds_new();
		sync_bounds_add(bounds, &g_array_index(sync_fit_bounds(f), struct sync_bound, 0));
	}
	sync_fit_free(f);
	return bounds;
}

/*
 * The bounds by what was sure make more sure, also before V's begin: until they do not become better.
 */
static void sharpen(const struct sync_rows *rows, struct sync_vcpu *v, int64_t earliest)
{
	int64_t before = INT64_MAX, half;
	GArray *bounds;

	for (unsigned i = 0; i < SHARPEN && (bounds = bounds_of(rows, v, &half)); i++) {
		g_clear_pointer(&v->bounds, g_array_unref);
		v->bounds = bounds;
		v->begin = earliest;
		if (half >= before)
			break;
		before = half;
	}
}

/* Does nearly all that the guest's CPU did lie inside? */
static bool holds(const struct sync_rows *rows, struct sync_vcpu *v)
{
	struct sync_guest *g = sync_guest_new(rows, v);
	struct sync_message unused;

	while (sync_guest_next(g, &unused))
		;
	sync_guest_count(g, v);
	sync_guest_free(g);
	return v->inside >= PROBE_LEAST && v->outside <= v->inside / OUTSIDE_MOST;
}

/* ---- all ---- */

/* Is V the CPU of its CPU, by an offset near AHEAD at BEGIN of the guest? */
static bool is_right(const struct sync_rows *rows, struct sync_vcpu *v, int64_t ahead, int64_t begin,
	int64_t earliest)
{
	g_clear_pointer(&v->bounds, g_array_unref);
	if (!make_exact(rows, v, ahead, begin) || !holds(rows, v))
		return false;
	sharpen(rows, v, earliest);
	return holds(rows, v);
}

/* The same, by what most bursts of the guest from FIRST on vote for. */
static bool is_voted(const struct sync_rows *rows, struct sync_vcpu *v, const GArray *host,
	const GArray *steps, const GArray *guest, guint first)
{
	GArray *votes = votes_of(host, steps, guest, first);
	bool right = false;
	int64_t ahead;

	for (unsigned i = 0; i < CANDIDATES && !right && take_most(votes, &ahead) >= VOTES_LEAST; i++)
		right = is_right(rows, v, ahead, burst(guest, first), burst(guest, 0));
	g_array_unref(votes);
	return right;
}

/* Is V the CPU of its CPU, whose bursts are GUEST?  KNOWN (NULL: none) is another of the same guest. */
static bool try_cpu(const struct sync_rows *rows, struct sync_vcpu *v, const GArray *host,
	const GArray *steps, const GArray *guest, const struct sync_vcpu *known)
{
	guint tries = MIN(TRIES, guest->len / TRY + 1);
	bool right = false;

	for (guint i = 0; i < tries && guest->len > 0 && !right; i++) {
		guint first = (guint)((uint64_t)guest->len * i / tries);
		int64_t begin = burst(guest, first);

		right = known ? is_right(rows, v, sync_line_reference(&known->line, begin) - begin, begin,
					burst(guest, 0))
			      : is_voted(rows, v, host, steps, guest, first);
	}
	return right;
}

/* Another virtual CPU of which the guest of CPU is known; NULL none. */
static const struct sync_vcpu *known_of(const struct sync_guests *g, const struct sync_cpu *cpu)
{
	for (guint i = 0; i < g->vcpus->len; i++) {
		const struct sync_vcpu *v = &g_array_index(g->vcpus, struct sync_vcpu, i);

		if (v->found && v->cpu.host == cpu->host)
			return v;
	}
	return NULL;
}

static bool is_taken(const struct sync_guests *g, const struct sync_cpu *cpu)
{
	for (guint i = 0; i < g->vcpus->len; i++) {
		const struct sync_vcpu *v = &g_array_index(g->vcpus, struct sync_vcpu, i);

		if (v->found && v->cpu.host == cpu->host && v->cpu.row == cpu->row)
			return true;
	}
	return false;
}

/* A guest has one machine, and a machine one guest. */
static bool may_be(const struct sync_guests *g, const struct sync_vcpu *v, const struct sync_cpu *cpu)
{
	if (cpu->host == v->self.host || is_taken(g, cpu))
		return false;
	for (guint i = 0; i < g->vcpus->len; i++) {
		const struct sync_vcpu *other = &g_array_index(g->vcpus, struct sync_vcpu, i);
		bool same = other->self.host == v->self.host && other->machine == v->machine;

		if (other->found && same != (other->cpu.host == cpu->host))
			return false;
	}
	return true;
}

static void find_guest(const struct sync_guests *g, struct sync_vcpu *v, GPtrArray *bursts)
{
	GArray *host = bursts_of(&g->rows, &v->self, true), *steps = steps_of(host);
	struct sync_vcpu best = *v;

	for (guint i = 0; i < g->cpus->len; i++) {
		struct sync_vcpu attempt = *v;

		attempt.cpu = g_array_index(g->cpus, struct sync_cpu, i);
		attempt.found = may_be(g, v, &attempt.cpu) &&
			try_cpu(&g->rows, &attempt, host, steps, g_ptr_array_index(bursts, i),
				known_of(g, &attempt.cpu));
		if (attempt.found && (!best.found || attempt.inside > best.inside)) {
			g_clear_pointer(&best.bounds, g_array_unref);
			best = attempt;
		} else {
			g_clear_pointer(&attempt.bounds, g_array_unref);
		}
	}
	*v = best;
	g_array_unref(host);
	g_array_unref(steps);
}

void sync_guests_find(struct sync_guests *g)
{
	GPtrArray *bursts = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

	for (guint i = 0; i < g->cpus->len; i++)
		g_ptr_array_add(bursts,
			bursts_of(&g->rows, &g_array_index(g->cpus, struct sync_cpu, i), false));
	for (guint i = 0; i < g->vcpus->len; i++)
		find_guest(g, &g_array_index(g->vcpus, struct sync_vcpu, i), bursts);
	g_ptr_array_unref(bursts);
}
