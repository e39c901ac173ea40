/* SPDX-License-Identifier: MIT */
/* Listening to the connections of a host: its packets in order, put together to exchanges.  Private to
 * ana_exchange*.c. */
#ifndef ANA_TALK_H
#define ANA_TALK_H

#include "analysis/request/exchange.h"

/* A connection that is listened to. */
struct ana_talk {
	struct ana_connection connection; /* the key */
	struct ana_exchange now;          /* with OPEN */
	bool open, replied;
	bool whole;      /* what came before NOW was heard too: it begins where it says */
	bool bounded;    /* the same of the one that comes next */
	bool heard[2];   /* by direction: in, out */
	uint32_t end[2]; /* TCP: sequence number behind the last byte so far */
	bool over[2];    /* TCP: it ended, by direction */
	uint64_t ended;  /* the number of the transfer that ended both, and one; 0: they are not */
	GList link;      /* UDP: in one of the listener's lists of those that were heard last */
	GQueue *list;    /* weak: that one; NULL: none */
};

/* What a packet was to a connection. */
struct ana_heard {
	uint64_t number; /* of the transfer */
	int64_t time;
	struct ana_talk *talk; /* weak, valid until the next packet; NULL: of none that is listened to, or it
				  is no packet: a connection over UDP was silent for long, which CLOSED */
	bool named;            /* with it the open exchange of TALK got its thread */
	bool closed, whole;    /* with it EXCHANGE ended, which was WHOLE */
	struct ana_exchange exchange;
};

struct ana_listener;

/*
 * The packets of HOST from transfer NUMBER on.  ONLY (NULL: all) is the connection to listen to, copied; an
 * own port of 0 in it stands for any, so does a peer's.
 */
struct ana_listener *ana_listener_new(struct qry *q, uint32_t host, uint64_t number,
	const struct ana_connection *only);
void ana_listener_free(struct ana_listener *l);
/* The next packet; false at the end, or when PROGRESS was cancelled. */
bool ana_listener_next(struct ana_listener *l, struct base_progress *progress, struct ana_heard *heard);
/* The talks so far: struct ana_connection * → struct ana_talk *.  Not those that ended long ago, or over UDP,
 * which knows no end, were silent for long: connections take no memory for ever. */
GHashTable *ana_listener_talks(const struct ana_listener *l);

/* TRANSFER's connection as seen by the end that sent or received it here; false: a packet that names none. */
bool ana_talk_connection(const struct mdl_transfer *transfer, struct ana_connection *connection);
/* The number of the first transfer of HOST at TIME or later. */
uint64_t ana_talk_number(struct qry *q, uint32_t host, int64_t time);

#endif
