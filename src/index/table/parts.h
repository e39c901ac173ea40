/* SPDX-License-Identifier: MIT */
/* An index that is being written or is open, and its chunks.  Private to src/index. */
#ifndef IDX_TABLE_PARTS_H
#define IDX_TABLE_PARTS_H

#include "index/table/reader.h"
#include "index/table/writer.h"
#include "index/tree/leaf.h"

/* ---- an index that is being written ---- */

struct idx_writer {
	struct idx_out *out;
	/* By row: struct row_writers *.  NULL before the first record of the row, and after its end. */
	GPtrArray *rows;
	uint32_t n_over;
	/* chunks ROWS and NAME, in the order in which rows end */
	struct idx_spill *row_records, *name_records;
	struct idx_spill *priority_records; /* chunk PRIO, in order of time */
	struct idx_spill *ipi_wait_records; /* chunk IPIW; those of a row in order of time */
	struct idx_spill *counts_records;   /* chunk CNTD, in the order in which rows end */
	struct idx_cause_writer *causes;
	struct idx_transfer_writer *transfers;
	GPtrArray *streams; /* of struct idx_packets_writer * */
	struct idx_tree *times;
	GByteArray *time_leaf;
	unsigned n_times;
	int64_t first_time, last_time;
	struct idx_chunks chunks;
};

/* ---- an open index: its tables, decoded ---- */

struct idx_load_row {
	struct mdl_row row;
	struct idx_ref intervals, wakeups;
	uint32_t n_names;
};

struct idx_load_stream {
	struct idx_stream stream; /* texts in the chunk */
	struct idx_ref packets;
};

/*
 * The part of an open index that all its readers share. There may be very many rows, so strings and the
 * records, names and priorities of rows remain in the chunks (idx_map_chunk()), checked at opening. Only
 * their places are stored beside them.
 */
struct idx_shared {
	gint users; /* atomic */
	struct idx_meta *meta;
	const uint8_t *string_ends, *texts; /* in the chunk: where each text begins, from the number of texts
					       on, and the texts */
	struct mdl_context *contexts;
	const uint8_t *rows, *names, *priorities, *ipi_waits, *counts; /* records in the chunks */
	uint32_t *record;                                              /* of each row, in ROWS */
	uint32_t *first_name;                                          /* of each row, in NAME */
	uint32_t *priority;       /* records in PRIO, row by row, those of a row in order of time */
	uint32_t *first_priority; /* place of each row in these; the last entry is their number */
	uint32_t *ipi_wait, *first_ipi_wait; /* likewise, in IPIW; NULL: there are none */
	uint32_t *counted;                   /* of each row, in CNTD, MDL_NONE: none; NULL: no row has one */
	struct mdl_device *devices;          /* by number */
	struct idx_load_stream *streams;
};

struct idx_reader {
	struct idx_map *map;
	struct idx_shared *t;     /* a reference; unchanged once loaded */
	struct idx_limits limits; /* numbers of rows, strings, contexts and causes */
	struct idx_ref times, causes, transfers;
	struct idx_transfers_kept *kept_transfers; /* owned; NULL: no leaf was read yet */
	uint32_t n_devices, n_streams;
	uint64_t *checked; /* two bits for each row: its top block of intervals, of wake-ups, is a leaf that
			      was checked */
	uint64_t left;     /* while tables are loaded: bytes of the file that no series has claimed yet */
	uint32_t last_row, n_moves; /* the row asked for last; how often it was another one since
				       idx_map_let_go() */
};

/* Decode the record of a row at P. */
static inline struct idx_load_row idx_load_record_row(const uint8_t *p)
{
	return (struct idx_load_row){
		.row = {
			.type = p[0], .born = p[1] & 1, .died = (p[1] & 2) != 0, .final = p[2], .cpu = idx_get32(p + 4),
			.nr = (int64_t)idx_get64(p + 8), .pid = (int64_t)idx_get64(p + 16), .ppid = (int64_t)idx_get64(p + 24),
			.parent = idx_get32(p + 32), .name = idx_get32(p + 36), .cgroup = idx_get32(p + 128),
			.first = (int64_t)idx_get64(p + 40), .last = (int64_t)idx_get64(p + 48),
		},
		.intervals = idx_get_ref(p + IDX_ROW_INTERVALS), .wakeups = idx_get_ref(p + IDX_ROW_WAKEUPS), .n_names = idx_get32(p + 124)
	};
}

