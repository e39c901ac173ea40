// SPDX-License-Identifier: MIT
#include "export/exp_rows.h"

#include "export/exp_csv.h"
#include "export/exp_json.h"
#include "export/exp_table.h"

#include "base/base_time.h"

/* A column of the row at hand, and what is in it. */
struct slot {
	const char *name, *heading;	/* static */
	enum exp_type type;
	struct exp_cell cell;
};

struct exp_rows {
	GString *out;				/* weak */
	exp_columns *columns;
	struct exp_rows_in in;
	bool naming;				/* the columns are asked for their names only */
	GArray *slots;				/* of struct slot, owned: what the format has of the row at hand */
	struct exp_csv csv;
	struct exp_table *table;		/* owned; of the text */
	const char **headings;			/* owned: its */
};

/* ---- cells ---- */

int64_t exp_rows_id(uint32_t id)
{
	return id == MDL_NONE ? BASE_TIME_NONE : (int64_t)id;
}

int64_t exp_rows_natural(int64_t number)
{
	return number < 0 ? BASE_TIME_NONE : number;
}

void exp_rows_object(struct exp_cell *cell, JsonObject *object)
{
	cell->json = json_node_alloc();
	if (object)
		json_node_take_object(json_node_init(cell->json, JSON_NODE_OBJECT), object);
	else
		json_node_init_null(cell->json);
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
		json_node_unref(cell->json);
}

static void put_json(JsonObject *o, struct slot *c)
{
	struct exp_cell *cell = &c->cell;

	if (cell->json) {
		json_object_set_member(o, c->name, g_steal_pointer(&cell->json));
		return;
	}
	switch (c->type) {
	case EXP_WORD:
	case EXP_LONG:
	case EXP_DECIMAL:
		exp_json_text(o, c->name, word_of(cell));
		break;
	case EXP_YES:
		json_object_set_boolean_member(o, c->name, cell->number == TRUE);
		break;
	default:
		exp_json_time(o, c->name, cell->number);
	}
}

static void put_csv(struct exp_csv *csv, const struct slot *c)
{
	const struct exp_cell *cell = &c->cell;

	switch (c->type) {
	case EXP_WORD:
	case EXP_LONG:
		exp_csv_text(csv, word_of(cell));
		break;
	case EXP_DECIMAL:
		exp_csv_decimal(csv, word_of(cell));
		break;
	case EXP_YES:
		exp_csv_text(csv, cell->number == TRUE ? "true" : "false");
		break;
	default:
		exp_csv_time(csv, cell->number);
	}
}

static void put_text(struct exp_table *table, const struct slot *c)
{
	const struct exp_cell *cell = &c->cell;

	if (word_of(cell)) {	/* also of a number: told in another way */
		exp_table_add(table, word_of(cell));
		return;
	}
	switch (c->type) {
	case EXP_WORD:
	case EXP_LONG:
	case EXP_DECIMAL:
		exp_table_add(table, "");
		break;
	case EXP_YES:
		exp_table_add(table, cell->number == TRUE ? "yes" : "no");
		break;
	case EXP_TIME:
		exp_table_add_time(table, cell->number);
		break;
	case EXP_DURATION:
		exp_table_add_duration(table, cell->number);
		break;
	case EXP_NUMBER:
		if (cell->number == BASE_TIME_NONE)
			exp_table_add(table, "-");
		else
			exp_table_add_int(table, cell->number);
	}
}

/* ---- rows ---- */

struct exp_cell *exp_rows_cell(struct exp_rows *rows, const char *name, const char *heading, enum exp_type type)
{
	struct slot slot = { name, heading, type, { .number = BASE_TIME_NONE } };

	if (rows->in.format == EXP_TEXT ? !heading : !*name)
		return NULL;
	g_array_append_val(rows->slots, slot);
	return rows->naming ? NULL : &g_array_index(rows->slots, struct slot, rows->slots->len - 1).cell;
}

/* Whether C stands behind those that do not. */
static bool is_late(const struct exp_rows *rows, const struct slot *c)
{
	return rows->in.format == EXP_TEXT && c->type == EXP_LONG;
}

