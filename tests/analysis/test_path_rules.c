/* SPDX-License-Identifier: MIT */
/* Invariants of every path: of each thread of each trace at hand, over its whole life and over a part of
 * it. */
#include "analysis/ana_fixture.h"
#include "base/base_time.h"

#include <math.h>
#include <string.h>

static void check_actors(const struct qry *q, const struct ana_path *p)
{
	uint32_t seen = 1; /* the subject is 0 even when it has no time */

	g_assert_cmpuint(g_array_index(p->actors, struct ana_actor, 0).row, ==, p->subject);
	for (guint i = 0; i < p->segments->len; i++) {
		const struct ana_segment *s = ana_fixture_segment(p, i);
		const struct ana_actor *a = ana_fixture_actor(p, s);

		g_assert_cmpuint(s->actor, <=, seen);
		seen += s->actor == seen;
		g_assert_true(a->name && a->label && *a->label);
		/* The idle thread is never an actor. */
		if (a->type == ANA_ACTOR_THREAD)
			g_assert_cmpint(qry_row(q, a->row)->nr, !=, 0);
		else
			g_assert_cmpuint(a->row, ==, MDL_NONE);
	}
	g_assert_cmpuint(seen, ==, p->actors->len);
}

/* A thread's own segment is part of its own history, with the state recorded there. */
static void check_states(struct qry *q, const struct ana_path *p)
{
	static const enum ana_segment_kind kinds[MDL_ST_N] = { [MDL_ST_UNKNOWN] = ANA_SEG_UNKNOWN,
		[MDL_ST_USERMODE] = ANA_SEG_RUNNING,
		[MDL_ST_RUNNING] = ANA_SEG_RUNNING,
		[MDL_ST_SYSCALL] = ANA_SEG_SYSCALL,
		[MDL_ST_INTERRUPTED] = ANA_SEG_INTERRUPTED,
		[MDL_ST_WAIT_CPU] = ANA_SEG_WAIT_CPU,
		[MDL_ST_NEW] = ANA_SEG_WAIT_CPU,
		[MDL_ST_PREEMPTED] = ANA_SEG_PREEMPTED,
		[MDL_ST_BLOCKED] = ANA_SEG_BLOCKED,
		[MDL_ST_EXITED] = ANA_SEG_UNKNOWN };

	for (guint i = 0; i < p->segments->len; i++) {
		const struct ana_segment *s = ana_fixture_segment(p, i);
		const struct ana_actor *a = ana_fixture_actor(p, s);
		struct mdl_interval iv;

		if (a->type != ANA_ACTOR_THREAD)
			continue;
		if (!qry_state_at(q, a->row, s->from, &iv)) { /* outside its life */
			g_assert_cmpint(s->kind, ==, ANA_SEG_UNKNOWN);
			continue;
		}
		g_assert_cmpint(s->to, <=, iv.to);
		if (s->kind == ANA_SEG_THROTTLED) /* a part of a wait for a CPU */
			g_assert_true(iv.state == MDL_ST_PREEMPTED || iv.state == MDL_ST_WAIT_CPU);
		else if (s->kind == ANA_SEG_IPI_WAIT) /* the thread spins */
			g_assert_true(mdl_state_runs(iv.state));
		else
			g_assert_cmpint(s->kind, ==, kinds[iv.state]);
	}
}

static void check_links(const struct ana_path *p)
{
	guint next = 0;

	for (guint i = 0; i + 1 < p->segments->len; i++) {
		const struct ana_segment *s = ana_fixture_segment(p, i),
					 *after = ana_fixture_segment(p, i + 1);
		const struct ana_link *l = next < p->links->len
			? &g_array_index(p->links, struct ana_link, next)
			: NULL;
		bool linked = l && l->from == i;
		int64_t end;

		if (s->depth > after->depth) /* the thread handed over to the one that waited for it */
			g_assert_true(linked);
		if (!linked)
			continue;
		g_assert_cmpuint(l->to, ==, i + 1);
		/* A packet comes before the wake-up it caused, and may have left before its sender waited. */
		if (l->kind == ANA_LINK_NETWORK) {
			g_assert_cmpint(l->at, <=, s->to);
			end = ana_fixture_end_of_wait(p, i + 1);
			g_assert_true(l->arrival >= l->at && (l->arrival <= end || end == p->to));
		} else {
			g_assert_cmpint(l->at, ==, s->to);
			g_assert_cmpint(l->arrival, ==, l->at);
		}
		next++;
	}
	g_assert_cmpuint(next, ==, p->links->len);
}

