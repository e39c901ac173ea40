/* SPDX-License-Identifier: MIT */
/*
 * Slow against fast, of the requests of wk-client: four of them (c) ask the db, four sleep 10 ms (s), four do
 * neither (h).  The db's part was read by hand in babeltrace2's text: from the switch to its
 * wk-server (TID 412) to the reply's net_dev_queue of 67 bytes, by its own clock.
 */
#include "analysis/compare/compare.h"
#include "analysis/ana_fixture.h"
#include "base/base_error.h"
#include "base/base_time.h"

#include <math.h>
#include <string.h>

/* …284.073672 to .305805877, .371914951 to .392944850, .459966211 to .481500887, .553042831 to .574119664. */
#define DB_MEAN ((21732205 + 21029899 + 21534676 + 21076833) / 4)

static struct ana_compare_options options_of(enum ana_compare_by by, unsigned threads)
{
	return (struct ana_compare_options){ .by = by,
		.slow = ANA_COMPARE_GAP,
		.at = NAN,
		.threads = threads };
}

static struct ana_compare *compare(struct qry *q, enum ana_compare_by by, unsigned threads)
{
	struct ana_compare_options o = options_of(by, threads);
	struct ana_set *set = ana_set_find(q, "requests:wk-client", BASE_TIME_NONE, BASE_TIME_NONE, NULL,
		NULL);
	struct ana_compare *c;

	g_assert_nonnull(set);
	g_assert_cmpuint(set->intervals->len, ==, 12);
	c = ana_compare_new(q, set, NULL, NULL, &o, NULL, NULL);
	g_assert_nonnull(c);
	ana_set_free(set);
	return c;
}

static const struct ana_compare_row *row_at(const struct ana_compare *c, guint i)
{
	return &g_array_index(c->rows, struct ana_compare_row, i);
}

/* Rows sum, on each side and in all. */
static void check_sums(const struct ana_compare *c)
{
	int64_t mean[2] = { 0, 0 }, difference = 0;

	for (guint i = 0; i < c->rows->len; i++) {
		const struct ana_compare_row *r = row_at(c, i);

		mean[0] += r->in[0].mean;
		mean[1] += r->in[1].mean;
		difference += r->difference;
		g_assert_cmpint(r->difference, ==, r->in[0].mean - r->in[1].mean);
	}
	g_assert_cmpint(mean[0], ==, c->side[0].figures.mean);
	g_assert_cmpint(mean[1], ==, c->side[1].figures.mean);
	g_assert_cmpint(difference, ==, c->difference);
}

/* The row of a step in words; the test fails where there is none. */
static const struct ana_compare_row *row_of(const struct ana_compare *c, const char *text)
{
	for (guint i = 0; i < c->rows->len; i++) {
		g_autofree char *own = ana_fold_step_text(c->fold, row_at(c, i)->step);

		if (g_str_equal(own, text))
			return row_at(c, i);
	}
	g_error("no row is \"%s\"", text);
	return NULL;
}

#define DB "client/wk-client > httpd/wk-server > db/wk-server "

static void check_db(const struct ana_compare *c)
{
	static const char *const kinds[] = { DB "running", DB "interrupted", DB "preempted" };
	int64_t there = 0;

	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
		const struct ana_compare_row *r = row_of(c, kinds[i]);

		g_assert_cmpuint(r->in[ANA_COMPARE_FAST].count, ==, 0);
		there += r->in[ANA_COMPARE_SLOW].mean;
	}
	/* The rates of the two clocks differ by less than a ten-thousandth. */
	g_assert_cmpint(llabs(there - DB_MEAN), <, DB_MEAN / 10000);
	g_assert_true(row_at(c, 0) == row_of(c, DB "running"));
	g_assert_cmpint(row_at(c, 0)->class, ==, ANA_COMPARE_STRUCTURE);
	g_assert_cmpuint(row_at(c, 0)->in[ANA_COMPARE_SLOW].count, ==, 4);
}

static void test_duration(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");
	struct ana_compare *c = compare(ana_fixture_qry(f), ANA_COMPARE_BY_DURATION, 2);

	g_assert_true(c->gap.found);
	g_assert_cmpuint(c->side[ANA_COMPARE_SLOW].figures.count, ==, 4);
	g_assert_cmpuint(c->side[ANA_COMPARE_FAST].figures.count, ==, 8);
	check_sums(c);
	check_db(c);
	ana_compare_free(c);
}

