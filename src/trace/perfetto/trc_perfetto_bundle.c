/* SPDX-License-Identifier: MIT */
/*
 * How it works: a bundle has the events of one CPU from pages of its ring, without a loss between them. It
 * has three runs, each in order of time: events with messages, switches of CompactSched, and wakings of
 * CompactSched. Such a switch has no prev_pid: it is the next_pid of the switch before. Times of CompactSched
 * are differences.
 */
#include "trace/perfetto/trc_perfetto.h"

/* Fields of FtraceEventBundle. */
enum {
	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST = 3,
	BUNDLE_COMPACT = 4,
	BUNDLE_CLOCK = 5,
	BUNDLE_FTRACE_TIME = 6,
	BUNDLE_BOOT_TIME = 7,
	BUNDLE_ERROR = 8,
	BUNDLE_LAST_READ = 9,
	BUNDLE_BEFORE = 10,
	BUNDLE_DESCRIPTOR = 11
};

bool trc_perfetto_bundle_read(struct trc_perfetto_bundle *b, struct trc_wire body)
{
	struct trc_wire_field f;
	bool has_cpu = false, has_clock = false;
	uint64_t ftrace = 0, boot = 0;

	*b = (struct trc_perfetto_bundle){ .events = body };
	while (trc_wire_next(&body, &f)) {
		if (f.number == BUNDLE_EVENT)
			continue;
		if (f.number == BUNDLE_COMPACT && f.type == TRC_WIRE_BYTES)
			b->compact = f.bytes;
		b->describes |= f.number == BUNDLE_DESCRIPTOR;
		b->errors += f.number == BUNDLE_ERROR && b->errors < UINT16_MAX;
		if (f.type != TRC_WIRE_NUMBER)
			continue;
		switch (f.number) {
		case BUNDLE_CPU:
			has_cpu = f.value < TRC_CPUS_MAX;
			b->cpu = has_cpu ? (uint32_t)f.value : 0;
			break;
		case BUNDLE_LOST: b->lost = f.value != 0; break;
		case BUNDLE_CLOCK: has_clock = f.value != 0; break;
		case BUNDLE_FTRACE_TIME: ftrace = f.value; break;
		case BUNDLE_BOOT_TIME: boot = f.value; break;
		case BUNDLE_LAST_READ: b->last_read = f.value; break;
		case BUNDLE_BEFORE:
			b->has_before = true;
			b->before = f.value;
			break;
		default: break;
		}
	}
	if (has_clock && boot != 0)
		b->ahead = boot - ftrace;
	return has_cpu;
}

/* ---- the run of events with messages ---- */

/* Fields of FtraceEvent that are not the payload. */
enum { EVENT_TIME = 1, EVENT_TID = 2, EVENT_FLAGS = 5 };

static bool event_read(struct trc_perfetto_event *e, struct trc_wire w)
{
	struct trc_wire_field f;

	*e = (struct trc_perfetto_event){ .tid = -1, .flags = -1, .place = w.at };
	while (trc_wire_next(&w, &f)) {
		if (f.type == TRC_WIRE_BYTES) {
			e->number = f.number;
			e->payload = f.bytes;
		} else if (f.number == EVENT_TIME) {
			e->time = f.value;
		} else if (f.number == EVENT_TID) {
			e->tid = (int32_t)f.value;
		} else if (f.number == EVENT_FLAGS) {
			e->flags = (int64_t)(f.value & 0xff);
		}
	}
	return !trc_wire_is_damaged(&w);
}

/* Find the next event with a payload and a number. */
static void walk_event(struct trc_perfetto_walk *w)
{
	struct trc_wire_field f;

	w->has = false;
	while (!w->has && trc_wire_next(&w->events, &f)) {
		if (f.number != BUNDLE_EVENT || f.type != TRC_WIRE_BYTES)
			continue;
		if (!event_read(&w->event, f.bytes)) {
			w->damaged = true;
			return;
		}
		w->has = w->event.number > 0;
		w->event.time += w->bundle->ahead;
	}
	w->damaged |= trc_wire_is_damaged(&w->events);
}

/* ---- the runs of CompactSched ---- */

static struct trc_wire name_of(const struct trc_perfetto_walk *w, uint64_t index)
{
	return index < w->names->len ? g_array_index(w->names, struct trc_wire, index)
				     : (struct trc_wire){ NULL, NULL };
}

/* True if IN has another number. */
static bool has_more(const struct base_varints *in)
{
	return in->p && in->p < in->end;
}

static int64_t take(struct base_varints *in)
{
	return has_more(in) ? (int64_t)base_varints_get(in) : INT64_MIN;
}

