/* SPDX-License-Identifier: MIT */
/*
 * A file of latencies: spans (model/span/span.h) in leaves, with statistics per kind. docs/index-format.md
 * describes the bytes.
 *
 * The file of a trace lies beside its index and has several kinds, in the trace's own time.  Files of an
 * experiment (query/cases/kept.h) have shown times and one kind, numbered 0.
 */
#ifndef IDX_SPANS_H
#define IDX_SPANS_H

#include "base/base_figures.h"
#include "base/base_progress.h"
#include "index/table/reader.h"
#include "model/span/span.h"

#define IDX_LEAF_SPANS 1024
#define IDX_SPANS_WORST 1024

/* A span with its host and its place: number of the leaf, and number in it. */
struct idx_spans_found {
	struct mdl_span span;
	uint32_t host, leaf, number;
};

/* Compare by length, longest first; then by start, by row, by place, so that the order is deterministic. */
int idx_spans_worst_first(const void *a, const void *b);

/* The path of the file for the index INDEX: beside it.  The caller frees. */
char *idx_spans_path(const char *index);

/* The path of the file called NAME beside FILE, an index or a file of packets.  A file with another key is
 * replaced.  The caller frees. */
char *idx_spans_beside(const char *file, const char *name);
/* All such files beside FILE, even if FILE is gone: sorted paths (char *).  The caller unrefs. */
GPtrArray *idx_spans_all_beside(const char *file);

/* Remove all such files, and the summary of an index, because FILE is new. */
void idx_spans_remove_beside(const char *file);

/* A hash of row ID.  The sum over all rows identifies the rows of an index, so that rows in spans are
 * valid. */
uint64_t idx_spans_hash(uint32_t id, const struct mdl_row *row);

/* True if SPAN, whose row exists or is MDL_NONE, can be a span of WHAT on HOST. */
typedef bool idx_spans_holds(const void *data, unsigned what, uint32_t host, const struct mdl_span *span);

/* The index or experiment that a file belongs to. */
struct idx_spans_of {
	const char *fingerprint; /* 32 hex digits */
	uint32_t hosts, rows;    /* how many */
	uint64_t hash;           /* sum of idx_spans_hash() over the rows; 0 for an experiment */
	/* Checks each span that is read, with DATA (weak, outlives the open file) and WHAT.  NULL: check only
	 * that its row exists. */
	idx_spans_holds *holds;
	const void *data;
	unsigned what;
};

/* ---- writing ---- */

struct idx_spans_writer;

enum idx_spans_form {
	IDX_SPANS_FULL, /* spans, their statistics, and the longest */
	/* No spans, only the places where a walk finds them again (struct idx_spans_leaf).  The spans of a
	 * row must be added one after the other, in order of start. */
	IDX_SPANS_OUTLINE,
	/* Spans only, written before the tracer's threads are known: idx_spans_settle(). */
	IDX_SPANS_BARE
};

/* Begin the file that will become PATH (idx_out_new()). */
struct idx_spans_writer *idx_spans_writer_new(const char *path, enum idx_spans_form form, GError **error);
void idx_spans_writer_free(struct idx_spans_writer *w);
/* Add SPAN of HOST.  TRACER: its thread is one of the tracer's.  CLASS: the class of its thread; either all
 * spans of a kind have a class or none.  idx_spans_writer_error() and idx_spans_writer_finish() report
 * failures. */
void idx_spans_writer_add(struct idx_spans_writer *w, uint32_t host, const struct mdl_span *span, bool tracer,
	enum mdl_span_class class);
/* Store TEXT.  Returns its key for a span; idx_spans_text() looks it up. */
uint64_t idx_spans_writer_text(struct idx_spans_writer *w, const char *text);
/* Store NOTE, the reason why there are no spans: idx_spans_note(). */
void idx_spans_writer_note(struct idx_spans_writer *w, const char *note);
/* Before the process forks: the child must not use W. */
void idx_spans_writer_flush(struct idx_spans_writer *w);
/* The file will become PATH instead, in the same folder. */
void idx_spans_writer_rename(struct idx_spans_writer *w, const char *path);
/* The first failure, or NULL. */
const GError *idx_spans_writer_error(const struct idx_spans_writer *w);
/* Put the file in place, as one of OF.  False with BASE_ERROR_IO. */
bool idx_spans_writer_finish(struct idx_spans_writer *w, const struct idx_spans_of *of, GError **error);

/* ---- reading ---- */

struct idx_spans;

/* A leaf: up to IDX_LEAF_SPANS spans of one kind and host. */
struct idx_spans_leaf {
	uint64_t offset;
	/* SIZE 0: of an outline.  A walk from FIRST_ROW on, row by row, finds its COUNT spans: it starts with
	 * the spans of FIRST_ROW that begin at FROM or later, and skips the first SKIP that begin at FROM. */
	uint32_t size, checksum, count, skip;
	int64_t from;
	uint8_t kind; /* enum mdl_span_kind */
	uint32_t host;
	uint32_t first_row, last_row; /* of rows that have a span; first > last: none has */
	int64_t first, last;          /* earliest and latest start, ns */
	int64_t longest;              /* ns */
};

