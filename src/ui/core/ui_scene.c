/* SPDX-License-Identifier: MIT */
/* A scene is taken from the shell and its panes, restored in two passes (panes may move the view when they
 * are notified), and written as text by a table of fields. */
#include "ui/core/ui_scene.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "ui/core/ui_fields.h"
#include "ui/core/ui_shell_parts.h"

#include <string.h>

/* ---- taking ---- */

static int32_t scene_number_of(const struct ui_shell *shell, const struct ui_pane *pane)
{
	guint i;

	return pane && g_ptr_array_find(shell->panes, pane, &i) ? (int32_t)i : -1;
}

static struct ui_pane *pane_of(const struct ui_shell *shell, int32_t number)
{
	return number < 0 ? NULL : g_ptr_array_index(shell->panes, number);
}

struct ui_scene *ui_scene_take(const struct ui_shell *shell)
{
	struct ui_scene *v = g_new0(struct ui_scene, 1);
	const struct ui_pane *lower = ui_pane_at(shell, UI_PLACE_LOWER);

	for (unsigned i = 0; i < ui_view_count(shell); i++)
		v->is.views[i] = shell->views[i];
	v->is.hide_tracer = shell->hide_tracer;
	v->is.maximised = shell->maximised;
	v->is.two = shell->two;
	v->is.linked = shell->linked;
	v->is.main = scene_number_of(shell, shell->main);
	v->is.focus = scene_number_of(shell, shell->focus);
	for (unsigned i = 0; i < UI_SCENES_DEPTH; i++, lower = lower ? lower->covers : NULL)
		v->is.lower[i] = scene_number_of(shell, lower);
	v->kept = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < shell->panes->len; i++)
		g_ptr_array_add(v->kept, ui_pane_keep(ui_pane_nth(shell, i)));
	return v;
}

bool ui_scene_same(const struct ui_scene *a, const struct ui_scene *b)
{
	if (memcmp(&a->is, &b->is, sizeof a->is) != 0)
		return false;
	for (guint i = 0; i < a->kept->len; i++)
		if (!ui_fields_same(g_ptr_array_index(a->kept, i), g_ptr_array_index(b->kept, i)))
			return false;
	return true;
}

/* ---- restoring ---- */

static void restore_shell(struct ui_shell *shell, const struct ui_looks *is)
{
	if (shell->hide_tracer != (is->hide_tracer != 0))
		shell->changes |= UI_CHANGED_HIDING;
	shell->hide_tracer = is->hide_tracer;
	shell->linked = is->linked;
	for (unsigned i = 0; i < (is->two ? UI_VIEWS : 1); i++) {
		const struct ui_view *view = &is->views[i];

		shell->view = &shell->views[i];
		if (shell->view->mark != view->mark || shell->view->mark_end != view->mark_end)
			shell->changes |= UI_CHANGED_SELECTION;
		shell->view->mark = view->mark;
		shell->view->mark_end = view->mark_end;
		shell->view->way = view->way;
		ui_shell_set_window(shell, view->from, view->to);
		ui_shell_set_cursor(shell, view->cursor);
		ui_shell_set_row(shell, view->row);
	}
	ui_view_leave(shell);
}

static void restore_shown(struct ui_shell *shell, const struct ui_looks *is)
{
	for (guint i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

		if (pane->view)
			pane->shown = pane->view == shell->views || is->two;
		if (pane->ops->place != UI_PLACE_LOWER)
			continue;
		pane->shown = (int32_t)i == is->lower[0];
		pane->covers = NULL;
	}
	for (unsigned i = 0; i + 1 < UI_SCENES_DEPTH && is->lower[i] >= 0; i++)
		pane_of(shell, is->lower[i])->covers = pane_of(shell, is->lower[i + 1]);
	shell->two = is->two;
	shell->focus = pane_of(shell, is->focus);
	if (is->main >= 0)
		ui_view_turn_to(pane_of(shell, is->main));
	shell->maximised = is->maximised;
	shell->changes |= UI_CHANGED_SIZE;
}

void ui_scene_restore_panes(struct ui_shell *shell, const struct ui_scene *v)
{
	restore_shell(shell, &v->is); /* panes may have moved the view when they were notified */
	for (guint i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = g_ptr_array_index(shell->panes, i);
		const char *kept = g_ptr_array_index(v->kept, i);
		GError *error = NULL;

		if (!kept || !pane->ops->restore)
			continue;
		ui_view_enter(pane);
		if (!pane->ops->restore(pane, kept, &error))
			ui_shell_take_error(shell, error);
		ui_view_leave(shell);
	}
	restore_shown(shell, &v->is); /* a pane may have shown itself */
	ui_shell_tell(shell);
}

