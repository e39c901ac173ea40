/* SPDX-License-Identifier: MIT */
/* A list of ten lines in a view of four, below two lines of heading. */
#include "ui/widget/list_view.h"

#include <glib.h>

#define N 10

static struct list_view drawn_at(unsigned line, unsigned top)
{
	struct list_view list = { .line = line, .top = top, .y = 2 };

	list_view_scroll(&list, 4, N);
	return list;
}

static void test_scroll(void)
{
	g_assert_cmpuint(drawn_at(5, 3).top, ==, 3); /* in view: nothing moves */
	g_assert_cmpuint(drawn_at(7, 3).top, ==, 4);
	g_assert_cmpuint(drawn_at(1, 3).top, ==, 1);
	g_assert_cmpuint(drawn_at(9, 9).top, ==, 6); /* no line is empty unnecessarily */
	g_assert_cmpuint(drawn_at(9, 9).seen, ==, 4);
}

static void test_short(void)
{
	struct list_view list = { .line = 1, .top = 1 };

	list_view_scroll(&list, 4, 3);
	g_assert_cmpuint(list.top, ==, 0);
	g_assert_cmpuint(list.seen, ==, 3);
	list_view_scroll(&list, 0, 3);
	g_assert_cmpuint(list.seen, ==, 0);
	list_view_scroll(&list, 4, 0);
	g_assert_cmpuint(list.seen, ==, 0);
}

/* A jump waits for a view that has room. */
static void test_centre(void)
{
	struct list_view list = { .line = 6, .centre = true };

	list_view_scroll(&list, 0, N);
	g_assert_true(list.centre);
	list_view_scroll(&list, 4, N);
	g_assert_cmpuint(list.top, ==, 4);
	g_assert_false(list.centre);
}

static void test_move(void)
{
	struct list_view list = drawn_at(5, 3);

	g_assert_true(list_view_move(&list, UI_CMD_PAGE_DOWN, N));
	g_assert_cmpuint(list.line, ==, 8); /* one line of the page before stays in view */
	g_assert_true(list_view_move(&list, UI_CMD_PAGE_DOWN, N));
	g_assert_cmpuint(list.line, ==, 9);
	g_assert_true(list_view_move(&list, UI_CMD_ROW_FIRST, N));
	g_assert_true(list_view_move(&list, UI_CMD_ROW_UP, N));
	g_assert_cmpuint(list.line, ==, 0);
	g_assert_true(list_view_move(&list, UI_CMD_ROW_LAST, N));
	g_assert_cmpuint(list.line, ==, 9);
	g_assert_false(list_view_move(&list, UI_CMD_TIME_LEFT, N));
	list_view_go(&list, 0, 3); /* there are fewer lines now */
	g_assert_cmpuint(list.line, ==, 2);
	list_view_go(&list, 1, 0);
	g_assert_cmpuint(list.line, ==, 0);
}

static void test_point(void)
{
	struct list_view list = drawn_at(5, 3);

	g_assert_false(list_view_point(&list, 1, N));
	g_assert_false(list_view_point(&list, 6, N));
	g_assert_false(list_view_point(&list, 4, 5));
	g_assert_cmpuint(list.line, ==, 5);
	g_assert_true(list_view_point(&list, 3, N));
	g_assert_cmpuint(list.line, ==, 4);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/list-view/scroll", test_scroll);
	g_test_add_func("/list-view/short", test_short);
	g_test_add_func("/list-view/centre", test_centre);
	g_test_add_func("/list-view/move", test_move);
	g_test_add_func("/list-view/point", test_point);
	return g_test_run();
}