/* Open PATH, which must belong to OF (NULL: to any; then spans are not checked against rows).  NULL with
 * BASE_ERROR_STALE or BASE_ERROR_IO as idx_map_open(). */
struct idx_spans *idx_spans_open(const char *path, const struct idx_spans_of *of, GError **error);
/* Like idx_spans_open(), for the file of the trace of INDEX.  INDEX (weak) must outlive it. */
struct idx_spans *idx_spans_open_index(const char *path, struct idx_reader *index, GError **error);
void idx_spans_free(struct idx_spans *s);
/* Remove the file if it was found to be damaged, so that it is made again. */
void idx_spans_remove_damaged(const struct idx_spans *s);
uint64_t idx_spans_size(const struct idx_spans *s);
/* True if the file stores no spans, only where a walk finds them again. */
bool idx_spans_is_outline(const struct idx_spans *s);
/* True if the file stores spans, and neither their statistics nor the longest. */
bool idx_spans_is_bare(const struct idx_spans *s);
/* True if A and B have the same spans in the same leaves. */
bool idx_spans_are_alike(const struct idx_spans *a, const struct idx_spans *b);
uint32_t idx_spans_leaf_count(const struct idx_spans *s);
struct idx_spans_leaf idx_spans_leaf(const struct idx_spans *s, uint32_t leaf);
/* Read the spans of LEAF, which is not of an outline, into SPANS (room for IDX_LEAF_SPANS).  Returns how
 * many; 0 if it is damaged. */
unsigned idx_spans_read(struct idx_spans *s, uint32_t leaf, struct mdl_span *spans);
/* Read number I (0 …) of the longest spans of KIND that are over into FOUND.  TRACER: only the tracer's
 * threads, else only the others.  At most IDX_SPANS_WORST are stored.  False if there are no more. */
bool idx_spans_worst(const struct idx_spans *s, unsigned kind, bool tracer, uint32_t i,
	struct idx_spans_found *found);
/* True if some spans of KIND are not among the longest stored: then those are complete up to LAST only.
 * WITHOUT: leave out the tracer's threads. */
bool idx_spans_worst_last(const struct idx_spans *s, unsigned kind, bool without,
	struct idx_spans_found *last);
/* Note damage of LEAF: WHAT is wrong.  The message has the number of the leaf if the file is an outline. */
void idx_spans_note_damage(struct idx_spans *s, uint32_t leaf, const char *what);
/* Like idx_map_layout(); all leaves must be readable. */
const char *idx_spans_layout(const struct idx_spans *s);
/* Check all blocks of texts, and note the first that is damaged. */
void idx_spans_check_texts(struct idx_spans *s);
/* The text of KEY; NULL: none.  Owned by S; it may have any bytes.  Reads only the block that holds it. */
const char *idx_spans_text(const struct idx_spans *s, uint64_t key);
/* Why there are no spans; "" if there is no reason.  Owned by S. */
const char *idx_spans_note(const struct idx_spans *s);
/* The first damage met so far, or NULL.  Owned by S. */
const GError *idx_spans_damage(const struct idx_spans *s);

/* Statistics over all spans of a kind. */
struct idx_spans_figures {
	struct base_figures figures;
	uint64_t fates[MDL_SPAN_FATES]; /* number of spans by fate */
	GArray *powers, *linear;        /* histograms, of struct base_bucket */
};
static inline void idx_spans_figures_clear(struct idx_spans_figures *f)
{
	g_clear_pointer(&f->powers, g_array_unref);
	g_clear_pointer(&f->linear, g_array_unref);
}
/* Set F for KIND.  WITHOUT: leave out spans of the tracer's threads.  The caller clears F. */
void idx_spans_figures(const struct idx_spans *s, unsigned kind, bool without, struct idx_spans_figures *f);
/* Like idx_spans_figures(), for the spans of CLASS, without histograms.  All are 0 if there are none or they
 * have no classes. */
void idx_spans_figures_of(const struct idx_spans *s, unsigned kind, enum mdl_span_class class, bool without,
	struct idx_spans_figures *f);
/* True if there are spans of KIND and they have classes. */
bool idx_spans_has_classes(const struct idx_spans *s, unsigned kind);

/*
 * Write PATH, a full file with the spans of BARE. TRACER: for each row, true if it is a thread of the tracer.
 * FOUND (may be NULL) gets each span, with DATA. BASE_ERROR_DATA if BARE is damaged, BASE_ERROR_IO if PATH
 * cannot be written, BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was cancelled; then no file is left.
 */
bool idx_spans_settle(struct idx_spans *bare, const char *path, const bool *tracer, mdl_span_visit *found,
	void *data, struct base_progress *progress, GError **error);

#endif
