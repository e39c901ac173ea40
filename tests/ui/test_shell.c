/* SPDX-License-Identifier: MIT */
/* The shell without a trace: time and columns, history, questions, panes, and slow opening. */
#include "base/base_error.h"
#include "base/base_time.h"
#include "query/qry.h"
#include "ui/core/ui_shell_parts.h"
#include "ui/core/ui_scene.h"
#include "ui/core/ui_argument.h"
#include "ui/term/term_key.h"

#include <string.h>

/* ---- a terminal that plays an array of keys ---- */

struct fake {
	struct term term;
	const uint32_t *keys; /* up to TERM_KEY_NONE */
	char *shown;          /* owned: the last screen, rows joined */
};

static unsigned fake_columns = 60, fake_rows = 16;

static void fake_set_styles(struct term *term, const struct term_style *styles)
{
	(void)term;
	(void)styles;
}

static void fake_size(struct term *term, unsigned *columns, unsigned *rows)
{
	(void)term;
	*columns = fake_columns;
	*rows = fake_rows;
}

static void fake_draw(struct term *term, const struct term_grid *grid)
{
	struct fake *fake = (struct fake *)term;
	GString *text = g_string_new(NULL);

	for (unsigned y = 0; y < grid->rows; y++)
		for (unsigned x = 0; x < grid->columns; x++)
			g_string_append_unichar(text, term_grid_cell(grid, x, y)->ch);
	g_free(fake->shown);
	fake->shown = g_string_free(text, FALSE);
}

static uint32_t fake_key(struct term *term, int timeout, bool idle)
{
	struct fake *fake = (struct fake *)term;

	(void)timeout;
	(void)idle;
	return fake->keys && *fake->keys ? *fake->keys++ : TERM_KEY_NONE;
}

static void fake_repaint(struct term *term)
{
	(void)term;
}

static void fake_free(struct term *term)
{
	struct fake *fake = (struct fake *)term;

	g_free(fake->shown);
	g_free(fake);
}

static bool fake_set_mouse(struct term *term, bool on)
{
	(void)term;
	(void)on;
	return false;
}

static const struct term_ops fake_ops = {
	.set_mouse = fake_set_mouse,
	.name = "fake",
	.set_styles = fake_set_styles,
	.size = fake_size,
	.draw = fake_draw,
	.repaint = fake_repaint,
	.key = fake_key,
	.free = fake_free,
};

/* ---- panes that record their calls ---- */

static unsigned told;
static enum ui_command last_main, last_lower;
static char *answer;

/* Each pane is called with its own view. */
static void main_changed(struct ui_pane *pane, unsigned changes)
{
	g_assert_true(pane->shell->view == pane->view);
	told |= changes;
}

static bool main_command(struct ui_pane *pane, enum ui_command command)
{
	(void)pane;
	last_main = command;
	return command == UI_CMD_ROW_DOWN;
}

static bool lower_command(struct ui_pane *pane, enum ui_command command)
{
	(void)pane;
	last_lower = command;
	return command == UI_CMD_ROW_DOWN && ui_pane_focused(pane);
}

static void lower_title(struct ui_pane *pane, GString *title)
{
	(void)pane;
	g_string_append(title, "the lower pane");
}

static const struct ui_pane_ops main_ops = { .name = "main",
	.place = UI_PLACE_MAIN,
	.shown = true,
	.changed = main_changed,
	.command = main_command };
static const struct ui_pane_ops lower_ops = { .name = "lower",
	.place = UI_PLACE_LOWER,
	.show = UI_CMD_PATH,
	.command = lower_command,
	.title = lower_title };
static const struct ui_pane_ops other_ops = { .name = "other",
	.place = UI_PLACE_LOWER,
	.show = UI_CMD_LATENCY };
static const struct ui_pane_ops drill_ops = { .name = "drill", .place = UI_PLACE_LOWER, .show = UI_CMD_WHY };
static const struct ui_pane_ops deeper_ops = { .name = "deeper",
	.place = UI_PLACE_LOWER,
	.show = UI_CMD_DETAIL };
static const struct ui_pane_ops *const fake_panes[] = { &main_ops, &lower_ops, &other_ops, &drill_ops,
	&deeper_ops, NULL };

static struct ui_options options = { .panes = fake_panes };

#define SPAN_FROM G_GINT64_CONSTANT(1795168985113782515)
#define SPAN G_GINT64_CONSTANT(1000000)

