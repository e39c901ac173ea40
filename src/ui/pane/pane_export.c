/* SPDX-License-Identifier: MIT */
/*
 * Writes a file: the list with the focus; else, if a path is open, the path of the selected thread; else the
 * control flow; over the selection or the window.  The file name's suffix selects the format.  Or writes a
 * cut: the events of that time as a separate recording.  A worker writes, because it may take long.
 */
#include "ui/pane/pane.h"

#include "base/base_text.h"
#include "export/exp.h"
#include "query/events/cut.h"
#include "ui/core/ui_theme.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/subject.h"

#include <string.h>
#include <sys/stat.h>

#define SAID_EVERY_US 200000 /* µs between progress messages */

/* ---- in the worker ---- */

/* A file to write. */
struct job {
	bool is_path, is_cut;
	uint32_t host;         /* the host of the cut */
	uint32_t row;          /* the thread of the path */
	GArray *rows;          /* owned: the rows of the control flow */
	char *file, *sync;     /* owned; SYNC may be NULL */
	struct ui_result list; /* the result of a pane, if any; NULL name: none; owned */
	struct exp_options o;
};

/* A file that was written. */
struct written {
	uint32_t row;
	int64_t from, to;
	guint n;       /* number of segments or rows */
	int64_t whole; /* cuts: complete from this time on, ns */
};

/* Append the options that name thread ROW: its TID, and a time if another thread had the same TID. */
static void append_thread(GString *command, const struct qry *q, uint32_t row, int64_t from)
{
	const struct qry_row *r = qry_row(q, row);
	g_autofree char *spec = g_strdup_printf("%s/%" G_GINT64_FORMAT, qry_host(q, r->host)->name, r->nr);
	g_autofree char *quoted = NULL;
	uint32_t found;

	quoted = g_shell_quote(spec);
	g_string_append_printf(command, " --thread %s", quoted);
	if (!qry_find_thread(q, spec, &found, NULL) || found != row)
		g_string_append_printf(command, "@%" G_GINT64_FORMAT, MAX(from, r->first));
}

/* The command line that writes the same file.  The caller frees. */
static GString *command_of(const struct qry *q, const char *result, const struct job *job,
	const struct exp_output *output)
{
	const struct exp_options *o = &job->o;
	GString *command = g_string_new("wakepath ");

	g_string_append(command, result);
	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		g_autofree char *trace = g_shell_quote(qry_host(q, i)->meta->path);

		g_string_append_printf(command, " %s", trace);
	}
	if (o->row != UI_NO_ROW)
		append_thread(command, q, o->row, o->from);
	g_string_append_printf(command,
		" --from %" G_GINT64_FORMAT " --to %" G_GINT64_FORMAT " --format %s%s", o->from, o->to,
		output->name, o->hide_tracer ? " --hide-tracer" : "");
	if (job->sync) {
		g_autofree char *sync = g_shell_quote(job->sync);

		g_string_append_printf(command, " --sync %s", sync);
	}
	return command;
}

/* Write WHAT, the N segments or rows of the result called RESULT, to the file of JOB.  OWN: a command line
 * can write the same.  The caller frees what is returned; NULL with an error. */
static void *write_result(struct qry *q, struct job *job, const char *result, const void *what, guint n,
	bool own, GError **error)
{
	struct written written = { job->o.row, job->o.from, job->o.to, n, 0 };
	struct exp_output output;
	g_autoptr(GString) command = NULL;
	bool fine;

	if (!exp_output_of_file(result, job->file, &output))
		return NULL;
	command = command_of(q, result, job, &output);
	if (!own)
		g_string_append(command, " # with the rows that the explorer showed");
	job->o.colour = ui_theme_on_paper;
	job->o.command = command->str;
	fine = exp_output_write(result, q, what, &job->o, job->file, error);
	return fine ? g_memdup2(&written, sizeof written) : NULL;
}

static void *write_path(struct qry *q, struct job *job, GError **error)
{
	struct exp_options *o = &job->o;
	struct ana_path *path = ana_path_new(q, job->row, o->from, o->to, o->progress, error);
	void *written;

	if (!path)
		return NULL;
	o->row = path->subject;
	o->from = path->from;
	o->to = path->to;
	o->hide_tracer = false;
	written = write_result(q, job, "path", path, path->segments->len, true, error);
	ana_path_free(path);
	return written;
}

static void *write_list(struct qry *q, struct job *job, GError **error)
{
	struct written written = { job->o.row, job->o.from, job->o.to, 0, 0 };
	void *made = job->list.make(q, job->list.data, job->o.progress, error);
	bool fine = made && exp_output_write(job->list.name, q, made, &job->o, job->file, error);

	if (made)
		job->list.free_made(made);
	return fine ? g_memdup2(&written, sizeof written) : NULL;
}

