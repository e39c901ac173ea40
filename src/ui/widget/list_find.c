/* SPDX-License-Identifier: MIT */
/*
 * The rows that a list shows, their order, and the search in them.
 *
 * Texts are compared without regard to the case of ASCII letters.  Numbers are converted to texts only if the
 * searched text has a digit, so that a list of a million rows is searched while the user types.
 */
#include "ui/widget/list_pane.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "ui/core/ui_argument.h"

#include <string.h>

/* True if NEEDLE is a part of the text of CELL of COLUMN. */
static bool cell_has(const struct list *l, unsigned column, const struct list_cell *cell, const char *needle,
	bool has_digit)
{
	g_autofree char *text = NULL;

	if (cell->word)
		return strcasestr(cell->word, needle);
	if (!has_digit || list_rows_is_text(&l->part->rows->columns[column]))
		return false;
	text = list_text(l, column, cell);
	return strcasestr(text, needle);
}

/* True if NEEDLE is a part of a cell of ROW. */
static bool row_has(const struct list *l, guint row, const char *needle)
{
	const struct list_rows *rows = l->part->rows;
	bool has_digit = strpbrk(needle, "0123456789");

	for (unsigned i = 0; i < rows->n_columns; i++)
		if (rows->columns[i].heading &&
			cell_has(l, i, list_rows_cell(rows, row, i), needle, has_digit))
			return true;
	return false;
}

/* ---- filter ---- */

enum relation { HAS, HAS_NOT, IS, IS_NOT, BELOW, MOST, ABOVE, LEAST };

/* A word of a filter; all words must be true of a row.  TEXT: a part of a cell.  !TEXT: no part of any cell.
 * COLUMN=VALUE, and != < <= > >= with the name of a column. */
struct condition {
	enum relation relation;
	unsigned column;
	const char *text;      /* for HAS, HAS_NOT, and columns of texts; weak */
	struct list_cell than; /* for other columns */
};

/* "<=" must come before "<". */
static const struct {
	const char *sign;
	enum relation relation;
} relations[] = {
	{ "!=", IS_NOT },
	{ "<=", MOST },
	{ ">=", LEAST },
	{ "=", IS },
	{ "<", BELOW },
	{ ">", ABOVE },
};

/* Set the value of T to TEXT.  False if TEXT is no value of its column. */
static bool parse_value(const struct list *l, struct condition *t, const char *text)
{
	const struct table_column *c = &l->part->rows->columns[t->column];
	g_autofree char *number = g_strndup(text, strcspn(text, "%"));
	char *end;

	t->text = t->than.word = text;
	switch (c->type) {
	case TABLE_TIME: return ui_when_parse(l->pane.shell, text, &t->than.number, NULL);
	case TABLE_DURATION: return base_time_parse_duration(text, &t->than.number, NULL);
	case TABLE_SHARE: t->than.share = g_ascii_strtod(number, &end) / 100; return *number && !*end;
	case TABLE_YES: t->than.number = *text == 'y'; return !strcmp(text, "yes") || !strcmp(text, "no");
	case TABLE_NUMBER:
		return g_ascii_string_to_signed(text, 10, INT64_MIN + 1, INT64_MAX, &t->than.number, NULL);
	default: return true;
	}
}

/* True if NAME can only be meant as the name of a column. */
static bool is_name(const char *name)
{
	gsize length = strlen(name);

	return length > 0 && g_ascii_isalpha(*name) && g_ascii_isalnum(name[length - 1]) &&
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == length;
}

/* False, with an error that names the columns of L. */
static bool no_column(const struct list *l, const char *name, GError **error)
{
	g_autofree char *names = list_rows_names(l->part->rows, true);

	return base_error_false(error, BASE_ERROR_USAGE, "no column \"%s\" here: use%s", name, names);
}

/* Parse WORD into *T.  False with an error. */
static bool parse_term(const struct list *l, const char *word, struct condition *t, GError **error)
{
	*t = (struct condition){ .relation = *word == '!' ? HAS_NOT : HAS, .text = word + (*word == '!') };
	for (gsize i = 0; i < G_N_ELEMENTS(relations); i++) {
		const char *sign = strstr(word, relations[i].sign);
		g_autofree char *name = sign ? g_strndup(word, (gsize)(sign - word)) : NULL;

		t->column = list_rows_find_typed(l->part->rows, name);
		/* "a=b" may be a text that a cell has */
		if (sign && t->column == l->part->rows->n_columns && relations[i].relation != IS &&
			is_name(name))
			return no_column(l, name, error);
		if (!sign || t->column == l->part->rows->n_columns)
			continue;
		t->relation = relations[i].relation;
		if (parse_value(l, t, sign + strlen(relations[i].sign)))
			return true;
		return base_error_false(error, BASE_ERROR_USAGE, "\"%s\" is not a value of %s",
			sign + strlen(relations[i].sign), name);
	}
	return true;
}

