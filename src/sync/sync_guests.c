/* SPDX-License-Identifier: MIT */
/*
 * How it works: each event of a guest's CPU lies inside a stay of its virtual CPU. So for each stay, one
 * event allows an interval of offsets between the two clocks that is as long as the stay: a room. The next
 * event keeps only rooms that its own time allows, too. After some hundred events no room is left if it is
 * another CPU, otherwise a single one. That room is accepted if nearly all events of the guest's CPU lie
 * inside the stays by it, up to the end. Clocks drift meanwhile, so a room is widened by the possible drift,
 * the more the further an event is from the first one. First all paces are tried at once, which often leaves
 * no room if it is no guest, then each pace alone. Events before the first stay and after the last one show
 * nothing: one of the two may have been recorded longer.
 *
 * Once a guest's clock is known by one of its CPUs, the others need no search: each belongs to the virtual
 * CPU in whose stays its events lie.
 *
 * A host that sets the TSC offset of a virtual CPU (kvm_write_tsc_offset) makes the guest's clock jump if the
 * guest counts the TSC itself. A guest with kvm-clock goes on without a jump, because the host corrects
 * kvm-clock (kvm_guest_time_update() in arch/x86/kvm/x86.c). It also goes on if the host only compensates for
 * its own TSC, which stood still (kvm_arch_hardware_enable()). So a setting shows nothing by itself. If one
 * line holds for all stays, it is the clock. Otherwise the stays before and after each setting are examined
 * separately. A clock of Linux does not step back, so events after the setting stay later by both lines.
 */
#include "sync/sync_guests.h"

#include "base/base_search.h"
#include "base/base_time.h"
#include "sync/sync_fit.h"

#define STAYS_MAX (1u << 20)     /* stays of one virtual CPU */
#define TRIES 16                 /* parts of the guest's trace that are examined */
#define EVENTS 2048              /* events of one part … */
#define LONG INT64_C(2000000000) /* … or its length in ns */
#define EVENTS_LEAST 32
#define DRIFT 5000     /* 1/DRIFT of the time: 200 ppm, the difference of crystals */
#define SLEWED_TRIES 4 /* parts that are examined by another pace */
#define PPM ((((int64_t)1) << SYNC_FRACTION_BITS) / 1000000)
#define ROOM 200000       /* ns: a wider room shows nothing */
#define ROOMS 4           /* rooms that are tried; more show nothing */
#define SHARPEN 8         /* most repetitions */
#define OUTSIDE_MOST 1000 /* one event in OUTSIDE_MOST may lie outside */
#define FAR (INT64_MAX / 4)
#define SETTINGS_MOST 64 /* of a TSC; if it is set more often, it shows nothing */

/* ppm by which the host's clock may be faster, each ± DRIFT: for NTP the kernel slews each of the two by up
 * to 500 (MAXFREQ). */
#define SLEWED_MOST 1000
static const int paces[] = { 0, 350, -350, 700, -700, SLEWED_MOST, -SLEWED_MOST };

/* ---- rooms ---- */

struct room {
	int64_t from, to;
};

static struct room *room(const GArray *rooms, guint i)
{
	return &g_array_index(rooms, struct room, i);
}

/* The stays of V, of struct room. A first element ends where the first stay begins, and a last one begins
 * where the last stay ends: nothing is known there. */
static GArray *stays_of(const struct sync_rows *rows, const struct sync_vcpu *v)
{
	GArray *stays = g_array_new(FALSE, FALSE, sizeof(struct room));
	struct room before = { -FAR, FAR }, behind = { -FAR, FAR };
	void *cursor = rows->open(rows->data, v->self.host, v->self.row, v->from);
	struct room stay;

	g_array_append_val(stays, before);
	while (stays->len < STAYS_MAX && rows->next(cursor, &stay.from, &stay.to) && stay.from < v->to)
		if (stay.from >= v->from)
			g_array_append_val(stays, stay);
	rows->close(cursor);
	if (stays->len > 1) {
		room(stays, 0)->to = room(stays, 1)->from;
		behind.from = room(stays, stays->len - 1)->to;
	}
	g_array_append_val(stays, behind);
	return stays;
}

