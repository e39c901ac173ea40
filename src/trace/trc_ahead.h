/* SPDX-License-Identifier: MIT */
/* Reading ahead: a thread reads and merges while the caller works on what came before. */
#ifndef TRC_AHEAD_H
#define TRC_AHEAD_H

#include "trace/trc_reader.h"

struct trc_ahead;

/*
 * Begin to read READER in a thread of its own.  Until trc_ahead_free() nobody
 * else may use READER; of its info only path, release, begin, end and classes,
 * which do not change any more, may be looked at.
 */
struct trc_ahead *trc_ahead_new(struct trc_reader *reader);

/*
 * The next events, as trc_reader_read() gives them: *EVENTS points to them, the
 * result says how many; 0 at the end; -1 with an error.  They and their texts are
 * owned by A and valid until the next call.
 */
int trc_ahead_read(struct trc_ahead *a, const struct mdl_event **events, GError **error);

/*
 * The packets that ended before or with what trc_ahead_read() returned last, in *PACKETS; returns how many.
 * Owned by A and valid as long.
 */
unsigned trc_ahead_packets(const struct trc_ahead *a, const struct trc_packet_seen **packets);

/* Stop the thread, wherever it is, and end.  The reader can be used again. */
void trc_ahead_free(struct trc_ahead *a);

#endif
