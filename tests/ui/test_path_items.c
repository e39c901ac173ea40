/* SPDX-License-Identifier: MIT */
/* Folding a path: whatever is folded, the items cover it once and their shares sum to it, to the
 * nanosecond. */
#include "ui/pane/path/path.h"

#define ACTORS 5

/* A path from FROM on with its actors, but without segments. */
static struct ana_path *path_empty(int64_t from)
{
	static char names[ACTORS][16] = { "subject", "virtio2-req.0", "virtio3", "wk-a", "wk-b" };
	struct ana_path *path = g_new0(struct ana_path, 1);

	path->from = path->to = from;
	path->segments = g_array_new(FALSE, TRUE, sizeof(struct ana_segment));
	path->actors = g_array_new(FALSE, TRUE, sizeof(struct ana_actor));
	for (unsigned i = 0; i < ACTORS; i++) {
		struct ana_actor actor = { .name = names[i], .label = names[i] };

		g_array_append_val(path->actors, actor);
	}
	return path;
}

/* Put a segment at the end of PATH. */
static void add_segment(struct ana_path *path, int64_t length, uint32_t actor, uint32_t depth, unsigned kind)
{
	struct ana_segment s = { .from = path->to,
		.to = path->to + length,
		.actor = actor,
		.kind = kind,
		.depth = depth,
		.source = UINT32_MAX };

	g_array_append_val(path->segments, s);
	path->to = s.to;
}

/* A path of N segments with lengths and depths from RAND; depth changes by at most one, as in a walk. */
static struct ana_path *path_of(unsigned n, GRand *rand)
{
	struct ana_path *path = path_empty(1000);
	int depth = 0;

	for (unsigned i = 0; i < n; i++) {
		int64_t length = g_rand_int_range(rand, 1, 100);
		uint32_t actor = (uint32_t)g_rand_int_range(rand, 0, ACTORS);

		add_segment(path, length, actor, (uint32_t)depth,
			(unsigned)g_rand_int_range(rand, 0, ANA_SEG_N));
		depth = MAX(depth + g_rand_int_range(rand, -1, 2), 0);
	}
	return path;
}

/* A segment of a path made by hand. */
struct laid {
	int64_t length;
	uint32_t actor, depth;
	enum ana_segment_kind kind;
};

/* A path of N segments, one after the other from 0 on. */
static struct ana_path *path_laid(const struct laid *laid, unsigned n)
{
	struct ana_path *path = path_empty(0);

	for (unsigned i = 0; i < n; i++)
		add_segment(path, laid[i].length, laid[i].actor, laid[i].depth, laid[i].kind);
	return path;
}

static void path_free(struct ana_path *path)
{
	g_array_unref(path->segments);
	g_array_unref(path->actors);
	g_free(path);
}

static const struct path_item *item_at(const struct path_items *items, guint i)
{
	return &g_array_index(items->items, struct path_item, i);
}

/* Invariants of every folding. */
static void check(const struct path_items *items, const struct ana_path *path)
{
	int64_t t = path->from, sum = 0;
	uint32_t segment = 0;

	for (guint i = 0; i < items->items->len; i++) {
		const struct path_item *item = item_at(items, i);

		g_assert_cmpint(item->from, ==, t);
		g_assert_cmpint(item->to, >, t);
		g_assert_cmpuint(item->first, ==, segment);
		g_assert_cmpint(item->from, ==,
			g_array_index(path->segments, struct ana_segment, item->first).from);
		g_assert_cmpuint(g_array_index(items->line_of, uint32_t, item->actor), <, items->lines->len);
		g_assert_cmpuint(path_items_at(items, item->from), ==, i);
		g_assert_cmpuint(path_items_at(items, item->to - 1), ==, i);
		t = item->to;
		segment += item->n;
	}
	g_assert_cmpint(t, ==, path->to);
	g_assert_cmpuint(segment, ==, path->segments->len);
	for (guint i = 0; i < items->sums->len; i++)
		sum += g_array_index(items->sums, struct path_sum, i).time;
	g_assert_cmpint(sum, ==, path->to - path->from);
	g_assert_cmpuint(path_items_at(items, path->to), ==, UINT32_MAX);
	g_assert_cmpuint(path_items_at(items, path->from - 1), ==, UINT32_MAX);
}

