/* SPDX-License-Identifier: MIT */
/* Inside of an experiment: its hosts with their indexes and traces.  Private to the rooms of src/query. */
#ifndef QRY_PARTS_H
#define QRY_PARTS_H

#include "base/base_time.h"
#include "index/pairs/pairs.h"
#include "index/spans/spans.h"
#include "index/table/reader.h"
#include "query/host/tracer.h"
#include "query/qry.h"
#include "sync/sync_hosts.h"
#include "trace/trc_events.h"

/* ---- the trace behind an index, opened for its events (query/host/trace.c) ---- */

struct qry_trace;

/* Read packet number PACKET of STREAM from INDEX into *FOUND.  False with an error if the index is damaged or
 * has no such packet. */
bool qry_trace_packet(struct idx_reader *index, uint32_t stream, uint64_t packet, struct idx_packet *found,
	GError **error);

/*
 * Open the trace RECORDING (NULL: unknown), which must be the one that INDEX was built from.  INDEX and
 * WARNINGS (of char *) must outlive it; WARNINGS gets a line for each stream that must be read from its
 * start.  NULL with BASE_ERROR_IO or BASE_ERROR_DATA if the trace is missing or has changed.
 */
struct qry_trace *qry_trace_open(const struct trc_recording *recording, struct idx_reader *index,
	GPtrArray *warnings, GError **error);
void qry_trace_free(struct qry_trace *t);

/* See trc_events_declare(). */
bool qry_trace_declares(const struct qry_trace *t, const char *name);

/* See trc_events_types(). */
bool qry_trace_types(const struct qry_trace *t, trc_paging_typed *typed, void *data);

/* An event of a trace. */
struct qry_trace_event {
	int64_t time;
	uint32_t cpu; /* in the event itself, if the packet does not have it; MDL_NONE: not there either */
	const char *name; /* sanitised; owned by the trace; the same pointer for all events of a class */
};

/* Read event number AT of packet number PACKET of STREAM into *EVENT.  False with an error if it is not what
 * the index expects. */
bool qry_trace_event(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at,
	struct qry_trace_event *event, GError **error);

/* The sanitised name, as above, of events that the trace calls NAME. */
const char *qry_trace_name(struct qry_trace *t, const char *name);

/* See trc_events_begin() and trc_picker_new(); the caller frees before T. */
struct trc_events_page *qry_trace_begin(struct qry_trace *t, uint32_t stream, uint64_t packet,
	GError **error);
struct trc_picker *qry_trace_picker(struct qry_trace *t, const char *const *names, unsigned n);

/* Set *FOUND to the number of the first event of the packet at or after TIME, or to its number of events if
 * there is none. */
bool qry_trace_find(struct qry_trace *t, uint32_t stream, uint64_t packet, int64_t time, uint64_t *found,
	GError **error);

/* Set *OFFSET to the offset of event number AT in the packet, in bytes; -1 if only babeltrace2 can read
 * it. */
bool qry_trace_offset(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at, int64_t *offset,
	GError **error);

/* Pass each field of event number AT of the packet to TAKER.  False with an error. */
bool qry_trace_take(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at,
	const struct trc_taker *taker, GError **error);

/* All fields of event number AT of the packet, sanitised.  The caller frees.  NULL with an error. */
char *qry_trace_fields(struct qry_trace *t, uint32_t stream, uint64_t packet, uint64_t at, GError **error);

/* Counts of the work done so far, for tests and measurements. */
struct trc_events_work qry_trace_work(const struct qry_trace *t);

/* ---- one host: its index, clock and trace ---- */

#define QRY_CURSORS 1024

struct qry_source {
	struct idx_reader *reader;
	/* Cursors, each with a decoded leaf, by row modulo QRY_CURSORS: a path goes back and forth between a
	 * few rows.  NULL until used. */
	struct idx_intervals *intervals[QRY_CURSORS];
	struct idx_wakeups *wakeups[QRY_CURSORS];
	struct qry_host host;
	/* Weak, of the experiment's clocks.  NULL: its own time is shown. */
	const struct sync_clock *clock;
	GArray *gaps;          /* of struct idx_gap, in shown time */
	GArray *chunks;        /* of struct idx_chunk, in shown time; the reader owns the paths */
	struct qry_axis *axis; /* of the window asked for last, by the host's clock; NULL: none */
	const char *name;      /* weak; the experiment's */
	uint32_t *cpu_rows;    /* CPU → row of the experiment or MDL_NONE; n_cpus entries */
	uint32_t n_cpus;
	struct trc_recording *recording; /* the trace; owned; NULL: unknown */
	struct idx_spans *bare;          /* source of SPANS, written with the index; NULL: not open */
	struct idx_spans *spans;         /* NULL until first used */
	struct qry_trace *trace;         /* NULL until its events are first read */
	char *kallsyms;                  /* file of kernel symbols that the user gave; owned; NULL: none */
	struct qry_symbols
		*symbols; /* NULL: there are none, or (if not SYMBOLS_LOOKED) no question was asked yet */
	bool symbols_looked;
	struct qry_programs *programs; /* files of its programs; NULL: no folder is set */
	uint32_t *line_rows;           /* rows of the experiment of IRQs and softirqs; n_lines entries */
	uint32_t n_lines;
};

struct qry_source *qry_source(const struct qry *q, uint32_t host);
/* Returns the source of ROW; *LOCAL is the row's number in its index. */
struct qry_source *qry_source_of(const struct qry *q, uint32_t row, uint32_t *local);

