/* SPDX-License-Identifier: MIT */
/* A small reader of Parquet files for tests. It knows the encodings that Encodings.md of
 * apache/parquet-format calls plain, dictionary, runs and delta, in data pages of version 1, compressed with
 * zstd. It uses nothing of src. */
#ifndef PQT_READ_H
#define PQT_READ_H

#include <glib.h>
#include <stdint.h>

/* A column in a row group. */
struct pqt_read_chunk {
	gint64 nulls, nans; /* from its statistics; -1: absent */
	char *least, *greatest;
	char *encodings; /* of its data pages, each once: "dictionary", "plain", "delta" */
	guint pages;     /* of data */
};

struct pqt_read_column {
	char *name, *type; /* "int64", "timestamp", "double", "boolean", "text" */
	GPtrArray *values; /* of char *: in words as of pqt_read_double() and "%d"; NULL: null */
	GPtrArray *chunks; /* of struct pqt_read_chunk, a row group each */
};

struct pqt_read {
	char *created_by;
	gint64 rows;
	GArray *group_rows; /* of gint64 */
	GPtrArray *columns; /* of struct pqt_read_column */
};

/* Read the SIZE bytes at FILE; a bad file fails the test. The caller frees. */
struct pqt_read *pqt_read_new(const char *file, gsize size);
void pqt_read_free(struct pqt_read *t);

/* Return VALUE as the reader formats it: its bits, so NaN and -0 differ from others. The caller frees. */
char *pqt_read_double(double value);

#endif
