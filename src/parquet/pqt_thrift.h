/* SPDX-License-Identifier: MIT */
/* Writes structs in Thrift's compact protocol (thrift-compact-protocol.md of Apache Thrift). The fields of a
 * struct are written in rising order of their numbers. */
#ifndef PQT_THRIFT_H
#define PQT_THRIFT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define PQT_THRIFT_DEPTH 8

/* Types of elements ("List and Set"). */
enum pqt_thrift_type { PQT_THRIFT_I32 = 5, PQT_THRIFT_BINARY = 8, PQT_THRIFT_STRUCT = 12 };

struct pqt_thrift {
	GString *out;               /* weak */
	int last[PQT_THRIFT_DEPTH]; /* the last field of each open struct */
	guint depth;                /* number of open structs */
};

/* Begin a struct that is not a field: a message or an element of a list. */
void pqt_thrift_begin(struct pqt_thrift *t);
/* Begin the struct that is field ID. */
void pqt_thrift_begin_field(struct pqt_thrift *t, int id);
void pqt_thrift_end(struct pqt_thrift *t);
/* Field ID is a union or an empty struct: write field MEMBER, an empty struct, in it; 0: nothing. */
void pqt_thrift_empty(struct pqt_thrift *t, int id, int member);

void pqt_thrift_bool(struct pqt_thrift *t, int id, bool value);
void pqt_thrift_i32(struct pqt_thrift *t, int id, int32_t value);
void pqt_thrift_i64(struct pqt_thrift *t, int id, int64_t value);
void pqt_thrift_binary(struct pqt_thrift *t, int id, const void *bytes, gsize size);
void pqt_thrift_text(struct pqt_thrift *t, int id, const char *text);

/* Begin the list that is field ID, with N elements of TYPE, which the caller writes next. */
void pqt_thrift_list(struct pqt_thrift *t, int id, enum pqt_thrift_type type, guint n);
/* Write an element of a list. */
void pqt_thrift_item_i32(struct pqt_thrift *t, int32_t value);
void pqt_thrift_item_text(struct pqt_thrift *t, const char *text);

/* Append V as ULEB128, or as zigzag ULEB128, to OUT. */
void pqt_put_varint(GString *out, uint64_t v);
void pqt_put_zigzag(GString *out, int64_t v);

#endif
