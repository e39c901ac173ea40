/* SPDX-License-Identifier: MIT */
/*
 * How it works: this process combines the reports of all makers into one, and passes it on once every
 * recording can be opened.  Until all indexes are whole the hosts' clocks are unknown, because packets are
 * matched in whole traces.  Then this process matches them before it reports the end, so the explorer does
 * not have to.
 */
#include "app/app_follower.h"

#include "app/app_open.h"
#include "app/app_session.h"
#include "base/base_stop.h"
#include "index/pairs/pairs.h"
#include "index/spans/spans.h"
#include "ingest/ing.h"
#include "trace/trc_reader.h"

#include <stdlib.h>

#define AT_ONCE 16 /* processes, each with a reader and a model */
#define LOOK_MS 50

struct maker {
	const struct ing_result *result; /* weak */
	struct app_follower *process;    /* owned; NULL: the index existed */
};

struct makers {
	const struct app_args *args; /* weak */
	GPtrArray *found;            /* of struct ing_result, without those left out */
};

static void maker_clear(gpointer data)
{
	app_follower_free(((struct maker *)data)->process);
}

static const char *told(const struct maker *maker, enum app_told what)
{
	return app_follower_told(maker->process, what, 0);
}

static bool makers_is_whole(const struct maker *maker)
{
	return !maker->process || *told(maker, APP_TOLD_WHOLE) != '\0';
}

/* Start a process for each of M without a fresh index.  Return all (of struct maker); the caller unrefs. */
static GArray *begin_all(const struct makers *m, GError **error)
{
	GArray *all = g_array_new(FALSE, TRUE, sizeof(struct maker));
	bool ok = true;

	g_array_set_clear_func(all, maker_clear);
	for (guint i = 0; ok && i < m->found->len; i++) {
		struct maker maker = { .result = g_ptr_array_index(m->found, i) };
		struct app_args args = *m->args;

		args.traces = maker.result->recording->folders;
		if (maker.result->reason)
			maker.process = app_follower_new(&args, true, error);
		ok = !maker.result->reason || maker.process;
		g_array_append_val(all, maker);
	}
	return all;
}

/* The combined texts of all makers. */
struct together {
	GString *texts[APP_TOLD_N];
	unsigned permille; /* the smallest APP_TOLD_SHARE, in thousandths */
	bool all;          /* every recording can be opened */
};

static void makers_add(struct together *t, enum app_told what, const char *between, const char *text)
{
	if (t->texts[what]->len > 0)
		g_string_append(t->texts[what], between);
	g_string_append(t->texts[what], text);
}

static void put_together(struct together *t, const struct maker *maker)
{
	const struct ing_result *r = maker->result;
	g_autofree char *recording = trc_recording_tell(r->recording);
	bool whole = makers_is_whole(maker);

	makers_add(t, APP_TOLD_TIMES, ",", whole ? "whole" : told(maker, APP_TOLD_TIMES));
	makers_add(t, APP_TOLD_INDEX, "\n", whole ? r->index : told(maker, APP_TOLD_INDEX));
	makers_add(t, APP_TOLD_FINGERPRINT, "\n", whole ? r->fingerprint : told(maker, APP_TOLD_FINGERPRINT));
	makers_add(t, APP_TOLD_RECORDINGS, "\n\n", recording);
	t->all = t->all && (whole || *told(maker, APP_TOLD_TIMES) != '\0');
	if (!whole)
		t->permille = MIN(t->permille, (unsigned)atoi(told(maker, APP_TOLD_SHARE)));
}

/* Report all makers together if there is something new to open.  WAS: APP_TOLD_TIMES of the last report.
 * False if nobody reads PIPE any more. */
static bool tell_together(const GArray *all, int pipe, GString *was)
{
	const char *texts[APP_TOLD_N];
	struct together t = { .permille = 1000, .all = true };
	bool read = true;

	for (unsigned i = 0; i < APP_TOLD_N; i++)
		t.texts[i] = g_string_new(NULL);
	for (guint i = 0; i < all->len; i++)
		put_together(&t, &g_array_index(all, struct maker, i));
	g_string_printf(t.texts[APP_TOLD_STATE], "indexed up to %u %%, clocks follow", t.permille / 10);
	for (unsigned i = 0; i < APP_TOLD_N; i++)
		texts[i] = t.texts[i]->str;
	if (t.all && !g_string_equal(was, t.texts[APP_TOLD_TIMES]))
		read = app_follower_tell(pipe, texts);
	g_string_assign(was, texts[APP_TOLD_TIMES]);
	for (unsigned i = 0; i < APP_TOLD_N; i++)
		g_string_free(t.texts[i], TRUE);
	return read;
}