static struct ui_shell *new_shell(void)
{
	static int experiment; /* never looked into by the shell */
	struct fake *fake = g_new0(struct fake, 1);
	struct ui_opened opened = { .q = (struct qry *)&experiment,
		.from = SPAN_FROM,
		.to = SPAN_FROM + SPAN };
	struct ui_shell *shell;

	fake->term.ops = &fake_ops;
	fake->term.utf8 = true;
	shell = ui_shell_new(&options, &fake->term, NULL);
	g_assert_nonnull(shell);
	ui_shell_opened(shell, &opened);
	ui_layout_arrange(shell);
	ui_shell_tell(shell);
	told = 0;
	return shell;
}

/* ---- time ---- */

/* Each instant is in the column whose times contain it, and columns are those of the query. */
static void test_columns(void)
{
	struct ui_shell *shell = new_shell();
	static const int64_t lengths[] = { 100, 101, 997, 12345, SPAN };

	for (gsize i = 0; i < G_N_ELEMENTS(lengths); i++) {
		ui_shell_set_window(shell, SPAN_FROM, SPAN_FROM + lengths[i]);
		for (unsigned c = 0; c <= shell->columns; c++)
			g_assert_cmpint(ui_shell_column_time(shell, c), ==,
				qry_column_time(shell->view->from, shell->view->to, shell->columns, c));
		for (int64_t t = shell->view->from; t < shell->view->to; t += lengths[i] / 97 + 1) {
			int c = ui_shell_column_of(shell, t);

			g_assert_cmpint(ui_shell_column_time(shell, (unsigned)c), <=, t);
			g_assert_cmpint(ui_shell_column_time(shell, (unsigned)c + 1), >, t);
		}
		g_assert_cmpint(ui_shell_column_of(shell, shell->view->from - 1), ==, -1);
		g_assert_cmpint(ui_shell_column_of(shell, shell->view->to), ==, (int)shell->columns);
	}
	ui_shell_free(shell);
}

static void test_window(void)
{
	struct ui_shell *shell = new_shell();
	int64_t cursor = SPAN_FROM + 123456;

	ui_shell_set_cursor(shell, cursor);
	for (unsigned i = 0; i < 30; i++)
		ui_shell_zoom(shell, 0.5);
	g_assert_cmpint(shell->view->to - shell->view->from, ==, UI_SHELL_SPAN_MIN);
	g_assert_cmpint(shell->view->cursor, ==, cursor); /* exact to the ns */
	for (unsigned i = 0; i < 30; i++)
		ui_shell_zoom(shell, 2);
	g_assert_cmpint(shell->view->from, ==, SPAN_FROM);
	g_assert_cmpint(shell->view->to, ==, SPAN_FROM + SPAN);
	g_assert_cmpint(shell->view->cursor, ==, cursor);
	ui_shell_set_window(shell, SPAN_FROM + SPAN - 10, SPAN_FROM + SPAN + 490);
	g_assert_cmpint(shell->view->to, ==, SPAN_FROM + SPAN);
	g_assert_cmpint(shell->view->to - shell->view->from, ==, 500);
	g_assert_cmpint(shell->view->cursor, ==, shell->view->from); /* the cursor is moved along */
	ui_shell_set_cursor(shell, INT64_MAX);
	g_assert_cmpint(shell->view->cursor, ==, SPAN_FROM + SPAN - 1);
	ui_shell_set_window(shell, INT64_MIN / 2, INT64_MIN / 2 + 1);
	g_assert_cmpint(shell->view->from, ==, SPAN_FROM);
	ui_shell_free(shell);
}

static void test_way(void)
{
	struct ui_shell *shell = new_shell();

	ui_shell_set_row(shell, 3);
	ui_shell_go(shell, SPAN_FROM + 1000, 5);
	ui_shell_go(shell, SPAN_FROM + 1000, 5); /* no step at all */
	g_assert_cmpuint(ui_shell_history_length(shell), ==, 1);
	ui_shell_zoom(shell, 0.001);
	ui_shell_go(shell, SPAN_FROM + 900000, 7);
	g_assert_cmpint(shell->view->from, <=, SPAN_FROM + 900000);
	g_assert_cmpint(shell->view->to, >, SPAN_FROM + 900000);
	g_assert_true(ui_shell_back(shell));
	g_assert_cmpuint(shell->view->row, ==, 5);
	g_assert_cmpint(shell->view->cursor, ==, SPAN_FROM + 1000);
	g_assert_true(ui_shell_back(shell));
	g_assert_cmpuint(shell->view->row, ==, 3);
	g_assert_cmpint(shell->view->to - shell->view->from, ==, SPAN);
	g_assert_false(ui_shell_back(shell));
	ui_shell_free(shell);
}

