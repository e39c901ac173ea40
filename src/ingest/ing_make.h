/* SPDX-License-Identifier: MIT */
/* An index in the making: a model whose results go into it. */
#ifndef ING_MAKE_H
#define ING_MAKE_H

#include "index/idx_writer.h"
#include "ingest/ing_feed.h"

struct ing_make {
	struct ing_feed feed;
	struct idx_writer *writer; /* owned */
	GArray *holes;             /* owned, of struct idx_gap, whose CPU means nothing */
	uint64_t received, bare;   /* packets; of these, those whose headers do not tell which it is */
	gint64 started;            /* µs, monotonic */
};

/* Begin the index FILE of what READER reads; FIRSTS (weak) as ing_first_find() has them.  M stays where it
 * is.  False with BASE_ERROR_IO. */
bool ing_make_begin(struct ing_make *m, const struct trc_reader *reader, const GArray *firsts,
	const char *file, GError **error);
/* For the hook of ing_feed, with DATA a struct ing_make. */
void ing_make_time(void *data, int64_t time);
/* N packets were read, those of a stream in order. */
void ing_make_packets(struct ing_make *m, const struct trc_packet_seen *packets, unsigned n);
/* Was there an event?  False with BASE_ERROR_DATA. */
bool ing_make_has_events(const struct ing_make *m, GError **error);
/* The trace ends here, and had FINGERPRINT: end the model, and put the index into its place. */
bool ing_make_finish(struct ing_make *m, const struct trc_reader *reader, const char *fingerprint,
	GError **error);
/* Without ing_make_finish() nothing is left of it. */
void ing_make_clear(struct ing_make *m);

#endif
