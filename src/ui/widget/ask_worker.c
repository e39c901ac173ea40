/* SPDX-License-Identifier: MIT */
/* One thread, one question at a time.  Each question has a number; asking and dropping increment it, so a
 * late answer has an old number and is discarded.  Cancelling its progress stops a running question. */
#include "ui/widget/ask_worker.h"

#include "base/base_memory.h"

#define SHARE_EVERY_US 100000 /* µs between two draws of a question's progress */

struct ask_worker {
	const struct ask_kind *kind;
	const struct qry *shown; /* weak: the screen's experiment */
	GThread *thread;         /* NULL until the first question */
	struct qry *q;           /* owned; used only by the thread */
	guint told;              /* number of warnings of Q that were passed on; the thread's */

	GMutex lock; /* for all members below */
	GCond changed;
	bool quit;
	unsigned number; /* of the latest question */
	unsigned begun;  /* of the question being answered */
	gint64 drawn;    /* when its progress was last drawn, µs, monotonic; the screen's */
	void *question;  /* owned: asked, but not begun; NULL: none */
	bool open, done;
	struct base_progress progress;
	void *offered;       /* owned: a part of the answer that nobody took yet; NULL: none */
	void *answer;        /* owned, while done */
	GError *error;       /* owned, while done */
	GPtrArray *warnings; /* owned, of char *: of Q; the screen's experiment lacks them */
};

struct ask_worker *ask_worker_new(struct qry *q, const struct ask_kind *kind)
{
	struct ask_worker *w = g_new0(struct ask_worker, 1);

	w->kind = kind;
	w->shown = q;
	w->warnings = g_ptr_array_new_with_free_func(g_free);
	g_mutex_init(&w->lock);
	g_cond_init(&w->changed);
	base_progress_init(&w->progress);
	return w;
}

/* ---- in the worker's thread ---- */

/* Answer QUESTION.  Damage found meanwhile makes the answer worthless. */
static void *ask_worker_answer(struct ask_worker *w, const void *question, GError **error)
{
	void *result;

	if (!w->q) {
		w->q = qry_open_again(w->shown, error);
		if (!w->q)
			return NULL;
		w->told = qry_warnings_overall(w->q)->len;
	}
	result = w->kind->answer(w->q, question, &w->progress, error);
	if (!qry_damage(w->q))
		return result;
	if (result)
		w->kind->free(result);
	g_clear_error(error);
	g_propagate_error(error, g_error_copy(qry_damage(w->q)));
	return NULL;
}

/* Call it with the lock held. */
static void forget_offered(struct ask_worker *w)
{
	if (w->offered)
		w->kind->free(w->offered);
	w->offered = NULL;
}

void ask_worker_offer(struct base_progress *progress, void *part)
{
	struct ask_worker *w = (struct ask_worker *)(void *)((char *)progress -
		offsetof(struct ask_worker, progress));

	g_mutex_lock(&w->lock);
	forget_offered(w);
	if (w->begun == w->number && !qry_damage(w->q)) {
		w->offered = part;
		g_cond_broadcast(&w->changed);
	} else {
		w->kind->free(part);
	}
	g_mutex_unlock(&w->lock);
}

/* Free QUESTION (NULL: none). */
static void forget_question(const struct ask_worker *w, void *question)
{
	if (question && w->kind->forget)
		w->kind->forget(question);
	g_free(question);
}

/* Call it with the lock held; it is released meanwhile. */
static void answer_one(struct ask_worker *w)
{
	void *question = g_steal_pointer(&w->question), *result;
	unsigned number = w->begun = w->number;
	GError *error = NULL;

	base_progress_init(&w->progress);
	g_mutex_unlock(&w->lock);
	result = ask_worker_answer(w, question, &error);
	forget_question(w, question);
	g_mutex_lock(&w->lock);
	for (; w->q && w->told < qry_warnings_overall(w->q)->len; w->told++)
		g_ptr_array_add(w->warnings,
			g_strdup(g_ptr_array_index(qry_warnings_overall(w->q), w->told)));
	if (number == w->number) {
		forget_offered(w);
		w->answer = result;
		w->error = error;
		w->done = true;
		g_cond_broadcast(&w->changed);
		return;
	}
	g_clear_error(&error);
	if (result)
		w->kind->free(result);
}