static void test_selection(void)
{
	struct ui_shell *shell = new_shell();
	int64_t from, to;

	g_assert_false(ui_shell_selection(shell, &from, &to));
	g_assert_cmpint(from, ==, SPAN_FROM);
	ui_shell_set_cursor(shell, SPAN_FROM + 5000);
	ui_shell_command(shell, UI_CMD_MARK);
	g_assert_false(ui_shell_selection(shell, &from, &to)); /* no selection yet */
	ui_shell_set_cursor(shell, SPAN_FROM + 2000);
	g_assert_true(ui_shell_selection(shell, &from, &to));
	g_assert_cmpint(from, ==, SPAN_FROM + 2000);
	g_assert_cmpint(to, ==, SPAN_FROM + 5000);
	ui_shell_command(shell, UI_CMD_MARK);
	ui_shell_set_cursor(shell, SPAN_FROM + 9000);
	g_assert_true(ui_shell_selection(shell, &from, &to));
	g_assert_cmpint(to, ==, SPAN_FROM + 5000); /* it stays */
	ui_shell_command(shell, UI_CMD_ZOOM_SELECTION);
	g_assert_cmpint(shell->view->from, ==, SPAN_FROM + 2000);
	g_assert_cmpint(shell->view->to, ==, SPAN_FROM + 5000);
	g_assert_false(ui_shell_selection(shell, &from, &to));
	ui_shell_free(shell);
}

/* ---- panes ---- */

static void test_panes(void)
{
	struct ui_shell *shell = new_shell();
	struct ui_pane *main = g_ptr_array_index(shell->panes, 0),
		       *lower = g_ptr_array_index(shell->panes, 1);
	struct ui_pane *other = g_ptr_array_index(shell->panes, 2);

	g_assert_true(ui_pane_focused(main));
	ui_shell_command(shell, UI_CMD_PATH);
	g_assert_true(lower->shown && ui_pane_focused(lower));
	ui_layout_arrange(shell);
	g_assert_cmpuint(main->h + lower->h, ==, 15);
	g_assert_cmpuint(lower->y, ==, main->h);
	ui_layout_draw(shell);
	g_assert_nonnull(strstr(((struct fake *)shell->term)->shown, "the lower pane"));
	last_main = last_lower = UI_CMD_NONE;
	ui_shell_command(shell, UI_CMD_ROW_DOWN);
	g_assert_cmpuint(last_lower, ==, UI_CMD_ROW_DOWN); /* the focused pane gets the command first */
	g_assert_cmpuint(last_main, ==, UI_CMD_NONE);
	ui_shell_command(shell, UI_CMD_FOCUS);
	ui_shell_command(shell, UI_CMD_ROW_DOWN);
	g_assert_cmpuint(last_main, ==, UI_CMD_ROW_DOWN);
	ui_shell_command(shell, UI_CMD_LATENCY);
	g_assert_true(other->shown && !lower->shown && ui_pane_focused(other));
	ui_shell_command(shell, UI_CMD_MAXIMISE);
	ui_layout_arrange(shell);
	g_assert_cmpuint(main->h, ==, 0);
	g_assert_cmpuint(other->h, ==, 15);
	ui_shell_command(shell, UI_CMD_LATENCY);
	ui_layout_arrange(shell);
	g_assert_true(ui_pane_focused(lower) && lower->h == 15); /* the pane it covered, at the same size */
	ui_shell_command(shell, UI_CMD_PATH);
	ui_layout_arrange(shell);
	g_assert_true(ui_pane_focused(main) && main->h == 15);
	ui_shell_free(shell);
}

/* ---- two windows ---- */

static void main_title(struct ui_pane *pane, GString *title)
{
	g_string_append_printf(title, "window %d", (int)(pane->view - pane->shell->views));
}

static const struct ui_pane_ops window_ops = { .name = "window",
	.place = UI_PLACE_MAIN,
	.shown = true,
	.changed = main_changed,
	.title = main_title };
static const struct ui_pane_ops *const windows[] = { &window_ops, &window_ops, &lower_ops, NULL };

static void resize_to(struct ui_shell *shell, unsigned columns, unsigned rows)
{
	fake_columns = columns;
	fake_rows = rows;
	ui_layout_arrange(shell);
	ui_shell_tell(shell);
}

static struct ui_shell *new_windows(struct ui_pane **first, struct ui_pane **second)
{
	struct ui_shell *shell;

	options.panes = windows;
	shell = new_shell();
	options.panes = fake_panes;
	*first = g_ptr_array_index(shell->panes, 0);
	*second = g_ptr_array_index(shell->panes, 1);
	return shell;
}

