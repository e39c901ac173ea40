/* SPDX-License-Identifier: MIT */
/*
 * Reading one trace as a single sequence of model events in time order.
 *
 * A reader is one const struct trc_source_ops in its own file plus a line in
 * trc_inputs.c; a format, a struct trc_input_ops.  Streams are merged by time here, for every reader.
 */
#ifndef TRC_READER_H
#define TRC_READER_H

#include "base/base_progress.h"
#include "model/mdl_event.h"
#include "trace/core/trc_info.h"

#include <glib.h>

struct trc_reader;

/* A stream of a trace. */
struct trc_stream {
	const char *name;   /* of its file, within the folder that all of the trace is in; hostile */
	const char *reader; /* who reads it: "ctf", "babeltrace2" */
};

#define TRC_EVENT_STEP 64 /* see trc_reader_read() */

/*
 * All traces at or below PATHS (NULL-terminated), of the formats in trc_inputs.c; those that are chunks of
 * one recording together; format by format in the order of PATHS, those below one of them sorted.  Symbolic
 * links below a path are not followed.  PROGRESS (NULL: nobody's) has how many folders were looked into.
 * BASE_ERROR_DATA when there is none below one of PATHS, or too much to look for it, BASE_ERROR_IO when that
 * cannot be read, BASE_ERROR_CANCELLED.  The caller unrefs the array of struct trc_recording *
 * (trace/core/trc_folders.h).
 */
GPtrArray *trc_find(char *const *paths, struct base_progress *progress, GError **error);

/*
 * A fingerprint of the trace in FOLDERS, as 32 hex digits: of what
 * tells of its events, and of each file's name, size and times of change.  Cheap: reads no
 * events; waits up to 20 ms when a file changed just now, so that every later change makes another.  The
 * caller frees; NULL with an error when a folder cannot be read.
 */
char *trc_fingerprint(char *const *folders, GError **error);

/* Does whoever reads the trace in FOLDERS tell who runs as the events of a CPU begin (MDL_EV_FIRST)? */
bool trc_tells_first(char *const *folders);

/* The text of /proc/kallsyms that the trace in FOLDERS holds, *LENGTH bytes and a NUL; hostile.  The caller
 * frees; NULL: it holds none. */
char *trc_kallsyms(char *const *folders, gsize *length);

/* What the trace in FOLDERS says of virtual machines: for the caller to unref its CPUS. */
struct trc_guests trc_guests(char *const *folders);

/*
 * Open the trace in FOLDERS (as trc_folders.h says) with the reader called READER ("ctf",
 * "babeltrace2"); NULL: each stream with the first that understands it.  A trace of which only
 * parts can be read opens, with warnings; NULL with BASE_ERROR_DATA or _IO when
 * nothing can be read, with BASE_ERROR_USAGE when there is no such reader.
 */
struct trc_reader *trc_reader_open(char *const *folders, const char *reader, GError **error);
void trc_reader_free(struct trc_reader *r);

/* What is known so far.  Owned by the reader. */
const struct trc_info *trc_reader_info(const struct trc_reader *r);

/*
 * The next up to MAX events the model uses, in time order, into EVENTS; of the
 * others every one whose rank is 1 modulo TRC_EVENT_STEP (kind MDL_EV_NONE), so
 * that a table of ranks and times can be made.
 * Returns how many; 0 at the end of the trace; -1 with an error.
 * Damage inside a stream ends that stream with a warning, not the trace.
 * Texts stay valid until the next call.
 */
int trc_reader_read(struct trc_reader *r, struct mdl_event *events, int max, GError **error);

/* ---- in this thread alone, a trace that is still written among them ---- */

/*
 * The same by the first reader of its kind, which must understand all streams and makes no threads: for a
 * process that makes copies of itself.  GROWS: the trace may grow, and what is still to be written at its end
 * is no damage; trc_reader_read() returns 0 where it must grow first: an event is only given out when no
 * stream can still bring an earlier one.  BASE_ERROR_NO_ANSWER: such a trace is not read while it grows.
 */
struct trc_reader *trc_reader_open_alone(char *const *folders, bool grows, GError **error);
/* Look at the trace again, which is in FOLDERS now.  After TRC_GROWTH_OTHER nothing but trc_reader_free() can
 * be called: open it again. */
enum trc_growth trc_reader_grow(struct trc_reader *r, char *const *folders);
/* What there is of a trace that may grow is all: read on to its end, and nothing is waited for. */
void trc_reader_settle(struct trc_reader *r);
/*
 * Take the trace to end with the last event that was given out: as trc_reader_read(), the ends of gaps.
 * Nothing is read after that; what was lost so far is said in its info.
 */
int trc_reader_cut(struct trc_reader *r, struct mdl_event *events, int max);
/* The stream that all others wait for, NULL: none; owned by R. */
const char *trc_reader_waits_for(const struct trc_reader *r);
/*
 * As trc_reader_take_packets(), but only packets of which all events were given out, or, PARTS, also those of
 * which some were, with these.
 */
void trc_reader_take_given(struct trc_reader *r, bool parts, GArray *packets);

/* How many CPUs the streams begin on, as far as is known before the first event is read. */
unsigned trc_reader_cpu_count(const struct trc_reader *r);

/* The streams, in the order in which events of one time come: stream 0 first. */
unsigned trc_reader_stream_count(const struct trc_reader *r);
struct trc_stream trc_reader_stream(const struct trc_reader *r, unsigned stream);

/* Append the packets that were read to their end since the last call to PACKETS (of struct trc_packet_seen),
 * each stream's in order. */
void trc_reader_take_packets(struct trc_reader *r, GArray *packets);

#endif
