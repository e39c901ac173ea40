/* SPDX-License-Identifier: MIT */
/* The interface of a reader, for trc_reader.c and trc_events.c. */
#ifndef TRC_SOURCE_H
#define TRC_SOURCE_H

#include "trace/core/trc_info.h"
#include "trace/core/trc_paging.h"
#include "trace/core/trc_queue.h"

#include <glib.h>

/* One reader: a const struct in its own file, and an entry in trc_inputs.c. */
struct trc_source_ops {
	const char *name;

	/*
	 * Open STREAMS of the trace that SURVEY examined; both come from the input (trc_input.h).  Fill in
	 * INFO, and add one struct trc_queue per stream to QUEUES, which owns it; a queue may already have
	 * events.  Streams that the reader does not understand go to REST; if REST is NULL they are an error.
	 * SURVEY, INFO and QUEUES outlive the source.  NULL with an error.
	 */
	void *(*open)(void *survey, const GPtrArray *streams, GPtrArray *rest, struct trc_info *info,
		GPtrArray *queues, GError **error);

	/* Put at least one more event of its stream into QUEUE, which is empty, or set QUEUE->ended.  Damage
	 * ends the stream with a warning in INFO. */
	void (*fill)(void *source, struct trc_queue *queue);

	/* The trace grew (trc_input.h): add a queue to QUEUES for each of STREAMS, which are new and continue
	 * others, and rename all queues to the current names of their files.  NULL instead of a function: the
	 * reader does not follow traces. */
	void (*grow)(void *source, const GPtrArray *streams, GPtrArray *queues);

	/* Free the source.  The queues still exist; they are freed later. */
	void (*free)(void *source);

	const struct trc_paging_ops *paging; /* reads any event, once the whole trace was read */
};

#endif
