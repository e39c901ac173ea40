/* SPDX-License-Identifier: MIT */
/*
 * The account of a thread's time: the owner of each part, longest first; above the list a drawing of the
 * time.  Other panes open an account through the shell.  The command of this pane opens the account of the
 * selection, else of the wait at the cursor, else of the window; when these change, so does the account.
 * Moves from this pane do not change it.
 */
#include "ui/pane/pane.h"

#include "analysis/account/account.h"
#include "analysis/cpu/frequency.h"
#include "analysis/latency/program.h"
#include "analysis/stacks/hottest.h"
#include "analysis/stacks/moment.h"
#include "analysis/account/resched.h"
#include "analysis/wait/blocked.h"
#include "analysis/wait/why.h"
#include "base/base_error.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/host_look.h"
#include "ui/widget/list_pane.h"
#include "ui/widget/subject.h"

#include <string.h>

#define COLUMNS 400 /* columns of the worker's drawing; each column of the screen shows one of them */
#define HEIGHT 12
#define CALLS_FROM 8 /* minimum lines of the pane to show the calls of the selected part */
#define CALLS_MAX 6  /* maximum lines of calls */

struct question {
	enum ana_account_what what;
	uint32_t host, row, cpu, device;
	int64_t from, to;
	const char *label; /* interned: the subject of the account; NULL: it is that of thread ROW */
};

struct answer {
	struct ana_blame *blame;
	struct ana_moments *moments;
	GArray *resched; /* made by ana_resched_new(); owned */
	/* the thread's memory work, the place of its longest wait, the CPU speed; owned; NULL: none */
	char *kernel;
	struct ana_hottest *hottest; /* NULL: not a thread */
	guint most[COLUMNS];
};

struct account {
	struct ui_pane pane;
	struct asking ask;
	struct question asked;
	struct answer *answer; /* owned; NULL: none yet, or a problem */
	struct list list;
	/* the account stays while the cursor (ns) is here, and row and window are those of ASK */
	int64_t own_cursor;
};

/* ---- asking ---- */

static void pane_account_answer_free(void *data)
{
	struct answer *answer = data;

	if (!answer)
		return;
	ana_blame_free(answer->blame);
	ana_moments_free(answer->moments);
	g_clear_pointer(&answer->resched, g_array_unref);
	g_free(answer->kernel);
	ana_hottest_free(answer->hottest);
	g_free(answer);
}

/* Append "memcg reclaim 67.1 ms (46.0 ms blocked, 19.6 ms for a CPU)". */
static void put_work(GString *text, const struct ana_program_work *w)
{
	g_autofree char *time = base_time_format_duration(w->time, false),
			*blocked = base_time_format_duration(w->ns[MDL_ST_BLOCKED], false),
			*cpu = base_time_format_duration(w->ns[MDL_ST_WAIT_CPU] + w->ns[MDL_ST_PREEMPTED],
				false);

	g_string_append_printf(text, "%s%s %s (%s blocked, %s for a CPU)", text->len > 0 ? ", " : "", w->name,
		time, blocked, cpu);
}

/* Set *TEXT to the thread's memory work, the place of its longest wait in the kernel and its CPU speed in the
 * time ASKED; NULL: none.  The caller frees.  False with an error. */
static bool kernel_text(struct qry *q, const struct question *asked, char **text,
	struct base_progress *progress, GError **error)
{
	g_autoptr(GArray) memory = ana_program_memory(q, asked->row, asked->from, asked->to, progress, error);
	struct ana_why *why = memory ? ana_account_why(q, asked->row, asked->from, asked->to) : NULL;
	struct ana_blocked blocked = { 0 };
	bool fine = memory &&
		(!why || ana_blocked_find(q, asked->row, why->from, &why->source.wakeup, &blocked, error));
	g_autofree char *where = ana_blocked_text(&blocked);
	GString *told = g_string_new(NULL);
	struct ana_speed speed = { 0 };
	g_autofree char *ran = NULL;

