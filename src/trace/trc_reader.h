/* SPDX-License-Identifier: MIT */
/*
 * Reads one trace as a single sequence of model events in time order.
 *
 * A reader is one const struct trc_source_ops in its own file plus a line in trc_inputs.c; a format is a
 * struct trc_input_ops.  This part merges the streams by time, for every reader.
 */
#ifndef TRC_READER_H
#define TRC_READER_H

#include "base/base_progress.h"
#include "model/event/event.h"
#include "trace/core/trc_cut.h"
#include "trace/core/trc_folders.h"
#include "trace/core/trc_queue.h"

#include <glib.h>

struct trc_reader;

/* A stream of a trace. */
struct trc_stream {
	const char *name;   /* name of its file within the folder of the whole trace; hostile */
	const char *reader; /* its reader: "ctf", "babeltrace2" */
};

#define TRC_EVENT_STEP 64 /* see trc_reader_read() */

/*
 * Find all traces at or below PATHS (NULL-terminated) of the formats in trc_inputs.c. The chunks of one
 * recording are one result; a file of several machines is one result for each machine (trc_input_ops.parts).
 * The order is by format, then as in PATHS; traces below one path are sorted. Symbolic links below a path are
 * not followed. PROGRESS (may be NULL) gets the number of folders searched, and can cancel the search.
 * Returns an array of struct trc_recording * (trace/core/trc_folders.h); the caller unrefs. NULL with
 * BASE_ERROR_DATA if there is no trace below one of PATHS, or there are too many files and folders; with
 * BASE_ERROR_IO if a folder cannot be read; or with BASE_ERROR_CANCELLED.
 */
GPtrArray *trc_find(char *const *paths, struct base_progress *progress, GError **error);
/* True if PATH itself is a trace, and not only what is below it. */
bool trc_find_is(const char *path);

/* Return RECORDING, of trc_find(), as a text for another process.  The caller frees. */
char *trc_recording_tell(const struct trc_recording *recording);
/* Return the recording that TEXT describes.  The caller calls trc_folders_recording_free().  NULL if it
 * describes none. */
struct trc_recording *trc_recording_told(const char *text);

/*
 * Return a fingerprint of RECORDING, 32 hex digits: of its description of events, and of each file's name,
 * size and times of change.  Cheap: reads no events.  Waits up to 20 ms if a file changed just now, so that
 * each later change makes another fingerprint.  The caller frees.  NULL with an error if a folder cannot be
 * read.
 */
char *trc_fingerprint(const struct trc_recording *recording, GError **error);

/* True if the readers of RECORDING emit MDL_EV_FIRST: the thread that runs on a CPU when its events begin. */
bool trc_tells_first(const struct trc_recording *recording);

/* True if the events of a trace that READER ("ftrace", as in struct trc_info) reads have flags with their
 * context. */
bool trc_tells_contexts(const char *reader);
/* True if READER orders events of one time by their places in the file, not by their streams. */
bool trc_orders_by_place(const char *reader);

/* Return the text of /proc/kallsyms that RECORDING contains, *LENGTH bytes and a NUL; hostile.  The caller
 * frees. NULL if it contains none, or, with an error, if it cannot be read. */
char *trc_kallsyms(const struct trc_recording *recording, gsize *length, GError **error);

/* Set *GUESTS to the facts of RECORDING about virtual machines.  The caller unrefs its CPUS.  False with an
 * error, and no CPUS, if it cannot be read. */
bool trc_guests(const struct trc_recording *recording, struct trc_guests *guests, GError **error);

/* True if recordings in the format of RECORDING can be written; false with BASE_ERROR_USAGE. */
bool trc_recording_may_cut(const struct trc_recording *recording, GError **error);
/* Write the part of RECORDING that CUT describes as a recording of its own. False if trc_recording_may_cut()
 * is, with BASE_ERROR_IO, or with an error of the trace. */
bool trc_recording_cut(const struct trc_recording *recording, struct trc_cut *cut, GError **error);

/*
 * Open RECORDING with the reader READER ("ctf", "babeltrace2"); NULL: each stream with the first reader that
 * understands it.  A trace that can be read only in part opens with warnings.  NULL with BASE_ERROR_DATA or
 * BASE_ERROR_IO if nothing can be read, with BASE_ERROR_USAGE if there is no reader of that name.
 */
struct trc_reader *trc_reader_open(const struct trc_recording *recording, const char *reader, GError **error);
void trc_reader_free(struct trc_reader *r);

/* Return the facts known so far.  The reader owns them. */
const struct trc_info *trc_reader_info(const struct trc_reader *r);

