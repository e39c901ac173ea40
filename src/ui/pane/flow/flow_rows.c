/* SPDX-License-Identifier: MIT */
/*
 * All rows of the experiment are sorted once into the order of the tree.  The
 * lines on the screen are made from that by leaving out what is folded or
 * filtered; with thousands of rows this takes two look-ups per row when the
 * filter asks for the window, and none otherwise.
 */
#include "ui/pane/flow/flow_rows.h"

#include "ui/pane/flow/flow_items.h"

struct flow_rows {
	struct qry *q;      /* weak */
	GArray *items;      /* of struct flow_item */
	GArray *lines;      /* of struct flow_line */
	GHashTable *folded; /* set of fold keys, see fold_key() */
	enum flow_filter filter;
	bool hide_tracer;
	int64_t from, to; /* window of in_window */
};

/* ---- folding ---- */

/* Key of a heading or a process in the set of folded ones; g_int64 keys are owned by the table. */
static gint64 fold_key(enum flow_kind kind, uint32_t host, uint32_t row)
{
	return row != MDL_NONE ? (gint64)row : (gint64)kind << 40 | host | (gint64)1 << 39;
}

static bool is_folded(const struct flow_rows *rows, enum flow_kind kind, uint32_t host, uint32_t row)
{
	gint64 key = fold_key(kind, host, row);

	return g_hash_table_contains(rows->folded, &key);
}

static void set_folded(struct flow_rows *rows, enum flow_kind kind, uint32_t host, uint32_t row, bool folded)
{
	gint64 key = fold_key(kind, host, row), *copy;

	if (!folded) {
		g_hash_table_remove(rows->folded, &key);
		return;
	}
	copy = g_new(gint64, 1);
	*copy = key;
	g_hash_table_add(rows->folded, copy);
}

/* ---- lines ---- */

static bool passes(const struct flow_rows *rows, const struct flow_item *item)
{
	if (item->kept)
		return true;
	if (rows->hide_tracer && item->tracer)
		return false;
	switch (rows->filter) {
	case FLOW_ACTIVE_IN_TRACE: return item->in_trace;
	case FLOW_ACTIVE_IN_WINDOW: return item->in_window;
	default: return true;
	}
}

/* Where lines are being put while the tree is walked. */
struct builder {
	struct flow_rows *rows;
	const struct flow_item *last;  /* the item before; NULL at the start */
	unsigned host, group, process; /* indices of the open headings; UINT32_MAX none */
	bool host_folded, group_folded, process_folded;
};

static unsigned add_line(struct builder *b, enum flow_kind kind, const struct flow_item *item, uint32_t row,
	unsigned depth, bool folded)
{
	struct flow_line line = { kind, item->host, row, depth, 0, folded };

	g_array_append_val(b->rows->lines, line);
	return b->rows->lines->len - 1;
}

static void count_child(struct builder *b, unsigned line)
{
	if (line != UINT32_MAX)
		g_array_index(b->rows->lines, struct flow_line, line).children++;
}

static void open_host(struct builder *b, const struct flow_item *item)
{
	b->host_folded = is_folded(b->rows, FLOW_HOST, item->host, MDL_NONE);
	b->host = add_line(b, FLOW_HOST, item, MDL_NONE, 0, b->host_folded);
}

static void open_group(struct builder *b, const struct flow_item *item)
{
	b->group_folded = false;
	b->group = UINT32_MAX;
	if (item->group == FLOW_PROCESS)
		return;
	b->group_folded = is_folded(b->rows, item->group, item->host, MDL_NONE);
	if (!b->host_folded)
		b->group = add_line(b, item->group, item, MDL_NONE, 1, b->group_folded);
}

