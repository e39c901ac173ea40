/* SPDX-License-Identifier: MIT */
/* Packets between hosts: the sender of a packet that another host received.  Needs qry_sync_open() first. */
#ifndef QRY_PASSAGE_H
#define QRY_PASSAGE_H

#include "query/qry.h"

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

#endif
