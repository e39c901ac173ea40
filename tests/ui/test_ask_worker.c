/* SPDX-License-Identifier: MIT */
/* Questions answered beside the screen: answers, errors, dropped and replaced questions, and leaving
 * while one is open. */
#include "analysis/ana_fixture.h"
#include "base/base_error.h"
#include "ui/widget/ask_worker.h"

#define LONG 20000 /* ms: never reached if the code is right */

/* A question answered with its number; one that waits until it is cancelled; one without an answer; one
 * that offers all numbers below its own, and goes on once they are taken. */
struct question {
	enum { NUMBER, WAIT, FAIL, OFFER } kind;
	int number;
};

static gint begun, living;  /* questions that wait; answers not freed */
static gint taken_last;     /* the last number that was offered and taken */
static int offers, answers; /* taken by the pane */

static void *new_answer(int number)
{
	int *answer = g_new(int, 1);

	*answer = number;
	g_atomic_int_inc(&living);
	return answer;
}

static void *answer(struct qry *q, const void *data, struct base_progress *progress, GError **error)
{
	const struct question *question = data;

	for (int i = 1; question->kind == OFFER && i < question->number; i++) {
		ask_worker_offer(progress, new_answer(i));
		while (i > 1 && g_atomic_int_get(&taken_last) != i && !base_progress_cancelled(progress))
			g_usleep(500);
	}
	if (question->kind == WAIT) {
		g_atomic_int_inc(&begun);
		while (!base_progress_cancelled(progress))
			g_usleep(500);
	}
	if (question->kind == FAIL) {
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "no answer");
		return NULL;
	}
	return new_answer(question->number + (int)qry_row_count(q));
}

static void answer_free(void *number)
{
	g_atomic_int_add(&living, -1);
	g_free(number);
}

static void offered(struct ui_pane *pane, void *number)
{
	(void)pane;
	offers++;
	g_atomic_int_set(&taken_last, *(int *)number);
	answer_free(number);
}

static void taken(struct ui_pane *pane, void *number, GError *error)
{
	(void)pane;
	g_assert_no_error(error);
	answers++;
	answer_free(number);
}

static const struct ask_kind kind = { .size = sizeof(struct question),
	.answer = answer,
	.free = answer_free,
	.taken = taken,
	.offered = offered };

static struct qry *open_trace(void)
{
	struct ana_fixture *f = ana_fixture_open("pipeline");

	g_assert_nonnull(f);
	return ana_fixture_qry(f);
}

static void ask(struct ask_worker *w, int question, int number)
{
	struct question q = { .number = number };

	q.kind = question;
	ask_worker_ask(w, &q);
}

/* The next answer is NUMBER. */
static void expect(struct ask_worker *w, struct qry *q, int number)
{
	GError *error = NULL;
	void *result = NULL;

	g_assert_true(ask_worker_take(w, LONG, &result, &error));
	g_assert_no_error(error);
	g_assert_nonnull(result);
	g_assert_cmpint(*(int *)result, ==, number + (int)qry_row_count(q));
	answer_free(result);
	g_assert_false(ask_worker_busy(w));
}

static void wait_until_begun(gint n)
{
	while (g_atomic_int_get(&begun) < n)
		g_usleep(500);
}

static void test_answers(void)
{
	struct qry *q = open_trace();
	struct ask_worker *w = ask_worker_new(q, &kind);
	GError *error = NULL;
	void *result = NULL;

	g_assert_false(ask_worker_busy(w));
	g_assert_false(ask_worker_take(w, 0, &result, &error)); /* no question is open */
	for (int i = 0; i < 20; i++) {
		ask(w, NUMBER, i);
		expect(w, q, i);
	}
	ask(w, FAIL, 0);
	g_assert_true(ask_worker_take(w, LONG, &result, &error));
	g_assert_null(result);
	g_assert_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER);
	g_clear_error(&error);
	ask(w, NUMBER, 7);
	expect(w, q, 7);
	ask_worker_free(w);
	g_assert_cmpint(living, ==, 0);
}