static void add_member(struct builder *b, const struct flow_item *item)
{
	bool thread = item->head != MDL_NONE, main = item->head == item->row;
	unsigned depth = item->group == FLOW_PROCESS ? 1 : 2;
	bool same_process = b->last && thread && b->last->head == item->head;

	if (thread && !same_process) {
		b->process = UINT32_MAX;
		b->process_folded = !b->host_folded && !b->group_folded &&
			is_folded(b->rows, FLOW_PROCESS, item->host, item->head);
		if (!b->host_folded && !b->group_folded)
			b->process = add_line(b, FLOW_PROCESS, item, item->head, depth, b->process_folded);
	}
	count_child(b, b->host);
	count_child(b, b->group);
	if (thread && !main)
		count_child(b, b->process);
	if (b->host_folded || b->group_folded || main || (thread && b->process_folded))
		return;
	add_line(b,
		thread                             ? FLOW_THREAD
			: item->group == FLOW_CPUS ? FLOW_CPU
						   : FLOW_IRQ,
		item, item->row, depth + (thread ? 1 : 0), false);
}

static void build_lines(struct flow_rows *rows)
{
	struct builder b = { .rows = rows, .host = UINT32_MAX, .group = UINT32_MAX, .process = UINT32_MAX };

	g_array_set_size(rows->lines, 0);
	for (unsigned i = 0; i < rows->items->len; i++) {
		const struct flow_item *item = &g_array_index(rows->items, struct flow_item, i);

		if (!passes(rows, item))
			continue;
		if (!b.last || b.last->host != item->host)
			open_host(&b, item);
		if (!b.last || b.last->host != item->host || b.last->group != item->group)
			open_group(&b, item);
		add_member(&b, item);
		b.last = item;
	}
}

/* ---- life ---- */

struct flow_rows *flow_rows_new(struct qry *q, bool hide_tracer)
{
	struct flow_rows *rows = g_new0(struct flow_rows, 1);

	rows->q = q;
	rows->hide_tracer = hide_tracer;
	rows->items = flow_items_new(q);
	rows->lines = g_array_new(FALSE, FALSE, sizeof(struct flow_line));
	rows->folded = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	for (uint32_t host = 0; host < qry_host_count(q); host++)
		set_folded(rows, FLOW_IRQS, host, MDL_NONE, true);
	build_lines(rows);
	return rows;
}

void flow_rows_free(struct flow_rows *rows)
{
	if (!rows)
		return;
	g_array_unref(rows->items);
	g_array_unref(rows->lines);
	g_hash_table_unref(rows->folded);
	g_free(rows);
}

void flow_rows_carry(struct flow_rows *rows, const struct flow_rows *old, int64_t from, int64_t to)
{
	GHashTableIter i;
	gpointer key;

	g_hash_table_remove_all(rows->folded);
	g_hash_table_iter_init(&i, old->folded);
	while (g_hash_table_iter_next(&i, &key, NULL))
		g_hash_table_add(rows->folded, g_memdup2(key, sizeof(gint64)));
	flow_rows_set_filter(rows, old->filter, from, to);
}

const GArray *flow_rows_lines(const struct flow_rows *rows)
{
	return rows->lines;
}

void flow_rows_count(const struct flow_rows *rows, unsigned *shown, unsigned *all)
{
	*shown = *all = 0;
	for (unsigned i = 0; i < rows->items->len; i++) {
		const struct flow_item *item = &g_array_index(rows->items, struct flow_item, i);

		*all += item->head != MDL_NONE;
		*shown += item->head != MDL_NONE && passes(rows, item);
	}
}

enum flow_filter flow_rows_filter(const struct flow_rows *rows)
{
	return rows->filter;
}

static void keep_none(struct flow_rows *rows)
{
	for (unsigned i = 0; i < rows->items->len; i++)
		g_array_index(rows->items, struct flow_item, i).kept = false;
}

void flow_rows_hide_tracer(struct flow_rows *rows, bool hide)
{
	rows->hide_tracer = hide;
	keep_none(rows);
	build_lines(rows);
}

void flow_rows_set_filter(struct flow_rows *rows, enum flow_filter filter, int64_t from, int64_t to)
{
	rows->filter = filter;
	for (unsigned i = 0; i < rows->items->len; i++) {
		struct flow_item *item = &g_array_index(rows->items, struct flow_item, i);

		if (filter == FLOW_ACTIVE_IN_WINDOW)
			item->in_window = flow_items_active(rows->q, item, from, to);
	}
	keep_none(rows);
	rows->from = from;
	rows->to = to;
	build_lines(rows);
}