/* Part I of the events of CPU (of int64_t). */
static GArray *events_of(const struct sync_rows *rows, const struct sync_cpu *cpu, const struct room *span,
	guint i)
{
	GArray *events = g_array_new(FALSE, FALSE, sizeof(int64_t));
	int64_t begin = span->from + (span->to - span->from) / TRIES * i, at, unused;
	void *cursor = rows->open(rows->data, cpu->host, cpu->row, begin);

	while (events->len < EVENTS && rows->next(cursor, &at, &unused) &&
		(events->len == 0 || at - g_array_index(events, int64_t, 0) < LONG))
		if (at >= begin)
			g_array_append_val(events, at);
	rows->close(cursor);
	return events;
}

/* The first and the last event of CPU. */
static struct room span_of(const struct sync_rows *rows, const struct sync_cpu *cpu)
{
	struct room span = { 0, 0 };
	void *cursor = rows->open(rows->data, cpu->host, cpu->row, INT64_MIN);
	int64_t at, unused;

	for (bool first = true; rows->next(cursor, &at, &unused); first = false) {
		span.from = first ? at : span.from;
		span.to = at;
	}
	rows->close(cursor);
	return span;
}

struct sought {
	const GArray *stays;
	int64_t time;
};

static bool ends_before(const void *data, uint64_t i)
{
	const struct sought *s = data;

	return room(s->stays, (guint)i)->to < s->time;
}

/* Add [FROM, TO], unless it is empty, to the N ROOMS, which have space for one more; it may touch the last
 * one.  Returns the new number. */
static guint add_room(struct room *rooms, guint n, int64_t from, int64_t to)
{
	if (n > 0 && rooms[n - 1].to >= from)
		rooms[n - 1].to = MAX(rooms[n - 1].to, to);
	else if (from <= to)
		rooms[n++] = (struct room){ from, to };
	return n;
}

/* Set LEFT to the rooms that an event at AT leaves of ROOMS if clocks may have drifted by DRIFT. */
static void guests_cut(const GArray *rooms, const GArray *stays, int64_t at, int64_t drift, GArray *left)
{
	struct room *out;
	guint k = 0, n = 0;

	g_array_set_size(left, rooms->len + stays->len); /* more than two lists can have in common */
	out = room(left, 0);
	for (guint i = 0; i < rooms->len; i++) {
		const struct room *r = room(rooms, i), *stay;
		struct sought sought = { stays, r->from + at - drift };
		guint step = 1;

		/* The next stay that does not end earlier is mostly near. */
		for (; k + step < stays->len && ends_before(&sought, k + step); step *= 2)
			k += step;
		k = (guint)base_search(k, MIN(k + step, stays->len), ends_before, &sought);
		for (guint j = k; j < stays->len; j++) {
			stay = room(stays, j);
			if (stay->from - at - drift > r->to)
				break;
			n = add_room(out, n, MAX(r->from, stay->from - at - drift),
				MIN(r->to, stay->to - at + drift));
		}
	}
	g_array_set_size(left, n);
}

/* All rooms that EVENTS can leave. */
static GArray *all_rooms(const GArray *stays, const GArray *events)
{
	int64_t middle = g_array_index(events, int64_t, events->len / 2);
	GArray *rooms = g_array_sized_new(FALSE, FALSE, sizeof(struct room), stays->len);
	guint n = 0;

	for (guint i = 1; i + 1 < stays->len; i++)
		n = add_room(room(rooms, 0), n, room(stays, i)->from - middle, room(stays, i)->to - middle);
	g_array_set_size(rooms, n);
	return rooms;
}

/* The rooms that EVENTS leave of ROOMS, for the offset at the event in the middle, if the host's clock is
 * faster by PACE ± SLEWED. Events that are far apart cut more than neighbours, so they come first: every
 * 1024th, every 512th, … */
