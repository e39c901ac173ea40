/* SPDX-License-Identifier: MIT */
/* Members of an experiment, and what the rooms of src/query share.  Private to src/query. */
#ifndef QRY_PARTS_H
#define QRY_PARTS_H

#include "index/pairs/pairs.h"
#include "query/qry.h"
#include "query/host/source.h"
#include "query/host/tracer.h"
#include "sync/sync_hosts.h"

struct qry_watch;

struct qry {
	GPtrArray *sources; /* of struct qry_source *, owned */
	/* This and TRACER: references (g_atomic_rc_box), shared by openings with the same clocks. */
	struct qry_row *rows;
	bool *tracer; /* by row: true for a thread of the tracer */
	uint32_t n_rows;
	GPtrArray *names;    /* of hosts: char *, owned */
	GPtrArray *warnings; /* of char * */
	GPtrArray *overall;  /* of char *: the warnings that qry_warn() added */
	GPtrArray *notes;    /* of char * */
	/* position and number of those in WARNINGS that are about the clocks in use */
	guint clock_warnings, n_clock_warnings;
	struct sync_hosts *clocks; /* a reference; NULL: each host shows its own time */
	int64_t from, to;          /* shown time, ns, like all times here and in rows */
	qry_spans_maker spans_maker;
	const struct qry_watch *watch; /* weak; NULL: none */
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

#endif