static void walk_run(struct trc_perfetto_walk *w, struct trc_perfetto_run *r)
{
	struct trc_perfetto_event *e = &r->at;
	int64_t flags;

	r->has = has_more(&r->time) && has_more(&r->thread);
	if (!r->has)
		return;
	e->time += base_varints_get(&r->time);
	e->thread = take(&r->thread);
	e->state = take(&r->state);
	e->priority = take(&r->priority);
	e->target = take(&r->target);
	e->comm = name_of(w, (uint64_t)take(&r->comm));
	flags = r->has_flags ? take(&r->flags) : INT64_MIN;
	e->flags = flags == INT64_MIN ? -1 : flags & 0xff;
	if (!r->time.p || !r->thread.p) {
		r->has = false;
		w->damaged = true;
	}
}

/* Fields of CompactSched. */
enum {
	COMPACT_SWITCH_TIME = 1,
	COMPACT_STATE = 2,
	COMPACT_NEXT = 3,
	COMPACT_NEXT_PRIORITY = 4,
	COMPACT_NAMES = 5,
	COMPACT_NEXT_NAME = 6,
	COMPACT_WAKING_TIME = 7,
	COMPACT_THREAD = 8,
	COMPACT_TARGET = 9,
	COMPACT_PRIORITY = 10,
	COMPACT_NAME = 11,
	COMPACT_FLAGS = 12
};

static struct base_varints *run_of(struct trc_perfetto_walk *w, unsigned number)
{
	switch (number) {
	case COMPACT_SWITCH_TIME: return &w->switches.time;
	case COMPACT_STATE: return &w->switches.state;
	case COMPACT_NEXT: return &w->switches.thread;
	case COMPACT_NEXT_PRIORITY: return &w->switches.priority;
	case COMPACT_NEXT_NAME: return &w->switches.comm;
	case COMPACT_WAKING_TIME: return &w->wakings.time;
	case COMPACT_THREAD: return &w->wakings.thread;
	case COMPACT_TARGET: return &w->wakings.target;
	case COMPACT_PRIORITY: return &w->wakings.priority;
	case COMPACT_NAME: return &w->wakings.comm;
	case COMPACT_FLAGS: return &w->wakings.flags;
	default: return NULL;
	}
}

static void walk_compact(struct trc_perfetto_walk *w, struct trc_wire compact)
{
	const struct trc_perfetto_event none = { .tid = -1,
		.flags = -1,
		.compact = true,
		.place = compact.at };
	struct trc_wire_field f;

	w->switches = (struct trc_perfetto_run){ .at = none };
	w->switches.at.number = TRC_PERFETTO_SWITCH;
	w->wakings = (struct trc_perfetto_run){ .at = none };
	w->wakings.at.number = TRC_PERFETTO_WAKING;
	g_array_set_size(w->names, 0);
	if (!compact.at)
		return;
	while (trc_wire_next(&compact, &f)) {
		struct base_varints *run = f.type == TRC_WIRE_BYTES ? run_of(w, f.number) : NULL;

		if (run)
			*run = (struct base_varints){ f.bytes.at, f.bytes.end };
		else if (f.number == COMPACT_NAMES && f.type == TRC_WIRE_BYTES)
			g_array_append_val(w->names, f.bytes);
	}
	w->damaged |= trc_wire_is_damaged(&compact);
	w->wakings.has_flags = w->wakings.flags.p;
	w->switches.at.time = w->wakings.at.time = w->bundle->ahead;
	walk_run(w, &w->switches);
	walk_run(w, &w->wakings);
}

/* ---- all of them ---- */

void trc_perfetto_walk_init(struct trc_perfetto_walk *w)
{
	*w = (struct trc_perfetto_walk){ .names = g_array_new(FALSE, FALSE, sizeof(struct trc_wire)) };
}

void trc_perfetto_walk_clear(struct trc_perfetto_walk *w)
{
	g_array_unref(w->names);
}

void trc_perfetto_walk_begin(struct trc_perfetto_walk *w, const struct trc_perfetto_bundle *b)
{
	w->bundle = b;
	w->events = b->events;
	w->damaged = false;
	walk_compact(w, b->compact);
	walk_event(w);
}

bool trc_perfetto_walk_next(struct trc_perfetto_walk *w, struct trc_perfetto_event *e)
{
	struct trc_perfetto_run *run = &w->switches;

	if (w->wakings.has && (!run->has || w->wakings.at.time < run->at.time))
		run = &w->wakings;
	if (w->has && (!run->has || w->event.time <= run->at.time)) {
		*e = w->event;
		walk_event(w);
		return true;
	}
	if (!run->has)
		return false;
	*e = run->at;
	walk_run(w, run);
	return true;
}
