/* SPDX-License-Identifier: MIT */
#include "ui/core/ui_views.h"

#include <string.h>

void ui_view_free(struct ui_view *view)
{
	if (!view)
		return;
	g_ptr_array_unref(view->kept);
	g_free(view);
}

static void free_view(gpointer data)
{
	ui_view_free(data);
}

struct ui_undo *ui_undo_new(void)
{
	struct ui_undo *u = g_new0(struct ui_undo, 1);

	u->done = g_ptr_array_new_with_free_func(free_view);
	u->undone = g_ptr_array_new_with_free_func(free_view);
	return u;
}

void ui_undo_free(struct ui_undo *u)
{
	if (!u)
		return;
	ui_view_free(u->now);
	g_ptr_array_unref(u->done);
	g_ptr_array_unref(u->undone);
	g_free(u);
}

bool ui_view_same(const struct ui_view *a, const struct ui_view *b)
{
	if (memcmp(&a->is, &b->is, sizeof a->is) != 0)
		return false;
	for (guint i = 0; i < a->kept->len; i++)
		if (g_strcmp0(g_ptr_array_index(a->kept, i), g_ptr_array_index(b->kept, i)) != 0)
			return false;
	return true;
}
