// SPDX-License-Identifier: MIT
#include "export/exp_rows.h"

#include "export/exp_csv.h"
#include "export/exp_json.h"
#include "export/exp_table.h"

#include "base/base_time.h"

struct exp_rows {
	GString *out;				/* weak */
	const struct exp_column *columns;	/* weak */
	struct exp_rows_in in;
	struct exp_csv csv;
	struct exp_table *table;		/* owned; of the text */
	const struct exp_column **shown;	/* owned, of the text: its columns, ended by NULL */
	const char **headings;			/* owned: theirs */
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

static struct exp_cell cell_of(const struct exp_rows *rows, const struct exp_column *c, const void *row)
{
	struct exp_cell cell = { .number = BASE_TIME_NONE };

	c->get(&cell, row, &rows->in);
	return cell;
}

static void cell_clear(struct exp_cell *cell)
{
	g_free(cell->taken);
	if (cell->json)
		json_node_unref(cell->json);
}

static void put_json(JsonObject *o, const struct exp_column *c, struct exp_cell *cell)
{
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

static void put_csv(struct exp_csv *csv, const struct exp_column *c, const struct exp_cell *cell)
{
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

static void put_text(struct exp_table *table, const struct exp_column *c, const struct exp_cell *cell)
{
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

static void begin_csv(struct exp_rows *rows)
{
	GString *names = g_string_new(NULL);

	for (const struct exp_column *c = rows->columns; c->name; c++)
		if (*c->name)
			g_string_append_printf(names, "%s%s", names->len ? "," : "", c->name);
	rows->csv = exp_csv_begin(rows->out, names->str);
	g_string_free(names, TRUE);
}

/* Those with a heading, in the order of the text. */
static void begin_text(struct exp_rows *rows)
{
	guint n = 0;

	for (const struct exp_column *c = rows->columns; c->name; c++)
		n++;
	rows->headings = g_new0(const char *, n + 1);
	rows->shown = g_new0(const struct exp_column *, n + 1);
	n = 0;
	for (unsigned last = 0; last < 2; last++)
		for (const struct exp_column *c = rows->columns; c->name; c++)
			if (c->heading && (c->type == EXP_LONG) == (last == 1))
				rows->shown[n++] = c;
	for (guint i = 0; i < n; i++)
		rows->headings[i] = rows->shown[i]->heading;
	rows->table = exp_table_new(rows->headings);
}

struct exp_rows *exp_rows_new(GString *out, const char *key, const struct exp_column *columns, enum exp_format format, struct qry *q,
			      const void *context)
{
	struct exp_rows *rows = g_new0(struct exp_rows, 1);

	rows->out = out;
	rows->columns = columns;
	rows->in = (struct exp_rows_in){ .q = q, .context = context, .format = format };
	switch (format) {
	case EXP_JSON:
		exp_json_begin_list(out, key);
		break;
	case EXP_CSV:
		begin_csv(rows);
		break;
	case EXP_TEXT:
		begin_text(rows);
		break;
	}
	return rows;
}

static void add_text(struct exp_rows *rows, const void *row)
{
	for (const struct exp_column **c = rows->shown; *c; c++) {
		struct exp_cell cell = cell_of(rows, *c, row);

		put_text(rows->table, *c, &cell);
		cell_clear(&cell);
	}
}

static void add_csv(struct exp_rows *rows, const void *row)
{
	for (const struct exp_column *c = rows->columns; c->name; c++) {
		struct exp_cell cell;

		if (!*c->name)
			continue;
		cell = cell_of(rows, c, row);
		put_csv(&rows->csv, c, &cell);
		cell_clear(&cell);
	}
	exp_csv_end_line(&rows->csv);
}

static void add_json(struct exp_rows *rows, const void *row)
{
	JsonObject *o = json_object_new();

	for (const struct exp_column *c = rows->columns; c->name; c++) {
		struct exp_cell cell;

		if (!*c->name)
			continue;
		cell = cell_of(rows, c, row);
		put_json(o, c, &cell);
		cell_clear(&cell);
	}
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
	switch (rows->in.format) {
	case EXP_JSON:
		add_json(rows, row);
		break;
	case EXP_CSV:
		add_csv(rows, row);
		break;
	case EXP_TEXT:
		add_text(rows, row);
		break;
	}
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
	g_free(rows->headings);
	g_free(rows->shown);
	g_free(rows);
}
