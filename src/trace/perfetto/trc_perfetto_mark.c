/* SPDX-License-Identifier: MIT */
/*
 * How it works: the time of a track event (protos/perfetto/trace/clock_snapshot.proto). A packet names its
 * clock, or its sequence does (TracePacketDefaults). Snapshots give the difference of two clocks. For a time,
 * the last snapshot before it counts, because MONOTONIC stops while the machine is suspended. A sequence may
 * have a counted clock: each of its packets has the time since the packet before.
 *
 * The state of a sequence is valid until the sequence clears it, or until one of its packets is lost.
 */
#include "trace/perfetto/trc_perfetto_track.h"

#include "base/base_search.h"

#define READING_COST 32 /* bytes of memory */

/* ---- clocks of the whole trace ---- */

void trc_perfetto_clocks_init(struct trc_perfetto_clocks *c)
{
	*c = (struct trc_perfetto_clocks){ .readings = g_array_new(FALSE, FALSE,
						   sizeof(struct trc_perfetto_reading)) };
}

void trc_perfetto_clocks_clear(struct trc_perfetto_clocks *c)
{
	g_array_unref(c->readings);
}

static bool is_own(uint64_t clock)
{
	return clock >= TRC_PERFETTO_OWN && clock < TRC_PERFETTO_OWN_END;
}

/* A clock in a snapshot: clock_id 1, timestamp 2, is_incremental 3, unit_multiplier_ns 4. */
static struct trc_perfetto_own_clock clock_of(struct trc_wire w)
{
	struct trc_perfetto_own_clock c = { .unit = 1 };
	struct trc_wire_field f;

	while (trc_wire_next(&w, &f))
		switch (f.number) {
		case 1: c.id = f.value <= UINT32_MAX ? (uint32_t)f.value : 0; break;
		case 2: c.at = f.value; break;
		case 3: c.is_counted = f.value != 0; break;
		case 4: c.unit = f.value; break;
		default: break;
		}
	return c;
}

/* Read the clock ID in W, a ClockSnapshot; 0: the first of the whole trace. False if there is none. */
static bool read_clock(struct trc_wire w, uint32_t id, struct trc_perfetto_own_clock *c)
{
	struct trc_wire_field f;

	while (trc_wire_next(&w, &f)) {
		if (f.number != 1 || f.type != TRC_WIRE_BYTES)
			continue;
		*c = clock_of(f.bytes);
		if (c->id != 0 && (id ? c->id == id : !is_own(c->id)))
			return true;
	}
	return false;
}

void trc_perfetto_clocks_take(struct trc_perfetto_clocks *c, const struct trc_perfetto_packet *p,
	struct trc_budget *budget)
{
	struct trc_wire w = p->body;
	struct trc_perfetto_own_clock boot;
	bool has_boot = read_clock(w, TRC_PERFETTO_BOOT, &boot);
	struct trc_wire_field f;

	c->has_boot |= has_boot;
	while (trc_wire_next(&w, &f)) {
		struct trc_perfetto_own_clock at;
		struct trc_perfetto_reading reading;

		if (f.number == 2 && f.type == TRC_WIRE_NUMBER && f.value < TRC_PERFETTO_OWN)
			c->told = (uint32_t)f.value;
		if (f.number != 1 || f.type != TRC_WIRE_BYTES)
			continue;
		at = clock_of(f.bytes);
		if (!has_boot || at.id == 0 || at.id == TRC_PERFETTO_BOOT || is_own(at.id) || at.unit != 1 ||
			!trc_budget_spend(budget, READING_COST,
				"it has more snapshots of clocks than its size has room for"))
			continue;
		reading = (struct trc_perfetto_reading){ at.at, boot.at, at.id };
		g_array_append_val(c->readings, reading);
	}
}

static int by_clock(const void *a, const void *b)
{
	const struct trc_perfetto_reading *x = a, *y = b;

	return BASE_BY(x, y, clock) ?: BASE_BY(x, y, at) ?: BASE_BY(x, y, boot);
}

void trc_perfetto_clocks_settle(struct trc_perfetto_clocks *c, bool kernel)
{
	g_array_sort(c->readings, by_clock);
	c->home = kernel || c->has_boot || c->told == 0 ? TRC_PERFETTO_BOOT : c->told;
}

/* Set *BOOT to the time at which CLOCK was AT. False if it is unknown. */
static bool find_boot(const struct trc_perfetto_clocks *c, uint32_t clock, uint64_t at, uint64_t *boot)
{
	const struct trc_perfetto_reading *all = (const struct trc_perfetto_reading *)(const void *)
							 c->readings->data;
	guint from = 0, to = c->readings->len;

	*boot = at;
	if (clock == c->home)
		return true;
	/* Find the first reading after (CLOCK, AT). The one before counts; without one, that itself. */
	while (from < to) {
		guint middle = from + (to - from) / 2;
		const struct trc_perfetto_reading *r = &all[middle];

		if (r->clock < clock || (r->clock == clock && r->at <= at))
			from = middle + 1;
		else
			to = middle;
	}
	if (from > 0 && all[from - 1].clock == clock)
		from--;
	if (from == c->readings->len || all[from].clock != clock)
		return false;
	*boot = at + (all[from].boot - all[from].at);
	return true;
}

