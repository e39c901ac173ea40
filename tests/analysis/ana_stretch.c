/* SPDX-License-Identifier: MIT */
#include "analysis/ana_stretch.h"

#include "analysis/ana_fixture.h"

static void check_segment(struct qry *q, const struct ana_path *p, guint i, const struct ana_stretch *wanted)
{
	const struct ana_segment *s = ana_fixture_segment(p, i);
	char *detail = ana_path_detail(q, s);

	g_test_message("segment %u from %d: %s", i, (int)s->from, detail);
	g_assert_cmpint(s->from, ==, wanted->from);
	g_assert_cmpint(s->to, ==, wanted->to);
	g_assert_cmpstr(ana_fixture_actor(p, s)->name, ==, wanted->actor);
	g_assert_cmpstr(ana_segment_kind_name(s->kind), ==, ana_segment_kind_name(wanted->kind));
	g_assert_cmpuint(s->depth, ==, wanted->depth);
	if (wanted->detail)
		g_assert_true(g_str_has_prefix(detail, wanted->detail));
	g_free(detail);
}

void ana_stretch_check(struct qry *q, const struct ana_path *p, const struct ana_stretch *wanted, guint n)
{
	for (guint i = 0; i < MIN(n, p->segments->len); i++)
		check_segment(q, p, i, &wanted[i]);
	g_assert_cmpuint(p->segments->len, ==, n);
}
