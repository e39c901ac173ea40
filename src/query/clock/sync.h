/* SPDX-License-Identifier: MIT */
/* The clocks of an experiment's hosts, found from the packets that they exchanged. */
#ifndef QRY_SYNC_H
#define QRY_SYNC_H

#include "query/host/tracer.h"
#include "sync/sync_hosts.h"

struct base_progress;

/*
 * Open the file in which the packets that Q's hosts exchanged are kept, with the clocks found from them,
 * beside the indexes; where it is missing, not of these traces or damaged, or with FORCE, match all packets
 * and make it first.  The file does not depend on the clocks in use.  From then on qry_passage_of() answers.
 * Gives the clocks found, a reference of the caller's, also when it was open already.  Where nothing can be
 * kept there, it is for this time only, and qry_warnings() says so. NULL with BASE_ERROR_CANCELLED, or
 * BASE_ERROR_DATA where an index is damaged.  For several hosts; one alone exchanged nothing.
 */
struct sync_hosts *qry_sync_open(struct qry *q, bool force, struct base_progress *progress, GError **error);
/* The path of that file, whether it is there or not; the caller frees. */
char *qry_sync_path(const struct qry *q);
/* The file beside which stands what is kept of Q as a whole for its user: that one, of one host its index,
 * also where that still grows.  The caller frees. */
char *qry_beside_path(const struct qry *q);

/* The clocks of Q's hosts in the file PATH, as sync_file_read(). */
struct sync_hosts *qry_sync_read(const struct qry *q, const char *path, GError **error);

/*
 * Find the clocks anew, and keep nothing; the first host is the reference.  The packets on LEAVE_OUT (NULL:
 * none) are neither matched nor counted.  Ends early, with a result worth nothing, when PROGRESS (NULL:
 * never) is cancelled.
 */
struct sync_hosts *qry_sync_new(struct qry *q, const struct qry_tracer_flows *leave_out,
	struct base_progress *progress);

/*
 * The first of those before HOST whose trace is of the same boot of the same host: their clock has the same
 * UUID, in the metadata.  So it is one clock, whatever the host is called. MDL_NONE when there is none.
 */
uint32_t qry_sync_twin(const struct qry *q, uint32_t host);

/* The other host that HOST may be too: two traces with the same host name; MDL_NONE: none before it. */
uint32_t qry_sync_namesake(const struct qry *q, uint32_t host);

/* ---- private to src/query ---- */

/* Close the file of packets of Q; open for Q the one that is open for OTHER. */
void qry_pairs_close(struct qry *q);
bool qry_pairs_open_again(struct qry *q, const struct qry *other, GError **error);

/* Like qry_sync_new(), and passes each pair of packets to PAIR, like sync_hosts_new(). */
struct sync_hosts *qry_sync_match(struct qry *q, const struct qry_tracer_flows *leave_out,
	struct base_progress *progress, void (*pair)(void *data, const struct sync_pair *pair), void *data);
/* Like qry_transfers_next(), with the times of the host's own clock and the row of its index. */
bool qry_transfers_next_own(struct qry_transfers *t, struct mdl_transfer *transfer);
/* The spans of the hosts' traces by their own clocks; the caller frees. */
struct sync_span *qry_sync_spans(const struct qry *q);

#endif
