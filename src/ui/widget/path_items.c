/* SPDX-License-Identifier: MIT */
/* Two passes.  The first folds each run of segments that are too deep into one item, which stands for the
 * wait of the actor that continues after it.  The second folds neighbours shorter than the limit into one
 * item, and joins long items of one look if only such an item separates them.  Both leave opened folds
 * alone. */
#include "ui/widget/path_items.h"

#include "base/base_search.h"
#include "ui/core/ui_fields.h"

#define BY_LENGTH UINT32_MAX /* folded by length; takes the place of a number of levels */
#define BY_JOINING (UINT32_MAX - 1)
#define JOIN_PART 4 /* at most 1/JOIN_PART of a joined item has another look */

static path_fold fold_of(uint32_t first, uint32_t levels)
{
	return (path_fold)first << 32 | levels;
}

static const struct path_opened *opened_at(const struct path_items *p, guint i)
{
	return &g_array_index(p->opened, struct path_opened, i);
}

/* True if the user opened FOLD. */
static bool is_open(const struct path_items *p, path_fold fold)
{
	for (guint i = 0; i < p->opened->len; i++)
		if (opened_at(p, i)->fold == fold)
			return true;
	return false;
}

/* The opened fold, by length or by joining (BY), that contains ITEM; PATH_NO_FOLD: none. */
static path_fold opened_run(const struct path_items *p, const struct path_item *item, uint32_t by)
{
	for (guint i = 0; i < p->opened->len; i++) {
		const struct path_opened *o = opened_at(p, i);

		if ((uint32_t)o->fold == by && item->first >= o->first && item->first + item->n <= o->end)
			return o->fold;
	}
	return PATH_NO_FOLD;
}

/* ---- life ---- */