	fine = fine && ana_speed_find(q, asked->row, asked->from, asked->to, &speed, progress, error);
	ran = ana_speed_text(&speed);
	for (guint i = 0; memory && i < memory->len; i++)
		put_work(told, &g_array_index(memory, struct ana_program_work, i));
	if (where)
		g_string_append_printf(told, "%sits longest wait was %s", told->len > 0 ? "; " : "", where);
	if (ran)
		g_string_append_printf(told, "%s%s", told->len > 0 ? "; " : "", ran);
	g_free(blocked.function);
	ana_why_free(why);
	*text = g_string_free(told, told->len == 0);
	return fine;
}

static void *pane_account_make_answer(struct qry *q, const void *question, struct base_progress *progress,
	GError **error)
{
	const struct question *asked = question;
	struct answer *answer = g_new0(struct answer, 1);
	const struct ana_account_of of = { asked->what, asked->host, asked->row, asked->cpu, asked->device,
		asked->from, asked->to };

	answer->blame = ana_account_of_new(q, &of, COLUMNS, answer->most, progress);
	if (base_progress_cancelled(progress))
		g_set_error(error, BASE_ERROR, BASE_ERROR_CANCELLED, "the account was stopped");
	else if (asked->what != ANA_ACCOUNT_THREAD) /* the rest exists only for threads */
		answer->resched = g_array_new(FALSE, FALSE, sizeof(struct ana_resched));
	else
		answer->moments = ana_moments_new(q, asked->row, answer->blame, progress, error);
	if (answer->moments)
		answer->hottest = ana_hottest_new(q, asked->row, asked->from, asked->to, progress, error);
	if (answer->hottest)
		answer->resched = ana_resched_new(q, asked->row, answer->blame, progress, error);
	if (answer->resched && (!answer->moments || kernel_text(q, asked, &answer->kernel, progress, error)))
		return answer;
	pane_account_answer_free(answer);
	return NULL;
}

static void pane_account_forget(struct account *a)
{
	pane_account_answer_free(a->answer);
	a->answer = NULL;
	list_show(&a->list, NULL);
	a->list.view = (struct list_view){ 0 };
}

static void pane_account_taken(struct ui_pane *pane, void *answer, GError *error)
{
	struct account *a = (struct account *)pane;

	pane_account_forget(a);
	a->answer = answer;
	ask_worker_problem(&a->ask.problem, error);
	if (answer)
		list_fill(&a->list, a, a->answer->blame->parts->data, a->answer->blame->parts->len,
			sizeof(struct ana_blame_part));
}

static const struct ask_kind pane_account_kind = { .size = sizeof(struct question),
	.answer = pane_account_make_answer,
	.free = pane_account_answer_free,
	.taken = pane_account_taken };

/* Keep this account while cursor, row and window stay as they are now. */
static void stay(struct account *a)
{
	asking_stay(&a->ask, &a->pane);
	a->own_cursor = a->pane.shell->view->cursor;
}

static void pane_account_ask(struct account *a, const struct question *q)
{
	if (a->ask.has_asked && a->asked.what == q->what && a->asked.row == q->row &&
		a->asked.from == q->from && a->asked.to == q->to && a->asked.cpu == q->cpu &&
		a->asked.label == q->label)
		return;
	a->asked = *q;
	pane_account_forget(a);
	asking_ask(&a->ask, &a->pane, q, ASK_AT_ONCE);
}

/* Ask for the account of the selection, the wait at the cursor, or the window. */
static void ask_here(struct account *a)
{
	struct ui_shell *shell = a->pane.shell;
	struct question q = { .row = shell->view->row };

	stay(a);
	if (!row_is_thread(shell->q, q.row)) {
		pane_account_forget(a);
		asking_refuse(&a->ask, &a->pane, "this row is not a thread: select one to see its account");
		a->ask.has_asked = false;
		return;
	}
	if (!ui_shell_selection(shell, &q.from, &q.to))
		ana_account_wait(shell->q, q.row, shell->view->cursor, &q.from, &q.to);
	pane_account_ask(a, &q);
}

/* ---- hooks ---- */

static void account_init(struct ui_pane *pane)
{
	struct account *a = (struct account *)pane;

	a->ask.own_row = UI_NO_ROW;
	list_embed(&a->list, pane, pane->ops->kind);
}