/* Wait for the next reports.  True while indexes are made; *FAILED (weak) becomes why one cannot be made. */
static bool wait_for_all(const GArray *all, const char **failed)
{
	bool making = false;

	*failed = NULL;
	for (guint i = 0; i < all->len; i++) {
		const struct maker *maker = &g_array_index(all, struct maker, i);

		if (maker->process)
			app_follower_told(maker->process, APP_TOLD_TIMES, LOOK_MS / (int)all->len);
		if (makers_is_whole(maker))
			continue;
		making = true;
		if (!*failed && *told(maker, APP_TOLD_FAILURE) != '\0')
			*failed = told(maker, APP_TOLD_FAILURE);
		else if (!*failed && app_follower_is_over(maker->process))
			*failed = "the index could not be made: the process that makes it ended";
	}
	return making && !*failed && !base_stop_signal();
}

/* Match the packets between the hosts, now that all indexes exist, and report the end. */
static void makers_finish(const struct app_args *args, int pipe)
{
	const struct ing_options options = { .index_dir = args->index_dir };
	const char *texts[APP_TOLD_N] = { NULL };
	const struct app_clocks clocks = { .sync = NULL };
	struct base_progress progress;
	GError *error = NULL;
	struct qry *q;

	base_progress_init(&progress);
	q = app_open(args->traces, &options, &clocks, &progress, &error);
	texts[q ? APP_TOLD_WHOLE : APP_TOLD_FAILURE] = q ? "whole" : error->message;
	app_follower_tell(pipe, texts);
	qry_free(q);
	g_clear_error(&error);
}

/* Remove the files that the explorer stored beside the packets: they belong to unfinished indexes. */
static void remove_kept(const struct makers *m)
{
	g_autoptr(GPtrArray) indexes = g_ptr_array_new();
	g_autofree char *pairs = NULL;

	for (guint i = 0; i < m->found->len; i++)
		g_ptr_array_add(indexes, ((const struct ing_result *)g_ptr_array_index(m->found, i))->index);
	pairs = idx_pairs_path(indexes);
	idx_spans_remove_beside(pairs);
}

static void makers_run(void *makers, int pipe)
{
	const struct makers *m = makers;
	GError *error = NULL;
	g_autoptr(GArray) all = begin_all(m, &error);
	g_autoptr(GString) was = g_string_new(NULL);
	const char *failed = error ? error->message : NULL, *texts[APP_TOLD_N] = { NULL };
	bool read = true;

	while (!failed && read && wait_for_all(all, &failed))
		read = tell_together(all, pipe, was);
	texts[APP_TOLD_FAILURE] = failed;
	if (failed)
		app_follower_tell(pipe, texts);
	else if (read && !base_stop_signal())
		makers_finish(m->args, pipe);
	if (!failed && base_stop_signal())
		remove_kept(m);
	g_clear_error(&error);
}

/* Remove left out traces from M->found. */
static void leave_out(struct makers *m)
{
	for (guint i = m->found->len; i-- > 0;)
		if (((const struct ing_result *)g_ptr_array_index(m->found, i))->left_out)
			g_ptr_array_remove_index(m->found, i);
}

static guint count_missing(const GPtrArray *found)
{
	guint missing = 0;

	for (guint i = 0; i < found->len; i++) {
		const struct ing_result *r = g_ptr_array_index(found, i);

		missing += !r->left_out && r->reason;
	}
	return missing;
}

struct app_follower *app_makers_begin(const struct app_args *args, GPtrArray **looked)
{
	const struct ing_options options = { .index_dir = args->index_dir, .look = true, .opens = true };
	struct base_progress *progress = app_session_progress();
	struct app_progress *shown = app_progress_new(progress, args->quiet);
	struct makers m = { .args = args, .found = ing_prepare(args->traces, &options, progress, NULL) };
	struct app_follower *f = NULL;
	guint missing = m.found ? count_missing(m.found) : 0;

	app_progress_free(shown); /* it has a thread, so it must end before fork() */
	*looked = NULL;
	if (missing > 0)
		leave_out(&m);
	if (missing > 0 && m.found->len == 1)
		f = app_follower_new(args, true, NULL);
	else if (missing > 0 && missing <= AT_ONCE)
		f = app_follower_begin(makers_run, &m, true, args->traces[0], NULL);
	else if (missing == 0)
		*looked = g_steal_pointer(&m.found);
	if (m.found)
		g_ptr_array_unref(m.found);
	return f;
}
