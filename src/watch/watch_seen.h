/* SPDX-License-Identifier: MIT */
/* The distribution of all latencies that a watch measured, in constant memory; distributions add up. */
#ifndef WATCH_SEEN_H
#define WATCH_SEEN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Classes for each power of two: the width of a class is at most 1/32 of its values. */
#define WATCH_SEEN_PARTS 32
#define WATCH_SEEN_CLASSES (59 * WATCH_SEEN_PARTS) /* up to 2^63 ns */

struct watch_seen {
	uint64_t count; /* sum of CLASSES */
	uint64_t classes[WATCH_SEEN_CLASSES];
};

/* Add COUNT times LATENCY (ns, not negative). */
void watch_seen_add(struct watch_seen *s, int64_t latency, uint64_t count);
/* Add all of OTHER. */
void watch_seen_join(struct watch_seen *s, const struct watch_seen *other);
/* Return the quantile SHARE (0 to 1) in ns: the largest value of its class, so at most 1/32 too large.
 * INT64_MIN if S is empty. */
int64_t watch_seen_quantile(const struct watch_seen *s, double share);
/* Set [*FROM, *TO) to the values (ns) of class I. */
void watch_seen_class(unsigned i, int64_t *from, int64_t *to);

/* Append the classes as "NUMBER:COUNT,NUMBER:COUNT". */
void watch_seen_text(const struct watch_seen *s, GString *out);
/* Add the classes in TEXT (of watch_seen_text()).  False if it is malformed; some of them may have been added
 * then. */
bool watch_seen_parse(struct watch_seen *s, const char *text);

#endif
