/* SPDX-License-Identifier: MIT */
/*
 * The selected node: up to its caller, down to the call where one came from, else to the longest, to what is
 * beside it, and to what a search found.
 */
#include "ui/pane/stacks/stacks.h"

/* The child of the selected node to go to: the one where one came from, else the longest. */
static uint32_t child_to_go_to(const struct stacks *s)
{
	for (uint32_t n = s->deepest; n != STACKS_NONE; n = stacks_node(s->tree, n)->parent)
		if (stacks_node(s->tree, n)->parent == s->cursor)
			return n;
	return stacks_node(s->tree, s->cursor)->child;
}

static void move_to(struct stacks *s, uint32_t node)
{
	s->cursor = node;
	if (!stacks_tree_is_below(s->tree, node, s->deepest))
		s->deepest = node;
	if (!stacks_tree_is_below(s->tree, s->zoom, node))
		s->zoom = node; /* up out of what the zoom is on */
}

/* DOWN: steps to children, or up. */
static void go_down(struct stacks *s, int down)
{
	for (; down > 0 && child_to_go_to(s) != STACKS_NONE; down--)
		move_to(s, child_to_go_to(s));
	for (; down < 0 && stacks_node(s->tree, s->cursor)->parent != STACKS_NONE; down++)
		move_to(s, stacks_node(s->tree, s->cursor)->parent);
}

bool stacks_move(struct stacks *s, enum ui_command command)
{
	int page = (int)MAX(s->height, 2) - 1, all = (int)s->tree->depth + 1;

	switch (command) {
	case UI_CMD_ROW_UP: go_down(s, -1); return true;
	case UI_CMD_ROW_DOWN: go_down(s, 1); return true;
	case UI_CMD_PAGE_UP: go_down(s, -page); return true;
	case UI_CMD_PAGE_DOWN: go_down(s, page); return true;
	case UI_CMD_ROW_FIRST: move_to(s, s->zoom); return true;
	case UI_CMD_ROW_LAST: go_down(s, all); return true;
	case UI_CMD_TIME_LEFT:
	case UI_CMD_TIME_RIGHT:
		move_to(s,
			stacks_tree_beside(s->tree, s->zoom, s->cursor,
				command == UI_CMD_TIME_RIGHT ? 1 : -1));
		return true;
	default: return false;
	}
}

void stacks_zoom_to(struct stacks *s, uint32_t node)
{
	s->zoom = node;
	s->top = stacks_node(s->tree, node)->depth;
}

void stacks_find_next(struct stacks *s, int step)
{
	uint32_t node = s->needle ? stacks_tree_next(s->tree, s->zoom, s->cursor, step) : STACKS_NONE;

	if (!s->needle)
		ui_shell_error(s->pane.shell, "nothing was searched yet");
	else if (node == STACKS_NONE)
		ui_shell_error(s->pane.shell, "no call here has \"%s\" in it", s->needle);
	else
		move_to(s, node);
}
