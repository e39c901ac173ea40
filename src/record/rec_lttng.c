/* SPDX-License-Identifier: MIT */
/*
 * LTTng: a private session, through the client.  The client stores "the current session" in the user's
 * folder, so wakepath gives it another folder and the user's own session stays current.
 */
#include "record/rec.h"

#include "base/base_error.h"
#include "base/base_place.h"
#include "base/base_scratch.h"
#include "model/event/wanted.h"
#include "record/rec_command.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define CHANNEL "wakepath"
#define CHANNEL_USER "wakepath-user"
#define SUBBUFS 8

struct rec_tracing {
	const struct rec_plan *plan; /* weak */
	char *home;                  /* folder; owned */
	char *hidden; /* folder that becomes the output; owned; NULL: LTTng writes to the output itself */
	bool created; /* the session exists, … */
	bool held;    /* … and is stopped: the client fails at a second stop */
};

/* True if the module of the kernel tracer is installed, loaded or not. */
static bool has_module(void)
{
	struct utsname u;
	g_autofree char *path = NULL, *text = NULL;

	if (g_file_test("/sys/module/lttng_tracer", G_FILE_TEST_EXISTS))
		return true;
	if (uname(&u) != 0)
		return false;
	path = g_build_filename("/lib/modules", u.release, "modules.dep", NULL);
	return g_file_get_contents(path, &text, NULL, NULL) && strstr(text, "lttng-tracer.ko");
}

static const char *problem(bool asked)
{
	if (!rec_client_is_there("lttng"))
		return "lttng is not installed here (lttng-tools)";
	if (!asked && !has_module())
		return "the kernel tracer of LTTng is not installed here (lttng-modules)";
	return geteuid() == 0 ? NULL : "recording needs root: run the command with sudo";
}

/* True if a line of EVENTS has NAME.  The client fails if an event is enabled twice. */
static bool lttng_is_named(const GPtrArray *events, const char *name)
{
	for (guint i = 0; i < events->len; i++) {
		g_auto(GStrv) names = g_strsplit(events->pdata[i], ",", -1);

		if (g_strv_contains((const char *const *)names, name))
			return true;
	}
	return false;
}

static GPtrArray *events_for(unsigned questions)
{
	GPtrArray *events = g_ptr_array_new_with_free_func(g_free);

	for (const struct mdl_wanted *w = mdl_wanted_first(); w->lttng; w++)
		if (w->questions & questions && !lttng_is_named(events, w->lttng))
			g_ptr_array_add(events, g_strdup(w->lttng));
	return events;
}

/* ---- commands of the client ---- */

/* Return the command line "lttng", WORD…, REST split at spaces, as a new NULL-terminated array of char *.
 * WORD and the arguments after it end with NULL.  HOME: the client's folder; NULL: the user's. */
static GPtrArray *line(const char *home, const char *rest, const char *word, ...)
{
	GPtrArray *a = g_ptr_array_new_with_free_func(g_free);
	g_auto(GStrv) more = rest ? g_strsplit(rest, " ", -1) : NULL;
	va_list words;

	if (home) {
		g_ptr_array_add(a, g_strdup("env"));
		g_ptr_array_add(a, g_strconcat("LTTNG_HOME=", home, NULL));
	}
	g_ptr_array_add(a, g_strdup("lttng"));
	va_start(words, word);
	for (; word; word = va_arg(words, const char *))
		g_ptr_array_add(a, g_strdup(word));
	va_end(words);
	for (char **m = more; m && *m; m++)
		g_ptr_array_add(a, g_strdup(*m));
	g_ptr_array_add(a, NULL);
	return a;
}

/* Return the commands that set up the session, which writes to FOLDER: a GPtrArray of words for each.  The
 * first *NEEDED must succeed, the others can fail. */
