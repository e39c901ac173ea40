/* SPDX-License-Identifier: MIT */
/* Where the wake-up arrived. */
#include "analysis/wait/fact.h"

#include "analysis/kind/words.h"
#include "base/base_time.h"

/* The wake-up crossed to another CPU. */
static void add_hop(struct ana_why_maker *m, const struct mdl_facts *facts)
{
	const struct mdl_arrival *arrival = &facts->arrival;
	struct mdl_act act = { .time = arrival->time,
		.entry = arrival->entry,
		.cpu = arrival->cpu,
		.context = arrival->context,
		.thread = MDL_NONE };
	char *label = arrival->context != MDL_NONE ? ana_words_act(m->q, m->why->source.host, &act)
						   : g_strdup_printf("CPU %u", arrival->cpu);
	g_autofree char *flight = base_time_format_duration(arrival->time - m->why->to, false);
	struct ana_why_hop *hop = ana_why_hop_add(m, label);

	hop->text = g_strdup_printf("took the wake-up over %s later", flight);
	hop->cpu = arrival->cpu;
	hop->from = arrival->context != MDL_NONE ? arrival->entry : arrival->time;
	hop->to = arrival->time;
	ana_why_evidence_of_entry(m, &act);
	ana_why_evidence_add(m, "sched_wakeup", arrival->time, arrival->cpu);
}

const struct ana_fact_ops ana_fact_arrival = { .after = add_hop };