static GArray *rooms_of(const GArray *rooms, const GArray *stays, const GArray *events, int pace, int slewed)
{
	int64_t middle = g_array_index(events, int64_t, events->len / 2);
	GArray *now = g_array_copy((GArray *)rooms), *left = g_array_new(FALSE, FALSE, sizeof(struct room));

	for (guint each = EVENTS / 2; each > 0; each /= 2)
		for (guint i = each; i < events->len && now->len > 0; i += 2 * each) {
			int64_t at = g_array_index(events, int64_t, i), far = ABS(at - middle);
			GArray *before = now;

			guests_cut(now, stays, at + (at - middle) * pace / 1000000,
				far / DRIFT + far * slewed / 1000000 + 1, left);
			now = left;
			left = before;
		}
	g_array_unref(left);
	return now;
}

/* ---- what bounds the clock ---- */

/* The bounds of the guest's clock from the messages of V; *HALF: their largest error.  NULL: no single line
 * fits. */
static GArray *bounds_of(const struct sync_rows *rows, const struct sync_vcpu *v, int64_t *half)
{
	struct sync_guest *g = sync_guest_new(rows, v, false);
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
		bounds = sync_bounds_copy(sync_fit_bounds(f));
	}
	sync_fit_free(f);
	return bounds;
}

/* Bounds from the sure messages make more messages sure, also before V's begin.  Repeat until the bounds do
 * not improve. */
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

/* True if nearly all events of the guest's CPU, and at least LEAST, lie inside the stays of V. */
static bool guests_holds(const struct sync_rows *rows, struct sync_vcpu *v, uint64_t least)
{
	struct sync_guest *g = sync_guest_new(rows, v, false);
	struct sync_message unused;

	while (sync_guest_next(g, &unused))
		;
	sync_guest_count(g, v);
	sync_guest_free(g);
	return v->inside >= least && v->outside <= v->inside / OUTSIDE_MOST;
}

/* ---- all ---- */

/* True if V runs V->cpu with a clock by which the host is AHEAD (ns) at BEGIN of the guest, and if LEAST
 * events or more lie inside. EARLIEST is the time of the guest's first event. */
static bool is_right(const struct sync_rows *rows, struct sync_vcpu *v, int64_t ahead, int64_t begin,
	int64_t earliest, uint64_t least)
{
	g_clear_pointer(&v->bounds, g_array_unref);
	v->begin = begin;
	v->line = (struct sync_line){ INT64_MIN, INT64_MAX, begin,
		ahead * ((sync_wide)1 << SYNC_FRACTION_BITS), v->pace * PPM };
	if (!guests_holds(rows, v, least))
		return false;
	sharpen(rows, v, earliest);
	return guests_holds(rows, v, least);
}

/* True if V runs V->cpu by part I of the CPU's events. *LEFT are the rooms that this part leaves at any pace
 * (NULL: not computed yet). If none is left, single paces need not be tried. */
static bool try_part(const struct sync_rows *rows, struct sync_vcpu *v, const GArray *stays,
	const struct room *span, guint i, GArray **left)
{
	g_autoptr(GArray) events = events_of(rows, &v->cpu, span, i), rooms = NULL;
	unsigned right = 0;
	struct sync_vcpu found = *v;

	if (events->len < EVENTS_LEAST)
		return false;
	if (!*left) {
		g_autoptr(GArray) all = all_rooms(stays, events);

		*left = rooms_of(all, stays, events, 0, SLEWED_MOST);
	}
	rooms = rooms_of(*left, stays, events, v->pace, 0);
	for (guint k = 0; k < rooms->len && rooms->len <= ROOMS; k++) {
		const struct room *r = room(rooms, k);
		struct sync_vcpu attempt = *v;

		attempt.found = r->to - r->from <= ROOM &&
			is_right(rows, &attempt, r->from + (r->to - r->from) / 2,
				g_array_index(events, int64_t, events->len / 2), span->from, EVENTS_LEAST);
		if (attempt.found && right++ == 0)
			found = attempt;
		else
			g_clear_pointer(&attempt.bounds, g_array_unref);
	}
	if (right > 1)
		g_clear_pointer(&found.bounds, g_array_unref);
	else
		*v = found;
	return right == 1;
}

