/* SPDX-License-Identifier: MIT */
/* The values of a column in the current row group, and how they become pages. */
#ifndef PQT_COLUMN_H
#define PQT_COLUMN_H

#include "parquet/pqt.h"
#include "parquet/pqt_encode.h"
#include "parquet/pqt_thrift.h"

/* enum Type, and members of the union LogicalType, of parquet.thrift. */
enum { PQT_AS_BOOLEAN = 0, PQT_AS_INT64 = 2, PQT_AS_DOUBLE = 5, PQT_AS_BYTE_ARRAY = 6 };

/* Return the enum Type of TYPE. */
int pqt_column_type(enum pqt_type type);

struct pqt_values {
	enum pqt_type type;
	char *name;       /* owned */
	uint8_t *present; /* of each row: 1 if it has a value */
	/* The value of each row; the array that the type does not use is NULL. */
	uint64_t *words;   /* PQT_INT, PQT_TIME, PQT_DOUBLE: its 64 bits */
	uint32_t *numbers; /* PQT_TEXT: in TEXTS; PQT_BOOL: 0 or 1 */
	struct pqt_texts texts;
};

/* Return the bytes that a row of TYPE uses in memory, without texts. */
gsize pqt_values_row_bytes(enum pqt_type type);
/* V has room for ROWS rows. */
void pqt_values_init(struct pqt_values *v, const char *name, enum pqt_type type, guint rows);
void pqt_values_clear(struct pqt_values *v);

/* Buffers and the compressor that make pages, for one column after the other. */
struct pqt_pages;

/* OUT (weak) receives the pages, the first of them at byte SIZE of the file. ROWS: of the longest row
 * group. */
struct pqt_pages *pqt_pages_new(GString *out, uint64_t size, guint rows);
void pqt_pages_free(struct pqt_pages *p);
/* Return the size of the file up to here, in bytes. */
uint64_t pqt_pages_size(const struct pqt_pages *p);

/*
 * Write the values of the first ROWS (not 0) rows of V, and forget them. INTO gets the struct ColumnChunk.
 * Adds the bytes of the pages before compression to *UNCOMPRESSED.
 */
void pqt_pages_write(struct pqt_pages *p, struct pqt_values *v, guint rows, struct pqt_thrift *into,
	uint64_t *uncompressed);

#endif
