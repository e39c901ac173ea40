/* SPDX-License-Identifier: MIT */
/* What an index holds beside the history of its rows; docs/index-format.md describes the bytes. */
#ifndef IDX_TYPES_H
#define IDX_TYPES_H

#include "model/mdl_types.h"

#include <glib.h>

#define IDX_FORMAT_VERSION 1

/* One stretch of lost events (trc_gap, without including the reader). */
struct idx_gap {
	uint32_t cpu;
	int64_t from, to;
	uint64_t count;
};

/* A name a thread took at TIME. */
struct idx_name {
	uint32_t row;
	uint32_t name;		/* string id */
	int64_t time;
};

/* Facts of the trace, kept with the index.  Strings are owned by the struct. */
struct idx_meta {
	char *fingerprint;	/* trc_fingerprint() */
	char *path, *host, *uuid, *tracer, *release, *reader;
	int64_t from, to;	/* ns: first and last event's time */
	uint64_t events, discarded, discarded_packets, stepped_back;
	uint32_t n_cpus;
	uint64_t built_in_ns;
	GPtrArray *missing_events; /* of char * */
	GPtrArray *warnings;	/* of char * */
	GArray *gaps;		/* of struct idx_gap */
};

struct idx_meta *idx_meta_new(void);
void idx_meta_free(struct idx_meta *meta);

#endif
