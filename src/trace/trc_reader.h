/* SPDX-License-Identifier: MIT */
/*
 * Reading one CTF trace as a single sequence of model events in time order.
 *
 * A reader is one const struct trc_source_ops in its own file plus a line in
 * trc_reader.c.  Streams are merged by time here, for every reader.
 */
#ifndef TRC_READER_H
#define TRC_READER_H

#include "model/mdl_event.h"

#include <glib.h>

struct trc_reader;

/* One stretch in which events of a CPU are missing, as the tracer reported it. */
struct trc_gap {
	uint32_t cpu;
	int64_t from, to;	/* ns */
	uint64_t count;		/* events lost; 0 = unknown number (packets lost) */
};

/* A folder of a trace: as a rule there is one, a recording in chunks has several. */
struct trc_chunk {
	char *path;		/* canonical, owned */
	int64_t from, to;	/* ns: range that its packets announce, BASE_TIME_NONE unknown */
};

/* What is known of a trace.  Complete once the reader said its end; before that counts run. */
struct trc_info {
	char *path;		/* canonical folder that all of it is in */
	char *host;		/* env hostname, cleaned; "" when the trace does not say */
	char *uuid;		/* 36 characters, or "" */
	char *clock_name;	/* of the clock that times come from, "" none, or several; LTTng's own is "monotonic": CLOCK_MONOTONIC; cleaned */
	char *clock_uuid;	/* of the clock that times come from, 36 characters, or ""; LTTng: of the host's boot */
	uint64_t clock_frequency;	/* Hz, 0 unknown … */
	int64_t clock_zero;	/* … and ns from the Epoch to the clock's 0 */
	char *domain;		/* what was traced: "kernel", "ust", "" unknown; cleaned */
	char *tracer;		/* "lttng-modules 2.13.9", "perf 4.4", "" unknown; cleaned */
	char *release;		/* kernel release ("6.1.0-50-amd64"), "" unknown; cleaned */
	char *reader;		/* who reads it: "ctf", "babeltrace2", "ctf, 1 stream by babeltrace2" */
	int64_t begin, end;	/* ns: range the packets announce, BASE_TIME_NONE unknown; for progress */
	int64_t floor;		/* ns: events without a time, which would come before, are put here; BASE_TIME_NONE: there are none */
	int64_t first, last;	/* ns: times of the first and the last event read so far, BASE_TIME_NONE before the first */
	uint64_t events;	/* all events read, also those without use to the model */
	uint64_t discarded;	/* events the tracer says it lost */
	uint64_t discarded_packets;
	uint64_t stepped_back;	/* events whose clock stepped back and was clamped */
	uint32_t n_cpus;	/* highest CPU seen + 1 */
	GHashTable *classes;	/* set of event class names (char *) the metadata declares; owned */
	GPtrArray *warnings;	/* of char *, each one line for people: what, where, count; owned */
	GArray *chunks;		/* of struct trc_chunk in time order, owned */
	GArray *gaps;		/* of struct trc_gap in time order per CPU, at most TRC_GAPS_KEPT */
};

/* A stream of a trace. */
struct trc_stream {
	const char *name;	/* of its file, within the folder that all of the trace is in; hostile */
	const char *reader;	/* who reads it: "ctf", "babeltrace2" */
};

/*
 * A packet with events in it, after it was read.  Times are those that the
 * reader gives its events: never before an earlier event of the stream.
 */
struct trc_packet_seen {
	unsigned stream;	/* trc_reader_stream() */
	uint64_t number;	/* in its stream from 0 on, packets without events counted */
	uint64_t offset, size;	/* bytes, in the stream's file; SIZE 0: not known */
	int64_t first, last;	/* ns: of its first and last event */
	uint64_t events;	/* in it, not 0 */
	uint32_t cpu;		/* MDL_NONE: its events tell, each its own */
};

#define TRC_GAPS_KEPT 10000
#define TRC_EVENT_STEP 64	/* see trc_reader_read() */

/*
 * All CTF traces at or below PATHS (NULL-terminated): folders with a file "metadata", those that are chunks of one
 * recording together; in the order of PATHS, those below one of them sorted.  Symbolic links below a path are not
 * followed.  BASE_ERROR_DATA when there is none below one of PATHS, BASE_ERROR_IO when that cannot be read.  The caller unrefs the
 * array of struct trc_recording * (trace/trc_chunks.h).
 */
GPtrArray *trc_find(char *const *paths, GError **error);

/*
 * A fingerprint of the trace in FOLDERS, as 32 hex digits: of the metadata's
 * bytes and of each stream file's name, size and times of change.  Cheap: reads no
 * events; waits up to 20 ms when a file changed just now, so that every later change makes another.  The caller frees; NULL with an error
 * when a folder cannot be read.
 */
char *trc_fingerprint(char *const *folders, GError **error);

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

/* How many CPUs the streams begin on, as far as is known before the first event is read. */
unsigned trc_reader_cpu_count(const struct trc_reader *r);

/* The streams, in the order in which events of one time come: stream 0 first. */
unsigned trc_reader_stream_count(const struct trc_reader *r);
struct trc_stream trc_reader_stream(const struct trc_reader *r, unsigned stream);

/* Append the packets that were read to their end since the last call to PACKETS (of struct trc_packet_seen), each stream's in order. */
void trc_reader_take_packets(struct trc_reader *r, GArray *packets);

#endif
