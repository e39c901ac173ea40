/* SPDX-License-Identifier: MIT */
/* The compiled classes of a trace, for the decoder in trc_ctf.c. */
#ifndef TRC_CTF_CLASS_H
#define TRC_CTF_CLASS_H

#include "base/base_time.h"
#include "trace/ctf/trc_plan.h"

#define TRC_CTF_CYCLES BASE_TIME_FARTHEST /* cycles: below this, adding them to an epoch cannot overflow */

/* One event class, compiled. */
struct trc_ctf_event {
	const struct trc_event_class *source; /* weak */
	struct mdl_mapping mapping;
	struct trc_plan *plan; /* owned */
};

/* One stream class, compiled. */
struct trc_ctf_stream {
	const struct trc_stream_class *source; /* weak */
	const struct trc_clock *clock;         /* weak; NULL: none */
	int64_t epoch; /* ns since the Epoch of the clock's 0 if its cycles are ns; else BASE_TIME_NONE */
	/* weak: name of the first part that is not understood; NULL: the stream can be read */
	const char *unknown;
	bool tells_cpu; /* its packets do not give the CPU, but events do */
	enum trc_head head;
	struct trc_around *around; /* owned; NULL: its events refer to nothing around them */
	struct trc_plan *header;   /* owned; for TRC_HEAD_OTHER */
	GPtrArray *events;         /* by id, of struct trc_ctf_event * or NULL; owned */
};

/* Compile everything in T: add one struct trc_ctf_stream per stream class to CLASSES (which owns them with
 * trc_ctf_stream_free()).  FETCH: the plans fetch what the model needs; else they only skip events.  False
 * with BASE_ERROR_REFUSED if that would be too large. */
bool trc_ctf_compile(const struct trc_meta *t, bool fetch, GPtrArray *classes, GError **error);
void trc_ctf_stream_free(gpointer class);

/* Return the element of CLASSES made from SOURCE; NULL if there is none. */
const struct trc_ctf_stream *trc_ctf_stream_of(const GPtrArray *classes,
	const struct trc_stream_class *source);

struct trc_stream_file;

/* Return the part of the stream file F, of a class in CLASSES, that is not understood, so that another reader
 * must read F; NULL if F can be read. */
const char *trc_ctf_unknown(const GPtrArray *classes, const struct trc_stream_file *f);

/* Convert CYCLES of the clock of CLASS to ns since the Epoch. */
static inline int64_t trc_ctf_time(const struct trc_ctf_stream *class, uint64_t cycles)
{
	if (class->epoch != BASE_TIME_NONE && cycles < TRC_CTF_CYCLES)
		return class->epoch + (int64_t)cycles;
	return trc_clock_ns(class->clock, cycles);
}

/* Read the event header at W.  False if it is incomplete. */
static inline bool trc_ctf_head(const struct trc_ctf_stream *class, struct trc_walk *w)
{
	w->id = 0;
	w->known = w->before;
	return class->head == TRC_HEAD_OTHER ? trc_plan_run(class->header, w) : trc_head_read(class->head, w);
}

/* Return the event class with ID; NULL if there is none. */
static inline const struct trc_ctf_event *trc_ctf_event_of(const struct trc_ctf_stream *class, uint64_t id)
{
	return id < class->events->len ? g_ptr_array_index(class->events, id) : NULL;
}

#endif
