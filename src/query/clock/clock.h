/* SPDX-License-Identifier: MIT */
/*
 * One clock for the hosts of an experiment.  Each index has the times of its host's own clock; all other
 * questions of src/query give and take shown times, which are those of the first host's clock.  Where a host
 * has no clock in terms of the first one's, its own times are shown, or its start is put to that of the first
 * one (sync_place.h).
 *
 * A shown time never decreases with the host's, but two host times may be shown as one, and a shown time may
 * have none.
 */
#ifndef QRY_CLOCK_H
#define QRY_CLOCK_H

#include "query/qry.h"
#include "sync/sync_hosts.h"

/*
 * The clocks of Q's hosts, in their order, or NULL: each host shows its own time.  Q takes a reference.  For
 * right after qry_open(): times that were asked for before mean nothing after it.  What is wrong with the
 * clocks joins qry_warnings().
 */
void qry_set_clocks(struct qry *q, struct sync_hosts *clocks);
/* The clocks in use, owned by Q; NULL: each host shows its own time. */
const struct sync_hosts *qry_clocks(const struct qry *q);

/* Do packets contradict the clock of the guest HOST, as found by its virtual CPUs' stays?  There are clocks.
 */
bool qry_clock_contradicted(const struct qry *q, uint32_t host);
/* Add what the clock in use for HOST warns of to WARNINGS (of char *, owned by it): it stands apart, packets
 * still arrive too early. */
void qry_clock_warnings(const struct qry *q, uint32_t host, GPtrArray *warnings);

/* TIME of HOST's own clock as it is shown.  INT64_MIN (MDL_NEVER) and INT64_MAX stay. */
int64_t qry_shown_time(const struct qry *q, uint32_t host, int64_t time);
/* The first instant of HOST's own clock that is shown at TIME or later.  INT64_MIN and INT64_MAX stay. */
int64_t qry_host_time(const struct qry *q, uint32_t host, int64_t time);

/* By how many ns shown times of hosts A and B may be off against each other at TIME (shown); 0: one host;
 * INT64_MAX: unknown. */
int64_t qry_clock_error(const struct qry *q, uint32_t a, uint32_t b, int64_t time);
/* The most of that while both were recorded. */
int64_t qry_clock_error_shared(const struct qry *q, uint32_t a, uint32_t b);
/* The most by which any host may be off against the first one within its trace, ns; 0: one host; INT64_MAX:
 * unknown of one or more. */
int64_t qry_clock_error_worst(const struct qry *q);

/* ---- private to src/query ---- */

/* Convert the times of Q and its hosts to shown times; with ROWS also those of its rows, unless these are
 * shared. */
void qry_clock_show(struct qry *q, bool rows);
/* Give Q, which has no rows yet, the rows and clocks of OTHER. */
void qry_clock_share(struct qry *q, const struct qry *other);

#endif
