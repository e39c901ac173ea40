/* SPDX-License-Identifier: MIT */
/* Listens to the connections of a host: joins its packets, in order, into exchanges.  Private to
 * analysis/request. */
#ifndef ANA_TALK_H
#define ANA_TALK_H

#include "analysis/request/exchange.h"

/* A connection that is listened to. */
struct ana_talk {
	struct ana_connection connection; /* the key */
	struct ana_exchange now;          /* the current exchange, if OPEN */
	bool open, replied;
	bool whole;      /* packets before NOW were heard too, so the begin of NOW is right */
	bool bounded;    /* WHOLE of the next exchange */
	bool heard[2];   /* a packet was heard, by direction: in, out */
	uint32_t end[2]; /* TCP: sequence number after the last byte so far */
	bool over[2];    /* TCP: the direction was closed */
	/* Number of the transfer that closed the second direction, plus 1; 0: not both are closed. */
	uint64_t ended;
	GList link;   /* UDP: in one of the listener's lists, ordered by the last packet heard */
	GQueue *list; /* weak: that list; NULL: none */
};

/* The effect of a packet on its connection. */
struct ana_heard {
	uint64_t number; /* of the transfer */
	int64_t time;
	/* Weak, valid until the next packet.  NULL: the packet is of no connection listened to; or there is
	 * no packet, but a UDP connection was silent for long (CLOSED). */
	struct ana_talk *talk;
	bool named;         /* the packet showed the thread of TALK's open exchange */
	bool closed, whole; /* the packet ended EXCHANGE; WHOLE as in struct ana_talk */
	struct ana_exchange exchange;
};

struct ana_listener;

/* Listen to the packets of HOST from transfer NUMBER on.  ONLY (copied; NULL: all) is the connection to
 * listen to; port 0, own or peer's, matches any. */
struct ana_listener *ana_listener_new(struct qry *q, uint32_t host, uint64_t number,
	const struct ana_connection *only);
void ana_listener_free(struct ana_listener *l);
/* Take the next packet.  False at the end or if PROGRESS was cancelled. */
bool ana_listener_next(struct ana_listener *l, struct base_progress *progress, struct ana_heard *heard);
/* The talks so far: struct ana_connection * → struct ana_talk *.  Excludes those that ended long ago, and UDP
 * connections that were silent for long, because memory must stay bounded. */
GHashTable *ana_listener_talks(const struct ana_listener *l);

/* The connection of TRANSFER, seen from the end that sent or received it here.  False if the packet names
 * none. */
bool ana_talk_connection(const struct mdl_transfer *transfer, struct ana_connection *connection);
/* The number of the first transfer of HOST at TIME or later. */
uint64_t ana_talk_number(struct qry *q, uint32_t host, int64_t time);

#endif
