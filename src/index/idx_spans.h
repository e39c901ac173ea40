/* SPDX-License-Identifier: MIT */
/* The file of a trace's spans (mdl_span.h), beside its index.  docs/index-format.md describes the bytes. */
#ifndef IDX_SPANS_H
#define IDX_SPANS_H

#include "index/idx_reader.h"
#include "index/idx_verify.h"
#include "model/mdl_span.h"

#define IDX_LEAF_SPANS 1024

/* Where the file of the index INDEX is: beside it.  The caller frees. */
char *idx_spans_path(const char *index);

/* A hash of row ID; the sum over all rows is the same where a span's row is that of the index. */
uint64_t idx_spans_hash(uint32_t id, const struct mdl_row *row);

/* ---- writing ---- */

struct idx_spans_writer;

/* Begin the file that will become PATH: idx_out_new(). */
struct idx_spans_writer *idx_spans_writer_new(const char *path, GError **error);
void idx_spans_writer_free(struct idx_spans_writer *w);
/* Failures are told by idx_spans_writer_finish(), and by this, NULL none. */
void idx_spans_writer_add(struct idx_spans_writer *w, const struct mdl_span *span);
const GError *idx_spans_writer_error(const struct idx_spans_writer *w);
/* Put the file in its place, of the trace with FINGERPRINT and ROWS rows of HASH.  False with BASE_ERROR_IO.
 */
bool idx_spans_writer_finish(struct idx_spans_writer *w, const char *fingerprint, uint32_t rows,
	uint64_t hash, GError **error);

/* ---- reading ---- */

struct idx_spans;

/* A leaf: up to IDX_LEAF_SPANS spans of one kind. */
struct idx_spans_leaf {
	uint64_t offset;
	uint32_t size, checksum, count;
	uint8_t kind;        /* enum mdl_span_kind */
	int64_t first, last; /* where the earliest and the latest of them begin */
	int64_t longest;     /* ns */
};

/* Open PATH, which must belong to INDEX as it is (NULL: to any).  NULL with BASE_ERROR_STALE or BASE_ERROR_IO
 * as idx_map_open(). */
struct idx_spans *idx_spans_open(const char *path, struct idx_reader *index, GError **error);
void idx_spans_free(struct idx_spans *s);
uint32_t idx_spans_leaf_count(const struct idx_spans *s);
struct idx_spans_leaf idx_spans_leaf(const struct idx_spans *s, uint32_t leaf);
/* The spans of LEAF into SPANS (room for IDX_LEAF_SPANS).  How many; 0 when it is damaged. */
unsigned idx_spans_read(struct idx_spans *s, uint32_t leaf, struct mdl_span *spans);
/* The damage met so far, or NULL.  Owned by S. */
const GError *idx_spans_damage(const struct idx_spans *s);

/* Check the file PATH, of INDEX (NULL: of any), block by block up to the first that is damaged; *TOTALS is
 * filled in.  True when nothing was found. */
bool idx_spans_verify(const char *path, struct idx_reader *index, idx_verify_report report, void *data,
	struct idx_verify_totals *totals);

#endif