void path_items_init(struct path_items *p)
{
	*p = (struct path_items){ .levels = PATH_ALL_LEVELS };
	p->opened = g_array_new(FALSE, FALSE, sizeof(struct path_opened));
	p->items = g_array_new(FALSE, FALSE, sizeof(struct path_item));
	p->sums = g_array_new(FALSE, FALSE, sizeof(struct path_sum));
	p->lines = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	p->line_of = g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

void path_items_clear(struct path_items *p)
{
	g_array_unref(p->opened);
	g_array_unref(p->items);
	g_array_unref(p->sums);
	g_array_unref(p->lines);
	g_array_unref(p->line_of);
}

/* ---- first pass: levels ---- */

uint8_t path_items_look(const struct ana_path *path, const struct ana_segment *s)
{
	const struct ana_actor *actor = &g_array_index(path->actors, struct ana_actor, s->actor);

	if (s->kind == ANA_SEG_IRQ && g_str_has_prefix(actor->name, "virtio"))
		return PATH_LOOK_VIRTIO;
	if (s->kind == ANA_SEG_RUNNING && s->detail.kind == ANA_DETAIL_STATE &&
		s->detail.state == MDL_ST_USERMODE)
		return PATH_LOOK_USERMODE;
	return (uint8_t)s->kind;
}

/* Add an item for segments [I, END).  FOLD PATH_NO_FOLD: the item is segment I alone.  Otherwise the item is
 * a fold, and stands for the wait of the actor that continues after it; at the end of the path, of the
 * subject. */
static void add_item(struct path_items *p, const struct ana_path *path, uint32_t i, uint32_t end,
	path_fold fold, path_fold inside)
{
	const struct ana_segment *first = path_segment(path, i), *of = first;
	struct path_item item = { .from = first->from,
		.to = path_segment(path, end - 1)->to,
		.first = i,
		.n = end - i,
		.look = fold == PATH_NO_FOLD ? path_items_look(path, first) : PATH_LOOK_DEEPER,
		.fold = fold,
		.inside = inside };

	if (fold != PATH_NO_FOLD)
		of = end < path->segments->len ? path_segment(path, end) : NULL;
	item.actor = of ? of->actor : 0;
	item.depth = of ? of->depth : 0;
	g_array_append_val(p->items, item);
}

/* Recurses as deep as the user opened folds inside folds. */
static void add_levels(struct path_items *p, const struct ana_path *path, uint32_t i, uint32_t end,
	uint32_t levels, path_fold inside)
{
	while (i < end) {
		path_fold fold = fold_of(i, levels);
		uint32_t run = i,
			 least = UINT32_MAX; /* the end of the run of deeper segments, and its least depth */

		if (path_segment(path, i)->depth <= levels) {
			add_item(p, path, i, i + 1, PATH_NO_FOLD, inside);
			i++;
			continue;
		}
		for (; run < end && path_segment(path, run)->depth > levels; run++)
			least = MIN(least, path_segment(path, run)->depth);
		if (is_open(p, fold))
			add_levels(p, path, i, run, least, fold);
		else
			add_item(p, path, i, run, fold, inside);
		i = run;
	}
}

/* ---- second pass: length ---- */

/* True if ITEM is to be folded for its length.  Marks an item in an opened run as inside that run. */
static bool is_folded(const struct path_items *p, struct path_item *item)
{
	path_fold run;

	if (item->to - item->from >= p->limit)
		return false;
	run = opened_run(p, item, BY_LENGTH);
	if (run != PATH_NO_FOLD)
		item->inside = run;
	return run == PATH_NO_FOLD;
}

/* Fold COUNT items from FROM on into one item at AT, in the row of the actor before it; at the start, after
 * it. */
static void put_run(struct path_items *p, guint from, guint count, guint at)
{
	struct path_item *items = &g_array_index(p->items, struct path_item, 0);
	const struct path_item *last = &items[from + count - 1];
	struct path_item one = items[from];

	one.to = last->to;
	one.n = last->first + last->n - one.first;
	one.look = PATH_LOOK_SHORT;
	one.fold = fold_of(one.first, BY_LENGTH);
	if (at > 0)
		one.actor = items[at - 1].actor;
	else if (from + count < p->items->len)
		one.actor = items[from + count].actor;
	items[at] = one;
}

static void fold_short(struct path_items *p)
{
	struct path_item *items = &g_array_index(p->items, struct path_item, 0);
	guint at = 0, i = 0;

	while (i < p->items->len) {
		guint run = i;

		while (run < p->items->len && items[run].inside == items[i].inside &&
			is_folded(p, &items[run]))
			run++;
		if (run > i) {
			put_run(p, i, run - i, at++);
			i = run;
		} else {
			items[at++] = items[i++];
		}
	}
	g_array_set_size(p->items, at);
}

/* True if A and B have the same look, and SHORT_ONE between them is so short that all three can be shown as
 * A. */
static bool can_join(const struct path_item *a, const struct path_item *short_one, const struct path_item *b)
{
	int64_t other = a->other + b->other + (short_one->to - short_one->from);

	if (short_one->look != PATH_LOOK_SHORT || a->look != b->look || a->actor != b->actor)
		return false;
	if (a->look == PATH_LOOK_SHORT || a->look == PATH_LOOK_DEEPER)
		return false;
	return a->inside == b->inside && a->inside == short_one->inside &&
		(b->to - a->from) / JOIN_PART >= other;
}

static void path_items_join(struct path_items *p)
{
	struct path_item *items = &g_array_index(p->items, struct path_item, 0);
	guint at = 0;

	for (guint i = 0; i < p->items->len; i++) {
		struct path_item *a = at >= 2 ? &items[at - 2] : NULL, *between = at ? &items[at - 1] : NULL;
		path_fold run = opened_run(p, &items[i], BY_JOINING);

		if (run != PATH_NO_FOLD && items[i].inside == PATH_NO_FOLD)
			items[i].inside = run; /* part of a join that the user opened */
		if (run != PATH_NO_FOLD || !a || !can_join(a, between, &items[i])) {
			items[at++] = items[i];
			continue;
		}
		a->other += items[i].other + (between->to - between->from);
		a->to = items[i].to;
		a->n = items[i].first + items[i].n - a->first;
		a->fold = fold_of(a->first, BY_JOINING);
		at--;
	}
	g_array_set_size(p->items, at);
}

/* ---- sums and lines ---- */

static int path_items_longest_first(const void *a, const void *b)
{
	const struct path_sum *x = a, *y = b;

	return BASE_BY(y, x, time) ?: BASE_BY(x, y, actor) ?: (int)x->look - (int)y->look;
}

/* Runs between the two passes, so that an item that will be folded for its length counts with its own
 * look. */
static void add_up(struct path_items *p, guint n_actors)
{
	struct path_sum *sums = g_new0(struct path_sum, (gsize)n_actors * PATH_LOOK_N + 1);

	for (guint i = 0; i < p->items->len; i++) {
		const struct path_item *item = &g_array_index(p->items, struct path_item, i);
		struct path_sum *sum = &sums[(gsize)item->actor * PATH_LOOK_N + item->look];

		sum->time += item->to - item->from;
		sum->items++;
	}
	g_array_set_size(p->sums, 0);
	for (gsize i = 0; i < (gsize)n_actors * PATH_LOOK_N; i++) {
		if (!sums[i].items)
			continue;
		sums[i].actor = (uint32_t)(i / PATH_LOOK_N);
		sums[i].look = (uint8_t)(i % PATH_LOOK_N);
		g_array_append_val(p->sums, sums[i]);
	}
	g_free(sums);
	g_array_sort(p->sums, path_items_longest_first);
}

/* The subject has a line even without time of its own. */
static void find_lines(struct path_items *p, guint n_actors)
{
	uint32_t *line_of;

	g_array_set_size(p->lines, 0);
	g_array_set_size(p->line_of, n_actors);
	line_of = &g_array_index(p->line_of, uint32_t, 0);
	for (guint i = 0; i < n_actors; i++)
		line_of[i] = UINT32_MAX;
	for (guint i = 0; i < p->items->len; i++)
		line_of[g_array_index(p->items, struct path_item, i).actor] = 0;
	for (uint32_t i = 0; i < n_actors; i++) {
		if (i && line_of[i] == UINT32_MAX)
			continue;
		line_of[i] = p->lines->len;
		g_array_append_val(p->lines, i);
	}
}

void path_items_make(struct path_items *p, const struct ana_path *path)
{
	uint32_t n = path->segments->len;

	p->deepest = 0;
	for (uint32_t i = 0; i < n; i++)
		p->deepest = MAX(p->deepest, path_segment(path, i)->depth);
	g_array_set_size(p->items, 0);
	add_levels(p, path, 0, n, p->levels, PATH_NO_FOLD);
	add_up(p, path->actors->len);
	if (p->limit) {
		fold_short(p);
		path_items_join(p);
	}
	find_lines(p, path->actors->len);
}

uint32_t path_items_at(const struct path_items *p, int64_t time)
{
	const struct path_item *items = &g_array_index(p->items, struct path_item, 0);
	guint n = p->items->len;

	if (n == 0 || time < items[0].from || time >= items[n - 1].to)
		return UINT32_MAX;
	return (uint32_t)base_search_holding(&items[0].from, n, sizeof items[0], time);
}

/* ---- folds ---- */

void path_items_open(struct path_items *p, const struct path_item *item)
{
	struct path_opened opened = { item->fold, item->first, item->first + item->n };

	g_array_append_val(p->opened, opened);
}

void path_items_close(struct path_items *p, path_fold fold)
{
	for (guint i = p->opened->len; i-- > 0;)
		if (opened_at(p, i)->fold == fold)
			g_array_remove_index_fast(p->opened, i);
}

bool path_items_close_all(struct path_items *p)
{
	bool any = p->opened->len > 0;

	g_array_set_size(p->opened, 0);
	return any;
}

/* Three numbers per fold: the fold, its first segment, the segment after its last. */
char *path_items_opened_text(const struct path_items *p)
{
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));

	for (guint i = 0; i < p->opened->len; i++) {
		const struct path_opened *o = opened_at(p, i);
		gint64 n[] = { (gint64)o->fold, o->first, o->end };

		g_array_append_vals(numbers, n, G_N_ELEMENTS(n));
	}
	return ui_fields_numbers_text(numbers);
}

void path_items_set_opened(struct path_items *p, const struct ana_path *path, const char *text)
{
	g_autoptr(GArray) numbers = ui_fields_numbers(text);
	const gint64 *n = (const gint64 *)(const void *)numbers->data;

	g_array_set_size(p->opened, 0);
	for (guint i = 0; i + 2 < numbers->len; i += 3, n += 3) {
		struct path_opened one = { (path_fold)n[0], (uint32_t)n[1], (uint32_t)n[2] };

		if (n[1] >= 0 && n[1] < n[2] && n[2] <= path->segments->len)
			g_array_append_val(p->opened, one);
	}
}
