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
	rows->bytes += (guint)strlen(clean) + 1 + 2 * (guint)sizeof(void *); /* plus its entry in the set */
	return known;
}

/* The name of COLUMN, one of N of ALL.  A column that only exists in text output has no name: it gets its
 * heading as name, if that is one word and no other column's name.  The caller frees. */
static char *name_of(const struct table_column *column, const struct table_column *all, unsigned n)
{
	const char *heading = column->heading ? column->heading + (*column->heading == '>') : "";
	g_autofree char *name = g_ascii_strdown(heading, -1);
	bool free = !*column->name && !heading[strspn(heading, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")];

	for (unsigned i = 0; i < n; i++)
		free &= strcmp(all[i].name, name) != 0;
	return free ? g_steal_pointer(&name) : g_strdup(column->name);
}

/* The heading of COLUMN, called NAME: that in the words of COLUMNS, else its own; NULL: none.  The caller
 * frees. */
static char *heading_of(const struct table_column *column, const char *name, char **columns)
{
	gsize n = strlen(name);

	for (; n && *columns; columns++) {
		const char *behind = *columns + n;

		if (strncmp(*columns, name, n) != 0 || (*behind && !strchr("=?", *behind)))
			continue;
		if (*behind == '=')
			return g_strndup(behind + 1, strcspn(behind + 1, "?"));
		return column->heading ? g_strdup(column->heading) : g_ascii_strup(name, -1);
	}
	return g_strdup(column->heading);
}

struct list_rows *list_rows_new(const struct table_cursor *c, const char *columns, const char *const *keys)
{
	g_auto(GStrv) words = g_strsplit(columns ? columns : "", " ", -1);
	struct list_rows *rows = g_new0(struct list_rows, 1);
	struct table_column described[TABLE_COLUMNS_MAX];
	unsigned n = table_describe(c->table->columns, &c->in, described);
	bool has_headings = false /* the table has headings */, one_host = c->q && qry_host_count(c->q) == 1;

	rows->users = 1;
	rows->row_size = c->table->complete ? c->table->row_size : 0;
	rows->late = g_string_chunk_new(1024);
	rows->texts = g_string_chunk_new(4096);
	rows->known = g_hash_table_new(g_str_hash, g_str_equal);
	for (unsigned i = 0; i < n; i++)
		if (described[i].heading)
			has_headings = true;
	for (unsigned i = 0; i < n; i++) {
		struct table_column *column = &rows->columns[rows->n_columns];
		g_autofree char *name = name_of(&described[i], described, n);
		g_autofree char *heading = has_headings ? heading_of(&described[i], name, words)
							: g_ascii_strup(name, -1);

		if (described[i].type & TABLE_ONLY_SQL ||
			(!heading && !(keys && g_strv_contains(keys, name))) ||
			(one_host && !strcmp(name, "host") &&
				g_strv_contains((const char *const *)words, name)))
			continue;
		rows->costly[rows->n_columns] = described[i].type & TABLE_COSTLY;
		column->type = described[i].type & ~(unsigned)TABLE_FLAGS;
		column->name = keep_text(rows, name);
		column->heading = heading ? keep_text(rows, heading) : NULL;
		rows->wanted |= UINT64_C(1) << i;
		rows->from[rows->n_columns++] = i;
	}
	return rows;
}

void list_rows_unref(struct list_rows *rows)
{
	if (!rows || !g_atomic_int_dec_and_test(&rows->users))
		return;
	for (guint i = 0; i < G_N_ELEMENTS(rows->blocks) && rows->blocks[i]; i++) {
		g_free(rows->blocks[i]->raw);
		g_free(rows->blocks[i]);
	}
	g_string_chunk_free(rows->late);
	g_hash_table_unref(rows->known);
	g_string_chunk_free(rows->texts);
	g_free(rows);
}

const char *list_rows_heading(const struct table_column *column)
{
	return column->heading ? column->heading + (*column->heading == '>') : column->name;
}

char *list_rows_names(const struct list_rows *rows, bool headed)
{
	GString *names = g_string_new(NULL);

	for (unsigned i = 0; i < rows->n_columns; i++)
		if (!headed || rows->columns[i].heading)
			g_string_append_printf(names, " %s", rows->columns[i].name);
	return g_string_free(names, FALSE);
}

unsigned list_rows_find(const struct list_rows *rows, const char *name)
{
	unsigned i = 0;

	while (i < rows->n_columns && (!name || strcmp(rows->columns[i].name, name) != 0))
		i++;
	return i;
}

unsigned list_rows_find_typed(const struct list_rows *rows, const char *name)
{
	unsigned i = list_rows_find(rows, name);

	if (!name || i < rows->n_columns)
		return i;
	for (i = 0; i < rows->n_columns; i++)
		if (rows->columns[i].heading &&
			!g_ascii_strcasecmp(list_rows_heading(&rows->columns[i]), name))
			break;
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
		rows->blocks[block] = g_malloc0(size);
		rows->blocks[block]->raw = rows->row_size ? g_malloc(LIST_ROWS_BLOCK * rows->row_size) : NULL;
		rows->bytes += (guint)(size + LIST_ROWS_BLOCK * rows->row_size);
	}
	if (rows->row_size)
		memcpy(rows->blocks[block]->raw + at * rows->row_size, row, rows->row_size);
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

void list_rows_complete(struct list_part *to, guint row, const struct list_part *part, guint from)
{
	struct list_block *block = to->rows->blocks[row / LIST_ROWS_BLOCK];
	guint at = row % LIST_ROWS_BLOCK;

	memcpy(block->raw + at * to->rows->row_size, list_rows_raw(part->rows, from), to->rows->row_size);
	for (unsigned i = 0; i < to->rows->n_columns; i++) {
		struct list_cell *cell = &block->cells[(gsize)at * to->rows->n_columns + i];

		if (!to->rows->costly[i])
			continue;
		*cell = *list_rows_cell(part->rows, from, i);
		if (cell->word)
			cell->word = g_string_chunk_insert_const(to->rows->late, cell->word);
		to->measures[i].most = MAX(to->measures[i].most, part->measures[i].most);
		to->measures[i].width = MAX(to->measures[i].width, part->measures[i].width);
	}
	block->complete[at] = true;
}

/* ---- comparing ---- */

bool list_rows_is_unknown(const struct table_column *column, const struct list_cell *cell)
{
	if (list_rows_is_text(column) || column->type == TABLE_DECIMAL)
		return !cell->word || !*cell->word;
	return column->type == TABLE_SHARE ? isnan(cell->share) : cell->number == BASE_TIME_NONE;
}

/* Three-way comparison of decimal texts A and B as numbers: <0, 0, >0. */
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
		cmp = a->word == b->word ? 0 : strverscmp(a->word, b->word); /* "cpu2" before "cpu10" */
	else if (column->type == TABLE_DECIMAL)
		cmp = compare_decimals(a->word, b->word);
	else if (column->type == TABLE_SHARE)
		cmp = (a->share > b->share) - (a->share < b->share);
	else
		cmp = BASE_ORDER(a->number, b->number);
	return reversed ? -cmp : cmp;
}
