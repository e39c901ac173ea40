/* SPDX-License-Identifier: MIT */
/* Cells, rows and cursors of all tables. */
#include "table/rows.h"

#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_text.h"
#include "base/base_time.h"

/* ---- rows ---- */

bool table_told(enum table_format format)
{
	return format == TABLE_TEXT || format == TABLE_MARKDOWN;
}

void table_row_describe(struct table_row *to, unsigned i, struct table_column column)
{
	to->columns[i] = column;
	if (to->for_json && (!*column.name || column.type & TABLE_ONLY_SQL))
		to->wanted &= ~(UINT64_C(1) << i);
}

unsigned table_describe(table_columns *columns, const struct table_in *in, struct table_column *described)
{
	struct table_row row;

	row.wanted = row.n = 0;
	row.columns = described;
	row.for_json = false;
	columns(&row, NULL, in);
	return row.n;
}

void table_row_fill(struct table_row *to, uint64_t wanted, table_columns *columns, const void *row,
	const struct table_in *in)
{
	to->wanted = wanted;
	to->n = 0;
	columns(to, row, in);
}

void table_row_clear(struct table_row *row)
{
	for (unsigned i = 0; i < row->n; i++) {
		if (!(row->wanted >> i & 1))
			continue;
		g_free(row->cells[i].taken);
		if (row->cells[i].json)
			g_string_free(row->cells[i].json, TRUE);
	}
	row->n = 0;
}

/* ---- cursors ---- */

struct table_cursor *table_open(const struct table *table, struct qry *q, const struct table_question *ask,
	GError **error)
{
	struct table_cursor *c = g_malloc0(table->size);

	g_assert(ask->result || !(table->takes & TABLE_NEEDS_RESULT));
	c->table = table;
	c->q = q;
	c->ask = *ask;
	c->wanted = UINT64_MAX;
	c->in = (struct table_in){ .q = q, .format = ask->format, .evidence = ask->evidence };
	if (table->open(c, error))
		return c;
	table_close(c);
	return NULL;
}

bool table_work(struct table_cursor *c)
{
	c->in.number = 0;
	return c->table->work && !base_progress_cancelled(c->ask.progress) && c->table->work(c);
}

int table_next(struct table_cursor *c, const void **row, GError **error)
{
	int found;

	if (base_progress_cancelled(c->ask.progress)) {
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
		return -1;
	}
	found = c->table->next(c, row, error);
	if (found > 0)
		c->in.number++;
	return found;
}

void table_close(struct table_cursor *c)
{
	if (c && c->table->close)
		c->table->close(c);
	g_free(c);
}

void table_list_begin(struct table_cursor *cursor, const GArray *array, const GPtrArray *pointers, void *made,
	GDestroyNotify free)
{
	struct table_list *c = (struct table_list *)cursor;

	c->array = array;
	c->pointers = pointers;
	c->next = 0;
	c->n = array ? array->len : pointers ? pointers->len : 0;
	c->made = made;
	c->free = free;
}

int table_list_next(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct table_list *c = (struct table_list *)cursor;
	guint i = c->next;

	if (i >= c->n)
		return 0;
	c->next++;
	*row = c->array ? c->array->data + i * g_array_get_element_size((GArray *)(uintptr_t)c->array)
			: g_ptr_array_index(c->pointers, i);
	return 1;
}

void table_list_close(struct table_cursor *cursor)
{
	struct table_list *c = (struct table_list *)cursor;

	if (c->made)
		c->free(c->made);
}

uint64_t table_left(struct table_cursor *c)
{
	const struct table_list *list = (const struct table_list *)c;
	const void *row;

	if (c->table->next == table_list_next)
		return list->n - list->next;
	return table_next(c, &row, NULL) > 0;
}

/* ---- cells ---- */

int64_t table_id(uint32_t id)
{
	return id == MDL_NONE ? BASE_TIME_NONE : (int64_t)id;
}

int64_t table_natural(int64_t number)
{
	return number < 0 ? BASE_TIME_NONE : number;
}

int64_t table_bound(int64_t error)
{
	return error == INT64_MAX ? BASE_TIME_NONE : error;
}

int64_t table_nr(const struct qry *q, uint32_t row)
{
	return row == MDL_NONE ? BASE_TIME_NONE : qry_row(q, row)->nr;
}

const char *table_name(const struct qry *q, uint32_t row, int64_t time)
{
	return row == MDL_NONE ? NULL : qry_name_at(q, row, time);
}

const char *table_host(const struct qry *q, uint32_t host)
{
	return host == MDL_NONE ? NULL : qry_host(q, host)->name;
}

void table_texts(struct table_cell *cell, enum table_format format, const GPtrArray *texts,
	const char *between)
{
	if (format == TABLE_JSON)
		cell->json = base_json_texts(texts);
	else
		cell->taken = base_text_join(texts, between);
}

/* ---- texts ---- */

char *table_duration_text(int64_t duration)
{
	return base_time_format_duration(duration, !g_get_charset(NULL));
}

char *table_signed_text(int64_t duration)
{
	g_autofree char *length = table_duration_text(ABS(duration));

	return g_strconcat(duration < 0 ? "-" : "+", length, NULL);
}

char *table_bar(uint64_t count, uint64_t most, unsigned longest)
{
	gsize columns = count ? (gsize)((double)count / (double)most * longest + 0.5) : 0;

	return g_strnfill(count ? CLAMP(columns, 1, longest) : 0, '#');
}

char *table_time_text(int64_t time)
{
	return base_time_format_clock(time, 9);
}