/* Parse WORDS into terms, which refer to WORDS.  NULL with an error. */
static GArray *parse_filter(const struct list *l, char **words, GError **error)
{
	GArray *terms = g_array_new(FALSE, FALSE, sizeof(struct condition));

	for (; *words; words++) {
		struct condition t;

		if (g_str_has_suffix(*words, ","))
			(*words)[strlen(*words) - 1] = '\0';
		if (!**words)
			continue;
		if (!parse_term(l, *words, &t, error)) {
			g_array_unref(terms);
			return NULL;
		}
		g_array_append_val(terms, t);
	}
	return terms;
}

static bool holds(const struct list *l, guint row, const struct condition *t)
{
	const struct table_column *c = &l->part->rows->columns[t->column];
	const struct list_cell *cell;
	int cmp;

	if (t->relation <= HAS_NOT)
		return row_has(l, row, t->text) == (t->relation == HAS);
	cell = list_rows_cell(l->part->rows, row, t->column);
	if (list_rows_is_unknown(c, cell))
		return t->relation == IS_NOT;
	cmp = list_rows_compare(c, cell, &t->than, false);
	switch (t->relation) {
	case IS: return cmp == 0;
	case IS_NOT: return cmp != 0;
	case BELOW: return cmp < 0;
	case MOST: return cmp <= 0;
	case ABOVE: return cmp > 0;
	default: return cmp >= 0;
	}
}

/* ---- order ---- */

struct sorting {
	const struct list *l;
	unsigned column;
	bool falls;
};

static gint list_compare(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct sorting *s = data;
	const struct list_rows *rows = s->l->part->rows;
	guint x = *(const guint *)a, y = *(const guint *)b;
	int cmp = s->l->kind->group ? (int)s->l->kind->group(s->l, x) - (int)s->l->kind->group(s->l, y) : 0;

	return cmp
		?: list_rows_compare(&rows->columns[s->column], list_rows_cell(rows, x, s->column),
			   list_rows_cell(rows, y, s->column), s->falls);
}

/* True if NEEDLE may be in a cell that is known only for complete rows. */
static bool text_needs_all(const struct list *l, const char *needle)
{
	const struct list_rows *rows = l->part->rows;
	bool has_digit = strpbrk(needle, "0123456789"), needs = false;

	for (unsigned i = 0; i < rows->n_columns; i++)
		needs |= rows->costly[i] && rows->columns[i].heading &&
			(has_digit || list_rows_is_text(&rows->columns[i]));
	return needs;
}

/* True if a column of the filter TERMS, of the order or of the search is known only for complete rows. */
static bool needs_all(const struct list *l, const GArray *terms)
{
	const struct list_rows *rows = l->part->rows;
	unsigned sorted = list_sorted_by(l);
	bool needs = (sorted < rows->n_columns && rows->costly[sorted]) ||
		(l->find && text_needs_all(l, l->find));

	for (guint i = 0; terms && i < terms->len; i++) {
		const struct condition *t = &g_array_index(terms, struct condition, i);

		needs |= t->relation > HAS_NOT ? rows->costly[t->column] : text_needs_all(l, t->text);
	}
	return needs;
}

/* Put the rows that match TERMS (NULL: all) into L->order. */
static void choose_rows(struct list *l, const GArray *terms)
{
	g_array_set_size(l->order, 0);
	for (guint row = 0; row < l->part->n; row++) {
		guint i = 0;

		while (terms && i < terms->len && holds(l, row, &g_array_index(terms, struct condition, i)))
			i++;
		if (!terms || i == terms->len)
			g_array_append_val(l->order, row);
	}
}

