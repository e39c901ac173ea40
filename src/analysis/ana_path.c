/* SPDX-License-Identifier: MIT */
/* The path as others see it; it is found in ana_walk.c and put together in ana_pathbuf.c. */
#include "analysis/ana_path.h"

#include "analysis/ana_walk.h"
#include "base/base_error.h"
#include "base/base_time.h"

static bool no_answer(const struct qry *q, uint32_t row, const char *why, GError **error)
{
	char *label = qry_row_label(q, row);

	g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "%s %s", label, why);
	g_free(label);
	return false;
}

/* When thread ROW ended: until its parent has taken note of its exit it lives on in the trace, but does
 * nothing any more. */
static int64_t end_of_life(struct qry *q, const struct qry_row *row)
{
	struct mdl_interval iv;

	return qry_state_before(q, row->id, row->last, &iv) && iv.state == MDL_ST_EXITED
		? MAX(iv.from, row->first)
		: row->last;
}

/* Cut W to the life of thread ID: the time before and after is none that it waited, or that anybody spent for
 * it. */
static bool cut_window(struct qry *q, uint32_t id, struct ana_path_window *w, GError **error)
{
	const struct qry_row *row = qry_row(q, id);
	int64_t begin, end, exit;

	if (row->type != MDL_ROW_THREAD)
		return no_answer(q, id, "is no thread: only a thread has a path", error);
	if (row->nr == 0)
		return no_answer(q, id, "is the idle thread of its CPU: it does no work and has no path",
			error);
	qry_span(q, &begin, &end);
	exit = end_of_life(q, row);
	w->asked_from = w->from == BASE_TIME_NONE ? row->first : MAX(w->from, begin);
	w->asked_to = w->to == BASE_TIME_NONE ? exit : MIN(w->to, end);
	w->from = MAX(w->asked_from, row->first);
	w->to = MIN(w->asked_to, exit);
	if (w->to <= w->from)
		return no_answer(q, id, "does not live in that window: choose one that touches its life",
			error);
	if (w->from > w->asked_from)
		w->begins = row->born ? "created" : "first seen";
	if (w->to < w->asked_to)
		w->ends = row->died || exit < row->last ? "exited" : "last seen";
	return true;
}

struct ana_path *ana_path_new(struct qry *q, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress, GError **error)
{
	struct ana_path_window window = { .from = from, .to = to };
	struct ana_pathbuf *buf;

	if (!cut_window(q, row, &window, error))
		return NULL;
	buf = ana_pathbuf_new(q, row, &window);
	if (ana_walk(q, buf, row, window.from, window.to, progress))
		return ana_pathbuf_finish(buf);
	ana_pathbuf_free(buf);
	g_set_error(error, BASE_ERROR, BASE_ERROR_CANCELLED, "the search for the path was interrupted");
	return NULL;
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

const char *ana_segment_kind_name(enum ana_segment_kind kind)
{
	static const char *const names[ANA_SEG_N] = { [ANA_SEG_RUNNING] = "running",
		[ANA_SEG_SYSCALL] = "syscall",
		[ANA_SEG_INTERRUPTED] = "interrupted",
		[ANA_SEG_WAIT_CPU] = "wait-cpu",
		[ANA_SEG_PREEMPTED] = "preempted",
		[ANA_SEG_BLOCK] = "block",
		[ANA_SEG_FLUSH] = "flush",
		[ANA_SEG_NETWORK] = "network",
		[ANA_SEG_TIMER] = "timer",
		[ANA_SEG_TIMER_LATE] = "timer-late",
		[ANA_SEG_IPI] = "ipi",
		[ANA_SEG_IRQ] = "irq",
		[ANA_SEG_USER_INPUT] = "user-input",
		[ANA_SEG_VCPU_PREEMPTED] = "vcpu-preempted",
		[ANA_SEG_BLOCKED] = "blocked",
		[ANA_SEG_UNKNOWN] = "unknown" };

	return names[kind];
}

const char *ana_actor_type_name(enum ana_actor_type type)
{
	static const char *const names[] = { [ANA_ACTOR_THREAD] = "thread",
		[ANA_ACTOR_IRQ] = "irq",
		[ANA_ACTOR_DEVICE] = "device",
		[ANA_ACTOR_NETWORK] = "network",
		[ANA_ACTOR_VCPU] = "vcpu",
		[ANA_ACTOR_UNKNOWN] = "unknown" };

	return names[type];
}

const char *ana_link_kind_name(enum ana_link_kind kind)
{
	static const char *const names[] = { [ANA_LINK_WAKEUP] = "wakeup",
		[ANA_LINK_FORK] = "fork",
		[ANA_LINK_NETWORK] = "network",
		[ANA_LINK_IPI] = "ipi",
		[ANA_LINK_VM] = "vm" };

	return names[kind];
}
