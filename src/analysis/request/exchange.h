/* SPDX-License-Identifier: MIT */
/*
 * Requests and replies: what the two ends of a connection sent each other in turn, as one of the two hosts
 * saw it.
 *
 * The end of a connection (TCP or UDP) with the larger port is the client: servers have well-known ports,
 * clients ephemeral ones.  An exchange begins with the client's first data after a reply, and ends with the
 * server's last data before the client's next data, however many packets and waits it takes.  Packets without
 * data and retransmissions do not count.
 */
#ifndef ANA_EXCHANGE_H
#define ANA_EXCHANGE_H

#include "base/base_progress.h"
#include "query/qry.h"

/* A connection, seen from one of its ends.  Addresses are as in struct mdl_packet. */
struct ana_connection {
	uint8_t own[16], peer[16];
	uint16_t own_port, peer_port;
	uint8_t version, protocol;
	uint16_t zero; /* padding: the struct is hashed as bytes */
};

/* The data of one direction. */
struct ana_exchange_part {
	int64_t from, to; /* its first and last packet, at this host; MDL_NEVER without packets */
	uint64_t bytes;
	uint32_t packets; /* 0: none was recorded */
};

struct ana_exchange {
	uint32_t host;   /* the host that recorded these packets */
	uint32_t thread; /* row of the thread that sent the data of this end; MDL_NONE unknown */
	struct ana_connection connection;
	bool asked;       /* true: this end asked and the peer replied; false: the reverse */
	int64_t from, to; /* first and last packet of both parts, shown times */
	struct ana_exchange_part request, reply;

	/* Set by ana_exchange_peer(): */
	/* The host of the other end, and the thread that sent its data; MDL_NONE unknown. */
	uint32_t peer_host, peer;
	/* when the request's first and the reply's last packet were at the other end; MDL_NEVER unknown */
	int64_t peer_from, peer_to;

	/* For ana_exchange_peer(), to find the other end: */
	struct mdl_received first_in; /* first packet that this end received; time MDL_NEVER: none */
	uint32_t out_end;             /* TCP: sequence number after the last byte that this end sent */
};

/* Find the exchange of the packet that ended, with WAKEUP, a wait of thread ROW.  False if no packet ended
 * it, its connection is unknown, no data followed on it, or PROGRESS (may be NULL) was cancelled.  Costs time
 * in the number of packets of the host during the exchange, and up to the next one on the connection. */
bool ana_exchange_of_wait(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup,
	struct base_progress *progress, struct ana_exchange *x);

/* Find the exchange after X, or the one before X, between the same pair: same thread, same address and port
 * of the server, any connection.  False if there is none or PROGRESS (may be NULL) was cancelled. */
bool ana_exchange_after(struct qry *q, const struct ana_exchange *x, struct base_progress *progress,
	struct ana_exchange *next);
bool ana_exchange_before(struct qry *q, const struct ana_exchange *x, struct base_progress *progress,
	struct ana_exchange *previous);

/* Receives an exchange, which is valid during the call. */
typedef void ana_exchange_visit(void *data, const struct ana_exchange *x);

/*
 * Pass all exchanges of thread ROW that begin in [FROM, TO), with their other ends, to VISIT with DATA, in no
 * order.  ROW MDL_NONE: those of all threads of HOST, or of all hosts (HOST MDL_NONE).  Each exchange is then
 * passed once, also if its thread is unknown.  If both ends are included, it is passed as the client saw it.
 * False if PROGRESS (may be NULL) was cancelled.  Takes memory per connection, not per exchange.
 */
bool ana_exchange_each(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress, ana_exchange_visit *visit, void *data);
/* Like ana_exchange_each(), sorted by begin (GArray of struct ana_exchange).  The caller unrefs.  NULL if
 * PROGRESS was cancelled. */
GArray *ana_exchange_list(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress);

/* Find the other end of X from the packets of its host, if that belongs to the experiment. */
void ana_exchange_peer(struct qry *q, struct ana_exchange *x);

#endif
