/* SPDX-License-Identifier: MIT */
/* The clocks of all hosts of an experiment in that of the first one, from the packets they exchanged. */
#ifndef SYNC_HOSTS_H
#define SYNC_HOSTS_H

#include "sync/sync_fit.h"
#include "sync/sync_guests.h"
#include "sync/sync_match.h"

/* What is known of one host's clock. */
struct sync_host {
	enum sync_quality quality; /* the reference's is accurate */
	struct sync_clock *clock;  /* owned; NULL: nothing is known of it, it stands apart */
	struct sync_clock *placed; /* owned; NULL: it has a clock, or is shown by its own time; else where it
				      is shown (sync_place.h), which is no clock */
	unsigned by;               /* the host next to it on the way to the reference; itself: none */
	GArray *bounds; /* owned: of struct sync_bound, of its clock in that of host BY; NULL: none (it is the
			   reference, or its clock was set by hand) */
	int64_t error_max; /* ns, over the host's span; INT64_MAX where nothing bounds it */
	GArray *errors; /* owned: for each line of the clock the same, over where it holds (of int64_t); NULL
			   without clock */
	struct sync_counts counts;
	uint64_t exchanged;         /* packets matched that it sent or received */
	uint64_t violations_before; /* of these, those that arrive before they were sent, by the clocks as
				       recorded … */
	uint64_t violations_after;  /* … and as found */
};

/* Never changed once it is made, so that threads may share it. */
struct sync_hosts {
	gatomicrefcount references;
	unsigned n;
	struct sync_host *hosts;
	GArray *vcpus; /* owned: of struct sync_vcpu: the virtual CPUs whose guests are among the hosts */
};

/* Span of a host's trace, ns of its own clock; INT64_MIN: it has no events. */
struct sync_span {
	int64_t from, to;
};

/*
 * Find the clocks of N hosts; the first is the reference.  Each host is reached
 * over the hosts whose errors add up to the least.  Costs a walk over all
 * packets and a sample, and a second walk where a clock has several lines or packets too early are to be
 * counted.  On the first walk PAIR (NULL: nobody wants to know) is called with DATA for each packet matched,
 * as by sync_match().  GUESTS (NULL: none) tell as packets do.  The caller has one reference to it.
 */
struct sync_hosts *sync_hosts_new(const struct sync_source *sources, struct sync_guests *guests,
	const struct sync_span *spans, unsigned n, void (*pair)(void *data, const struct sync_pair *pair),
	void *data);
/* N hosts of which nothing is known: all 0 or NULL; for those who fill them in.  The caller has one reference
 * to it. */
struct sync_hosts *sync_hosts_new_empty(unsigned n);
/* One reference more, one less; safe from any thread.  The last one frees.  NULL is let pass. */
struct sync_hosts *sync_hosts_ref(struct sync_hosts *hosts);
void sync_hosts_unref(struct sync_hosts *hosts);

/*
 * By how many ns times of host A and host B may be off against each other at TIME of the reference: the sum
 * over the hosts on the way from one to the other, which need not lead by way of the reference.  0: one host;
 * INT64_MAX: unknown, as one of them stands apart or nothing bounds its clock.
 */
int64_t sync_hosts_error(const struct sync_hosts *hosts, unsigned a, unsigned b, int64_t time);

/*
 * For those that make or change HOSTS: set the ERRORS and ERROR_MAX of HOST, whose trace lasts SPAN, from its
 * clock and bounds; those of the host it is reached by are set already.
 */
void sync_hosts_measure(struct sync_hosts *hosts, unsigned host, const struct sync_span *span);
/* The same of all that have a clock, by their SPANS. */
void sync_hosts_measure_all(struct sync_hosts *hosts, const struct sync_span *spans);

#endif
