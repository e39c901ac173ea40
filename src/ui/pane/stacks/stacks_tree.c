/* SPDX-License-Identifier: MIT */
/*
 * Nodes are in one array, in the order of the stacks.  A child is found by its parent and its text; texts are
 * interned, so equal texts are equal pointers.  A tree that has NODES_MAX nodes gets no more: deeper calls
 * count for the last node on their way.
 */
#include "ui/pane/stacks/stacks.h"

#include "base/base_search.h"
#include "base/base_time.h"

#include <string.h>

#define NODES_MAX 1000000 /* 100 MB */

static struct stacks_node *node_at(const struct stacks_tree *tree, uint32_t node)
{
	return &g_array_index(tree->nodes, struct stacks_node, node);
}

/* ---- making the tree ---- */

struct key {
	uint32_t parent;
	const char *text;
};

static guint key_hash(gconstpointer data)
{
	const struct key *k = data;

	return g_direct_hash(k->text) * 31 + k->parent;
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
	const struct key *x = a, *y = b;

	return x->parent == y->parent && x->text == y->text;
}

struct maker {
	struct stacks_tree *tree; /* weak */
	GHashTable *children;     /* struct key (owned) → node */
};

/* The child TEXT of PARENT; makes it if needed.  PARENT if the tree is full. */
static uint32_t child_of(struct maker *m, uint32_t parent, const char *text, enum stacks_what what)
{
	struct key key = { parent, text };
	struct stacks_node node = { .text = text, .parent = parent, .child = STACKS_NONE };
	gpointer known;
	uint32_t number = m->tree->nodes->len;

	if (g_hash_table_lookup_extended(m->children, &key, NULL, &known))
		return GPOINTER_TO_UINT(known);
	if (number >= NODES_MAX)
		return parent;
	node.what = what;
	node.depth = node_at(m->tree, parent)->depth + 1;
	node.sibling = node_at(m->tree, parent)->child;
	node_at(m->tree, parent)->child = number;
	m->tree->depth = MAX(m->tree->depth, node.depth);
	g_array_append_val(m->tree->nodes, node);
	g_hash_table_insert(m->children, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(number));
	return number;
}

/* Add the waits of S to NODE. */
static void stacks_tree_add(struct stacks_node *node, const struct ana_stack *s)
{
	if (node->count == 0 || s->longest > node->longest) {
		node->longest = s->longest;
		node->longest_end = s->longest_end;
		node->longest_row = s->longest_row;
	}
	node->time = base_time_sum(node->time, s->time);
	node->count += s->count;
}

/* Step from *NODE to its child TEXT, and add the waits of S to the child. */
static void stacks_tree_step(struct maker *m, uint32_t *node, const char *text, enum stacks_what what,
	const struct ana_stack *s)
{
	uint32_t child = child_of(m, *node, text, what);

	if (child != *node)
		stacks_tree_add(node_at(m->tree, child), s);
	*node = child;
}

static const char not_recorded[] = "[not recorded]"; /* replaces a missing stack */

static void add_stack(struct maker *m, const struct ana_stack *s, bool several, bool reversed)
{
	uint32_t node = 0;

	stacks_tree_add(node_at(m->tree, 0), s);
	if (several)
		stacks_tree_step(m, &node, s->host, STACKS_HOST, s);
	if (!reversed) {
		stacks_tree_step(m, &node, s->name, STACKS_SLEEPER, s);
		if (s->waker)
			stacks_tree_step(m, &node, s->waker, STACKS_WAKER, s);
	}
	for (guint i = 0; i < s->frames->len; i++)
		stacks_tree_step(m, &node,
			g_ptr_array_index(s->frames, reversed ? s->frames->len - 1 - i : i), STACKS_CALL, s);
	if (s->frames->len == 0)
		stacks_tree_step(m, &node, not_recorded, STACKS_CALL, s);
	if (reversed) {
		if (s->waker)
			stacks_tree_step(m, &node, s->waker, STACKS_WAKER, s);
		stacks_tree_step(m, &node, s->name, STACKS_SLEEPER, s);
	}
}

static int stacks_tree_by_time(const void *a, const void *b, void *data)
{
	const struct stacks_node *x = node_at(data, *(const uint32_t *)a),
				 *y = node_at(data, *(const uint32_t *)b);

	return BASE_BY(y, x, time) ?: strcmp(x->text, y->text);
}

/* Sort the children of each node, the longest first. */
static void stacks_tree_sort(struct stacks_tree *tree)
{
	g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t i = 0; i < tree->nodes->len; i++) {
		uint32_t *next = &node_at(tree, i)->child;

		g_array_set_size(order, 0);
		for (uint32_t c = *next; c != STACKS_NONE; c = node_at(tree, c)->sibling)
			g_array_append_val(order, c);
		g_array_sort_with_data(order, stacks_tree_by_time, tree);
		for (guint k = 0; k < order->len; k++) {
			*next = g_array_index(order, uint32_t, k);
			next = &node_at(tree, *next)->sibling;
		}
		*next = STACKS_NONE;
	}
}

