/* SPDX-License-Identifier: MIT */
/* Rows, threads, grades and addresses as JSON. */
#include "table/json.h"

#include "analysis/kind/kind.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>

/* ---- rows ---- */

void table_json_cell(GString *o, const struct table_column *column, struct table_cell *cell)
{
	if (cell->json) {
		base_json_put(o, column->name, g_steal_pointer(&cell->json));
		return;
	}
	switch (column->type & ~TABLE_FLAGS) {
	case TABLE_WORD:
	case TABLE_LONG:
	case TABLE_DECIMAL:
		(cell->is_known ? base_json_string : base_json_text)(o, column->name, table_word(cell));
		break;
	case TABLE_ANY:
		if (table_word(cell))
			base_json_string(o, column->name, table_word(cell));
		else if (isnan(cell->share))
			base_json_time(o, column->name, cell->number);
		else
			base_json_decimal(o, column->name, cell->share);
		break;
	case TABLE_SHARE: base_json_decimal(o, column->name, cell->share); break;
	case TABLE_YES:
		if (cell->number == BASE_TIME_NONE)
			base_json_null(o, column->name);
		else
			base_json_yes(o, column->name, cell->number == 1);
		break;
	default: base_json_time(o, column->name, cell->number);
	}
}

static GString *row_json(table_columns *columns, const struct table_in *in, const void *row)
{
	struct table_column described[TABLE_COLUMNS_MAX];
	struct table_row filled;
	GString *o = base_json_object();

	filled.columns = described;
	filled.for_json = true;
	table_row_fill(&filled, UINT64_MAX, columns, row, in);
	for (unsigned i = 0; i < filled.n; i++)
		if (filled.wanted >> i & 1)
			table_json_cell(o, &described[i], &filled.cells[i]);
	table_row_clear(&filled);
	return o;
}

GString *table_json_row(table_columns *columns, struct qry *q, const void *context, const void *row)
{
	const struct table_in in = { .q = q, .context = context, .format = TABLE_JSON };

	return row_json(columns, &in, row);
}

GString *table_json_array(table_columns *columns, struct qry *q, const void *context, const GArray *array)
{
	struct table_in in = { .q = q, .context = context, .format = TABLE_JSON };
	gsize size = g_array_get_element_size((GArray *)(uintptr_t)array);
	GString *list = base_json_list();

	for (; in.number < array->len; in.number++)
		base_json_put(list, NULL, row_json(columns, &in, array->data + in.number * size));
	return list;
}

/* ---- objects ---- */

void table_json_id(GString *o, const char *key, uint32_t value)
{
	base_json_time(o, key, value == MDL_NONE ? BASE_TIME_NONE : (int64_t)value);
}

GString *table_json_subject(const struct qry *q, uint32_t row)
{
	const struct qry_row *r = qry_row(q, row);
	GString *o = base_json_object();

	base_json_string(o, "type", qry_row_type_name(r->type));
	base_json_text(o, "host", qry_host(q, r->host)->name);
	if (r->type == MDL_ROW_THREAD) {
		base_json_int(o, "tid", r->nr);
		base_json_natural(o, "pid", r->pid);
	} else if (r->type != MDL_ROW_CPU) {
		base_json_int(o, "nr", r->nr);
	}
	if (r->type == MDL_ROW_CPU)
		base_json_int(o, "cpu", r->nr);
	else if (r->cpu != MDL_NONE)
		table_json_id(o, "cpu", r->cpu);
	if (r->type != MDL_ROW_CPU)
		base_json_text(o, "name", r->name);
	return o;
}

GString *table_json_thread(const struct qry *q, uint32_t row, int64_t time)
{
	GString *o;

	if (row == MDL_NONE)
		return NULL;
	o = base_json_object();
	base_json_text(o, "host", qry_host(q, qry_row(q, row)->host)->name);
	base_json_int(o, "tid", qry_row(q, row)->nr);
	base_json_text(o, "name", qry_name_at(q, row, time));
	return o;
}

void table_json_address(GString *o, const char *key, uint64_t address)
{
	g_autofree char *text = address != 0 ? g_strdup_printf("0x%" PRIx64, address) : NULL;

	base_json_text(o, key, text);
}

GString *table_json_doubts(mdl_doubts doubts)
{
	g_autoptr(GPtrArray) words = ana_doubts_list(doubts, false);

	return base_json_texts(words);
}

void table_json_grade(GString *o, const char *prefix, mdl_doubts doubts)
{
	g_autofree char *grade = g_strconcat(prefix, "grade", NULL),
			*reasons = g_strconcat(prefix, "doubts", NULL);

	base_json_string(o, grade, ana_grade_name(doubts));
	base_json_put(o, reasons, table_json_doubts(doubts));
}

void table_json_no_grade(GString *o, const char *prefix)
{
	g_autofree char *grade = g_strconcat(prefix, "grade", NULL),
			*reasons = g_strconcat(prefix, "doubts", NULL);

	base_json_null(o, grade);
	base_json_put(o, reasons, base_json_list());
}
