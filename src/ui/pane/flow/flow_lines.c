/* SPDX-License-Identifier: MIT */
/*
 * An item is a row with its place in the tree.  All items are sorted once into the order of the tree.  The
 * lines on the screen are made from them: first the pinned rows; then the tree of the items that pass the
 * choice.  If the rows are sorted in another way, the threads come before the tree, as a flat list, and the
 * tree has the other rows.
 */
#include "ui/pane/flow/flow_rows.h"

#include "base/base_search.h"
#include "query/host/tracer.h"
#include "ui/widget/looks.h"

#include <string.h>

/* ---- items ---- */

static enum flow_kind flow_items_group_of(const struct qry *q, const struct qry_row *row)
{
	switch (row->type) {
	case MDL_ROW_CPU: return FLOW_CPUS;
	case MDL_ROW_IRQ:
	case MDL_ROW_SOFTIRQ:
	case MDL_ROW_DEVICE: return FLOW_IRQS;
	default: return qry_is_kernel_thread(q, row->id) ? FLOW_KERNEL : FLOW_PROCESS;
	}
}

static unsigned group_place(enum flow_kind group)
{
	return group == FLOW_CPUS ? 0 : group == FLOW_IRQS ? 1 : group == FLOW_PROCESS ? 2 : 3;
}

static int compare_items(gconstpointer left, gconstpointer right)
{
	const struct flow_item *a = left, *b = right;

	return BASE_BY(a, b, host) ?: BASE_ORDER(group_place(a->group), group_place(b->group))
		?: BASE_BY(a, b, head_nr) ?: BASE_BY(a, b, head)
		?: BASE_ORDER(a->row != a->head, b->row != b->head) ?: BASE_BY(a, b, nr) ?: BASE_BY(a, b, row);
}

/*
 * True if one of STATES, a bit for each state that the row of ITEM had, is active (state_look_is_active()):
 * it ran, or wanted to run.  Always true for CPUs.  Never true for idle threads: the rows of CPUs show the
 * same.
 */
static bool flow_items_active(const struct flow_item *item, uint32_t states)
{
	if (item->group == FLOW_CPUS)
		return true;
	if (item->group == FLOW_KERNEL && item->nr == 0)
		return false; /* idle threads */
	for (unsigned i = 0; i < QRY_CELL_N; i++)
		if (states >> i & 1 && state_look_is_active(i))
			return true;
	return false;
}

static void add_item(GArray *items, struct qry *q, uint32_t id, int64_t from, int64_t to)
{
	const struct qry_row *row = qry_row(q, id);
	struct flow_item item = { .host = row->host,
		.group = flow_items_group_of(q, row),
		.head = MDL_NONE,
		.row = id,
		.nr = row->nr };
	struct qry_cell cell;

	if (row->type == MDL_ROW_THREAD || row->type == MDL_ROW_VCPU) {
		item.head = row->process == MDL_NONE ? id : row->process;
		item.group = flow_items_group_of(q, qry_row(q, item.head));
		item.head_nr = qry_row(q, item.head)->nr;
	} else {
		item.head_nr = row->type;
	}
	item.tracer = qry_is_tracer(q, id);
	qry_share(q, id, from, to, &cell);
	item.in_trace = flow_items_active(&item, flow_states(&cell));
	g_array_append_val(items, item);
}

GArray *flow_items_new(struct qry *q)
{
	GArray *items = g_array_new(FALSE, FALSE, sizeof(struct flow_item));
	int64_t from, to;

	qry_span(q, &from, &to);
	for (uint32_t i = 0; i < qry_row_count(q); i++)
		add_item(items, q, i, from, to);
	g_array_sort(items, compare_items);
	return items;
}

static bool contains(const char *name, const char *needle, bool whole)
{
	g_autofree char *a = g_utf8_casefold(name, -1), *b = g_utf8_casefold(needle, -1);

	if (whole)
		return !strcmp(a, b);
	return strstr(a, b);
}

static bool flow_items_is_called(const struct qry *q, uint32_t row, const char *needle, enum flow_match how)
{
	const struct qry_row *facts = qry_row(q, row);
	g_autoptr(GPtrArray) names = NULL;
	char *end;
	gint64 nr = g_ascii_strtoll(needle, &end, 10);
	bool found = false;

	if (!*needle)
		return false;
	if (!*end && how != FLOW_MATCH_WHOLE && facts->type == MDL_ROW_THREAD && facts->nr == nr)
		return true;
	if (facts->type != MDL_ROW_THREAD || how != FLOW_MATCH_EVER)
		return contains(facts->name, needle, how == FLOW_MATCH_WHOLE);
	names = qry_names(q, row);
	for (unsigned i = 0; i < names->len && !found; i++)
		found = contains(g_ptr_array_index(names, i), needle, false);
	return found;
}

