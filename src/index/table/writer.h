/* SPDX-License-Identifier: MIT */
/* Build an index: rows in any order, the records of each row in time order. */
#ifndef IDX_WRITER_H
#define IDX_WRITER_H

#include "base/base_text.h"
#include "index/file/types.h"
#include "model/event/fact.h"

#include <stdbool.h>

struct idx_writer;

/* The tables that are complete once the trace has been read. */
struct idx_tables {
	const struct idx_meta *meta;
	const struct mdl_context *contexts;
	uint32_t n_contexts;
	const struct base_strings *strings;
	const struct mdl_device *devices; /* named block devices, by rising number */
	uint32_t n_devices;
	/* In the order of their numbers.  The writer counts packets and events; the counts here are
	 * ignored. */
	const struct idx_stream *streams;
	uint32_t n_streams;
};

/* Begin the index that will become PATH.  See idx_out_new(). */
struct idx_writer *idx_writer_new(const char *path, GError **error);

/* Add records and names of ROW, each in time order.  Intervals follow each other without a gap. */
void idx_writer_interval(struct idx_writer *w, uint32_t row, const struct mdl_interval *interval);
void idx_writer_wakeup(struct idx_writer *w, uint32_t row, const struct mdl_wakeup *wakeup);
void idx_writer_name(struct idx_writer *w, uint32_t row, int64_t time, uint32_t name);
/* Thread ROW has PRIORITY (model/event/types.h) from TIME. The TIMEs of all rows together must ascend. */
void idx_writer_priority(struct idx_writer *w, uint32_t row, int64_t time, int16_t priority);
/* Add a wait for an IPI; those of a row must not overlap, and come in order of time. */
void idx_writer_ipi_wait(struct idx_writer *w, const struct mdl_ipi_wait *wait);
/* Add what counters counted for ROW; these must not overlap, and come in order of time. */
void idx_writer_counted(struct idx_writer *w, uint32_t row, const struct mdl_counted *counted);
/* End ROW, which is FACTS, and free its memory: no record of it follows.  Call it once for each row from 0
 * on, in any order. */
void idx_writer_over(struct idx_writer *w, uint32_t row, const struct mdl_row *facts);
/* Add the next cause: numbers are 1, 2, ….  It must come before the wake-up that names it. */
void idx_writer_cause(struct idx_writer *w, const struct mdl_cause *cause);
/* Add the next network packet sent or received, in order of time. */
void idx_writer_transfer(struct idx_writer *w, const struct mdl_transfer *transfer);
/* Add the time of the next IDX_EVENT_STEP-th event: of event 1, 65, 129, …. */
void idx_writer_event_time(struct idx_writer *w, int64_t time);

/* Add the next packet of STREAM.  PACKET's BEFORE is ignored. */
void idx_writer_packet(struct idx_writer *w, uint32_t stream, const struct idx_packet *packet);

/* The first failed write (disk full), or NULL.  After it there is no need to go on.  Owned by W. */
const GError *idx_writer_error(const struct idx_writer *w);

/* To show an index that still grows, the process forks: call idx_writer_flush() before, and
 * idx_writer_branch() in the child, which then ends the index like any other.  It becomes PATH, and can be
 * opened while the file of the parent exists.  False with BASE_ERROR_IO. */
void idx_writer_flush(struct idx_writer *w);
bool idx_writer_branch(struct idx_writer *w, const char *path, GError **error);
/* The index will become PATH instead, in the same folder. */
void idx_writer_rename(struct idx_writer *w, const char *path);

/* After all rows have ended: write the tables and put the index in place.  False with BASE_ERROR_IO; then no
 * file is left. */
bool idx_writer_finish(struct idx_writer *w, const struct idx_tables *tables, GError **error);

/* Free W.  Without idx_writer_finish() no file is left. */
void idx_writer_free(struct idx_writer *w);

#endif