bool flow_rows_set_window(struct flow_rows *rows, int64_t from, int64_t to)
{
	if (rows->filter != FLOW_ACTIVE_IN_WINDOW || (from == rows->from && to == rows->to))
		return false;
	flow_rows_set_filter(rows, rows->filter, from, to);
	return true;
}

/* ---- changing ---- */

/* The line at or above INDEX that can be folded and that INDEX belongs to; UINT32_MAX when there is none. */
static unsigned foldable(const struct flow_rows *rows, unsigned index)
{
	const struct flow_line *line = &g_array_index(rows->lines, struct flow_line, index);
	unsigned depth = line->depth + 1;

	for (unsigned i = index + 1; i-- > 0;) {
		line = &g_array_index(rows->lines, struct flow_line, i);
		if (line->depth < depth && line->children)
			return i;
		depth = MIN(depth, line->depth + (i == index));
	}
	return UINT32_MAX;
}

unsigned flow_rows_fold(struct flow_rows *rows, unsigned index)
{
	unsigned at = index < rows->lines->len ? foldable(rows, index) : UINT32_MAX;
	struct flow_line line;

	if (at == UINT32_MAX)
		return index;
	line = g_array_index(rows->lines, struct flow_line, at);
	set_folded(rows, line.kind, line.host, line.row, !line.folded);
	build_lines(rows);
	return at;
}

void flow_rows_fold_all(struct flow_rows *rows)
{
	bool fold = false;

	for (unsigned i = 0; i < rows->lines->len; i++) {
		const struct flow_line *line = &g_array_index(rows->lines, struct flow_line, i);

		fold |= line->children && !line->folded && line->kind != FLOW_HOST;
	}
	for (unsigned i = 0; i < rows->items->len; i++) {
		const struct flow_item *item = &g_array_index(rows->items, struct flow_item, i);

		if (item->group != FLOW_PROCESS)
			set_folded(rows, item->group, item->host, MDL_NONE, fold);
		if (item->head != MDL_NONE)
			set_folded(rows, FLOW_PROCESS, item->host, item->head, fold);
	}
	build_lines(rows);
}

static unsigned find_line(const struct flow_rows *rows, uint32_t row)
{
	for (unsigned i = 0; i < rows->lines->len; i++)
		if (g_array_index(rows->lines, struct flow_line, i).row == row)
			return i;
	return UINT32_MAX;
}

unsigned flow_rows_reveal(struct flow_rows *rows, uint32_t row)
{
	unsigned line = find_line(rows, row);

	if (line != UINT32_MAX || row == MDL_NONE)
		return line;
	for (unsigned i = 0; i < rows->items->len; i++) {
		struct flow_item *item = &g_array_index(rows->items, struct flow_item, i);

		item->kept = item->row == row;
		if (!item->kept)
			continue;
		set_folded(rows, FLOW_HOST, item->host, MDL_NONE, false);
		set_folded(rows, item->group, item->host, MDL_NONE, false);
		if (item->head != MDL_NONE)
			set_folded(rows, FLOW_PROCESS, item->host, item->head, false);
	}
	build_lines(rows);
	return find_line(rows, row);
}

/* ---- searching ---- */

bool flow_rows_match(const struct flow_rows *rows, uint32_t row, const char *needle)
{
	return flow_items_match(rows->q, row, needle);
}

uint32_t flow_rows_search(const struct flow_rows *rows, uint32_t row, const char *needle, int step)
{
	unsigned n = rows->items->len, at = step > 0 ? n - 1 : 0;

	for (unsigned i = 0; i < n; i++)
		if (g_array_index(rows->items, struct flow_item, i).row == row)
			at = i;
	for (unsigned i = 0; i < n; i++) {
		uint32_t other;

		at = (at + n + (unsigned)step) % n;
		other = g_array_index(rows->items, struct flow_item, at).row;
		if (flow_rows_match(rows, other, needle))
			return other;
	}
	return MDL_NONE;
}
