/* SPDX-License-Identifier: MIT */
/*
 * The row at the cursor: its state with start, end and length; the cause of the state; the exact shares of
 * the cell.  For a line that is not a row: its content at the cursor.
 *
 * The cause of a wait for a CPU may take long to find: a worker finds it, once for each wait.
 */
#include "ui/pane/pane.h"

#include "analysis/cpu/cpuwait.h"
#include "analysis/wait/source.h"
#include "base/base_error.h"
#include "base/base_text.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/looks.h"
#include "ui/widget/subject.h"

#include <math.h>

#define LINES 3
#define LENGTHS_FROM 110 /* minimum columns to show shares also as times */
/* With LENGTHS_FROM columns, texts that change while the cursor moves have a fixed place.  It has room for
 * the most frequent texts: */
#define STATE_COLUMNS 25  /* columns of a state with its detail */
#define LENGTH_COLUMNS 11 /* columns of the length */
#define SHARE_COLUMNS 15  /* columns of "97% 1.96 ms" */
#define SUM_COLUMNS 26    /* columns of "of 1.07 s, 192 intervals" */
#define FREQUENT 1000     /* a state with more than 1/FREQUENT of the window has a place */

#define AT_ONCE 4 /* ms that a key waits for the cause of a wait for a CPU */

/* ---- the wait for a CPU at the cursor ---- */

struct detail_wait {
	uint32_t row; /* UI_NO_ROW: none */
	struct mdl_interval whole;
	unsigned n; /* number of parts; 0 in the question */
	struct ana_cpuwait_part parts[ANA_CPUWAIT_PARTS];
	char *occupants[ANA_CPUWAIT_PARTS]; /* for each part; owned */
};

struct detail {
	struct ui_pane pane;
	struct detail_wait asked;
	struct detail_wait *wait; /* owned: the answer; NULL: none yet */
};

static void detail_wait_free(void *data)
{
	struct detail_wait *wait = data;

	if (!wait)
		return;
	for (unsigned i = 0; i < wait->n; i++)
		g_free(wait->occupants[i]);
	g_free(wait);
}

static void *detail_find(struct qry *q, const void *question, G_GNUC_UNUSED struct base_progress *progress,
	GError **error)
{
	struct detail_wait *wait = g_memdup2(question, sizeof *wait);
	struct ana_wait_near near = ana_wait_near(q, wait->row);

	wait->n = ana_cpuwait_split(q, wait->row, &wait->whole, &near, wait->parts);
	for (unsigned i = 0; i < wait->n; i++)
		wait->occupants[i] = ana_cpuwait_occupants(q, wait->row, &wait->whole, wait->parts[i].from,
			wait->parts[i].to, true);
	if (!qry_damage(q))
		return wait;
	detail_wait_free(wait);
	return base_error_null(error, BASE_ERROR_DATA, "the index is damaged");
}

static void detail_taken(struct ui_pane *pane, void *answer, GError *error)
{
	struct detail *d = (struct detail *)pane;

	g_clear_error(&error);
	detail_wait_free(d->wait);
	d->wait = answer;
	ui_shell_redraw(pane->shell);
}

static const struct ask_kind detail_kind = { .size = sizeof(struct detail_wait),
	.answer = detail_find,
	.free = detail_wait_free,
	.taken = detail_taken };

static bool is_same_wait(const struct detail_wait *wait, uint32_t row, const struct mdl_interval *iv)
{
	return wait && wait->row == row && wait->whole.from == iv->from && wait->whole.to == iv->to &&
		wait->whole.state == iv->state;
}

