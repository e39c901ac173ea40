/* SPDX-License-Identifier: MIT */
/* An index that is being written; private to src/index. */
#ifndef IDX_WRITER_PARTS_H
#define IDX_WRITER_PARTS_H

#include "index/file/chunks.h"
#include "index/tree/tree.h"
#include "index/table/writer.h"

struct idx_writer {
	struct idx_out *out;
	/* By row: struct row_writers *.  NULL before the first record of the row, and after its end. */
	GPtrArray *rows;
	uint32_t n_over;
	/* chunks ROWS and NAME, in the order in which rows end */
	struct idx_spill *row_records, *name_records;
	struct idx_spill *priority_records; /* chunk PRIO, in order of time */
	struct idx_cause_writer *causes;
	struct idx_transfer_writer *transfers;
	GPtrArray *streams; /* of struct idx_packets_writer * */
	struct idx_tree *times;
	GByteArray *time_leaf;
	unsigned n_times;
	int64_t first_time, last_time;
	struct idx_chunks chunks;
};

#endif
