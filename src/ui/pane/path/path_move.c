/* SPDX-License-Identifier: MIT */
/*
 * Moves along the critical path: from item to item, actor to actor, share to share.  Folds it: the limit
 * below which segments are folded, the levels that are shown, and single folds opened by hand.
 */
#include "ui/pane/path/path.h"

#define LIMIT_LEAST 1000 /* ns */
#define LIMIT_MOST G_GINT64_CONSTANT(100000000000)

uint32_t path_move_row(const struct path *p, uint32_t i)
{
	for (; i < p->items.items->len; i++) {
		uint32_t row = path_actor(p->path, path_item(&p->items, i)->actor)->row;

		if (row != MDL_NONE)
			return row;
	}
	return p->path->subject;
}

/* Put the cursor at the start of item I.  The first such move stores the previous place for "back". */
static void go_to_item(struct path *p, uint32_t i)
{
	struct ui_shell *shell = p->pane.shell;
	uint32_t row = path_move_row(p, i);
	bool begins = !p->moving;

	p->moving = true;
	p->own_row = row;
	if (begins)
		ui_shell_go(shell, path_item(&p->items, i)->from, row);
	ui_shell_set_cursor(shell, path_item(&p->items, i)->from);
	ui_shell_set_row(shell, row);
}

/* Move STEP items: to the next item, or back to the start of this one, or of the previous one. */
static void step_item(struct path *p, int step)
{
	uint32_t current = path_current(p), last = p->items.items->len - 1;

	if (current == PATH_NO_ITEM)
		go_to_item(p, p->pane.shell->view->cursor < p->path->from ? 0 : last);
	else if (step > 0)
		go_to_item(p, MIN(current + 1, last));
	else if (p->pane.shell->view->cursor > path_item(&p->items, current)->from)
		go_to_item(p, current);
	else
		go_to_item(p, current ? current - 1 : 0);
}

/* Move to the next actor on the path, or to the start of this one's turn, or of the previous turn. */
static void step_turn(struct path *p, int step)
{
	uint32_t current = path_current(p);
	int turn = current == PATH_NO_ITEM ? -1 : path_turns_before(p->turns, current);

	if (step > 0)
		turn++;
	else if (turn >= 0 &&
		g_array_index(p->turns, struct path_turn, turn).at == p->pane.shell->view->cursor)
		turn--;
	if (turn >= (int)p->turns->len)
		ui_shell_message(p->pane.shell, "no other actor is on the path after this");
	else
		go_to_item(p, turn < 0 ? 0 : g_array_index(p->turns, struct path_turn, turn).item);
}

/* The distance of item I from TIME, ns; 0 inside it. */
static int64_t path_move_distance(const struct path *p, uint32_t i, int64_t time)
{
	const struct path_item *s = path_item(&p->items, i);

	return time < s->from ? s->from - time : time >= s->to ? time - s->to + 1 : 0;
}

/* Move to the item of ACTOR nearest to the cursor; false if it has none. */
static bool go_to_actor(struct path *p, uint32_t actor)
{
	int64_t time = p->pane.shell->view->cursor;
	uint32_t best = PATH_NO_ITEM;

	for (uint32_t i = 0; i < p->items.items->len; i++)
		if (path_item(&p->items, i)->actor == actor &&
			(best == PATH_NO_ITEM ||
				path_move_distance(p, i, time) < path_move_distance(p, best, time)))
			best = i;
	if (best != PATH_NO_ITEM)
		go_to_item(p, best);
	return best != PATH_NO_ITEM;
}

/* Move STEP actors.  Skips the subject if it has no time of its own on the path. */
static void step_actor(struct path *p, int step)
{
	uint32_t current = path_current(p);
	int line = current == PATH_NO_ITEM
		? 0
		: (int)path_line_of(&p->items, path_item(&p->items, current)->actor);
	int last = (int)p->items.lines->len - 1;

	line = CLAMP(line + step, 0, last);
	if (!go_to_actor(p, path_line_actor(p, (uint32_t)line)) && last)
		go_to_actor(p, path_line_actor(p, 1));
}

/* Select the share STEP lines away, and move to its longest item. */
static void step_share(struct path *p, int step)
{
	const struct path_sum *sum;
	uint32_t best = PATH_NO_ITEM;
	int64_t longest = 0;

	list_view_go(&p->view, step, p->items.sums->len);
	sum = path_sum(&p->items, p->view.line);
	for (uint32_t i = 0; i < p->items.items->len; i++) {
		const struct path_item *s = path_item(&p->items, i);

		if (s->actor == sum->actor && s->look == sum->look && s->to - s->from > longest) {
			best = i;
			longest = s->to - s->from;
		}
	}
	if (best != PATH_NO_ITEM)
		go_to_item(p, best);
}

/* Move to the item STEP lines away. */
static void step_line(struct path *p, int step)
{
	uint32_t current = path_current(p);
	int last = (int)p->items.items->len - 1;

	if (current == PATH_NO_ITEM)
		step_item(p, step);
	else
		go_to_item(p, (uint32_t)CLAMP((int)current + step, 0, last));
}