/* True if AFTER is the next part of the wait that S is a part of, or a thread's action within it. */
static bool goes_on(const struct ana_segment *s, const struct ana_segment *after)
{
	if (after->depth > s->depth)
		return true;
	return s->depth == after->depth && after->detail.kind == ANA_DETAIL_WAITER &&
		s->detail.kind == ANA_DETAIL_WAITER && s->detail.row == after->detail.row &&
		s->detail.cause == after->detail.cause;
}

static void check_sources(struct qry *q, const struct ana_path *p)
{
	for (guint i = 0; i < p->segments->len; i++) {
		const struct ana_segment *s = ana_fixture_segment(p, i);
		const struct ana_source *source;
		char *text;

		if (s->source == UINT32_MAX) {
			/* a part of a wait has no source; its last part has one,
			 * unless the window ends before */
			g_assert_true(s->kind <= ANA_SEG_THROTTLED || s->kind == ANA_SEG_IPI_WAIT ||
				s->kind >= ANA_SEG_VCPU_PREEMPTED ||
				(i + 1 == p->segments->len ? s->to == p->to
							   : goes_on(s, ana_fixture_segment(p, i + 1))));
			continue;
		}
		g_assert_cmpuint(s->source, <, p->sources->len);
		source = &g_array_index(p->sources, struct ana_source, s->source);
		g_assert_true(
			source->wakeup.time == s->to || (source->wakeup.time > p->to && s->to == p->to));
		g_assert_true(
			(source->kind == ANA_KIND_UNKNOWN) == (mdl_grade_of(source->doubts) == MDL_UNSURE));
		text = ana_source_text(q, source);
		g_assert_cmpuint(strlen(text), >, 0);
		g_free(text);
	}
}

static void check_summary(const struct ana_path *p)
{
	int64_t sum = 0, last = INT64_MAX;
	guint segments = 0;
	double share = 0;

	for (guint i = 0; i < p->summary->len; i++) {
		const struct ana_summary *s = &g_array_index(p->summary, struct ana_summary, i);

		g_assert_cmpint(s->time, <=, last);
		last = s->time;
		sum += s->time;
		share += s->share;
		segments += s->segments;
	}
	g_assert_cmpint(sum, ==, p->to - p->from);
	g_assert_cmpuint(segments, ==, p->segments->len);
	g_assert_cmpfloat(fabs(share - 1), <, 1e-6);
}

/* The time for which ROW lived in a window: from its creation to its exit. */
static int64_t lived(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	GArray *states = to > from ? qry_states(q, row, from, to)
				   : g_array_new(FALSE, FALSE, sizeof(struct mdl_interval));
	int64_t sum = 0;

	for (guint i = 0; i < states->len; i++) {
		const struct mdl_interval *iv = &g_array_index(states, struct mdl_interval, i);

		sum += iv->state == MDL_ST_EXITED ? 0 : iv->to - iv->from;
	}
	g_array_unref(states);
	return sum;
}

static void check_path(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	const struct qry_row *r = qry_row(q, row);
	int64_t life = r->nr != 0
		? lived(q, row, MAX(from, r->first), to == BASE_TIME_NONE ? r->last : MIN(to, r->last))
		: 0;
	struct ana_path *p = ana_path_new(q, row, from, to, NULL, NULL);

	g_assert_true((life > 0) == !!p);
	if (!p)
		return;
	g_assert_cmpint(p->to - p->from, ==, life);
	ana_fixture_check_cover(p);
	check_actors(q, p);
	check_states(q, p);
	check_links(p);
	check_sources(q, p);
	check_summary(p);
	ana_path_free(p);
}

static void test_trace(const void *name)
{
	struct ana_fixture *f = ana_fixture_open(name);
	struct qry *q = ana_fixture_qry(f);
	unsigned threads = 0;

	for (uint32_t row = 0; row < qry_row_count(q); row++) {
		const struct qry_row *r = qry_row(q, row);
		int64_t third = (r->last - r->first) / 3;

		if (r->type != MDL_ROW_THREAD)
			continue;
		threads++;
		check_path(q, row, BASE_TIME_NONE, BASE_TIME_NONE);
		check_path(q, row, r->first - third, r->first + third);
		check_path(q, row, r->first + third, r->last - third);
	}
	g_assert_cmpuint(threads, >, 2);
	ana_fixture_close_all();
}

static void add_tests(char **traces)
{
	for (char **name = traces; *name; name++) {
		char *path = g_strdup_printf("/path-rules/%s", *name);

		g_test_add_data_func(path, *name, test_trace);
		g_free(path);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	add_tests(ana_fixture_names());
	add_tests(ana_fixture_inputs());
	return ana_fixture_run();
}