static void do_and_tell(struct ui_shell *shell, enum ui_command command)
{
	ui_undo_note(shell);
	ui_shell_command(shell, command);
	ui_shell_tell(shell);
}

/* Each window has its own place, history and selection; a command acts in the one that has the focus, or
 * had it last. */
static void test_windows(void)
{
	struct ui_pane *first, *second;
	struct ui_shell *shell = new_windows(&first, &second);

	ui_shell_go(shell, SPAN_FROM + 5000, 3);
	g_assert_false(second->shown);
	do_and_tell(shell, UI_CMD_SECOND);
	g_assert_true(second->shown && shell->focus == second && shell->view == second->view);
	g_assert_cmpuint(shell->view->row, ==, 3);
	ui_shell_zoom(shell, 0.5);
	ui_shell_go(shell, SPAN_FROM + 9000, 7);
	ui_shell_command(shell, UI_CMD_MARK);
	ui_shell_tell(shell);
	g_assert_cmpuint(ui_shell_history_length(shell), ==, 2); /* the history was copied, too */
	do_and_tell(shell, UI_CMD_FOCUS);
	g_assert_true(shell->focus == first && shell->view == first->view);
	g_assert_cmpint(shell->view->cursor, ==, SPAN_FROM + 5000);
	g_assert_cmpint(shell->view->to - shell->view->from, ==, SPAN);
	g_assert_cmpuint(shell->view->row, ==, 3);
	g_assert_cmpuint(ui_shell_history_length(shell), ==, 1);
	g_assert_false(ui_shell_selects(shell));
	do_and_tell(shell, UI_CMD_FOCUS);
	do_and_tell(shell, UI_CMD_PATH);
	g_assert_true(ui_pane_at(shell, UI_PLACE_LOWER) == shell->focus && shell->view == second->view);
	do_and_tell(shell, UI_CMD_FOCUS);
	g_assert_true(shell->focus == first);
	do_and_tell(shell, UI_CMD_SECOND);
	g_assert_true(!second->shown && shell->focus == first && shell->view == first->view);
	ui_shell_free(shell);
}

static void test_windows_undone(void)
{
	struct ui_pane *first, *second;
	struct ui_shell *shell = new_windows(&first, &second);

	do_and_tell(shell, UI_CMD_SECOND);
	do_and_tell(shell, UI_CMD_ZOOM_IN);
	do_and_tell(shell, UI_CMD_FOCUS);
	do_and_tell(shell, UI_CMD_PAN_RIGHT);
	do_and_tell(shell, UI_CMD_SECOND);
	ui_undo_note(shell);
	ui_shell_command(shell, UI_CMD_UNDO);
	g_assert_true(second->shown && shell->main == first);
	g_assert_cmpint(second->view->to - second->view->from, ==, SPAN / 2);
	for (unsigned i = 0; i < 3; i++)
		ui_shell_command(shell, UI_CMD_UNDO);
	g_assert_true(second->shown && shell->main == second && shell->focus == second);
	g_assert_cmpint(second->view->to - second->view->from, ==, SPAN);
	ui_shell_command(shell, UI_CMD_UNDO);
	g_assert_true(!second->shown && shell->focus == first && shell->view == first->view);
	ui_shell_command(shell, UI_CMD_REDO);
	ui_shell_command(shell, UI_CMD_REDO);
	g_assert_true(second->shown && shell->focus == second);
	g_assert_cmpint(shell->view->to - shell->view->from, ==, SPAN / 2);
	ui_shell_free(shell);
}

/* If linked, the other window has the same time, or as much of it as it shows; each keeps its row. */
static void test_windows_linked(void)
{
	struct ui_pane *first, *second;
	struct ui_shell *shell = new_windows(&first, &second);

	do_and_tell(shell, UI_CMD_SECOND);
	shell->argument = g_strdup("time");
	do_and_tell(shell, UI_CMD_LINK);
	ui_shell_set_window(shell, SPAN_FROM + 100000, SPAN_FROM + 300000);
	ui_shell_set_cursor(shell, SPAN_FROM + 200001);
	ui_shell_set_row(shell, 9);
	ui_shell_tell(shell);
	g_assert_cmpint(first->view->from, ==, SPAN_FROM + 100000);
	g_assert_cmpint(first->view->to, ==, SPAN_FROM + 300000);
	g_assert_cmpint(first->view->cursor, ==, SPAN_FROM + 200001);
	g_assert_cmpuint(first->view->row, ==, UI_NO_ROW);
	shell->argument = g_strdup("zoom");
	do_and_tell(shell, UI_CMD_LINK);
	ui_shell_set_window(shell, SPAN_FROM + 700000, SPAN_FROM + 733333);
	ui_shell_tell(shell);
	g_assert_cmpint(first->view->to - first->view->from, ==, 33333);
	g_assert_cmpint(first->view->cursor, ==, SPAN_FROM + 200001);
	shell->argument = g_strdup("off");
	do_and_tell(shell, UI_CMD_LINK);
	ui_shell_set_window(shell, SPAN_FROM, SPAN_FROM + SPAN);
	ui_shell_tell(shell);
	g_assert_cmpint(first->view->to - first->view->from, ==, 33333);
	ui_shell_free(shell);
}

