/* SPDX-License-Identifier: MIT */
#include "export/exp_rows.h"

#include "base/base_time.h"

#include <inttypes.h>

struct exp_rows {
	GString *out;          /* weak */
	struct exp_file *file; /* weak; receives OUT; NULL: OUT keeps all */
	table_columns *columns;
	struct table_in in;
	struct exp_evidence *evidence;        /* weak; NULL: rows have none */
	uint64_t wanted;                      /* bits of the columns that the format has */
	unsigned n, order[TABLE_COLUMNS_MAX]; /* their numbers, in the order of the format */
	struct table_column described[TABLE_COLUMNS_MAX];
	const char *headings[TABLE_COLUMNS_MAX + 1]; /* of TABLE */
	struct table_row row;
	struct exp_csv csv;
	struct exp_table *table; /* owned; text only */
};

/* ---- cells ---- */

static void put_csv(struct exp_csv *csv, unsigned type, const struct table_cell *cell)
{
	char share[G_ASCII_DTOSTR_BUF_SIZE];

	switch (type & ~TABLE_FLAGS) {
	case TABLE_WORD:
	case TABLE_LONG: exp_csv_text(csv, table_word(cell)); break;
	case TABLE_DECIMAL: exp_csv_decimal(csv, table_word(cell)); break;
	case TABLE_SHARE:
		exp_csv_decimal(csv,
			isnan(cell->share) ? NULL : g_ascii_dtostr(share, sizeof(share), cell->share));
		break;
	case TABLE_YES:
		exp_csv_text(csv,
			cell->number == BASE_TIME_NONE ? NULL
				: cell->number == 1    ? "true"
						       : "false");
		break;
	case TABLE_ANY:
		if (table_word(cell))
			exp_csv_text(csv, table_word(cell));
		else if (isnan(cell->share))
			exp_csv_time(csv, cell->number);
		else
			exp_csv_decimal(csv, table_real_text(share, cell->share));
		break;
	default: exp_csv_time(csv, cell->number);
	}
}

/* The cell as text or Markdown. The caller frees. */
static char *told(unsigned type, const struct table_cell *cell)
{
	char real[G_ASCII_DTOSTR_BUF_SIZE];

	if (table_word(cell)) /* it may replace a number */
		return g_strdup(table_word(cell));
	switch (type & ~TABLE_FLAGS) {
	case TABLE_WORD:
	case TABLE_LONG:
	case TABLE_DECIMAL: return g_strdup("");
	case TABLE_ANY:
		if (!isnan(cell->share))
			return g_strdup(g_ascii_formatd(real, sizeof real,
				fabs(cell->share) < 1e6 ? "%.6g" : "%.0f", cell->share));
		return cell->number == BASE_TIME_NONE ? g_strdup("-")
						      : g_strdup_printf("%" PRId64, cell->number);
	case TABLE_YES:
		return g_strdup(cell->number == BASE_TIME_NONE ? "-" : cell->number == 1 ? "yes" : "no");
	case TABLE_SHARE:
		return isnan(cell->share) ? g_strdup("-") : g_strdup_printf("%.1f %%", 100 * cell->share);
	case TABLE_TIME: return table_time_text(cell->number);
	case TABLE_DURATION: return table_duration_text(cell->number);
	default:
		return cell->number == BASE_TIME_NONE ? g_strdup("-")
						      : g_strdup_printf("%" PRId64, cell->number);
	}
}

/* ---- columns ---- */

static bool has_column(enum table_format format, const struct table_column *column)
{
	return !(column->type & TABLE_ONLY_SQL) && (table_told(format) ? !!column->heading : !!*column->name);
}

/* True if COLUMN belongs after the columns that are not late. */
static bool is_late(enum table_format format, const struct table_column *column)
{
	return table_told(format) ? column->type == TABLE_LONG
				  : format == TABLE_CSV && column->type & TABLE_LATE;
}

static void choose_columns(struct exp_rows *rows)
{
	unsigned n = table_describe(rows->columns, &rows->in, rows->described);

	for (unsigned late = 0; late < 2; late++)
		for (unsigned i = 0; i < n; i++)
			if (has_column(rows->in.format, &rows->described[i]) &&
				is_late(rows->in.format, &rows->described[i]) == !!late) {
				rows->wanted |= UINT64_C(1) << i;
				rows->order[rows->n++] = i;
			}
}

static const struct table_column *nth(const struct exp_rows *rows, unsigned i)
{
	return &rows->described[rows->order[i]];
}

/* ---- rows ---- */

struct exp_rows *exp_rows_new(GString *out, const char *key, table_columns *columns,
	const struct exp_options *o, struct qry *q, const void *context)
{
	struct exp_rows *rows = g_new0(struct exp_rows, 1);
	g_autoptr(GString) names = g_string_new(NULL);

	rows->out = out;
	rows->file = o->file;
	rows->columns = columns;
	rows->in = (struct table_in){ .q = q, .context = context, .format = o->format };
	choose_columns(rows);
	if (o->format == TABLE_JSON) {
		base_json_begin_list(out, key);
		return rows;
	}
	for (unsigned i = 0; i < rows->n; i++) {
		g_string_append_printf(names, "%s%s", i ? "," : "", nth(rows, i)->name);
		rows->headings[i] = nth(rows, i)->heading;
	}
	if (o->format == TABLE_CSV)
		rows->csv = exp_csv_begin(out, names->str);
	else if (o->format == TABLE_TEXT)
		rows->table = exp_table_new(rows->headings, rows->file);
	else
		exp_markdown_begin(out, rows->headings);
	return rows;
}

