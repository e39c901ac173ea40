/* SPDX-License-Identifier: MIT */
/*
 * `wakepath fleet submit`: makes the summaries of the hosts of a list, by Slurm or by GNU parallel over ssh.
 *
 * HOW IT WORKS
 *
 * The folder of the result gets one summary for each line of the list, HOST-HASH.wpm with HASH of the trace's
 * path, and hosts.list, the list of all of them.  "wakepath fleet DIR/hosts.list" reads that list, and
 * reports hosts without a summary.  A summary is renamed into place when it is whole, so existing summaries
 * are finished and skipped.
 *
 * Slurm: each task is a command, one line of a file "tasks-N".  In a job array fleet.sbatch runs the line of
 * its number.  A trace lies on its host, so the lines of one HOST are an array for the node of that name.
 * Lines without HOST, or all lines with --anywhere, are arrays for any nodes.  An array has at most 1000
 * tasks, Slurm's default (MaxArraySize).
 *
 * GNU parallel: a task is a command for ssh, which makes the summary on the trace's host and prints it.
 *
 * All names are quoted for the shell.
 */
#include "app/app_fleet.h"

#include "base/base_error.h"
#include "base/base_place.h"
#include "base/base_stop.h"
#include "base/base_text.h"
#include "export/exp.h"
#include "fleet/flt_fleet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define ARRAY_MOST 1000 /* tasks of a job array: the default MaxArraySize of slurm.conf is 1001 */
#define AT_ONCE 32      /* ssh connections */

struct task {
	const struct flt_source *source; /* weak */
	char *summary;                   /* owned */
	char *command;                   /* for a shell; owned */
};

struct submit {
	const struct app_args *args; /* weak */
	char *folder;                /* absolute; owned */
	char *program;               /* wakepath, absolute; owned */
	GArray *tasks;               /* of struct task: unfinished ones, in the order of the list */
	GString *list;               /* text of hosts.list: all summaries */
	unsigned finished;           /* summaries that exist already */
	GPtrArray *scripts;          /* of char *: commands that submit, in order */
};

static void task_clear(void *data)
{
	g_free(((struct task *)data)->summary);
	g_free(((struct task *)data)->command);
}

/* Return WORDS (NULL-terminated) quoted for a shell.  The caller frees. */
static char *quoted(const char *const *words)
{
	GString *all = g_string_new(NULL);

	for (; *words; words++) {
		g_autofree char *word = g_shell_quote(*words);

		g_string_append_printf(all, "%s%s", all->len ? " " : "", word);
	}
	return g_string_free(all, FALSE);
}

/* Return the host name for the summary of S: as listed, or the base name of its trace.  The caller frees. */
static char *name_of(const struct flt_source *s)
{
	return s->host ? g_strdup(s->host) : g_path_get_basename(s->path);
}

