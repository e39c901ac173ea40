/* SPDX-License-Identifier: MIT */
/* One host of an experiment: its index, its clock, its trace.  Private to src/query. */
#ifndef QRY_SOURCE_H
#define QRY_SOURCE_H

#include "base/base_time.h"
#include "index/idx_spans.h"
#include "query/qry.h"
#include "query/host/trace.h"
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
	/* weak, of the experiment's clocks; NULL: its own time is the one shown. */
	const struct sync_clock *clock;
	GArray *gaps;          /* of struct idx_gap, in shown time */
	GArray *chunks;        /* of struct idx_chunk, in shown time; paths are those of the reader */
	struct qry_axis *axis; /* of the window asked for last, by its clock; NULL: none */
	const char *name;      /* weak, of the experiment's names */
	uint32_t *cpu_rows;    /* CPU → row of the experiment, MDL_NONE; n_cpus of them */
	uint32_t n_cpus;
	char **folders;          /* of the trace; NULL: not told; owned */
	struct idx_spans *spans; /* NULL until they are asked for */
	struct qry_trace *trace; /* NULL until its events are asked for */
	char *kallsyms; /* the file with its kernel's symbols that was typed; owned; NULL: none was */
	struct qry_symbols *symbols; /* NULL: there are none, or (LOOKED) nobody asked yet */
	bool symbols_looked;
	struct qry_programs *programs; /* where files of its programs are; NULL: not told */
	uint32_t *line_rows; /* rows of the experiment of interrupt lines and softirqs; n_lines of them */
	uint32_t n_lines;
};

struct qry_source *qry_source(const struct qry *q, uint32_t host);
/* The source of ROW, and the row's number in its index. */
struct qry_source *qry_source_of(const struct qry *q, uint32_t row, uint32_t *local);

/* The cursor to use for row LOCAL of S. */
struct idx_intervals *qry_source_intervals(struct qry_source *s, uint32_t local);
struct idx_wakeups *qry_source_wakeups(struct qry_source *s, uint32_t local);

/* TIME of S as it is shown, and the first instant of S that is shown at TIME or later. */
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

/* The last instant of S that is shown at TIME or before: its state is the one at TIME. */
int64_t qry_source_held(const struct qry_source *s, int64_t time);

/* Show ACT of S: its times, and the row of the experiment. */
void qry_source_show_act(const struct qry_source *s, struct mdl_act *act);

#endif
