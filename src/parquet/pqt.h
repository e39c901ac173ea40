/* SPDX-License-Identifier: MIT */
/*
 * A table as an Apache Parquet file (https://parquet.apache.org/docs/file-format/): columns with types, row
 * by row, in bounded memory.
 *
 * The writer appends the bytes of the file to a GString and itself cannot fail.  The caller moves them on
 * after any row (exp_file_take()), so one place handles a full disk, a FIFO and the final name of the file.
 */
#ifndef PQT_H
#define PQT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define PQT_COLUMNS_MAX 256
/* Bytes of the longest text.  The rest of a longer one is cut off, and U+2026 (…) marks that. */
#define PQT_TEXT_MAX (1u << 20)
/* Rows of a row group, unless the memory of the group is used up before. */
#define PQT_GROUP_ROWS (128u * 1024)
/* Bytes that the values of a row group may use in memory; the last text may exceed it. */
#define PQT_GROUP_BYTES (32u << 20)

/* All may be null. */
enum pqt_type {
	PQT_INT,    /* 64 bits, signed */
	PQT_TIME,   /* ns since the Epoch, UTC.  DuckDB 1.5 reads it in µs; a PQT_INT keeps its ns */
	PQT_DOUBLE, /* IEEE 754 */
	PQT_BOOL,
	PQT_TEXT, /* UTF-8 */
};

struct pqt_column {
	const char *name;
	enum pqt_type type;
};

struct pqt_writer;

/*
 * Begin a file with the N columns at COLUMNS. OUT (weak) receives its bytes; the caller may remove them from
 * its front at any time. CREATED_BY names the program, as "wakepath version 1.0". GROUP_ROWS: rows of a row
 * group; 0: PQT_GROUP_ROWS. The caller frees. NULL with BASE_ERROR_NO_ANSWER if there is no column, more than
 * PQT_COLUMNS_MAX, one without a name, or two with one name.
 */
struct pqt_writer *pqt_writer_new(GString *out, const struct pqt_column *columns, guint n,
	const char *created_by, guint group_rows, GError **error);
void pqt_writer_free(struct pqt_writer *w);

/* Set the value of COLUMN, which has this type, in the current row; at most once per row. A value that is not
 * set is null. */
void pqt_set_int(struct pqt_writer *w, guint column, int64_t value); /* PQT_INT, PQT_TIME */
void pqt_set_double(struct pqt_writer *w, guint column, double value);
void pqt_set_bool(struct pqt_writer *w, guint column, bool value);
/* LENGTH bytes at TEXT (-1: up to the NUL). U+FFFD replaces each NUL and each byte that is not valid
 * UTF-8. */
void pqt_set_text(struct pqt_writer *w, guint column, const char *text, gssize length);

/* End the current row and begin the next one. */
void pqt_end_row(struct pqt_writer *w);

/* Append the rest of the file, after the last row has ended. */
void pqt_writer_finish(struct pqt_writer *w);

#endif
