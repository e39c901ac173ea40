/* SPDX-License-Identifier: MIT */
/* The part of the waits of a thread that was a loss: time between pieces of its work. */
#include "analysis/overview/parts.h"

#include "analysis/wait/source.h"
#include "base/base_time.h"
#include "query/host/tracer.h"

#include <string.h>

#define WORKS 20 /* see works() */

int64_t ana_overview_length(struct qry *q, uint32_t row)
{
	return qry_life_end(q, row) - qry_row(q, row)->first;
}

int64_t ana_overview_spun(struct qry *q, uint32_t row)
{
	const struct qry_spin *s = qry_spin_after(q, row, INT64_MIN);
	int64_t time = 0;

	for (; s; s = qry_spin_after(q, row, s->to))
		time += s->to - s->from;
	return time;
}

/* True if thread ROW works: it runs for at least 1/WORKS of its life, or was started for recording. */
static bool works(struct qry *q, uint32_t row)
{
	struct qry_cell life = qry_life(q, row);

	return qry_cell_on_cpu(&life) >= ana_overview_length(q, row) / WORKS || qry_is_recorded(q, row);
}

/* True if time of thread ROW in the cause E was lost between pieces of its work; WORKING: works(ROW). */
static bool is_loss(struct qry *q, uint32_t row, const struct ana_causes_entry *e, bool working, bool any)
{
	if (any)
		return e->kind != ANA_KIND_UNKNOWN && !ana_causes_is_own_sleep(e);
	switch (e->kind) {
	case ANA_KIND_PREEMPTED:
	case ANA_KIND_WAIT_CPU:
	case ANA_KIND_THROTTLED:
	case ANA_KIND_IPI_WAIT:
	case ANA_KIND_WAITING:
	case ANA_KIND_MEMORY:
	case ANA_KIND_BLOCK: return true;
	case ANA_KIND_TIMER: return g_str_has_prefix(e->name, "late: ");
	case ANA_KIND_UNKNOWN:
	case ANA_KIND_NETWORK: /* requests cover it */
	case ANA_KIND_FORK:    /* the parent waits in vfork(2) until the child calls exec */
	case ANA_KIND_USER_INPUT: return false;
	/* If a worker or an interrupt woke it, and the thread or line behind that is unknown, it most likely
	 * slept. */
	case ANA_KIND_WORKQUEUE:
	case ANA_KIND_IRQ:
		if (e->threads == 0 && (e->kind == ANA_KIND_WORKQUEUE || e->row == MDL_NONE))
			return false;
		/* fall through */
	default: return working && e->host == qry_row(q, row)->host && !ana_overview_is_remote_shell(e->name);
	}
}

/* True if WAKER is a child of thread ROW or of its process, or another thread of that process, and exited: at
 * TIME or before, or later without having been blocked since TIME. */
static bool is_end_of_child(struct qry *q, uint32_t row, uint32_t waker, int64_t time)
{
	uint32_t parent = waker == MDL_NONE ? MDL_NONE : qry_row(q, waker)->parent;
	int64_t end;
	struct qry_cell cell;

	if (waker == MDL_NONE || waker == row ||
		(parent != row && qry_row(q, waker)->process != qry_row(q, row)->process &&
			(parent == MDL_NONE || qry_row(q, parent)->process != qry_row(q, row)->process)))
		return false;
	end = qry_life_end(q, waker);
	if (end >= qry_row(q, waker)->last && !qry_row(q, waker)->died)
		return false;
	if (time >= end)
		return true;
	qry_share(q, waker, time, end, &cell);
	return cell.ns[MDL_ST_BLOCKED] == 0;
}

/* ns that thread ROW waited for the exit of a child or of another thread of its process. */
static int64_t ends_of_children(struct qry *q, uint32_t row)
{
	uint64_t n = qry_wakeup_count(q, row);
	struct mdl_wakeup w;
	int64_t sum = 0;

	for (uint64_t i = 0; i < n && qry_wakeup_get(q, row, i, &w); i++) {
		struct ana_source s;

		if (w.since == MDL_NEVER || w.via == MDL_VIA_NEW)
			continue;
		s = ana_source_of(q, row, &w);
		if (is_end_of_child(q, row, s.thread, w.time))
			sum = base_time_sum(sum, w.time - w.since);
	}
	return sum;
}

bool ana_overview_is_loss(struct qry *q, uint32_t row, const struct ana_causes_entry *e)
{
	return is_loss(q, row, e, works(q, row), false);
}

/* Add those of ENTRIES to L that are losses, given whether the thread of L is WORKING. */
static void sum_up(struct ana_overview_losses *l, const GArray *entries, bool working, bool any)
{
	for (guint i = 0; i < entries->len; i++) {
		const struct ana_causes_entry *e = &g_array_index(entries, struct ana_causes_entry, i);
		struct ana_overview_kind *k = &l->kinds[e->kind];

		if (is_loss(l->q, l->row, e, false, any))
			l->direct = base_time_sum(l->direct, e->total);
		if (!is_loss(l->q, l->row, e, working, any))
			continue;
		l->count += e->count;
		k->time = base_time_sum(k->time, e->total);
		if (!k->most.label) /* entries come by time, most first */
			k->most = *e;
		else if (!k->next.label)
			k->next = *e;
	}
}

/* Set the two kinds of L that took most. */
static void find_kinds(struct ana_overview_losses *l)
{
	l->first = 0;
	for (unsigned i = 0; i < ANA_OVERVIEW_KINDS; i++)
		if (l->kinds[i].time > l->kinds[l->first].time)
			l->first = i;
	l->second = l->first == 0 ? 1 : 0;
	for (unsigned i = 0; i < ANA_OVERVIEW_KINDS; i++)
		if (i != l->first && l->kinds[i].time > l->kinds[l->second].time)
			l->second = i;
}

void ana_overview_lose(struct ana_overview_losses *l, struct qry *q, uint32_t row, const GArray *causes,
	const GArray *stolen, bool any)
{
	struct ana_overview_kind *taken = &l->kinds[ANA_OVERVIEW_STOLEN],
				 *threads = &l->kinds[ANA_KIND_THREAD];
	struct qry_cell life = qry_life(q, row);
	bool working = works(q, row);

	l->q = q;
	l->row = row;
	l->life = ana_overview_length(q, row);
	l->ran = qry_cell_ran(&life);
	for (guint i = 0; stolen && i < stolen->len; i++) {
		const struct ana_causes_entry *e = &g_array_index(stolen, struct ana_causes_entry, i);

		taken->time = base_time_sum(taken->time, e->total);
		taken->most = i == 0 ? *e : taken->most;
		taken->next = i == 1 ? *e : taken->next;
		l->count += e->count;
	}
	l->direct = taken->time;
	sum_up(l, causes, working, any);
	l->ran -= MIN(l->ran, l->kinds[ANA_KIND_IPI_WAIT].time); /* it ran until other CPUs took its IPI */
	for (unsigned i = 0; i < ANA_OVERVIEW_KINDS; i++)
		l->all = base_time_sum(l->all, l->kinds[i].time);
	l->ends = working && !any ? ends_of_children(q, row) : 0;
	l->lost = l->all;
	/* Its waits for threads were mostly waits for the exit of children, which are no loss. */
	if (l->ends > threads->time / 2) {
		l->lost -= threads->time;
		threads->time = 0;
	}
	find_kinds(l);
}
