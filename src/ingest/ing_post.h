/* SPDX-License-Identifier: MIT */
/* Records of the model on their way to the index. The model's thread writes them or, on machines with a
 * processor to spare, a thread that only writes. */
#ifndef ING_POST_H
#define ING_POST_H

#include "index/spans/spans.h"
#include "index/table/writer.h"

enum ing_post_what {
	ING_POST_INTERVAL, /* struct mdl_interval */
	ING_POST_WAKEUP,   /* struct mdl_wakeup */
	ING_POST_CAUSE,    /* struct mdl_cause */
	ING_POST_TRANSFER, /* struct mdl_transfer */
	ING_POST_NAME,     /* struct ing_post_at */
	ING_POST_PRIORITY, /* struct ing_post_at */
	ING_POST_IPI_WAIT, /* struct mdl_ipi_wait */
	ING_POST_COUNTED,  /* struct mdl_counted */
	ING_POST_OVER,     /* struct mdl_row */
	ING_POST_SPAN,     /* struct mdl_span; ROW is unused */
	ING_POST_TIME,     /* struct ing_post_at */
	ING_POST_PACKET,   /* struct idx_packet; ROW is its stream */
	ING_POST_WHATS
};

/* At TIME (ns): a name or a priority. */
struct ing_post_at {
	int64_t time;
	uint32_t name;
	int16_t priority;
};

/* The files that are written. */
struct ing_post_files {
	struct idx_writer *index;       /* owned */
	struct idx_spans_writer *spans; /* owned; NULL: spans are not wanted */
	uint32_t rows;                  /* number of rows that are over */
	uint64_t hash;                  /* with SPANS: the sum of idx_spans_hash() of these rows */
};

/* Write RECORD of ROW, of type WHAT, to FILES. */
void ing_post_write(struct ing_post_files *files, enum ing_post_what what, uint32_t row, const void *record);

struct ing_post;

/* Start a thread that calls ing_post_write() for FILES (weak) until ing_post_free(). Do not use FILES
 * meanwhile. */
struct ing_post *ing_post_new(struct ing_post_files *files);
/* Pass RECORD (copied) to the thread, which writes records in the order of these calls. */
void ing_post_put(struct ing_post *p, enum ing_post_what what, uint32_t row, const void *record);
/* The error of the writer as of some time ago; NULL: none.  Owned by the writer. */
const GError *ing_post_error(struct ing_post *p);
/* Wait until all is written, and end the thread. P may be NULL. */
void ing_post_free(struct ing_post *p);

#endif