/* The windows are above each other, or beside each other, or one is alone; they fill the screen. */
static void test_windows_placed(void)
{
	struct ui_pane *first, *second, *lower;
	struct ui_shell *shell = new_windows(&first, &second);

	do_and_tell(shell, UI_CMD_SECOND);
	resize_to(shell, 80, 24);
	g_assert_cmpuint(first->h + second->h, ==, 23);
	g_assert_cmpuint(second->y, ==, first->h);
	g_assert_cmpuint(shell->names + shell->columns, ==, 80);
	resize_to(shell, 200, 60);
	g_assert_true(first->h == 59 && second->h == 59 && second->y == 0);
	g_assert_cmpuint(first->w + 1 + second->w, ==, 200); /* with a line between them */
	g_assert_cmpuint(second->x, ==, first->w + 1);
	g_assert_cmpuint(shell->names + shell->columns, ==, second->w);
	ui_layout_draw(shell);
	g_assert_nonnull(strstr(((struct fake *)shell->term)->shown, "window 0"));
	g_assert_nonnull(strstr(((struct fake *)shell->term)->shown, "window 1"));
	do_and_tell(shell, UI_CMD_PATH);
	resize_to(shell, 200, 60);
	lower = shell->focus;
	g_assert_cmpuint(lower->w, ==, 200);
	g_assert_true(first->h == second->h && first->h + lower->h == 59);
	resize_to(shell, 80, 16); /* 5 lines for each of the two, and for the lower one */
	g_assert_true(first->h == 5 && second->h == 5 && lower->h == 5);
	do_and_tell(shell, UI_CMD_PATH);
	resize_to(shell, 20, 5);
	g_assert_true(!first->h + !second->h == 1 && first->h + second->h == 4);
	resize_to(shell, 90, 8);
	g_assert_true(first->h == 7 && second->h == 7 && first->w == 44);
	resize_to(shell, 20, 5);
	do_and_tell(shell, UI_CMD_SECOND);
	do_and_tell(shell, UI_CMD_SECOND);
	g_assert_true(!second->shown && shell->message_is_error && shell->main == first);
	resize_to(shell, 60, 16);
	ui_shell_free(shell);
}

/* A pane opened from a lower pane leads back to it. */
static void test_drill(void)
{
	struct ui_shell *shell = new_shell();
	struct ui_pane *main = g_ptr_array_index(shell->panes, 0),
		       *lower = g_ptr_array_index(shell->panes, 1);
	struct ui_pane *other = g_ptr_array_index(shell->panes, 2),
		       *drill = g_ptr_array_index(shell->panes, 3);
	struct ui_pane *deeper = g_ptr_array_index(shell->panes, 4);

	ui_shell_command(shell, UI_CMD_PATH);
	ui_shell_command(shell, UI_CMD_WHY);
	g_assert_true(drill->shown && !lower->shown && ui_pane_covered(lower) && ui_pane_focused(drill));
	ui_shell_command(shell, UI_CMD_DETAIL);
	g_assert_true(deeper->shown && !drill->shown && ui_pane_covered(drill));
	ui_shell_show(shell, drill, true); /* again, from the deepest: no cycle */
	g_assert_true(drill->shown && !deeper->shown && !ui_pane_covered(drill) && ui_pane_covered(deeper));
	ui_shell_command(shell, UI_CMD_WHY);
	g_assert_true(deeper->shown && !drill->shown && !ui_pane_covered(drill));
	ui_shell_command(shell, UI_CMD_DETAIL);
	g_assert_true(lower->shown && !ui_pane_covered(lower) && ui_pane_focused(lower));
	ui_shell_command(shell, UI_CMD_WHY);
	ui_shell_command(shell, UI_CMD_LATENCY);
	shell->used = true;
	ui_shell_command(shell, UI_CMD_CLOSE); /* each leads back to the one below it */
	g_assert_true(drill->shown && ui_pane_focused(drill) && !other->shown);
	ui_shell_command(shell, UI_CMD_CLOSE);
	g_assert_true(lower->shown && ui_pane_focused(lower));
	ui_shell_command(shell, UI_CMD_CLOSE);
	g_assert_true(!lower->shown && !drill->shown && ui_pane_focused(main));
	ui_shell_free(shell);
}

