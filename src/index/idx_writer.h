/* SPDX-License-Identifier: MIT */
/* Building an index: rows in any order, each row's records in time order. */
#ifndef IDX_WRITER_H
#define IDX_WRITER_H

#include "base/base_strings.h"
#include "index/idx_types.h"
#include "model/mdl_fact.h"

#include <stdbool.h>

struct idx_writer;

/* The tables that are known when the trace has been read. */
struct idx_tables {
	const struct idx_meta *meta;
	const struct mdl_context *contexts;
	uint32_t n_contexts;
	const struct base_strings *strings;
	const struct mdl_device *devices; /* block devices with names, by rising number */
	uint32_t n_devices;
	const struct idx_stream *streams; /* in the order of their numbers; their packets and events are
					     counted here, not there */
	uint32_t n_streams;
};

/* Begin the index that will become PATH (idx_out_new()). */
struct idx_writer *idx_writer_new(const char *path, GError **error);

/* Records and names of ROW, each in time order; intervals follow each other without hole. */
void idx_writer_interval(struct idx_writer *w, uint32_t row, const struct mdl_interval *interval);
void idx_writer_wakeup(struct idx_writer *w, uint32_t row, const struct mdl_wakeup *wakeup);
void idx_writer_name(struct idx_writer *w, uint32_t row, int64_t time, uint32_t name);
/* Thread ROW has PRIORITY (mdl_types.h) from TIME on; of all rows in order of time. */
void idx_writer_priority(struct idx_writer *w, uint32_t row, int64_t time, int16_t priority);
/* ROW was FACTS, and no more of it will come: its memory goes.  Once for each row from 0 on, in any order. */
void idx_writer_over(struct idx_writer *w, uint32_t row, const struct mdl_row *facts);
/* The next cause: they are numbered 1, 2, …; comes before the wake-up that names it. */
void idx_writer_cause(struct idx_writer *w, const struct mdl_cause *cause);
/* The next packet of the net that was sent or received, in order of time. */
void idx_writer_transfer(struct idx_writer *w, const struct mdl_transfer *transfer);
/* The time of the next IDX_EVENT_STEP-th event: of event 1, 65, 129, …. */
void idx_writer_event_time(struct idx_writer *w, int64_t time);

/* A packet of STREAM, in their order; BEFORE does not matter. */
void idx_writer_packet(struct idx_writer *w, uint32_t stream, const struct idx_packet *packet);

/* The first failure to write (a full disk), or NULL: no need to go on.  Owned by W. */
const GError *idx_writer_error(const struct idx_writer *w);

/*
 * An index that still grows is shown by a copy of the process (fork()): idx_writer_flush() before it, and
 * idx_writer_branch() in the copy, which then does all that ends an index.  It becomes PATH, which is opened
 * like any other, as long as the file of this one is there.  False with BASE_ERROR_IO.
 */
void idx_writer_flush(struct idx_writer *w);
bool idx_writer_branch(struct idx_writer *w, const char *path, GError **error);
/* The index will become PATH, in the same folder. */
void idx_writer_rename(struct idx_writer *w, const char *path);

/* When all rows are over: write the tables and put the index into place.  False with BASE_ERROR_IO; nothing
 * is left then. */
bool idx_writer_finish(struct idx_writer *w, const struct idx_tables *tables, GError **error);

/* Ends; without idx_writer_finish() nothing is left of it. */
void idx_writer_free(struct idx_writer *w);

#endif