static void account_clear(struct ui_pane *pane)
{
	struct account *a = (struct account *)pane;

	pane_account_forget(a);
	list_embed_clear(&a->list);
	asking_clear(&a->ask, pane);
}

static void account_changed(struct ui_pane *pane, unsigned changes)
{
	struct account *a = (struct account *)pane;
	struct ui_shell *shell = pane->shell;

	if (!ask_worker_start(pane, changes, &pane_account_kind))
		return;
	if (changes & UI_CHANGED_ACCOUNT) {
		const struct ui_lead *of = &shell->leads[UI_LEAD_ACCOUNT];
		struct question q = { of->what, of->host, of->row, of->cpu, of->device, of->from, of->to,
			of->label };

		stay(a);
		if (!pane->shown) {
			ui_shell_show(shell, pane, true);
			ui_shell_focus(shell, pane);
		}
		pane_account_ask(a, &q);
	} else if (pane->shown && !ui_pane_covered(pane) &&
		!(a->own_cursor == shell->view->cursor && asking_stays(&a->ask, pane, true))) {
		ask_here(a);
	} else if (!pane->shown && !ui_pane_covered(pane)) {
		asking_leave(&a->ask, pane);
	}
}

static const struct ui_field pane_account_fields[] = { UI_FIELD(ROW, "row", account, asked.row),
	UI_FIELD(TIME, "from", account, asked.from), UI_FIELD(END, "to", account, asked.to),
	ASKING_FIELDS(account), UI_FIELD(TIME, "at-cursor", account, own_cursor),
	LIST_PART_FIELDS(account, list), LIST_PART_PLACES(account, list) };

static bool account_to_keep(struct ui_pane *pane)
{
	const struct account *a = (struct account *)pane;

	return a->ask.has_asked && a->asked.what == ANA_ACCOUNT_THREAD;
}

static bool account_restore(struct ui_pane *pane, const char *kept, GError **error)
{
	struct account *a = (struct account *)pane;
	struct question before = a->asked, asked;

	if (!ui_fields_set(pane_account_fields, pane, pane->shell, kept, error))
		return false;
	asked = a->asked;
	a->asked = before;
	if (asked.from == BASE_TIME_NONE || !row_is_thread(pane->shell->q, asked.row))
		return true;
	pane_account_ask(a, &asked);
	list_arrange(&a->list, UINT_MAX);
	if (!ui_fields_set(pane_account_fields, pane, pane->shell, kept, error)) /* restore the place */
		return false;
	list_view_go(&a->list.view, 0, a->list.order->len);
	return true;
}

static void account_title(struct ui_pane *pane, GString *title)
{
	struct account *a = (struct account *)pane;

	if (a->ask.has_asked)
		scope_title(pane->shell, title, "Account",
			a->asked.label ? g_strdup(a->asked.label)
				       : scope_title_whose(pane->shell, SCOPE_THREAD, a->asked.row),
			a->asked.from, a->asked.to);
	else
		g_string_append(title, "Account");
}

/* ---- drawing ---- */

static const struct ana_blame_part *pane_account_part_at(const struct account *a, guint row)
{
	return &g_array_index(a->answer->blame->parts, struct ana_blame_part, row);
}

/* The colours of phases and parts: those of the same time on the critical path. */
static const enum term_role phase_roles[ANA_PHASE_N] = {
	[ANA_PHASE_NONE] = TERM_ROLE_PATH_UNKNOWN,
	[ANA_PHASE_RUNNING] = TERM_ROLE_PATH_RUNNING,
	[ANA_PHASE_INTERRUPTED] = TERM_ROLE_PATH_INTERRUPTED,
	[ANA_PHASE_IPI_WAIT] = TERM_ROLE_PATH_IPI_WAIT,
	[ANA_PHASE_WAITING] = TERM_ROLE_PATH_WAITING,
	[ANA_PHASE_SLEEP] = TERM_ROLE_PATH_TIMER,
	[ANA_PHASE_LATE] = TERM_ROLE_PATH_TIMER_LATE,
	[ANA_PHASE_BLOCKED] = TERM_ROLE_PATH_BLOCKED,
	[ANA_PHASE_WAKE_UP] = TERM_ROLE_PATH_IPI,
	[ANA_PHASE_WAIT_CPU] = TERM_ROLE_PATH_WAIT_CPU,
	[ANA_PHASE_PREEMPTED] = TERM_ROLE_PATH_PREEMPTED,
	[ANA_PHASE_STOLEN] = TERM_ROLE_PATH_VCPU_PREEMPTED,
	[ANA_PHASE_THROTTLED] = TERM_ROLE_PATH_THROTTLED,
	[ANA_PHASE_ABSENT] = TERM_ROLE_PATH_UNKNOWN,
};