static gpointer work(gpointer data)
{
	struct ask_worker *w = data;

	g_mutex_lock(&w->lock);
	while (!w->quit) {
		if (w->question)
			answer_one(w);
		else
			g_cond_wait(&w->changed, &w->lock);
	}
	g_mutex_unlock(&w->lock);
	return NULL;
}

/* ---- in the screen's thread ---- */

/* Drop the question, its answer and its parts.  Call it with the lock held. */
static void ask_worker_drop(struct ask_worker *w)
{
	w->number++;
	forget_question(w, g_steal_pointer(&w->question));
	if (w->answer)
		w->kind->free(w->answer);
	w->answer = NULL;
	forget_offered(w);
	g_clear_error(&w->error);
	w->open = w->done = false;
	base_progress_cancel(&w->progress);
}

void ask_worker_ask(struct ask_worker *w, const void *question)
{
	g_mutex_lock(&w->lock);
	ask_worker_drop(w);
	w->question = g_memdup2(question, w->kind->size);
	w->open = true;
	g_cond_broadcast(&w->changed);
	g_mutex_unlock(&w->lock);
	if (!w->thread)
		w->thread = base_memory_thread("question", work, w);
}

void ask_worker_cancel(struct ask_worker *w)
{
	if (!w)
		return;
	g_mutex_lock(&w->lock);
	ask_worker_drop(w);
	g_mutex_unlock(&w->lock);
}

bool ask_worker_busy(struct ask_worker *w)
{
	bool open;

	if (!w)
		return false;
	g_mutex_lock(&w->lock);
	open = w->open;
	g_mutex_unlock(&w->lock);
	return open;
}

double ask_worker_share(struct ask_worker *w)
{
	double share;

	g_mutex_lock(&w->lock);
	share = base_progress_view(&w->progress).share;
	g_mutex_unlock(&w->lock);
	return share;
}

bool ask_worker_take(struct ask_worker *w, unsigned ms, void **result, GError **error)
{
	gint64 end = g_get_monotonic_time() + (gint64)ms * 1000;
	bool done;

	g_mutex_lock(&w->lock);
	/* An offered part ends the wait, unless the answer may still come at once. */
	while (w->open && !w->done && !(w->offered && ms < ASK_AT_ONCE) &&
		g_cond_wait_until(&w->changed, &w->lock, end))
		;
	done = w->done;
	if (done) {
		*result = g_steal_pointer(&w->answer);
		if (w->error)
			g_propagate_error(error, g_steal_pointer(&w->error));
		w->open = w->done = false;
	}
	g_mutex_unlock(&w->lock);
	return done;
}

bool ask_worker_wait(struct ask_worker *w, struct ui_pane *pane, unsigned ms)
{
	GError *error = NULL;
	void *result = NULL;
	gint64 now;
	bool came;

	if (!ask_worker_busy(w))
		return false;
	came = ask_worker_take(w, ms, &result, &error);
	g_mutex_lock(&w->lock);
	for (guint i = 0; i < w->warnings->len; i++)
		ui_shell_note(pane->shell, g_ptr_array_index(w->warnings, i));
	g_ptr_array_set_size(w->warnings, 0);
	g_mutex_unlock(&w->lock);
	if (came) {
		w->kind->taken(pane, result, error);
	} else {
		g_mutex_lock(&w->lock);
		result = g_steal_pointer(&w->offered);
		g_mutex_unlock(&w->lock);
		came = result;
		if (came)
			w->kind->offered(pane, result);
	}
	now = g_get_monotonic_time();
	if (pane->ops->draw && (came || now >= w->drawn + SHARE_EVERY_US)) {
		w->drawn = now;
		ui_shell_redraw(pane->shell); /* draws the progress, too (ask_worker_draw()) */
	}
	pane->shell->waits = ask_worker_busy(w);
	return pane->shell->waits;
}

