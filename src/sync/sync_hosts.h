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
	struct sync_clock *clock;  /* owned; NULL: unknown, the host stands apart */
	/* Owned: the place on the axis of a host without clock (sync_place_starts()), which is not a clock.
	 * NULL: the host has a clock, or is shown by its own time. */
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

/* Find the clocks of N hosts; the first host is the reference. Each host is reached over those hosts whose
 * errors have the smallest sum. Costs a walk over all packets and a sample, and a second walk if a clock has
 * several lines or if packets that arrive too early must be counted. During the first walk PAIR (may be NULL)
 * is called with DATA for each matched packet, as by sync_match(). GUESTS (NULL: none) give messages like
 * packets. The caller has the only reference. */
struct sync_hosts *sync_hosts_new(const struct sync_source *sources, struct sync_guests *guests,
	const struct sync_span *spans, unsigned n, sync_pair_func *pair, void *data);
/* N hosts with all members 0 or NULL, for a caller that fills them in.  The caller has the only reference. */
struct sync_hosts *sync_hosts_new_empty(unsigned n);
/* Take and release a reference, from any thread.  The last release frees.  HOSTS may be NULL. */
struct sync_hosts *sync_hosts_ref(struct sync_hosts *hosts);
void sync_hosts_unref(struct sync_hosts *hosts);

/* Largest error, in ns, between times of host A and host B at TIME of the reference: the sum over the hosts
 * on the way from A to B, which need not pass the reference. 0 if A is B. INT64_MAX if unknown: one of them
 * stands apart, or nothing bounds its clock. */
int64_t sync_hosts_error(const struct sync_hosts *hosts, unsigned a, unsigned b, int64_t time);

/* Set ERRORS and ERROR_MAX of HOST from its clock and bounds; SPAN is the span of its trace.  The errors of
 * host BY must be set already.  For code that makes or changes HOSTS. */
void sync_hosts_measure(struct sync_hosts *hosts, unsigned host, const struct sync_span *span);
/* Like sync_hosts_measure(), for all hosts that have a clock. */
void sync_hosts_measure_all(struct sync_hosts *hosts, const struct sync_span *spans);

/*
 * ---- places of hosts whose clocks are unknown ----
 *
 * By their own times they may be minutes or years away from the others, so no view would show both.  So
 * wakepath aligns their starts.  That is a place on the axis and not a clock: it does not order events of
 * these hosts.
 */

/* Set PLACED of each host that has no clock, is not set to show its own time, and does not overlap by its own
 * time any host that has a clock. Its start moves to the start of the first host. Hosts that overlap each
 * other by their own times keep their distances. SPANS has one entry per host. False if nothing was placed;
 * HOSTS is then unchanged. */
bool sync_place_starts(struct sync_hosts *hosts, const struct sync_span *spans);

/* ns to add to H's own times for display; 0 if H was not placed. */
int64_t sync_place_shift(const struct sync_host *h);

/* ---- clocks that a person sets: none at all, or the host's own plus an offset; for code that makes a struct
 * sync_hosts, before others share it ---- */

/* A copy of HOSTS to change, in which no host is placed.  The caller has the only reference. */
struct sync_hosts *sync_typed_copy(const struct sync_hosts *hosts);

/* N hosts that have only their own clocks.  The caller has the only reference. */
struct sync_hosts *sync_typed_none(unsigned n);

/* Remove all clocks except the first host's; counts stay. */
void sync_typed_take_out(struct sync_hosts *hosts);

/* Copy the packet counts of COUNTED, which are the same hosts by other clocks, to HOSTS. */
void sync_typed_count_as(struct sync_hosts *hosts, const struct sync_hosts *counted);

/* Set clocks from TEXT, "HOST=OFFSET,HOST=OFFSET…": the host's own clock plus a duration with a sign, such as
 * "db=-2.5ms". NAMES are the names of HOSTS. The errors of these hosts, and of those that are reached by way
 * of them, are then unknown. False with BASE_ERROR_USAGE, and nothing set, if TEXT has another form, names an
 * unknown host, one host twice, or the first host, whose clock is the one shown. */
bool sync_typed_set(struct sync_hosts *hosts, const char *const *names, const char *text, GError **error);

/* ---- lines of a clock as decimal text, with all digits: t_reference = slope · t_host + offset ---- */

/* VALUE in units of 2^-62, exactly: "-16.5", "3".  The caller frees. */
char *sync_text_decimal(sync_wide value);
/* The slope of LINE, and its offset in ns at t_host = 0, exactly.  The caller frees. */
char *sync_text_slope(const struct sync_line *line);
char *sync_text_offset(const struct sync_line *line);

/* Parse TEXT, a number like "-16.5", to units of 2^-62: exactly if it is a multiple of that, like the results
 * above, otherwise the nearest.  False if TEXT is something else, or does not fit into *VALUE. */
bool sync_text_parse(const char *text, sync_wide *value);

/* The reason why HOST of HOSTS stands apart, with its own clock; static.  NULL if it does not, or if the user
 * asked for no clocks at all. */
const char *sync_text_apart(const struct sync_hosts *hosts, unsigned host);

/* ---- clocks as text: the JSON that `wakepath sync --format json` prints, that the file of packets keeps,
 * and that `--sync FILE` reads. It has all of a struct sync_hosts, exactly, so reading gives back what was
 * written ---- */

/* Append HOSTS as text.  NAMES are the names of the hosts.  NAMESAKES, for people only, says which other
 * hosts each may be (NULL: none; entries may be NULL). */
void sync_file_write(GString *out, const struct sync_hosts *hosts, const char *const *names,
	const char *const *namesakes);

/* Read the clocks of N hosts from SIZE bytes at TEXT, which people may have edited. NAMES are the names of
 * the hosts, SPANS the spans of their traces. Optional members: in a line FROM, SEEN and ORIGIN; in a host
 * all except its name; and LINES, if SLOPE and OFFSET_NS give the only line. A host that is missing
 * stands apart. Errors are measured again from the bounds. The caller has the only reference. NULL with
 * BASE_ERROR_DATA that names host and key. */
struct sync_hosts *sync_file_read(const char *text, size_t size, const char *const *names,
	const struct sync_span *spans, unsigned n, GError **error);

#endif