static enum term_role role_of(const struct ana_blame_part *p)
{
	if (p->what == ANA_BLAME_DEVICE)
		return TERM_ROLE_PATH_BLOCK;
	return p->what == ANA_BLAME_NETWORK ? TERM_ROLE_PATH_NETWORK : phase_roles[p->phase];
}

/* Draw "preempted 88.0%  blocked 9.9%": as many as fit. */
static void draw_phases(const struct account *a, const struct term_area *area, unsigned y)
{
	g_autoptr(GArray) phases = ana_blame_phases(a->answer->blame);
	double whole = (double)MAX(a->asked.to - a->asked.from, 1);
	unsigned x = 1;

	for (guint i = 0; i < phases->len; i++) {
		const struct ana_blame_phase *p = &g_array_index(phases, struct ana_blame_phase, i);
		const char *name = ana_phase_name(p->phase);

		if (x + term_text_width(name) + 8 > area->w)
			break;
		x = term_area_text(area, x, y, phase_roles[p->phase], name) + 1;
		x = term_area_printf(area, x, y, TERM_ROLE_STRONG, "%.1f%%", 100 * (double)p->time / whole) +
			2;
	}
}

/* "wk-victim[546], fair".  The caller frees. */
static char *whose_time(struct qry *q, const struct ana_blame_part *p)
{
	const char *class = p->what == ANA_BLAME_THREAD ? mdl_class_name(p->priority) : NULL;
	g_autofree char *words = ana_blame_words(q, p);

	return qry_label_with_host(q, p->host, g_strconcat(words, class ? ", " : NULL, class, NULL));
}

/* A part; the context is the struct account. */
TABLE_COLUMNS(columns)
{
	const struct ana_blame_part *p = row;
	const struct account *a = in->context;

	TABLE_COLUMN("letter", "", TABLE_WORD, "",
		taken = g_strdup_printf("%c", ana_blame_letter(in->number)));
	TABLE_COLUMN("phase", "doing", TABLE_WORD, "", word = ana_phase_name(p->phase));
	TABLE_COLUMN("who", "whose time", TABLE_WORD, "", taken = whose_time(in->q, p));
	TABLE_COLUMN("cpu", ">CPU", TABLE_NUMBER, "", number = table_id(p->cpu));
	TABLE_COLUMN("time", ">time", TABLE_DURATION, "", number = p->time);
	TABLE_COLUMN("share", ">share", TABLE_SHARE, "",
		share = (double)p->time / (double)MAX(a->asked.to - a->asked.from, 1));
	TABLE_COLUMN("grade", "grade", TABLE_WORD, "", word = ana_grade_name(p->doubts));
}

static enum term_role cell_role(const struct list *l, guint row, unsigned column)
{
	const char *name = l->part->rows->columns[column].name;

	return !strcmp(name, "letter") || !strcmp(name, "phase")
		? role_of(pane_account_part_at((const struct account *)l->self, row))
		: TERM_ROLE_TEXT;
}

/* The calls in which the thread ran, by samples, if part ROW is its own running; NULL: another part, or no
 * samples.  The caller frees. */
static char *hottest_of(const struct account *a, guint row)
{
	return a->answer->hottest && pane_account_part_at(a, row)->phase == ANA_PHASE_RUNNING
		? ana_hottest_text(a->answer->hottest,
			  ana_blame_phase_time(a->answer->blame, ANA_PHASE_RUNNING))
		: NULL;
}

