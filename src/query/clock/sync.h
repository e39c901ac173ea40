/* SPDX-License-Identifier: MIT */
/* The clocks of the hosts of an experiment, found from the packets that they exchanged. */
#ifndef QRY_SYNC_H
#define QRY_SYNC_H

#include "query/host/tracer.h"
#include "sync/sync_hosts.h"

struct base_progress;

/*
 * Open the file beside the indexes that has the packets exchanged by Q's hosts, and the clocks found from
 * them.  If it is missing, of other traces or damaged, or with FORCE, match all packets and make it first.
 * If it cannot be stored, it is made for this process only, with a line in qry_warnings().  The file does not
 * depend on the clocks in use.  After this qry_passage_of() answers.
 *
 * Returns a reference to the clocks found, also if the file was open already.  NULL with
 * BASE_ERROR_CANCELLED, or with BASE_ERROR_DATA if an index is damaged.  Needs several hosts.
 */
struct sync_hosts *qry_sync_open(struct qry *q, bool force, struct base_progress *progress, GError **error);
/* The path of that file, whether it exists or not.  The caller frees. */
char *qry_sync_path(const struct qry *q);
/* The file beside which the user's data of Q as a whole is stored: the file of packets; of one host its
 * index, also if that still grows.  The caller frees. */
char *qry_beside_path(const struct qry *q);

/* Look for the files that are kept beside the indexes in FOLDER instead, and keep them there. */
void qry_set_aside(struct qry *q, const char *folder);
/* The path of a file beside an index, PATH (taken), or its place in the folder of qry_set_aside().  The caller
 * frees. */
char *qry_aside(const struct qry *q, char *path);

/* Read the clocks of Q's hosts from the file PATH.  See sync_file_read(). */
struct sync_hosts *qry_sync_read(const struct qry *q, const char *path, GError **error);

/* Find the clocks anew and store nothing.  The first host is the reference.  Packets on LEAVE_OUT (NULL:
 * none) are neither matched nor counted.  Each pair of packets goes to PAIR (may be NULL), as of
 * sync_hosts_new().  If PROGRESS (NULL: never) is cancelled, it ends early and the result is invalid. */
struct sync_hosts *qry_sync_match(struct qry *q, const struct qry_tracer_flows *leave_out,
	struct base_progress *progress, void (*pair)(void *data, const struct sync_pair *pair), void *data);

/* The first host before HOST whose trace is of the same boot of the same host: the clock has the same UUID in
 * the metadata.  They share one clock, whatever the hosts are called.  MDL_NONE if there is none. */
uint32_t qry_sync_twin(const struct qry *q, uint32_t host);

/* The first host before HOST with the same host name in its trace, so that both may be one host.  MDL_NONE if
 * there is none. */
uint32_t qry_sync_namesake(const struct qry *q, uint32_t host);

/* ---- private to src/query ---- */

/* Close the file of packets of Q; open for Q the one that is open for OTHER. */
void qry_pairs_close(struct qry *q);
bool qry_pairs_open_again(struct qry *q, const struct qry *other, GError **error);

/* The spans of the hosts' traces by their own clocks.  The caller frees. */
struct sync_span *qry_sync_spans(const struct qry *q);

#endif
