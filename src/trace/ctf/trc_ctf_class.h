/* SPDX-License-Identifier: MIT */
/* The classes of a trace, compiled: for the decoder in trc_ctf.c. */
#ifndef TRC_CTF_CLASS_H
#define TRC_CTF_CLASS_H

#include "base/base_time.h"
#include "trace/ctf/trc_head.h"
#include "trace/ctf/trc_plan.h"

#define TRC_CTF_CYCLES BASE_TIME_FARTHEST /* added to an epoch below as much there is no overflow */

/* One event class, ready to be read. */
struct trc_ctf_event {
	const struct trc_event_class *source; /* weak */
	struct mdl_mapping mapping;
	struct trc_plan *plan; /* owned */
};

/* One stream class, ready to be read. */
struct trc_ctf_stream {
	const struct trc_stream_class *source; /* weak */
	const struct trc_clock *clock;         /* weak; NULL: none */
	int64_t epoch; /* ns of the clock's 0, when it counts ns; else BASE_TIME_NONE */
	/* weak: name of the first thing in it that is not understood; NULL: it can be read. */
	const char *unknown;
	bool tells_cpu; /* where its packets do not tell the CPU, events do */
	enum trc_head head;
	struct trc_plan *header; /* owned; for TRC_HEAD_OTHER */
	GPtrArray *events;       /* by id, of struct trc_ctf_event * or NULL; owned */
};

/*
 * Compile everything in T: adds one struct trc_ctf_stream for each stream class
 * to CLASSES (owned by the array: trc_ctf_stream_free()).  FETCH: what the model needs is fetched, else
 * events are only gone over. False with BASE_ERROR_REFUSED when that would be too much.
 */
bool trc_ctf_compile(const struct trc_tsdl *t, bool fetch, GPtrArray *classes, GError **error);
void trc_ctf_stream_free(gpointer class);

/* The one of CLASSES made from SOURCE; NULL: there is none. */
const struct trc_ctf_stream *trc_ctf_stream_of(const GPtrArray *classes,
	const struct trc_stream_class *source);

struct trc_stream_file;

/* What of the stream file F, of a class in CLASSES, is not understood, so that it is left to another reader;
 * NULL: it can be read. */
const char *trc_ctf_unknown(const GPtrArray *classes, const struct trc_stream_file *f);

/* CYCLES of the clock of CLASS in ns since the Epoch. */
static inline int64_t trc_ctf_time(const struct trc_ctf_stream *class, uint64_t cycles)
{
	if (class->epoch != BASE_TIME_NONE && cycles < TRC_CTF_CYCLES)
		return class->epoch + (int64_t)cycles;
	return trc_clock_ns(class->clock, cycles);
}

/* Read the event header at W's place.  False when it is not all there. */
static inline bool trc_ctf_head(const struct trc_ctf_stream *class, struct trc_walk *w)
{
	w->id = 0;
	return class->head == TRC_HEAD_OTHER ? trc_plan_run(class->header, w) : trc_head_read(class->head, w);
}

/* The event class with ID; NULL: there is none. */
static inline const struct trc_ctf_event *trc_ctf_event_of(const struct trc_ctf_stream *class, uint64_t id)
{
	return id < class->events->len ? g_ptr_array_index(class->events, id) : NULL;
}

#endif
