/* SPDX-License-Identifier: MIT */
#include "ui/core/ui_scene.h"

#include "ui/core/ui_fields.h"

#include <string.h>

void ui_scene_free(struct ui_scene *scene)
{
	if (!scene)
		return;
	g_ptr_array_unref(scene->kept);
	g_free(scene);
}

struct ui_undo *ui_undo_new(void)
{
	struct ui_undo *u = g_new0(struct ui_undo, 1);

	u->done = g_ptr_array_new_with_free_func((GDestroyNotify)ui_scene_free);
	u->undone = g_ptr_array_new_with_free_func((GDestroyNotify)ui_scene_free);
	return u;
}

void ui_undo_free(struct ui_undo *u)
{
	if (!u)
		return;
	ui_scene_free(u->now);
	g_ptr_array_unref(u->done);
	g_ptr_array_unref(u->undone);
	g_free(u);
}

bool ui_scene_same(const struct ui_scene *a, const struct ui_scene *b)
{
	if (memcmp(&a->is, &b->is, sizeof a->is) != 0)
		return false;
	for (guint i = 0; i < a->kept->len; i++)
		if (!ui_fields_same(g_ptr_array_index(a->kept, i), g_ptr_array_index(b->kept, i)))
			return false;
	return true;
}