bool flow_items_match(const struct qry *q, uint32_t row, const char *needle, enum flow_match how)
{
	const char *host = qry_host(q, qry_row(q, row)->host)->name;
	size_t length = strlen(host);
	bool of_host = !g_ascii_strncasecmp(needle, host, length) && needle[length] == '/';
	/* The label as on the screen, "guest1/sh[528]": made only for a needle that can match it. */
	g_autofree char *label = how == FLOW_MATCH_EVER && strpbrk(needle, "/[") ? qry_row_label(q, row)
										 : NULL;

	return flow_items_is_called(q, row, needle, how) || (label && contains(label, needle, false)) ||
		(of_host && flow_items_is_called(q, row, needle + length + 1, how));
}

/* ---- folding ---- */

/* Key of a heading or a process in the set of folded ones.  The table owns its g_int64 keys. */
static gint64 fold_key(enum flow_kind kind, uint32_t host, uint32_t row)
{
	return row != MDL_NONE ? (gint64)row : (gint64)kind << 40 | host | (gint64)1 << 39;
}

static bool is_folded(const struct flow_rows *rows, enum flow_kind kind, uint32_t host, uint32_t row)
{
	gint64 key = fold_key(kind, host, row);

	return g_hash_table_contains(rows->folded, &key);
}

void flow_lines_fold(struct flow_rows *rows, enum flow_kind kind, uint32_t host, uint32_t row, bool folded)
{
	gint64 key = fold_key(kind, host, row);

	if (folded)
		g_hash_table_add(rows->folded, g_memdup2(&key, sizeof key));
	else
		g_hash_table_remove(rows->folded, &key);
}

gint64 *flow_lines_key_again(const struct flow_rows *rows, const struct flow_rows *old, gint64 key)
{
	if (key < (gint64)1 << 39)
		key = (gint64)qry_row_again(rows->q, old->q, (uint32_t)key);
	return g_memdup2(&key, sizeof key);
}

/* ---- items that are shown ---- */

static const struct flow_item *item_at(const struct flow_rows *rows, unsigned i)
{
	return &g_array_index(rows->items, struct flow_item, i);
}

static const struct flow_item *item_of(const struct flow_rows *rows, uint32_t row)
{
	return item_at(rows, rows->item_of[row]);
}

static bool is_in_set(const struct flow_rows *rows, const struct flow_item *item,
	const struct flow_fact *fact)
{
	switch (rows->choice.set) {
	case FLOW_SET_WINDOW: return fact ? flow_items_active(item, fact->states) : item->in_trace;
	case FLOW_SET_PATH: return g_hash_table_contains(rows->on_path, GUINT_TO_POINTER(item->row));
	case FLOW_SET_PROCESS: return item->head == rows->process;
	case FLOW_SET_TRACE: return item->in_trace;
	default: return true;
	}
}

bool flow_lines_passes(const struct flow_rows *rows, const struct flow_item *item)
{
	const struct flow_fact *fact = rows->facts_fit ? &rows->facts->rows[item->row] : NULL;

	if (item->row == rows->kept)
		return true;
	/* A path stays complete even if it leads through the tracer. */
	if (rows->hide_tracer && item->tracer && rows->choice.set != FLOW_SET_PATH)
		return false;
	return is_in_set(rows, item, fact) &&
		(!rows->choice.filter || flow_filter_passes(rows->choice.filter, item->row, fact));
}

static bool is_pinned(const struct flow_rows *rows, uint32_t row)
{
	for (guint i = 0; i < rows->pins->len; i++)
		if (g_array_index(rows->pins, uint32_t, i) == row)
			return true;
	return false;
}

/* True if ITEM has a line below the pinned ones. */
static bool is_listed(const struct flow_rows *rows, const struct flow_item *item)
{
	return flow_lines_passes(rows, item) && !is_pinned(rows, item->row);
}

/* ---- the tree ---- */

