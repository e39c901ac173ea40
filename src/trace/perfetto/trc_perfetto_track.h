/* SPDX-License-Identifier: MIT */
/*
 * Track events: what programs say of themselves.  A sequence of packets is what one of their threads wrote; each
 * packet counts on what the sequence said before: names by number, the clock, the track.  So each sequence has a state.
 */
#ifndef TRC_PERFETTO_TRACK_H
#define TRC_PERFETTO_TRACK_H

#include "trace/perfetto/trc_perfetto.h"

/* ---- clocks ---- */

/* A clock was at AT as BOOTTIME was at BOOT, ns. */
struct trc_perfetto_reading {
	uint64_t at, boot;
	uint32_t clock;
};

struct trc_perfetto_clocks {
	GArray *readings; /* of struct trc_perfetto_reading, owned; by clock and time once they are settled */
	bool has_boot;    /* some snapshot has BOOTTIME */
	uint32_t told;    /* primary_trace_clock; 0: not told */
	uint32_t home;    /* the clock of the trace, once they are settled */
};

void trc_perfetto_clocks_init(struct trc_perfetto_clocks *c);
void trc_perfetto_clocks_clear(struct trc_perfetto_clocks *c);
/* Take what P, a snapshot of the host, says. */
void trc_perfetto_clocks_take(struct trc_perfetto_clocks *c, const struct trc_perfetto_packet *p,
	struct trc_budget *budget);
/* All snapshots were taken.  KERNEL: there are events of the kernel, which are by BOOTTIME. */
void trc_perfetto_clocks_settle(struct trc_perfetto_clocks *c, bool kernel);

/* ---- the state of a sequence ---- */

/* Clocks of its own that a sequence may have at a time: the SDK of Perfetto has two. */
#define TRC_PERFETTO_OWN_CLOCKS 4

struct trc_perfetto_own_clock {
	uint64_t unit;     /* ns */
	uint64_t at;       /* it was here … */
	uint64_t beside;   /* … as the clock WITH was here, ns */
	uint32_t id, with; /* ID 0: none */
	bool is_counted;   /* each packet tells how far it went on since the one before */
};

/* The part of a state that seldom changes. */
struct trc_perfetto_era {
	struct trc_perfetto_own_clock clocks[TRC_PERFETTO_OWN_CLOCKS];
	uint64_t track;      /* of events that name none */
	int64_t pid, tid;    /* of the thread, by the old way; -1: not told */
	uint32_t clock;      /* of packets that name none; 0: not told */
	uint32_t generation; /* how often all was said anew */
	bool is_valid;       /* nothing that later packets count on was lost */
};

struct trc_perfetto_state {
	struct trc_perfetto_era era;
	uint64_t now; /* where the clock that is counted is, in its units */
	uint64_t us;  /* likewise by the old way */
};

#define TRC_PERFETTO_STATE_NEW ((struct trc_perfetto_state){ .era = { .pid = -1, .tid = -1 } })

/* True if P changes the state of its sequence, or is an event. */
bool trc_perfetto_state_needs(const struct trc_perfetto_packet *p);

enum trc_perfetto_said {
	TRC_PERFETTO_SAID_OTHER,
	TRC_PERFETTO_SAID_EVENT,
	TRC_PERFETTO_SAID_LOST /* an event, but what it counts on was lost, or its clock is unknown */
};

/* Take what P, of the sequence of S, says; *TIME of an event: ns by the clock of the trace.  CLOCKS NULL: the time is
 * not asked for. */
enum trc_perfetto_said trc_perfetto_state_take(struct trc_perfetto_state *s,
	const struct trc_perfetto_clocks *clocks, const struct trc_perfetto_packet *p, uint64_t *time);

/* ---- the events of a sequence in a block ---- */

struct trc_perfetto_mark {
	int64_t time;     /* ns: not before that of the mark before … */
	int64_t told;     /* … which this one is */
	uint64_t track;   /* if the event names none */
	int64_t pid, tid; /* likewise; -1: not told */
	guint packet;     /* of the block */
	uint32_t generation;
};

/* Put the events that SEQUENCE has in B into MARKS (of struct trc_perfetto_mark), by time, none before LATEST, and go
 * on with its state S.  Returns how many cannot be understood. */
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

/* A track, which is in a tree of them. */
struct trc_perfetto_track {
	uint64_t uuid, parent;
	int64_t pid, tid;                    /* -1: not told */
	const char *name, *process, *thread; /* weak, hostile; NULL: not told */
	const char *unit;                    /* likewise */
	int64_t multiplier;                  /* of values */
	bool is_counted;                     /* a value says how much is new */
};

/* BUDGET must outlive the result. */
struct trc_perfetto_names *trc_perfetto_names_new(struct trc_budget *budget);
/* NAMES may be NULL. */
void trc_perfetto_names_free(struct trc_perfetto_names *names);
/* Take the names that P, of a sequence in GENERATION, tells. */
void trc_perfetto_names_take(struct trc_perfetto_names *names, const struct trc_perfetto_packet *p,
	uint32_t generation);
/* Return what NUMBER stands for in GENERATION of SEQUENCE; NULL: it was not told.  Weak, hostile. */
const char *trc_perfetto_names_text(const struct trc_perfetto_names *names, uint32_t sequence,
	enum trc_perfetto_name kind, uint64_t number, uint32_t generation);
/* Return the track UUID; NULL: it was not told.  Weak. */
const struct trc_perfetto_track *trc_perfetto_names_track(const struct trc_perfetto_names *names,
	uint64_t uuid);

/* Append the fields of MARK, which is P, to TO, which ends with "{ ", and pass each to TAKER (may be NULL). */
void trc_perfetto_mark_fields(const struct trc_perfetto_names *names, const struct trc_perfetto_mark *mark,
	const struct trc_perfetto_packet *p, GString *to, const struct trc_taker *taker);

/* ---- anywhere in the file ---- */

struct trc_perfetto_programs;

/* Go over all of F, which must outlive the result; F->problem says why that cannot be done. */
struct trc_perfetto_programs *trc_perfetto_programs_new(struct trc_perfetto_file *f);
/* PROGRAMS may be NULL. */
void trc_perfetto_programs_free(struct trc_perfetto_programs *programs);
/* Put the events that SEQUENCE has in block B into MARKS, as trc_perfetto_marks_read() does.  False: it has none there,
 * or the problem of the file says why they cannot be read. */
bool trc_perfetto_programs_read(struct trc_perfetto_programs *p, GArray *marks,
	const struct trc_perfetto_zero *zero, const struct trc_perfetto_block *b, uint32_t sequence,
	int64_t latest);
/* Weak. */
const struct trc_perfetto_names *trc_perfetto_programs_names(const struct trc_perfetto_programs *p);

#endif