static void *write_cut(struct qry *q, struct job *job, GError **error)
{
	struct written written = { UI_NO_ROW, job->o.from, job->o.to, 0, 0 };

	return qry_cut(q, job->host, written.from, written.to, job->file, NULL, false, job->o.progress,
		       &written.whole, error)
		? g_memdup2(&written, sizeof written)
		: NULL;
}

static void *pane_export_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	struct job *job = *(struct job *const *)question;
	g_autoptr(GArray) rows = NULL;
	bool own;

	job->o.progress = progress;
	if (job->list.name)
		return write_list(q, job, error);
	if (job->is_cut)
		return write_cut(q, job, error);
	if (job->is_path)
		return write_path(q, job, error);
	/* No command line can select the explorer's rows, unless they are the default ones. */
	rows = exp_flow_rows(q, &job->o, MDL_NONE);
	own = rows->len == job->rows->len &&
		(!rows->len || !memcmp(rows->data, job->rows->data, rows->len * sizeof(uint32_t)));
	return write_result(q, job, "flow", job->rows, job->rows->len, own, error);
}

/* ---- asking ---- */

struct export
{
	struct ui_pane pane;
	GPtrArray *jobs; /* of struct job, owned; includes stopped ones that the worker may still use */
	gint64 said;     /* time of the last progress message */
};

static void job_free(gpointer data)
{
	struct job *job = data;

	g_clear_pointer(&job->rows, g_array_unref);
	if (job->list.name)
		job->list.free(job->list.data);
	g_free(job->list.what);
	g_free(job->file);
	g_free(job->sync);
	g_free(job);
}

static const struct job *last_job(const struct export *e)
{
	return g_ptr_array_index(e->jobs, e->jobs->len - 1);
}

/* Show "wrote FILE (12.0 KiB): path of X over 12.0 ms, 25 segments". */
static void pane_export_taken(struct ui_pane *pane, void *data, GError *error)
{
	struct ui_shell *shell = pane->shell;
	const struct job *job = last_job((struct export *)pane);
	g_autofree struct written *w = data;
	g_autofree char *span = NULL, *size = NULL, *label = NULL;
	struct stat there;

	if (!w) {
		ui_shell_take_error(shell, error);
		return;
	}
	span = ui_shell_duration_text(shell, w->to - w->from);
	if (job->is_cut) {
		label = ui_shell_duration_text(shell, w->from - w->whole);
		ui_shell_message(shell, "wrote %s: all events of %s, and of %s before it", job->file, span,
			label);
		return;
	}
	size = base_text_bytes(stat(job->file, &there) == 0 ? (guint64)there.st_size : 0);
	if (job->list.name) {
		ui_shell_message(shell, "wrote %s (%s): %s over %s", job->file, size, job->list.what, span);
		return;
	}
	label = job->is_path ? qry_row_label(shell->q, w->row) : NULL;
	ui_shell_message(shell, "wrote %s (%s): %s%s over %s, %u %s", job->file, size,
		label ? "path of " : "control flow", label ? label : "", span, w->n,
		label ? "segments" : "rows");
}

static const struct ask_kind pane_export_kind = { .size = sizeof(struct job *),
	.answer = pane_export_answer,
	.free = g_free,
	.taken = pane_export_taken };

static void pane_export_start(struct export *e, struct job *job, const char *file)
{
	job->file = g_strdup(file);
	g_ptr_array_add(e->jobs, job);
	ask_worker_for(&e->pane, &pane_export_kind, &job, ASK_AT_ONCE);
}

/* Set *LIST to the list of the pane with the focus; false if none can be written. */
static bool list_of(struct ui_shell *shell, struct ui_result *list)
{
	struct ui_pane *pane = shell->focus;

	*list = (struct ui_result){ .row = UI_NO_ROW };
	return pane && pane->shown && pane->ops->result && pane->ops->result(pane, list);
}

static void export_list_to(struct ui_pane *pane, const char *file)
{
	struct ui_shell *shell = pane->shell;
	struct job *job = g_new0(struct job, 1);

	if (!list_of(shell, &job->list)) {
		ui_shell_error(shell, "the list is gone");
		g_free(job);
		return;
	}
	job->o = (struct exp_options){ .row = job->list.row,
		.from = job->list.from,
		.to = job->list.to,
		.top = UINT_MAX,
		.hide_tracer = shell->hide_tracer };
	pane_export_start((struct export *)pane, job, file);
}

/* Export the path of the selected thread if a path is open or the ending of FILE is only for paths; else the
 * control flow. */
