/* SPDX-License-Identifier: MIT */
/* The interface of paths. analysis/path/walk.c finds the path, analysis/path/pathbuf.c builds it. */
#include "analysis/path/path.h"

#include "analysis/wait/fact.h"
#include "analysis/wait/ipiwait.h"
#include "analysis/wait/polling.h"
#include "analysis/cpu/cpuwait.h"
#include "analysis/path/walk.h"
#include "base/base_error.h"
#include "base/base_time.h"

static bool no_answer(const struct qry *q, uint32_t row, const char *why, GError **error)
{
	g_autofree char *label = qry_row_label(q, row);

	return base_error_false(error, BASE_ERROR_NO_ANSWER, "%s %s", label, why);
}

bool ana_path_covers(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	const struct qry_row *thread = qry_row(q, row);
	int64_t begin, end, exit = qry_life_end(q, row);

	qry_span(q, &begin, &end);
	return from >= begin && to <= end && (!thread->born || from >= thread->first) &&
		((!thread->died && exit == thread->last) || to <= exit);
}

/* Cut W to the life of thread ID. Before and after it the thread waited for nothing, and no time was spent
 * for it. False with an error. */
static bool cut_window(struct qry *q, uint32_t id, struct ana_path_window *w, GError **error)
{
	const struct qry_row *row = qry_row(q, id);
	int64_t begin, end, exit;

	if (row->type != MDL_ROW_THREAD)
		return no_answer(q, id, "is not a thread: only a thread has a path", error);
	if (row->nr == 0)
		return no_answer(q, id, "is the idle thread of its CPU: it does no work and has no path",
			error);
	qry_span(q, &begin, &end);
	exit = qry_life_end(q, id);
	w->asked_from = w->from == BASE_TIME_NONE ? row->first : MAX(w->from, begin);
	w->asked_to = w->to == BASE_TIME_NONE ? exit : MIN(w->to, end);
	w->from = MAX(w->asked_from, row->first);
	w->to = MIN(w->asked_to, exit);
	if (w->to <= w->from)
		return no_answer(q, id, "does not exist in this window: choose a window in which it exists",
			error);
	if (w->from > w->asked_from)
		w->begins = row->born ? "created" : "first seen";
	if (w->to < w->asked_to)
		w->ends = row->died || exit < row->last ? "exited" : "last seen";
	return true;
}

static void actor_clear(void *data)
{
	struct ana_actor *a = data;

	g_free(a->name);
	g_free(a->label);
}

static struct ana_path *new_path(uint32_t subject, const struct ana_path_window *window)
{
	struct ana_path *p = g_new0(struct ana_path, 1);

	p->subject = subject;
	p->window = *window;
	p->from = window->from;
	p->to = window->to;
	p->segments = g_array_new(FALSE, FALSE, sizeof(struct ana_segment));
	p->links = g_array_new(FALSE, FALSE, sizeof(struct ana_link));
	p->actors = g_array_new(FALSE, FALSE, sizeof(struct ana_actor));
	g_array_set_clear_func(p->actors, actor_clear);
	p->sources = g_array_new(FALSE, FALSE, sizeof(struct ana_source));
	p->summary = g_array_new(FALSE, FALSE, sizeof(struct ana_summary));
	return p;
}

static bool find_path(struct qry *q, struct ana_pathbuf *buf, const struct ana_path *path,
	struct base_progress *progress, GError **error)
{
	return ana_walk(q, buf, path->subject, path->from, path->to, progress) ||
		base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
}

struct ana_path *ana_path_new(struct qry *q, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress, GError **error)
{
	struct ana_path_window window = { .from = from, .to = to };
	struct ana_path *path;
	struct ana_pathbuf *buf;
	bool whole;

	if (!cut_window(q, row, &window, error))
		return NULL;
	qry_works_find(q); /* load them for ana_path_detail(), which the screen calls */
	path = new_path(row, &window);
	buf = ana_pathbuf_new(q, path);
	whole = find_path(q, buf, path, progress, error);
	if (whole)
		ana_pathbuf_finish(buf);
	else
		g_clear_pointer(&path, ana_path_free);
	ana_pathbuf_free(buf);
	return path;
}