/* Ask for the wait for a CPU at the cursor, if the thread is in one. */
static void detail_changed(struct ui_pane *pane, unsigned changes)
{
	struct detail *d = (struct detail *)pane;
	const struct ui_shell *shell = pane->shell;
	uint32_t row = shell->q ? shell->view->row : UI_NO_ROW;
	struct mdl_interval iv;

	if (!ask_worker_start(pane, changes, &detail_kind) || !row_is_thread(shell->q, row) ||
		!qry_kernel_state_at(shell->q, row, shell->view->cursor, &iv) ||
		!ana_cpuwait_is(shell->q, row, &iv) || is_same_wait(&d->asked, row, &iv))
		return;
	d->asked = (struct detail_wait){ .row = row, .whole = iv };
	ask_worker_ask(pane->worker, &d->asked);
	ask_worker_wait(pane->worker, pane, AT_ONCE);
}

static void detail_init(struct ui_pane *pane)
{
	((struct detail *)pane)->asked.row = UI_NO_ROW;
}

static void detail_clear(struct ui_pane *pane)
{
	ask_worker_free(pane->worker);
	detail_wait_free(((struct detail *)pane)->wait);
}

/* The part of the wait INTERVAL at the cursor.  Sets *OCCUPANTS (weak) to the threads that had the CPU.
 * NULL: not known. */
static const struct ana_cpuwait_part *part_at(const struct detail *d, const struct mdl_interval *interval,
	const char **occupants)
{
	const struct ui_view *view = d->pane.shell->view;

	for (unsigned i = 0; is_same_wait(d->wait, view->row, interval) && i < d->wait->n; i++) {
		const struct ana_cpuwait_part *part = &d->wait->parts[i];

		*occupants = d->wait->occupants[i];
		if (view->cursor >= part->from && view->cursor < part->to)
			return part;
	}
	return NULL;
}

/* ---- line 1: the state ---- */

/* Draw "since A until B" from column X on, as much as fits. */
static void draw_limits(struct ui_shell *shell, const struct term_area *area, unsigned x,
	const struct mdl_interval *interval)
{
	g_autofree char *from = ui_shell_time_text(shell, interval->from),
			*to = ui_shell_time_text(shell, interval->to);
	g_autofree char *text = g_strdup_printf("since %s", from),
			*whole = g_strdup_printf("since %s until %s", from, to);

	if (x + 1 + term_text_width(whole) <= area->w)
		term_area_text(area, x, 0, TERM_ROLE_TITLE, whole);
	else if (x + 1 + term_text_width(text) <= area->w)
		term_area_text(area, x, 0, TERM_ROLE_TITLE, text);
}

/* The column of the next text: WIDTH columns after FROM, or after X if that is further right. */
static unsigned behind(const struct term_area *area, unsigned from, unsigned width, unsigned x)
{
	return area->w >= LENGTHS_FROM ? MAX(from + width, x) + 2 : x + 2;
}

/* Draw the state of INTERVAL, called NAME. */
static void draw_state(struct ui_shell *shell, const struct term_area *area,
	const struct mdl_interval *interval, const char *name)
{
	g_autofree char *label = qry_row_label(shell->q, shell->view->row),
			*detail = qry_detail_text(shell->q, shell->view->row, interval);
	g_autofree char *length = ui_shell_duration_text(shell, interval->to - interval->from);
	unsigned from = term_area_fit(area, 1, 0, area->w / 3, TERM_ROLE_TITLE, label) + 2, x;

	x = term_area_text(area, from, 0, TERM_ROLE_TITLE, name);
	if (detail)
		x = term_area_printf(area, x + 1, 0, TERM_ROLE_TITLE, "(%s)", detail);
	from = behind(area, from, STATE_COLUMNS, x);
	x = term_area_printf(area, from, 0, TERM_ROLE_TITLE, "for %s", length);
	from = behind(area, from, LENGTH_COLUMNS, x);
	x = from;
	if (interval->aux != MDL_NONE && qry_row(shell->q, shell->view->row)->type == MDL_ROW_THREAD)
		x = term_area_printf(area, from, 0, TERM_ROLE_TITLE, "CPU %u", interval->aux) + 2;
	draw_limits(shell, area, x, interval);
}

/* ---- line 2: the cause ---- */

/*
 * The wake-up that ended the wait of INTERVAL, or the last wait before it: "ended by: timer: IRQ 236
 * local_timer > hrtimer, ran 1.2 µs later"; NULL if unknown.  The caller frees.
 */