static GPtrArray *lttng_set_up(const struct rec_plan *p, const char *home, const char *folder, guint *needed)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
	g_autofree char *output = NULL, *size = NULL, *absolute = g_canonicalize_filename(folder, NULL);
	uint64_t subbuf = 4096;

	while (subbuf * 2 * SUBBUFS <= p->buffer)
		subbuf *= 2;
	output = g_strconcat("--output=", absolute, NULL);
	size = g_strdup_printf("--subbuf-size=%" G_GUINT64_FORMAT, subbuf);
	g_ptr_array_add(lines,
		line(home, p->wish->flight ? "--snapshot" : NULL, "create", p->name, output, NULL));
	g_ptr_array_add(lines,
		line(home, p->wish->flight ? "--overwrite" : "--discard", "enable-channel", "-s", p->name,
			"-k", CHANNEL, size, "--num-subbuf=" G_STRINGIFY(SUBBUFS), NULL));
	g_ptr_array_add(lines,
		line(home, "sched_switch", "enable-event", "-s", p->name, "-c", CHANNEL, "-k", NULL));
	*needed = lines->len;
	for (guint i = 0; i < p->events->len; i++)
		if (!g_str_equal(p->events->pdata[i], "sched_switch"))
			g_ptr_array_add(lines,
				line(home, p->events->pdata[i], "enable-event", "-s", p->name, "-c", CHANNEL,
					"-k", NULL));
	/* All LTTng-UST tracepoints, also of programs that start later; this fails without LTTng-UST. */
	g_ptr_array_add(lines,
		line(home, p->wish->flight ? "--overwrite" : "--discard", "enable-channel", "-s", p->name,
			"-u", CHANNEL_USER, size, "--num-subbuf=" G_STRINGIFY(SUBBUFS), NULL));
	g_ptr_array_add(lines,
		line(home, "--all", "enable-event", "-s", p->name, "-c", CHANNEL_USER, "-u", NULL));
	g_ptr_array_add(lines,
		line(home, NULL, "add-context", "-s", p->name, "-c", CHANNEL_USER, "-u", "-t", "vpid", "-t",
			"vtid", NULL));
	/* A byte in each event: 1 if the running thread must leave its CPU (analysis/account/resched.c). */
	g_ptr_array_add(lines,
		line(home, NULL, "add-context", "-s", p->name, "-c", CHANNEL, "-k", "-t", "need_reschedule",
			NULL));
	return lines;
}

/* Return the commands that end the session; HELD: it is stopped already. */
static GPtrArray *tear_down(const struct rec_plan *p, const char *home, bool keep, bool held)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);

	if (!held)
		g_ptr_array_add(lines, line(home, NULL, "stop", p->name, NULL));
	if (keep && p->wish->flight)
		g_ptr_array_add(lines, line(home, NULL, "snapshot", "record", "-s", p->name, NULL));
	g_ptr_array_add(lines, line(home, NULL, "destroy", p->name, NULL));
	return lines;
}

/* Run WORDS and free them. */
static bool lttng_run(GPtrArray *words, char **out, GError **error)
{
	bool ok = rec_client_run((const char *const *)words->pdata, out, error);

	g_ptr_array_unref(words);
	return ok;
}

static void tell_all(GPtrArray *lines, GString *out)
{
	for (guint i = 0; i < lines->len; i++)
		rec_client_tell((const char *const *)((const GPtrArray *)lines->pdata[i])->pdata, out);
	g_ptr_array_unref(lines);
}

static void lttng_tell(const struct rec_plan *plan, GString *out)
{
	const struct rec_wish *w = plan->wish;
	GPtrArray *begin = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
	guint needed;

	tell_all(lttng_set_up(plan, NULL, plan->output, &needed), out);
	g_ptr_array_add(begin, line(NULL, NULL, "start", plan->name, NULL));
	tell_all(begin, out);
	if (w->command)
		rec_client_tell((const char *const *)w->command, out);
	else
		g_string_append_printf(out, "sleep %g\n", w->duration ? (double)w->duration / 1e9 : 10.);
	tell_all(tear_down(plan, NULL, true, false), out);
}

