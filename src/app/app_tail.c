/* SPDX-License-Identifier: MIT */
#include "app/app_tail.h"

#include "base/base_stop.h"
#include "live/live_keep.h"

#define NO_MORE_NS (10 * APP_TAIL_EVERY_NS) /* idle: maybe nothing is recorded any more */
#define LOOK_US 100000                      /* between two looks at the trace, … */
#define LOOK_SHARE 4                        /* … and at least as many times as long as a look took */

struct app_tail {
	struct live_keep *live; /* owned; NULL: it is a folder */
	struct ing_follow *follow;
	bool whole;
};

struct app_tail *app_tail_new(const struct app_args *args, bool whole, GError **error)
{
	struct ing_options options = { .index_dir = args->index_dir };
	struct app_tail *t = g_new0(struct app_tail, 1);
	char *kept[2] = { NULL };

	t->whole = whole;
	if (live_keep_is_url(args->traces[0])) {
		t->live = live_keep_new(args->traces[0], error);
		kept[0] = t->live ? (char *)(uintptr_t)live_keep_folder(t->live) : NULL;
	}
	if (t->live || !live_keep_is_url(args->traces[0]))
		t->follow = ing_follow_new(t->live ? kept : args->traces, whole, &options, error);
	if (t->follow)
		return t;
	app_tail_free(t);
	return NULL;
}

void app_tail_free(struct app_tail *t)
{
	if (!t)
		return;
	ing_follow_free(t->follow);
	live_keep_free(t->live);
	g_free(t);
}

bool app_tail_step(struct app_tail *t, GError **error)
{
	if (t->live)
		live_keep_fetch(t->live);
	return ing_follow_step(t->follow, t->whole ? ING_FOLLOW_RARER : APP_TAIL_EVERY_NS, error);
}

struct ing_follow_view app_tail_view(const struct app_tail *t)
{
	return ing_follow_view(t->follow);
}

const char *app_tail_ended(const struct app_tail *t)
{
	return t->live ? live_keep_ended(t->live) : NULL;
}

const char *app_tail_kept(const struct app_tail *t)
{
	return t->live ? live_keep_folder(t->live) : NULL;
}

char *app_tail_text(const struct app_tail *t)
{
	struct ing_follow_view view = app_tail_view(t);
	GString *text = g_string_new(NULL);

	if (t->whole)
		g_string_append_printf(text, "indexed up to %.0f %%", 100 * MIN(view.share, 1));
	else if (app_tail_ended(t))
		g_string_append(text, "the session has ended");
	else if (view.index && view.idle < NO_MORE_NS)
		g_string_append_printf(text, "%.1f s behind", (double)view.behind / 1e9);
	else if (view.index)
		g_string_append_printf(text, "nothing new for %.0f s", (double)view.idle / 1e9);
	if (!t->whole && view.waits_for && view.idle > APP_TAIL_EVERY_NS && !app_tail_ended(t))
		g_string_append_printf(text, "%swaits for %s", text->len > 0 ? ", " : "", view.waits_for);
	if (view.note)
		g_string_append_printf(text, "%s%s", text->len > 0 ? "; " : "", view.note);
	return g_string_free(text, FALSE);
}

void app_tail_rest(const struct app_tail *t, gint64 took)
{
	gint64 left = app_tail_view(t).more ? 0 : MAX(LOOK_US, took * LOOK_SHARE);

	for (; left > 0 && !base_stop_signal(); left -= LOOK_US)
		g_usleep((gulong)MIN(left, LOOK_US));
}

bool app_tail_close(struct app_tail *t, char **index, char **fingerprint, GError **error)
{
	return ing_follow_close(t->follow, index, fingerprint, error);
}