/* The state of the walk through the tree that makes lines. */
struct builder {
	struct flow_rows *rows;
	const struct flow_item *last;  /* the previous item; NULL at the start */
	unsigned host, group, process; /* indices of the open headings; UINT32_MAX none */
	bool host_folded, group_folded, process_folded;
};

struct lanes_before {
	const GArray *lanes;
	uint32_t row;
};

/* Lanes are sorted by thread; lanes without a thread come first. */
static bool is_lane_before(const void *data, uint64_t i)
{
	const struct lanes_before *l = data;

	return g_array_index(l->lanes, struct flow_lane, i).row + 1 < l->row + 1;
}

/* Add the lines of the spans of thread ROW; MDL_NONE: those without a thread. */
static void add_spans(struct flow_rows *rows, uint32_t host, uint32_t row, unsigned depth)
{
	const GArray *lanes = rows->spans ? rows->spans->lanes : NULL;
	struct lanes_before search = { lanes, row };

	if (!lanes)
		return;
	for (guint i = (guint)base_search(0, lanes->len, is_lane_before, &search); i < lanes->len; i++) {
		const struct flow_lane *lane = &g_array_index(lanes, struct flow_lane, i);
		struct flow_line line = { FLOW_SPANS, host, MDL_NONE, depth, 0, false, lane };

		if (lane->row != row)
			break;
		g_array_append_val(rows->lines, line);
	}
}

static unsigned flow_lines_add_line(struct builder *b, enum flow_kind kind, const struct flow_item *item,
	uint32_t row, unsigned depth, bool folded)
{
	struct flow_line line = { kind, item->host, row, depth, 0, folded, NULL };
	bool thread = kind == FLOW_PROCESS || kind == FLOW_THREAD,
	     below = b->rows->spans && b->rows->spans->is_values;
	unsigned place;

	if (thread && !below)
		add_spans(b->rows, item->host, row, depth);
	place = b->rows->lines->len;
	g_array_append_val(b->rows->lines, line);
	if (thread && below)
		add_spans(b->rows, item->host, row, depth);
	return place;
}

static void count_child(struct builder *b, unsigned line)
{
	if (line != UINT32_MAX)
		g_array_index(b->rows->lines, struct flow_line, line).children++;
}

static void open_group(struct builder *b, const struct flow_item *item)
{
	b->group_folded = false;
	b->group = UINT32_MAX;
	if (item->group == FLOW_PROCESS)
		return;
	b->group_folded = is_folded(b->rows, item->group, item->host, MDL_NONE);
	if (!b->host_folded)
		b->group = flow_lines_add_line(b, item->group, item, MDL_NONE, 1, b->group_folded);
}

static enum flow_kind kind_of(const struct flow_item *item)
{
	return item->head == item->row     ? FLOW_PROCESS
		: item->head != MDL_NONE   ? FLOW_THREAD
		: item->group == FLOW_CPUS ? FLOW_CPU
					   : FLOW_IRQ;
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
			b->process = flow_lines_add_line(b, FLOW_PROCESS, item, item->head, depth,
				b->process_folded);
	}
	count_child(b, b->host);
	count_child(b, b->group);
	if (thread && !main)
		count_child(b, b->process);
	if (b->host_folded || b->group_folded || main || (thread && b->process_folded))
		return;
	flow_lines_add_line(b, kind_of(item), item, item->row, depth + (thread ? 1 : 0), false);
}

/* Add the tree; THREADS false: without threads, which are listed flat. */
static void add_tree(struct flow_rows *rows, bool threads)
{
	struct builder b = { .rows = rows, .host = UINT32_MAX, .group = UINT32_MAX, .process = UINT32_MAX };

	for (unsigned i = 0; i < rows->items->len; i++) {
		const struct flow_item *item = item_at(rows, i);

		if (!is_listed(rows, item) || (!threads && item->head != MDL_NONE))
			continue;
		if (!b.last || b.last->host != item->host) {
			b.host_folded = is_folded(rows, FLOW_HOST, item->host, MDL_NONE);
			b.host = flow_lines_add_line(&b, FLOW_HOST, item, MDL_NONE, 0, b.host_folded);
		}
		if (!b.last || b.last->host != item->host || b.last->group != item->group)
			open_group(&b, item);
		add_member(&b, item);
		b.last = item;
	}
}

/* ---- other orders ---- */