/* The cursor for row LOCAL of S. */
struct idx_intervals *qry_source_intervals(struct qry_source *s, uint32_t local);
struct idx_wakeups *qry_source_wakeups(struct qry_source *s, uint32_t local);

/* Convert TIME of S to shown time; and the reverse: the first instant of S that is shown at TIME or later. */
static inline int64_t qry_source_shown(const struct qry_source *s, int64_t time)
{
	return !s->clock || time == INT64_MIN || time == INT64_MAX
		? time
		: base_time_near(sync_clock_reference(s->clock, time));
}

static inline int64_t qry_source_host(const struct qry_source *s, int64_t time)
{
	return !s->clock || time == INT64_MIN || time == INT64_MAX
		? time
		: base_time_near(sync_clock_host(s->clock, time));
}

/* The last instant of S that is shown at TIME or before: its state is the one shown at TIME. */
int64_t qry_source_held(const struct qry_source *s, int64_t time);

/* Convert the times and the row of ACT, of S, to those of the experiment. */
void qry_source_show_act(const struct qry_source *s, struct mdl_act *act);

/* ---- the experiment ---- */

struct qry_watch;

struct qry {
	GPtrArray *sources; /* of struct qry_source *, owned */
	/* This and TRACER: references (g_atomic_rc_box), shared by openings with the same clocks. */
	struct qry_row *rows;
	bool *tracer; /* by row: true for a thread of the tracer */
	uint32_t n_rows;
	bool has_cgroups;    /* the control group of some thread is known */
	GPtrArray *names;    /* of hosts: char *, owned */
	GPtrArray *warnings; /* of char * */
	GPtrArray *overall;  /* of char *: the warnings that qry_warn() added */
	GPtrArray *notes;    /* of char * */
	/* position and number of the WARNINGS about the clocks in use */
	guint clock_warnings, n_clock_warnings;
	struct sync_hosts *clocks; /* a reference; NULL: each host shows its own time */
	int64_t from, to;          /* shown time, ns, like all times here and in rows */
	qry_spans_maker spans_maker;
	const struct qry_watch *watch; /* weak; NULL: none */
	const void *declared;          /* weak; see qry_set_declared() */
	qry_spins_maker *spins_maker;  /* NULL: the user declared no waits */
	qry_spins_maker *works_maker;  /* NULL: work for memory is not looked for */
	GHashTable *kept;              /* fingerprint → struct idx_spans, owned; NULL: none is open */
	GHashTable *memos;             /* key → struct memo, owned; NULL: none yet (qry_memo()) */
	struct idx_pairs *pairs;       /* packets that the hosts received from each other; NULL: not opened */
	struct sync_hosts *found;      /* the clocks found with PAIRS; a reference, NULL: not opened */
	char *pairs_path;              /* the path of PAIRS */
	GError *failure;               /* the first of qry_fail(); owned; NULL: none */
	int pairs_fd;                  /* of a file that has no name any more; -1: none */
	char *aside; /* folder, see qry_set_aside(); owned; NULL: files are beside the indexes */
	struct {
		bool known;
		uint32_t host; /* the receiver */
		struct mdl_received packet;
		struct qry_passage passage;
	} last_passage; /* the result found last: all questions about one wait ask for the same packet */
};

/* The time axis of a window in a host's time (query/host/window.c). */
struct qry_axis;
void qry_axis_free(struct qry_axis *axis);

/* The interval of ROW that holds TIME; the one before TIME, see qry_state_before().  All times are the host's
 * own. */
bool qry_source_state_at(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);
bool qry_source_state_before(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);

/* Like qry_states(), in the view of the row's own kernel. */
GArray *qry_kernel_states(struct qry *q, uint32_t row, int64_t from, int64_t to);
/* Append I, clipped to [FROM, TO), to STATES.  False if it begins at TO or later. */
bool qry_states_append(GArray *states, struct mdl_interval i, int64_t from, int64_t to);

/* Open the trace of S, one of Q's hosts, for its events. */
bool qry_source_open_trace(struct qry *q, struct qry_source *s, GError **error);

/* Fill q->rows, except their times, from the indexes (query/host/rows.c). */
void qry_rows_load(struct qry *q);
/* Let Q use the rows of OTHER, another opening of the same experiment. */
void qry_rows_share(struct qry *q, const struct qry *other);
/* Give Q rows of its own. */
void qry_rows_unshare(struct qry *q);
/* Fill q->tracer from the names of the rows (query/host/tracer.c). */
void qry_tracer_load(struct qry *q);
/* Add to q->tracer the recorders with other names, by what they do (query/host/deeds.c).
 * qry_tracer_deeds_text() returns why ROW was added that way, as qry_tracer_text() does. */
void qry_tracer_find_deeds(struct qry *q);
char *qry_tracer_deeds_text(struct qry *q, uint32_t row);

/* ---- waits that the user declared (query/host/spins.c) ---- */

/* True if thread ROW has a declared wait. */
bool qry_spins_concern(struct qry *q, uint32_t row);
/* Cut PIECE, in which thread ROW has a CPU at TIME, to its part inside a declared wait, with the state
 * waiting, or to its part between two of them. */
void qry_spins_take(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *piece);

/* ---- time that a guest's rows lose to their host, and waits that are declared (query/host/steal.c) ---- */

/* True if a virtual CPU may take time from ROW, or the user declared that it waits. */
bool qry_steal_concerns(struct qry *q, uint32_t row);
/* Set SUMS[i] to the sums of ROW before the shown time TIMES[i], for N times that do not step back. */
void qry_steal_sums(struct qry *q, uint32_t row, const int64_t *times, uint32_t n, struct idx_sums *sums);

#endif