static char *wakeup_text(struct ui_shell *shell, const struct mdl_interval *interval)
{
	bool blocked = interval->state == MDL_ST_BLOCKED, running = mdl_state_has_cpu(interval->state);
	struct mdl_wakeup wakeup;
	struct ana_source source;
	g_autofree char *text = NULL, *latency = NULL;

	if (!wait_find(shell->q, shell->view->row, interval->from, &wakeup))
		return NULL;
	source = ana_source_of(shell->q, shell->view->row, &wakeup);
	text = ana_source_text(shell->q, &source);
	latency = wakeup.ran_at == MDL_NEVER ? NULL
					     : ui_shell_duration_text(shell, wakeup.ran_at - wakeup.time);
	return g_strdup_printf("%s%s%s%s%s",
		blocked           ? "ended by: "
			: running ? "before this: "
				  : "",
		text, latency ? ", ran " : ", never ran", latency ? latency : "", latency ? " later" : "");
}

/* The host's threads that had the CPU for which the row's virtual CPU waits at the cursor; NULL if unknown.
 * The caller frees. */
static char *host_text(struct ui_shell *shell, const struct mdl_interval *interval)
{
	uint32_t waiter = wait_find_waiter(shell->q, shell->view->row, shell->view->cursor);
	g_autofree char *who = NULL, *label = NULL;
	struct mdl_interval wait;

	if (waiter == shell->view->row || !qry_state_at(shell->q, waiter, shell->view->cursor, &wait))
		return NULL;
	who = ana_occupants_text(shell->q, qry_row(shell->q, waiter)->host, wait.aux,
		MAX(interval->from, wait.from), MIN(interval->to, wait.to), true);
	label = qry_row_label(shell->q, waiter);
	return who ? g_strdup_printf("%s; %s waits for CPU %" G_GUINT32_FORMAT, who, label, wait.aux) : NULL;
}

/* The cause of a state.  OCCUPANTS: the threads that had the CPU for which it waits (NULL: unknown).  NULL if
 * unknown.  The caller frees. */
static char *cause_text(struct ui_shell *shell, const struct mdl_interval *interval, const char *occupants)
{
	const struct qry_row *row = qry_row(shell->q, shell->view->row);
	g_autofree char *woken = NULL;

	if (interval->state == MDL_ST_UNKNOWN)
		return g_strdup(interval->from <= row->first ? "before its first event in the trace"
							     : "events were lost here");
	if (interval->state == MDL_ST_PREEMPTED && occupants)
		return g_strdup(occupants);
	woken = wakeup_text(shell, interval);
	if (!occupants)
		return g_steal_pointer(&woken);
	return woken ? g_strdup_printf("%s; %s", woken, occupants) : g_strdup(occupants);
}

/* The thread that the interrupt on this CPU interrupted; NULL if none.  The caller frees. */
static char *on_cpu_text(struct ui_shell *shell, const struct mdl_interval *interval)
{
	g_autofree char *label = NULL;

	if (interval->state != MDL_ST_INTERRUPTED || interval->aux == MDL_NONE)
		return NULL;
	label = qry_row_label(shell->q, interval->aux);
	return g_strdup_printf("on it: %s", label);
}

static void draw_cause(struct ui_shell *shell, const struct term_area *area,
	const struct mdl_interval *interval, const char *occupants)
{
	enum mdl_row_type type = qry_row(shell->q, shell->view->row)->type;
	g_autofree char *text = interval->state == MDL_ST_VCPU_PREEMPTED ? host_text(shell, interval)
		: type == MDL_ROW_THREAD ? cause_text(shell, interval, occupants)
		: type == MDL_ROW_CPU    ? on_cpu_text(shell, interval)
					 : NULL;

	if (text)
		term_area_fit(area, 1, 1, area->w - 1, TERM_ROLE_TEXT, text);
}

/* ---- line 3: the cell ---- */

