/* SPDX-License-Identifier: MIT */
/* Internals of the stacks pane.  Only its files include this header. */
#ifndef STACKS_H
#define STACKS_H

#include "analysis/stacks/stacks.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/subject.h"

/* ---- stacks_tree.c: all stacks as one tree ---- */

#define STACKS_NONE UINT32_MAX /* no such node */

enum stacks_what { STACKS_ROOT, STACKS_HOST, STACKS_SLEEPER, STACKS_WAKER, STACKS_CALL };

/* A call or a thread; equal ones below the same parent share a node.  The number of a node is its index; 0 is
 * the root. */
struct stacks_node {
	const char *text; /* weak, owned by the stacks; NULL: the root */
	enum stacks_what what;
	uint32_t parent, child, sibling; /* STACKS_NONE: none; the first child has the longest time */
	uint32_t depth;                  /* 0 for the root */
	int64_t time;                    /* ns; includes the time of its children */
	uint64_t count;                  /* waits */
	/* the longest of these waits, and its end, as in struct ana_stack, ns */
	int64_t longest, longest_end;
	uint32_t longest_row;
	bool found; /* matches the search */
};

struct stacks_tree {
	GArray *nodes;  /* of struct stacks_node; owned */
	uint32_t depth; /* of the deepest node */
};

/*
 * Make a tree of STACKS.  Each host has its own part.  The thread is at the top, with its outermost call
 * below it; if REVERSED, the innermost call is at the top.  The texts stay owned by STACKS.  The caller frees
 * the tree.
 */
struct stacks_tree *stacks_tree_new(const struct ana_stacks *stacks, bool reversed);
void stacks_tree_free(struct stacks_tree *tree);
/* Mark the nodes whose text contains NEEDLE (NULL or "": none), case-insensitive. */
void stacks_tree_find(struct stacks_tree *tree, const char *needle);
/* The ns of all waits in NODE with a match of the search: in NODE, in its parents, or below it.  Each wait
 * counts once. */
int64_t stacks_tree_found(const struct stacks_tree *tree, uint32_t node);
/* The next match of the search after NODE (STEP 1), or before it (STEP -1), in the order of the tree; wraps
 * around in the part below ROOT.  STACKS_NONE if there is none. */
uint32_t stacks_tree_next(const struct stacks_tree *tree, uint32_t root, uint32_t node, int step);
/* The node to the right (STEP 1) or left (STEP -1) of NODE at the same depth below ROOT; NODE if there is
 * none. */
uint32_t stacks_tree_beside(const struct stacks_tree *tree, uint32_t root, uint32_t node, int step);
/* True if NODE is ABOVE, or below it. */
bool stacks_tree_is_below(const struct stacks_tree *tree, uint32_t above, uint32_t node);

static inline const struct stacks_node *stacks_node(const struct stacks_tree *tree, uint32_t node)
{
	return &g_array_index(tree->nodes, struct stacks_node, node);
}

/* ---- the pane ---- */

struct stacks {
	struct ui_pane pane;
	struct asking ask;
	enum scope scope; /* the threads whose waits are shown, as in the table of causes */
	enum ana_stacks_of of;
	bool reversed;
	/* the last question: STACKS answers it, or the worker is busy with it */
	struct ana_stacks_options asked;
	struct ana_stacks *stacks; /* owned; NULL: none yet, or a problem */
	struct stacks_tree *tree;  /* owned; made of STACKS, NULL without */
	/* Nodes: the one that fills the width; the selected one; the deepest one that was visited, to which
	 * moving down leads back. */
	uint32_t zoom, cursor, deepest;
	uint32_t top; /* depth of the first visible line */
	unsigned height;
	char *needle; /* owned; NULL: no search */
};

/* ---- stacks_draw.c ---- */

/* The hook "title". */
void stacks_draw_title(struct ui_pane *pane, GString *title);
/* Draw the icicle, with the selected node scrolled into view, and the text about that node. */
void stacks_draw(struct stacks *s, const struct term_area *area);
/* The node at column X of line Y of the pane's area; STACKS_NONE if there is none. */
uint32_t stacks_draw_at(const struct stacks *s, unsigned x, unsigned y);

#endif
