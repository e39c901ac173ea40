/* SPDX-License-Identifier: MIT */
#include "analysis/ana_measured.h"

#include "analysis/ana_tally.h"

struct whole {
	const GArray *values;
	bool told;
};

/* All of them are one piece. */
static const int64_t *next_piece(void *data, size_t *n)
{
	struct whole *w = data;

	w->told = !w->told && w->values->len > 0;
	*n = w->values->len;
	return w->told ? (const int64_t *)(const void *)w->values->data : NULL;
}

/* Sort VALUES, and find their figures in F, the histogram unless NULL. */
static void figure(GArray *values, struct base_figures *f, GArray **histogram)
{
	struct whole w = { values, false };
	struct base_numbers numbers = { next_piece, &w };

	ana_tally_sort(values);
	base_figures_find(&numbers, f, histogram, NULL);
}

struct ana_latency *ana_measured_new(const char *kind, GArray *values)
{
	struct ana_latency *l = g_new0(struct ana_latency, 1);

	l->kind = kind;
	l->values = values;
	figure(values, &l->all, &l->histogram);
	l->groups = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_group));
	g_array_set_clear_func(l->groups, ana_latency_group_clear);
	l->worst = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_case));
	return l;
}

void ana_measured_add(struct ana_latency *l, char *name, GArray *values)
{
	struct ana_latency_group group = { .id = l->groups->len, .name = name, .values = values };

	figure(values, &group.figures, NULL);
	g_array_append_val(l->groups, group);
}
