/* SPDX-License-Identifier: MIT */
#include "parquet/pqt_thrift.h"

#include "base/base_varint.h"

#include <string.h>

/* Types of fields ("Struct encoding") that are not types of elements here. */
enum { TYPE_TRUE = 1, TYPE_FALSE = 2, TYPE_I64 = 6, TYPE_LIST = 9 };

void pqt_put_varint(GString *out, uint64_t v)
{
	uint8_t bytes[BASE_VARINT_MAX], *end = base_varint_put(bytes, v);

	g_string_append_len(out, (const char *)bytes, end - bytes);
}

void pqt_put_zigzag(GString *out, int64_t v)
{
	pqt_put_varint(out, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static void field(struct pqt_thrift *t, int id, int type)
{
	int *last = &t->last[t->depth - 1], step = id - *last;

	g_assert(step >= 1 && step <= 15); /* the short form suffices */
	g_string_append_c(t->out, (char)(step << 4 | type));
	*last = id;
}

void pqt_thrift_begin(struct pqt_thrift *t)
{
	g_assert(t->depth < PQT_THRIFT_DEPTH);
	t->last[t->depth++] = 0;
}

void pqt_thrift_begin_field(struct pqt_thrift *t, int id)
{
	field(t, id, PQT_THRIFT_STRUCT);
	pqt_thrift_begin(t);
}

void pqt_thrift_end(struct pqt_thrift *t)
{
	g_string_append_c(t->out, 0);
	t->depth--;
}

void pqt_thrift_empty(struct pqt_thrift *t, int id, int member)
{
	pqt_thrift_begin_field(t, id);
	if (member)
		pqt_thrift_empty(t, member, 0);
	pqt_thrift_end(t);
}

void pqt_thrift_bool(struct pqt_thrift *t, int id, bool value)
{
	field(t, id, value ? TYPE_TRUE : TYPE_FALSE);
}

void pqt_thrift_i32(struct pqt_thrift *t, int id, int32_t value)
{
	field(t, id, PQT_THRIFT_I32);
	pqt_put_zigzag(t->out, value);
}

void pqt_thrift_i64(struct pqt_thrift *t, int id, int64_t value)
{
	field(t, id, TYPE_I64);
	pqt_put_zigzag(t->out, value);
}

static void put_binary(GString *out, const void *bytes, gsize size)
{
	pqt_put_varint(out, size);
	g_string_append_len(out, bytes, (gssize)size);
}

void pqt_thrift_binary(struct pqt_thrift *t, int id, const void *bytes, gsize size)
{
	field(t, id, PQT_THRIFT_BINARY);
	put_binary(t->out, bytes, size);
}

void pqt_thrift_text(struct pqt_thrift *t, int id, const char *text)
{
	pqt_thrift_binary(t, id, text, strlen(text));
}

void pqt_thrift_list(struct pqt_thrift *t, int id, enum pqt_thrift_type type, guint n)
{
	field(t, id, TYPE_LIST);
	g_string_append_c(t->out, (char)(MIN(n, 15) << 4 | type));
	if (n >= 15)
		pqt_put_varint(t->out, n);
}

void pqt_thrift_item_i32(struct pqt_thrift *t, int32_t value)
{
	pqt_put_zigzag(t->out, value);
}

void pqt_thrift_item_text(struct pqt_thrift *t, const char *text)
{
	put_binary(t->out, text, strlen(text));
}
