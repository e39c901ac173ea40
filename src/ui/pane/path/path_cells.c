/* SPDX-License-Identifier: MIT */
/*
 * One pass over the items in the window adds up the time of each kind in
 * each cell; the kind with the largest share, and of it the longest piece,
 * stands for the cell.  Nothing is done again until window, rows or path change.
 */
#include "ui/pane/path/path.h"

struct sum {
	int64_t ns[PATH_LOOK_N];
	int64_t longest[PATH_LOOK_N]; /* the longest piece of each kind, */
	uint32_t item[PATH_LOOK_N];   /* and whose it is */
};

/* Kinds of one class look alike from afar: on a CPU, wanting one, waiting for something. */
static unsigned class_of(unsigned look)
{
	switch (look) {
	case ANA_SEG_RUNNING:
	case ANA_SEG_SYSCALL:
	case ANA_SEG_INTERRUPTED: return ANA_SEG_RUNNING;
	case ANA_SEG_WAIT_CPU:
	case ANA_SEG_PREEMPTED:
	case ANA_SEG_VCPU_PREEMPTED: return ANA_SEG_WAIT_CPU;
	default: return look;
	}
}

static void add_piece(struct sum *sum, unsigned look, uint32_t item, int64_t ns)
{
	sum->ns[look] += ns;
	if (ns > sum->longest[look]) {
		sum->longest[look] = ns;
		sum->item[look] = item;
	}
}

static struct path_cell cell_of(const struct sum *sum)
{
	struct path_cell cell = { PATH_NO_ITEM, false };
	unsigned best = 0;

	for (unsigned k = 1; k < PATH_LOOK_N; k++)
		if (sum->ns[k] > sum->ns[best])
			best = k;
	if (!sum->ns[best])
		return cell;
	cell.item = sum->item[best];
	for (unsigned k = 0; k < PATH_LOOK_N; k++)
		cell.hides |= sum->ns[k] && class_of(k) != class_of(best);
	return cell;
}

/* Add item I to the cells it touches, from column C on; SUMS are those of its line. */
static void add_item(const struct path *p, struct sum *sums, uint32_t i, unsigned c)
{
	const struct ui_shell *shell = p->pane.shell;
	const struct path_item *s = path_item(p, i);
	int64_t from = MAX(s->from, shell->from), to = MIN(s->to, shell->to);

	for (; c < p->columns && from < to; c++) {
		int64_t end = MIN(ui_shell_column_time(shell, c + 1), to);

		if (end > from) {
			add_piece(&sums[c], s->look, i, end - from);
			from = end;
		}
	}
}

static void add_all(const struct path *p, struct sum *sums)
{
	const struct ui_shell *shell = p->pane.shell;
	uint32_t i = path_items_at(&p->items, MAX(shell->from, p->path->from));
	int64_t next; /* when column c ends */
	unsigned c = 0;

	if (i == UINT32_MAX)
		return;
	next = ui_shell_column_time(shell, 1);
	for (; i < p->items.items->len && path_item(p, i)->from < shell->to; i++) {
		const struct path_item *s = path_item(p, i);
		uint32_t line = path_actor_line(p, s->actor);

		while (c + 1 < p->columns && next <= s->from)
			next = ui_shell_column_time(shell, ++c + 1);
		if (line >= p->first_cell && line - p->first_cell < p->n_cells)
			add_item(p, sums + (gsize)(line - p->first_cell) * p->columns, i, c);
	}
}

void path_cells_drop(struct path *p)
{
	g_clear_pointer(&p->cells, g_free);
}

void path_cells_fetch(struct path *p, unsigned first, unsigned n)
{
	const struct ui_shell *shell = p->pane.shell;
	gsize count = (gsize)n * shell->columns;
	struct sum *sums;

	if (p->cells && first == p->first_cell && n == p->n_cells && shell->columns == p->columns &&
		shell->from == p->from && shell->to == p->to)
		return;
	path_cells_drop(p);
	p->first_cell = first;
	p->n_cells = n;
	p->columns = shell->columns;
	p->from = shell->from;
	p->to = shell->to;
	p->cells = g_new(struct path_cell, count + 1);
	sums = g_new0(struct sum, count + 1);
	add_all(p, sums);
	for (gsize i = 0; i < count; i++)
		p->cells[i] = cell_of(&sums[i]);
	g_free(sums);
}

const struct path_cell *path_cells_of(const struct path *p, unsigned line)
{
	return p->cells + (gsize)(line - p->first_cell) * p->columns;
}
