/* SPDX-License-Identifier: MIT */
#include "analysis/ana_rules_lost.h"

#define UNKNOWN_CPU (MDL_NONE - 1) /* what is not known to be of one may be of any */

struct lost_gap {
	uint32_t host, cpu;
	int64_t from, to;
};

struct ana_rules_lost {
	GArray *gaps; /* of struct lost_gap, by their begin */
	guint next;   /* the first of them that has not begun */
	/* Host and CPU, as id_of() has them → int64_t, the latest end of those that have; owned. */
	GHashTable *until;
};

static uint64_t id_of(uint32_t host, uint32_t cpu)
{
	return (uint64_t)host << 32 | cpu;
}

static int by_begin(const void *a, const void *b)
{
	const struct lost_gap *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

struct ana_rules_lost *ana_rules_lost_new(const struct qry *q)
{
	struct ana_rules_lost *l = g_new0(struct ana_rules_lost, 1);

	l->gaps = g_array_new(FALSE, FALSE, sizeof(struct lost_gap));
	l->until = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	for (uint32_t host = 0; host < qry_host_count(q); host++) {
		const GArray *gaps = qry_host(q, host)->gaps;

		for (guint i = 0; i < gaps->len; i++) {
			const struct idx_gap *gap = &g_array_index(gaps, struct idx_gap, i);
			struct lost_gap lost = { host, gap->cpu, gap->from, gap->to };

			g_array_append_val(l->gaps, lost);
		}
	}
	g_array_sort(l->gaps, by_begin);
	return l;
}

void ana_rules_lost_free(struct ana_rules_lost *l)
{
	if (!l)
		return;
	g_array_unref(l->gaps);
	g_hash_table_unref(l->until);
	g_free(l);
}

static int64_t until(const struct ana_rules_lost *l, uint32_t host, uint32_t cpu)
{
	uint64_t id = id_of(host, cpu);
	const int64_t *to = g_hash_table_lookup(l->until, &id);

	return to ? *to : INT64_MIN;
}

static void note(struct ana_rules_lost *l, uint32_t host, uint32_t cpu, int64_t to)
{
	uint64_t id = id_of(host, cpu);
	int64_t latest = MAX(to, until(l, host, cpu));

	g_hash_table_insert(l->until, g_memdup2(&id, sizeof id), g_memdup2(&latest, sizeof latest));
}

void ana_rules_lost_go(struct ana_rules_lost *l, int64_t now)
{
	for (; l->next < l->gaps->len; l->next++) {
		const struct lost_gap *gap = &g_array_index(l->gaps, struct lost_gap, l->next);

		if (gap->from >= now)
			return;
		note(l, gap->host, gap->cpu == MDL_NONE ? UNKNOWN_CPU : gap->cpu, gap->to);
		note(l, gap->host, MDL_NONE, gap->to);
		note(l, MDL_NONE, MDL_NONE, gap->to);
	}
}

int64_t ana_rules_lost_until(const struct ana_rules_lost *l, uint32_t host, uint32_t cpu)
{
	return MAX(until(l, host, cpu), until(l, host, UNKNOWN_CPU));
}