void ana_path_free(struct ana_path *path)
{
	if (!path)
		return;
	g_array_unref(path->segments);
	g_array_unref(path->links);
	g_array_unref(path->actors);
	g_array_unref(path->sources);
	g_array_unref(path->summary);
	g_free(path);
}

/* ---- paths one after the other ---- */

struct ana_path_maker {
	struct qry *q;           /* weak */
	struct ana_path *path;   /* owned; NULL until the first path */
	struct ana_pathbuf *buf; /* owned */
};

struct ana_path_maker *ana_path_maker_new(struct qry *q)
{
	struct ana_path_maker *m = g_new0(struct ana_path_maker, 1);

	m->q = q;
	return m;
}

void ana_path_maker_free(struct ana_path_maker *maker)
{
	if (!maker)
		return;
	ana_pathbuf_free(maker->buf);
	ana_path_free(maker->path);
	g_free(maker);
}

const struct ana_path *ana_path_maker_next(struct ana_path_maker *maker, uint32_t row, int64_t from,
	int64_t to, struct base_progress *progress, GError **error)
{
	struct ana_path_window window = { .from = from, .to = to };

	if (!cut_window(maker->q, row, &window, error))
		return NULL;
	if (!maker->path) {
		maker->path = new_path(row, &window);
		maker->buf = ana_pathbuf_new(maker->q, maker->path);
	} else {
		maker->path->subject = row;
		maker->path->window = window;
		maker->path->from = window.from;
		maker->path->to = window.to;
		ana_pathbuf_again(maker->buf);
	}
	if (!find_path(maker->q, maker->buf, maker->path, progress, error))
		return NULL;
	ana_pathbuf_turn(maker->buf);
	return maker->path;
}

/* ---- segments in words ---- */

static char *state_text(const struct qry *q, const struct ana_detail *d)
{
	struct mdl_interval iv = { .state = (uint8_t)d->state, .detail = d->value, .aux = d->cpu };

	return qry_detail_text(q, d->row, &iv);
}

/* The reason of the wait of D. NULL if only the segment's kind and actor are known. The caller frees. */
static char *purpose_text(struct qry *q, const struct ana_detail *d)
{
	uint32_t host = qry_row(q, d->row)->host;
	struct mdl_cause cause;

	if (d->cause == 0 || !qry_cause(q, host, d->cause, &cause))
		return NULL;
	for (unsigned i = 0; i < MDL_FACTS_N; i++) {
		const struct ana_fact_ops *fact = ana_fact_all[i];

		if (ana_fact_tells(&cause.facts, i) && ana_kind_look(fact->kind)->segment != ANA_SEG_RUNNING)
			return fact->words(q, host, &cause.facts, NULL);
	}
	return NULL;
}

/* The owners of the CPU while the timer was late, in SEGMENT: "late: the idle CPU 1 2.05 ms". NULL if none is
 * known. The caller frees. */
static char *late_text(struct qry *q, const struct ana_segment *segment)
{
	const struct ana_detail *d = &segment->detail;
	uint32_t host = qry_row(q, d->row)->host;
	struct mdl_cause cause;
	g_autofree char *who = NULL;

	if (d->cause == 0 || !qry_cause(q, host, d->cause, &cause) || !(cause.facts.has & MDL_FACT_TIMER))
		return NULL;
	who = ana_late_text(q, host, &cause.facts.timer, segment->from, segment->to);
	return who ? g_strconcat("late: ", who, NULL) : NULL;
}

/* Append the time that the packet between hosts was on its way in SEGMENT: "on the way 2.1 ms ± 0.3 ms". */
static void append_way(GString *text, const struct ana_segment *segment)
{
	const struct ana_crossing *c = &segment->crossing;
	int64_t length = segment->to - segment->from;
	char *way = base_time_format_duration(length, false), *error;

	g_string_append_printf(text, "%son the way %s", text->len > 0 ? "; " : "", way);
	g_free(way);
	if (c->error == INT64_MAX)
		return;
	error = base_time_format_duration(c->error, false);
	g_string_append_printf(text, " ± %s%s", error,
		c->error > length ? ", shorter than the clocks can tell" : "");
	g_free(error);
}