bool path_move_command(struct path *p, enum ui_command command)
{
	unsigned all = MAX(MAX(p->items.sums->len, p->items.lines->len), p->items.items->len);
	int step;

	switch (command) {
	case UI_CMD_TIME_LEFT:
	case UI_CMD_CHANGE_PREV: step_item(p, -1); return true;
	case UI_CMD_TIME_RIGHT:
	case UI_CMD_CHANGE_NEXT: step_item(p, 1); return true;
	case UI_CMD_WAKE_PREV:
	case UI_CMD_WAKE_NEXT: step_turn(p, command == UI_CMD_WAKE_NEXT ? 1 : -1); return true;
	case UI_CMD_TIME_START: go_to_item(p, 0); return true;
	case UI_CMD_TIME_END: go_to_item(p, p->items.items->len - 1); return true;
	default: break;
	}
	step = list_view_step(&p->view, command, all);
	if (step && p->mode == PATH_SHARES)
		step_share(p, step);
	else if (step && p->mode == PATH_LIST)
		step_line(p, step);
	else if (step)
		step_actor(p, step);
	return step != 0;
}

/* ---- single folds ---- */

void path_remake(struct path *p)
{
	g_clear_pointer(&p->turns, g_array_unref);
	path_items_make(&p->items, p->path);
	p->turns = path_turns_new(p->path, &p->items);
	p->view.line = MIN(p->view.line, p->items.sums->len - 1);
	ui_shell_redraw(p->pane.shell);
}

bool path_fold_open(struct path *p)
{
	uint32_t current = path_current(p);

	if (current == PATH_NO_ITEM || path_item(&p->items, current)->fold == PATH_NO_FOLD)
		return false;
	path_items_open(&p->items, path_item(&p->items, current));
	path_remake(p);
	return true;
}

/* Close the fold that contains the item under the cursor; the cursor moves to the start of the fold. */
static bool close_fold(struct path *p)
{
	uint32_t current = path_current(p);

	if (current == PATH_NO_ITEM || path_item(&p->items, current)->inside == PATH_NO_FOLD)
		return false;
	path_items_close(&p->items, path_item(&p->items, current)->inside);
	path_remake(p);
	ui_shell_set_cursor(p->pane.shell, path_item(&p->items, path_current(p))->from);
	return true;
}

/* ---- limit and levels ---- */

/* The largest of 1 µs, 2 µs, 5 µs, … up to MOST (ns); at least 1 µs. */
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
	if (levels >= deepest) /* all levels */
		return more ? 0 : deepest - 1;
	if (more)
		return levels + 1 >= deepest ? PATH_ALL_LEVELS : levels + 1;
	return levels ? levels - 1 : PATH_ALL_LEVELS;
}

static void next_limit(struct path *p, bool larger)
{
	struct ui_shell *shell = p->pane.shell;
	g_autofree char *text = NULL;

	p->items.limit = path_fold_limit(p->items.limit, larger, p->path->to - p->path->from);
	path_items_close_all(&p->items);
	path_remake(p);
	text = ui_shell_duration_text(shell, p->items.limit);
	if (p->items.limit)
		ui_shell_message(shell, "segments shorter than %s are folded: %u of %u lines left", text,
			p->items.items->len, p->path->segments->len);
	else
		ui_shell_message(shell, "no segment is folded for its length");
}

static void next_levels(struct path *p, bool more)
{
	struct ui_shell *shell = p->pane.shell;

	p->items.levels = path_fold_levels(p->items.levels, more, p->items.deepest);
	path_items_close_all(&p->items);
	path_remake(p);
	if (!p->items.deepest)
		ui_shell_message(shell, "no other actor is on this path");
	else if (p->items.levels >= p->items.deepest)
		ui_shell_message(shell, "all %u levels are shown", p->items.deepest + 1);
	else
		ui_shell_message(shell, "levels 0 to %u of %u: deeper levels count as waiting",
			p->items.levels, p->items.deepest);
}

bool path_fold_command(struct path *p, enum ui_command command)
{
	switch (command) {
	case UI_CMD_FOLD:
		if (!path_fold_open(p) && !close_fold(p))
			ui_shell_message(p->pane.shell, "nothing is folded here");
		return true;
	case UI_CMD_FOLD_ALL:
		if (path_items_close_all(&p->items))
			path_remake(p);
		else
			ui_shell_message(p->pane.shell, "no fold was opened by hand");
		return true;
	case UI_CMD_FOLD_LONGER:
	case UI_CMD_FOLD_SHORTER: next_limit(p, command == UI_CMD_FOLD_LONGER); return true;
	case UI_CMD_LEVEL_MORE:
	case UI_CMD_LEVEL_LESS: next_levels(p, command == UI_CMD_LEVEL_MORE); return true;
	case UI_CMD_TIME_RIGHT: return p->mode == PATH_LIST && path_fold_open(p);
	case UI_CMD_TIME_LEFT: return p->mode == PATH_LIST && close_fold(p);
	default: return false;
	}
}