static void export_to(struct ui_pane *pane, const char *file)
{
	struct ui_shell *shell = pane->shell;
	uint32_t row = shell->view->row;
	struct exp_output unused;
	struct job *job = g_new0(struct job, 1);

	job->is_path = ui_shell_shows(shell, UI_CMD_PATH) || !exp_output_of_file("flow", file, &unused);
	if (job->is_path && !row_is_thread(shell->q, row)) {
		ui_shell_error(shell, "only threads have paths: select one");
		g_free(job);
		return;
	}
	job->row = row;
	job->rows = ui_shell_rows(shell);
	job->sync = g_strdup(shell->sync);
	job->o = (struct exp_options){ .row = UI_NO_ROW, .hide_tracer = shell->hide_tracer };
	ui_shell_selection(shell, &job->o.from, &job->o.to);
	pane_export_start((struct export *)pane, job, file);
}

/* The host of the selected row; else the only host.  MDL_NONE: neither. */
static uint32_t export_host(const struct ui_shell *shell)
{
	uint32_t row = shell->view->row;

	if (row != UI_NO_ROW)
		return qry_row(shell->q, row)->host;
	return qry_host_count(shell->q) == 1 ? 0 : MDL_NONE;
}

static void cut_to(struct ui_pane *pane, const char *file)
{
	struct ui_shell *shell = pane->shell;
	struct job *job = g_new0(struct job, 1);

	job->is_cut = true;
	job->host = export_host(shell);
	job->o.row = UI_NO_ROW;
	ui_shell_selection(shell, &job->o.from, &job->o.to);
	pane_export_start((struct export *)pane, job, file);
}

/* ---- hooks ---- */

static void export_init(struct ui_pane *pane)
{
	((struct export *)pane)->jobs = g_ptr_array_new_with_free_func(job_free);
}

static void export_clear(struct ui_pane *pane)
{
	struct export *e = (struct export *)pane;

	ask_worker_free(e->pane.worker);
	g_ptr_array_unref(e->jobs);
}

static bool export_work(struct ui_pane *pane)
{
	struct export *e = (struct export *)pane;
	g_autofree char *stop = NULL;
	bool more = ask_worker_wait(e->pane.worker, pane, ASK_SLICE);

	if (!more || g_get_monotonic_time() < e->said + SAID_EVERY_US)
		return more;
	e->said = g_get_monotonic_time();
	stop = ui_keymap_first(pane->shell->keys, UI_CMD_CLEAR);
	ui_shell_message(pane->shell, "writing %s: %.0f%%, %s stops it", last_job(e)->file,
		100 * ask_worker_share(e->pane.worker), stop);
	return true;
}

/* "wk-client-541.path.txt": only those characters of the name that are safe in shells and file systems. */
static char *default_name(const struct qry_row *row)
{
	GString *name = g_string_new(NULL);

	for (const char *c = row->name; *c; c++)
		g_string_append_c(name, g_ascii_isalnum(*c) || strchr("-_.", *c) ? *c : '_');
	if (!name->len || name->str[0] == '.' || name->str[0] == '-')
		g_string_prepend(name, "thread");
	g_string_append_printf(name, "-%" G_GINT64_FORMAT ".path.txt", row->nr);
	return g_string_free(name, FALSE);
}

static bool export_command(struct ui_pane *pane, enum ui_command command)
{
	struct export *e = (struct export *)pane;
	struct ui_shell *shell = pane->shell;
	bool thread = row_is_thread(shell->q, shell->view->row);
	bool path = thread && ui_shell_shows(shell, UI_CMD_PATH);
	g_autofree char *name = NULL;
	struct ui_result list;

	if (command == UI_CMD_CLEAR && ask_worker_busy(e->pane.worker)) {
		ask_worker_cancel(e->pane.worker);
		ui_shell_message(shell, "stopped writing %s", last_job(e)->file);
		return true;
	}
	if (command != UI_CMD_EXPORT && command != UI_CMD_CUT)
		return false;
	if (ask_worker_busy(e->pane.worker)) {
		ui_shell_error(shell, "%s is still being written", last_job(e)->file);
		return true;
	}
	if (command == UI_CMD_CUT) {
		if (export_host(shell) == MDL_NONE)
			ui_shell_error(shell, "a cut is of one host: select one of its rows");
		else
			ui_shell_ask_file(shell, pane, "write the events of the window to", NULL, "cut",
				cut_to);
		return true;
	}
	if (list_of(shell, &list)) {
		list.free(list.data);
		g_free(list.what);
		ui_shell_ask_file(shell, pane, "write the list to", exp_output_endings(list.name), list.file,
			export_list_to);
		return true;
	}
	name = path ? default_name(qry_row(shell->q, shell->view->row)) : g_strdup("window.svg");
	ui_shell_ask_file(shell, pane, path ? "write the path to" : "write the window (as text: its path) to",
		exp_output_endings("path"), name, export_to);
	return true;
}

const struct ui_pane_ops pane_export = {
	.name = "export",
	.place = UI_PLACE_NOWHERE,
	.size = sizeof(struct export),
	.init = export_init,
	.clear = export_clear,
	.work = export_work,
	.command = export_command,
};
