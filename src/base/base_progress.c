/* SPDX-License-Identifier: MIT */
#include "base/base_progress.h"

#include "base/base_stop.h"

#define WHOLE 10000        /* share is kept in hundredths of a percent */
#define SHARE_TO_GUESS 100 /* below this the time left would be a wild guess */

void base_progress_init(struct base_progress *p)
{
	*p = (struct base_progress){ .started = g_get_monotonic_time() };
}

void base_progress_set(struct base_progress *p, double share, uint64_t events)
{
	g_atomic_int_set(&p->share, (gint)(CLAMP(share, 0.0, 1.0) * WHOLE));
	__atomic_store_n(&p->events, (guint64)events, __ATOMIC_RELAXED);
}

void base_progress_set_label(struct base_progress *p, const char *static_text)
{
	__atomic_store_n(&p->label, static_text, __ATOMIC_RELEASE);
}

void base_progress_set_folders(struct base_progress *p, uint64_t folders)
{
	if (p)
		__atomic_store_n(&p->folders, (guint64)folders, __ATOMIC_RELAXED);
}

void base_progress_cancel(struct base_progress *p)
{
	g_atomic_int_set(&p->cancelled, 1);
}

bool base_progress_cancelled(struct base_progress *p)
{
	return base_stop_signal() != 0 || (p && g_atomic_int_get(&p->cancelled));
}

struct base_progress_view base_progress_view(struct base_progress *p)
{
	double elapsed = (double)(g_get_monotonic_time() - p->started) / G_USEC_PER_SEC;
	gint share = g_atomic_int_get(&p->share);
	struct base_progress_view view = { .share = (double)share / WHOLE,
		.events = __atomic_load_n(&p->events, __ATOMIC_RELAXED),
		.folders = __atomic_load_n(&p->folders, __ATOMIC_RELAXED),
		.seconds_left = -1,
		.label = __atomic_load_n(&p->label, __ATOMIC_ACQUIRE) };

	if (elapsed > 0)
		view.events_per_s = (double)view.events / elapsed;
	if (share >= SHARE_TO_GUESS)
		view.seconds_left = elapsed * (WHOLE - share) / share;
	return view;
}
