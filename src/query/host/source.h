/* SPDX-License-Identifier: MIT */
/* One host of an experiment: its index, clock and trace.  Private to src/query. */
#ifndef QRY_SOURCE_H
#define QRY_SOURCE_H

#include "base/base_time.h"
#include "index/spans/spans.h"
#include "query/qry.h"
#include "query/host/trace.h"
#include "sync/sync_hosts.h"

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
	struct idx_spans *spans;         /* NULL until first used */
	struct qry_trace *trace;         /* NULL until its events are first read */
	char *kallsyms;                  /* file of kernel symbols that the user gave; owned; NULL: none */
	struct qry_symbols *symbols; /* NULL: there are none, or (if not SYMBOLS_LOOKED) nobody asked yet */
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

#endif
