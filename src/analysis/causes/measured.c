/* SPDX-License-Identifier: MIT */
/* Causes as a measurement. */
#include "analysis/causes/parts.h"

#include "analysis/kind/kind.h"
#include "analysis/latency/measure.h"

struct whole {
	const GArray *values;
	bool told;
};

/* All values are one piece. */
static const int64_t *next_piece(void *data, size_t *n)
{
	struct whole *w = data;

	w->told = !w->told && w->values->len > 0;
	*n = w->values->len;
	return w->told ? (const int64_t *)(const void *)w->values->data : NULL;
}

/* Sort VALUES, and set F to their figures, and HISTOGRAM (unless NULL). */
static void figure(GArray *values, struct base_figures *f, GArray **histogram)
{
	struct whole w = { values, false };
	struct base_numbers numbers = { next_piece, &w };

	ana_tally_sort((int64_t *)(void *)values->data, values->len);
	base_figures_find(&numbers, f, histogram, NULL);
}

/* A measurement of all VALUES (of int64_t, ns; taken), without groups and cases. */
static struct ana_latency *measured_new(GArray *values)
{
	struct ana_latency *l = g_new0(struct ana_latency, 1);

	l->kind = "causes";
	l->values = values;
	figure(values, &l->all, &l->histogram);
	l->groups = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_group));
	g_array_set_clear_func(l->groups, ana_latency_group_clear);
	l->classes = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_group));
	l->worst = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_case));
	return l;
}

struct ana_latency *ana_causes_table_measured(struct ana_causes_table *t)
{
	struct ana_latency *l = measured_new(g_steal_pointer(&t->waits));
	bool by_name = t->by == ANA_CAUSES_BY_NAME || t->by == ANA_CAUSES_BY_CGROUP,
	     hosts = by_name && qry_host_count(t->q) > 1;
	gpointer value;
	GHashTableIter iter;

	g_hash_table_iter_init(&iter, t->by_key);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct ana_causes_entry *e = value;
		const char *host = hosts ? qry_host(t->q, e->host)->name : "";

		struct ana_latency_group group = { .id = l->groups->len,
			.name = g_strdup_printf("%s: %s%s%s", ana_kind_name(e->kind), host, hosts ? "/" : "",
				by_name ? e->name : e->label),
			.values = g_steal_pointer(&e->values) };

		figure(group.values, &group.figures, NULL);
		g_array_append_val(l->groups, group);
	}
	return l;
}
