/* SPDX-License-Identifier: MIT */
/* The clocks of all hosts of an experiment in that of the first one, from the packets that they exchanged. */
#ifndef SYNC_HOSTS_H
#define SYNC_HOSTS_H

#include "sync/sync_fit.h"
#include "sync/sync_guests.h"
#include "sync/sync_match.h"

/* One host's clock, its errors and its packets. */
struct sync_host {
	enum sync_quality quality; /* SYNC_ACCURATE for the reference */
	struct sync_clock *clock;  /* owned; NULL: nothing is known about it, the host stands apart */
	/* Owned: where a host without clock is shown (sync_place.h); that is no clock.  NULL: it has a clock,
	 * or is shown by its own time. */
	struct sync_clock *placed;
	unsigned by; /* the next host on the way to the reference; the host itself: none */
	/* Owned: of struct sync_bound, of its clock in that of host BY.  NULL: none; it is the reference, or
	 * a person set its clock. */
	GArray *bounds;
	int64_t error_max; /* ns, the largest error over the host's span; INT64_MAX if nothing bounds it */
	/* Owned: of int64_t, for each line of the clock the largest error in ns while it holds; NULL without
	 * clock. */
	GArray *errors;
	struct sync_counts counts;
	uint64_t exchanged; /* matched packets that it sent or received */
	/* of EXCHANGED: arrive before they were sent, by the clocks as recorded */
	uint64_t violations_before;
	uint64_t violations_after; /* of EXCHANGED: arrive before they were sent, by the clocks found */
};

/* Never changes after it is made, so threads may share it. */
struct sync_hosts {
	gatomicrefcount references;
	unsigned n;
	struct sync_host *hosts;
	GArray *vcpus; /* owned: of struct sync_vcpu, the virtual CPUs whose guests are among the hosts */
};

/* Span of a host's trace in ns of its own clock; FROM is INT64_MIN if the trace has no events. */
struct sync_span {
	int64_t from, to;
};

/*
 * Find the clocks of N hosts; the first host is the reference.  Each host is reached over those hosts whose
 * errors have the smallest sum.  Costs a walk over all packets and a sample, and a second walk if a clock has
 * several lines or if packets that arrive too early must be counted.  During the first walk PAIR (may be
 * NULL) is called with DATA for each matched packet, as by sync_match().  GUESTS (NULL: none) give messages
 * like packets.  The caller has the only reference.
 */
struct sync_hosts *sync_hosts_new(const struct sync_source *sources, struct sync_guests *guests,
	const struct sync_span *spans, unsigned n, void (*pair)(void *data, const struct sync_pair *pair),
	void *data);
/* N hosts with all members 0 or NULL, for a caller that fills them in.  The caller has the only reference. */
struct sync_hosts *sync_hosts_new_empty(unsigned n);
/* Take and release a reference, from any thread.  The last release frees.  HOSTS may be NULL. */
struct sync_hosts *sync_hosts_ref(struct sync_hosts *hosts);
void sync_hosts_unref(struct sync_hosts *hosts);

/*
 * Largest error, in ns, between times of host A and host B at TIME of the reference: the sum over the hosts
 * on the way from A to B, which need not pass the reference. 0 if A is B. INT64_MAX if unknown: one of them
 * stands apart, or nothing bounds its clock.
 */
int64_t sync_hosts_error(const struct sync_hosts *hosts, unsigned a, unsigned b, int64_t time);

/* Set ERRORS and ERROR_MAX of HOST from its clock and bounds; SPAN is the span of its trace.  The errors of
 * host BY must be set already.  For code that makes or changes HOSTS. */
void sync_hosts_measure(struct sync_hosts *hosts, unsigned host, const struct sync_span *span);
/* Like sync_hosts_measure(), for all hosts that have a clock. */
void sync_hosts_measure_all(struct sync_hosts *hosts, const struct sync_span *spans);

#endif
