/* SPDX-License-Identifier: MIT */
#include "ui/widget/list_rows.h"

#include "base/base_search.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <string.h>

/* ---- columns ---- */

static const char *keep_text(struct list_rows *rows, const char *text)
{
	g_autofree char *clean = base_text_clean(text, -1);
	gpointer known = g_hash_table_lookup(rows->known, clean);

	if (known)
		return known;
	known = g_string_chunk_insert(rows->texts, clean);
	g_hash_table_add(rows->known, known);
	rows->bytes += (guint)strlen(clean) + 1 + 2 * (guint)sizeof(void *); /* and in the set */
	return known;
}

static bool is_kept(const struct table_column *column, const char *const *keys)
{
	if (column->type & TABLE_ONLY_SQL)
		return false;
	return column->heading || (keys && *column->name && g_strv_contains(keys, column->name));
}

struct list_rows *list_rows_new(const struct table_cursor *c, const char *const *keys)
{
	struct list_rows *rows = g_new0(struct list_rows, 1);
	struct table_column described[TABLE_COLUMNS_MAX];
	unsigned n = table_describe(c->table->columns, &c->in, described);

	rows->users = 1;
	rows->texts = g_string_chunk_new(4096);
	rows->known = g_hash_table_new(g_str_hash, g_str_equal);
	for (unsigned i = 0; i < n; i++) {
		struct table_column *column = &rows->columns[rows->n_columns];

		if (!is_kept(&described[i], keys))
			continue;
		column->type = described[i].type & ~(unsigned)TABLE_FLAGS;
		column->name = keep_text(rows, described[i].name);
		column->heading = described[i].heading ? keep_text(rows, described[i].heading) : NULL;
		rows->wanted |= UINT64_C(1) << i;
		rows->from[rows->n_columns++] = i;
	}
	return rows;
}

void list_rows_unref(struct list_rows *rows)
{
	if (!rows || !g_atomic_int_dec_and_test(&rows->users))
		return;
	for (guint i = 0; i < G_N_ELEMENTS(rows->blocks); i++)
		g_free(rows->blocks[i]);
	g_hash_table_unref(rows->known);
	g_string_chunk_free(rows->texts);
	g_free(rows);
}

unsigned list_rows_find(const struct list_rows *rows, const char *name)
{
	unsigned i = 0;

	while (i < rows->n_columns && (!name || strcmp(rows->columns[i].name, name) != 0))
		i++;
	return i;
}

bool list_rows_is_text(const struct table_column *column)
{
	return column->type == TABLE_WORD || column->type == TABLE_LONG;
}

/* ---- adding ---- */

static void add_cell(struct list_rows *rows, unsigned column, struct list_cell *to,
	const struct table_cell *cell)
{
	struct list_measure *m = &rows->measures[column];
	const char *word = table_word(cell);

	to->word = word ? keep_text(rows, word) : NULL;
	if (to->word)
		m->width = MAX(m->width, base_text_width(to->word));
	if (rows->columns[column].type == TABLE_SHARE) {
		to->share = cell->share;
		if (cell->share > 0 && cell->share < LIST_SHARE_SCALE)
			m->most = MAX(m->most, (int64_t)(cell->share * LIST_SHARE_SCALE));
		return;
	}
	to->number = cell->number;
	if (cell->number != BASE_TIME_NONE)
		m->most = MAX(m->most, cell->number < 0 ? -cell->number : cell->number);
}

bool list_rows_add(struct list_rows *rows, const struct table_cursor *c, const void *row)
{
	gsize size = sizeof(struct list_block) +
		(gsize)LIST_ROWS_BLOCK * rows->n_columns * sizeof(struct list_cell);
	guint block = rows->n / LIST_ROWS_BLOCK, at = rows->n % LIST_ROWS_BLOCK;
	struct table_row filled = { .columns = NULL };
	struct table_place *place;

	if (rows->n == LIST_ROWS_MAX || (at == 0 && rows->n && rows->bytes + size > LIST_BYTES_MAX) ||
		rows->bytes > LIST_BYTES_MAX) {
		rows->full = true;
		return false;
	}
	if (at == 0) {
		rows->blocks[block] = g_malloc(size);
		rows->bytes += (guint)size;
	}
	table_row_fill(&filled, rows->wanted, c->table->columns, row, &c->in);
	for (unsigned i = 0; i < rows->n_columns; i++)
		add_cell(rows, i, &rows->blocks[block]->cells[(gsize)at * rows->n_columns + i],
			&filled.cells[rows->from[i]]);
	table_row_clear(&filled);
	place = &rows->blocks[block]->places[at];
	if (!c->table->lead || !c->table->lead(c, row, place))
		*place = (struct table_place){ .row = MDL_NONE,
			.from = BASE_TIME_NONE,
			.to = BASE_TIME_NONE };
	rows->n++;
	return true;
}

struct list_part *list_part_new(struct list_rows *rows)
{
	struct list_part *part = g_new(struct list_part, 1);

	g_atomic_int_inc(&rows->users);
	part->rows = rows;
	part->n = rows->n;
	part->full = rows->full;
	memcpy(part->measures, rows->measures, sizeof part->measures);
	return part;
}

void list_part_free(void *data)
{
	struct list_part *part = data;

	if (part)
		list_rows_unref(part->rows);
	g_free(part);
}

/* ---- comparing ---- */

bool list_rows_is_unknown(const struct table_column *column, const struct list_cell *cell)
{
	if (list_rows_is_text(column) || column->type == TABLE_DECIMAL)
		return !cell->word || !*cell->word;
	return column->type == TABLE_SHARE ? isnan(cell->share) : cell->number == BASE_TIME_NONE;
}

/* Decimal texts A and B as numbers. */
static int compare_decimals(const char *a, const char *b)
{
	bool below = *a == '-';
	gsize x = strlen(a), y = strlen(b);

	if (below != (*b == '-'))
		return below ? -1 : 1;
	return (below ? -1 : 1) * (BASE_ORDER(x, y) ?: strcmp(a, b));
}

int list_rows_compare(const struct table_column *column, const struct list_cell *a, const struct list_cell *b,
	bool reversed)
{
	bool no_a = list_rows_is_unknown(column, a), no_b = list_rows_is_unknown(column, b);
	int cmp;

	if (no_a || no_b)
		return no_a - no_b;
	if (list_rows_is_text(column))
		cmp = a->word == b->word ? 0 : strcmp(a->word, b->word);
	else if (column->type == TABLE_DECIMAL)
		cmp = compare_decimals(a->word, b->word);
	else if (column->type == TABLE_SHARE)
		cmp = (a->share > b->share) - (a->share < b->share);
	else
		cmp = BASE_ORDER(a->number, b->number);
	return reversed ? -cmp : cmp;
}
