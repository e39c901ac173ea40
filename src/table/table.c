/* SPDX-License-Identifier: MIT */
/* Cells, rows and cursors of all tables. */
#include "table/rows.h"

#include "analysis/account/account.h"
#include "analysis/kind/advice.h"
#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/host/tracer.h"

#include <string.h>

/* ---- rows ---- */

bool table_told(enum table_format format)
{
	return format == TABLE_TEXT || format == TABLE_MARKDOWN;
}

/* The length of the type of JSON at the begin of DOC; 0 if there is none. */
static size_t json_length(const char *doc)
{
	static const char *const lower[] = { "{}", "text[]", "decimal" };
	size_t n = strspn(doc, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

	n += n && g_str_has_prefix(doc + n, "[]") ? 2 : 0;
	for (size_t i = 0; !n && i < G_N_ELEMENTS(lower); i++)
		n = g_str_has_prefix(doc, lower[i]) ? strlen(lower[i]) : 0;
	return g_str_has_prefix(doc + n, ": ") ? n : 0;
}

void table_row_describe(struct table_row *to, unsigned i, struct table_column column)
{
	size_t n = json_length(column.doc);

	if (n) {
		column.json = column.doc;
		column.doc += n + strlen(": ");
	}
	if (column.heading && *column.heading == '(') {
		column.told = column.heading + 1;
		column.heading = NULL;
	}
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

/* Set the rows of list C from the result. False with an error. */
static bool list_open(struct table_list *c, GError **error)
{
	const struct table *table = c->of.table;
	const void *result = c->of.ask.result;
	GError *problem = NULL;

	if (!result) {
		g_assert(table->make);
		result = c->made = table->make(&c->of, &problem);
	}
	c->of.in.context = result;
	c->rows = !result || table->part == TABLE_WHOLE ? result
							: G_STRUCT_MEMBER(const void *, result, table->part);
	if (problem)
		g_propagate_error(error, problem);
	return !problem;
}

static guint list_length(const struct table_list *c)
{
	if (!c->rows)
		return 0;
	return c->of.table->rows_are == TABLE_ROWS_ARRAY ? ((const GArray *)c->rows)->len
							 : ((const GPtrArray *)c->rows)->len;
}

int table_list_next(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct table_list *c = (struct table_list *)cursor;
	GArray *array = (GArray *)(uintptr_t)c->rows;

	if (c->next >= list_length(c))
		return 0;
	*row = cursor->table->rows_are == TABLE_ROWS_ARRAY
		? array->data + (gsize)c->next * g_array_get_element_size(array)
		: g_ptr_array_index((const GPtrArray *)c->rows, c->next);
	c->next++;
	return 1;
}

struct table_cursor *table_open(const struct table *table, struct qry *q, const struct table_question *ask,
	GError **error)
{
	struct table_cursor *c = g_malloc0(MAX(table->size, sizeof(struct table_list)));

	c->table = table;
	c->q = q;
	c->ask = *ask;
	c->wanted = UINT64_MAX;
	c->in = (struct table_in){ .q = q, .format = ask->format, .evidence = ask->evidence };
	if ((table->rows_are == TABLE_ROWS_READ || ask->no_rows ||
		    list_open((struct table_list *)c, error)) &&
		(!table->open || table->open(c, error)))
		return c;
	table_close(c);
	return NULL;
}

bool table_work(struct table_cursor *c)
{
	c->rows = 0;
	return c->table->work && !base_progress_cancelled(c->ask.progress) && c->table->work(c);
}

uint32_t table_next_thread(const struct table_cursor *c, uint32_t *next)
{
	bool one = c->ask.row != MDL_NONE;
	uint32_t end = one ? c->ask.row + 1 : qry_row_count(c->q);

	for (*next = one ? MAX(*next, c->ask.row) : *next; *next < end; ++*next) {
		const struct qry_row *r = qry_row(c->q, *next);

		if (r->type == MDL_ROW_THREAD && (c->ask.host == MDL_NONE || r->host == c->ask.host) &&
			!(c->ask.hide_tracer && qry_is_tracer(c->q, *next)))
			return (*next)++;
	}
	return MDL_NONE;
}

int table_next(struct table_cursor *c, const void **row, GError **error)
{
	int found;

	if (base_progress_cancelled(c->ask.progress)) {
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
		return -1;
	}
	c->in.number = c->rows;
	found = (c->table->next ? c->table->next : table_list_next)(c, row, error);
	if (found > 0)
		c->rows++;
	return found;
}

bool table_needs_event(struct qry *q, const char *event, GError **error)
{
	for (uint32_t i = 0; i < qry_host_count(q); i++)
		if (!ana_advice_is_missing(q, i, event))
			return true;
	return base_error_false(error, BASE_ERROR_NO_ANSWER, "%s: no %s was recorded; record it with: %s",
		qry_host(q, 0)->name, event, ana_advice_command(q, 0, event));
}

bool table_needs_packets(struct qry *q, GError **error)
{
	for (uint32_t i = 0; i < qry_host_count(q); i++)
		if (!ana_advice_packets(q, i))
			return true;
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		"%s: no %s was recorded, so packets are not known; record all events of net",
		qry_host(q, 0)->name, ana_advice_packets(q, 0));
}

uint64_t table_count_rows(struct qry *q)
{
	return qry_row_count(q);
}

uint64_t table_left(struct table_cursor *c)
{
	const struct table_list *list = (const struct table_list *)c;
	const void *row;

	if (c->table->rows_are != TABLE_ROWS_READ && !c->table->next)
		return list_length(list) - list->next;
	return table_next(c, &row, NULL) > 0;
}

void table_close(struct table_cursor *c)
{
	if (c && c->table->close)
		c->table->close(c);
	if (c && c->table->rows_are != TABLE_ROWS_READ && ((struct table_list *)c)->made)
		c->table->free(((struct table_list *)c)->made);
	g_free(c);
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

char *table_cause(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	const struct ana_account_of of = { .what = ANA_ACCOUNT_THREAD, .row = row, .from = from, .to = to };

	if (row == MDL_NONE || ana_advice_switches(q, qry_row(q, row)->host))
		return NULL;
	return ana_account_text(q, &of);
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

const char *table_real_text(char *to, double number)
{
	g_ascii_formatd(to, G_ASCII_DTOSTR_BUF_SIZE, "%.15g", number);
	if (g_ascii_strtod(to, NULL) != number)
		g_ascii_formatd(to, G_ASCII_DTOSTR_BUF_SIZE, "%.17g", number);
	return to;
}

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
