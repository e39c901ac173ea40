/* SPDX-License-Identifier: MIT */
/*
 * File: "PAR1", the row groups, a struct FileMetaData with its size, "PAR1" ("File format" in README.md of
 * apache/parquet-format; names of structs are those of its parquet.thrift). A row group is written when its
 * memory is full. Only its struct RowGroup remains in memory, about 130 bytes for each column.
 */
#include "parquet/pqt.h"

#include "base/base_error.h"
#include "parquet/pqt_column.h"
#include "parquet/pqt_thrift.h"

#include <string.h>

#define MAGIC "PAR1"
#define TEXTS_BYTES (8u << 20) /* of the memory of a group, for texts */
#define MORE "\xe2\x80\xa6"    /* U+2026 */

enum { OPTIONAL = 1 };                /* enum FieldRepetitionType */
enum { CONVERTED_UTF8 = 0 };          /* enum ConvertedType */
enum { STRING = 1, TIMESTAMP = 8 };   /* union LogicalType */
enum { NANOS = 3 };                   /* union TimeUnit */
enum { TYPE_ORDER = 1 };              /* union ColumnOrder */
enum { WITH_DELTA_AND_RLE_DICT = 2 }; /* FileMetaData.version */

struct pqt_writer {
	GString *out; /* weak */
	char *created_by;
	guint n_columns, n_groups;
	struct pqt_values *columns;
	struct pqt_pages *pages;
	guint row, group_rows; /* the current row of the group; the number that fits */
	gsize text_bytes;      /* bytes in the group */
	uint64_t n_rows;       /* in written groups */
	GString *groups;       /* struct RowGroup of each written group */
};

static bool check(const struct pqt_column *columns, guint n, GError **error)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);

	if (n == 0 || n > PQT_COLUMNS_MAX)
		return base_error_false(error, BASE_ERROR_NO_ANSWER,
			"a Parquet file has from 1 to %d columns, this table has %u: choose other columns",
			PQT_COLUMNS_MAX, n);
	for (guint i = 0; i < n; i++) {
		if (!*columns[i].name)
			return base_error_false(error, BASE_ERROR_NO_ANSWER,
				"column %u of the Parquet file has no name: leave it out", i + 1);
		if (!g_hash_table_add(names, (gpointer)(uintptr_t)columns[i].name))
			return base_error_false(error, BASE_ERROR_NO_ANSWER,
				"two columns of the Parquet file have the name %s: leave one out",
				columns[i].name);
	}
	return true;
}

struct pqt_writer *pqt_writer_new(GString *out, const struct pqt_column *columns, guint n,
	const char *created_by, guint group_rows, GError **error)
{
	struct pqt_writer *w;
	gsize row_bytes = sizeof(uint32_t); /* the number of a value in a dictionary */

	if (!check(columns, n, error))
		return NULL;
	w = g_new0(struct pqt_writer, 1);
	w->out = out;
	w->created_by = g_strdup(created_by);
	w->n_columns = n;
	w->columns = g_new0(struct pqt_values, n);
	w->groups = g_string_new(NULL);
	for (guint i = 0; i < n; i++)
		row_bytes += pqt_values_row_bytes(columns[i].type);
	w->group_rows = MIN(group_rows ? group_rows : PQT_GROUP_ROWS,
		(guint)((PQT_GROUP_BYTES - TEXTS_BYTES) / row_bytes));
	for (guint i = 0; i < n; i++) {
		g_autofree char *name = g_utf8_make_valid(columns[i].name, -1);

		pqt_values_init(&w->columns[i], name, columns[i].type, w->group_rows);
	}
	g_string_append(out, MAGIC);
	w->pages = pqt_pages_new(out, strlen(MAGIC), w->group_rows);
	return w;
}

void pqt_writer_free(struct pqt_writer *w)
{
	for (guint i = 0; i < w->n_columns; i++)
		pqt_values_clear(&w->columns[i]);
	pqt_pages_free(w->pages);
	g_string_free(w->groups, TRUE);
	g_free(w->columns);
	g_free(w->created_by);
	g_free(w);
}

/* ---- rows ---- */

static struct pqt_values *set(struct pqt_writer *w, guint column)
{
	struct pqt_values *v = &w->columns[column];

	g_assert(column < w->n_columns && !v->present[w->row]);
	v->present[w->row] = 1;
	return v;
}

void pqt_set_int(struct pqt_writer *w, guint column, int64_t value)
{
	set(w, column)->words[w->row] = (uint64_t)value;
}

void pqt_set_double(struct pqt_writer *w, guint column, double value)
{
	memcpy(&set(w, column)->words[w->row], &value, sizeof value);
}

void pqt_set_bool(struct pqt_writer *w, guint column, bool value)
{
	set(w, column)->numbers[w->row] = value;
}

/* The LENGTH bytes at TEXT as valid UTF-8, cut to PQT_TEXT_MAX bytes, then with MORE. The caller frees. */
static char *clean(const char *text, gsize length)
{
	char *valid = g_utf8_make_valid(text, (gssize)MIN(length, PQT_TEXT_MAX)), *whole;
	gsize end = PQT_TEXT_MAX - strlen(MORE);

	/* U+FFFD is longer than the bytes that it replaces. */
	if (length <= PQT_TEXT_MAX && strlen(valid) <= PQT_TEXT_MAX)
		return valid;
	/* Do not cut within a character; this also drops the U+FFFD of a character that was just cut. */
	while (((unsigned char)valid[end] & 0xc0) == 0x80)
		end--;
	valid[end] = '\0';
	whole = g_strconcat(valid, MORE, NULL);
	g_free(valid);
	return whole;
}

