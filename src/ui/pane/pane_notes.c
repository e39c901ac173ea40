/* SPDX-License-Identifier: MIT */
/* Warnings and notes about the recording and the answers, including those of this run.  A line with a time
 * leads to it. */
#include "ui/pane/pane.h"

#include "table/rows.h"
#include "ui/widget/list_pane.h"

struct notes {
	struct list list;
	GArray *all; /* table_notes_new(), owned; NULL: none yet */
	guint n;     /* number of notes when ALL was made */
	bool hides;  /* the tracer was hidden when ALL was made */
};

/* Make the rows again if notes were added, or the tracer was hidden or shown. */
static void notes_changed(struct ui_pane *pane, G_GNUC_UNUSED unsigned changes)
{
	struct notes *n = (struct notes *)pane;
	struct list *l = &n->list;
	struct ui_shell *shell = pane->shell;
	guint now = shell->notes->len + (shell->q ? qry_warnings(shell->q)->len : 0);

	if (!shell->q || !pane->shown || (n->all && n->n == now && n->hides == shell->hide_tracer))
		return;
	n->n = now;
	n->hides = shell->hide_tracer;
	if (n->all)
		g_array_unref(n->all);
	n->all = table_notes_new(shell->q, shell->notes, shell->hide_tracer);
	l->ask.has_asked = true;
	l->asked.from = shell->span_from;
	l->asked.to = shell->span_to;
	l->asked.result = n->all;
	list_show(l, list_read_all(l->kind, shell->q, &l->asked, NULL));
}

static void notes_init(struct ui_pane *pane)
{
	struct list *l = (struct list *)pane;

	list_init(pane);
	l->asked = TABLE_ALL;
}

static void notes_clear(struct ui_pane *pane)
{
	struct notes *n = (struct notes *)pane;

	list_clear(pane);
	if (n->all)
		g_array_unref(n->all);
}

static bool notes_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct notes *n = (struct notes *)pane;

	if (!ui_fields_set(pane->ops->fields, pane, pane->shell, kept, error))
		return false;
	notes_changed(pane, 0);
	list_arrange(&n->list, UINT_MAX);
	return ui_fields_set(pane->ops->fields, pane, pane->shell, kept, error); /* restore the place */
}

static void asked_free(void *asked)
{
	g_array_unref((GArray *)(uintptr_t)((struct table_asked *)asked)->ask.result);
	g_free(asked);
}

/* The worker that writes the file does not know the notes added since the trace was opened: give it the
 * list. */
static bool notes_result(struct ui_pane *pane, struct ui_result *result)
{
	if (!list_result(pane, result))
		return false;
	g_array_ref(((struct notes *)pane)->all);
	result->free = asked_free;
	return true;
}

static const struct list_kind kind = {
	.table = &table_notes,
	.title = "Warnings and notes",
	.columns = "note host time text",
	.rest = 3,
	.none = "no warnings, and all events that would prove more were recorded",
};

static const struct ui_field fields[] = { LIST_ONE_FIELDS };

static const struct ui_hint hints[] = {
	{ UI_CMD_ACTIVATE, "go there" },
	{ UI_CMD_BACK, "back" },
	LIST_HINTS,
};

const struct ui_pane_ops pane_notes = {
	.place = UI_PLACE_LOWER,
	.name = "notes",
	.show = UI_CMD_WARNINGS,
	.kind = &kind,
	.hints = hints,
	.fields = fields,
	.lines = 11,
	.size = sizeof(struct notes),
	.init = notes_init,
	.clear = notes_clear,
	.carry = list_carry,
	.columns = list_columns,
	.words = list_words,
	.changed = notes_changed,
	.to_keep = list_to_keep,
	.restore = notes_restore,
	.command = list_command,
	.point = list_point,
	.result = notes_result,
	.title = list_title,
	.draw = list_draw,
};