static int by_share(gconstpointer left, gconstpointer right, gpointer data)
{
	const struct qry_cell *cell = data;
	int64_t a = cell->ns[*(const unsigned *)left], b = cell->ns[*(const unsigned *)right];

	return (a < b) - (a > b);
}

/* "blocked 97%"; with LENGTHS "blocked 97% 1.96 ms"; "blocked 0%" for no time.  The caller frees. */
static char *share_text(struct ui_shell *shell, unsigned state, int64_t part, int64_t sum, bool lengths)
{
	g_autofree char *length = lengths && part > 0 ? ui_shell_duration_text(shell, part) : NULL;
	int64_t rare = MIN(part, sum - part);
	int digits = 0;

	/* Use more digits for a rare state, so that its share does not read as 0 %, nor the rest of its cell
	 * as 100 %. */
	while (digits < 6 && rare && (double)rare / (double)sum < pow(10, -digits - 2))
		digits++;
	return g_strdup_printf("%s %.*f%%%s%s", state_look_name(state), digits,
		100.0 * (double)part / (double)sum, length ? " " : "", length ? length : "");
}

/* The width of a state's place in columns, from the glyph on, with the blank before it. */
static unsigned place_width(unsigned state)
{
	return 3 + term_text_width(state_look_name(state)) + 1 + SHARE_COLUMNS;
}

static int64_t pane_detail_sum_of(const struct qry_cell *cell)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < QRY_CELL_N; i++)
		sum += cell->ns[i];
	return sum;
}

/* True if STATE is so frequent in WINDOW that it has a fixed place. */
static bool is_frequent(const struct qry_cell *window, unsigned state)
{
	return window->ns[state] > pane_detail_sum_of(window) / FREQUENT;
}

/* True if COLUMNS have room for the frequent states of WINDOW. */
static bool has_places(const struct qry_cell *window, unsigned columns)
{
	unsigned width = 0;

	for (unsigned i = 0; i < QRY_CELL_N; i++)
		width += is_frequent(window, i) ? place_width(i) : 0;
	return width <= columns;
}

/*
 * Draw the states of CELL with their shares from column X on.  With WINDOW, its frequent states have fixed
 * places, so that cursor steps change only digits; otherwise the largest come first, as many as fit.  Returns
 * the next column.
 */
static unsigned draw_shares(struct ui_shell *shell, const struct term_area *area, unsigned x,
	struct qry_cell *cell, struct qry_cell *window)
{
	unsigned order[QRY_CELL_N];

	for (unsigned i = 0; i < QRY_CELL_N; i++)
		order[i] = i;
	g_qsort_with_data(order, QRY_CELL_N, sizeof *order, by_share, window ? window : cell);
	for (unsigned i = 0; i < QRY_CELL_N; i++) {
		bool frequent = window && is_frequent(window, order[i]);
		g_autofree char *text = share_text(shell, order[i], cell->ns[order[i]],
			pane_detail_sum_of(cell), area->w >= LENGTHS_FROM);
		unsigned end = x + 3 + term_text_width(text);

		if ((!frequent && cell->ns[order[i]] == 0) || end > area->w)
			continue;
		term_area_char(area, x + 1, 2, TERM_ROLE_STATE_UNKNOWN + order[i],
			state_look_glyph(area->grid, order[i]));
		term_area_text(area, x + 3, 2, TERM_ROLE_TEXT, text);
		x = frequent ? MAX(end, x + place_width(order[i])) : end;
	}
	return x;
}

/* Draw the length of CELL and its number of intervals from column X on.  Returns the next column. */
static unsigned draw_sum(struct ui_shell *shell, const struct term_area *area, unsigned x,
	const struct qry_cell *cell)
{
	g_autofree char *length = ui_shell_duration_text(shell, pane_detail_sum_of(cell)),
			*text = g_strdup_printf("of %s, %u interval%s", length, cell->intervals,
				base_text_s(cell->intervals));

	return term_area_fit(area, x + 1, 2, area->w - MIN(area->w, x + 1), TERM_ROLE_TEXT, text);
}