/* Offers come one after the other, the answer last; none comes of a dropped question. */
static void test_offers(void)
{
	static const struct ui_pane_ops ops = { .name = "test" };
	struct ui_shell shell = { 0 };
	struct ui_pane pane = { .ops = &ops, .shell = &shell };
	struct ask_worker *w = ask_worker_new(open_trace(), &kind);

	ask(w, OFFER, 5);
	while (ask_worker_wait(w, &pane, ASK_SLICE))
		;
	g_assert_cmpint(taken_last, ==, 4);
	g_assert_cmpint(offers, >=, 3); /* the second may have come before the first was taken */
	g_assert_cmpint(answers, ==, 1);
	offers = 0;
	g_atomic_int_set(&taken_last, 0);
	ask(w, OFFER, 1000);
	while (offers == 0)
		ask_worker_wait(w, &pane, ASK_SLICE);
	ask_worker_cancel(w);
	offers = 0;
	g_assert_false(ask_worker_wait(w, &pane, 0));
	g_assert_cmpint(offers, ==, 0);
	ask_worker_free(w);
	g_assert_cmpint(living, ==, 0);
}

static void test_replaced(void)
{
	struct qry *q = open_trace();
	struct ask_worker *w = ask_worker_new(q, &kind);

	begun = 0;
	ask(w, WAIT, 1);
	wait_until_begun(1);
	g_assert_true(ask_worker_busy(w));
	ask(w, NUMBER, 2); /* stops the one that waits; its answer is not ours */
	expect(w, q, 2);
	for (int i = 0; i < 50; i++) /* only the last one is answered */
		ask(w, NUMBER, i);
	expect(w, q, 49);
	ask_worker_free(w);
	g_assert_cmpint(living, ==, 0);
}

static void test_cancelled(void)
{
	struct qry *q = open_trace();
	struct ask_worker *w = ask_worker_new(q, &kind);
	void *result = NULL;

	begun = 0;
	ask(w, WAIT, 1);
	wait_until_begun(1);
	g_assert_false(ask_worker_take(w, 1, &result, NULL));
	ask_worker_cancel(w);
	g_assert_false(ask_worker_busy(w));
	g_assert_false(ask_worker_take(w, 50, &result, NULL));
	ask(w, NUMBER, 3);
	expect(w, q, 3);
	ask(w, WAIT, 4);
	wait_until_begun(2);
	ask_worker_free(w); /* leaves with a question open */
	g_assert_cmpint(living, ==, 0);
}

/* ask_worker_stop(), by which panes stop a question: it leaves one message, and no question open. */
static void test_stopped(void)
{
	struct ask_worker *w = ask_worker_new(open_trace(), &kind);
	char *problem = g_strdup("old");
	GError *error = g_error_new_literal(BASE_ERROR, BASE_ERROR_NO_ANSWER, "no answer");

	g_assert_false(ask_worker_stop(NULL, &problem));
	g_assert_false(ask_worker_stop(w, &problem));
	g_assert_cmpstr(problem, ==, "old");
	begun = 0;
	ask(w, WAIT, 1);
	wait_until_begun(1);
	g_assert_true(ask_worker_stop(w, &problem));
	g_assert_true(g_str_has_prefix(problem, "stopped"));
	g_assert_false(ask_worker_stop(w, &problem));
	ask_worker_problem(&problem, error);
	g_assert_cmpstr(problem, ==, "no answer");
	ask_worker_problem(&problem, NULL);
	g_assert_null(problem);
	ask_worker_free(w);
	g_assert_cmpint(living, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/ui/ask-worker/answers", test_answers);
	g_test_add_func("/ui/ask-worker/offers", test_offers);
	g_test_add_func("/ui/ask-worker/replaced", test_replaced);
	g_test_add_func("/ui/ask-worker/cancelled", test_cancelled);
	g_test_add_func("/ui/ask-worker/stopped", test_stopped);
	return ana_fixture_run();
}