/*
 * Put up to MAX of the next events, in time order, into EVENTS: all that the model uses, and of the others
 * each whose rank is 1 modulo TRC_EVENT_STEP (kind MDL_EV_NONE), for a table of ranks and times.  Returns
 * their number; 0 at the end of the trace; -1 with an error.  Damage inside a stream ends that stream with a
 * warning, not the trace.  Texts are valid until the next call.
 */
int trc_reader_read(struct trc_reader *r, struct mdl_event *events, int max, GError **error);

/* ---- reading without further threads, also a trace that is still written ---- */

/*
 * Like trc_reader_open() with the first reader of the format, which must understand all streams and starts no
 * threads: for a process that forks. GROWS: the trace may grow. An incomplete end is then no damage, and
 * trc_reader_read() returns 0 if the trace must grow first: it delivers an event only if no stream can still
 * have an earlier one, and does not read traces of user programs beside the trace. NULL with
 * BASE_ERROR_NO_ANSWER if traces of this format are not read while they grow.
 */
struct trc_reader *trc_reader_open_alone(const struct trc_recording *recording, bool grows, GError **error);
/* Look at the trace again, which is in FOLDERS now. After TRC_GROWTH_OTHER only trc_reader_free() may be
 * called, and the caller opens the trace again. TRC_GROWTH_UNSEEN with an error. */
enum trc_growth trc_reader_grow(struct trc_reader *r, char *const *folders, GError **error);
/* Take a trace that may grow as complete: read on to its end without waiting for more.  False with an error
 * if it cannot be read to its end. */
bool trc_reader_settle(struct trc_reader *r, GError **error);
/*
 * End the trace with the last event that was delivered. Puts up to MAX ends of gaps into EVENTS and returns
 * their number, as trc_reader_read() does. Nothing can be read afterwards; the info has the losses so far.
 */
int trc_reader_cut(struct trc_reader *r, struct mdl_event *events, int max);
/* Return the stream that all others wait for; NULL if there is none.  R owns it. */
const char *trc_reader_waits_for(const struct trc_reader *r);
/* Like trc_reader_take_packets(), but only packets whose events were all delivered. PARTS: also packets whose
 * events were partly delivered, with the number of delivered events. */
void trc_reader_take_given(struct trc_reader *r, bool parts, GArray *packets);

/* Return the number of CPUs on which streams begin, as far as known before the first event is read. */
unsigned trc_reader_cpu_count(const struct trc_reader *r);
/* Return these CPUs, a set of GUINT_TO_POINTER() that the caller unrefs. NULL if other CPUs may have events:
 * some stream does not give its CPU, or the tracer does not write a stream for each CPU, as LTTng does. */
GHashTable *trc_reader_cpus(const struct trc_reader *r);

/* The streams.  Stream 0 comes first among events of the same time. */
unsigned trc_reader_stream_count(const struct trc_reader *r);
struct trc_stream trc_reader_stream(const struct trc_reader *r, unsigned stream);

/* Append the packets that were read completely since the last call to PACKETS (of struct trc_packet_seen), in
 * order within each stream. */
void trc_reader_take_packets(struct trc_reader *r, GArray *packets);

/* ---- reading ahead: a thread reads and merges while the caller works on earlier events ---- */

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

/* ---- the merge, for trc_reader.c: puts streams, each in time order, into one sequence in time order ---- */

struct trc_merge;

/* Merge QUEUES (of struct trc_queue *).  The caller keeps QUEUES and INFO alive. */
struct trc_merge *trc_merge_new(GPtrArray *queues, struct trc_info *info, trc_fill_func fill, void *data);
void trc_merge_free(struct trc_merge *m);

/* Get up to MAX of the next events that the model uses, as trc_reader_read() does.  Returns their number: 0
 * at the end, or if the trace must grow first.  Counts events and clock steps in INFO. */
int trc_merge_read(struct trc_merge *m, struct mdl_event *events, int max);

/* The trace grew: ask waiting queues again. */
void trc_merge_more(struct trc_merge *m);
/* Treat the trace as ending with the last event that was delivered: put the gap marks that come next in each
 * stream (up to MAX in all) into EVENTS, with the time of that event. They make the states that are unknown
 * at the end unknown in the model. Returns their number. Nothing can be read afterwards. */
int trc_merge_cut(struct trc_merge *m, struct mdl_event *events, int max);
/* Return the queue that all others wait for; NULL if there is none. */
const struct trc_queue *trc_merge_waits_for(const struct trc_merge *m);

#endif