/* ---- output folder ---- */

/*
 * The daemon of LTTng opens files by name, with root's rights.  If other users can write in the output's
 * folder, it therefore records into a hidden folder that only root can use.  That is made in the nearest
 * parent folder that only root can write, on the same file system, and renamed to the output at the end.
 */

/* Return the nearest parent of FOLDER (a path without links) on DEVICE in which others cannot rename
 * anything; NULL if there is none.  The caller frees. */
static char *safe_above(const char *folder, dev_t device)
{
	char *above = g_strdup(folder);
	bool ours = false, same = true;

	while (!ours && same && !g_str_equal(above, "/")) {
		char *next = g_path_get_dirname(above);
		int fd = base_place_open(next, NULL, &ours);
		struct stat st;

		same = fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == device;
		if (fd >= 0)
			close(fd);
		g_free(above);
		above = next;
	}
	if (!ours || !same)
		g_clear_pointer(&above, g_free);
	return above;
}

/* Make the hidden folder for T in a safe parent of FOLDER, which is open as FD and others can write. */
static bool make_hidden(struct rec_tracing *t, int fd, const char *folder, GError **error)
{
	const char *output = t->plan->output;
	g_autofree char *above = NULL, *name = g_strdup_printf(".%s.XXXXXX", t->plan->name);
	struct stat st;

	if (fstatat(fd, base_place_name(output), &st, AT_SYMLINK_NOFOLLOW) == 0)
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s exists already, where other users can write: remove it, or choose another name with -o",
			output);
	if (fstat(fd, &st) == 0)
		above = safe_above(folder, st.st_dev);
	if (!above)
		return base_error_false(error, BASE_ERROR_IO,
			"LTTng cannot record safely in %s, where other users can write: choose a folder that only root can write with -o, or type --with ftrace",
			folder);
	t->hidden = g_build_filename(above, name, NULL);
	if (g_mkdtemp(t->hidden))
		return true;
	g_clear_pointer(&t->hidden, g_free);
	return base_error_false_errno(error, errno, "cannot make a folder in", above);
}

static bool choose_folder(struct rec_tracing *t, GError **error)
{
	g_autofree char *folder = g_path_get_dirname(t->plan->output), *real = NULL;
	bool ours, ok;
	int fd = base_place_open(folder, &real, &ours);

	if (fd < 0)
		return base_error_false_errno(error, errno, "cannot write in", folder);
	ok = ours || make_hidden(t, fd, real, error);
	close(fd);
	return ok;
}

/* Rename the hidden folder to the output. */
static bool show_hidden(const struct rec_tracing *t, GError **error)
{
	const char *output = t->plan->output;
	int folder = base_place_folder(output), saved_errno;
	bool ok = folder >= 0 && renameat(AT_FDCWD, t->hidden, folder, base_place_name(output)) == 0;

	saved_errno = errno;
	if (folder >= 0)
		close(folder);
	if (ok)
		return true;
	base_error_set_errno(error, saved_errno, "cannot write", output);
	g_prefix_error(error, "what was recorded is in %s: ", t->hidden);
	return false;
}

static int remove_one(const char *path, G_GNUC_UNUSED const struct stat *st, G_GNUC_UNUSED int type,
	G_GNUC_UNUSED struct FTW *level)
{
	return remove(path);
}

/* ---- life ---- */

static bool lttng_begin(struct rec_tracing *t, GError **error)
{
	guint needed;
	g_autoptr(GPtrArray)
		lines = lttng_set_up(t->plan, t->home, t->hidden ? t->hidden : t->plan->output, &needed);
	bool ok = true;

	for (guint i = 0; i < lines->len && ok; i++) {
		const GPtrArray *words = lines->pdata[i];
		GError *unknown = NULL;

		/* Missing events do not prevent the recording. */
		ok = rec_client_run((const char *const *)words->pdata, NULL, i < needed ? error : &unknown) ||
			i >= needed;
		g_clear_error(&unknown);
		t->created |= ok;
	}
	return ok && lttng_run(line(t->home, NULL, "start", t->plan->name, NULL), NULL, error);
}