static char *summary_of(const struct submit *s, const struct flt_source *source)
{
	g_autofree char *name = name_of(source);

	g_strcanon(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_.", '_');
	if (*name == '.')
		*name = '_';
	return g_strdup_printf("%s/%.100s-%08x.wpm", s->folder, name,
		(unsigned)XXH3_64bits(source->path, strlen(source->path)));
}

static char *command_of(const struct submit *s, const struct flt_source *source, const char *summary)
{
	const bool ssh = s->args->parallel;
	g_autofree char *name = name_of(source);
	const char *words[] = { s->program, "index", "--quiet", "--summary-as", summary, "--host", name, "--",
		source->path, NULL, NULL, NULL };
	g_autofree char *made = NULL, *there = NULL, *host = NULL, *part = NULL, *to = NULL;

	if (s->args->index_dir) {
		words[7] = "--index-dir";
		words[8] = s->args->index_dir;
		words[9] = "--";
		words[10] = source->path;
	}
	if (!ssh)
		return quoted(words);
	/* The command has the first five words itself; the remote shell expands only $f. */
	there = quoted(words + 5);
	made = g_strdup_printf(
		"f=$(mktemp) && wakepath index --quiet --summary-as \"$f\" %s && cat \"$f\"; r=$?; rm -f \"$f\"; exit $r",
		there);
	host = quoted((const char *const[]){ "ssh", "-o", "BatchMode=yes", "--", source->host, made, NULL });
	g_free(made);
	made = g_strconcat(summary, ".part", NULL);
	part = g_shell_quote(made);
	to = g_shell_quote(summary);
	return g_strdup_printf("%s > %s && mv %s %s", host, part, part, to);
}

/* True if SUMMARY exists and is whole. */
static bool is_finished(const char *summary)
{
	struct flt_summary *s = flt_summary_read(summary, NULL, FLT_ALL, NULL);
	bool whole = s;

	flt_summary_free(s);
	return whole;
}

static bool add_task(struct submit *s, const struct flt_source *source, GError **error)
{
	struct task task = { source, summary_of(s, source), NULL };
	g_autofree char *name = name_of(source),
			*line = quoted((const char *const[]){ name, task.summary, source->role, NULL });

	if (strchr(source->path, '\n') || strchr(name, '\n')) {
		task_clear(&task);
		return base_error_false(error, BASE_ERROR_USAGE, "a host or path has a line break");
	}
	if (s->args->parallel && !source->host) {
		task_clear(&task);
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s: --parallel needs the host of each trace: write lines HOST PATH", source->path);
	}
	g_string_append_printf(s->list, "%s\n", line);
	if (!s->args->force && is_finished(task.summary)) {
		s->finished++;
		task_clear(&task);
		return true;
	}
	task.command = command_of(s, source, task.summary);
	g_array_append_val(s->tasks, task);
	return true;
}

/* ---- files ---- */

/* Write TEXT to the file NAME in the folder; with --dry-run print it instead. */
static bool put_file(const struct submit *s, const char *name, const GString *text, GError **error)
{
	g_autofree char *path = g_build_filename(s->folder, name, NULL);

	if (!s->args->dry_run)
		return exp_write_file(path, text, false, error);
	printf("# %s\n%s\n", path, text->str);
	return true;
}

/* ---- Slurm ---- */

static const char batch[] =
	"#!/bin/bash\n"
	"#SBATCH --job-name=wakepath-fleet\n"
	"#SBATCH --ntasks=1\n"
	"#SBATCH --requeue\n"
	"# fleet.sbatch TASKS: run line number $SLURM_ARRAY_TASK_ID of TASKS\n"
	"line=$(sed -n \"${SLURM_ARRAY_TASK_ID}p\" \"$1\") && [ -n \"$line\" ] && eval \"exec $line\"\n";

/* Add a job array of N tasks from FIRST on in ORDER, for NODE (NULL: any). */
static bool add_array(struct submit *s, const GArray *order, guint first, guint n, const char *node,
	GError **error)
{
	g_autofree char *name = g_strdup_printf("tasks-%u", s->scripts->len + 1),
			*tasks = g_build_filename(s->folder, name, NULL),
			*script = g_build_filename(s->folder, "fleet.sbatch", NULL),
			*log = g_build_filename(s->folder, "log-%A-%a", NULL),
			*array = g_strdup_printf("--array=1-%u", n),
			*output = g_strconcat("--output=", log, NULL),
			*list = node ? g_strconcat("--nodelist=", node, NULL) : NULL;
	g_autoptr(GString) lines = g_string_new(NULL);
	const char *words[] = { "sbatch", "--parsable", array, output, script, tasks, NULL, NULL };

	if (node) {
		words[4] = list;
		words[5] = script;
		words[6] = tasks;
	}
	for (guint i = first; i < first + n; i++)
		g_string_append_printf(lines, "%s\n",
			g_array_index(s->tasks, struct task, g_array_index(order, guint, i)).command);
	g_ptr_array_add(s->scripts, quoted(words));
	return put_file(s, name, lines, error);
}

static gint by_node(gconstpointer a, gconstpointer b, gpointer submit)
{
	const struct submit *s = submit;
	guint x = *(const guint *)a, y = *(const guint *)b;
	const char *x_host = g_array_index(s->tasks, struct task, x).source->host,
		   *y_host = g_array_index(s->tasks, struct task, y).source->host;
	gint order = s->args->anywhere ? 0 : g_strcmp0(x_host, y_host);

	return order ? order : x < y ? -1 : x > y;
}

static const char *node_of(const struct submit *s, const GArray *order, guint i)
{
	return s->args->anywhere
		? NULL
		: g_array_index(s->tasks, struct task, g_array_index(order, guint, i)).source->host;
}

static bool slurm_scripts(struct submit *s, GError **error)
{
	g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(guint));
	g_autoptr(GString) script = g_string_new(batch);
	guint first = 0;

	for (guint i = 0; i < s->tasks->len; i++)
		g_array_append_val(order, i);
	g_array_sort_with_data(order, by_node, s);
	if (!put_file(s, "fleet.sbatch", script, error))
		return false;
	for (guint i = 1; i <= order->len; i++) {
		const char *node = node_of(s, order, first);

		if (i < order->len && i - first < ARRAY_MOST && g_strcmp0(node, node_of(s, order, i)) == 0)
			continue;
		if (!add_array(s, order, first, i - first, node, error))
			return false;
		first = i;
	}
	return true;
}