static int by_lateness(const void *a, const void *b, void *rows)
{
	return is_late(rows, a) - is_late(rows, b);
}

/* What the format has of ROW, in its order; NULL: of no row, the names. */
static void fill(struct exp_rows *rows, const void *row)
{
	rows->naming = row == NULL;
	g_array_set_size(rows->slots, 0);
	rows->columns(rows, row, &rows->in);
	g_array_sort_with_data(rows->slots, by_lateness, rows);	/* keeps the order of equals */
}

static struct slot *slot_at(const struct exp_rows *rows, guint i)
{
	return &g_array_index(rows->slots, struct slot, i);
}

static void begin_csv(struct exp_rows *rows)
{
	GString *names = g_string_new(NULL);

	for (guint i = 0; i < rows->slots->len; i++)
		g_string_append_printf(names, "%s%s", i ? "," : "", slot_at(rows, i)->name);
	rows->csv = exp_csv_begin(rows->out, names->str);
	g_string_free(names, TRUE);
}

static void begin_text(struct exp_rows *rows)
{
	rows->headings = g_new0(const char *, rows->slots->len + 1);
	for (guint i = 0; i < rows->slots->len; i++)
		rows->headings[i] = slot_at(rows, i)->heading;
	rows->table = exp_table_new(rows->headings);
}

struct exp_rows *exp_rows_new(GString *out, const char *key, exp_columns *columns, enum exp_format format, struct qry *q, const void *context)
{
	struct exp_rows *rows = g_new0(struct exp_rows, 1);

	rows->out = out;
	rows->columns = columns;
	rows->in = (struct exp_rows_in){ .q = q, .context = context, .format = format };
	rows->slots = g_array_new(FALSE, FALSE, sizeof(struct slot));
	g_array_set_clear_func(rows->slots, slot_clear);
	if (format == EXP_JSON) {
		exp_json_begin_list(out, key);
		return rows;
	}
	fill(rows, NULL);
	if (format == EXP_CSV)
		begin_csv(rows);
	else
		begin_text(rows);
	return rows;
}

static void add_json(struct exp_rows *rows)
{
	JsonObject *o = json_object_new();

	for (guint i = 0; i < rows->slots->len; i++)
		put_json(o, slot_at(rows, i));
	if (rows->in.evidence)
		exp_evidence_put(rows->in.evidence, o);
	else
		exp_json_put(rows->out, NULL, o);
}

void exp_rows_await(struct exp_rows *rows, struct exp_evidence *evidence)
{
	rows->in.evidence = evidence;
}

void exp_rows_add(struct exp_rows *rows, const void *row)
{
	fill(rows, row);
	if (rows->in.format == EXP_JSON)
		add_json(rows);
	for (guint i = 0; rows->in.format == EXP_CSV && i < rows->slots->len; i++)
		put_csv(&rows->csv, slot_at(rows, i));
	if (rows->in.format == EXP_CSV)
		exp_csv_end_line(&rows->csv);
	for (guint i = 0; rows->table && i < rows->slots->len; i++)
		put_text(rows->table, slot_at(rows, i));
	rows->in.number++;
}

void exp_rows_finish(struct exp_rows *rows)
{
	if (rows->in.evidence)
		exp_evidence_flush(rows->in.evidence);
	if (rows->in.format == EXP_JSON)
		exp_json_end_list(rows->out);
	if (rows->table)
		exp_table_finish(rows->table, rows->out, "");
	g_array_unref(rows->slots);
	g_free(rows->headings);
	g_free(rows);
}

void exp_rows_array(GString *out, const char *key, exp_columns *columns, enum exp_format format, struct qry *q, const void *context,
		    const GArray *array, guint most)
{
	struct exp_rows *rows = exp_rows_new(out, key, columns, format, q, context);

	for (guint i = 0; i < MIN(array->len, most); i++)
		exp_rows_add(rows, array->data + i * g_array_get_element_size((GArray *)(uintptr_t)array));
	exp_rows_finish(rows);
}
