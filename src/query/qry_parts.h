/* SPDX-License-Identifier: MIT */
/* The inside of an experiment, private to src/query. */
#ifndef QRY_PARTS_H
#define QRY_PARTS_H

#include "index/idx_pairs.h"
#include "query/qry.h"
#include "query/qry_passage.h"
#include "query/qry_source.h"
#include "query/qry_spans.h"
#include "query/qry_tracer.h"
#include "sync/sync_hosts.h"

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

/* The time axis of a window as a host has it (qry_window.c). */
struct qry_axis;
void qry_axis_free(struct qry_axis *axis);

/* Let go of them, and open for Q what is open for OTHER (qry_pairs.c). */
void qry_pairs_close(struct qry *q);
bool qry_pairs_open_again(struct qry *q, const struct qry *other, GError **error);

/* NULL: nothing happens (qry_symbols.c). */
struct qry_symbols;
void qry_symbols_free(struct qry_symbols *symbols);
struct qry_programs;
void qry_programs_free(struct qry_programs *programs);
/* The same for another experiment, with no file read; NULL of NULL. */
struct qry_programs *qry_programs_again(const struct qry_programs *programs);

/* Is PROBLEM that latencies cannot be kept, because of the disk, or because another run of the
 * program put its own file in the place of the one just made?  Then they are made for this process alone. */
bool qry_kept_fails(const GError *problem);
/* They were: tell it, where they are found anew each time. */
void qry_kept_warn(struct qry *q, const GError *problem);

/* Let go of the spans of S (qry_spans.c); of what is kept of Q (qry_kept.c). */
void qry_spans_close(struct qry_source *s);
void qry_kept_close(struct qry *q);

/* Match all packets (qry_sync.c): qry_sync_new() that tells PAIR, as sync_hosts_new(). */
struct sync_hosts *qry_sync_match(struct qry *q, const struct qry_tracer_flows *leave_out,
	struct base_progress *progress, void (*pair)(void *data, const struct sync_pair *pair), void *data);
/* The spans of the hosts' traces by their own clocks; the caller frees. */
struct sync_span *qry_sync_spans(const struct qry *q);

/* The interval of ROW that holds TIME, or ends at it or goes on, all in the host's own time. */
bool qry_source_state_at(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);
bool qry_source_state_before(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);

/* qry_states() as the row's own kernel has them. */
GArray *qry_kernel_states(struct qry *q, uint32_t row, int64_t from, int64_t to);
/* Append I, clipped to [FROM, TO), to STATES; false: it lies behind. */
bool qry_states_append(GArray *states, struct mdl_interval i, int64_t from, int64_t to);

/* Have the trace of S, one of Q's, open for its events. */
bool qry_source_open_trace(struct qry *q, struct qry_source *s, GError **error);

/* As qry_transfers_next(), with the times of the host's own clock and the row of its index. */
bool qry_transfers_next_own(struct qry_transfers *t, struct mdl_transfer *transfer);

/* Times of q and its hosts by the clocks of the sources; those of its rows too, where these are not shared
 * (qry_clock.c). */
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
