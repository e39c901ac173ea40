/* SPDX-License-Identifier: MIT */
/*
 * An SQL query and its rows.  $from and $to are the selection or the window (ns), $utid the selected thread,
 * $cpu the selected CPU.  The query runs again when a parameter that it names changes.
 */
#include "ui/pane/pane.h"

#include "sql/sql.h"
#include "ui/core/ui_argument.h"
#include "ui/core/ui_config.h"
#include "ui/core/ui_prompt.h"
#include "ui/widget/list_pane.h"

#include <string.h>

#define QUERY "query" /* the label of the line, and of its history */

struct query {
	struct list list;
	char *text;       /* the query; owned, NULL: none yet */
	GPtrArray *words; /* completion words; owned, NULL until needed */
};

/* True if TEXT may name the parameter NAME. */
static bool names(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	while (at && (at == text || !strchr("$:@", at[-1])))
		at = strstr(at + 1, name);
	return at;
}

static const char *ask(const struct list *l, struct table_question *q)
{
	const struct query *s = (const struct query *)l;

	if (!s->text)
		return "no query yet: type a SELECT";
	/* Interned: the worker may still use the text after the user typed another query. */
	q->query = g_intern_string(s->text);
	if (!names(s->text, "utid") && !names(s->text, "cpu"))
		q->row = MDL_NONE;
	if (!names(s->text, "from") && !names(s->text, "to")) {
		q->from = l->pane.shell->span_from;
		q->to = l->pane.shell->span_to;
	}
	q->rules = l->pane.shell->options->rules;
	return NULL;
}

static void answered(struct ui_pane *pane, const char *text)
{
	struct query *s = (struct query *)pane;

	if (!*text)
		return;
	ui_prompt_remember(pane->shell->prompt, QUERY, text);
	g_free(s->text);
	s->text = g_strdup(ui_config_query(pane->shell->config, text));
	list_begin(&s->list);
}

static bool is_part_of_word(char c)
{
	return g_ascii_isalnum(c) || c == '_' || c == '$';
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Offer completions of the last word of TEXT. */
static void typed(struct ui_pane *pane, const char *text)
{
	struct query *s = (struct query *)pane;
	GPtrArray *choices = g_ptr_array_new_with_free_func(g_free);
	gsize from = strlen(text), n;

	while (from > 0 && is_part_of_word(text[from - 1]))
		from--;
	n = strlen(text + from);
	if (!s->words) {
		s->words = g_ptr_array_new_with_free_func(g_free);
		sql_words(pane->shell->q, s->words);
		ui_config_query_names(pane->shell->config, s->words);
		g_ptr_array_sort(s->words, by_name);
	}
	for (guint i = 0; n > 0 && i < s->words->len; i++) {
		const char *word = g_ptr_array_index(s->words, i);

		if (g_ascii_strncasecmp(word, text + from, n) == 0 &&
			(i == 0 || strcmp(word, s->words->pdata[i - 1]) != 0))
			g_ptr_array_add(choices, g_strdup(word));
	}
	ui_prompt_offer(pane->shell->prompt, from, choices, NULL);
}

/* True if the rows have the column NAME. */
static bool has_column(const struct list_rows *rows, const char *name)
{
	for (unsigned i = 0; i < rows->n_columns; i++)
		if (!g_ascii_strcasecmp(rows->columns[i].name, name))
			return true;
	return false;
}

/* Pin the rows as spans above the threads or as lines of values, or unpin them. */
static bool pin(struct query *s)
{
	const struct list *l = &s->list;
	const struct list_rows *rows = l->part ? l->part->rows : NULL;

	if (rows && has_column(rows, "ts") && (has_column(rows, "dur") || has_column(rows, "value")) &&
		has_column(rows, "name"))
		ui_shell_lead(l->pane.shell,
			UI_LEAD(SPANS, .label = l->asked.query, .row = l->asked.row, .from = l->asked.from,
				.to = l->asked.to));
	else
		ui_shell_error(l->pane.shell,
			"the rows need the columns ts, name, and dur or value; utid selects the thread");
	return true;
}

static bool command(struct list *l, enum ui_command command)
{
	struct query *s = (struct query *)l;

	if (command == UI_CMD_PIN)
		return pin(s);
	if (command != UI_CMD_SQL || (s->text && ui_argument_is_switch(l->pane.shell)))
		return false;
	ui_shell_ask(l->pane.shell, &l->pane, QUERY, s->text, answered, typed);
	return true;
}

static void sql_clear(struct ui_pane *pane)
{
	struct query *s = (struct query *)pane;

	g_free(s->text);
	if (s->words)
		g_ptr_array_unref(s->words);
	list_clear(pane);
}

static void sql_carry(struct ui_pane *pane, struct ui_pane *old)
{
	list_carry(pane, old);
	((struct query *)pane)->text = g_strdup(((struct query *)old)->text);
}

static bool sql_to_keep(struct ui_pane *pane)
{
	return ((struct query *)pane)->text && list_to_keep(pane);
}

static const struct list_kind kind = {
	.table = &sql_rows,
	.title = "Query",
	.none = "the query has no rows",
	.ask = ask,
	.command = command,
};

static const struct ui_field fields[] = { UI_FIELD(TEXT, "query", query, text), LIST_FIELDS(NULL, 0, NULL, 0),
	LIST_PLACES };

static const struct ui_hint hints[] = { { UI_CMD_SQL, "ask" }, { UI_CMD_ACTIVATE, "go there" },
	{ UI_CMD_PIN, "above the threads" }, { UI_CMD_BACK, "back" }, LIST_HINTS };

const struct ui_pane_ops pane_sql = {
	LIST_ANY_HOOKS,
	.name = "sql",
	.show = UI_CMD_SQL,
	.kind = &kind,
	.hints = hints,
	.fields = fields,
	.lines = 11,
	.size = sizeof(struct query),
	.init = list_init,
	.clear = sql_clear,
	.changed = list_changed,
	.to_keep = sql_to_keep,
	.carry = sql_carry,
	.restore = list_restore,
	.words = list_words,
};