static char *waiter_text(struct qry *q, const struct ana_segment *segment)
{
	const struct ana_detail *d = &segment->detail;
	g_autofree char *who = qry_row_label(q, d->row), *how = state_text(q, d);
	g_autofree char *purpose = segment->kind == ANA_SEG_TIMER_LATE ? late_text(q, segment)
								       : purpose_text(q, d);
	GString *text = g_string_new(NULL);

	if (d->vector != 0)
		g_string_append_printf(text, "interrupt %" G_GUINT32_FORMAT "%s", d->vector,
			d->text ? ", " : "");
	g_string_append(text, d->text ? d->text : "");

	if (segment->crossing.crossed && segment->crossing.timed)
		append_way(text, segment);
	if (purpose)
		g_string_append_printf(text, "%s%s", text->len > 0 ? ": " : "", purpose);
	g_string_append_printf(text, "%swait of %s%s%s", text->len > 0 ? "; " : "", who, how ? ", " : "",
		how ? how : "");
	return g_string_free(text, FALSE);
}

/* "mpi:barrier: goes on after rank1[512]", or only the name. NULL: no declared wait. The caller frees. */
static char *waiting_text(struct qry *q, const struct ana_segment *segment)
{
	const struct qry_spin *spin = qry_spin_before(q, segment->row, segment->to);
	g_autofree char *by = spin && spin->by != MDL_NONE ? qry_row_label(q, spin->by) : NULL;

	if (!spin)
		return NULL;
	return by ? g_strdup_printf("%s: goes on after %s", spin->name, by) : g_strdup(spin->name);
}

bool ana_path_ipi_wait(const struct qry *q, const struct ana_segment *segment, struct mdl_ipi_wait *wait)
{
	return segment->kind == ANA_SEG_IPI_WAIT && qry_ipi_wait_before(q, segment->row, segment->to, wait);
}

/* The kernel's work for memory of the thread of SEGMENT: "in memcg reclaim (inferred)", or for a part "in
 * memcg reclaim for 12 µs (inferred)". NULL if there is none. The caller frees. */
static char *memory_text(struct qry *q, const struct ana_segment *segment)
{
	const char *name = NULL;
	g_autofree char *length = NULL;
	int64_t ns = 0;

	for (const struct qry_spin *work =
			segment->row == MDL_NONE ? NULL : qry_work_after(q, segment->row, segment->from);
		work && work->from < segment->to; work = qry_work_after(q, segment->row, work->to)) {
		name = !name || name == work->name ? work->name : "the kernel's work for memory";
		ns += MIN(work->to, segment->to) - MAX(work->from, segment->from);
	}
	if (!name || ns == segment->to - segment->from)
		return name ? g_strdup_printf("in %s (inferred)", name) : NULL;
	length = base_time_format_duration(ns, false);
	return g_strdup_printf("in %s for %s (inferred)", name, length);
}

static char *detail_text(struct qry *q, const struct ana_segment *segment)
{
	const struct ana_detail *d = &segment->detail;
	struct mdl_ipi_wait wait;
	struct ana_polling run;

	switch (d->kind) {
	case ANA_DETAIL_TEXT: return g_strdup(d->text);
	case ANA_DETAIL_STATE:
		if (mdl_state_runs(d->state) && ana_polling_at(q, segment->row, segment->from, &run))
			return g_strdup_printf("polling: %s", run.name);
		return state_text(q, d);
	case ANA_DETAIL_OCCUPANTS:
		return ana_occupants_text(q, qry_row(q, d->row)->host, d->cpu, segment->from, segment->to,
			false);
	case ANA_DETAIL_IPI_WAIT:
		return ana_path_ipi_wait(q, segment, &wait) ? ana_ipiwait_text(q, &wait) : NULL;
	case ANA_DETAIL_WAITING: return waiting_text(q, segment);
	case ANA_DETAIL_WAITER: return waiter_text(q, segment);
	case ANA_DETAIL_NONE: break;
	}
	return NULL;
}

char *ana_path_detail(struct qry *q, const struct ana_segment *segment)
{
	char *text = detail_text(q, segment), *memory = memory_text(q, segment), *both;

	if (!text || !memory)
		return text ? text : memory;
	both = g_strconcat(text, "; ", memory, NULL);
	g_free(text);
	g_free(memory);
	return both;
}
