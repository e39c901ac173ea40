/* SPDX-License-Identifier: MIT */
/* The two paths of a step: one as most are, where it takes little, and the one where it takes most; asked of
 * a worker of their own, and moved about in. */
#include "ui/pane/compare/compare.h"

#define FOLDED 100 /* what is shorter than one part in so many is folded */

struct question {
	struct compare_stretch {
		struct compare_other *other; /* a reference; NULL: it is of this recording */
		uint32_t row;
		int64_t from, to;
	} of[2];
};

struct answer {
	struct ana_path *paths[2]; /* owned */
	struct qry *others[2];     /* what each was asked of, where that is another recording; owned, NULL */
};

/* ---- in the worker ---- */

static void compare_pair_answer_free(void *data)
{
	struct answer *answer = data;

	for (unsigned i = 0; i < 2; i++) {
		if (answer->paths[i])
			ana_path_free(answer->paths[i]);
		qry_free(answer->others[i]);
	}
	g_free(answer);
}

static void compare_pair_forget(void *question)
{
	struct question *q = question;

	for (unsigned i = 0; i < 2; i++)
		g_clear_pointer(&q->of[i].other, compare_other_unref);
}

/* Names in the path may be those of whom it is asked of. */
static struct ana_path *compare_pair_walk(struct qry *q, const struct compare_stretch *s, struct qry **other,
	struct base_progress *progress, GError **error)
{
	struct ana_path *path;

	if (!s->other)
		return ana_path_new(q, s->row, s->from, s->to, progress, error);
	*other = qry_open_again(s->other->q, error);
	path = *other ? ana_path_new(*other, s->row, s->from, s->to, progress, error) : NULL;
	if (!path || !qry_damage(*other))
		return path;
	ana_path_free(path);
	g_propagate_error(error, g_error_copy(qry_damage(*other)));
	return NULL;
}

static void *compare_pair_make_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	const struct question *asked = question;
	struct answer *answer = g_new0(struct answer, 1);

	for (unsigned i = 0; i < 2; i++) {
		answer->paths[i] = compare_pair_walk(q, &asked->of[i], &answer->others[i], progress, error);
		if (!answer->paths[i]) {
			compare_pair_answer_free(answer);
			return NULL;
		}
	}
	return answer;
}

/* ---- on the screen ---- */

void compare_pair_drop(struct compare *c)
{
	ask_worker_cancel(c->walker);
	g_clear_pointer(&c->pair_problem, g_free);
	for (unsigned i = 0; i < 2; i++) {
		struct compare_path *p = &c->pair[i];

		if (!p->path)
			continue;
		path_items_clear(&p->items);
		g_array_unref(p->turns);
		g_free(p->steps);
		g_clear_pointer(&p->path, ana_path_free);
		g_clear_pointer(&p->other, qry_free);
	}
}

void compare_pair_free(struct compare *c)
{
	compare_pair_drop(c);
	ask_worker_free(c->walker);
	c->walker = NULL;
}

static void take_path(struct compare *c, struct compare_path *p, struct ana_path *path, struct qry *other)
{
	struct ana_folder *folder = ana_folder_new(c->found->fold, other ? other : c->pane.shell->q);

	p->path = path;
	p->other = other;
	path_items_init(&p->items);
	p->items.limit = (path->to - path->from) / FOLDED;
	path_items_make(&p->items, path);
	p->turns = path_turns_new(path, &p->items);
	p->steps = g_new0(uint32_t, path->segments->len + 1);
	ana_folder_steps(folder, path, p->steps);
	ana_folder_free(folder);
}

static void compare_pair_taken(struct ui_pane *pane, void *data, GError *error)
{
	struct compare *c = (struct compare *)pane;
	struct answer *answer = data;

	compare_pair_drop(c);
	ask_worker_problem(&c->pair_problem, error);
	if (!answer)
		return;
	for (unsigned i = 0; i < 2; i++)
		take_path(c, &c->pair[i], g_steal_pointer(&answer->paths[i]),
			g_steal_pointer(&answer->others[i]));
	compare_pair_answer_free(answer);
}

static const struct ask_kind compare_pair_kind = { .size = sizeof(struct question),
	.forget = compare_pair_forget,
	.answer = compare_pair_make_answer,
	.free = compare_pair_answer_free,
	.taken = compare_pair_taken };

