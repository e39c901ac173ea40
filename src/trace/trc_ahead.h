/* SPDX-License-Identifier: MIT */
/* Reading ahead: a thread reads and merges while the caller works on earlier events. */
#ifndef TRC_AHEAD_H
#define TRC_AHEAD_H

#include "trace/trc_reader.h"

struct trc_ahead;

/* Start to read READER in a separate thread.  Nobody else may use READER until trc_ahead_free(); of its info
 * only path, release, begin, end and classes, which no longer change, may be read. */
struct trc_ahead *trc_ahead_new(struct trc_reader *reader);

/* Get the next events, as trc_reader_read() gives them: *EVENTS points to them.  Returns their number; 0 at
 * the end; -1 with an error.  A owns the events and their texts; they are valid until the next call. */
int trc_ahead_read(struct trc_ahead *a, const struct mdl_event **events, GError **error);

/* Get the packets that ended before or with the events that trc_ahead_read() returned last.  Returns their
 * number.  A owns them; they are valid until the next trc_ahead_read(). */
unsigned trc_ahead_packets(const struct trc_ahead *a, const struct trc_packet_seen **packets);

/* Stop the thread wherever it is, and free A.  The reader can be used again. */
void trc_ahead_free(struct trc_ahead *a);

#endif
