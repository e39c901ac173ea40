/* SPDX-License-Identifier: MIT */
/* Any table by its name: "table thread_state" shows the states of the selected row in the window. */
#include "ui/pane/pane.h"

#include "ui/core/ui_argument.h"
#include "ui/widget/list_pane.h"

#include <string.h>

enum { OF_ROW, OF_ALL, SCOPES };
static const char *const scopes[SCOPES] = { "row", "all" },
			 *const said[SCOPES] = { "rows of the table that are about the selected row",
				 "all rows of the table" };

struct any {
	struct list list;
	struct list_kind own; /* the shown table's kind; unset before the first one */
	char *name;           /* name of the table; owned, NULL: none yet */
};

static const char *ask(const struct list *l, struct table_question *q)
{
	const struct qry_row *row = q->row == MDL_NONE ? NULL : qry_row(l->pane.shell->q, q->row);

	if (l->kind->table->takes & TABLE_NEEDS_ROW && !(row && row->type == MDL_ROW_THREAD))
		return "this table is about a thread: select one";
	return l->scope == OF_ROW && !l->kind->whole && !row ? "this table is about a row: select one" : NULL;
}

static char *whose(const struct list *l)
{
	if (l->kind->whole || l->scope == OF_ALL)
		return NULL;
	return l->row == MDL_NONE ? g_strdup("nothing") : qry_row_label(l->pane.shell->q, l->row);
}

static const struct table *find(const char *name)
{
	const struct table *t;
	unsigned i = 0;

	while ((t = table_nth(i)) && strcmp(t->name, name) != 0)
		i++;
	return t;
}

/* Show the rows of the table T. */
static void set_table(struct any *a, const struct table *t)
{
	a->own = (struct list_kind){ .table = t,
		.title = t->list,
		.none = "this table has no rows here",
		.whole = !(t->takes & (TABLE_TAKES_ROW | TABLE_TAKES_WINDOW)),
		.scopes_said = t->takes & TABLE_TAKES_ROW && !(t->takes & TABLE_NEEDS_ROW) ? said : NULL,
		.of_all = t->takes & TABLE_TAKES_ROW ? 1u << OF_ALL : UINT_MAX,
		.ask = ask,
		.whose = whose,
		.command = a->own.command };
	a->list.ask.has_asked = false;
}

static void answered(struct ui_pane *pane, const char *text)
{
	struct any *a = (struct any *)pane;
	struct list *l = &a->list;
	const struct table *t = find(text);

	if (!t) {
		ui_argument_refuse(pane->shell, UI_CMD_TABLE, text);
		return;
	}
	g_free(a->name);
	a->name = g_strdup(t->name);
	set_table(a, t);
	/* A table with both a window and a row can be large: ask for the selected row only. */
	l->scope = t->takes & TABLE_TAKES_WINDOW && t->takes & TABLE_TAKES_ROW ? OF_ROW : OF_ALL;
	list_begin(l);
}

static bool command(struct list *l, enum ui_command command)
{
	if (command != UI_CMD_TABLE || (l->kind->table && ui_argument_is_switch(l->pane.shell)))
		return false;
	ui_shell_ask(l->pane.shell, &l->pane, "table", ((struct any *)l)->name, answered, NULL);
	return true;
}

static void table_words(struct ui_pane *pane, enum ui_command command, GPtrArray *words)
{
	const struct table *t;

	for (unsigned i = 0; command == UI_CMD_TABLE && (t = table_nth(i)); i++)
		ui_argument_add(words, &t->name, 1);
	list_words(pane, command, words);
}

static void table_init(struct ui_pane *pane)
{
	struct any *a = (struct any *)pane;

	list_init(pane);
	a->own.command = command;
	a->list.kind = &a->own;
}

static void table_clear(struct ui_pane *pane)
{
	g_free(((struct any *)pane)->name);
	list_clear(pane);
}

static void table_carry(struct ui_pane *pane, struct ui_pane *old)
{
	struct any *a = (struct any *)pane, *before = (struct any *)old;

	list_carry(pane, old);
	a->name = g_strdup(before->name);
	if (a->name)
		set_table(a, find(a->name));
}

static bool table_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct any *a = (struct any *)pane;
	const struct table *t;

	if (!ui_fields_set(pane->ops->fields, pane, pane->shell, kept, error))
		return false;
	t = a->name ? find(a->name) : NULL;
	if (t && t != a->own.table)
		set_table(a, t);
	return !t || list_restore(pane, kept, error);
}

static const struct list_kind kind = { .table = NULL };

static const struct ui_field fields[] = { UI_FIELD(TEXT, "table", any, name),
	LIST_FIELDS(scopes, SCOPES, NULL, 0), LIST_PLACES };

static const struct ui_hint hints[] = { { UI_CMD_TABLE, "another" }, { UI_CMD_ACTIVATE, "go there" },
	{ UI_CMD_BACK, "back" }, { UI_CMD_SCOPE, "whose" }, LIST_HINTS };

const struct ui_pane_ops pane_table = {
	LIST_ANY_HOOKS,
	.name = "table",
	.show = UI_CMD_TABLE,
	.kind = &kind,
	.hints = hints,
	.fields = fields,
	.lines = 11,
	.size = sizeof(struct any),
	.init = table_init,
	.clear = table_clear,
	.changed = list_changed,
	.to_keep = list_to_keep,
	.carry = table_carry,
	.restore = table_restore,
	.words = table_words,
};
