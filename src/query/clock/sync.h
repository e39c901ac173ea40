/* SPDX-License-Identifier: MIT */
/* The clocks of the hosts of an experiment, found from the packets that they exchanged, and these packets. */
#ifndef QRY_SYNC_H
#define QRY_SYNC_H

#include "query/host/tracer.h"
#include "query/qry.h"
#include "sync/sync_hosts.h"

struct base_progress;
struct sync_guests;
struct trc_guests;

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
/* The path of a file beside an index, PATH (taken), or its place in the folder of qry_set_aside().  The
 * caller frees. */
char *qry_aside(const struct qry *q, char *path);

/* Read the clocks of Q's hosts from the file PATH.  See sync_file_read(). */
struct sync_hosts *qry_sync_read(const struct qry *q, const char *path, GError **error);

/* Find the clocks anew and store nothing. The first host is the reference. Packets on LEAVE_OUT (NULL: none)
 * are neither matched nor counted. Each pair of packets goes to PAIR (may be NULL), as in sync_hosts_new().
 * If PROGRESS (NULL: never) is cancelled, it ends early and the result is invalid. */
struct sync_hosts *qry_sync_match(struct qry *q, const struct qry_tracer_flows *leave_out,
	struct base_progress *progress, void (*pair)(void *data, const struct sync_pair *pair), void *data);

/* The first host before HOST with the same host name in its trace, so that both may be one host.  MDL_NONE if
 * there is none. */
uint32_t qry_sync_namesake(const struct qry *q, uint32_t host);

/* ---- packets between hosts: found once qry_sync_open() was called ---- */

/* Find the sender of PACKET, which HOST received.  False if none is known.  If several hosts sent it (one
 * forwarded it), it is the last host on which a thread sent it, or else the last of all. */
bool qry_passage_of(struct qry *q, uint32_t host, const struct mdl_received *packet,
	struct qry_passage *passage);

struct qry_passages;
/* A cursor in the packets that RECEIVER received from other hosts at FROM or later, in order of reception.  Q
 * must outlive it. */
struct qry_passages *qry_passages_new(struct qry *q, uint32_t receiver, int64_t from);
void qry_passages_free(struct qry_passages *p);
/* Read the next one, without its BY.  False at the end or if it is damaged. */
bool qry_passages_next(struct qry_passages *p, struct qry_passage *passage);

/* ---- private to src/query ---- */

/* The names of Q's hosts, for sync_file_write().  The caller frees the array. */
const char **qry_sync_names(const struct qry *q);
/* Close the file of packets of Q; open for Q the one that is open for OTHER. */
void qry_pairs_close(struct qry *q);
bool qry_pairs_open_again(struct qry *q, const struct qry *other, GError **error);

/* Facts in the hosts' indexes and recordings about guests, for finding their clocks
 * (query/clock/guests.c). */

/* Facts about guests in recordings that were made together (trace-cmd record -A), one entry per host of Q.
 * The caller frees. */
struct trc_guests *qry_guests_told(const struct qry *q);
void qry_guests_told_free(const struct qry *q, struct trc_guests *told);
/* The host by whose clock the times of HOST were recorded, by TOLD; MDL_NONE: its own. */
uint32_t qry_guests_peer(const struct qry *q, const struct trc_guests *told, uint32_t host);

/* All virtual CPUs and CPUs of Q, which must outlive the result, with the facts TOLD.  NULL if there are no
 * virtual CPUs or only one host.  Reading ends early if PROGRESS (may be NULL) is cancelled.  The caller
 * frees. */
struct sync_guests *qry_guests_new(struct qry *q, const struct trc_guests *told,
	struct base_progress *progress);
void qry_guests_free(struct sync_guests *guests);

/* Add to WARNINGS one line per statement of HOST's recording, about its guests or its clock, that the virtual
 * CPUs' time inside the guests does not confirm, and what is used instead. */
void qry_guests_doubts(const struct qry *q, uint32_t host, GPtrArray *warnings);

#endif
