/* SPDX-License-Identifier: MIT */
/*
 * How it works: the wait is taken whole, also where the thread was moved from the queue of one CPU to that of
 * another meanwhile. Whoever had the CPU in each part (ana_blame) has a turn for each of its stays.  What
 * made a turn so is read from the two threads that change places, at that instant (ana_cpuwait_why.c).
 */
#include "analysis/ana_cpuwait_parts.h"

static bool waits(const struct mdl_interval *iv)
{
	return iv->state == MDL_ST_PREEMPTED || iv->state == MDL_ST_WAIT_CPU || iv->state == MDL_ST_NEW;
}

static void add_span(void *data, const struct ana_blame_part *span)
{
	GArray *turns = data;
	struct ana_turn *last = turns->len > 0 ? &g_array_index(turns, struct ana_turn, turns->len - 1)
					       : NULL;
	struct ana_turn turn = { .cpu = span->cpu,
		.row = span->beneath,
		.known = span->what != ANA_BLAME_UNKNOWN,
		.from = span->from,
		.to = span->to,
		.interrupted = span->context != MDL_NONE ? span->time : 0,
		.grade = ANA_UNKNOWN,
		.before = MDL_NONE,
		.woken = MDL_NEVER };

	if (last && last->cpu == turn.cpu && last->row == turn.row && last->known == turn.known) {
		last->to = turn.to;
		last->interrupted += turn.interrupted;
	} else {
		g_array_append_val(turns, turn);
	}
}

struct ana_blame *ana_cpuwait_blame(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	uint32_t host = qry_row(q, row)->host;
	struct ana_blame *blame = ana_blame_of_cpu(q, host, MDL_NONE, from, from);
	GArray *states = qry_states(q, row, from, to);

	for (guint i = 0; i < states->len; i++) {
		const struct mdl_interval *iv = &g_array_index(states, struct mdl_interval, i);
		struct ana_blame *part = ana_blame_of_cpu(q, host, iv->aux, iv->from, iv->to);

		ana_blame_merge(blame, part);
		ana_blame_free(part);
	}
	g_array_unref(states);
	return blame;
}

struct ana_cpuwait *ana_cpuwait_new(struct qry *q, uint32_t row, int64_t time)
{
	struct ana_cpuwait *wait;
	struct mdl_interval iv, before;

	if (qry_row(q, row)->type != MDL_ROW_THREAD || !qry_state_at(q, row, time, &iv) || !waits(&iv))
		return NULL;
	while (qry_state_before(q, row, iv.from, &before) && before.to == iv.from && waits(&before))
		iv = before;
	wait = g_new(struct ana_cpuwait, 1);
	*wait = (struct ana_cpuwait){ .row = row,
		.from = iv.from,
		.to = iv.from,
		.preempted = iv.state == MDL_ST_PREEMPTED,
		.turns = g_array_new(FALSE, FALSE, sizeof(struct ana_turn)) };
	do {
		ana_blame_spans(q, qry_row(q, row)->host, iv.aux, iv.from, iv.to, add_span, wait->turns);
		wait->to = iv.to;
	} while (qry_state_at(q, row, wait->to, &iv) && iv.from == wait->to && waits(&iv));
	wait->blame = ana_cpuwait_blame(q, row, wait->from, wait->to);
	for (guint i = 0; i < wait->turns->len; i++)
		ana_cpuwait_why(q, wait, &g_array_index(wait->turns, struct ana_turn, i));
	return wait;
}

void ana_cpuwait_free(struct ana_cpuwait *wait)
{
	if (!wait)
		return;
	g_array_unref(wait->turns);
	ana_blame_free(wait->blame);
	g_free(wait);
}