void list_arrange(struct list *l, guint selected)
{
	g_auto(GStrv) words = g_strsplit(l->filter ? l->filter : "", " ", -1);
	g_autoptr(GArray) terms = NULL;
	struct sorting s = { .l = l };
	GError *error = NULL;

	if (!l->part)
		return;
	terms = parse_filter(l, words, &error);
	if (!terms) { /* the filter was set before the rows came, and does not fit them */
		g_clear_pointer(&l->filter, g_free);
		ui_shell_take_error(l->pane.shell, error);
	}
	choose_rows(l, terms);
	l->needs_all = needs_all(l, terms);
	s.column = list_sorted_by(l);
	if (s.column < l->part->rows->n_columns && !(l->part->rows->costly[s.column] && list_lacks_rows(l))) {
		s.falls = list_falls(&l->part->rows->columns[s.column]) != l->reversed;
		g_array_sort_with_data(l->order, list_compare, &s);
	}
	for (guint i = 0; selected != UINT_MAX && i < l->order->len; i++)
		if (g_array_index(l->order, guint, i) == selected)
			l->view.line = i;
	list_view_go(&l->view, 0, l->order->len);
	ui_shell_redraw(l->pane.shell);
}

static void filter_answered(struct ui_pane *pane, const char *text)
{
	struct list *l = list_of(pane);
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	g_autoptr(GArray) terms = NULL;
	GError *error = NULL;
	guint row = UINT_MAX;

	if (l->part) {
		terms = parse_filter(l, words, &error);
		if (!terms) {
			ui_shell_take_error(pane->shell, error);
			return;
		}
	}
	list_selected(l, &row);
	g_free(l->filter);
	l->filter = *text ? g_strdup(text) : NULL;
	list_arrange(l, row);
	if (l->part && !list_lacks_rows(l))
		ui_shell_message(pane->shell, "%u of %u %s", l->order->len, l->part->n, l->kind->table->list);
}

void list_filter_ask(struct list *l)
{
	g_autofree char *label = NULL, *name = NULL;

	for (unsigned i = 0; l->part && !name && i < l->part->rows->n_columns; i++)
		if (l->part->rows->columns[i].heading && l->part->rows->columns[i].type == TABLE_DURATION)
			name = g_ascii_strdown(list_rows_heading(&l->part->rows->columns[i]), -1);
	label = g_strdup_printf("only lines with (vdb !softirq%s%s%s)", name ? " " : "", name ? name : "",
		name ? ">5ms" : "");
	ui_shell_ask(l->pane.shell, l->self, g_intern_string(label), l->filter, filter_answered, NULL);
}

/* ---- search ---- */

/* Go to the next row (FIND_BY 1) or previous row (FIND_BY -1) with the text, from FIND_LINE on, which counts if
 * FIND_FIRST. */
static void find_from(struct list *l)
{
	guint n = l->order->len, line = MIN(l->find_line, n - MIN(n, 1)); /* the list may be shorter now */

	l->finds = false;
	for (guint i = 0; i < n; i++) {
		if (i || !l->find_first)
			line = l->find_by > 0 ? (line + 1) % n : (line + n - 1) % n;
		if (!row_has(l, g_array_index(l->order, guint, line), l->find))
			continue;
		l->view.line = line;
		return;
	}
	l->needs_all |= text_needs_all(l, l->find);
	l->finds = list_lacks_rows(l);
	if (l->finds)
		ui_shell_message(l->pane.shell, "not in the %u %s read so far: the others are read now",
			l->n_complete, l->kind->table->list);
	else
		ui_shell_error(l->pane.shell, "no line has \"%s\"", l->find);
}

static void find_typed(struct ui_pane *pane, const char *text)
{
	struct list *l = list_of(pane);

	g_free(l->find);
	l->find = *text ? g_strdup(text) : NULL;
	l->view.line = l->find_line;
	l->find_by = 1;
	l->find_first = true;
	l->finds = false;
	if (l->find && l->part)
		find_from(l);
}

void list_find_ask(struct list *l)
{
	l->find_line = l->view.line;
	ui_shell_ask(l->pane.shell, l->self, "find in this list", NULL, find_typed, find_typed);
}

void list_find_step(struct list *l, int by)
{
	if (!l->find) {
		ui_shell_error(l->pane.shell, "no search yet: search for a text first");
		return;
	}
	l->find_line = l->view.line;
	l->find_by = by;
	l->find_first = false;
	find_from(l);
}

void list_know_rows(struct list *l, guint n)
{
	guint row = UINT_MAX;

	l->n_complete = n;
	if (!l->needs_all || n < l->part->n)
		return;
	if (l->view.line > 0)
		list_selected(l, &row);
	list_arrange(l, row);
	if (l->finds && l->find)
		find_from(l);
}