static void test_told(void)
{
	struct ui_shell *shell = new_shell();

	ui_shell_tell(shell);
	g_assert_cmpuint(told, ==, 0);
	ui_shell_set_cursor(shell, SPAN_FROM + 10);
	ui_shell_set_row(shell, 4);
	ui_shell_tell(shell);
	g_assert_cmpuint(told, ==, UI_CHANGED_CURSOR | UI_CHANGED_ROW);
	told = 0;
	ui_shell_set_row(shell, 4);
	ui_shell_set_window(shell, shell->view->from, shell->view->to);
	ui_shell_tell(shell);
	g_assert_cmpuint(told, ==, 0);
	ui_shell_free(shell);
}

/* ---- questions ---- */

static void take_answer(struct ui_pane *pane, const char *text)
{
	(void)pane;
	g_free(answer);
	answer = g_strdup(text);
}

static void type(struct ui_shell *shell, const char *text)
{
	for (; *text; text++)
		ui_shell_key(shell, (uint32_t)*text);
}

static void test_question(void)
{
	struct ui_shell *shell = new_shell();

	ui_shell_ask(shell, NULL, "name", "abc", take_answer, NULL);
	ui_shell_key(shell, TERM_KEY_END); /* the proposed text stays, to be edited */
	type(shell, "dq");                 /* q types, it does not quit */
	ui_shell_key(shell, TERM_KEY_BACKSPACE);
	ui_shell_key(shell, TERM_KEY_HOME);
	ui_shell_key(shell, TERM_KEY_DELETE);
	ui_shell_key(shell, TERM_KEY_ENTER);
	g_assert_cmpstr(answer, ==, "bcd");
	g_assert_false(shell->quit);
	ui_shell_ask(shell, NULL, "name", NULL, take_answer, NULL);
	type(shell, "other");
	ui_shell_key(shell, TERM_KEY_ESC);
	g_assert_cmpstr(answer, ==, "bcd");
	ui_shell_ask(shell, NULL, "name", NULL, take_answer, NULL);
	ui_shell_key(shell, TERM_KEY_UP);
	type(shell, " two words");
	ui_shell_key(shell, TERM_KEY_CTRL | 'w');
	ui_shell_key(shell, TERM_KEY_ENTER);
	g_assert_cmpstr(answer, ==, "bcd two ");
	type(shell, "q");
	g_assert_true(shell->quit);
	g_clear_pointer(&answer, g_free);
	ui_shell_free(shell);
}

/* Typed text replaces the proposed one. */
static void test_proposed(void)
{
	struct ui_shell *shell = new_shell();

	ui_shell_ask(shell, NULL, "name", "abc", take_answer, NULL);
	ui_shell_key(shell, TERM_KEY_ENTER);
	g_assert_cmpstr(answer, ==, "abc");
	ui_shell_ask(shell, NULL, "name", "abc", take_answer, NULL);
	type(shell, "x");
	type(shell, "y");
	ui_shell_key(shell, TERM_KEY_ENTER);
	g_assert_cmpstr(answer, ==, "xy");
	ui_shell_ask(shell, NULL, "name", "abc", take_answer, NULL);
	ui_shell_key(shell, TERM_KEY_BACKSPACE);
	type(shell, "d");
	ui_shell_key(shell, TERM_KEY_ENTER);
	g_assert_cmpstr(answer, ==, "abd");
	g_clear_pointer(&answer, g_free);
	ui_shell_free(shell);
}

static char *written;

static void take_file(struct ui_pane *pane, const char *file)
{
	(void)pane;
	g_free(written);
	written = g_strdup(file);
}

/* The name that the file gets if NAME is typed over the proposed one; NULL: refused.  The question
 * belongs to a pane, as messages belong to its shell. */
static const char *file_of(struct ui_shell *shell, const char *name)
{
	g_clear_pointer(&written, g_free);
	ui_shell_ask_file(shell, g_ptr_array_index(shell->panes, 0), "write to", ".txt .json", "there.txt",
		take_file);
	type(shell, name);
	ui_shell_key(shell, TERM_KEY_ENTER);
	return written;
}

