/* SPDX-License-Identifier: MIT */
/*
 * An open index: its tables, and the history of its rows.
 *
 * A block that turns out to be damaged after opening does not stop the reader: it leaves out what it cannot
 * read and notes that in idx_reader_damage().  Check that before you show an answer.  One thread at a time
 * uses a reader.
 */
#ifndef IDX_READER_H
#define IDX_READER_H

#include "index/file/types.h"
#include "model/event/fact.h"

#include <stdbool.h>

struct idx_reader;

/* ---- life ---- */

/* Open the index PATH.  FINGERPRINT is the trace's current one (NULL: any).  Errors: see idx_map_open(). */
struct idx_reader *idx_reader_open(const char *path, const char *fingerprint, GError **error);
/* Open the index of R for another thread.  Both share tables and map.  Safe while another thread uses R. */
struct idx_reader *idx_reader_again(const struct idx_reader *r);
void idx_reader_free(struct idx_reader *r);
/* Read only the facts of the trace and the size (bytes) of the index PATH, not its tables.  Errors: see
 * idx_map_open().  The caller frees. */
struct idx_meta *idx_reader_facts(const char *path, uint64_t *bytes, GError **error);
/* The first damage met so far, or NULL.  Owned by R. */
const GError *idx_reader_damage(const struct idx_reader *r);
/* If damage was met in the index, remove it, so that it is built again. */
void idx_reader_remove_damaged(const struct idx_reader *r);

/* ---- tables; all owned by R ---- */

const struct idx_meta *idx_reader_meta(const struct idx_reader *r);
const char *idx_reader_path(const struct idx_reader *r);
uint64_t idx_reader_bytes(const struct idx_reader *r);
/* See idx_map_checksum(). */
uint64_t idx_reader_checksum(const struct idx_reader *r);
/* See idx_map_grows(). */
bool idx_reader_grows(const struct idx_reader *r);
uint32_t idx_reader_row_count(const struct idx_reader *r);
struct mdl_row idx_reader_row(const struct idx_reader *r, uint32_t row);
const struct mdl_context *idx_reader_context(const struct idx_reader *r, uint32_t context);
uint32_t idx_reader_context_count(const struct idx_reader *r);
/* Returns "" for a number that no string has. */
const char *idx_reader_string(const struct idx_reader *r, uint32_t string);
uint32_t idx_reader_string_count(const struct idx_reader *r);
/* The names of thread ROW in time order: how many, and number INDEX (0, 1, …). */
uint32_t idx_reader_name_count(const struct idx_reader *r, uint32_t row);
struct idx_name idx_reader_name(const struct idx_reader *r, uint32_t row, uint32_t index);

/* ---- state history ---- */

/* Sums of a row's intervals before an instant. */
struct idx_sums {
	uint64_t ns[16];    /* time per state */
	uint64_t intervals; /* how many intervals begin before the instant */
	bool cut;           /* the last of these continues after the instant */
};

/* Set SUMS[i] to the sums of ROW before TIMES[i], for N instants in ascending order. */
void idx_reader_sums(struct idx_reader *r, uint32_t row, const int64_t *times, uint32_t n,
	struct idx_sums *sums);

/* A cursor in the intervals of a row. */
struct idx_intervals;
struct idx_intervals *idx_intervals_new(struct idx_reader *r);
/* Like idx_intervals_new(), but leaves aux unset. */
struct idx_intervals *idx_intervals_new_states(struct idx_reader *r);
void idx_intervals_free(struct idx_intervals *c);
/* Go to the interval of ROW that holds TIME, or to the first or last if TIME lies outside.  False if the row
 * has none. */
bool idx_intervals_seek(struct idx_intervals *c, uint32_t row, int64_t time);
/* Read the interval at the cursor and step over it.  False at the end or if it is damaged. */
bool idx_intervals_next(struct idx_intervals *c, struct mdl_interval *interval);
/* Read the interval of ROW that holds TIME, an instant of the row's life.  False if it is damaged. */
bool idx_intervals_at(struct idx_intervals *c, uint32_t row, int64_t time, struct mdl_interval *interval);
/* The N intervals at the cursor that lie together in memory, at most IDX_LEAF_INTERVALS; valid until the next
 * call.  Steps over them.  NULL at the end or if they are damaged. */
const struct mdl_interval *idx_intervals_some(struct idx_intervals *c, unsigned *n);

/* ---- wake-ups ---- */

uint64_t idx_reader_wakeup_count(const struct idx_reader *r, uint32_t row);
struct idx_wakeups;
struct idx_wakeups *idx_wakeups_new(struct idx_reader *r);
/* Like idx_wakeups_new(), but sets only via, time, since, ran_at, event_time, cpu and event_cpu of each
 * wake-up. */
struct idx_wakeups *idx_wakeups_new_times(struct idx_reader *r);
void idx_wakeups_free(struct idx_wakeups *c);
/* Go to the first wake-up of ROW at or after TIME.  Returns its number (0 …), or the count if there is
 * none. */
