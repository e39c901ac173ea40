/* SPDX-License-Identifier: MIT */
/*
 * The hosts of a fleet, from their summaries; outliers come first.  Enter opens the trace of a host in this
 * explorer; for a trace on another machine, a message shows the command that opens it.
 */
#include "ui/pane/pane.h"

#include "fleet/flt_fleet.h"
#include "ui/core/ui_argument.h"
#include "ui/core/ui_config.h"
#include "ui/core/ui_prompt.h"
#include "ui/widget/list_pane.h"

#include <math.h>

#define FLEET "hosts" /* the label of the line, and of its history */

struct fleet {
	struct list list;
	char *path; /* path of the list or the folder; owned, NULL: none yet */
};

static const char *ask(const struct list *l, struct table_question *q)
{
	const struct fleet *f = (const struct fleet *)l;

	if (!f->path)
		return "no fleet yet: name a list of hosts, or a folder with summaries";
	q->query = g_intern_string(f->path); /* the worker may outlive f->path */
	return NULL;
}

static void answered(struct ui_pane *pane, const char *text)
{
	struct fleet *f = (struct fleet *)pane;

	if (!*text)
		return;
	ui_prompt_remember(pane->shell->prompt, FLEET, text);
	g_free(f->path);
	f->path = g_strdup(text);
	list_begin(&f->list);
}

static void typed(struct ui_pane *pane, const char *text)
{
	GPtrArray *files = g_ptr_array_new_with_free_func(g_free);

	ui_files_add(files, text);
	ui_prompt_offer(pane->shell->prompt, 0, files, NULL);
}

static bool open_host(const struct list *l)
{
	struct ui_shell *shell = l->pane.shell;
	const char *host = list_selected_word(l, "host"), *trace = list_selected_word(l, "trace");
	g_autofree char *there = NULL, *quoted = NULL;

	if (!host || !trace)
		return true;
	if (g_file_test(trace, G_FILE_TEST_EXISTS)) {
		shell->options->open_next(shell->options->context, trace);
		shell->quit = true;
		return true;
	}
	there = g_shell_quote(trace);
	quoted = g_shell_quote(host);
	ui_shell_message(shell, "not on this machine: ssh -t %s wakepath %s", quoted, there);
	return true;
}

static bool command(struct list *l, enum ui_command command)
{
	struct fleet *f = (struct fleet *)l;

	if ((command == UI_CMD_ACTIVATE || command == UI_CMD_FOLLOW) && l->pane.shown &&
		ui_pane_focused(&l->pane) && !l->on_heading)
		return open_host(l);
	if (command != UI_CMD_FLEET || (f->path && ui_argument_is_switch(l->pane.shell)))
		return false;
	ui_shell_ask(l->pane.shell, &l->pane, FLEET, f->path, answered, typed);
	return true;
}

static void fleet_clear(struct ui_pane *pane)
{
	g_free(((struct fleet *)pane)->path);
	list_clear(pane);
}

static void fleet_carry(struct ui_pane *pane, struct ui_pane *old)
{
	list_carry(pane, old);
	((struct fleet *)pane)->path = g_strdup(((struct fleet *)old)->path);
}

static bool fleet_to_keep(struct ui_pane *pane)
{
	return ((struct fleet *)pane)->path && list_to_keep(pane);
}

/* Hosts that can be compared come first.  If there are none, show what a comparison needs. */
static void what_it_takes(const struct list *l, const struct term_area *area, unsigned y)
{
	const struct list_rows *rows = l->part->rows;

	if (l->part->n > 0 && isnan(list_rows_cell(rows, 0, list_rows_find(rows, "p"))->share))
		term_area_printf(area, 1, y, TERM_ROLE_DIM, "not compared: a role needs at least %d hosts",
			FLT_FEWEST);
}

static const struct list_kind kind = {
	.table = &table_fleet_hosts,
	.title = "Hosts of the fleet",
	.narrow = "Fleet",
	.columns = "host=HOST stands_out kind count p50 p99 difference p cause trace",
	.whole = true,
	.rest = 3,
	.none = "no host",
	.below = what_it_takes,
	.ask = ask,
	.command = command,
};

static const struct ui_field fields[] = { UI_FIELD(TEXT, "hosts", fleet, path), LIST_FIELDS(NULL, 0, NULL, 0),
	LIST_PLACES };

static const struct ui_hint hints[] = { { UI_CMD_ACTIVATE, "open its trace" },
	{ UI_CMD_FLEET, "another fleet" }, LIST_HINTS };

const struct ui_pane_ops pane_fleet = {
	LIST_ANY_HOOKS,
	.name = "fleet",
	.show = UI_CMD_FLEET,
	.kind = &kind,
	.hints = hints,
	.fields = fields,
	.lines = 11,
	.size = sizeof(struct fleet),
	.init = list_init,
	.clear = fleet_clear,
	.changed = list_changed,
	.to_keep = fleet_to_keep,
	.carry = fleet_carry,
	.restore = list_restore,
	.words = list_words,
	.columns = list_columns,
};
