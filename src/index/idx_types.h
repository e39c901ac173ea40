/* SPDX-License-Identifier: MIT */
/* What an index holds beside the history of its rows; docs/index-format.md describes the bytes. */
#ifndef IDX_TYPES_H
#define IDX_TYPES_H

#include "model/mdl_types.h"

#include <glib.h>

#define IDX_FORMAT_VERSION 57

/* One stretch of lost events (trc_gap, without including the reader). */
struct idx_gap {
	uint32_t cpu;
	int64_t from, to;
	uint64_t count;
};

/* A name a thread took at TIME. */
struct idx_name {
	uint32_t row;
	uint32_t name; /* string id */
	int64_t time;
};

/* A priority of a thread (mdl_types.h), from TIME on. */
struct idx_priority {
	int64_t time;
	int16_t priority;
};

/* A stream of the trace: one file with events of one CPU and channel. */
struct idx_stream {
	const char *name;   /* hostile; with packets: of its file, right in the trace's folder */
	const char *reader; /* who read it: "ctf", "babeltrace2" */
	uint64_t packets;   /* with events in them */
	uint64_t events;    /* in all of it */
};

/* A packet of a stream.  Packets without events are left out. */
struct idx_packet {
	/* bytes, in the stream's file; SIZE 0 (and OFFSET 0): its place is not known. */
	uint64_t offset, size;
	/* ns: of its first and last event, neither before an earlier event of the stream. */
	int64_t first, last;
	uint64_t before; /* events of the stream before it */
	uint64_t events; /* in it */
	uint32_t cpu;
};

/* A folder that a trace lies in. */
struct idx_chunk {
	char *path;       /* owned */
	int64_t from, to; /* ns: what its packets announce, BASE_TIME_NONE unknown */
};

/* Facts of the trace, kept with the index.  Strings are owned by the struct. */
struct idx_meta {
	char *fingerprint; /* trc_fingerprint() */
	char *path, *host, *uuid, *tracer, *release, *reader;
	char *domain;     /* what was traced: "kernel", "ust", "" unknown */
	char *clock_uuid; /* of the clock that times come from, "" unknown; LTTng: of the host's boot */
	uint64_t clock_frequency; /* Hz, 0 unknown … */
	int64_t clock_zero;       /* … and ns from the Epoch to the clock's 0 */
	int64_t from, to;         /* ns: first and last event's time */
	uint64_t events, discarded, discarded_packets, stepped_back;
	uint64_t untold; /* 1: as mdl_machine_has_untold() */
	uint32_t n_cpus;
	uint64_t built_in_ns;
	GPtrArray *missing_events; /* of char * */
	/* Of char *: pairs, an event's usual name and the tracer's own where it differs. */
	GPtrArray *event_names;
	GPtrArray *warnings; /* of char * */
	GPtrArray *notes;    /* of char *: what is odd, and misleads nobody */
	GArray *gaps;        /* of struct idx_gap */
	/* Of struct idx_chunk, owned, in time order: one, or those of a recording in several. */
	GArray *chunks;
};

struct idx_meta *idx_meta_new(void);
void idx_meta_free(struct idx_meta *meta);

#endif
