/* SPDX-License-Identifier: MIT */
/* What a kind of reader has to offer to trc_reader.c and trc_events.c. */
#ifndef TRC_SOURCE_H
#define TRC_SOURCE_H

#include "trace/core/trc_info.h"
#include "trace/core/trc_paging.h"
#include "trace/core/trc_queue.h"

#include <glib.h>

/* One kind of reader: a struct of these in its own file, and its place in trc_inputs.c. */
struct trc_source_ops {
	const char *name;

	/*
	 * Open STREAMS of the trace that SURVEY looked at, both as the input gives
	 * them (trc_input.h).  Fill in what is known of the trace in
	 * INFO, and add one struct trc_queue to QUEUES (owned by the array) per
	 * stream; a queue may have events already.  Streams of a kind that it
	 * does not understand are added to REST; they are an error when REST is
	 * NULL.  SURVEY, INFO and QUEUES outlive the source.  NULL with an error.
	 */
	void *(*open)(void *survey, const GPtrArray *streams, GPtrArray *rest, struct trc_info *info,
		GPtrArray *queues, GError **error);

	/*
	 * Put more of its stream into QUEUE, which is empty: at least one event,
	 * or set QUEUE->ended.  Damage ends the stream with a warning in INFO.
	 */
	void (*fill)(void *source, struct trc_queue *queue);

	/*
	 * The trace grew (trc_input.h): add to QUEUES one for each of STREAMS, which are new and go on with
	 * others, and call all by the names that their files have now.  NULL: such traces are not followed.
	 */
	void (*grow)(void *source, const GPtrArray *streams, GPtrArray *queues);

	/* Free the source; the queues are still there and are freed later. */
	void (*free)(void *source);

	const struct trc_paging_ops *paging; /* any event, once all was read */
};

#endif