/* Like try_part(), by all parts of SPAN; LEFT has one entry for each part. */
static bool try_cpu(const struct sync_rows *rows, struct sync_vcpu *v, const GArray *stays,
	const struct room *span, GArray **left)
{
	struct sync_vcpu told = *v;

	/* Nothing is guessed here, so few events are enough. */
	told.found = told.given && told.same_clock && told.pace == 0 &&
		is_right(rows, &told, 0, span->from, span->from, 1);
	if (told.found) {
		*v = told;
		return true;
	}
	g_clear_pointer(&told.bounds, g_array_unref);
	for (guint i = 0; i < TRIES; i += v->pace == 0 ? 1 : TRIES / SLEWED_TRIES)
		if ((!left[i] || left[i]->len > 0) && try_part(rows, v, stays, span, i, &left[i]))
			return true;
	return false;
}

/* ---- clocks that jump ---- */

/* True if V runs V->cpu by the stays in [V->from, V->to), at any pace. */
static bool try_stretch(const struct sync_rows *rows, struct sync_vcpu *v, const struct room *span)
{
	g_autoptr(GArray) stays = stays_of(rows, v);
	GArray *left[TRIES] = { NULL };

	v->found = false;
	for (unsigned p = 0; p < G_N_ELEMENTS(paces) && !v->found; p++) {
		v->pace = paces[p];
		v->found = try_cpu(rows, v, stays, span, left) && v->bounds;
	}
	for (unsigned i = 0; i < TRIES; i++)
		g_clear_pointer(&left[i], g_array_unref);
	return v->found;
}

/* True if the line of V also holds in the stays up to TO, in which a line of their own holds for INSIDE
 * events. Then V takes these stays. */
static bool goes_on(const struct sync_rows *rows, struct sync_vcpu *v, int64_t to, uint64_t inside)
{
	struct sync_vcpu longer = *v;
	GArray *bounds = NULL;
	int64_t half;

	longer.to = to;
	if (guests_holds(rows, &longer, EVENTS_LEAST) &&
		longer.inside - v->inside >= inside - inside / OUTSIDE_MOST &&
		longer.outside - v->outside <= (longer.inside - v->inside) / OUTSIDE_MOST)
		bounds = bounds_of(rows, &longer, &half);
	if (!bounds)
		return false;
	g_array_unref(v->bounds);
	*v = longer;
	v->bounds = bounds;
	sharpen(rows, v, v->begin);
	return true;
}

/* The guest's time at TIME of the host, by the bounds of V. */
static int64_t shown_at(const struct sync_vcpu *v, int64_t time)
{
	int64_t guest = v->begin;
	sync_wide low, high;

	/* Each repetition reduces the difference to a fraction: the difference of the paces. */
	for (unsigned i = 0; i < 6; i++) {
		sync_bounds_at(v->bounds, guest, &low, &high);
		guest = (int64_t)CLAMP((sync_wide)guest + time - (low + (high - low) / 2),
			-BASE_TIME_FARTHEST, BASE_TIME_FARTHEST);
	}
	return guest;
}

/* Join STRETCHES (at least one) to one clock in V, if the result holds. Frees the bounds of STRETCHES. */
static bool guests_join(const struct sync_rows *rows, struct sync_vcpu *v, const GArray *stretches)
{
	struct sync_vcpu all = g_array_index(stretches, struct sync_vcpu, 0);

	all.bounds = sync_bounds_new();
	for (guint i = 0; i < stretches->len; i++) {
		struct sync_vcpu *s = &g_array_index(stretches, struct sync_vcpu, i);
		struct sync_bound *bound;

		sync_bounds_add(all.bounds, &g_array_index(s->bounds, struct sync_bound, 0));
		bound = &g_array_index(all.bounds, struct sync_bound, i);
		if (i > 0) {
			/* The clock jumped between the last stay before and the first stay after. */
			g_autoptr(GArray) stays = stays_of(rows, s - 1), next = stays_of(rows, s);
			int64_t last = shown_at(s - 1, room(stays, stays->len - 1)->from),
				first = shown_at(s, room(next, 0)->to);

			bound->from = last + (first - last) / 2;
			bound[-1].seen = bound->from - 1;
		}
		all.to = s->to;
	}
	for (guint i = 0; i < stretches->len; i++)
		g_array_unref(g_array_index(stretches, struct sync_vcpu, i).bounds);
	if (guests_holds(rows, &all, EVENTS_LEAST)) {
		*v = all;
		return true;
	}
	g_array_unref(all.bounds);
	return false;
}

