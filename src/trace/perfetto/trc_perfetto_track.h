/* SPDX-License-Identifier: MIT */
/*
 * Track events, which programs write about themselves. A sequence is the packets that one of their threads
 * wrote. Each packet depends on earlier packets of its sequence: names by number, the clock, the track. So
 * each sequence has a state.
 */
#ifndef TRC_PERFETTO_TRACK_H
#define TRC_PERFETTO_TRACK_H

#include "trace/perfetto/trc_perfetto.h"

/* ---- clocks ---- */

/* CLOCK showed AT when BOOTTIME showed BOOT, ns. */
struct trc_perfetto_reading {
	uint64_t at, boot;
	uint32_t clock;
};

struct trc_perfetto_clocks {
	/* of struct trc_perfetto_reading, owned; sorted by clock and time by trc_perfetto_clocks_settle() */
	GArray *readings;
	bool has_boot; /* some snapshot has BOOTTIME */
	uint32_t told; /* primary_trace_clock; 0: unknown */
	uint32_t home; /* the clock of the trace; set by trc_perfetto_clocks_settle() */
};

void trc_perfetto_clocks_init(struct trc_perfetto_clocks *c);
void trc_perfetto_clocks_clear(struct trc_perfetto_clocks *c);
/* Take the readings in P, a snapshot of clocks of the host. */
void trc_perfetto_clocks_take(struct trc_perfetto_clocks *c, const struct trc_perfetto_packet *p,
	struct trc_budget *budget);
/* Finish: all snapshots were taken. KERNEL: the trace has events of the kernel, whose times are by
 * BOOTTIME. */
void trc_perfetto_clocks_settle(struct trc_perfetto_clocks *c, bool kernel);

/* ---- the state of a sequence ---- */

/* Most clocks of its own that a sequence has at a time: the SDK of Perfetto has two. */
#define TRC_PERFETTO_OWN_CLOCKS 4

struct trc_perfetto_own_clock {
	uint64_t unit;     /* ns */
	uint64_t at;       /* the clock showed AT … */
	uint64_t beside;   /* … when the clock WITH showed BESIDE, ns */
	uint32_t id, with; /* ID 0: none */
	bool is_counted;   /* incremental: each packet has the time since the packet before */
};

/* The part of a state that seldom changes. */
struct trc_perfetto_era {
	struct trc_perfetto_own_clock clocks[TRC_PERFETTO_OWN_CLOCKS];
	uint64_t track;      /* default track of events */
	int64_t pid, tid;    /* of the thread, from a ThreadDescriptor (before tracks existed); -1: unknown */
	uint32_t clock;      /* default clock of packets; 0: unknown */
	uint32_t generation; /* how often the sequence cleared its state */
	bool is_valid;       /* no packet was lost on which later packets depend */
};

struct trc_perfetto_state {
	struct trc_perfetto_era era;
	uint64_t now; /* the present time of the incremental clock, in its units */
	uint64_t us;  /* the present time of old deltas (timestamp_delta_us), µs */
};

#define TRC_PERFETTO_STATE_NEW ((struct trc_perfetto_state){ .era = { .pid = -1, .tid = -1 } })

/* True if P changes the state of its sequence, or is an event. */
bool trc_perfetto_state_needs(const struct trc_perfetto_packet *p);

enum trc_perfetto_said {
	TRC_PERFETTO_SAID_OTHER,
	TRC_PERFETTO_SAID_EVENT,
	TRC_PERFETTO_SAID_LOST /* an event, but the state that it needs was lost, or its clock is unknown */
};

/* Advance S, the state of a sequence, by its packet P. For an event *TIME is its time, ns of the clock of the
 * trace. CLOCKS NULL: times are not wanted. */
enum trc_perfetto_said trc_perfetto_state_take(struct trc_perfetto_state *s,
	const struct trc_perfetto_clocks *clocks, const struct trc_perfetto_packet *p, uint64_t *time);

/* ---- the events of a sequence in a block ---- */

struct trc_perfetto_mark {
	int64_t time;     /* ns: TOLD, but not earlier than the mark before */
	int64_t told;     /* ns: the time that the event has in the file */
	uint64_t track;   /* the track if the event names none */
	int64_t pid, tid; /* its thread if the event names none; -1: unknown */
	guint packet;     /* index of its packet in the block */
	uint32_t generation;
};

