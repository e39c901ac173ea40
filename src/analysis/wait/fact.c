/* SPDX-License-Identifier: MIT */
#include "analysis/wait/fact.h"

#define FACT(NAME, member, type) [MDL_FACT_NR_##NAME] = &ana_fact_##member,
const struct ana_fact_ops *const ana_fact_all[MDL_FACTS_N] = { MDL_FACTS(FACT) };

bool ana_fact_tells(const struct mdl_facts *facts, unsigned nr)
{
	const struct ana_fact_ops *fact = ana_fact_all[nr];

	return facts->has & 1u << nr && fact->kind_rank > 0 && (!fact->tells || fact->tells(facts));
}

const struct ana_fact_ops *ana_fact_teller(const struct mdl_facts *facts)
{
	const struct ana_fact_ops *best = NULL;

	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (ana_fact_tells(facts, i) && (!best || ana_fact_all[i]->kind_rank < best->kind_rank))
			best = ana_fact_all[i];
	return best;
}

const struct ana_fact_ops *ana_fact_next(const struct mdl_facts *facts, unsigned rank)
{
	const struct ana_fact_ops *next = NULL;

	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		if (facts->has & 1u << i && ana_fact_all[i]->rank > rank &&
			(!next || ana_fact_all[i]->rank < next->rank))
			next = ana_fact_all[i];
	return next;
}
