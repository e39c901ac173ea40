/* SPDX-License-Identifier: MIT */
#include "app/app_progress.h"

#include "base/base_memory.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define FIRST_AFTER_US 300000 /* what is done sooner needs no line */
#define EVERY_US 200000

struct app_progress {
	struct base_progress *shown; /* weak */
	GThread *thread;             /* NULL: not shown */
	GMutex lock;
	GCond changed;
	bool ended; /* under LOCK */
};

static void show_line(struct base_progress *p)
{
	struct base_progress_view view = base_progress_view(p);
	g_autoptr(GString) line = g_string_new(NULL);

	if (view.folders)
		g_string_append_printf(line, "\r\033[Klooking for traces: %" PRIu64 " folders", view.folders);
	else
		g_string_append_printf(line, "\r\033[K%s %.0f %%", view.label ? view.label : "working",
			100 * view.share);
	if (view.events)
		g_string_append_printf(line, "  %.2f million events/s", view.events_per_s / 1e6);
	if (view.seconds_left >= 0) {
		g_autofree char *left = base_time_format_duration((int64_t)(view.seconds_left * 1e9),
			!g_get_charset(NULL));

		g_string_append_printf(line, "  %s left", left);
	}
	fputs(line->str, stderr);
	fflush(stderr);
}

static gpointer progress_show(gpointer data)
{
	struct app_progress *a = data;
	gint64 next = g_get_monotonic_time() + FIRST_AFTER_US;
	bool any = false;

	g_mutex_lock(&a->lock);
	while (!a->ended) {
		if (g_cond_wait_until(&a->changed, &a->lock, next))
			continue;
		show_line(a->shown);
		any = true;
		next = g_get_monotonic_time() + EVERY_US;
	}
	g_mutex_unlock(&a->lock);
	if (any) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	return NULL;
}

struct app_progress *app_progress_new(struct base_progress *p, bool quiet)
{
	struct app_progress *a = g_new0(struct app_progress, 1);

	a->shown = p;
	g_mutex_init(&a->lock);
	g_cond_init(&a->changed);
	if (!quiet && isatty(STDERR_FILENO))
		a->thread = base_memory_thread("progress", progress_show, a);
	return a;
}

void app_progress_free(struct app_progress *a)
{
	g_mutex_lock(&a->lock);
	a->ended = true;
	g_cond_signal(&a->changed);
	g_mutex_unlock(&a->lock);
	if (a->thread)
		g_thread_join(a->thread);
	g_mutex_clear(&a->lock);
	g_cond_clear(&a->changed);
	g_free(a);
}