/* True if V runs V->cpu by a clock that may jump at each time of SET, when V's TSC was set. Only consecutive
 * stretches with a line are used: the time before the first one, and after the first gap, shows nothing. */
static bool try_set(const struct sync_rows *rows, struct sync_vcpu *v, const GArray *set,
	const struct room *span)
{
	g_autoptr(GArray) stretches = g_array_new(FALSE, FALSE, sizeof(struct sync_vcpu));
	struct sync_vcpu *last = NULL;
	bool more = true;

	for (guint i = 0; i <= set->len && more; i++) {
		struct sync_vcpu next = *v;
		bool alone;

		next.from = i > 0 ? g_array_index(set, int64_t, i - 1) : INT64_MIN;
		next.to = i < set->len ? g_array_index(set, int64_t, i) : INT64_MAX;
		alone = try_stretch(rows, &next, span);
		if (last && goes_on(rows, last, next.to, alone ? next.inside : 0)) {
			g_clear_pointer(&next.bounds, g_array_unref);
			continue;
		}
		if (alone)
			g_array_append_val(stretches, next);
		more = alone || !last;
		last = stretches->len > 0 ? &g_array_index(stretches, struct sync_vcpu, stretches->len - 1)
					  : NULL;
	}
	return last && guests_join(rows, v, stretches);
}

/* The results for all pairs. */
struct looked {
	GArray *spans; /* owned: of struct room, of each CPU of G */
	GArray **left; /* owned with its elements: for each virtual CPU, CPU and part, *LEFT of try_part() */
};

/* True if V, virtual CPU number K, runs CPU number I of G. */
static bool try_pair(const struct sync_guests *g, struct sync_vcpu *v, guint k, guint i, const GArray *stays,
	const struct looked *l)
{
	return try_cpu(&g->rows, v, stays, room(l->spans, i),
		&l->left[((gsize)k * g->cpus->len + i) * TRIES]);
}

static bool is_taken(const struct sync_guests *g, const struct sync_cpu *cpu)
{
	for (guint i = 0; i < g->vcpus->len; i++) {
		const struct sync_vcpu *v = &g_array_index(g->vcpus, struct sync_vcpu, i);

		if (v->found && sync_cpu_is(&v->cpu, cpu))
			return true;
	}
	return false;
}

/* True if V may be CPU: a guest has one machine, and a machine one guest. */
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

/* A virtual CPU that may be a CPU, by AS. */
struct candidate {
	guint vcpu, cpu; /* their numbers among all */
	struct sync_vcpu as;
};

static void clear_candidate(void *candidate)
{
	g_clear_pointer(&((struct candidate *)candidate)->as.bounds, g_array_unref);
}

/* True if the recordings allow that V is CPU. */
static bool is_allowed(const struct sync_guests *g, const struct sync_vcpu *v, const struct sync_cpu *cpu)
{
	for (guint i = 0; i < g->vcpus->len && !v->given; i++) {
		const struct sync_vcpu *other = &g_array_index(g->vcpus, struct sync_vcpu, i);

		if (other->given && sync_cpu_is(&other->cpu, cpu))
			return false;
	}
	return !v->given || sync_cpu_is(&v->cpu, cpu);
}

/* True if the stays of V, number K, agree with the CPU that the recordings give. */
static bool is_borne_out(const struct sync_guests *g, const struct sync_vcpu *v, guint k,
	const struct looked *l)
{
	g_autoptr(GArray) stays = stays_of(&g->rows, v);
	struct sync_vcpu as = *v;
	bool right = false;

	for (guint i = 0; i < g->cpus->len; i++)
		for (unsigned p = 0; p < G_N_ELEMENTS(paces) && !right; p++) {
			as.pace = paces[p];
			right = sync_cpu_is(&v->cpu, &g_array_index(g->cpus, struct sync_cpu, i)) &&
				try_pair(g, &as, k, i, stays, l);
		}
	g_clear_pointer(&as.bounds, g_array_unref);
	return right;
}