/* Draw details of the selected part on the last N lines: need-resched, where the thread ran, and its
 * calls. */
static void draw_calls(const struct account *a, const struct term_area *area, unsigned n)
{
	guint row = UINT_MAX;
	bool selected = list_selected(&a->list, &row);
	const struct ana_resched *resched = selected ? ana_resched_of(a->answer->resched, row) : NULL;
	const struct ana_moment *moment = selected ? ana_moments_of(a->answer->moments, row) : NULL;
	g_autoptr(GPtrArray) lines = moment
		? ana_moment_lines(a->pane.shell->q, moment, area->w - MIN(area->w, 3))
		: g_ptr_array_new_with_free_func(g_free);
	g_autofree char *text = resched ? ana_resched_text(resched) : NULL;
	char *hottest = selected ? hottest_of(a, row) : NULL;

	if (hottest)
		g_ptr_array_insert(lines, 0, hottest);
	if (text)
		g_ptr_array_insert(lines, 0, g_strdup_printf("need-resched: %s", text));
	term_area_fill(area, 0, area->h - n, area->w, n, TERM_ROLE_TITLE, ' ');
	for (guint i = 0; i < lines->len && i < n; i++)
		term_area_text(area, 1, area->h - n + i, TERM_ROLE_TITLE, g_ptr_array_index(lines, i));
	if (lines->len > n)
		term_area_char(area, area->w - 1, area->h - 1, TERM_ROLE_TITLE, 0x2026);
}

static void draw_parts(struct account *a, const struct term_area *area)
{
	unsigned n = a->answer->blame->parts->len, calls = 0, width = MIN(area->w - MIN(area->w, 2), COLUMNS),
		 head = 2;
	struct term_area list;

	for (guint i = 0; i < n && area->h >= CALLS_FROM; i++) /* lines for details, if there are any */
		if (ana_moments_of(a->answer->moments, i) || ana_resched_of(a->answer->resched, i) ||
			(a->answer->hottest && a->answer->hottest->samples > 0))
			calls = CLAMP(area->h / 4, 2, CALLS_MAX);
	for (unsigned x = 0; x < width; x++) { /* each column has the letter of the part with most of it */
		guint place = a->answer->most[(gsize)x * COLUMNS / width];

		if (place != UINT_MAX)
			term_area_char(area, 1 + x, 0, role_of(pane_account_part_at(a, place)),
				(gunichar)ana_blame_letter(place));
	}
	draw_phases(a, area, 1);
	if (a->answer->kernel && area->h >= CALLS_FROM) {
		term_area_fit(area, 1, 2, area->w - MIN(area->w, 2), TERM_ROLE_TEXT, a->answer->kernel);
		head++;
	}
	list = term_area_part(area, 0, 0, area->w, area->h - calls);
	list_draw_at(&a->list, &list, head);
	if (calls > 0)
		draw_calls(a, area, calls);
}

static void account_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct account *a = (struct account *)pane;

	if (a->pane.worker && !asking_draw(&a->ask, pane, area, "taking the time apart", a->answer) &&
		a->answer)
		draw_parts(a, area);
}

/* ---- commands ---- */

/* Open the wait in the account with the longest time of the selected part P. */
static void open_wait(struct account *a, const struct ana_blame_part *p)
{
	struct ui_shell *shell = a->pane.shell;
	struct mdl_wakeup wakeup;

	if (a->asked.what != ANA_ACCOUNT_THREAD)
		ui_shell_message(shell,
			"only a thread's account has waits: Enter goes to the time of this line");
	else if (p->phase == ANA_PHASE_WAIT_CPU || p->phase == ANA_PHASE_PREEMPTED ||
		p->phase == ANA_PHASE_THROTTLED)
		ui_shell_lead(shell, UI_LEAD(WAIT, .row = a->asked.row, .to = p->longest_from + 1));
	else if (p->phase != ANA_PHASE_RUNNING && p->phase != ANA_PHASE_INTERRUPTED &&
		qry_wakeup_after(shell->q, a->asked.row, p->longest_from, &wakeup))
		ui_shell_lead(shell, UI_LEAD(WAIT, .row = a->asked.row, .to = wakeup.time));
	else
		ui_shell_message(shell, "the thread did not wait then");
}

