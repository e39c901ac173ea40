/* SPDX-License-Identifier: MIT */
#include "export/exp_rows.h"

#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <math.h>

/* A column of the current row, and its cell. */
struct slot {
	const char *name, *heading; /* static */
	enum exp_type type;
	bool is_late; /* comes after the columns that are not */
	struct exp_cell cell;
};

struct exp_rows {
	GString *out;          /* weak */
	struct exp_file *file; /* weak: takes OUT; NULL: OUT keeps all */
	exp_columns *columns;
	struct exp_rows_in in;
	GArray *slots; /* of struct slot, owned: the columns that the format has */
	bool any_late; /* any of the slots is late */
	struct exp_csv csv;
	struct exp_table *table; /* owned; text only */
	const char **headings;   /* owned: of TABLE */
};

/* ---- cells ---- */

bool exp_rows_told(enum exp_format format)
{
	return format == EXP_TEXT || format == EXP_MARKDOWN;
}

int64_t exp_rows_id(uint32_t id)
{
	return id == MDL_NONE ? BASE_TIME_NONE : (int64_t)id;
}

int64_t exp_rows_natural(int64_t number)
{
	return number < 0 ? BASE_TIME_NONE : number;
}

int64_t exp_rows_bound(int64_t error)
{
	return error == INT64_MAX ? BASE_TIME_NONE : error;
}

int64_t exp_rows_nr(const struct qry *q, uint32_t row)
{
	return row == MDL_NONE ? BASE_TIME_NONE : qry_row(q, row)->nr;
}

const char *exp_rows_name(const struct qry *q, uint32_t row, int64_t time)
{
	return row == MDL_NONE ? NULL : qry_name_at(q, row, time);
}

const char *exp_rows_host(const struct qry *q, uint32_t host)
{
	return host == MDL_NONE ? NULL : qry_host(q, host)->name;
}

void exp_rows_texts(struct exp_cell *cell, enum exp_format format, const GPtrArray *texts,
	const char *between)
{
	if (format == EXP_JSON)
		cell->json = base_json_texts(texts);
	else
		cell->taken = base_text_join(texts, between);
}

static const char *word_of(const struct exp_cell *cell)
{
	return cell->taken ? cell->taken : cell->word;
}

static void slot_clear(void *slot)
{
	struct exp_cell *cell = &((struct slot *)slot)->cell;

	g_free(cell->taken);
	if (cell->json)
		g_string_free(cell->json, TRUE);
}

static void put_json(GString *o, struct slot *c)
{
	struct exp_cell *cell = &c->cell;

	if (cell->json) {
		base_json_put(o, c->name, g_steal_pointer(&cell->json));
		return;
	}
	switch (c->type) {
	case EXP_WORD:
	case EXP_LONG:
	case EXP_DECIMAL:
		(cell->is_known ? base_json_string : base_json_text)(o, c->name, word_of(cell));
		break;
	case EXP_SHARE: base_json_decimal(o, c->name, cell->share); break;
	case EXP_YES:
		if (cell->number == BASE_TIME_NONE)
			base_json_null(o, c->name);
		else
			base_json_yes(o, c->name, cell->number == 1);
		break;
	default: base_json_time(o, c->name, cell->number);
	}
}

static void put_csv(struct exp_csv *csv, const struct slot *c)
{
	const struct exp_cell *cell = &c->cell;
	char share[G_ASCII_DTOSTR_BUF_SIZE];

	switch (c->type) {
	case EXP_WORD:
	case EXP_LONG: exp_csv_text(csv, word_of(cell)); break;
	case EXP_DECIMAL: exp_csv_decimal(csv, word_of(cell)); break;
	case EXP_SHARE:
		exp_csv_decimal(csv,
			isnan(cell->share) ? NULL : g_ascii_dtostr(share, sizeof(share), cell->share));
		break;
	case EXP_YES:
		exp_csv_text(csv,
			cell->number == BASE_TIME_NONE ? NULL
				: cell->number == 1    ? "true"
						       : "false");
		break;
	default: exp_csv_time(csv, cell->number);
	}
}

/* The cell as text and Markdown have it.  The caller frees. */
static char *told(const struct slot *c)
{
	const struct exp_cell *cell = &c->cell;

	if (word_of(cell)) /* also instead of a number */
		return g_strdup(word_of(cell));
	switch (c->type) {
	case EXP_WORD:
	case EXP_LONG:
	case EXP_DECIMAL: return g_strdup("");
	case EXP_YES:
		return g_strdup(cell->number == BASE_TIME_NONE ? "-" : cell->number == 1 ? "yes" : "no");
	case EXP_SHARE:
		return isnan(cell->share) ? g_strdup("-") : g_strdup_printf("%.1f %%", 100 * cell->share);
	case EXP_TIME: return exp_table_time(cell->number);
	case EXP_DURATION: return exp_table_duration(cell->number);
	default:
		return cell->number == BASE_TIME_NONE ? g_strdup("-")
						      : g_strdup_printf("%" PRId64, cell->number);
	}
}

/* ---- rows ---- */

struct exp_cell *exp_rows_cell(struct exp_rows *rows, const char *name, const char *heading,
	enum exp_type type)
{
	struct slot slot = { name, heading, type & ~EXP_LATE, false,
		{ .number = BASE_TIME_NONE, .share = NAN } };

	if (exp_rows_told(rows->in.format) ? !heading : !*name)
		return NULL;
	slot.is_late = exp_rows_told(rows->in.format) ? type == EXP_LONG
						      : rows->in.format == EXP_CSV && type & EXP_LATE;
	rows->any_late |= slot.is_late;
	g_array_append_val(rows->slots, slot);
	return &g_array_index(rows->slots, struct slot, rows->slots->len - 1).cell;
}