/* True if virtual CPU number K, or CPU number I, is in BEFORE (NULL: false). */
static bool is_candidate(const GArray *before, guint k, guint i)
{
	for (guint n = 0; before && n < before->len; n++) {
		const struct candidate *c = &g_array_index(before, struct candidate, n);

		if (c->vcpu == k || c->cpu == i)
			return true;
	}
	return false;
}

/* Each virtual CPU with each CPU that it may be if the host is faster by PACE, without those in BEFORE. If
 * the TSC of a virtual CPU was set, its stretches are examined first, at any pace. */
static GArray *candidates_of(const struct sync_guests *g, const struct looked *l, int pace,
	const GArray *before)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct candidate));

	g_array_set_clear_func(all, clear_candidate);
	for (guint k = 0; k < g->vcpus->len; k++) {
		const struct sync_vcpu *v = &g_array_index(g->vcpus, struct sync_vcpu, k);
		g_autoptr(GArray) stays = stays_of(&g->rows, v),
				  set = before ? NULL : g->rows.set(g->rows.data, v->self.host, v->self.row);
		bool jumps = set && set->len > 0 && set->len <= SETTINGS_MOST; /* its clock may jump */

		for (guint i = 0; i < g->cpus->len; i++) {
			struct candidate c = { k, i, *v };

			c.as.cpu = g_array_index(g->cpus, struct sync_cpu, i);
			c.as.pace = pace;
			if (v->found || is_candidate(before, k, i) || !is_allowed(g, v, &c.as.cpu) ||
				!may_be(g, v, &c.as.cpu))
				continue;
			if ((jumps && try_set(&g->rows, &c.as, set, room(l->spans, i))) ||
				try_pair(g, &c.as, k, i, stays, l))
				g_array_append_val(all, c);
		}
	}
	return all;
}

/* The only candidate left for CPU number I; NULL: none, or several. */
static struct candidate *only_one(const struct sync_guests *g, const GArray *candidates, guint i)
{
	struct candidate *only = NULL;

	for (guint k = 0; k < candidates->len; k++) {
		struct candidate *c = &g_array_index(candidates, struct candidate, k);
		const struct sync_vcpu *v = &g_array_index(g->vcpus, struct sync_vcpu, c->vcpu);

		if (c->cpu != i || v->found || !may_be(g, v, &c->as.cpu))
			continue;
		if (only)
			return NULL;
		only = c;
	}
	return only;
}

/* Pair each CPU that has only one virtual CPU left. Each pair leaves less for the others. */
static void take_forced(const struct sync_guests *g, const GArray *candidates)
{
	bool more = true;

	while (more) {
		more = false;
		for (guint i = 0; i < g->cpus->len; i++) {
			struct candidate *c = only_one(g, candidates, i);

			if (!c)
				continue;
			g_array_index(g->vcpus, struct sync_vcpu, c->vcpu) = c->as;
			c->as.bounds = NULL;
			more = true;
		}
	}
}

/* True if V is CPU number I, by the clock of KNOWN, which was found. */
static bool follows(const struct sync_guests *g, const struct sync_vcpu *known, struct sync_vcpu *v, guint i,
	const GArray *spans)
{
	v->cpu = g_array_index(g->cpus, struct sync_cpu, i);
	if (v->cpu.host != known->cpu.host || v->self.host != known->self.host || is_taken(g, &v->cpu))
		return false;
	v->from = known->from;
	v->to = known->to;
	v->line = known->line;
	v->bounds = known->bounds;
	v->begin = room(spans, i)->from;
	v->pace = known->pace;
	return guests_holds(&g->rows, v, EVENTS_LEAST);
}

/* The CPU that follows for virtual CPU number K from those that were found, and *FOUND, its result.
 * UINT_MAX: none, or several. */
