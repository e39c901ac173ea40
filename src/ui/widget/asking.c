/* SPDX-License-Identifier: MIT */
#include "ui/widget/asking.h"

void asking_clear(struct asking *a, struct ui_pane *pane)
{
	g_clear_pointer(&a->problem, g_free);
	ask_worker_free(pane->worker);
}

void asking_stay(struct asking *a, const struct ui_pane *pane)
{
	a->gone = true;
	ui_shell_selection(pane->shell, &a->own_from, &a->own_to);
	a->own_row = pane->shell->view->row;
}

void asking_leave(struct asking *a, const struct ui_pane *pane)
{
	if (ui_pane_covered(pane))
		asking_stay(a, pane);
	else
		a->has_asked &= !a->problem;
}

bool asking_stays(const struct asking *a, const struct ui_pane *pane, bool of_row)
{
	int64_t from, to;

	ui_shell_selection(pane->shell, &from, &to);
	return from == a->own_from && to == a->own_to && (!of_row || pane->shell->view->row == a->own_row);
}

void asking_what(const struct asking *a, const struct ui_pane *pane, uint32_t *row, int64_t *from,
	int64_t *to)
{
	if (a->gone && asking_stays(a, pane, row))
		return;
	ui_shell_selection(pane->shell, from, to);
	if (row)
		*row = pane->shell->view->row;
}

/* There is another question. */
static void asking_begin(struct asking *a)
{
	g_clear_pointer(&a->problem, g_free);
	a->has_asked = true;
	a->gone = false;
}

void asking_ask(struct asking *a, struct ui_pane *pane, const void *question)
{
	asking_begin(a);
	ask_worker_ask(pane->worker, question);
	ask_worker_wait(pane->worker, pane, ASK_AT_ONCE);
}

void asking_refuse(struct asking *a, struct ui_pane *pane, const char *problem)
{
	asking_begin(a);
	ask_worker_cancel(pane->worker);
	a->problem = g_strdup(problem);
}

bool asking_stop(struct asking *a, struct ui_pane *pane)
{
	return ask_worker_stop(pane->worker, &a->problem);
}

bool asking_draw(const struct asking *a, const struct ui_pane *pane, const struct term_area *area,
	const char *what, bool has_answer)
{
	if (ask_worker_busy(pane->worker))
		ask_worker_draw(pane->worker, pane, area, what);
	else if (a->problem && !has_answer)
		term_area_fit(area, 1, 0, area->w - 1, TERM_ROLE_DIM, a->problem);
	else
		return false;
	return true;
}