/* Draw the selection, if any: its length and its share of the window; else the cell. */
static void draw_cell(struct ui_shell *shell, const struct term_area *area)
{
	unsigned column = (unsigned)MAX(ui_shell_column_of(shell, shell->view->cursor), 0), x;
	g_autofree char *label = NULL, *length = NULL;
	int64_t from, to;
	bool selected = ui_shell_selection(shell, &from, &to);
	struct qry_cell cell, window;

	if (!selected) {
		from = ui_shell_column_time(shell, column);
		to = ui_shell_column_time(shell, column + 1);
	}
	ana_throttled_window(shell->q, &shell->view->row, 1, from, to, 1, &cell);
	ana_throttled_window(shell->q, &shell->view->row, 1, shell->view->from, shell->view->to, 1, &window);
	length = ui_shell_duration_text(shell, to - from);
	label = selected ? g_strdup_printf("selected %s (%.1f%%)", length,
				   100 * (double)(to - from) / (double)(shell->view->to - shell->view->from))
			 : qry_row_label(shell->q, shell->view->row);
	x = term_area_text(area, term_area_fit(area, 1, 2, area->w / 3, TERM_ROLE_DIM, label), 2,
		TERM_ROLE_DIM, ":");
	if (area->w >= LENGTHS_FROM && has_places(&window, area->w - MIN(area->w, x + SUM_COLUMNS))) {
		draw_sum(shell, area, x, &cell);
		draw_shares(shell, area, x + SUM_COLUMNS, &cell, &window);
	} else {
		x = draw_shares(shell, area, x, &cell, NULL);
		draw_sum(shell, area, x, &cell);
	}
}

static void detail_draw(struct ui_pane *pane, const struct term_area *area)
{
	struct ui_shell *shell = pane->shell;
	const struct ana_cpuwait_part *part;
	const char *occupants = NULL;
	struct mdl_interval interval;
	g_autofree char *label = NULL, *line = NULL;
	int64_t from, to;

	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_TITLE, ' ');
	if (shell->q && shell->main->ops->at_cursor)
		line = shell->main->ops->at_cursor(shell->main);
	if (line)
		term_area_fit(area, 1, 0, area->w - MIN(area->w, 1), TERM_ROLE_TITLE, line);
	if (!shell->q || line || shell->view->row == UI_NO_ROW)
		return;
	if (qry_state_at(shell->q, shell->view->row, shell->view->cursor, &interval)) {
		part = part_at((const struct detail *)pane, &interval, &occupants);
		if (part) { /* the occupant changes within the interval */
			interval.from = part->from;
			interval.to = part->to;
		}
		draw_state(shell, area, &interval,
			part && part->quota ? ana_phase_name(part->phase) : mdl_state_name(interval.state));
		draw_cause(shell, area, &interval, occupants);
		draw_cell(shell, area);
		return;
	}
	label = qry_row_label(shell->q, shell->view->row);
	term_area_printf(area, 1, 0, TERM_ROLE_TITLE, "%s  %s", label,
		shell->view->cursor < qry_row(shell->q, shell->view->row)->first ? "not created yet"
										 : "gone");
	if (ui_shell_selection(shell, &from, &to)) /* these texts do not depend on the cursor */
		draw_cell(shell, area);
}

static unsigned detail_height(G_GNUC_UNUSED struct ui_pane *pane, G_GNUC_UNUSED unsigned columns,
	unsigned rows)
{
	return rows < 16 ? 1 : LINES;
}

const struct ui_pane_ops pane_detail = {
	.name = "detail",
	.place = UI_PLACE_BOTTOM,
	.show = UI_CMD_DETAIL,
	.shown = true,
	.size = sizeof(struct detail),
	.init = detail_init,
	.clear = detail_clear,
	.changed = detail_changed,
	.work = ask_worker_work,
	.height = detail_height,
	.draw = detail_draw,
};
