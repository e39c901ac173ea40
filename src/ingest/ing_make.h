/* SPDX-License-Identifier: MIT */
/* An unfinished index: a model that writes its results into it. */
#ifndef ING_MAKE_H
#define ING_MAKE_H

#include "index/table/writer.h"
#include "ingest/ing_feed.h"

struct ing_make {
	struct ing_feed feed;
	struct idx_writer *writer; /* owned */
	GArray *holes;             /* owned, of struct idx_gap; their CPU has no meaning */
	uint64_t received, bare;   /* packets received; of these, those whose headers do not identify them */
	gint64 started;            /* µs, monotonic */
};

/* Begin the index FILE of what READER reads.  FIRSTS (weak) is the result of ing_first_find().  M must not
 * move.  False with BASE_ERROR_IO. */
bool ing_make_begin(struct ing_make *m, const struct trc_reader *reader, const GArray *firsts,
	const char *file, GError **error);
/* For ing_feed_hooks.time; DATA is a struct ing_make. */
void ing_make_time(void *data, int64_t time);
/* Add N packets that were read, in order within each stream. */
void ing_make_packets(struct ing_make *m, const struct trc_packet_seen *packets, unsigned n);
/* True if there was an event.  False with BASE_ERROR_DATA. */
bool ing_make_has_events(const struct ing_make *m, GError **error);
/* The trace, with FINGERPRINT, ends here: finish the model and publish the index. */
bool ing_make_finish(struct ing_make *m, const struct trc_reader *reader, const char *fingerprint,
	GError **error);
/* Removes the index unless ing_make_finish() published it. */
void ing_make_clear(struct ing_make *m);

#endif