bool ask_worker_start(struct ui_pane *pane, unsigned changes, const struct ask_kind *kind)
{
	if (changes & UI_CHANGED_EXPERIMENT && pane->shell->q && !pane->worker)
		pane->worker = ask_worker_new(pane->shell->q, kind);
	return pane->worker;
}

bool ask_worker_for(struct ui_pane *pane, const struct ask_kind *kind, const void *question, unsigned ms)
{
	if (!pane->worker)
		pane->worker = ask_worker_new(pane->shell->q, kind);
	ask_worker_ask(pane->worker, question);
	return ask_worker_wait(pane->worker, pane, ms);
}

bool ask_worker_work(struct ui_pane *pane)
{
	return ask_worker_wait(pane->worker, pane, ASK_SLICE);
}

bool ask_worker_holds(const struct ui_pane *pane, enum ui_command command)
{
	if (command != UI_CMD_ACTIVATE && command != UI_CMD_FOLLOW && command != UI_CMD_WHY)
		return false;
	ui_shell_message(pane->shell,
		ask_worker_busy(pane->worker) ? "the search is not finished: there is no line yet"
					      : "there is no line here to go to");
	return true;
}

void ask_worker_problem(char **problem, GError *error)
{
	g_free(*problem);
	*problem = error ? g_strdup(error->message) : NULL;
	g_clear_error(&error);
}

void ask_worker_draw(struct ask_worker *w, const struct ui_pane *pane, const struct term_area *area,
	const char *what)
{
	g_autofree char *cancel = ui_keymap_first(pane->shell->keys, UI_CMD_CLEAR);

	term_area_printf(area, 1, 0, TERM_ROLE_MESSAGE, "%s: %.0f%%, %s stops it", what,
		100 * ask_worker_share(w), cancel);
}

bool ask_worker_stop(struct ask_worker *w, char **problem)
{
	if (!ask_worker_busy(w))
		return false;
	ask_worker_cancel(w);
	g_free(*problem);
	*problem = g_strdup("stopped: close the pane and open it again to start again");
	return true;
}

void ask_worker_free(struct ask_worker *w)
{
	if (!w)
		return;
	g_mutex_lock(&w->lock);
	ask_worker_drop(w);
	w->quit = true;
	g_cond_broadcast(&w->changed);
	g_mutex_unlock(&w->lock);
	if (w->thread)
		g_thread_join(w->thread);
	qry_free(w->q);
	g_ptr_array_unref(w->warnings);
	g_mutex_clear(&w->lock);
	g_cond_clear(&w->changed);
	g_free(w);
}

/* ---- struct asking ---- */

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

static void asking_begin(struct asking *a)
{
	g_clear_pointer(&a->problem, g_free);
	a->has_asked = true;
	a->gone = false;
}

void asking_ask(struct asking *a, struct ui_pane *pane, const void *question, unsigned ms)
{
	asking_begin(a);
	ask_worker_ask(pane->worker, question);
	ask_worker_wait(pane->worker, pane, ms);
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

/* PROBLEM has several lines if it shows where a query is wrong. */
static void draw_problem(const struct term_area *area, const char *problem)
{
	g_auto(GStrv) lines = g_strsplit(problem, "\n", (int)MAX(area->h, 1));

	for (unsigned i = 0; lines[i] && i < area->h; i++)
		term_area_fit(area, 1, i, area->w - 1, i ? TERM_ROLE_TEXT : TERM_ROLE_DIM, lines[i]);
}

bool asking_draw(const struct asking *a, const struct ui_pane *pane, const struct term_area *area,
	const char *what, bool has_answer)
{
	if (ask_worker_busy(pane->worker))
		ask_worker_draw(pane->worker, pane, area, what);
	else if (a->problem && !has_answer)
		draw_problem(area, a->problem);
	else
		return false;
	return true;
}
