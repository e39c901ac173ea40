/* SPDX-License-Identifier: MIT */
/* The distribution of all latencies that a watch measured, in constant memory; distributions add up. */
#ifndef WATCH_SEEN_H
#define WATCH_SEEN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Classes for each power of two: a class is at most 1/32 of its values wide. */
#define WATCH_SEEN_PARTS 32
#define WATCH_SEEN_CLASSES (59 * WATCH_SEEN_PARTS) /* up to 2^63 ns */

struct watch_seen {
	uint64_t count;
	uint64_t classes[WATCH_SEEN_CLASSES];
};

/* Add COUNT times LATENCY (ns, not negative). */
void watch_seen_add(struct watch_seen *s, int64_t latency, uint64_t count);
/* Add all of OTHER. */
void watch_seen_join(struct watch_seen *s, const struct watch_seen *other);
/* Return the value below or at which SHARE (0 to 1) of all lie: the largest of its class, so at most 1/32 too
 * large.  INT64_MIN if there is none. */
int64_t watch_seen_quantile(const struct watch_seen *s, double share);
/* Return the number of values that are larger than LATENCY, but for those of its class. */
uint64_t watch_seen_over(const struct watch_seen *s, int64_t latency);
/* The values of class I: [*FROM, *TO). */
void watch_seen_class(unsigned i, int64_t *from, int64_t *to);

/* Append the classes as "NUMBER:COUNT,NUMBER:COUNT". */
void watch_seen_text(const struct watch_seen *s, GString *out);
/* Add what watch_seen_text() wrote.  False if TEXT is not of that form; then a part of it may be added. */
bool watch_seen_parse(struct watch_seen *s, const char *text);

#endif
