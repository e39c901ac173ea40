/* SPDX-License-Identifier: MIT */
/*
 * How it works: the causes of waits for a CPU are its owners, thread by thread, interrupts by themselves
 * (ana_blame), or an exhausted quota (ana_cpuwait_split()).
 *
 * On a busy host hundreds of threads wait for the same CPU at the same time, and each wait counts for all
 * owners meanwhile.  So the owners of each CPU are found once for a stretch of time (analysis/causes/line.c),
 * and looked up for all waits that begin in the stretch.  The part of a wait far beyond the stretch is asked
 * for by itself.
 */
#include "analysis/causes/parts.h"

struct wait {
	struct ana_causes_cpus *c;
	uint32_t host, row;
	enum ana_kind kind;
	struct ana_wait_near near;
	mdl_doubts doubts; /* of the current interval */
};

static void add_beyond(void *data, const struct ana_blame_part *span)
{
	const struct wait *w = data;

	ana_causes_put_down(w->c, span, w->kind, w->doubts);
}

/* Count [FROM, TO) of W, a wait for CPU, for the owners of CPU. */
static void put_down(struct wait *w, uint32_t cpu, int64_t from, int64_t to)
{
	if (from < MIN(to, w->c->limit))
		from = ana_causes_turns(w->c, ana_causes_line(w->c, w->host, cpu, to), w->kind, from, to,
			w->doubts);
	if (from < to)
		ana_blame_spans(w->c->t->q, w->host, cpu, from, to, add_beyond, w);
}

bool ana_causes_waits(const struct ana_causes_states *s, guint at)
{
	const struct mdl_interval *iv = &s->all[at];

	return ana_causes_is_queued(iv) || (iv->state == MDL_ST_NEW && ana_cpuwait_is(s->q, s->row, iv));
}

guint ana_causes_cpu_end(const struct ana_causes_states *s, guint at)
{
	guint end = at + 1;

	while (ana_causes_waits(s, at) && end < s->n && s->all[end].from == s->all[end - 1].to &&
		s->all[end].state == s->all[at].state)
		end++;
	return end;
}

/* Set the known intervals before and after state AT of S. */
static void look_around(struct wait *w, const struct ana_causes_states *s, guint at)
{
	const struct mdl_interval *first = &s->all[at];
	struct ana_causes_line *line;

	w->near.next = at + 1 < s->n && first[1].from == first->to ? first + 1 : NULL;
	while (first > s->all && ana_causes_is_queued(first) && first[-1].to == first->from)
		first--;
	w->near.first = NULL;
	w->near.left = ANA_NEAR_UNKNOWN;
	if (ana_causes_is_queued(first)) /* the list of states may begin in the middle of the wait */
		return;
	w->near.first = ++first;
	if (first->state != MDL_ST_PREEMPTED || first->aux == MDL_NONE || first->from < w->c->from)
		return;
	line = ana_causes_line(w->c, w->host, first->aux, first->to);
	if (first->from < line->to)
		w->near.left = ana_causes_idle_at(w->c, line, first->from) ? ANA_NEAR_IDLE : ANA_NEAR_BUSY;
}

/* Count the part in [FROM, TO) of IV for an exhausted quota and for the owners of the CPU. */
static void put_down_interval(struct wait *w, const struct mdl_interval *iv, int64_t from, int64_t to)
{
	struct ana_cpuwait_part parts[ANA_CPUWAIT_PARTS];
	struct ana_causes_table *t = w->c->t;
	unsigned n = ana_cpuwait_split(t->q, w->row, iv, &w->near, parts);

	for (unsigned i = 0; i < n; i++) {
		int64_t begin = MAX(parts[i].from, from), end = MIN(parts[i].to, to);

		w->doubts = ana_cpuwait_doubts(t->q, w->row, iv, &w->near, &parts[i]);
		if (!parts[i].quota)
			put_down(w, iv->aux, begin, end);
		else if (begin < end)
			ana_causes_add(t,
				ana_causes_of_thing(t, ANA_KIND_THROTTLED, w->host, MDL_NONE,
					g_strdup(parts[i].quota)),
				end - begin, w->doubts);
	}
}

/* Go from IV to the next interval of the same wait: the thread may move to the queue of another CPU. */
static bool waits_on(const struct wait *w, struct mdl_interval *iv)
{
	struct mdl_interval next;

	if (!qry_kernel_state_at(w->c->t->q, w->row, iv->to, &next) || next.from != iv->to ||
		next.state != iv->state)
		return false;
	*iv = next;
	return true;
}

guint ana_causes_cpu_wait(struct ana_causes_cpus *c, const struct ana_causes_states *s, guint at,
	int64_t from, int64_t to)
{
	guint end = ana_causes_cpu_end(s, at);
	struct wait w = { .c = c,
		.host = qry_row(c->t->q, s->row)->host,
		.row = s->row,
		.kind = s->all[at].state == MDL_ST_PREEMPTED ? ANA_KIND_PREEMPTED : ANA_KIND_WAIT_CPU,
		.near = s->near };
	struct mdl_interval iv = s->all[end - 1];

	for (; at < end && s->all[at].from < to; at++) {
		look_around(&w, s, at);
		put_down_interval(&w, &s->all[at], from, to);
		iv = s->all[at];
	}
	w.near.first = w.near.next = NULL;
	w.near.left = ANA_NEAR_UNKNOWN;
	while (end == s->n && iv.to < to && waits_on(&w, &iv))
		put_down_interval(&w, &iv, from, to);
	ana_causes_end_wait(c->t, s->row, iv.to);
	return end;
}
