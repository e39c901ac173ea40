/* SPDX-License-Identifier: MIT */
/* Showing and hiding panes, the focus, and the pane that comes back when another one is closed. */
#include "ui/core/ui_fields.h"
#include "ui/core/ui_shell_parts.h"

bool ui_pane_focused(const struct ui_pane *pane)
{
	return pane->shell->focus == pane;
}

void ui_pane_title_sign(const struct ui_pane *pane, GString *title, enum term_role role, gunichar ch)
{
	struct ui_title_sign sign = { title->len, ch, role };

	g_array_append_val(pane->shell->title_signs, sign);
	g_string_append_unichar(title, ch);
}

struct ui_pane *ui_pane_nth(const struct ui_shell *shell, unsigned i)
{
	return g_ptr_array_index(shell->panes, i);
}

const struct ana_overview_line *ui_pane_found(const struct ui_shell *shell, unsigned part, unsigned about)
{
	const struct ana_overview_line *line = NULL;

	for (unsigned i = 0; !line && i < shell->panes->len; i++) {
		struct ui_pane *pane = ui_pane_nth(shell, i);

		if (pane->ops->found)
			line = pane->ops->found(pane, part, about);
	}
	return line;
}

bool ui_pane_time(const struct ui_shell *shell, uint32_t *row, int64_t *from, int64_t *to)
{
	struct ui_pane *focus = shell->focus;

	return focus && focus->ops->time && focus->ops->time(focus, row, from, to);
}

bool ui_pane_titled(const struct ui_pane *pane)
{
	return pane->ops->title && (!pane->view || pane->shell->two);
}

struct ui_pane *ui_pane_beside(const struct ui_shell *shell)
{
	for (unsigned i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = ui_pane_nth(shell, i);

		if (pane->view && pane->shown && pane != shell->main)
			return pane;
	}
	return NULL;
}

struct ui_pane *ui_pane_at(const struct ui_shell *shell, enum ui_place place)
{
	for (unsigned i = 0; i < shell->panes->len; i++)
		if (ui_pane_nth(shell, i)->ops->place == place && ui_pane_nth(shell, i)->shown)
			return ui_pane_nth(shell, i);
	return NULL;
}

bool ui_pane_covered(const struct ui_pane *pane)
{
	for (unsigned i = 0; i < pane->shell->panes->len; i++)
		if (ui_pane_nth(pane->shell, i)->covers == pane)
			return true;
	return false;
}

bool ui_pane_drilled(const struct ui_pane *pane)
{
	const struct ui_pane *lower = ui_pane_at(pane->shell, UI_PLACE_LOWER);

	while (lower && lower != pane)
		lower = lower->ops->drill ? lower->covers : NULL;
	return lower;
}

char *ui_pane_keep(struct ui_pane *pane)
{
	const struct ui_pane_ops *ops = pane->ops;

	if (ops->keep)
		return ops->keep(pane);
	if (!ops->fields || !(pane->shown || ui_pane_covered(pane)) || (ops->to_keep && !ops->to_keep(pane)))
		return NULL;
	return ui_fields_text(ops->fields, pane);
}

/* Show the lower PANE in place of OTHER (NULL: none), which comes back when PANE is closed.  Panes that
 * covered PANE now cover what PANE covered. */
static void cover(struct ui_shell *shell, struct ui_pane *pane, struct ui_pane *other)
{
	for (unsigned i = 0; i < shell->panes->len; i++)
		if (ui_pane_nth(shell, i)->covers == pane)
			ui_pane_nth(shell, i)->covers = pane->covers;
	pane->covers = other;
	shell->focus = pane;
}

GArray *ui_shell_rows(const struct ui_shell *shell)
{
	for (unsigned i = 0; i < shell->panes->len; i++) {
		struct ui_pane *pane = ui_pane_nth(shell, i);

		if (pane->shown && pane->ops->rows && (!pane->view || pane->view == shell->view))
			return pane->ops->rows(pane);
	}
	return NULL;
}

void ui_shell_focus(struct ui_shell *shell, struct ui_pane *pane)
{
	if (shell->focus == pane)
		return;
	shell->focus = pane;
	if (pane->view)
		ui_view_turn_to(pane);
	shell->changes |= UI_CHANGED_SIZE;
	shell->dirty = true;
}

bool ui_shell_shows(const struct ui_shell *shell, enum ui_command command)
{
	for (guint i = 0; i < shell->panes->len; i++) {
		const struct ui_pane *pane = g_ptr_array_index(shell->panes, i);

		if (pane->shown && pane->ops->show == command)
			return true;
	}
	return false;
}

void ui_shell_show(struct ui_shell *shell, struct ui_pane *pane, bool shown)
{
	enum ui_place place = pane->ops->place;
	struct ui_pane *other = shown ? ui_pane_at(shell, place) : NULL;

	if (pane->shown == shown)
		return;
	if (!shown && shell->used && pane->ops == shell->found_lower)
		shell->found_lower = NULL; /* if it is shown again, the user opened it */
	if (!shown && shell->back_pane && ui_pane_nth(shell, shell->back_pane - 1) == pane)
		shell->back_pane = 0; /* the user closed it */
	if (other && (place == UI_PLACE_LOWER || place == UI_PLACE_OVERLAY))
		other->shown = false;
	pane->shown = shown;
	if (place == UI_PLACE_LOWER && shown) {
		shell->two_last = false;
		cover(shell, pane, other);
	} else if (place ==
		UI_PLACE_LOWER) { /* return to the pane that it covers, otherwise to the main pane */
		shell->focus = pane->covers ? pane->covers : shell->main;
		if (pane->covers)
			pane->covers->shown = true;
		else
			shell->maximised = false;
		pane->covers = NULL;
	}
	shell->changes |= UI_CHANGED_SIZE;
	shell->dirty = true;
}

bool ui_pane_back_leads(const struct ui_shell *shell)
{
	return shell->q && shell->back_pane && ui_shell_history_length(shell) == shell->back_length;
}

struct ui_pane *ui_pane_opened(const struct ui_shell *shell)
{
	struct ui_pane *lower = ui_pane_at(shell, UI_PLACE_LOWER);

	return lower && shell->used && lower->ops != shell->found_lower ? lower : NULL;
}

bool ui_pane_any_opened(const struct ui_shell *shell)
{
	return ui_pane_back_leads(shell) || ui_pane_at(shell, UI_PLACE_OVERLAY) || ui_pane_opened(shell) ||
		shell->two;
}

void ui_shell_note_place(struct ui_shell *shell)
{
	const struct ui_view *is = shell->view, *found = &shell->found;
	const struct ui_pane *pane = ui_pane_at(shell, UI_PLACE_LOWER);
	const struct ui_pane_ops *lower = pane ? pane->ops : NULL;

	if (!shell->used) {
		shell->found = *is;
		shell->found_lower = lower;
		return;
	}
	shell->moved |= shell->two || is->row != found->row || is->cursor != found->cursor ||
		is->from != found->from || is->to != found->to || (lower && lower != shell->found_lower);
}