/* Put the events of SEQUENCE in block B into MARKS (of struct trc_perfetto_mark), in order of time, none
 * earlier than LATEST (ns), and advance S, the state of the sequence. Returns the number of events that were
 * left out because their state or clock is unknown. */
uint64_t trc_perfetto_marks_read(GArray *marks, struct trc_perfetto_state *s,
	const struct trc_perfetto_clocks *clocks, const struct trc_perfetto_zero *zero,
	const struct trc_perfetto_block *b, uint32_t sequence, int64_t latest);

/* Kinds of track events, and their names. */
enum trc_perfetto_act {
	TRC_PERFETTO_BEGIN,
	TRC_PERFETTO_END,
	TRC_PERFETTO_INSTANT,
	TRC_PERFETTO_COUNTER,
	TRC_PERFETTO_COMPLETE,
	TRC_PERFETTO_LEGACY,
	TRC_PERFETTO_ACTS
};
enum trc_perfetto_act trc_perfetto_act_of(struct trc_wire body);
/* Static. */
const char *trc_perfetto_act_name(enum trc_perfetto_act act);

/* ---- names ---- */

struct trc_perfetto_names;

/* The kinds of names that have numbers, as fields of InternedData. */
enum trc_perfetto_name {
	TRC_PERFETTO_NAME_CATEGORY = 1,
	TRC_PERFETTO_NAME_EVENT = 2,
	TRC_PERFETTO_NAME_NOTE = 3,
	TRC_PERFETTO_NAME_TEXT = 29,
	TRC_PERFETTO_NAME_RELATED = 42
};

/* A track. Tracks form a tree. */
struct trc_perfetto_track {
	uint64_t uuid, parent;
	int64_t pid, tid;                    /* -1: unknown */
	const char *name, *process, *thread; /* weak, hostile; NULL: unknown */
	/* unit of the values of a counter; weak, hostile; NULL: unknown */
	const char *unit;
	int64_t multiplier; /* factor of the values of a counter */
	bool is_counted;    /* each value is the difference from the value before */
};

/* BUDGET must outlive the result. */
struct trc_perfetto_names *trc_perfetto_names_new(struct trc_budget *budget);
/* NAMES may be NULL. */
void trc_perfetto_names_free(struct trc_perfetto_names *names);
/* Take the names and tracks in P, a packet of a sequence in GENERATION (struct trc_perfetto_era). */
void trc_perfetto_names_take(struct trc_perfetto_names *names, const struct trc_perfetto_packet *p,
	uint32_t generation);
/* Return the name with NUMBER in GENERATION of SEQUENCE, the latest one in it; NULL: no packet of GENERATION has
 * it. Weak, hostile. */
const char *trc_perfetto_names_text(const struct trc_perfetto_names *names, uint32_t sequence,
	enum trc_perfetto_name kind, uint64_t number, uint32_t generation);
/* Return the track UUID; NULL: no packet describes it. Weak. */
const struct trc_perfetto_track *trc_perfetto_names_track(const struct trc_perfetto_names *names,
	uint64_t uuid);

/* Append the fields of MARK, an event in packet P, to TO, which ends with "{ ", and pass each to TAKER (may
 * be NULL). */
void trc_perfetto_mark_fields(const struct trc_perfetto_names *names, const struct trc_perfetto_mark *mark,
	const struct trc_perfetto_packet *p, GString *to, const struct trc_taker *taker);

/* ---- events anywhere in the file ---- */

struct trc_perfetto_programs;

/* Read all of F, which must outlive the result, for names, tracks and states. If that fails, F->problem has
 * the reason. */
struct trc_perfetto_programs *trc_perfetto_programs_new(struct trc_perfetto_file *f);
/* PROGRAMS may be NULL. */
void trc_perfetto_programs_free(struct trc_perfetto_programs *programs);
/* Put the events of SEQUENCE in block B into MARKS, as trc_perfetto_marks_read() does. False if it has none
 * there, or if they cannot be read; then the file's problem has the reason. */
bool trc_perfetto_programs_read(struct trc_perfetto_programs *p, GArray *marks,
	const struct trc_perfetto_zero *zero, const struct trc_perfetto_block *b, uint32_t sequence,
	int64_t latest);
/* Weak. */
const struct trc_perfetto_names *trc_perfetto_programs_names(const struct trc_perfetto_programs *p);

#endif
