/* SPDX-License-Identifier: MIT */
/* The story of a time of a thread, on one page: the sentence, its path, where the time went, what is unknown,
 * and the command line that makes it again. */
#include "export/exp.h"

#include "export/exp_rows.h"
#include "table/rows.h"

#include "base/base_time.h"

#include <string.h>

#define COLUMNS 50 /* of the path in text; a row fits on a screen of 80 columns */
#define NAME 24    /* columns of a name at most */
#define ACTORS 8   /* rows of the path at most */

/* ---- the path as text ---- */

/* Set COLUMNS to the ns of ACTOR in each of COLUMNS parts of PATH. */
static void story_columns(const struct ana_path *path, uint32_t actor, int64_t *columns)
{
	int64_t length = path->to - path->from;

	memset(columns, 0, COLUMNS * sizeof *columns);
	for (guint i = 0; i < path->segments->len; i++) {
		const struct ana_segment *s = ana_path_segment(path, i);

		if (s->actor != actor)
			continue;
		for (unsigned c = (unsigned)((double)(s->from - path->from) * COLUMNS / (double)length);
			c < COLUMNS; c++) {
			int64_t from = base_time_column(path->from, path->to, COLUMNS, c),
				to = base_time_column(path->from, path->to, COLUMNS, c + 1);

			if (from >= s->to)
				break;
			columns[c] += MAX(MIN(to, s->to) - MAX(from, s->from), 0);
		}
	}
}

/* A row for each of the first ACTORS actors in the sums: "wk-rt[547] |  ##-#|". */
static void story_path(GString *out, const struct ana_path *path)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	int64_t columns[COLUMNS];
	size_t width = 0;

	for (guint i = 0; i < path->summary->len && g_hash_table_size(seen) < ACTORS; i++)
		g_hash_table_add(seen,
			GUINT_TO_POINTER(g_array_index(path->summary, struct ana_summary, i).actor));
	for (guint i = 0; i < path->actors->len; i++)
		if (g_hash_table_contains(seen, GUINT_TO_POINTER(i)))
			width = MAX(width, (size_t)g_utf8_strlen(ana_path_actor(path, i)->label, -1));
	width = MIN(width, NAME);
	for (guint i = 0; i < path->actors->len; i++) {
		g_autofree char *name = NULL;

		if (!g_hash_table_contains(seen, GUINT_TO_POINTER(i)))
			continue;
		story_columns(path, i, columns);
		name = g_utf8_substring(ana_path_actor(path, i)->label, 0,
			MIN((glong)width, g_utf8_strlen(ana_path_actor(path, i)->label, -1)));
		g_string_append(out, "  ");
		exp_table_append_clean(out, name);
		g_string_append_printf(out, "%*s |", (int)(width - (size_t)g_utf8_strlen(name, -1)), "");
		for (unsigned c = 0; c < COLUMNS; c++) {
			int64_t all = base_time_column(path->from, path->to, COLUMNS, c + 1) -
				base_time_column(path->from, path->to, COLUMNS, c);

			g_string_append_c(out, columns[c] == 0 ? ' ' : 2 * columns[c] >= all ? '#' : '-');
		}
		g_string_append(out, "|\n");
	}
	if (path->actors->len > g_hash_table_size(seen))
		g_string_append_printf(out, "  and %u more actors\n",
			path->actors->len - g_hash_table_size(seen));
}

/* ---- the page ---- */

static bool story_text(GString *out, struct qry *q, const struct ana_story *s, const struct exp_options *o,
	GError **error)
{
	g_autoptr(GPtrArray) unknown = ana_story_unknown(s);
	g_autofree char *from = base_time_format_full(s->from), *to = base_time_format_full(s->to);

	exp_table_append_clean(out, s->text);
	g_string_append_printf(out, "\n%s to %s\n", from, to);
	g_string_append(out, "\nWhere the time went\n");
	if (!exp_rows_all(out, &table_story, o, q, s, error))
		return false;
	if (s->path) {
		g_string_append(out, "\nCritical path (# most of a column, - some of it)\n");
		story_path(out, s->path);
	}
	for (guint i = 0; i < unknown->len; i++) {
		g_string_append(out, i == 0 ? "\nNot known\n  " : "  ");
		exp_table_append_clean(out, g_ptr_array_index(unknown, i));
		g_string_append_c(out, '\n');
	}
	if (o->command) {
		g_string_append(out, "\nAgain\n  ");
		exp_table_append_clean(out, o->command);
		g_string_append_c(out, '\n');
	}
	return true;
}

/* Like story_text(), with the picture in the page itself. */
static bool story_markdown(GString *out, struct qry *q, const struct ana_story *s,
	const struct exp_options *o, GError **error)
{
	g_autoptr(GPtrArray) unknown = ana_story_unknown(s);
	g_autoptr(GString) picture = g_string_new(NULL);
	g_autofree char *text = NULL;

	g_string_append(out, "### ");
	exp_markdown_text(out, s->text);
	g_string_append(out, "\n\n");
	if (s->path) {
		if (!exp_path_svg(picture, q, s->path, o, error))
			return false;
		text = g_base64_encode((const guchar *)picture->str, picture->len);
		g_string_append_printf(out, "![Critical path](data:image/svg+xml;base64,%s)\n\n", text);
	}
	if (!exp_rows_all(out, &table_story, o, q, s, error))
		return false;
	for (guint i = 0; i < unknown->len; i++) {
		g_string_append(out, i == 0 ? "\nNot known:\n\n- " : "- ");
		exp_markdown_text(out, g_ptr_array_index(unknown, i));
		g_string_append_c(out, '\n');
	}
	return true;
}

EXP_WRITER(exp_story)
{
	const struct ana_story *s = result;
	g_autoptr(GPtrArray) unknown = NULL;

	switch (o->format) {
	case TABLE_TEXT: return story_text(out, q, s, o, error);
	case TABLE_MARKDOWN: return story_markdown(out, q, s, o, error);
	case TABLE_CSV: return exp_rows_all(out, &table_story, o, q, s, error);
	case TABLE_JSON:
		unknown = ana_story_unknown(s);
		base_json_put(out, "subject", table_json_subject(q, s->row));
		base_json_time(out, "from", s->from);
		base_json_time(out, "to", s->to);
		base_json_text(out, "text", s->text);
		base_json_text(out, "command", o->command);
		base_json_put(out, "unknown", base_json_texts(unknown));
		return exp_rows_all(out, &table_story, o, q, s, error);
	}
	return true;
}
