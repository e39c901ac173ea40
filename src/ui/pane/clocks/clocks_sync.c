/* SPDX-License-Identifier: MIT */
/* Other clocks: what is typed becomes a text as --sync takes it, and the experiment is opened again with
 * that. */
#include "ui/pane/clocks/clocks.h"

#include "export/exp.h"

#include <string.h>

/* ---- the text ---- */

/* Whether PART of the text is an offset for HOST. */
static bool clocks_sync_is_of(const char *part, const char *host)
{
	size_t length = strlen(host);

	return !strncmp(part, host, length) && part[length] == '=';
}

char *clocks_sync_with(const char *sync, const char *host, const char *offset)
{
	g_auto(GStrv) parts = g_strsplit(sync && *sync ? sync : "auto", ",", -1);
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; parts[i]; i++)
		if (!clocks_sync_is_of(parts[i], host))
			g_string_append_printf(text, "%s%s", text->len ? "," : "", parts[i]);
	g_string_append_printf(text, "%s%s=%s", text->len ? "," : "", host, offset);
	return g_string_free(text, FALSE);
}

/* ---- questions ---- */

static void offset_answered(struct ui_pane *pane, const char *text)
{
	const struct clocks *c = (const struct clocks *)pane;
	g_autofree char *sync = NULL;

	if (!*text)
		return;
	sync = clocks_sync_with(pane->shell->sync, qry_host(pane->shell->q, clocks_host(c))->name, text);
	ui_shell_reopen(pane->shell, sync);
}

/* "-325.081234567s": NS with all digits. */
static char *offset_text(int64_t ns)
{
	return g_strdup_printf("%c%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT "s", ns < 0 ? '-' : '+',
		ABS(ns / G_GINT64_CONSTANT(1000000000)), ABS(ns % G_GINT64_CONSTANT(1000000000)));
}

void clocks_sync_ask_offset(struct clocks *c)
{
	struct ui_shell *shell = c->pane.shell;
	struct ana_clock clock = ana_clock_of(shell->q, clocks_host(c), shell->view->cursor);
	g_autofree char *initial = NULL;

	if (!clocks_host(c)) {
		ui_shell_error(shell,
			qry_host_count(shell->q) > 1 ? "its clock is the one that is shown: move the others"
						     : "there is one host only, and one clock");
		return;
	}
	initial = offset_text(-clock.ahead);
	ui_shell_ask(shell, &c->pane, "add to this host's own time", initial, offset_answered, NULL);
}

static void sync_answered(struct ui_pane *pane, const char *text)
{
	if (*text)
		ui_shell_reopen(pane->shell, text);
}

void clocks_sync_ask(struct clocks *c)
{
	ui_shell_ask(c->pane.shell, &c->pane, "clocks (auto, none, FILE, HOST=OFFSET)", NULL, sync_answered,
		NULL);
}

/* ---- saving ---- */

static void write_clocks(struct ui_pane *pane, const char *file)
{
	struct ui_shell *shell = pane->shell;
	g_autoptr(GString) text = g_string_new(NULL);
	GError *error = NULL;

	exp_sync(text, shell->q, qry_clocks(shell->q), &(struct exp_options){ .format = EXP_JSON }, NULL);
	if (exp_write_file(file, text, false, &error))
		ui_shell_message(shell, "wrote %s: --sync %s uses these clocks again", file, file);
	else
		ui_shell_take_error(shell, error);
}

void clocks_sync_save(struct clocks *c)
{
	if (qry_clocks(c->pane.shell->q))
		ui_shell_ask_file(c->pane.shell, &c->pane, "save the clocks to", ".json", "clocks.json",
			write_clocks);
	else
		ui_shell_error(c->pane.shell, "each host shows its own time: there are no clocks to save");
}
