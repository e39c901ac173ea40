/* SPDX-License-Identifier: MIT */
/* Folding the critical path: the limit below which segments are folded, the levels that are shown, and single
 * folds opened by hand. */
#include "ui/pane/path/path.h"

#define NAMED 3          /* actors that a fold's text names */
#define LIMIT_LEAST 1000 /* ns */
#define LIMIT_MOST G_GINT64_CONSTANT(100000000000)

/* ---- in words ---- */

/* What to add up by. */
static uint32_t actor_key(const struct ana_segment *s)
{
	return s->actor;
}

static uint32_t kind_key(const struct ana_segment *s)
{
	return s->kind;
}

struct part {
	uint32_t key;
	int64_t time;
};

/* Time in ITEM by KEY_OF: GArray of struct part; the caller unrefs. */
static GArray *parts_of(const struct path *p, const struct path_item *item,
	uint32_t (*key_of)(const struct ana_segment *s))
{
	GHashTable *index = g_hash_table_new(NULL, NULL); /* key → its place in parts, from 1 on */
	GArray *parts = g_array_new(FALSE, FALSE, sizeof(struct part));

	for (uint32_t i = item->first; i < item->first + item->n; i++) {
		const struct ana_segment *s = path_segment(p, i);
		struct part part = { key_of(s), 0 };
		guint at = GPOINTER_TO_UINT(g_hash_table_lookup(index, GUINT_TO_POINTER(part.key)));

		if (!at) {
			g_array_append_val(parts, part);
			at = parts->len;
			g_hash_table_insert(index, GUINT_TO_POINTER(part.key), GUINT_TO_POINTER(at));
		}
		g_array_index(parts, struct part, at - 1).time += s->to - s->from;
	}
	g_hash_table_unref(index);
	return parts;
}

/* The one of PARTS with the longest time that was not yet taken. */
static struct part *longest(GArray *parts)
{
	struct part *best = &g_array_index(parts, struct part, 0);

	for (guint i = 1; i < parts->len; i++)
		if (g_array_index(parts, struct part, i).time > best->time)
			best = &g_array_index(parts, struct part, i);
	return best;
}

static void append_parts(const struct path *p, GString *text, const struct path_item *item, GArray *parts,
	bool kinds)
{
	for (guint i = 0; i < MIN(parts->len, NAMED); i++) {
		struct part *part = longest(parts);

		g_string_append_printf(text, "%s %s %.0f%%", i ? "," : "",
			kinds ? ana_segment_kind_name(part->key) : path_actor(p, part->key)->label,
			100 * (double)part->time / (double)(item->to - item->from));
		part->time = 0;
	}
	if (parts->len > NAMED)
		g_string_append_printf(text, " and %u more", parts->len - NAMED);
}

char *path_fold_text(const struct path *p, const struct path_item *item)
{
	GArray *actors, *kinds;
	GString *text = g_string_new(NULL);

	if (item->n == 1) {
		g_string_append_printf(text, "%s of %s",
			ana_segment_kind_name(path_segment(p, item->first)->kind),
			path_actor(p, path_segment(p, item->first)->actor)->label);
		return g_string_free(text, FALSE);
	}
	actors = parts_of(p, item, actor_key);
	g_string_append_printf(text, "%u segments", item->n);
	if (actors->len == 1) { /* then what it did says more */
		kinds = parts_of(p, item, kind_key);
		g_string_append_printf(text,
			" of %s:", path_actor(p, g_array_index(actors, struct part, 0).key)->label);
		append_parts(p, text, item, kinds, true);
		g_array_unref(kinds);
	} else {
		g_string_append_c(text, ':');
		append_parts(p, text, item, actors, false);
	}
	g_array_unref(actors);
	return g_string_free(text, FALSE);
}

/* ---- single folds ---- */

bool path_fold_open(struct path *p)
{
	uint32_t current = path_current(p);

	if (current == PATH_NO_ITEM || path_item(p, current)->fold == PATH_NO_FOLD)
		return false;
	path_items_open(&p->items, path_item(p, current));
	path_remake(p);
	return true;
}