/* Decode the record of a wait for an IPI at P. */
static inline struct mdl_ipi_wait idx_load_ipi_wait(const uint8_t *p)
{
	return (struct mdl_ipi_wait){ .row = idx_get32(p),
		.cpu = idx_get32(p + 4),
		.from = (int64_t)idx_get64(p + 8),
		.to = (int64_t)idx_get64(p + 16),
		.entry = (int64_t)idx_get64(p + 24),
		.cpus = idx_get64(p + 32),
		.caller = idx_get64(p + 40),
		.last = idx_get32(p + 48),
		.doubts = idx_get32(p + 52) };
}

/* The bytes of the record of ROW. */
static inline const uint8_t *idx_load_record(const struct idx_reader *r, uint32_t row)
{
	return r->t->rows + (size_t)r->t->record[row] * IDX_ROW_SIZE;
}
/* Decode the record of ROW. */
static inline struct idx_load_row idx_load_row(const struct idx_reader *r, uint32_t row)
{
	return idx_load_record_row(idx_load_record(r, row));
}

/* The series of KIND below TOP.  ROW: MDL_NONE if it belongs to no row.  ROW_TYPE: only for intervals. */
static inline struct idx_series idx_load_series(struct idx_reader *r, const struct idx_ref *top, uint8_t kind,
	uint32_t row, uint8_t row_type)
{
	return (struct idx_series){
		.map = r->map,
		.limits = &r->limits,
		.kind = kind,
		.row = row,
		.row_type = row_type,
		.top = idx_child_of(top),
	};
}

/* Decode all chunks of R->map.  False with BASE_ERROR_STALE, which names the invalid chunk. */
bool idx_load_tables(struct idx_reader *r, GError **error);
void idx_load_unref(struct idx_shared *t);

/* ---- chunks ---- */

struct idx_chunk_kind {
	char id[5];
	bool is_base; /* loaded before the others, which refer to it */
	/* Write the chunk (idx_chunks_put…()) after all rows have ended. */
	void (*put)(struct idx_writer *w, const struct idx_tables *t, const char *id);
	/* Read it from R->map (idx_map_records()), check all of its content, and keep in R what answers need.
	 * False with idx_map_bad_chunk(). */
	bool (*load)(struct idx_reader *r, const char *id, GError **error);
};

#define IDX_CHUNK_DECLARE(name) extern const struct idx_chunk_kind idx_chunk_##name;
IDX_CHUNKS(IDX_CHUNK_DECLARE)
#undef IDX_CHUNK_DECLARE

/* All chunks in file order. */
extern const struct idx_chunk_kind *const idx_chunks_all[IDX_CHUNKS_MAX];

/* Load chunk ID, which is only a reference to a series of records of at least LEAST bytes (IDX_LEAST_…), as
 * idx_chunks_put_ref() writes it.  False with idx_map_bad_chunk(). */
bool idx_chunk_load_ref(struct idx_reader *r, const char *id, unsigned least, struct idx_ref *top,
	GError **error);
/* The times of events that wait for it as a leaf. */
void idx_chunk_put_time_leaf(struct idx_writer *w);

/* ---- META: facts of the trace ---- */

/* Encode META.  The caller unrefs. */
GBytes *idx_meta_to_bytes(const struct idx_meta *meta);

/* Decode META of the index that M maps.  NULL with BASE_ERROR_STALE. */
struct idx_meta *idx_meta_load(const struct idx_map *m, GError **error);

/* ---- cumulative time per state of a row at many instants at once (index/table/scan.c) ---- */

/* Set SUMS[i] to the sums of SERIES before TIMES[i], N ascending instants; zeros if empty or damaged. */
void idx_scan_sums(const struct idx_series *series, const int64_t *times, uint32_t n, struct idx_sums *sums);

/* ---- leaves of transfers (packets that a host sent or received) ---- */

struct idx_transfer_writer;

struct idx_transfer_writer *idx_transfer_writer_new(void);
void idx_transfer_writer_free(struct idx_transfer_writer *w);
/* Append a transfer; times must not step back. */
void idx_transfer_writer_add(struct idx_transfer_writer *w, struct idx_out *o,
	const struct mdl_transfer *transfer);
/* Write the open leaf.  *TOP: see idx_tree_finish(). */
void idx_transfer_writer_finish(struct idx_transfer_writer *w, struct idx_out *o, struct idx_child *top);

/* Read the leaf of SIZE bytes at BLOCK, which begins at time FIRST, into TRANSFERS (room for
 * IDX_LEAF_TRANSFERS).  Returns how many; 0 if it is damaged or an id exceeds LIMITS. */
unsigned idx_transfer_read(const uint8_t *block, uint32_t size, int64_t first,
	const struct idx_limits *limits, struct mdl_transfer *transfers);

#endif