/* Write the current row as an object of JSON. */
static void put_members(struct exp_rows *rows)
{
	base_json_begin_line(rows->out);
	for (unsigned i = 0; i < rows->n; i++)
		table_json_cell(rows->out, nth(rows, i), &rows->row.cells[rows->order[i]]);
	base_json_end_line(rows->out);
}

/* Write the current row as a line. */
static void put_line(struct exp_rows *rows)
{
	for (unsigned i = 0; i < rows->n; i++) {
		const struct table_cell *cell = &rows->row.cells[rows->order[i]];

		if (rows->in.format == TABLE_CSV) {
			put_csv(&rows->csv, nth(rows, i)->type, cell);
		} else if (rows->in.format == TABLE_MARKDOWN) {
			g_autofree char *text = told(nth(rows, i)->type, cell);

			exp_markdown_cell(rows->out, text);
		} else {
			exp_table_take(rows->table, told(nth(rows, i)->type, cell));
		}
	}
	if (rows->in.format == TABLE_CSV)
		exp_csv_end_line(&rows->csv);
	if (rows->in.format == TABLE_MARKDOWN)
		exp_markdown_end_line(rows->out);
}

static void put_row(struct exp_rows *rows, const void *row, const struct table_in *in)
{
	table_row_fill(&rows->row, rows->wanted, rows->columns, row, in);
	if (rows->in.format == TABLE_JSON)
		put_members(rows);
	else
		put_line(rows);
	table_row_clear(&rows->row);
	if (rows->evidence)
		exp_evidence_check(rows->evidence);
	else
		exp_file_take(rows->file, rows->out);
}

void exp_rows_add(struct exp_rows *rows, const void *row)
{
	put_row(rows, row, &rows->in);
	rows->in.number++;
}

void exp_rows_finish(struct exp_rows *rows)
{
	if (rows->evidence)
		exp_evidence_flush(rows->evidence);
	if (rows->in.format == TABLE_JSON)
		base_json_end_list(rows->out);
	if (rows->table)
		exp_table_finish(rows->table, rows->out);
	g_free(rows);
}

bool exp_rows_asked(GString *out, const struct table_asked *asked, const struct exp_options *o, struct qry *q,
	uint64_t most, uint64_t *left, GError **error)
{
	struct exp_evidence *evidence = o->format == TABLE_JSON ? exp_evidence_new(q, out, o) : NULL;
	struct table_question ask = asked->ask;
	struct table_cursor *c;
	struct exp_rows *rows;
	const void *row;
	int found;

	ask.format = o->format;
	ask.progress = o->progress;
	ask.evidence = exp_evidence_of(evidence);
	c = table_open(asked->table, q, &ask, error);
	rows = c ? exp_rows_new(out, asked->table->list, asked->table->columns, o, q, c->in.context) : NULL;
	found = c ? 1 : -1;
	if (rows && evidence) {
		rows->evidence = evidence;
		rows->in.evidence = ask.evidence;
	}
	while (c && c->rows < most && !(o->file && exp_file_failed(o->file)) &&
		(found = table_next(c, &row, error)) > 0)
		exp_rows_add(rows, row);
	if (c && left && c->rows == most)
		*left = table_left(c);
	if (rows)
		exp_rows_finish(rows);
	table_close(c);
	return exp_evidence_finish(evidence, found < 0 ? NULL : error) && found >= 0;
}

bool exp_rows_table(GString *out, const struct table *table, const struct exp_options *o, struct qry *q,
	const void *result, uint64_t most, uint64_t *left, GError **error)
{
	const struct table_asked asked = { table,
		{ .row = o->row,
			.host = MDL_NONE,
			.from = o->from,
			.to = o->to,
			.hide_tracer = o->hide_tracer,
			.kind = o->kind,
			.top = o->top,
			.columns = o->n_columns,
			.result = result } };

	return exp_rows_asked(out, &asked, o, q, most, left, error);
}

bool exp_rows_all(GString *out, const struct table *table, const struct exp_options *o, struct qry *q,
	const void *result, GError **error)
{
	return exp_rows_table(out, table, o, q, result, UINT64_MAX, NULL, error);
}

bool exp_rows_whole(exp_writer *within, GString *out, struct qry *q, const void *result,
	const struct exp_options *o, GError **error)
{
	bool fine;

	if (o->format == TABLE_JSON)
		g_string_append_c(out, '{');
	fine = within(out, q, result, o, error);
	if (!fine) { /* a partial result is useless */
		g_string_truncate(out, 0);
		return false;
	}
	if (o->format == TABLE_JSON)
		g_string_append(out, "}\n");
	if (o->format == TABLE_MARKDOWN)
		exp_markdown_command(out, o->command);
	return true;
}

void exp_json_window(GString *out, const struct exp_options *o)
{
	base_json_time(out, "from", o->from);
	base_json_time(out, "to", o->to);
}