static void test_structure(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");
	struct ana_compare *c = compare(ana_fixture_qry(f), ANA_COMPARE_BY_STRUCTURE, 2);
	static const char *const expected[] = { "client/wk-client, httpd/wk-server, db/wk-server",
		"client/wk-client, httpd/wk-server",
		"client/wk-client, httpd/wk-server, httpd/hrtimer timer" };

	g_assert_cmpuint(c->groups->len, ==, 3);
	for (guint i = 0; i < 3; i++) {
		const struct ana_compare_group *g = &g_array_index(c->groups, struct ana_compare_group, i);

		g_assert_cmpstr(g->name, ==, expected[i]);
		g_assert_cmpuint(g->figures.count, ==, 4);
	}
	check_sums(c);
	check_db(c);
	ana_compare_free(c);
}

/* The result does not depend on the number of threads that compute it. */
static void test_threads(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");
	struct ana_compare *one = compare(ana_fixture_qry(f), ANA_COMPARE_BY_DURATION, 1);
	struct ana_compare *more = compare(ana_fixture_qry(f), ANA_COMPARE_BY_DURATION, 3);

	g_assert_cmpuint(one->rows->len, ==, more->rows->len);
	for (guint i = 0; i < one->rows->len; i++) {
		g_autofree char *a = ana_fold_step_text(one->fold, row_at(one, i)->step);
		g_autofree char *b = ana_fold_step_text(more->fold, row_at(more, i)->step);

		g_assert_cmpstr(a, ==, b);
		g_assert_cmpint(row_at(one, i)->difference, ==, row_at(more, i)->difference);
		g_assert_true(memcmp(&row_at(one, i)->p, &row_at(more, i)->p, sizeof(double)) == 0);
		g_assert_true(
			memcmp(row_at(one, i)->in, row_at(more, i)->in, sizeof row_at(one, i)->in) == 0);
	}
	ana_compare_free(one);
	ana_compare_free(more);
}

/* The set described by TEXT, in a file. */
static struct ana_set *set_of_file(struct qry *q, const char *text)
{
	g_autofree char *file = g_build_filename(g_get_tmp_dir(), "set", NULL);
	struct ana_set *set;

	g_assert_true(g_file_set_contents(file, text, -1, NULL));
	set = ana_set_find(q, file, BASE_TIME_NONE, BASE_TIME_NONE, NULL, NULL);
	g_assert_nonnull(set);
	return set;
}

static void test_refused(void)
{
	ANA_FIXTURE_OR_SKIP(f, "rpc-chain");
	struct qry *q = ana_fixture_qry(f);
	static const char *const wrong[] = { "between:a", "between:..b", "between:a..b\nentry = c",
		"/nowhere/to/be/found" };
	struct ana_compare_options o = options_of(ANA_COMPARE_BY_DURATION, 1);
	struct ana_set *one = set_of_file(q, "client/wk-client 10:05:51.202748494 10:05:51.221980666");
	struct ana_set *two = set_of_file(q,
		"client/wk-client 10:05:51.202748494 10:05:51.221980666\n"
		"client/wk-client 10:05:51.250794223 10:05:51.301611754\n");
	struct base_progress progress;
	GError *error = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_assert_null(ana_set_find(q, wrong[i], BASE_TIME_NONE, BASE_TIME_NONE, NULL, &error));
		g_assert_error(error, BASE_ERROR, BASE_ERROR_USAGE);
		g_clear_error(&error);
	}
	/* There is nothing to compare with. */
	g_assert_null(ana_compare_new(q, one, NULL, NULL, &o, NULL, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER);
	g_clear_error(&error);
	g_assert_cmpuint(two->intervals->len, ==, 2);
	o.slow = ANA_COMPARE_TOP;
	o.top = 0.5;
	base_progress_init(&progress);
	base_progress_cancel(&progress);
	g_assert_null(ana_compare_new(q, two, NULL, NULL, &o, &progress, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_CANCELLED);
	g_clear_error(&error);
	ana_set_free(one);
	ana_set_free(two);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/compare/duration", test_duration);
	g_test_add_func("/compare/structure", test_structure);
	g_test_add_func("/compare/threads", test_threads);
	g_test_add_func("/compare/refused", test_refused);
	return ana_fixture_run();
}