/* No item is deeper than the requested levels, and no short one is beside another short one, unless
 * opened. */
static void check_folded(const struct path_items *items)
{
	for (guint i = 0; i < items->items->len; i++) {
		const struct path_item *item = item_at(items, i);

		if (item->fold == PATH_NO_FOLD)
			g_assert_cmpuint(item->depth, <=, items->levels);
		if (item->fold == PATH_NO_FOLD && item->look != PATH_LOOK_SHORT)
			g_assert_cmpint(item->to - item->from, >=, items->limit);
	}
}

static void test_cover(void)
{
	GRand *rand = g_rand_new_with_seed(7);

	for (unsigned round = 0; round < 300; round++) {
		struct ana_path *path = path_of(1 + (unsigned)g_rand_int_range(rand, 0, 200), rand);
		struct path_items items;

		path_items_init(&items);
		items.limit = round % 3 ? g_rand_int_range(rand, 0, 120) : 0;
		items.levels = round % 4 ? (uint32_t)g_rand_int_range(rand, 0, 6) : PATH_ALL_LEVELS;
		path_items_make(&items, path);
		check(&items, path);
		check_folded(&items);
		for (unsigned i = 0; i < 20; i++) { /* open whatever is folded, one after the other */
			const struct path_item *item = item_at(&items,
				(guint)g_rand_int_range(rand, 0, (int)items.items->len));
			guint before = items.items->len;

			if (item->fold == PATH_NO_FOLD)
				continue;
			path_items_open(&items, item);
			path_items_make(&items, path);
			check(&items, path);
			g_assert_cmpuint(items.items->len, >=, before);
		}
		path_items_close_all(&items);
		path_items_make(&items, path);
		check(&items, path);
		check_folded(&items);
		path_items_clear(&items);
		path_free(path);
	}
	g_rand_free(rand);
}

/* subject 10, then it waits for wk-a 20, which waits for wk-b 30; then wk-a 5 and the subject 10 again. */
static void test_levels(void)
{
	static const struct laid segments[] = {
		{ 10, 0, 0, ANA_SEG_RUNNING },
		{ 20, 3, 1, ANA_SEG_RUNNING },
		{ 30, 4, 2, ANA_SEG_RUNNING },
		{ 5, 3, 1, ANA_SEG_RUNNING },
		{ 10, 0, 0, ANA_SEG_RUNNING },
	};
	struct ana_path *path = path_laid(segments, G_N_ELEMENTS(segments));
	struct path_items items;

	path_items_init(&items);
	items.levels = 0;
	path_items_make(&items, path);
	check(&items, path);
	g_assert_cmpuint(items.deepest, ==, 2);
	g_assert_cmpuint(items.items->len, ==, 3);
	g_assert_cmpuint(item_at(&items, 1)->look, ==, PATH_LOOK_DEEPER);
	g_assert_cmpuint(item_at(&items, 1)->actor, ==, 0);
	g_assert_cmpuint(item_at(&items, 1)->n, ==, 3);
	g_assert_cmpint(g_array_index(items.sums, struct path_sum, 0).time, ==, 55);
	g_assert_cmpuint(items.lines->len, ==, 1);
	path_items_open(&items, item_at(&items, 1)); /* the next level only */
	path_items_make(&items, path);
	g_assert_cmpuint(items.items->len, ==, 5);
	g_assert_cmpuint(item_at(&items, 2)->look, ==, PATH_LOOK_DEEPER);
	g_assert_cmpuint(item_at(&items, 2)->actor, ==, 3);
	g_assert_cmpuint(item_at(&items, 2)->inside, !=, PATH_NO_FOLD);
	path_items_open(&items, item_at(&items, 2));
	path_items_make(&items, path);
	g_assert_cmpuint(item_at(&items, 2)->actor, ==, 4);
	path_items_close(&items, item_at(&items, 1)->inside);
	path_items_make(&items, path);
	g_assert_cmpuint(items.items->len, ==, 3);
	path_items_clear(&items);
	path_free(path);
}

/* Long items of a kind, separated by short ones, are joined; not if the part between is long, or of
 * another actor's row. */