static bool pane_account_focused_command(struct account *a, enum ui_command command)
{
	struct ui_shell *shell = a->pane.shell;
	const struct ana_blame_part *p;
	uint32_t row;
	guint selected;

	if (list_part_command(&a->list, command))
		return true;
	if (!list_selected(&a->list, &selected))
		return ask_worker_holds(&a->pane, command);
	p = pane_account_part_at(a, selected);
	switch (command) {
	case UI_CMD_FOLLOW:
	case UI_CMD_ACTIVATE: /* go to the start of the part's longest time, on its row, else on the account's */
		row = p->row == MDL_NONE ? a->asked.row : p->row;
		ui_shell_go(shell, p->longest_from, row == MDL_NONE ? shell->view->row : row);
		stay(a);
		return true;
	case UI_CMD_WHY: open_wait(a, p); return true;
	case UI_CMD_EVENTS:
		ui_shell_lead(shell,
			UI_LEAD(EVENT, .host = p->host, .from = p->longest_from, .cpu = MDL_NONE));
		return true;
	case UI_CMD_BACK:
		if (!ui_shell_back(shell))
			return false;
		stay(a);
		return true;
	default: return false;
	}
}

static bool account_command(struct ui_pane *pane, enum ui_command command)
{
	struct account *a = (struct account *)pane;

	if (!a->pane.worker)
		return false;
	if (command == UI_CMD_ACCOUNT && !pane->shown)
		ask_here(a);
	if (!pane->shown || !ui_pane_focused(pane))
		return false;
	if (command == UI_CMD_CLEAR) {
		if (!asking_stop(&a->ask, pane) && !list_leave_search(&a->list))
			ui_shell_show(pane->shell, pane, false);
		return true;
	}
	return a->answer ? pane_account_focused_command(a, command) : ask_worker_holds(pane, command);
}

static const struct table account_table = { .list = "parts", .columns = columns };

static const struct list_kind account_kind = {
	.table = &account_table,
	.none = "nothing was recorded for this time",
	.role = cell_role,
	.at = offsetof(struct account, list),
};

static const struct ui_hint pane_account_hints[] = { { UI_CMD_ACTIVATE, "go there" },
	{ UI_CMD_WHY, "why it waited" }, { UI_CMD_BACK, "back" }, { UI_CMD_EVENTS, "in the trace" },
	{ UI_CMD_WORST_NEXT, "next worst" }, { UI_CMD_MAXIMISE, "large" }, { UI_CMD_CLEAR, "close" },
	{ UI_CMD_FOCUS, "other pane" }, { UI_CMD_SORT, "order" }, { UI_CMD_FILTER, "only" },
	{ UI_CMD_SEARCH, "find" }, { UI_CMD_NONE, NULL } };

static bool account_time(struct ui_pane *pane, uint32_t *row, int64_t *from, int64_t *to)
{
	const struct account *a = (const struct account *)pane;

	*row = a->asked.what == ANA_ACCOUNT_THREAD ? a->asked.row : UI_NO_ROW;
	*from = a->asked.from;
	*to = a->asked.to;
	return a->answer;
}

const struct ui_pane_ops pane_account = {
	.name = "account",
	.place = UI_PLACE_LOWER,
	.hints = pane_account_hints,
	.show = UI_CMD_ACCOUNT,
	.drill = true,
	.size = sizeof(struct account),
	.init = account_init,
	.clear = account_clear,
	.changed = account_changed,
	.work = ask_worker_work,
	.fields = pane_account_fields,
	.to_keep = account_to_keep,
	.restore = account_restore,
	.command = account_command,
	.words = list_words,
	.kind = &account_kind,
	.columns = list_columns,
	.point = list_point,
	.time = account_time,
	.title = account_title,
	.lines = HEIGHT,
	.draw = account_draw,
};
