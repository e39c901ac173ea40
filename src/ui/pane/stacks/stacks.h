/* SPDX-License-Identifier: MIT */
/* The inside of the pane of stacks, shared by its files; no other pane includes it. */
#ifndef STACKS_H
#define STACKS_H

#include "analysis/stacks/stacks.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/asking.h"
#include "ui/widget/scope_title.h"

/* ---- stacks_tree.c: all stacks as one tree ---- */

#define STACKS_NONE UINT32_MAX /* no such node */

enum stacks_what { STACKS_ROOT, STACKS_HOST, STACKS_SLEEPER, STACKS_WAKER, STACKS_CALL };

/* A call, or a thread, by way of all that is above it; nodes are numbered, 0 is the root. */
struct stacks_node {
	const char *text; /* weak, of the stacks; NULL: the root */
	enum stacks_what what;
	uint32_t parent, child, sibling; /* STACKS_NONE: none; the first child is the longest */
	uint32_t depth;                  /* of the root 0 */
	int64_t time;                    /* ns; that of the children is a part of it */
	uint64_t count;                  /* waits */
	int64_t longest, longest_end;    /* of the longest of them, as struct ana_stack has it */
	uint32_t longest_row;
	bool found; /* by the search */
};

struct stacks_tree {
	GArray *nodes;  /* of struct stacks_node */
	uint32_t depth; /* of the deepest node */
};

/* The stacks as a tree: from the thread and its outermost call on, or, REVERSED, from the innermost one;
 * those of several hosts apart. */
struct stacks_tree *stacks_tree_new(const struct ana_stacks *stacks, bool reversed);
void stacks_tree_free(struct stacks_tree *tree);
/* Mark the nodes whose text has NEEDLE in it (NULL or "": none), letters small or large. */
void stacks_tree_find(struct stacks_tree *tree, const char *needle);
/* ns of the waits below NODE, and of its own, in which something was found: each counts once. */
int64_t stacks_tree_found(const struct stacks_tree *tree, uint32_t node);
/* The next node that was found behind NODE in the order of the tree (STEP 1), or before it (-1), around the
 * ends of what is below ROOT; STACKS_NONE: there is none. */
uint32_t stacks_tree_next(const struct stacks_tree *tree, uint32_t root, uint32_t node, int step);
/* The node beside NODE in its depth, at its right (STEP 1) or left (-1), among those below ROOT; NODE: there
 * is none. */
uint32_t stacks_tree_beside(const struct stacks_tree *tree, uint32_t root, uint32_t node, int step);
/* Whether NODE is ABOVE or below it. */
bool stacks_tree_is_below(const struct stacks_tree *tree, uint32_t above, uint32_t node);

static inline const struct stacks_node *stacks_node(const struct stacks_tree *tree, uint32_t node)
{
	return &g_array_index(tree->nodes, struct stacks_node, node);
}

/* ---- the pane ---- */

struct stacks_answer {
	struct ana_stacks *stacks; /* owned */
	char *warning;             /* owned; NULL none */
};

struct stacks {
	struct ui_pane pane;
	struct asking ask;
	enum scope scope; /* whose waits, as in the table of causes */
	enum ana_stacks_of of;
	bool reversed;
	struct ana_stacks_options asked; /* what the stacks answer, or the worker is busy with */
	struct ana_stacks *stacks;       /* owned; NULL: none yet, or a problem */
	struct stacks_tree *tree;        /* owned; of the stacks */
	/* Nodes: what takes the whole width, the selected one, the deepest where one was on the way up. */
	uint32_t zoom, cursor, deepest;
	uint32_t top; /* depth of the first line in view */
	unsigned height;
	char *needle; /* owned; NULL: nothing was searched */
};

/* ---- stacks_draw.c ---- */

/* Of the hook "title". */
void stacks_draw_title(struct ui_pane *pane, GString *title);
/* The icicle, scrolled so that the selected node is in view, and what that is. */
void stacks_draw(struct stacks *s, const struct term_area *area);
/* What stands in column X of line Y of the pane's area; STACKS_NONE: nothing. */
uint32_t stacks_draw_at(const struct stacks *s, unsigned x, unsigned y);

#endif