static void test_join(void)
{
	static const struct laid segments[] = {
		{ 100, 0, 0, ANA_SEG_RUNNING },
		{ 5, 0, 0, ANA_SEG_INTERRUPTED },
		{ 3, 1, 0, ANA_SEG_BLOCK },
		{ 100, 0, 0, ANA_SEG_RUNNING },
		{ 9, 0, 0, ANA_SEG_SYSCALL },
		{ 90, 3, 0, ANA_SEG_RUNNING },
		{ 9, 3, 0, ANA_SEG_PREEMPTED },
		{ 9, 3, 0, ANA_SEG_INTERRUPTED },
		{ 9, 3, 0, ANA_SEG_PREEMPTED },
		{ 9, 3, 0, ANA_SEG_INTERRUPTED },
		{ 9, 3, 0, ANA_SEG_PREEMPTED },
		{ 10, 3, 0, ANA_SEG_RUNNING },
	};
	struct ana_path *path = path_laid(segments, G_N_ELEMENTS(segments));
	struct path_items items;

	path_items_init(&items);
	items.limit = 10;
	path_items_make(&items, path);
	check(&items, path);
	g_assert_cmpuint(items.items->len, ==, 5); /* 0: 208 ns; ~; 3: 90 ns; ~ of 45 ns; 3: 10 ns */
	g_assert_cmpuint(item_at(&items, 0)->look, ==, ANA_SEG_RUNNING);
	g_assert_cmpuint(item_at(&items, 0)->n, ==, 4);
	g_assert_cmpint(item_at(&items, 0)->other, ==, 8);
	g_assert_cmpuint(item_at(&items, 3)->look, ==, PATH_LOOK_SHORT);
	path_items_open(&items, item_at(&items, 0)); /* the parts; the short ones stay folded */
	path_items_make(&items, path);
	check(&items, path);
	g_assert_cmpuint(items.items->len, ==, 7);
	g_assert_cmpuint(item_at(&items, 1)->look, ==, PATH_LOOK_SHORT);
	path_items_open(&items, item_at(&items, 1));
	path_items_make(&items, path);
	g_assert_cmpuint(items.items->len, ==, 8);
	path_items_close(&items, item_at(&items, 1)->inside);
	path_items_close(&items, item_at(&items, 0)->inside);
	path_items_make(&items, path);
	g_assert_cmpuint(items.items->len, ==, 5);
	path_items_clear(&items);
	path_free(path);
}

static void test_steps(void)
{
	int64_t limit = path_fold_limit(0, true, 928 * 1000 * 1000);

	g_assert_cmpint(limit, ==, 500 * 1000);
	g_assert_cmpint(path_fold_limit(limit, true, 1), ==, 1000 * 1000);
	g_assert_cmpint(path_fold_limit(1000 * 1000, true, 1), ==, 2000 * 1000);
	g_assert_cmpint(path_fold_limit(2000 * 1000, true, 1), ==, 5000 * 1000);
	g_assert_cmpint(path_fold_limit(limit, false, 1), ==, 200 * 1000);
	g_assert_cmpint(path_fold_limit(1000, false, 1), ==, 0);
	g_assert_cmpint(path_fold_limit(0, false, 1), ==, 0);
	g_assert_cmpint(path_fold_limit(0, true, 5), ==, 1000);
	g_assert_cmpuint(path_fold_levels(PATH_ALL_LEVELS, true, 3), ==, 0);
	g_assert_cmpuint(path_fold_levels(0, true, 3), ==, 1);
	g_assert_cmpuint(path_fold_levels(2, true, 3), ==, PATH_ALL_LEVELS);
	g_assert_cmpuint(path_fold_levels(PATH_ALL_LEVELS, false, 3), ==, 2);
	g_assert_cmpuint(path_fold_levels(0, false, 3), ==, PATH_ALL_LEVELS);
	g_assert_cmpuint(path_fold_levels(1, true, 0), ==, PATH_ALL_LEVELS);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/path-items/cover", test_cover);
	g_test_add_func("/path-items/levels", test_levels);
	g_test_add_func("/path-items/join", test_join);
	g_test_add_func("/path-items/steps", test_steps);
	return g_test_run();
}