static guint rest_of(const struct sync_guests *g, guint k, const GArray *spans, struct sync_vcpu *found)
{
	guint cpu = UINT_MAX, n = 0;

	for (guint j = 0; j < g->vcpus->len; j++) {
		const struct sync_vcpu *known = &g_array_index(g->vcpus, struct sync_vcpu, j);

		for (guint i = 0; known->found && known->bounds && i < g->cpus->len; i++) {
			struct sync_vcpu v = g_array_index(g->vcpus, struct sync_vcpu, k);

			if (i == cpu || !is_allowed(g, &v, &g_array_index(g->cpus, struct sync_cpu, i)) ||
				!follows(g, known, &v, i, spans))
				continue;
			cpu = i;
			n++;
			*found = v;
		}
	}
	return n == 1 ? cpu : UINT_MAX;
}

/* Pair the other CPUs of guests whose clocks are known. */
static void find_rest(const struct sync_guests *g, const GArray *spans)
{
	guint *cpus = g_new(guint, g->vcpus->len);
	struct sync_vcpu *found = g_new0(struct sync_vcpu, g->vcpus->len);

	for (guint k = 0; k < g->vcpus->len; k++)
		cpus[k] = g_array_index(g->vcpus, struct sync_vcpu, k).found
			? UINT_MAX
			: rest_of(g, k, spans, &found[k]);
	for (guint k = 0; k < g->vcpus->len; k++) {
		bool alone = cpus[k] != UINT_MAX;

		for (guint j = 0; j < g->vcpus->len && alone; j++)
			alone = j == k || cpus[j] != cpus[k];
		if (!alone)
			continue;
		found[k].found = true;
		found[k].bounds = g_array_copy(found[k].bounds);
		sharpen(&g->rows, &found[k], found[k].begin);
		g_array_index(g->vcpus, struct sync_vcpu, k) = found[k];
	}
	g_free(cpus);
	g_free(found);
}

/* Candidates by clocks that are slewed, without the CPUs of USUAL: each pair once. */
static GArray *slewed_of(const struct sync_guests *g, const struct looked *l, const GArray *usual)
{
	GArray *slewed = g_array_new(FALSE, FALSE, sizeof(struct candidate));

	g_array_set_clear_func(slewed, clear_candidate);
	for (unsigned p = 1; p < G_N_ELEMENTS(paces); p++) {
		g_autoptr(GArray) some = candidates_of(g, l, paces[p], usual);

		for (guint i = 0; i < some->len; i++) {
			struct candidate *c = &g_array_index(some, struct candidate, i);
			bool new = true;

			for (guint k = 0; k < slewed->len && new; k++) {
				const struct candidate *other = &g_array_index(slewed, struct candidate, k);

				new = c->vcpu != other->vcpu || c->cpu != other->cpu;
			}
			if (!new)
				continue;
			g_array_append_val(slewed, *c);
			c->as.bounds = NULL;
		}
	}
	return slewed;
}

void sync_guests_find(struct sync_guests *g)
{
	gsize n = (gsize)g->vcpus->len * g->cpus->len * TRIES;
	struct looked l = { g_array_new(FALSE, FALSE, sizeof(struct room)), g_new0(GArray *, n) };
	g_autoptr(GArray) usual = NULL, slewed = NULL;

	for (guint i = 0; i < g->cpus->len; i++) {
		struct room span = span_of(&g->rows, &g_array_index(g->cpus, struct sync_cpu, i));

		g_array_append_val(l.spans, span);
	}
	for (guint k = 0; k < g->vcpus->len; k++) {
		struct sync_vcpu *v = &g_array_index(g->vcpus, struct sync_vcpu, k);

		v->given = v->given && is_borne_out(g, v, k, &l);
	}
	usual = candidates_of(g, &l, 0, NULL);
	take_forced(g, usual);
	find_rest(g, l.spans);
	slewed = slewed_of(g, &l, usual);
	take_forced(g, slewed);
	find_rest(g, l.spans);
	for (gsize i = 0; i < n; i++)
		g_clear_pointer(&l.left[i], g_array_unref);
	g_free(l.left);
	g_array_unref(l.spans);
}