/* ---- GNU parallel ---- */

static bool parallel_scripts(struct submit *s, GError **error)
{
	g_autoptr(GString) lines = g_string_new(NULL);
	g_autofree char *tasks = g_build_filename(s->folder, "tasks-1", NULL),
			*log = g_build_filename(s->folder, "joblog", NULL);

	for (guint i = 0; i < s->tasks->len; i++)
		g_string_append_printf(lines, "%s\n", g_array_index(s->tasks, struct task, i).command);
	if (s->tasks->len > 0)
		g_ptr_array_add(s->scripts,
			quoted((const char *const[]){ "parallel", "--jobs", G_STRINGIFY(AT_ONCE), "--joblog",
				log, "--arg-file", tasks, NULL }));
	return put_file(s, "tasks-1", lines, error);
}

/* ---- the command ---- */

/* Run the command line COMMAND.  False with BASE_ERROR_IO if it cannot start or, unless MAY_FAIL, fails. */
static bool run_script(const char *command, bool may_fail, GError **error)
{
	g_auto(GStrv) words = NULL;
	g_autoptr(GError) why = NULL;
	int status = 0;

	fflush(stdout);
	if (!g_shell_parse_argv(command, NULL, &words, &why) ||
		!g_spawn_sync(NULL, words, NULL,
			G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN | G_SPAWN_LEAVE_DESCRIPTORS_OPEN,
			NULL, NULL, NULL, NULL, &status, &why))
		return base_error_false(error, BASE_ERROR_IO, "cannot start %s: %s",
			words ? words[0] : command, why->message);
	if (may_fail || g_spawn_check_wait_status(status, NULL))
		return true;
	return base_error_false(error, BASE_ERROR_IO, "%s failed: see its output above", words[0]);
}

static bool run_scripts(const struct submit *s, GError **error)
{
	for (guint i = 0; i < s->scripts->len && !base_stop_signal(); i++) {
		const char *script = g_ptr_array_index(s->scripts, i);

		if (s->args->dry_run)
			printf("%s\n", script);
		/* GNU parallel's status is the number of failed tasks; "wakepath fleet" lists these. */
		else if (!run_script(script, s->args->parallel, error))
			return false;
	}
	return true;
}

static bool make_folder(struct submit *s, GError **error)
{
	g_autofree char *here = g_get_current_dir(),
			*told = s->args->output ? g_strdup(s->args->output)
						: g_strconcat(s->args->traces[1], ".fleet", NULL);

	s->folder = g_canonicalize_filename(told, here);
	if (s->args->dry_run || base_place_make(s->folder) == 0)
		return true;
	return base_error_false_errno(error, errno, "cannot create", s->folder);
}

static bool submit_all(struct submit *s, const GPtrArray *sources, GError **error)
{
	for (guint i = 0; i < sources->len; i++)
		if (!add_task(s, g_ptr_array_index(sources, i), error))
			return false;
	if (!put_file(s, "hosts.list", s->list, error))
		return false;
	if (s->tasks->len > 0 && !(s->args->slurm ? slurm_scripts : parallel_scripts)(s, error))
		return false;
	if (!run_scripts(s, error))
		return false;
	if (!s->args->quiet)
		printf("%s%u submitted, %u finished before; then: wakepath fleet %s/hosts.list\n",
			s->args->dry_run ? "# " : "", s->tasks->len, s->finished, s->folder);
	return true;
}

bool app_fleet_submit(const struct app_args *args, GError **error)
{
	struct submit s = { .args = args,
		.program = g_file_read_link("/proc/self/exe", NULL),
		.tasks = g_array_new(FALSE, FALSE, sizeof(struct task)),
		.list = g_string_new("# HOST SUMMARY ROLE, for: wakepath fleet LIST\n"),
		.scripts = g_ptr_array_new_with_free_func(g_free) };
	g_autoptr(GPtrArray) sources = NULL;
	bool fine;

	if (args->slurm == args->parallel || g_strv_length(args->traces) != 2)
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_USAGE,
			"fleet submit takes --slurm or --parallel, and a list of hosts");
	else
		sources = flt_sources_read(args->traces[1], error);
	g_array_set_clear_func(s.tasks, task_clear);
	fine = sources && make_folder(&s, error) && submit_all(&s, sources, error);
	g_free(s.folder);
	g_free(s.program);
	g_array_unref(s.tasks);
	g_string_free(s.list, TRUE);
	g_ptr_array_unref(s.scripts);
	return fine;
}