/* Add a line for ITEM outside the tree. */
static void add_flat(struct flow_rows *rows, const struct flow_item *item)
{
	struct builder b = { .rows = rows };

	flow_lines_add_line(&b, kind_of(item), item, item->row, 0, false);
}

/* Add the rows in the path's order, with a heading at the first row of each host.  Last comes the row that is
 * shown although it is not on the path. */
static void add_path(struct flow_rows *rows)
{
	struct builder b = { .rows = rows };
	bool heading;

	for (guint i = 0; i < rows->path->len; i++) {
		const struct flow_item *item = item_of(rows, g_array_index(rows->path, uint32_t, i));

		if (!is_listed(rows, item))
			continue;
		heading = qry_host_count(rows->q) == 1;
		for (guint l = 0; l < rows->lines->len && !heading; l++) {
			const struct flow_line *line = &g_array_index(rows->lines, struct flow_line, l);

			heading = line->kind == FLOW_HOST && line->host == item->host;
		}
		if (!heading)
			flow_lines_add_line(&b, FLOW_HOST, item, MDL_NONE, 0, false);
		flow_lines_add_line(&b, kind_of(item), item, item->row, 1, false);
	}
	if (rows->kept != MDL_NONE && !g_hash_table_contains(rows->on_path, GUINT_TO_POINTER(rows->kept)) &&
		!is_pinned(rows, rows->kept))
		add_flat(rows, item_of(rows, rows->kept));
}

int64_t flow_lines_measure(const struct flow_rows *rows, uint32_t row, enum flow_order order)
{
	const struct flow_fact *fact = rows->facts_fit ? &rows->facts->rows[row] : NULL;
	const struct qry_row *r = qry_row(rows->q, row);

	if (!fact || (r->type == MDL_ROW_THREAD && r->cpu != MDL_NONE)) /* idle threads are not measured */
		return MDL_NEVER;
	switch (order) {
	case FLOW_ORDER_CPU: return fact->on_cpu;
	case FLOW_ORDER_WAIT: return fact->waited;
	case FLOW_ORDER_LATE: return fact->late < 0 ? MDL_NEVER : fact->late;
	default: return MDL_NEVER;
	}
}

/* Compare indices of items by the choice's order; ties keep tree order. */
static int by_order(gconstpointer left, gconstpointer right, gpointer data)
{
	const unsigned *i = left, *j = right;
	const struct flow_rows *rows = data;
	const struct flow_item *a = item_at(rows, *i), *b = item_at(rows, *j);
	int64_t x, y;
	int order = 0;

	switch (rows->choice.order) {
	case FLOW_ORDER_TID: order = BASE_BY(a, b, nr); break;
	case FLOW_ORDER_NAME:
		order = g_ascii_strcasecmp(qry_row(rows->q, a->row)->name, qry_row(rows->q, b->row)->name);
		break;
	case FLOW_ORDER_FIRST:
		order = BASE_ORDER(qry_row(rows->q, a->row)->first, qry_row(rows->q, b->row)->first);
		break;
	default:
		x = flow_lines_measure(rows, a->row, rows->choice.order);
		y = flow_lines_measure(rows, b->row, rows->choice.order);
		order = BASE_ORDER(y, x);
	}
	return order ?: BASE_ORDER(*i, *j);
}

void flow_lines_make(struct flow_rows *rows)
{
	g_autoptr(GArray) threads = g_array_new(FALSE, FALSE, sizeof(unsigned));

	g_array_set_size(rows->lines, 0);
	add_spans(rows, 0, MDL_NONE, 0);
	for (guint i = 0; i < rows->pins->len; i++)
		add_flat(rows, item_of(rows, g_array_index(rows->pins, uint32_t, i)));
	rows->n_pinned = rows->lines->len;
	if (rows->choice.order != FLOW_ORDER_TRACE) {
		for (unsigned i = 0; i < rows->items->len; i++)
			if (item_at(rows, i)->head != MDL_NONE && is_listed(rows, item_at(rows, i)))
				g_array_append_val(threads, i);
		g_array_sort_with_data(threads, by_order, rows);
		for (guint i = 0; i < threads->len; i++)
			add_flat(rows, item_at(rows, g_array_index(threads, unsigned, i)));
	}
	if (rows->choice.set == FLOW_SET_PATH && rows->choice.order == FLOW_ORDER_TRACE)
		add_path(rows);
	else
		add_tree(rows, rows->choice.order == FLOW_ORDER_TRACE);
}
