/* SPDX-License-Identifier: MIT */
/*
 * The tightest straight lines between two clocks, from messages: no message arrives before it was sent.
 *
 * After A. Duda, G. Harrus, Y. Haddad, G. Bernard, "Estimating global time in distributed systems", ICDCS
 * 1987, and B. Poirier, R. Roy, M. Dagenais, "Accurate offline synchronization of distributed traces using
 * kernel-level events", ACM SIGOPS OSR 44(3), 2010.  The fit is updated message by message as in J. O'Rourke,
 * "An on-line algorithm for fitting straight lines between data ranges", CACM 24(9), 1981.  Time is linear in
 * the number of messages; memory is that of the convex hulls.
 *
 * Points are (x, z): x ns of the host, z ns by which the reference's clock is ahead of it.  A message to the
 * host is a lower bound of z (it was received after it was sent), a message from the host an upper bound.
 */
#ifndef SYNC_FIT_H
#define SYNC_FIT_H

#include "sync/sync_clock.h"

/* A message in the clocks of both hosts, ns.  With FROM_HOST the host sent it and the other one received it,
 * otherwise the other way round. */
struct sync_message {
	int64_t host, other;
	bool from_host;
};

/* Messages determine the rate if the rates that fit differ by less than this, 244 ppm. Two crystals, each
 * within 100 ppm of its nominal rate, differ by less than 200 ppm either way, so messages that allow more
 * than that add nothing. */
#define SYNC_RATE_TOLD (INT64_C(1) << 50)

/* A clock that needs more lines than this is unknown.  The limit keeps time and memory independent of how
 * often messages contradict each other. */
#define SYNC_LINES_MAX 4096

struct sync_fit;

/* How well a host's clock is known; cli.md uses the same words. */
enum sync_quality {
	SYNC_ABSENT,     /* no messages */
	SYNC_INCOMPLETE, /* messages in one direction only: no clock */
	/* A line fits, but the messages are too close together in time to bound its rate. */
	SYNC_APPROXIMATE,
	SYNC_ACCURATE,
	/* No lines fit: the messages contradict each other everywhere, or need more than SYNC_LINES_MAX
	 * lines. */
	SYNC_FAIL,
	SYNC_TYPED,   /* a person set the clock: its error is unknown */
	SYNC_NONE,    /* the user asked for no clock */
	SYNC_PENDING, /* its messages are not matched yet */
	SYNC_GIVEN,   /* the recording names the clock of its times, but not how exact that is */
	SYNC_QUALITIES
};

/* One line of a fit. */
struct sync_piece {
	struct sync_line line; /* a line that fits */
	int64_t slow, fast;    /* the lowest and the highest rate that fit, 2^-62 ns per ns */
	int64_t first, last;   /* ns of the host: its first and last message */
	uint64_t messages;
	bool bounded; /* the messages bound the rate more tightly than SYNC_RATE_MAX does */
	bool told;    /* the messages bound the rate more tightly than SYNC_RATE_TOLD */
};

struct sync_fit *sync_fit_new(void);
void sync_fit_free(struct sync_fit *fit);

/* Add a message; HOST must not step back.  With FROM_HOST the host sent it at HOST and the reference received
 * it at REFERENCE, otherwise the other way round.  Both in ns. */
void sync_fit_add(struct sync_fit *fit, int64_t host, int64_t reference, bool from_host);

/* Finish: no more messages come. */
void sync_fit_finish(struct sync_fit *fit);

/* The functions below are valid after sync_fit_finish(). */
enum sync_quality sync_fit_quality(const struct sync_fit *fit);
/* struct sync_piece, in order of time; empty if there is no clock.  Owned by FIT. */
const GArray *sync_fit_pieces(const struct sync_fit *fit);
/* The clock; NULL if there is none.  The caller frees. */
struct sync_clock *sync_fit_clock(const struct sync_fit *fit);
/* The bounds of each piece, of struct sync_bound.  Owned by FIT. */
const GArray *sync_fit_bounds(const struct sync_fit *fit);

/* True if no message arrives before it was sent when HOST and REFERENCE, each a single line, are the clocks.
 * False if one does, and if it cannot be decided without all messages because the fit needed several
 * lines. */
bool sync_fit_holds(const struct sync_fit *fit, const struct sync_line *host,
	const struct sync_line *reference);

/* "absent", "incomplete", …, static. */
const char *sync_quality_name(enum sync_quality quality);

/* ---- order: messages come in the order in which they are matched, and a packet with a long way is sent
 * before others but matched after them. This brings the messages between two hosts into the order of one
 * host's clock ---- */

struct sync_order {
	GArray *buffer; /* owned: of struct sync_message */
	int64_t given;  /* ns of the host: the last message given */
	bool whole;     /* no message was left out */
	void (*give)(void *data, const struct sync_message *message);
	void *data;
};

/* GIVE is called with DATA for each message in the order of HOST.  A message that comes too late for its
 * place is left out: it was on its way longer than all others. */
void sync_order_init(struct sync_order *order, void (*give)(void *data, const struct sync_message *message),
	void *data);
void sync_order_add(struct sync_order *order, const struct sync_message *message);
/* Give the messages that are left: no more come. */
void sync_order_finish(struct sync_order *order);
void sync_order_clear(struct sync_order *order);

#endif