/* ---- the state of a sequence ---- */

bool trc_perfetto_state_needs(const struct trc_perfetto_packet *p)
{
	return p->sequence != 0 && p->machine == 0 && p->kind != 0 && p->kind != TRC_PERFETTO_FTRACE;
}

/* Read TracePacketDefaults: track_event_defaults 11 with track_uuid 11, timestamp_clock_id 58. */
static void take_defaults(struct trc_perfetto_era *era, struct trc_wire w)
{
	struct trc_wire_field f, in;

	while (trc_wire_next(&w, &f)) {
		if (f.number == 58 && f.type == TRC_WIRE_NUMBER)
			era->clock = (uint32_t)MIN(f.value, UINT32_MAX);
		if (f.number != 11 || f.type != TRC_WIRE_BYTES)
			continue;
		while (trc_wire_next(&f.bytes, &in))
			if (in.number == 11 && trc_wire_is_number(&in))
				era->track = in.value;
	}
}

/* Return the place of the clock ID; for a new one, a free place or that of the oldest. */
static struct trc_perfetto_own_clock *own_place(struct trc_perfetto_era *era, uint32_t id)
{
	unsigned i = 0;

	while (i < TRC_PERFETTO_OWN_CLOCKS && era->clocks[i].id != id && era->clocks[i].id != 0)
		i++;
	if (i < TRC_PERFETTO_OWN_CLOCKS)
		return &era->clocks[i];
	memmove(&era->clocks[0], &era->clocks[1], sizeof era->clocks - sizeof era->clocks[0]);
	return &era->clocks[TRC_PERFETTO_OWN_CLOCKS - 1];
}

static void take_own_clocks(struct trc_perfetto_state *s, struct trc_wire w)
{
	struct trc_perfetto_own_clock with;
	struct trc_wire_field f;

	if (!read_clock(w, TRC_PERFETTO_BOOT, &with) && !read_clock(w, 0, &with))
		return;
	while (trc_wire_next(&w, &f)) {
		struct trc_perfetto_own_clock c;

		if (f.number != 1 || f.type != TRC_WIRE_BYTES)
			continue;
		c = clock_of(f.bytes);
		if (!is_own(c.id))
			continue;
		c.with = with.id;
		c.beside = with.at;
		*own_place(&s->era, c.id) = c;
		if (c.is_counted)
			s->now = c.at;
	}
}

/* Read ThreadDescriptor, from before tracks existed: pid 1, tid 2, reference_timestamp_us 6. */
static void take_thread(struct trc_perfetto_state *s, struct trc_wire w)
{
	struct trc_wire_field f;

	while (trc_wire_next(&w, &f)) {
		if (f.type != TRC_WIRE_NUMBER)
			continue;
		switch (f.number) {
		case 1: s->era.pid = (int32_t)f.value; break;
		case 2: s->era.tid = (int32_t)f.value; break;
		case 6: s->us = f.value; break;
		default: break;
		}
	}
}

/* Advance the clock of P's sequence; set *TIME on the trace's clock. False if it is unknown. */
static bool packet_time(struct trc_perfetto_state *s, const struct trc_perfetto_clocks *clocks,
	const struct trc_perfetto_packet *p, uint64_t *time)
{
	uint32_t clock = p->clock ? p->clock : s->era.clock;
	const struct trc_perfetto_own_clock *own = NULL;
	uint64_t at = p->time;

	if (!is_own(clock))
		return clocks && find_boot(clocks, clock ? clock : clocks->home, at, time);
	for (unsigned i = 0; i < TRC_PERFETTO_OWN_CLOCKS; i++)
		if (s->era.clocks[i].id == clock)
			own = &s->era.clocks[i];
	if (!own)
		return false;
	if (own->is_counted)
		at = s->now += at;
	return clocks && find_boot(clocks, own->with, own->beside + (at - own->at) * own->unit, time);
}

/* Read old times in µs: timestamp_delta_us 1, timestamp_absolute_us 16. False if W has neither. */
static bool old_time(struct trc_perfetto_state *s, struct trc_wire w, uint64_t *us)
{
	struct trc_wire_field f;
	bool has = false;

	while (trc_wire_next(&w, &f)) {
		if (f.type != TRC_WIRE_NUMBER || (f.number != 1 && f.number != 16))
			continue;
		*us = f.number == 1 ? s->us += f.value : f.value;
		has = true;
	}
	return has;
}