static void test_endings(void)
{
	struct ui_shell *shell = new_shell();

	g_assert_cmpstr(file_of(shell, "not-there/a.json"), ==, "not-there/a.json");
	g_assert_cmpstr(file_of(shell, ""), ==, "there.txt");
	g_assert_null(file_of(shell, "a.xml"));
	g_assert_nonnull(strstr(shell->message, ".txt .json"));
	g_assert_null(file_of(shell, "a"));
	g_assert_null(file_of(shell, "a.txt.gz"));
	g_assert_null(file_of(shell, "a/.txt"));
	g_assert_null(file_of(shell, "a.TXT"));
	g_clear_pointer(&written, g_free);
	ui_shell_free(shell);
}

/* Esc and a key right after it are read as Alt: without a binding they act as the two keys. */
static void test_escape(void)
{
	struct ui_shell *shell = new_shell();

	ui_shell_set_cursor(shell, SPAN_FROM + 5000);
	ui_shell_command(shell, UI_CMD_MARK);
	g_assert_cmpint(shell->view->mark, ==, SPAN_FROM + 5000);
	ui_shell_key(shell, TERM_KEY_ALT | '0');
	g_assert_cmpint(shell->view->mark, ==, BASE_TIME_NONE); /* Esc drops the selection, 0 goes to the
								   start */
	g_assert_cmpint(shell->view->cursor, ==, SPAN_FROM);
	ui_shell_command(shell, UI_CMD_MARK);
	ui_shell_key(shell, TERM_KEY_ALT | '-'); /* bound: it shrinks the lower pane */
	g_assert_cmpint(shell->view->mark, ==, SPAN_FROM);
	ui_shell_ask(shell, NULL, "name", NULL, take_answer, NULL);
	type(shell, "ab");
	ui_shell_key(shell, TERM_KEY_ALT | '-'); /* a question has no Alt keys */
	g_assert_null(answer);
	g_assert_cmpint(shell->view->to - shell->view->from, ==, SPAN); /* "-" zoomed out, which it was
									   already */
	ui_shell_key(shell, TERM_KEY_ALT | 'q');
	g_assert_true(shell->quit);
	ui_shell_free(shell);
}

static void paste(struct ui_shell *shell, const char *text)
{
	g_autoptr(GString) pasted = g_string_new(text);

	shell->term->pasted = pasted;
	ui_shell_key(shell, TERM_KEY_PASTE);
	shell->term->pasted = NULL;
}

static void test_paste(void)
{
	struct ui_shell *shell = new_shell();

	paste(shell, "q");
	g_assert_false(shell->quit);
	g_assert_nonnull(strstr(shell->message, "pasted text"));
	ui_shell_ask(shell, NULL, "name", "abc", take_answer, NULL);
	paste(shell, "\n x\033y\nq\n"); /* the first line, without unprintable characters; no Enter */
	g_assert_null(answer);
	type(shell, "z");
	ui_shell_key(shell, TERM_KEY_ENTER);
	g_assert_cmpstr(answer, ==, " xyz");
	g_assert_false(shell->quit);
	g_clear_pointer(&answer, g_free);
	ui_shell_free(shell);
}

/* ---- times that are typed ---- */

static int64_t when(const struct ui_shell *shell, const char *text)
{
	GError *error = NULL;
	int64_t time = 0;

	if (!ui_when_parse(shell, text, &time, &error)) {
		g_assert_error(error, BASE_ERROR, BASE_ERROR_USAGE);
		g_error_free(error);
		return BASE_TIME_NONE;
	}
	return time;
}

