/* SPDX-License-Identifier: MIT */
/*
 * The tightest straight lines between two clocks, from messages: none arrives
 * before it was sent.
 *
 * After A. Duda, G. Harrus, Y. Haddad, G. Bernard, "Estimating global time in
 * distributed systems", ICDCS 1987, and B. Poirier, R. Roy, M. Dagenais,
 * "Accurate offline synchronization of distributed traces using kernel-level
 * events", ACM SIGOPS OSR 44(3), 2010; kept up message by message as in
 * J. O'Rourke, "An on-line algorithm for fitting straight lines between data
 * ranges", CACM 24(9), 1981.  Time is linear in the number of messages, memory
 * that of the convex hulls.
 *
 * Points are (x, z): x ns of the host, z ns by which the reference's clock is
 * ahead of it.  A message to the host is a lower bound of z (it was received
 * after it was sent), one from the host an upper bound.
 */
#ifndef SYNC_FIT_H
#define SYNC_FIT_H

#include "sync/sync_bound.h"

/*
 * Rates that fit are less than that apart, 244 ppm: then messages tell the rate.  Two crystals, each within
 * 100 ppm of what it is made for, differ by less than 200; where messages allow more than that both ways they
 * say nothing about rates that was not known before.
 */
#define SYNC_RATE_TOLD (INT64_C(1) << 50)

/* A clock that needs more lines than that says nothing: time and memory do not depend on how often messages
 * contradict each other. */
#define SYNC_LINES_MAX 4096

struct sync_fit;

/* How well a host's clock is known; the words are those of cli.md. */
enum sync_quality {
	SYNC_ABSENT,      /* no messages */
	SYNC_INCOMPLETE,  /* messages in one direction only: no clock */
	SYNC_APPROXIMATE, /* a line holds, but its pace is not bounded by the messages: they are too close
			     together in time */
	SYNC_ACCURATE,
	SYNC_FAIL,    /* no lines hold: the messages contradict each other everywhere, or too often:
			 SYNC_LINES_MAX */
	SYNC_TYPED,   /* a person set the clock: nothing says how good it is */
	SYNC_NONE,    /* no clock was asked for */
	SYNC_PENDING, /* its messages were not matched yet */
	SYNC_GIVEN,   /* the recording says whose clock its times are by, and not how exact that is */
	SYNC_QUALITIES
};

/* What is known of one line. */
struct sync_piece {
	struct sync_line line; /* one that fits */
	int64_t slow, fast;    /* rates that fit, 2^-62 ns per ns */
	int64_t first, last;   /* ns of the host: its messages */
	uint64_t messages;
	bool bounded; /* the messages bound the rate, not only what clocks can be */
	bool told;    /* … better than the making of clocks does: SYNC_RATE_TOLD */
};

struct sync_fit *sync_fit_new(void);
void sync_fit_free(struct sync_fit *fit);

/*
 * Add a message; HOST must not step back.  FROM_HOST: the host sent it at HOST
 * and the reference received it at REFERENCE; else the other way round.
 */
void sync_fit_add(struct sync_fit *fit, int64_t host, int64_t reference, bool from_host);

/* No more messages come. */
void sync_fit_finish(struct sync_fit *fit);

/* After finish. */
enum sync_quality sync_fit_quality(const struct sync_fit *fit);
/* struct sync_piece, in order of time; empty where there is no clock.  Owned by FIT. */
const GArray *sync_fit_pieces(const struct sync_fit *fit);
/* The clock; NULL where there is none.  The caller frees. */
struct sync_clock *sync_fit_clock(const struct sync_fit *fit);
/* What bounds each piece.  Owned by FIT. */
const GArray *sync_fit_bounds(const struct sync_fit *fit);

/*
 * True when by the clocks of host and reference, each a single line, no message arrives before it was sent.
 * False when one does, or when that cannot be told without all messages: where the fit itself needed several
 * lines.
 */
bool sync_fit_holds(const struct sync_fit *fit, const struct sync_line *host,
	const struct sync_line *reference);

/* "absent", "incomplete", …, static. */
const char *sync_quality_name(enum sync_quality quality);

#endif
