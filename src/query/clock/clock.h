/* SPDX-License-Identifier: MIT */
/*
 * One clock for all hosts of an experiment.
 *
 * Each index has times of its host's own clock.  All other functions of src/query take and return shown
 * times: those of the first host's clock.  If a host's clock cannot be expressed in the first one's, its own
 * times are shown, or its start is moved to the start of the first host (sync_place.h).
 *
 * Shown time never decreases with host time.  But two host times may have the same shown time, and a shown
 * time may have no host time.
 */
#ifndef QRY_CLOCK_H
#define QRY_CLOCK_H

#include "query/qry.h"
#include "sync/sync_hosts.h"

/* Use CLOCKS, in the order of Q's hosts; NULL: each host shows its own time.  Q takes a reference.  Call it
 * right after qry_open(): times obtained before become meaningless.  Problems with the clocks are added to
 * qry_warnings(). */
void qry_set_clocks(struct qry *q, struct sync_hosts *clocks);
/* The clocks in use, owned by Q; NULL: each host shows its own time. */
const struct sync_hosts *qry_clocks(const struct qry *q);

/* True if packets contradict the clock of the guest HOST that was found from the time of its virtual CPUs
 * inside the guest.  Clocks must be in use. */
bool qry_clock_contradicted(const struct qry *q, uint32_t host);
/* Add warnings about the clock in use for HOST to WARNINGS (of char *, owned by it): it has no clock in
 * common with the others, or packets still arrive too early. */
void qry_clock_warnings(const struct qry *q, uint32_t host, GPtrArray *warnings);

/* Convert TIME of HOST's own clock to shown time.  INT64_MIN (MDL_NEVER) and INT64_MAX are unchanged. */
int64_t qry_shown_time(const struct qry *q, uint32_t host, int64_t time);
/* The first instant of HOST's own clock that is shown at TIME or later.  INT64_MIN and INT64_MAX are
 * unchanged. */
int64_t qry_host_time(const struct qry *q, uint32_t host, int64_t time);

/* ns by which shown times of hosts A and B may be off against each other at TIME (shown). 0 if A is B;
 * INT64_MAX: unknown. */
int64_t qry_clock_error(const struct qry *q, uint32_t a, uint32_t b, int64_t time);
/* The maximum of qry_clock_error() over the time in which both were recorded. */
int64_t qry_clock_error_shared(const struct qry *q, uint32_t a, uint32_t b);
/* The maximum by which any host may be off against the first one within its trace, ns. 0: one host;
 * INT64_MAX: unknown for at least one. */
int64_t qry_clock_error_worst(const struct qry *q);

/* ---- private to src/query ---- */

/* Convert the times of Q and its hosts to shown times; with ROWS also those of its rows, unless the rows are
 * shared. */
void qry_clock_show(struct qry *q, bool rows);
/* Give Q, which has no rows yet, the rows and clocks of OTHER. */
void qry_clock_share(struct qry *q, const struct qry *other);

#endif