uint64_t idx_wakeups_seek(struct idx_wakeups *c, uint32_t row, int64_t time);
/* Read wake-up number INDEX of ROW.  False beyond the end or if it is damaged. */
bool idx_wakeups_get(struct idx_wakeups *c, uint32_t row, uint64_t index, struct mdl_wakeup *wakeup);
/* The N wake-ups from number INDEX on that lie together in memory, at most IDX_LEAF_WAKEUPS; valid until the
 * next call.  NULL beyond the end or if they are damaged. */
const struct mdl_wakeup *idx_wakeups_some(struct idx_wakeups *c, uint32_t row, uint64_t index, unsigned *n);
/* Empty wake-ups, which end a wait in the nanosecond in which it began (mdl_wakeup_is_empty()).  Leaves
 * without one are not read.  The first function returns how many of ROW come before TIME.  The second reads
 * the time of number NTH (0 …); false beyond the last or if it is damaged. */
uint64_t idx_wakeups_seek_empty(struct idx_wakeups *c, uint32_t row, int64_t time);
bool idx_wakeups_empty(struct idx_wakeups *c, uint32_t row, uint64_t nth, int64_t *time);

/* ---- causes of wake-ups ---- */

/* Read cause NUMBER (1, 2, …).  False if there is no such cause or it is damaged. */
bool idx_reader_cause(struct idx_reader *r, uint32_t number, struct mdl_cause *cause);
/* The priorities of thread ROW in time order: their count, maybe 0, and number INDEX (0, 1, …). */
uint32_t idx_reader_priority_count(const struct idx_reader *r, uint32_t row);
struct idx_priority idx_reader_priority(const struct idx_reader *r, uint32_t row, uint32_t index);
/* The waits for IPIs of thread ROW in time order: their count, maybe 0, and number INDEX (0, 1, …). */
uint32_t idx_reader_ipi_wait_count(const struct idx_reader *r, uint32_t row);
struct mdl_ipi_wait idx_reader_ipi_wait(const struct idx_reader *r, uint32_t row, uint32_t index);
/* The name (string id) of block device DEV.  False if the trace does not have it. */
bool idx_reader_device(const struct idx_reader *r, uint32_t dev, uint32_t *name);

/* ---- what counters counted for threads ---- */

/* Sums of records: their time (ns), and what each counter counted. */
struct idx_counts {
	uint64_t time, value[MDL_COUNTERS];
};

/* True if ROW has any. */
bool idx_reader_has_counts(const struct idx_reader *r, uint32_t row);
/* Set *SUMS to the sums of the records of ROW that lie entirely within [FROM, TO). */
void idx_reader_counts(struct idx_reader *r, uint32_t row, int64_t from, int64_t to, struct idx_counts *sums);
/* A cursor in the records of a row. */
struct idx_counted;
struct idx_counted *idx_counted_new(struct idx_reader *r);
void idx_counted_free(struct idx_counted *c);
/* Go to the first record of ROW that ends after TIME. */
void idx_counted_seek(struct idx_counted *c, uint32_t row, int64_t time);
/* Read the record at the cursor and step over it.  False at the end or if it is damaged. */
bool idx_counted_next(struct idx_counted *c, struct mdl_counted *counted);

/* ---- transfers: network packets, sent or received ---- */

uint64_t idx_reader_transfer_count(const struct idx_reader *r);
/* A cursor over the transfers, initially at the end. */
struct idx_transfers;
struct idx_transfers *idx_transfers_new(struct idx_reader *r);
void idx_transfers_free(struct idx_transfers *c);
/* Go to the first transfer at or after TIME; to number NUMBER (0, 1, …). */
void idx_transfers_seek(struct idx_transfers *c, int64_t time);
void idx_transfers_seek_number(struct idx_transfers *c, uint64_t number);
/* The number of the transfer at the cursor. */
uint64_t idx_transfers_number(const struct idx_transfers *c);
/* Read the transfer at the cursor and step over it.  False at the end or if it is damaged. */
bool idx_transfers_next(struct idx_transfers *c, struct mdl_transfer *transfer);

/* ---- events ---- */

/* The time of the last event up to number RANK whose time is stored.  False if RANK is 0 or too large. */
bool idx_reader_event_time(struct idx_reader *r, uint64_t rank, int64_t *time);

/* ---- streams and packets: where the events are in the trace ---- */

/* Stream 0 …, in the order in which simultaneous events are sorted. */
uint32_t idx_reader_stream_count(const struct idx_reader *r);
const struct idx_stream *idx_reader_stream(const struct idx_reader *r, uint32_t stream);
/* Read packet number INDEX (0 …) of STREAM.  False beyond the end or if it is damaged. */
bool idx_reader_packet(struct idx_reader *r, uint32_t stream, uint64_t index, struct idx_packet *packet);
/* Returns the number of the first packet of STREAM with an event at or after TIME, or the count of packets if
 * there is none. */
uint64_t idx_reader_packet_at(struct idx_reader *r, uint32_t stream, int64_t time);

#endif
