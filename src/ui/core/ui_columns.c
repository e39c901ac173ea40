/* SPDX-License-Identifier: MIT */
#include "ui/core/ui_columns.h"

#include "base/base_error.h"
#include "ui/core/ui_pane.h"

#include <string.h>

#define NAME(ID, name) name,
static const char *const names_of_rows[] = { UI_COLUMNS_ROWS(NAME) };

static void columns_init(struct ui_columns_of *of)
{
	g_assert(of->n_known <= UI_COLUMNS_MAX);
	while (of->n < of->n_known) {
		of->shown[of->n] = (uint8_t)of->n;
		of->n++;
	}
}

void ui_columns_init(struct ui_columns *columns, const struct ui_pane_ops *const *panes)
{
	memset(columns, 0, sizeof *columns);
	columns->of[columns->n++] = (struct ui_columns_of){ .list = "rows",
		.known = names_of_rows,
		.n_known = UI_ROWS_N };
	for (; panes && *panes; panes++) {
		struct ui_columns_of *of = &columns->of[columns->n];

		if (!(*panes)->columns)
			continue;
		g_assert(columns->n < UI_LISTS_MAX);
		of->list = (*panes)->name;
		of->owned = g_ptr_array_new_with_free_func(g_free);
		(*panes)->columns(*panes, of->owned);
		of->known = (const char *const *)(void *)of->owned->pdata;
		of->n_known = of->owned->len;
		columns->n++;
	}
	for (unsigned i = 0; i < columns->n; i++)
		columns_init(&columns->of[i]);
}

void ui_columns_clear(struct ui_columns *columns)
{
	for (unsigned i = 0; i < columns->n; i++)
		g_clear_pointer(&columns->of[i].owned, g_ptr_array_unref);
}

const struct ui_columns_of *ui_columns_set(const struct ui_columns *columns, const char *name)
{
	for (unsigned i = 0; i < columns->n; i++)
		if (columns->of[i].line && !strcmp(columns->of[i].list, name))
			return &columns->of[i];
	return NULL;
}

/* ---- the configuration ---- */

static char *known_columns(const struct ui_columns_of *of, const char *between)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < of->n_known; i++)
		g_string_append_printf(text, "%s%s", i ? between : "", of->known[i]);
	return g_string_free(text, FALSE);
}

/* The list called NAME; NULL with an error. */
static struct ui_columns_of *find_list(struct ui_columns *columns, const char *name, GError **error)
{
	g_autoptr(GString) known = g_string_new(NULL);

	for (unsigned i = 0; i < columns->n; i++) {
		if (!strcmp(columns->of[i].list, name))
			return &columns->of[i];
		g_string_append_printf(known, "%s%s", i ? ", " : "", columns->of[i].list);
	}
	return base_error_null(error, BASE_ERROR_USAGE, "no list is called \"%s\": there are %s", name,
		known->str);
}

/* Append the column called NAME to the shown ones of OF. */
static bool columns_add(struct ui_columns_of *of, const char *name, GError **error)
{
	unsigned i = 0;
	g_autofree char *known = NULL;

	while (i < of->n_known && strcmp(of->known[i], name) != 0)
		i++;
	if (i == of->n_known) {
		known = known_columns(of, ", ");
		return base_error_false(error, BASE_ERROR_USAGE, "%s has no column \"%s\": there are %s",
			of->list, name, known);
	}
	if (memchr(of->shown, (int)i, of->n))
		return base_error_false(error, BASE_ERROR_USAGE, "column %s of %s is named twice", name,
			of->list);
	of->shown[of->n++] = (uint8_t)i;
	return true;
}

static bool columns_take(struct ui_columns *columns, char **words, unsigned n, GError **error)
{
	struct ui_columns_of *of = find_list(columns, words[0], error), new;
	bool good = of;

	if (good && of->line)
		return base_error_false(error, BASE_ERROR_USAGE, "%s has its columns in line %u already",
			of->list, of->line);
	if (good) {
		new = *of;
		new.line = n;
		new.n = 0;
	}
	for (words++; good && *words; words++)
		if (**words)
			good = columns_add(&new, *words, error);
	if (good && !new.n && of != &columns->of[UI_LIST_ROWS])
		good = base_error_false(error, BASE_ERROR_USAGE, "%s has no column", of->list);
	if (good)
		*of = new;
	return good;
}

bool ui_columns_take(struct ui_columns *columns, const char *line, const char *file, unsigned n,
	GError **error)
{
	g_auto(GStrv) parts = g_strsplit(line, "#", 2);
	g_auto(GStrv) words = g_strsplit_set(g_strstrip(parts[0]), " \t", -1);
	bool good = columns_take(columns, words, n, error);

	if (!good)
		g_prefix_error(error, "%s:%u: ", file, n);
	return good;
}

char *ui_columns_text(const struct ui_columns *columns)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < columns->n; i++) {
		const struct ui_columns_of *of = &columns->of[i];
		g_autofree char *known = known_columns(of, " ");

		g_string_append_printf(text, "%s%s", of->line ? "" : "#", of->list);
		for (unsigned c = 0; c < of->n; c++)
			g_string_append_printf(text, " %s", of->known[of->shown[c]]);
		g_string_append_printf(text, "%s%s\n", of->line ? " # of " : "", of->line ? known : "");
	}
	return g_string_free(text, FALSE);
}