/* Close what the item under the cursor is a part of; the cursor goes to where that begins. */
static bool close_fold(struct path *p)
{
	uint32_t current = path_current(p);

	if (current == PATH_NO_ITEM || path_item(p, current)->inside == PATH_NO_FOLD)
		return false;
	path_items_close(&p->items, path_item(p, current)->inside);
	path_remake(p);
	ui_shell_set_cursor(p->pane.shell, path_item(p, path_current(p))->from);
	return true;
}

static void toggle_fold(struct path *p)
{
	if (!path_fold_open(p) && !close_fold(p))
		ui_shell_message(p->pane.shell, "nothing is folded here");
}

static void close_all(struct path *p)
{
	if (path_items_close_all(&p->items))
		path_remake(p);
	else
		ui_shell_message(p->pane.shell, "no fold was opened by hand");
}

/* ---- limit and levels ---- */

/* The largest of 1 µs, 2 µs, 5 µs, … up to MOST; at least the first. */
static int64_t step_up_to(int64_t most)
{
	int64_t step = LIMIT_LEAST, decade = LIMIT_LEAST;

	for (; decade <= most && decade <= LIMIT_MOST; decade *= 10)
		for (unsigned i = 1; i <= 5; i += i == 2 ? 3 : 1)
			if (i * decade <= most)
				step = i * decade;
	return step;
}

int64_t path_fold_limit(int64_t limit, bool larger, int64_t span)
{
	if (!limit)
		return larger ? step_up_to(span / 1000) : 0;
	if (!larger)
		return limit <= LIMIT_LEAST ? 0 : step_up_to(limit - 1);
	return limit >= LIMIT_MOST ? limit : step_up_to(limit * 5 / 2);
}

uint32_t path_fold_levels(uint32_t levels, bool more, uint32_t deepest)
{
	if (!deepest)
		return PATH_ALL_LEVELS;
	if (levels >= deepest) /* all of them */
		return more ? 0 : deepest - 1;
	if (more)
		return levels + 1 >= deepest ? PATH_ALL_LEVELS : levels + 1;
	return levels ? levels - 1 : PATH_ALL_LEVELS;
}

static void next_limit(struct path *p, bool larger)
{
	struct ui_shell *shell = p->pane.shell;
	char *text;

	p->items.limit = path_fold_limit(p->items.limit, larger, p->path->to - p->path->from);
	path_items_close_all(&p->items);
	path_remake(p);
	text = ui_shell_duration_text(shell, p->items.limit);
	if (p->items.limit)
		ui_shell_message(shell, "segments shorter than %s are folded: %u of %u lines left", text,
			p->items.items->len, p->path->segments->len);
	else
		ui_shell_message(shell, "no segment is folded for its length");
	g_free(text);
}

static void next_levels(struct path *p, bool more)
{
	struct ui_shell *shell = p->pane.shell;

	p->items.levels = path_fold_levels(p->items.levels, more, p->items.deepest);
	path_items_close_all(&p->items);
	path_remake(p);
	if (!p->items.deepest)
		ui_shell_message(shell, "nobody else is on this path");
	else if (p->items.levels >= p->items.deepest)
		ui_shell_message(shell, "all %u levels are shown", p->items.deepest + 1);
	else
		ui_shell_message(shell,
			"level 0 to %u of %u: deeper ones count as waiting of who waited for them",
			p->items.levels, p->items.deepest);
}

bool path_fold_command(struct path *p, enum ui_command command)
{
	switch (command) {
	case UI_CMD_FOLD: toggle_fold(p); return true;
	case UI_CMD_FOLD_ALL: close_all(p); return true;
	case UI_CMD_FOLD_LONGER:
	case UI_CMD_FOLD_SHORTER: next_limit(p, command == UI_CMD_FOLD_LONGER); return true;
	case UI_CMD_LEVEL_MORE:
	case UI_CMD_LEVEL_LESS: next_levels(p, command == UI_CMD_LEVEL_MORE); return true;
	case UI_CMD_TIME_RIGHT: return p->mode == PATH_LIST && path_fold_open(p);
	case UI_CMD_TIME_LEFT: return p->mode == PATH_LIST && close_fold(p);
	default: return false;
	}
}
