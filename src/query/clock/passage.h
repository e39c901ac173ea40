/* SPDX-License-Identifier: MIT */
/*
 * Packets on their way from host to host: who sent what another host received.  Nothing is known of them
 * before qry_sync_open().
 */
#ifndef QRY_PASSAGE_H
#define QRY_PASSAGE_H

#include "query/qry.h"

/*
 * Who on another host sent the PACKET that HOST received?  False: nobody known.  Where several hosts sent it
 * (one of them forwarded it) that is the last at which a thread did, else the last of all.
 */
bool qry_passage_of(struct qry *q, uint32_t host, const struct mdl_received *packet,
	struct qry_passage *passage);

struct qry_passages;
/* All that RECEIVER received from other hosts at FROM or later, in order of reception.  Q outlives them. */
struct qry_passages *qry_passages_new(struct qry *q, uint32_t receiver, int64_t from);
void qry_passages_free(struct qry_passages *p);
/* The next one, but for its BY.  False at the end or when damaged. */
bool qry_passages_next(struct qry_passages *p, struct qry_passage *passage);

#endif