static int by_lateness(const void *a, const void *b)
{
	return ((const struct slot *)a)->is_late - ((const struct slot *)b)->is_late;
}

/* Fill the slots from ROW, in the order of the format; NULL: only the names. */
static void fill(struct exp_rows *rows, const void *row)
{
	g_array_set_size(rows->slots, 0);
	rows->columns(rows, row, &rows->in);
	if (rows->any_late)
		g_array_sort(rows->slots, by_lateness); /* keeps the order of equals */
}

static struct slot *slot_at(const struct exp_rows *rows, guint i)
{
	return &g_array_index(rows->slots, struct slot, i);
}

struct exp_rows *exp_rows_new(GString *out, const char *key, exp_columns *columns,
	const struct exp_options *o, struct qry *q, const void *context)
{
	struct exp_rows *rows = g_new0(struct exp_rows, 1);
	g_autoptr(GString) names = g_string_new(NULL);

	rows->out = out;
	rows->file = o->file;
	rows->columns = columns;
	rows->in = (struct exp_rows_in){ .q = q, .context = context, .format = o->format };
	rows->slots = g_array_new(FALSE, FALSE, sizeof(struct slot));
	g_array_set_clear_func(rows->slots, slot_clear);
	if (o->format == EXP_JSON) {
		base_json_begin_list(out, key);
		return rows;
	}
	fill(rows, NULL);
	rows->headings = g_new0(const char *, rows->slots->len + 1);
	for (guint i = 0; i < rows->slots->len; i++) {
		g_string_append_printf(names, "%s%s", i ? "," : "", slot_at(rows, i)->name);
		rows->headings[i] = slot_at(rows, i)->heading;
	}
	if (o->format == EXP_CSV)
		rows->csv = exp_csv_begin(out, names->str);
	else if (o->format == EXP_TEXT)
		rows->table = exp_table_new(rows->headings, rows->file);
	else
		exp_markdown_begin(out, rows->headings);
	return rows;
}

/* The current row as members of the open object O. */
static void put_members(GString *o, const struct exp_rows *rows)
{
	for (guint i = 0; i < rows->slots->len; i++)
		put_json(o, slot_at(rows, i));
}

void exp_rows_await(struct exp_rows *rows, struct exp_evidence *evidence)
{
	rows->in.evidence = evidence;
}

/* The current row as a line. */
static void put_line(struct exp_rows *rows)
{
	for (guint i = 0; i < rows->slots->len; i++) {
		switch (rows->in.format) {
		case EXP_CSV: put_csv(&rows->csv, slot_at(rows, i)); break;
		case EXP_MARKDOWN: {
			g_autofree char *text = told(slot_at(rows, i));

			exp_markdown_cell(rows->out, text);
			break;
		}
		default: exp_table_take(rows->table, told(slot_at(rows, i)));
		}
	}
	if (rows->in.format == EXP_CSV)
		exp_csv_end_line(&rows->csv);
	if (rows->in.format == EXP_MARKDOWN)
		exp_markdown_end_line(rows->out);
}

void exp_rows_add(struct exp_rows *rows, const void *row)
{
	fill(rows, row);
	if (rows->in.format == EXP_JSON) {
		base_json_begin_line(rows->out);
		put_members(rows->out, rows);
		base_json_end_line(rows->out);
	} else {
		put_line(rows);
	}
	rows->in.number++;
	if (rows->in.evidence)
		exp_evidence_check(rows->in.evidence);
	else
		exp_file_take(rows->file, rows->out);
}

void exp_rows_finish(struct exp_rows *rows)
{
	if (rows->in.evidence)
		exp_evidence_flush(rows->in.evidence);
	if (rows->in.format == EXP_JSON)
		base_json_end_list(rows->out);
	if (rows->table)
		exp_table_finish(rows->table, rows->out);
	g_array_unref(rows->slots);
	g_free(rows->headings);
	g_free(rows);
}

static const void *element(const GArray *array, guint i)
{
	return array->data + i * g_array_get_element_size((GArray *)(uintptr_t)array);
}

void exp_rows_array(GString *out, const char *key, exp_columns *columns, const struct exp_options *o,
	struct qry *q, const void *context, const GArray *array, guint most)
{
	struct exp_rows *rows = exp_rows_new(out, key, columns, o, q, context);

	for (guint i = 0; i < MIN(array->len, most); i++)
		exp_rows_add(rows, element(array, i));
	exp_rows_finish(rows);
}

GString *exp_rows_json(exp_columns *columns, struct qry *q, const void *context, const void *row)
{
	struct exp_rows rows = { .columns = columns,
		.in = { .q = q, .context = context, .format = EXP_JSON },
		.slots = g_array_new(FALSE, FALSE, sizeof(struct slot)) };
	GString *o = base_json_object();

	g_array_set_clear_func(rows.slots, slot_clear);
	fill(&rows, row);
	put_members(o, &rows);
	g_array_unref(rows.slots);
	return o;
}

GString *exp_rows_json_array(exp_columns *columns, struct qry *q, const void *context, const GArray *array)
{
	GString *list = base_json_list();

	for (guint i = 0; i < array->len; i++)
		base_json_put(list, NULL, exp_rows_json(columns, q, context, element(array, i)));
	return list;
}

bool exp_rows_whole(exp_writer *within, GString *out, struct qry *q, const void *result,
	const struct exp_options *o, GError **error)
{
	bool fine;

	if (o->format == EXP_JSON)
		g_string_append_c(out, '{');
	fine = within(out, q, result, o, error);
	if (o->format == EXP_JSON)
		g_string_append(out, "}\n");
	if (o->format == EXP_MARKDOWN)
		exp_markdown_command(out, o->command);
	return fine;
}