void ui_scene_restore(struct ui_shell *shell, const struct ui_scene *v)
{
	restore_shown(shell, &v->is);
	ui_layout_arrange(shell); /* panes may ask for data per column */
	restore_shell(shell, &v->is);
	ui_shell_tell(shell);
	ui_scene_restore_panes(shell, v);
}

/* ---- as text ---- */

/* The part of the text that belongs to no pane. */
struct screen {
	struct ui_looks is;
	bool in_second;      /* shell->main is the pane of the second window */
	char *focus, *lower; /* names of panes; owned */
	bool stacked, no_arrows, ascii, letters;
	int names_extra, lower_extra, second_rows, second_columns;
};

static const struct ui_field scene_fields[] = { UI_FIELD(TIME, "from", screen, is.views[0].from),
	UI_FIELD(END, "to", screen, is.views[0].to), UI_FIELD(TIME, "cursor", screen, is.views[0].cursor),
	UI_FIELD(ROW, "row", screen, is.views[0].row), UI_FIELD(TIME, "mark", screen, is.views[0].mark),
	UI_FIELD(TIME, "mark-end", screen, is.views[0].mark_end), UI_FIELD(NUMBER, "two", screen, is.two),
	UI_FIELD(NUMBER, "linked", screen, is.linked), UI_FIELD(FLAG, "in-second", screen, in_second),
	UI_FIELD(TIME, "second-from", screen, is.views[1].from),
	UI_FIELD(END, "second-to", screen, is.views[1].to),
	UI_FIELD(TIME, "second-cursor", screen, is.views[1].cursor),
	UI_FIELD(ROW, "second-row", screen, is.views[1].row),
	UI_FIELD(TIME, "second-mark", screen, is.views[1].mark),
	UI_FIELD(TIME, "second-mark-end", screen, is.views[1].mark_end),
	UI_FIELD(NUMBER, "hide-tracer", screen, is.hide_tracer), UI_FIELD(TEXT, "focus", screen, focus),
	UI_FIELD(TEXT, "lower", screen, lower), UI_FIELD(NUMBER, "maximised", screen, is.maximised),
	UI_FIELD(FLAG, "stack", screen, stacked), UI_FIELD(SIGNED, "name-columns", screen, names_extra),
	UI_FIELD(SIGNED, "lower-rows", screen, lower_extra),
	UI_FIELD(SIGNED, "second-rows", screen, second_rows),
	UI_FIELD(SIGNED, "second-columns", screen, second_columns),
	UI_FIELD(FLAG, "no-arrows", screen, no_arrows), UI_FIELD(FLAG, "ascii", screen, ascii),
	UI_FIELD(FLAG, "letters", screen, letters), UI_FIELD_END };

#define SECOND "second" /* the name of the second window's pane */

static const struct ui_view nowhere = { BASE_TIME_NONE, BASE_TIME_NONE, BASE_TIME_NONE, BASE_TIME_NONE,
	BASE_TIME_NONE, UI_NO_ROW, 0 };

static const char *scene_name_of(const struct ui_shell *shell, int32_t number)
{
	const struct ui_pane *pane = pane_of(shell, number);

	return !pane ? NULL : pane->view == &shell->views[1] ? SECOND : pane->ops->name;
}

static char *screen_text(const struct ui_shell *shell, const struct ui_scene *v)
{
	g_autoptr(GString) lower = g_string_new(NULL);
	struct screen s = { .is = v->is,
		.stacked = shell->stacked,
		.no_arrows = shell->no_arrows,
		.ascii = shell->ascii,
		.letters = shell->letters,
		.names_extra = shell->names_extra,
		.lower_extra = shell->lower_extra,
		.second_rows = shell->second_rows,
		.second_columns = shell->second_columns };
	g_autofree char *focus = g_strdup(scene_name_of(shell, v->is.focus));

	s.in_second = v->is.two && shell->main->view == &shell->views[1];
	if (!v->is.two)
		s.is.views[1] = nowhere;
	for (unsigned i = 0; i < UI_SCENES_DEPTH && v->is.lower[i] >= 0; i++)
		g_string_append_printf(lower, "%s%s", i ? "," : "", scene_name_of(shell, v->is.lower[i]));
	s.focus = focus;
	s.lower = lower->len ? lower->str : NULL;
	return ui_fields_text(scene_fields, &s);
}

char *ui_scene_text(const struct ui_shell *shell)
{
	struct ui_scene *v = ui_scene_take(shell);
	g_autofree char *screen = screen_text(shell, v);
	GString *text = g_string_new("screen ");

	g_string_append(text, screen);
	for (guint i = 0; i < v->kept->len; i++)
		if (g_ptr_array_index(v->kept, i))
			g_string_append_printf(text, " | %s %s", scene_name_of(shell, (int32_t)i),
				(const char *)g_ptr_array_index(v->kept, i));
	ui_scene_free(v);
	return g_string_free(text, FALSE);
}

/* ---- from text ---- */

