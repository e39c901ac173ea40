/* SPDX-License-Identifier: MIT */
/*
 * The model knows the sender of the IPI, the CPUs that it went to, and the last of them that took it
 * (model/cause/ipiwait.c). The events do not show if the sending function waits; they have only its address.
 * Its name shows it (proofs.md R27.3).
 */
#include "analysis/wait/ipiwait.h"

#include "analysis/kind/kind.h"
#include "analysis/wait/fact.h"
#include "query/symbols/symbols.h"

#include <inttypes.h>

const char *ana_ipiwait_caller(struct qry *q, const struct mdl_ipi_wait *wait)
{
	return wait->caller != 0 ? qry_symbol(q, qry_row(q, wait->row)->host, wait->caller) : NULL;
}

/* True for functions that wait in each of their calls: those of kernel/sched/membarrier.c, and
 * kick_all_cpus_sync() of kernel/smp.c. */
static bool always_waits(const char *caller)
{
	return caller &&
		(g_str_has_prefix(caller, "membarrier_") || g_str_equal(caller, "kick_all_cpus_sync"));
}

mdl_doubts ana_ipiwait_doubts(struct qry *q, const struct mdl_ipi_wait *wait)
{
	return always_waits(ana_ipiwait_caller(q, wait)) ? wait->doubts : wait->doubts | MDL_DOUBT(WAY);
}

/* True if the IPI went to one CPU. */
static bool is_one(const struct mdl_ipi_wait *wait)
{
	return (wait->cpus & (wait->cpus - 1)) == 0;
}

char *ana_ipiwait_cpus(const struct mdl_ipi_wait *wait)
{
	GString *text = g_string_new(NULL);

	for (unsigned cpu = 0; cpu < 64; cpu++) {
		unsigned last = cpu;

		if (!(wait->cpus >> cpu & 1))
			continue;
		while (last < 63 && wait->cpus >> (last + 1) & 1)
			last++;
		g_string_append_printf(text, "%s%u", text->len > 0 ? "," : "", cpu);
		if (last > cpu)
			g_string_append_printf(text, "-%u", last);
		cpu = last;
	}
	return g_string_free(text, FALSE);
}

char *ana_ipiwait_text(struct qry *q, const struct mdl_ipi_wait *wait)
{
	const char *caller = ana_ipiwait_caller(q, wait);
	bool one = is_one(wait);
	g_autofree char *cpus = ana_ipiwait_cpus(wait),
			*last = one ? NULL : g_strdup_printf(", last CPU %" PRIu32, wait->last);

	return g_strdup_printf("waited for CPU%s %s to take an IPI%s%s%s", one ? "" : "s", cpus,
		last ? last : "", caller ? ": " : "", caller ? caller : "");
}

/* The interrupt in which the last CPU took the IPI. */
static struct mdl_act last_act(struct qry *q, const struct mdl_ipi_wait *wait)
{
	struct mdl_act act = { .time = wait->to,
		.entry = wait->entry,
		.cpu = wait->last,
		.context = MDL_NONE,
		.thread = MDL_NONE };
	uint32_t row = qry_cpu_row(q, qry_row(q, wait->row)->host, wait->last);
	struct mdl_interval iv;

	if (row != MDL_NONE && qry_state_at(q, row, wait->entry, &iv) && iv.state == MDL_ST_INTERRUPTED)
		act.context = iv.detail;
	return act;
}

struct ana_why *ana_ipiwait_why(struct qry *q, const struct mdl_ipi_wait *wait)
{
	struct ana_why *why = ana_why_empty(q, wait->row, wait->from, wait->to);
	struct ana_why_maker m = { .q = q, .why = why };
	g_autofree char *cpus = ana_ipiwait_cpus(wait);
	struct mdl_act last = last_act(q, wait);
	struct ana_why_hop *hop;
	bool one = is_one(wait);

	why->source.kind = ANA_KIND_IPI_WAIT;
	why->source.doubts = ana_ipiwait_doubts(q, wait);
	why->headline = ana_ipiwait_text(q, wait);
	hop = ana_why_hop_add(&m, qry_row_label(q, wait->row));
	hop->text = g_strdup_printf("sent an IPI to CPU%s %s", one ? "" : "s", cpus);
	hop->row = wait->row;
	hop->cpu = wait->cpu;
	hop->from = hop->to = wait->from;
	ana_why_evidence_add(&m,
		wait->caller == 0 ? "ipi_raise"
			: one     ? "ipi_send_cpu"
				  : "ipi_send_cpumask",
		wait->from, wait->cpu);
	hop = ana_why_hop_add(&m, g_strdup_printf("CPU %" PRIu32, wait->last));
	hop->text = g_strdup(one ? "took the IPI" : "took the IPI last");
	hop->row = qry_cpu_row(q, why->source.host, wait->last);
	hop->cpu = wait->last;
	hop->from = wait->entry;
	hop->to = wait->to;
	hop->doubts = why->source.doubts;
	ana_why_evidence_of_entry(&m, &last);
	return why;
}

bool ana_ipiwait_longest(const struct qry *q, uint32_t row, int64_t from, int64_t to,
	struct mdl_ipi_wait *wait)
{
	struct mdl_ipi_wait w;
	int64_t longest = 0, at = from;

	while (qry_ipi_wait_after(q, row, at, &w) && w.from < to) {
		int64_t part = MIN(w.to, to) - MAX(w.from, from);

		if (part > longest) {
			longest = part;
			*wait = w;
		}
		at = w.to;
	}
	return longest > 0;
}

bool ana_ipiwait_back(const struct qry *q, uint32_t row, const struct mdl_interval *interval, int64_t *time,
	struct mdl_ipi_wait *wait)
{
	bool any = qry_ipi_wait_before(q, row, *time, wait);
	bool within = any && wait->to >= *time;

	if (!within)
		*time = any ? MAX(wait->to, interval->from) : interval->from;
	else
		*time = MAX(wait->from, interval->from);
	return within;
}