const struct ana_compare_row *compare_pair_row(const struct compare *c)
{
	if (!c->found || !c->lit || c->lit > c->found->rows->len)
		return NULL;
	return &g_array_index(c->found->rows, struct ana_compare_row, c->lit - 1);
}

/* Which intervals stand for R: of the side where it takes less one as most are, of the other the one where it
 * takes most; of two recordings one as most are of each. */
static void compare_pair_choose(struct compare *c, const struct ana_compare_row *r)
{
	bool origin = c->found->by == ANA_COMPARE_BY_ORIGIN;
	unsigned more = r->difference < 0 && !origin ? ANA_COMPARE_FAST : ANA_COMPARE_SLOW;
	const struct ana_compare_side *side = c->found->side;

	for (unsigned i = 0; i < 2; i++) {
		struct compare_path *p = &c->pair[i];
		bool typical = i == 0 || origin;
		uint32_t own;

		p->side = i == 0 ? !more : more;
		own = typical ? r->typical[p->side] : r->extreme[p->side];
		p->of = own != UINT32_MAX ? own : typical ? side[p->side].typical : side[p->side].extreme;
	}
}

void compare_pair_ask(struct compare *c)
{
	const struct ana_compare_row *r = compare_pair_row(c);
	struct question q = { 0 };

	compare_pair_drop(c);
	if (!r) {
		c->lit = 0;
		return;
	}
	compare_pair_choose(c, r);
	for (unsigned i = 0; i < 2; i++) {
		const struct ana_compare_path *p;

		if (c->pair[i].of == UINT32_MAX) {
			c->lit = 0;
			compare_pair_forget(&q);
			ui_shell_message(c->pane.shell, "there is no path to show");
			return;
		}
		p = &g_array_index(c->found->paths, struct ana_compare_path, c->pair[i].of);
		q.of[i] = (struct compare_stretch){ compare_is_elsewhere(c, p) ? compare_other_ref(c->other)
									       : NULL,
			p->row, p->from, p->to };
	}
	if (!c->walker)
		c->walker = ask_worker_new(c->pane.shell->q, &compare_pair_kind);
	ask_worker_ask(c->walker, &q);
	ask_worker_wait(c->walker, &c->pane, ASK_AT_ONCE);
}

/* ---- moving ---- */

int64_t compare_pair_length(const struct compare *c)
{
	int64_t length = 1;

	for (unsigned i = 0; i < 2; i++)
		if (c->pair[i].path)
			length = MAX(length, c->pair[i].path->to - c->pair[i].path->from);
	return length;
}

static void compare_pair_move(struct compare *c, int64_t by)
{
	int64_t length = compare_pair_length(c);

	c->at = CLAMP(c->at + by, 0, length - 1);
}

static void compare_pair_leave(struct compare *c)
{
	c->lit = 0;
	compare_pair_drop(c);
}

bool compare_pair_command(struct compare *c, enum ui_command command)
{
	int64_t length = compare_pair_length(c), column = MAX(length / MAX(c->pair_columns, 1), 1);

	switch (command) {
	case UI_CMD_TIME_LEFT: compare_pair_move(c, -column); return true;
	case UI_CMD_TIME_RIGHT: compare_pair_move(c, column); return true;
	case UI_CMD_PAN_LEFT: compare_pair_move(c, -length / 4); return true;
	case UI_CMD_PAN_RIGHT: compare_pair_move(c, length / 4); return true;
	case UI_CMD_TIME_START: c->at = 0; return true;
	case UI_CMD_TIME_END: c->at = length - 1; return true;
	case UI_CMD_ROW_UP:
	case UI_CMD_ROW_DOWN: c->chosen_first = command == UI_CMD_ROW_UP; return true;
	case UI_CMD_PAGE_UP: c->pair_top -= MIN(c->pair_top, 1); return true;
	case UI_CMD_PAGE_DOWN: c->pair_top++; return true;
	case UI_CMD_FOLD:
	case UI_CMD_SORT:
		ui_shell_message(c->pane.shell, "this is for the list of steps: go back to it");
		return true;
	case UI_CMD_BACK:
	case UI_CMD_CLEAR: compare_pair_leave(c); return true;
	default: return false;
	}
}