/* The number of the pane called NAME; -1: none.  LOWER: look only at lower panes. */
static int32_t scene_find(const struct ui_shell *shell, const char *name, bool lower)
{
	for (guint i = 0; i < shell->panes->len; i++) {
		const struct ui_pane_ops *ops = pane_of(shell, (int32_t)i)->ops;

		if (!strcmp(scene_name_of(shell, (int32_t)i), name) &&
			(!lower || ops->place == UI_PLACE_LOWER))
			return (int32_t)i;
	}
	return -1;
}

/* Set the shown panes and the focus from the names in S. */
static bool take_names(const struct ui_shell *shell, struct screen *s, GError **error)
{
	g_auto(GStrv) names = g_strsplit(s->lower ? s->lower : "", ",", UI_SCENES_DEPTH);
	int32_t main = s->in_second ? scene_find(shell, SECOND, false)
				    : scene_number_of(shell, ui_pane_at(shell, UI_PLACE_MAIN)),
		lower;
	unsigned n = 0;

	for (; n < UI_SCENES_DEPTH && names[n]; n++) {
		s->is.lower[n] = scene_find(shell, names[n], true);
		for (unsigned i = 0; i < n; i++)
			if (s->is.lower[i] == s->is.lower[n]) /* panes must not cover each other in a ring */
				s->is.lower[n] = -1;
		if (s->is.lower[n] < 0)
			return base_error_false(error, BASE_ERROR_USAGE, "view: no such lower pane: \"%s\"",
				names[n]);
	}
	for (; n < UI_SCENES_DEPTH; n++)
		s->is.lower[n] = -1;
	lower = s->focus ? scene_find(shell, s->focus, true) : -1;
	s->is.main = main;
	s->is.focus = lower >= 0 && lower == s->is.lower[0] ? lower : main;
	return true;
}

/* Check the second window of S.  If no pane can show it, S gets one window, and the second view is zeros. */
static void take_second(const struct ui_shell *shell, struct screen *s)
{
	s->is.two = s->is.two && scene_find(shell, SECOND, false) >= 0;
	s->is.linked = s->is.two ? s->is.linked % (UI_LINK_ZOOM + 1) : UI_LINK_OFF;
	s->in_second &= s->is.two;
	if (!s->is.two)
		memset(&s->is.views[1], 0, sizeof s->is.views[1]);
	for (unsigned i = 0; i < (s->is.two ? UI_VIEWS : 1); i++)
		s->is.views[i].way = shell->views[i].way;
}

static bool read_screen(struct ui_shell *shell, struct ui_scene *v, const char *text, GError **error)
{
	struct screen s = { 0 };
	bool good = ui_fields_set(scene_fields, &s, shell, text, error);

	if (good) {
		take_second(shell, &s);
		good = take_names(shell, &s, error);
	}
	for (unsigned i = 0; good && i < (s.is.two ? UI_VIEWS : 1); i++)
		if (s.is.views[i].from == BASE_TIME_NONE || s.is.views[i].to == BASE_TIME_NONE)
			good = base_error_false(error, BASE_ERROR_USAGE, "view: its window is missing");
	if (good) {
		v->is = s.is;
		shell->stacked = s.stacked;
		shell->no_arrows = s.no_arrows;
		shell->ascii = s.ascii || !shell->term->utf8;
		shell->letters = s.letters;
		shell->names_extra = s.names_extra;
		shell->lower_extra = s.lower_extra;
		shell->second_rows = s.second_rows;
		shell->second_columns = s.second_columns;
	}
	g_free(s.focus);
	g_free(s.lower);
	return good;
}

/* Read PART of the text, "NAME WORDS". */
static bool read_part(struct ui_shell *shell, struct ui_scene *v, const char *part, GError **error)
{
	size_t n = strcspn(part, " ");
	g_autofree char *name = g_strndup(part, n);
	const char *words = part + n + strspn(part + n, " ");
	int32_t pane = scene_find(shell, name, false);

	if (!strcmp(name, "screen"))
		return read_screen(shell, v, words, error);
	if (pane < 0 || !pane_of(shell, pane)->ops->restore)
		return base_error_false(error, BASE_ERROR_USAGE, "view: no such pane: \"%s\"", name);
	g_free(g_ptr_array_index(v->kept, pane));
	g_ptr_array_index(v->kept, pane) = g_strdup(words);
	return true;
}

struct ui_scene *ui_scene_read(struct ui_shell *shell, const char *text, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(text, "|", -1);
	struct ui_scene *v = ui_scene_take(shell);

	for (guint i = 0; i < v->kept->len; i++)
		g_clear_pointer(&g_ptr_array_index(v->kept, i), g_free);
	for (char **part = parts; *part; part++) {
		if (read_part(shell, v, g_strstrip(*part), error))
			continue;
		ui_scene_free(v);
		return NULL;
	}
	return v;
}