void pqt_set_text(struct pqt_writer *w, guint column, const char *text, gssize length)
{
	struct pqt_values *v = set(w, column);
	gsize size = length < 0 ? strlen(text) : (gsize)length;
	int64_t number = size <= PQT_TEXT_MAX ? pqt_texts_find(&v->texts, text, (uint32_t)size, false) : -1;

	/* Texts in the dictionary are valid. */
	if (number < 0) {
		g_autofree char *valid = NULL;

		if (size > PQT_TEXT_MAX || !g_utf8_validate(text, (gssize)size, NULL)) {
			text = valid = clean(text, size);
			size = strlen(valid);
		}
		number = pqt_texts_find(&v->texts, text, (uint32_t)size, true);
		w->text_bytes += size + sizeof(uint32_t) * 2;
	}
	v->numbers[w->row] = (uint32_t)number;
}

static void end_group(struct pqt_writer *w)
{
	struct pqt_thrift t = { .out = w->groups };
	uint64_t begin = pqt_pages_size(w->pages), uncompressed = 0;

	pqt_thrift_begin(&t); /* RowGroup */
	pqt_thrift_list(&t, 1, PQT_THRIFT_STRUCT, w->n_columns);
	for (guint i = 0; i < w->n_columns; i++)
		pqt_pages_write(w->pages, &w->columns[i], w->row, &t, &uncompressed);
	pqt_thrift_i64(&t, 2, (int64_t)uncompressed);
	pqt_thrift_i64(&t, 3, w->row);
	pqt_thrift_i64(&t, 5, (int64_t)begin);
	pqt_thrift_i64(&t, 6, (int64_t)(pqt_pages_size(w->pages) - begin));
	pqt_thrift_end(&t);
	w->n_groups++;
	w->n_rows += w->row;
	w->row = 0;
	w->text_bytes = 0;
}

void pqt_end_row(struct pqt_writer *w)
{
	w->row++;
	if (w->row == w->group_rows || w->text_bytes >= TEXTS_BYTES)
		end_group(w);
}

/* ---- the end of the file ---- */

static void put_column(struct pqt_thrift *t, const struct pqt_values *v)
{
	pqt_thrift_begin(t); /* SchemaElement */
	pqt_thrift_i32(t, 1, pqt_column_type(v->type));
	pqt_thrift_i32(t, 3, OPTIONAL);
	pqt_thrift_text(t, 4, v->name);
	if (v->type == PQT_TEXT) {
		pqt_thrift_i32(t, 6, CONVERTED_UTF8);
		pqt_thrift_empty(t, 10, STRING);
	} else if (v->type == PQT_TIME) {
		pqt_thrift_begin_field(t, 10); /* LogicalType */
		pqt_thrift_begin_field(t, TIMESTAMP);
		pqt_thrift_bool(t, 1, true); /* isAdjustedToUTC */
		pqt_thrift_empty(t, 2, NANOS);
		pqt_thrift_end(t);
		pqt_thrift_end(t);
	}
	pqt_thrift_end(t);
}

void pqt_writer_finish(struct pqt_writer *w)
{
	g_autoptr(GString) end = g_string_new(NULL);
	struct pqt_thrift t = { .out = end };
	uint32_t size;

	for (guint i = 0; i < w->n_columns; i++)
		g_assert(!w->columns[i].present[w->row]);
	if (w->row > 0)
		end_group(w);
	pqt_thrift_begin(&t); /* FileMetaData */
	pqt_thrift_i32(&t, 1, WITH_DELTA_AND_RLE_DICT);
	pqt_thrift_list(&t, 2, PQT_THRIFT_STRUCT, w->n_columns + 1);
	pqt_thrift_begin(&t); /* SchemaElement, the root */
	pqt_thrift_text(&t, 4, "schema");
	pqt_thrift_i32(&t, 5, (int32_t)w->n_columns);
	pqt_thrift_end(&t);
	for (guint i = 0; i < w->n_columns; i++)
		put_column(&t, &w->columns[i]);
	pqt_thrift_i64(&t, 3, (int64_t)w->n_rows);
	pqt_thrift_list(&t, 4, PQT_THRIFT_STRUCT, w->n_groups);
	g_string_append_len(end, w->groups->str, (gssize)w->groups->len);
	pqt_thrift_text(&t, 6, w->created_by);
	pqt_thrift_list(&t, 7, PQT_THRIFT_STRUCT, w->n_columns);
	for (guint i = 0; i < w->n_columns; i++) {
		pqt_thrift_begin(&t); /* ColumnOrder */
		pqt_thrift_empty(&t, TYPE_ORDER, 0);
		pqt_thrift_end(&t);
	}
	pqt_thrift_end(&t);
	size = GUINT32_TO_LE((uint32_t)end->len);
	g_string_append_len(end, (const char *)&size, sizeof size);
	g_string_append(end, MAGIC);
	g_string_append_len(w->out, end->str, (gssize)end->len);
}
