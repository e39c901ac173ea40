/* SPDX-License-Identifier: MIT */
/*
 * Requests and replies: what two ends of a connection said to each other in turn, as one of the two hosts saw
 * it.
 *
 * Of a connection (TCP or UDP) the end with the larger port asks: servers have known ports, clients get one
 * of the ephemeral range.  An exchange begins with the first data that end sends after a reply, and ends with
 * the last data of the other one before that; however many packets, and waits of a thread, it takes.  Packets
 * without data and what was sent again count for nothing.
 */
#ifndef ANA_EXCHANGE_H
#define ANA_EXCHANGE_H

#include "base/base_progress.h"
#include "query/qry.h"

/* A connection, from one of its ends; addresses as in struct mdl_packet. */
struct ana_connection {
	uint8_t own[16], peer[16];
	uint16_t own_port, peer_port;
	uint8_t version, protocol;
	uint16_t zero; /* it is hashed as bytes */
};

/* Data that went one way. */
struct ana_exchange_part {
	int64_t from, to; /* its first and last packet, at this host; MDL_NEVER without packets */
	uint64_t bytes;
	uint32_t packets; /* 0: none was seen */
};

struct ana_exchange {
	uint32_t host;   /* whose packets these are */
	uint32_t thread; /* row of the thread there that sent what this end sent; MDL_NONE not known */
	struct ana_connection connection;
	bool asked;       /* this end asked and the peer replied; else the other way round */
	int64_t from, to; /* the first and the last packet of both parts, shown times */
	struct ana_exchange_part request, reply;

	/* What ana_exchange_peer() finds. */
	/* The other end's host, and the thread that sent what it sent; MDL_NONE not known. */
	uint32_t peer_host, peer;
	int64_t peer_from, peer_to; /* when the first packet of the request and the last of the reply were
				       there; MDL_NEVER not known */

	/* How it is found. */
	struct mdl_received first_in; /* the first packet that this end received; its time MDL_NEVER: none */
	uint32_t out_end;             /* TCP: sequence number behind the last byte that this end sent */
};

/*
 * The exchange in which the wait of thread ROW took part that WAKEUP ended.  False: a packet did not end it,
 * its connection is not known, no data followed on it, or PROGRESS (may be NULL) was cancelled.  Costs about
 * the packets of the host during the exchange, and up to the next one on the same connection.
 */
bool ana_exchange_of_wait(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup,
	struct base_progress *progress, struct ana_exchange *x);

/*
 * The next exchange after X of the same pair: of the same thread with the same address and port of the side
 * that replies, on whichever connection; and the one before.  False: there is none, or PROGRESS (may be NULL)
 * was cancelled.
 */
bool ana_exchange_after(struct qry *q, const struct ana_exchange *x, struct base_progress *progress,
	struct ana_exchange *next);
bool ana_exchange_before(struct qry *q, const struct ana_exchange *x, struct base_progress *progress,
	struct ana_exchange *previous);

typedef void ana_exchange_visit(void *data, const struct ana_exchange *x);

/*
 * Hand all exchanges of thread ROW that begin in [FROM, TO), with the other ends, to VISIT with DATA, in no
 * order.  With MDL_NONE those of all threads of HOST, or of all hosts (MDL_NONE), each exchange once: where
 * both of its ends are among them as the end that asked saw it, also where which thread that was is not
 * known.  False when PROGRESS (may be NULL) was cancelled.  Takes memory for each connection, not for each
 * exchange.
 */
bool ana_exchange_each(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress, ana_exchange_visit *visit, void *data);
/* The same by their begin: GArray of struct ana_exchange, for the caller to unref; NULL when PROGRESS was
 * cancelled. */
GArray *ana_exchange_list(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress);

/* Find the other end of X: from the packets of its host, if that belongs to the experiment. */
void ana_exchange_peer(struct qry *q, struct ana_exchange *x);

#endif