/* End the session, and free T. */
static bool lttng_end(struct rec_tracing *t, bool keep, GError **error)
{
	GPtrArray *lines = t->created ? tear_down(t->plan, t->home, keep, t->held) : NULL;
	bool ok = true;

	for (guint i = 0; lines && i < lines->len; i++) {
		const GPtrArray *words = lines->pdata[i];

		if (!rec_client_run((const char *const *)words->pdata, NULL, ok ? error : NULL))
			ok = false;
	}
	if (lines)
		g_ptr_array_unref(lines);
	if (t->hidden && keep && !show_hidden(t, ok ? error : NULL))
		ok = false;
	if (t->hidden && !keep)
		nftw(t->hidden, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	base_scratch_remove(t->home);
	g_free(t->hidden);
	g_free(t->home);
	g_free(t);
	return ok;
}

static struct rec_tracing *lttng_start(const struct rec_plan *plan, GError **error)
{
	struct rec_tracing *t = g_new0(struct rec_tracing, 1);
	g_autoptr(GError) problem_of_folder = NULL;

	t->plan = plan;
	t->home = base_scratch_folder(&problem_of_folder);
	if (!t->home) {
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_IO, problem_of_folder->message);
		g_free(t);
		return NULL;
	}
	if (choose_folder(t, error) && lttng_begin(t, error))
		return t;
	lttng_end(t, false, NULL);
	return NULL;
}

/* (The client has no cheap way to report its progress.) */
static bool poll(G_GNUC_UNUSED struct rec_tracing *t, struct rec_state *state, G_GNUC_UNUSED GError **error)
{
	*state = (struct rec_state){ .fill = -1 };
	return true;
}

static void lttng_hold(struct rec_tracing *t)
{
	t->held = lttng_run(line(t->home, NULL, "stop", t->plan->name, NULL), NULL, NULL);
}

static bool lttng_stop(struct rec_tracing *t, bool keep, struct rec_state *state, GError **error)
{
	*state = (struct rec_state){ .fill = -1 };
	return lttng_end(t, keep, error);
}

/* ---- what is left ---- */

/* Return the sessions whose process was killed.  A line of "lttng list" is "  1) NAME [active]". */
static GPtrArray *left(void)
{
	GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *out = NULL;
	g_auto(GStrv) lines = NULL;

	if (!rec_client_is_there("lttng") || geteuid() != 0 ||
		!lttng_run(line(NULL, NULL, "--no-sessiond", "list", NULL), &out, NULL) || !out)
		return found;
	lines = g_strsplit(out, "\n", -1);
	for (char **l = lines; *l; l++) {
		char *name = strstr(*l, "wakepath-");

		if (name && rec_name_is_left(name))
			g_ptr_array_add(found, g_strndup(name, strcspn(name, " \t")));
	}
	return found;
}

static bool clean(GError **error)
{
	g_autoptr(GPtrArray) found = left();
	bool ok = true;

	for (guint i = 0; i < found->len && ok; i++)
		ok = lttng_run(line(NULL, NULL, "destroy", found->pdata[i], NULL), NULL, error);
	return ok;
}

const struct rec_tracer rec_lttng = {
	.name = "lttng",
	.suffix = "",
	.problem = problem,
	.events = events_for,
	.tell = lttng_tell,
	.start = lttng_start,
	.poll = poll,
	.hold = lttng_hold,
	.stop = lttng_stop,
	.left = left,
	.left_is = { "the LTTng session ",
		" (its recording stays in the folder that \"lttng list NAME\" shows)" },
	.clean = clean,
};
