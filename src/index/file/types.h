/* SPDX-License-Identifier: MIT */
/* The facts and tables of an index besides the history of its rows. docs/index-format.md describes the
 * bytes. */
#ifndef IDX_TYPES_H
#define IDX_TYPES_H

#include "model/event/types.h"

#include <glib.h>

#define IDX_FORMAT_VERSION 67

/* Consecutive lost events.  Equal to struct trc_gap, so that this header need not include the trace
 * reader. */
struct idx_gap {
	uint32_t cpu;
	int64_t from, to;
	uint64_t count;
};

/* A name that a thread takes at TIME. */
struct idx_name {
	uint32_t row;
	uint32_t name; /* string id */
	int64_t time;
};

/* A priority (model/event/types.h) that a thread has from TIME on. */
struct idx_priority {
	int64_t time;
	int16_t priority;
};

/* A stream of the trace: one file with events of one CPU and channel. */
struct idx_stream {
	/* Untrusted text.  With packets: name of the stream's file, directly in the trace's folder. */
	const char *name;
	const char *reader; /* the reader that read it: "ctf", "babeltrace2" */
	uint64_t packets;   /* packets that have events */
	uint64_t events;    /* in the whole stream */
};

#define IDX_CPU_NONE (MDL_NONE - 1) /* of a packet: its events are of no CPU */

/* A packet of a stream.  Packets without events are left out. */
struct idx_packet {
	/* Bytes, in the stream's file.  Both 0: its place is unknown. */
	uint64_t offset, size;
	/* Times of the first and the last event, ns; not before earlier events of the stream. */
	int64_t first, last;
	uint64_t before; /* events of the stream before it */
	uint64_t events; /* events in it */
	uint32_t cpu;    /* MDL_NONE: each event has its own; IDX_CPU_NONE: its events have none */
};

/* Bytes of a file. */
struct idx_piece {
	uint64_t offset, size;
};

/* A folder that holds (a part of) a trace. */
struct idx_chunk {
	char *path;       /* owned */
	int64_t from, to; /* ns, as its packets announce; BASE_TIME_NONE unknown */
};

/* Facts of the trace, stored in the index.  The struct owns its strings. */
struct idx_meta {
	char *fingerprint; /* trc_fingerprint() */
	char *path, *host, *uuid, *tracer, *release, *format, *reader;
	char *domain; /* what was traced: "kernel", "ust", "programs" (of Perfetto), "": unknown */
	/* UUID of the trace's clock, "" unknown.  LTTng: one per boot of the host. */
	char *clock_uuid;
	uint64_t clock_frequency; /* Hz; 0: it and CLOCK_ZERO are unknown */
	int64_t clock_zero;       /* ns from the Epoch to the clock's 0 */
	int64_t from, to;         /* times of the first and the last event, ns */
	uint64_t events, discarded, discarded_packets, stepped_back;
	uint64_t recorded; /* 1 << enum mdl_group: these events are recorded, at least partly */
	uint32_t n_cpus;
	uint64_t built_in_ns;
	/* ns; of a window of another recording: from this time on it has all events; else INT64_MIN */
	int64_t cut_whole;
	GPtrArray *missing_events; /* of char * */
	GPtrArray *counters; /* of char *: names of the counters read with events; at most MDL_COUNTERS */
	/* Of char *: pairs of an event's usual name and the tracer's own name, if they differ. */
	GPtrArray *event_names;
	GPtrArray *warnings; /* of char * */
	GPtrArray *notes;    /* of char *: unusual facts that make no answer wrong */
	GArray *gaps;        /* of struct idx_gap */
	/* Of struct idx_piece, ascending, in the file that has all streams: the pieces that a cut of any
	 * window needs, besides its events; empty: unknown. */
	GArray *common;
	GArray *hides; /* of struct mdl_hides, in order of time: the doubts that can hold */
	/* Of struct idx_chunk, owned, in time order.  More than one if the recording consists of several
	 * folders. */
	GArray *chunks;
};

struct idx_meta *idx_meta_new(void);
void idx_meta_free(struct idx_meta *meta);
/* False if the trace has nothing of a kernel: it is of user space, or of something else than Linux. */
static inline bool idx_meta_is_kernel(const struct idx_meta *meta)
{
	return g_str_equal(meta->domain, "kernel") ||
		(!g_str_equal(meta->domain, "ust") && meta->event_names->len > 0);
}

#endif
