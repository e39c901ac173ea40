/* SPDX-License-Identifier: MIT */
/* The inside of an experiment, private to src/query. */
#ifndef QRY_PARTS_H
#define QRY_PARTS_H

#include "base/base_time.h"
#include "index/idx_pairs.h"
#include "query/qry.h"
#include "query/qry_passage.h"
#include "query/qry_trace.h"
#include "query/qry_tracer.h"
#include "sync/sync_hosts.h"

#define QRY_CURSORS 1024

struct qry_source {
	struct idx_reader *reader;
	/*
	 * Cursors, each with a decoded leaf, by row modulo their number: a path
	 * goes back and forth between a few rows.  NULL until used.
	 */
	struct idx_intervals *intervals[QRY_CURSORS];
	struct idx_wakeups *wakeups[QRY_CURSORS];
	struct qry_host host;
	const struct sync_clock *clock;		/* weak, of the experiment's clocks; NULL: its own time is the one shown */
	GArray *gaps;				/* of struct idx_gap, in shown time */
	GArray *chunks;				/* of struct idx_chunk, in shown time; paths are those of the reader */
	struct qry_axis *axis;			/* of the window asked for last, by its clock; NULL: none */
	const char *name;			/* weak, of the experiment's names */
	uint32_t *cpu_rows;			/* CPU → row of the experiment, MDL_NONE; n_cpus of them */
	uint32_t n_cpus;
	char **folders;				/* of the trace; NULL: not told; owned */
	struct qry_trace *trace;		/* NULL until its events are asked for */
	uint32_t *line_rows;			/* rows of the experiment of interrupt lines and softirqs; n_lines of them */
	uint32_t n_lines;
};

struct qry {
	GPtrArray *sources;			/* of struct qry_source *, owned */
	struct qry_row *rows;			/* a reference (g_atomic_rc_box), as is the next: openings with the same clocks share them */
	bool *tracer;				/* of each row: a thread of the tracer's */
	uint32_t n_rows;
	GPtrArray *names;			/* of hosts: char *, owned */
	GPtrArray *warnings;			/* of char * */
	GPtrArray *overall;			/* of char *: those of the warnings that qry_warn() added */
	GPtrArray *notes;			/* of char * */
	guint clock_warnings, n_clock_warnings;	/* which of them are of the clocks in use */
	struct sync_hosts *clocks;		/* a reference; NULL: each host shows its own time */
	int64_t from, to;			/* shown, as all times here and in rows */
	struct idx_pairs *pairs;		/* what the hosts received from each other; NULL: not opened */
	struct sync_hosts *found;		/* the clocks found with them; a reference, NULL: not opened */
	char *pairs_path;			/* where they are */
	int pairs_fd;				/* of a file that has no name any more; -1: none */
	struct {
		bool known;
		uint32_t host;			/* which received */
		struct mdl_received packet;
		struct qry_passage passage;
	} last_passage;				/* the one found last: all that is told of a wait asks for the same */
};

/* The time axis of a window as a host has it (qry_window.c). */
struct qry_axis;
void qry_axis_free(struct qry_axis *axis);

/* Let go of them, and open for Q what is open for OTHER (qry_pairs.c). */
void qry_pairs_close(struct qry *q);
bool qry_pairs_open_again(struct qry *q, const struct qry *other, GError **error);

/* Match all packets (qry_sync.c): qry_sync_new() that tells PAIR, as sync_hosts_new(). */
struct sync_hosts *qry_sync_match(struct qry *q, const struct qry_tracer_flows *leave_out, struct base_progress *progress,
				  void (*pair)(void *data, const struct sync_pair *pair), void *data);
/* The spans of the hosts' traces by their own clocks; the caller frees. */
struct sync_span *qry_sync_spans(const struct qry *q);

struct qry_source *qry_source(const struct qry *q, uint32_t host);
/* The source of ROW, and the row's number in its index. */
struct qry_source *qry_source_of(const struct qry *q, uint32_t row, uint32_t *local);

/* The cursor to use for row LOCAL of S. */
struct idx_intervals *qry_source_intervals(struct qry_source *s, uint32_t local);
struct idx_wakeups *qry_source_wakeups(struct qry_source *s, uint32_t local);

/* TIME of S as it is shown, and the first instant of S that is shown at TIME or later. */
static inline int64_t qry_source_shown(const struct qry_source *s, int64_t time)
{
	return s->clock == NULL || time == INT64_MIN || time == INT64_MAX ? time : base_time_near(sync_clock_reference(s->clock, time));
}

static inline int64_t qry_source_host(const struct qry_source *s, int64_t time)
{
	return s->clock == NULL || time == INT64_MIN || time == INT64_MAX ? time : base_time_near(sync_clock_host(s->clock, time));
}

/* The last instant of S that is shown at TIME or before: its state is the one at TIME. */
int64_t qry_source_held(const struct qry_source *s, int64_t time);

/* The interval of ROW that holds TIME, or ends at it or goes on, all in the host's own time. */
bool qry_source_state_at(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);
bool qry_source_state_before(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);

/* Have the trace of S, one of Q's, open for its events. */
bool qry_source_open_trace(struct qry *q, struct qry_source *s, GError **error);

/* Show ACT of S: its times, and the row of the experiment. */
void qry_source_show_act(const struct qry_source *s, struct mdl_act *act);

/* As qry_transfers_next(), with the times of the host's own clock and the row of its index. */
bool qry_transfers_next_own(struct qry_transfers *t, struct mdl_transfer *transfer);

/* Times of q and its hosts by the clocks of the sources; those of its rows too, where these are not shared (qry_clock.c). */
void qry_clock_show(struct qry *q, bool rows);

/* Q, which has no rows yet, has those of OTHER from now on, and its clocks (qry_clock.c). */
void qry_clock_share(struct qry *q, const struct qry *other);

/* Fill q->rows, but for their times, from the indexes (qry_rows.c). */
void qry_rows_load(struct qry *q);
/* Q has the rows of OTHER from now on, which is another opening of the same. */
void qry_rows_share(struct qry *q, const struct qry *other);
/* Q has rows of its own from now on. */
void qry_rows_unshare(struct qry *q);
/* Fill q->tracer from the names of the rows (qry_tracer.c). */
void qry_tracer_load(struct qry *q);

#endif