enum trc_perfetto_said trc_perfetto_state_take(struct trc_perfetto_state *s,
	const struct trc_perfetto_clocks *clocks, const struct trc_perfetto_packet *p, uint64_t *time)
{
	bool is_event = p->kind == TRC_PERFETTO_TRACK, is_timed;
	uint64_t us;

	if (p->cleared) {
		s->era.is_valid = true;
		s->era.generation++;
		s->era.clock = 0;
		s->era.track = 0;
	} else if (p->dropped) {
		s->era.is_valid = false;
	}
	if (p->defaults.at)
		take_defaults(&s->era, p->defaults);
	if (p->kind == TRC_PERFETTO_CLOCKS) {
		take_own_clocks(s, p->body);
		return TRC_PERFETTO_SAID_OTHER;
	}
	if (p->needs && !s->era.is_valid)
		return is_event ? TRC_PERFETTO_SAID_LOST : TRC_PERFETTO_SAID_OTHER;
	if (p->kind == TRC_PERFETTO_THREAD)
		take_thread(s, p->body);
	is_timed = p->has_time && packet_time(s, clocks, p, time);
	if (!is_event)
		return TRC_PERFETTO_SAID_OTHER;
	if (old_time(s, p->body, &us))
		is_timed = clocks && find_boot(clocks, TRC_PERFETTO_MONOTONIC, us * 1000, time);
	return is_timed ? TRC_PERFETTO_SAID_EVENT : TRC_PERFETTO_SAID_LOST;
}

/* ---- the events of a block ---- */

static int by_time(const void *a, const void *b)
{
	const struct trc_perfetto_mark *x = a, *y = b;

	return BASE_BY(x, y, told) ?: BASE_BY(x, y, packet);
}

uint64_t trc_perfetto_marks_read(GArray *marks, struct trc_perfetto_state *s,
	const struct trc_perfetto_clocks *clocks, const struct trc_perfetto_zero *zero,
	const struct trc_perfetto_block *b, uint32_t sequence, int64_t latest)
{
	uint64_t lost = 0, time = 0;

	for (guint i = 0; i < b->packets->len; i++) {
		const struct trc_perfetto_packet *p = &g_array_index(b->packets, struct trc_perfetto_packet,
			i);
		enum trc_perfetto_said said;
		struct trc_perfetto_mark mark;

		if (p->kind == 0) /* its sequence is unknown */
			s->era.is_valid = false;
		if (p->sequence != sequence || !trc_perfetto_state_needs(p))
			continue;
		said = trc_perfetto_state_take(s, clocks, p, &time);
		lost += said == TRC_PERFETTO_SAID_LOST;
		if (said != TRC_PERFETTO_SAID_EVENT)
			continue;
		mark = (struct trc_perfetto_mark){ .told = trc_perfetto_time(zero, time),
			.track = s->era.track,
			.pid = s->era.pid,
			.tid = s->era.tid,
			.packet = i,
			.generation = s->era.generation };
		g_array_append_val(marks, mark);
	}
	g_array_sort(marks, by_time);
	for (guint i = 0; i < marks->len; i++) {
		struct trc_perfetto_mark *mark = &g_array_index(marks, struct trc_perfetto_mark, i);

		latest = mark->time = MAX(mark->told, latest);
	}
	return lost;
}

/* ---- types of events ---- */

static enum trc_perfetto_act act_of_phase(uint64_t phase)
{
	switch (phase) {
	case 'B':
	case 'b':
	case 'S': return TRC_PERFETTO_BEGIN;
	case 'E':
	case 'e':
	case 'F': return TRC_PERFETTO_END;
	case 'I':
	case 'i':
	case 'n':
	case 'R': return TRC_PERFETTO_INSTANT;
	case 'C': return TRC_PERFETTO_COUNTER;
	case 'X': return TRC_PERFETTO_COMPLETE;
	default: return TRC_PERFETTO_LEGACY;
	}
}

/* TrackEvent: type 9, legacy_event 6 with phase 2. */
enum trc_perfetto_act trc_perfetto_act_of(struct trc_wire body)
{
	enum trc_perfetto_act act = TRC_PERFETTO_LEGACY;
	struct trc_wire_field f, in;

	while (trc_wire_next(&body, &f)) {
		if (f.number == 9 && f.type == TRC_WIRE_NUMBER && f.value >= 1 && f.value <= 4)
			return (enum trc_perfetto_act)(f.value - 1);
		if (f.number != 6 || f.type != TRC_WIRE_BYTES)
			continue;
		while (trc_wire_next(&f.bytes, &in))
			if (in.number == 2 && in.type == TRC_WIRE_NUMBER)
				act = act_of_phase(in.value);
	}
	return act;
}

const char *trc_perfetto_act_name(enum trc_perfetto_act act)
{
	static const char *const names[] = { "track_event:slice_begin", "track_event:slice_end",
		"track_event:instant", "track_event:counter", "track_event:complete", "track_event:legacy" };

	G_STATIC_ASSERT(G_N_ELEMENTS(names) == TRC_PERFETTO_ACTS);
	return names[act];
}
