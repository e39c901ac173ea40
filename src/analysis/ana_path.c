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

static bool cut_window(const struct qry *q, uint32_t id, int64_t *from, int64_t *to, GError **error)
{
	const struct qry_row *row = qry_row(q, id);
	int64_t begin, end;

	if (row->type != MDL_ROW_THREAD)
		return no_answer(q, id, "is no thread: only a thread has a path", error);
	if (row->nr == 0)
		return no_answer(q, id, "is the idle thread of its CPU: it does no work and has no path", error);
	qry_span(q, &begin, &end);
	if (*from == BASE_TIME_NONE || !row->born)
		begin = row->first;
	*from = MAX(*from, begin);
	*to = *to == BASE_TIME_NONE ? row->last : MIN(*to, row->last);
	if (*to <= MAX(*from, row->first))
		return no_answer(q, id, "does not live in that window: choose one that touches its life", error);
	return true;
}

struct ana_path *ana_path_new(struct qry *q, uint32_t row, int64_t from, int64_t to, struct base_progress *progress,
			      GError **error)
{
	struct ana_pathbuf *buf;

	if (!cut_window(q, row, &from, &to, error))
		return NULL;
	buf = ana_pathbuf_new(q, row, from, to);
	if (ana_walk(q, buf, row, from, to, progress))
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
	static const char *const names[ANA_SEG_N] = {
		[ANA_SEG_RUNNING] = "running", [ANA_SEG_SYSCALL] = "syscall", [ANA_SEG_INTERRUPTED] = "interrupted",
		[ANA_SEG_WAIT_CPU] = "wait-cpu", [ANA_SEG_PREEMPTED] = "preempted", [ANA_SEG_BLOCK] = "block",
		[ANA_SEG_NETWORK] = "network", [ANA_SEG_TIMER] = "timer", [ANA_SEG_IPI] = "ipi", [ANA_SEG_IRQ] = "irq",
		[ANA_SEG_USER_INPUT] = "user-input", [ANA_SEG_VCPU_PREEMPTED] = "vcpu-preempted",
		[ANA_SEG_BLOCKED] = "blocked", [ANA_SEG_UNKNOWN] = "unknown",
	};

	return names[kind];
}

const char *ana_actor_type_name(enum ana_actor_type type)
{
	static const char *const names[] = {
		[ANA_ACTOR_THREAD] = "thread", [ANA_ACTOR_IRQ] = "irq", [ANA_ACTOR_DEVICE] = "device",
		[ANA_ACTOR_NETWORK] = "network", [ANA_ACTOR_VCPU] = "vcpu", [ANA_ACTOR_UNKNOWN] = "unknown",
	};

	return names[type];
}

const char *ana_link_kind_name(enum ana_link_kind kind)
{
	static const char *const names[] = {
		[ANA_LINK_WAKEUP] = "wakeup", [ANA_LINK_FORK] = "fork", [ANA_LINK_NETWORK] = "network",
		[ANA_LINK_IPI] = "ipi", [ANA_LINK_VM] = "vm",
	};

	return names[kind];
}
