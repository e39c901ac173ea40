/* SPDX-License-Identifier: MIT */
/* What the chunks that refer to series check them with. */
#include "index/verify/parts.h"

#include <stddef.h>

void idx_verify_time(struct idx_verify *v, const struct idx_child *at, int64_t time)
{
	if (v->has_last && time < v->last_time)
		idx_verify_found_at(&v->tree, at, "times step back");
	v->last_time = time;
	v->has_last = true;
}

void idx_verify_walk(struct idx_verify *v, const struct idx_ref *ref, uint8_t kind, uint32_t row,
	uint8_t row_type, idx_verify_leaf leaf)
{
	v->has_last = false;
	v->tree.leaf = leaf;
	v->tree.series = idx_load_series(v->r, ref, kind, row, row_type);
	idx_verify_series(&v->tree);
}

/* ---- what a cause says ---- */

/* TIMES of N instants, MDL_NEVER where there is none, do not step back and lie in [FROM, TO]. */
static bool in_order(const int64_t *times, unsigned n, int64_t from, int64_t to)
{
	for (unsigned i = 0; i < n; i++) {
		if (times[i] == MDL_NEVER)
			continue;
		if (times[i] < from || times[i] > to)
			return false;
		from = times[i];
	}
	return true;
}

bool idx_verify_act(const struct mdl_act *act, int64_t from, int64_t to)
{
	const int64_t times[] = { act->entry, act->time };

	return in_order(times, 2, from, to);
}

/* The times that OPS says are in order. */
static bool fact_in_order(const struct mdl_fact_ops *ops, const struct mdl_facts *facts, int64_t from,
	int64_t to)
{
	int64_t times[sizeof ops->order / sizeof *ops->order];
	unsigned n = 0;

	for (; n < sizeof times / sizeof *times && ops->order[n] != 0; n++)
		times[n] = *(const int64_t *)mdl_fact_peek(facts, ops->order[n]);
	return in_order(times, n, from, to) && (!ops->check || ops->check(facts, from));
}

/* The acts of a fact with OPS, where there were any. */
static bool acts_in_order(const struct mdl_fact_ops *ops, const struct mdl_facts *facts, int64_t from,
	int64_t to)
{
	for (const struct mdl_field *f = ops->fields; f->type != MDL_FIELD_END; f++) {
		const struct mdl_act *act = mdl_fact_peek(facts, f->at);

		if (f->type == MDL_FIELD_ACT && act->time != MDL_NEVER && !idx_verify_act(act, from, to))
			return false;
	}
	return true;
}

const char *idx_verify_cause(const struct mdl_cause *cause, int64_t from, int64_t to)
{
	static const char bad_act[] =
		"an act in a cause lies outside the trace, or before the interrupt in which it happened";

	for (unsigned i = 0; i < cause->chain.n; i++) {
		const struct mdl_act *act = &cause->chain.hops[i].act;

		if (!idx_verify_act(act, from, to))
			return bad_act;
		if (i > 0 && act->time < cause->chain.hops[i - 1].act.time)
			return "the steps of a cause are out of order";
	}
	for (unsigned i = 0; i < MDL_FACTS_N; i++) {
		if (!(cause->facts.has & 1u << i))
			continue;
		if (!acts_in_order(mdl_fact_all[i], &cause->facts, from, to))
			return bad_act;
		if (!fact_in_order(mdl_fact_all[i], &cause->facts, from, to))
			return "the times of what is in a cause are out of order";
	}
	return NULL;
}