struct stacks_tree *stacks_tree_new(const struct ana_stacks *stacks, bool reversed)
{
	struct stacks_tree *tree = g_new0(struct stacks_tree, 1);
	struct stacks_node root = { .parent = STACKS_NONE, .child = STACKS_NONE, .sibling = STACKS_NONE };
	struct maker m = { tree, g_hash_table_new_full(key_hash, key_equal, g_free, NULL) };

	tree->nodes = g_array_new(FALSE, FALSE, sizeof(struct stacks_node));
	g_array_append_val(tree->nodes, root);
	for (guint i = 0; i < stacks->all->len; i++)
		add_stack(&m, g_ptr_array_index(stacks->all, i), stacks->several, reversed);
	g_hash_table_unref(m.children);
	stacks_tree_sort(tree);
	return tree;
}

void stacks_tree_free(struct stacks_tree *tree)
{
	if (!tree)
		return;
	g_array_unref(tree->nodes);
	g_free(tree);
}

/* ---- walking the tree ---- */

bool stacks_tree_is_below(const struct stacks_tree *tree, uint32_t above, uint32_t node)
{
	while (node != STACKS_NONE && node != above)
		node = stacks_node(tree, node)->parent;
	return node == above;
}

/* The node after NODE in preorder: its first child, else the next sibling of it or of a parent.  STACKS_NONE
 * if NODE is the last one below ROOT.  Does not descend below nodes at DEPTH or deeper. */
static uint32_t behind(const struct stacks_tree *tree, uint32_t root, uint32_t node, uint32_t depth)
{
	if (stacks_node(tree, node)->child != STACKS_NONE && stacks_node(tree, node)->depth < depth)
		return stacks_node(tree, node)->child;
	while (node != root && stacks_node(tree, node)->sibling == STACKS_NONE)
		node = stacks_node(tree, node)->parent;
	return node == root ? STACKS_NONE : stacks_node(tree, node)->sibling;
}

uint32_t stacks_tree_beside(const struct stacks_tree *tree, uint32_t root, uint32_t node, int step)
{
	uint32_t depth = stacks_node(tree, node)->depth, before = node;
	bool passed = false;

	for (uint32_t n = root; n != STACKS_NONE; n = behind(tree, root, n, depth)) {
		if (stacks_node(tree, n)->depth != depth)
			continue;
		if (n == node && step < 0)
			return before;
		if (passed)
			return n;
		passed = n == node;
		before = n;
	}
	return node;
}

uint32_t stacks_tree_next(const struct stacks_tree *tree, uint32_t root, uint32_t node, int step)
{
	uint32_t before = STACKS_NONE, last = STACKS_NONE, first = STACKS_NONE, after = STACKS_NONE;
	bool passed = false;

	for (uint32_t n = root; n != STACKS_NONE; n = behind(tree, root, n, UINT32_MAX)) {
		passed |= n == node;
		if (!stacks_node(tree, n)->found)
			continue;
		if (first == STACKS_NONE)
			first = n;
		if (n != node && passed && after == STACKS_NONE)
			after = n;
		if (!passed)
			before = n;
		last = n;
	}
	if (step > 0)
		return after != STACKS_NONE ? after : first;
	return before != STACKS_NONE ? before : last;
}

/* ---- searching ---- */

void stacks_tree_find(struct stacks_tree *tree, const char *needle)
{
	g_autofree char *wanted = g_utf8_casefold(needle ? needle : "", -1);

	for (uint32_t i = 1; i < tree->nodes->len; i++) {
		struct stacks_node *node = node_at(tree, i);
		g_autofree char *text = *wanted ? g_utf8_casefold(node->text, -1) : NULL;

		node->found = text && strstr(text, wanted);
	}
}

int64_t stacks_tree_found(const struct stacks_tree *tree, uint32_t node)
{
	int64_t sum = 0;

	for (uint32_t up = node; up != STACKS_NONE; up = stacks_node(tree, up)->parent)
		if (stacks_node(tree, up)->found)
			return stacks_node(tree, node)->time;
	/* Count only outermost matches: skip the nodes below a match. */
	for (uint32_t n = node; n != STACKS_NONE;
		n = behind(tree, node, n, stacks_node(tree, n)->found ? 0 : UINT32_MAX))
		if (stacks_node(tree, n)->found)
			sum = base_time_sum(sum, stacks_node(tree, n)->time);
	return sum;
}
