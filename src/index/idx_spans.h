/* SPDX-License-Identifier: MIT */
/*
 * A file of latencies: spans (mdl_span.h) in leaves, with the statistics over all of a kind.  One is of a
 * trace, beside its index, and has several kinds, in the trace's own time; others are of an experiment as it
 * is shown (query/cases/kept.h), and have one kind, which is 0.  docs/index-format.md describes the bytes.
 */
#ifndef IDX_SPANS_H
#define IDX_SPANS_H

#include "base/base_figures.h"
#include "index/idx_reader.h"
#include "index/idx_verify.h"
#include "model/mdl_span.h"

#define IDX_LEAF_SPANS 1024
#define IDX_SPANS_WORST 1024

/* A span with its host, and its place: a leaf, and which one in it. */
struct idx_spans_found {
	struct mdl_span span;
	uint32_t host, leaf, number;
};

/* Longest first; ties by start, by row, then by place, so that the order is always the same. */
int idx_spans_worst_first(const void *a, const void *b);

/* Where the file of the index INDEX is: beside it.  The caller frees. */
char *idx_spans_path(const char *index);

/* Where the file NAME is that is kept beside FILE, an index or a file of packets: one with another key is
 * replaced.  The caller frees. */
char *idx_spans_beside(const char *file, const char *name);
/* All that are there, of a FILE that is no more, too: paths, char *, sorted; the caller unrefs. */
GPtrArray *idx_spans_all_beside(const char *file);

/* FILE is a new one: remove them. */
void idx_spans_remove_beside(const char *file);

/* A hash of row ID; the sum over all rows is the same where a span's row is that of the index. */
uint64_t idx_spans_hash(uint32_t id, const struct mdl_row *row);

/* What a file belongs to. */
struct idx_spans_of {
	const char *fingerprint; /* 32 hex digits */
	uint32_t hosts, rows;    /* how many */
	uint64_t hash;           /* over the rows: the sum of idx_spans_hash(); 0 of an experiment */
};

/* ---- writing ---- */

struct idx_spans_writer;

/* Begin the file that will become PATH: idx_out_new().  OUTLINE: spans are not written, only where they are
 * to be found again (struct idx_spans_leaf); those of a row come one after the other, as they begin. */
struct idx_spans_writer *idx_spans_writer_new(const char *path, bool outline, GError **error);
void idx_spans_writer_free(struct idx_spans_writer *w);
/* Add SPAN, of HOST; TRACER: it is of a thread of the tracer's.  Failures are told by
 * idx_spans_writer_finish(), and by idx_spans_writer_error(). */
void idx_spans_writer_add(struct idx_spans_writer *w, uint32_t host, const struct mdl_span *span,
	bool tracer);
/* TEXT as the key of a span: idx_spans_text() gives it again. */
uint64_t idx_spans_writer_text(struct idx_spans_writer *w, const char *text);
/* Keep NOTE, why there is nothing, with the file: idx_spans_note(). */
void idx_spans_writer_note(struct idx_spans_writer *w, const char *note);
/* The first failure, NULL none. */
const GError *idx_spans_writer_error(const struct idx_spans_writer *w);
/* Put the file in its place, as one of OF.  False with BASE_ERROR_IO. */
bool idx_spans_writer_finish(struct idx_spans_writer *w, const struct idx_spans_of *of, GError **error);

/* ---- reading ---- */

struct idx_spans;

/* A leaf: up to IDX_LEAF_SPANS spans of one kind and host. */
struct idx_spans_leaf {
	uint64_t offset;
	/* SIZE 0: of an outline.  Its spans are the COUNT that follow, row by row as they begin, those of
	 * FIRST_ROW that begin before FROM and the first SKIP that begin then. */
	uint32_t size, checksum, count, skip;
	int64_t from;
	uint8_t kind; /* enum mdl_span_kind */
	uint32_t host;
	uint32_t first_row, last_row; /* of those that have one; none: the first is above the last */
	int64_t first, last;          /* where the earliest and the latest of them begin */
	int64_t longest;              /* ns */
};

/* Open PATH, which must be one of OF (NULL: of any).  NULL with BASE_ERROR_STALE or BASE_ERROR_IO as
 * idx_map_open(). */
struct idx_spans *idx_spans_open(const char *path, const struct idx_spans_of *of, GError **error);
/* The same of the trace of INDEX, as that is. */
struct idx_spans *idx_spans_open_index(const char *path, struct idx_reader *index, GError **error);
void idx_spans_free(struct idx_spans *s);
const char *idx_spans_file(const struct idx_spans *s);
uint64_t idx_spans_size(const struct idx_spans *s);
uint32_t idx_spans_leaf_count(const struct idx_spans *s);
struct idx_spans_leaf idx_spans_leaf(const struct idx_spans *s, uint32_t leaf);
/* The spans of LEAF, not one of an outline, into SPANS (room for IDX_LEAF_SPANS).  How many; 0 when it is
 * damaged. */
unsigned idx_spans_read(struct idx_spans *s, uint32_t leaf, struct mdl_span *spans);
/* Number I of the worst of KIND that are over, of threads of the TRACER's or of all others, in that order,
 * into FOUND: IDX_SPANS_WORST of them, or all.  False: there are no more. */
bool idx_spans_worst(const struct idx_spans *s, unsigned kind, bool tracer, uint32_t i,
	struct idx_spans_found *found);
/* Of KIND, with or WITHOUT the tracer's, all that are not behind LAST are among these.  False: all are. */
bool idx_spans_worst_last(const struct idx_spans *s, unsigned kind, bool without,
	struct idx_spans_found *last);
/* Note that what LEAF of an outline says is not to be found. */
void idx_spans_note_damage(struct idx_spans *s, uint32_t leaf);
/* The text that KEY stands for, NULL none.  Owned by S; it may have any bytes. */
const char *idx_spans_text(const struct idx_spans *s, uint64_t key);
/* Why there is nothing; "" if there is no reason.  Owned by S. */
const char *idx_spans_note(const struct idx_spans *s);
/* The damage met so far, or NULL.  Owned by S. */
const GError *idx_spans_damage(const struct idx_spans *s);

/* What is known of all spans of a kind. */
struct idx_spans_figures {
	struct base_figures figures;
	uint64_t fates[MDL_SPAN_FATES]; /* how many met each */
	GArray *powers, *linear;        /* histograms, of struct base_bucket */
};
static inline void idx_spans_figures_clear(struct idx_spans_figures *f)
{
	g_clear_pointer(&f->powers, g_array_unref);
	g_clear_pointer(&f->linear, g_array_unref);
}
/* Of KIND, with or WITHOUT those of the tracer's threads, into F, for the caller to clear. */
void idx_spans_figures(const struct idx_spans *s, unsigned kind, bool without, struct idx_spans_figures *f);

/* Check the file PATH, of INDEX (NULL: of any), block by block up to the first that is damaged, and that the
 * statistics and the worst are those of its spans; *TOTALS is filled in.  True when nothing was found. */
bool idx_spans_verify(const char *path, struct idx_reader *index, idx_verify_report report, void *data,
	struct idx_verify_totals *totals);

#endif