/* Over ten seconds across midnight: 23:59:55 to 00:00:05, from 20 November 2026 on. */
static void test_when(void)
{
	static const int64_t from = G_GINT64_CONSTANT(1795219195000000000), s = G_GINT64_CONSTANT(1000000000);
	struct ui_shell *shell = new_shell();
	struct ui_opened opened = { .q = shell->q, .from = from, .to = from + 10 * s };
	char *printed;

	ui_shell_opened(shell, &opened);
	ui_shell_set_cursor(shell, from + 6 * s);
	g_assert_cmpint(when(shell, "8.5 s"), ==, from + 8500000000);
	g_assert_cmpint(when(shell, "8.5s"), ==, from + 8500000000);
	g_assert_cmpint(when(shell, "8.5"), ==, from + 8500000000);
	g_assert_cmpint(when(shell, "+1.5"), ==, from + 7500000000);
	g_assert_cmpint(when(shell, "+1.500000000 s"), ==, from + 7500000000);
	g_assert_cmpint(when(shell, "8.500000000 s"), ==, from + 8500000000);
	g_assert_cmpint(when(shell, " 850 ms "), ==, from + 850000000);
	g_assert_cmpint(when(shell, "12 \302\265s"), ==, from + 12000);
	g_assert_cmpint(when(shell, "12us"), ==, from + 12000);
	g_assert_cmpint(when(shell, "8"), ==, from + 8 * s);
	g_assert_cmpint(when(shell, "0"), ==, from);
	g_assert_cmpint(when(shell, "50%"), ==, from + 5 * s);
	g_assert_cmpint(when(shell, "12.5 %"), ==, from + 1250000000);
	g_assert_cmpint(when(shell, "100%"), ==, from + 10 * s);
	g_assert_cmpint(when(shell, "+2ms"), ==, from + 6002000000);
	g_assert_cmpint(when(shell, "+1.5s"), ==, from + 7500000000);
	g_assert_cmpint(when(shell, "-2.5ms"), ==, from + 5997500000);
	g_assert_cmpint(when(shell, "-2"), ==, from + 4 * s);
	g_assert_cmpint(when(shell, "23:59:57.25"), ==, from + 2250000000);
	g_assert_cmpint(when(shell, "00:00:01"), ==, from + 6 * s);
	g_assert_cmpint(when(shell, "2026-11-21 00:00:04"), ==, from + 9 * s);
	g_assert_cmpint(when(shell, "1795219196000000000"), ==, from + 1 * s);
	for (unsigned i = 0; i < 2; i++) { /* times as the screen itself prints them, in both forms */
		shell->times = base_time_way_next(i ? shell->times : NULL);
		printed = ui_shell_time_text(shell, from + 7123456789);
		g_assert_cmpint(when(shell, printed), ==, from + 7123456789);
		g_free(printed);
	}
	for (const char *const *bad = (const char *const[]){ "", "yesterday", "8.5 h", "8,5", "101%", "%",
		     "+", "-x", "8 s 5", "1e3", "12:00", "+99999999999s", NULL };
		*bad; bad++)
		g_assert_cmpint(when(shell, *bad), ==, BASE_TIME_NONE);
	ui_shell_free(shell);
}

/* ---- opening ---- */

static bool open_slowly(void *context, const char *sync, struct base_progress *progress,
	struct ui_opened *opened, GError **error)
{
	(void)context;
	(void)opened;
	g_assert_cmpstr(sync, ==, "auto");
	base_progress_set_label(progress, "building the index");
	base_progress_set(progress, 0.25, 1234567);
	while (!base_progress_cancelled(progress))
		g_usleep(1000);
	g_set_error(error, BASE_ERROR, BASE_ERROR_CANCELLED, "cancelled");
	return false;
}

static void test_cancel(void)
{
	static const uint32_t keys[] = { 'x', 'q', TERM_KEY_NONE };
	struct ui_options slow = { .panes = fake_panes, .open = open_slowly };
	struct fake *fake = g_new0(struct fake, 1);
	struct ui_opened opened;
	struct ui_shell *shell;
	GError *error = NULL;

	fake->term.ops = &fake_ops;
	fake->term.utf8 = true;
	fake->keys = keys;
	shell = ui_shell_new(&slow, &fake->term, NULL);
	g_assert_false(ui_loading_run(shell, shell->sync, &opened, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_CANCELLED);
	g_assert_nonnull(strstr(fake->shown, "building the index"));
	g_assert_nonnull(strstr(fake->shown, " 25 %"));
	g_assert_nonnull(strstr(fake->shown, "1.2 M events"));
	g_error_free(error);
	ui_shell_free(shell);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/shell/columns", test_columns);
	g_test_add_func("/shell/window", test_window);
	g_test_add_func("/shell/way", test_way);
	g_test_add_func("/shell/selection", test_selection);
	g_test_add_func("/shell/panes", test_panes);
	g_test_add_func("/shell/windows", test_windows);
	g_test_add_func("/shell/windows/undone", test_windows_undone);
	g_test_add_func("/shell/windows/linked", test_windows_linked);
	g_test_add_func("/shell/windows/placed", test_windows_placed);
	g_test_add_func("/shell/drill", test_drill);
	g_test_add_func("/shell/told", test_told);
	g_test_add_func("/shell/question", test_question);
	g_test_add_func("/shell/proposed", test_proposed);
	g_test_add_func("/shell/endings", test_endings);
	g_test_add_func("/shell/escape", test_escape);
	g_test_add_func("/shell/paste", test_paste);
	g_test_add_func("/shell/when", test_when);
	g_test_add_func("/shell/cancel", test_cancel);
	return g_test_run();
}
