/* SPDX-License-Identifier: MIT */
/* The inside of an experiment: struct qry, and what the rooms of src/query share.  Private to src/query. */
#ifndef QRY_PARTS_H
#define QRY_PARTS_H

#include "index/idx_pairs.h"
#include "query/qry.h"
#include "query/host/source.h"
#include "query/host/tracer.h"
#include "sync/sync_hosts.h"

struct qry_watch;

struct qry {
	GPtrArray *sources; /* of struct qry_source *, owned */
	/* A reference (g_atomic_rc_box), as is the next: openings with the same clocks share them. */
	struct qry_row *rows;
	bool *tracer; /* of each row: a thread of the tracer's */
	uint32_t n_rows;
	GPtrArray *names;                       /* of hosts: char *, owned */
	GPtrArray *warnings;                    /* of char * */
	GPtrArray *overall;                     /* of char *: those of the warnings that qry_warn() added */
	GPtrArray *notes;                       /* of char * */
	guint clock_warnings, n_clock_warnings; /* which of them are of the clocks in use */
	struct sync_hosts *clocks;              /* a reference; NULL: each host shows its own time */
	int64_t from, to;                       /* shown, as all times here and in rows */
	qry_spans_maker spans_maker;
	const struct qry_watch *watch; /* weak; NULL: nobody is told */
	GHashTable *kept;              /* fingerprint → struct idx_spans, owned; NULL: none is open */
	GHashTable *memos;             /* key → struct memo, owned; NULL: none yet (qry_memo()) */
	struct idx_pairs *pairs;       /* what the hosts received from each other; NULL: not opened */
	struct sync_hosts *found;      /* the clocks found with them; a reference, NULL: not opened */
	char *pairs_path;              /* where they are */
	int pairs_fd;                  /* of a file that has no name any more; -1: none */
	struct {
		bool known;
		uint32_t host; /* which received */
		struct mdl_received packet;
		struct qry_passage passage;
	} last_passage; /* the one found last: all that is told of a wait asks for the same */
};

/* The time axis of a window as a host has it (query/host/window.c). */
struct qry_axis;
void qry_axis_free(struct qry_axis *axis);

/* The interval of ROW that holds TIME, or ends at it or goes on, all in the host's own time. */
bool qry_source_state_at(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);
bool qry_source_state_before(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);

/* qry_states() as the row's own kernel has them. */
GArray *qry_kernel_states(struct qry *q, uint32_t row, int64_t from, int64_t to);
/* Append I, clipped to [FROM, TO), to STATES; false: it lies behind. */
bool qry_states_append(GArray *states, struct mdl_interval i, int64_t from, int64_t to);

/* Have the trace of S, one of Q's, open for its events. */
bool qry_source_open_trace(struct qry *q, struct qry_source *s, GError **error);

/* Fill q->rows, but for their times, from the indexes (query/host/rows.c). */
void qry_rows_load(struct qry *q);
/* Q has the rows of OTHER from now on, which is another opening of the same. */
void qry_rows_share(struct qry *q, const struct qry *other);
/* Q has rows of its own from now on. */
void qry_rows_unshare(struct qry *q);
/* Fill q->tracer from the names of the rows (query/host/tracer.c). */
void qry_tracer_load(struct qry *q);

#endif
