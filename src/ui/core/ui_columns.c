/* SPDX-License-Identifier: MIT */
#include "ui/core/ui_columns.h"

#include "base/base_error.h"

#include <string.h>

#define NAME(LIST, ID, name) name,
#define NAMES(LIST, name)                                                         \
	static const char *const names_of_##LIST[] = { UI_COLUMNS_##LIST(NAME) }; \
	G_STATIC_ASSERT(G_N_ELEMENTS(names_of_##LIST) <= UI_COLUMNS_MAX);
UI_LISTS(NAMES)

static const struct list {
	const char *name;
	const char *const *columns;
	unsigned n;
} lists[UI_LIST_N] = {
#define LIST(LIST, name) { name, names_of_##LIST, G_N_ELEMENTS(names_of_##LIST) },
	UI_LISTS(LIST)
};

void ui_columns_init(struct ui_columns *columns)
{
	memset(columns, 0, sizeof *columns);
	for (unsigned i = 0; i < UI_LIST_N; i++)
		while (columns->of[i].n < lists[i].n) {
			columns->of[i].shown[columns->of[i].n] = (uint8_t)columns->of[i].n;
			columns->of[i].n++;
		}
}

/* ---- the configuration ---- */

static char *known_columns(const struct list *list, const char *between)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < list->n; i++)
		g_string_append_printf(text, "%s%s", i ? between : "", list->columns[i]);
	return g_string_free(text, FALSE);
}

/* The list called NAME; NULL with an error. */
static const struct list *find_list(const char *name, GError **error)
{
	g_autoptr(GString) known = g_string_new(NULL);

	for (unsigned i = 0; i < UI_LIST_N; i++) {
		if (!strcmp(lists[i].name, name))
			return &lists[i];
		g_string_append_printf(known, "%s%s", i ? ", " : "", lists[i].name);
	}
	return base_error_null(error, BASE_ERROR_USAGE, "no list is called \"%s\": there are %s", name,
		known->str);
}

/* Append the column called NAME of LIST to OF. */
static bool columns_add(const struct list *list, struct ui_columns_of *of, const char *name, GError **error)
{
	unsigned i = 0;
	g_autofree char *known = NULL;

	while (i < list->n && strcmp(list->columns[i], name) != 0)
		i++;
	if (i == list->n) {
		known = known_columns(list, ", ");
		return base_error_false(error, BASE_ERROR_USAGE, "%s has no column \"%s\": there are %s",
			list->name, name, known);
	}
	if (memchr(of->shown, (int)i, of->n))
		return base_error_false(error, BASE_ERROR_USAGE, "column %s of %s is named twice", name,
			list->name);
	of->shown[of->n++] = (uint8_t)i;
	return true;
}

static bool columns_take(struct ui_columns *columns, char **words, unsigned n, GError **error)
{
	const struct list *list = find_list(words[0], error);
	struct ui_columns_of *of = list ? &columns->of[list - lists] : NULL, new = { .line = n };
	bool good = list;

	if (good && of->line)
		return base_error_false(error, BASE_ERROR_USAGE, "%s has its columns in line %u already",
			list->name, of->line);
	for (words++; good && *words; words++)
		if (**words)
			good = columns_add(list, &new, *words, error);
	if (good && !new.n && list != &lists[UI_LIST_ROWS])
		good = base_error_false(error, BASE_ERROR_USAGE, "%s has no column", list->name);
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

	for (unsigned i = 0; i < UI_LIST_N; i++) {
		const struct ui_columns_of *of = &columns->of[i];
		g_autofree char *known = known_columns(&lists[i], " ");

		g_string_append_printf(text, "%s%s", of->line ? "" : "#", lists[i].name);
		for (unsigned c = 0; c < of->n; c++)
			g_string_append_printf(text, " %s", lists[i].columns[of->shown[c]]);
		g_string_append_printf(text, "%s%s\n", of->line ? " # of " : "", of->line ? known : "");
	}
	return g_string_free(text, FALSE);
}

/* ---- on the screen ---- */

static bool is_shown(const struct ui_columns_of *of, unsigned width)
{
	return of->line || !(width & UI_COLUMN_SPARED);
}

void ui_columns_place(const struct ui_columns *columns, enum ui_list list, const unsigned *widths, unsigned x,
	unsigned width, struct ui_column *cells)
{
	const struct ui_columns_of *of = &columns->of[list];
	unsigned used = x, shares = 0;

	memset(cells, 0, lists[list].n * sizeof *cells);
	for (unsigned i = 0; i < of->n; i++) {
		unsigned wanted = widths[of->shown[i]];

		shares += wanted == UI_COLUMN_REST;
		used += is_shown(of, wanted) ? wanted & ~UI_COLUMN_SPARED : 0;
	}
	for (unsigned i = 0; i < of->n && x < width; i++) {
		unsigned wanted = widths[of->shown[i]], w = wanted & ~UI_COLUMN_SPARED;

		if (!is_shown(of, wanted))
			continue;
		if (wanted == UI_COLUMN_REST) {
			w = (width - MIN(used, width)) / MAX(shares, 1);
			used += w;
			shares--;
		}
		cells[of->shown[i]] = (struct ui_column){ x, MIN(w, width - x) };
		x += w;
	}
}
