/* SPDX-License-Identifier: MIT */
/* What a kind of reader has to offer to trc_reader.c. */
#ifndef TRC_SOURCE_H
#define TRC_SOURCE_H

#include "trace/trc_info.h"
#include "trace/trc_queue.h"

#include <glib.h>

/* One kind of reader: a struct of these in its own file, and a line in trc_reader.c. */
struct trc_source_ops {
	const char *name;	/* static, as in struct trc_info.reader */

	/*
	 * Open the trace in DIRECTORY (canonical): fill in what is known of it
	 * in INFO, which outlives the source, and add one struct trc_queue to
	 * QUEUES (owned by the array) per stream; a queue may have events
	 * already.  NULL with an error.
	 */
	void *(*open)(const char *directory, struct trc_info *info, GPtrArray *queues, GError **error);

	/*
	 * Put more of its stream into QUEUE, which is empty: at least one event,
	 * or set QUEUE->ended.  Damage ends the stream with a warning in INFO.
	 */
	void (*fill)(void *source, struct trc_queue *queue);

	/* Free the source; the queues are still there and are freed later. */
	void (*free)(void *source);
};

extern const struct trc_source_ops trc_bt2_ops, trc_ctf_ops;

#endif
