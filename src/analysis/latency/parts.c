/* SPDX-License-Identifier: MIT */
#include "analysis/latency/parts.h"

#include "base/base_search.h"
#include "base/base_time.h"
#include "base/base_worst.h"

#define CLASSES 65 /* negative, 0, and one for each power of two below 2^63 */

struct ana_parts {
	uint32_t top, columns;
	int64_t *begins; /* of each column; owned */
	double per_ns;   /* columns */
	struct ana_latency_part parts[CLASSES];
};

/* Longest first; ties by start, then by row, so that the list is always the same. */
static int worst_first(const void *a, const void *b)
{
	const struct ana_latency_case *x = a, *y = b;

	return BASE_BY(y, x, latency) ?: BASE_BY(x, y, start) ?: BASE_BY(x, y, row);
}

static unsigned parts_class_of(int64_t latency)
{
	if (latency < 1)
		return latency < 0 ? 0 : 1;
	return 65u - (unsigned)__builtin_clzll((unsigned long long)latency);
}

struct ana_parts *ana_parts_new(const struct ana_latency_options *o)
{
	struct ana_parts *p = g_new0(struct ana_parts, 1);

	p->top = o->top;
	p->columns = o->columns;
	p->per_ns = (double)o->columns / (double)MAX(o->columns_to - o->from, 1);
	p->begins = g_new(int64_t, o->columns);
	for (uint32_t i = 0; i < o->columns; i++)
		p->begins[i] = base_time_column(o->from, o->columns_to, o->columns, i);
	return p;
}

static void part_clear(void *data)
{
	struct ana_latency_part *part = data;

	if (part->worst)
		g_array_unref(part->worst);
	g_free(part->columns);
}

void ana_parts_free(struct ana_parts *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < CLASSES; i++)
		part_clear(&p->parts[i]);
	g_free(p->begins);
	g_free(p);
}

/* The column in which START is; what is beyond an end counts to the column there. */
static uint32_t parts_column_of(const struct ana_parts *p, int64_t start)
{
	double guess = (double)(start - p->begins[0]) * p->per_ns;
	uint32_t c = guess <= 0 ? 0 : guess >= p->columns ? p->columns - 1 : (uint32_t)guess;

	while (c > 0 && p->begins[c] > start)
		c--;
	while (c + 1 < p->columns && p->begins[c + 1] <= start)
		c++;
	return c;
}

void ana_parts_add(struct ana_parts *p, const struct ana_latency_case *c)
{
	struct ana_latency_part *part = &p->parts[parts_class_of(c->latency)];
	struct ana_latency_case *worst;

	if (!part->worst) {
		part->worst = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_case));
		part->columns = g_new0(struct ana_latency_case, p->columns);
		for (uint32_t i = 0; i < p->columns; i++)
			part->columns[i].start = BASE_TIME_NONE;
	}
	base_worst_keep(part->worst, p->top, worst_first, c);
	worst = &part->columns[parts_column_of(p, c->start)];
	if (worst->start == BASE_TIME_NONE || worst_first(c, worst) < 0)
		*worst = *c;
}

GArray *ana_parts_copy(const struct ana_parts *p, const GArray *histogram)
{
	GArray *copies = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_part));

	g_array_set_clear_func(copies, part_clear);
	for (guint i = 0; i < histogram->len; i++) {
		const struct base_bucket *b = &g_array_index(histogram, struct base_bucket, i);
		struct ana_latency_part part = p->parts[parts_class_of(b->from)];

		if (part.worst) {
			part.worst = g_array_copy(part.worst);
			part.columns = g_memdup2(part.columns, p->columns * sizeof *part.columns);
		}
		g_array_append_val(copies, part);
	}
	return copies;
}

static void worst_of_parts(const struct ana_latency *l, unsigned first, unsigned end, uint32_t top,
	GArray *worst)
{
	for (unsigned i = end; i-- > first && worst->len < top;) { /* a class above has only worse ones */
		const GArray *more = g_array_index(l->parts, struct ana_latency_part, i).worst;

		if (more)
			g_array_append_vals(worst, more->data, more->len);
	}
	g_array_sort(worst, worst_first);
}

GArray *ana_latency_worst_of(const struct ana_latency *l, unsigned first, unsigned end, uint32_t top)
{
	GArray *worst = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_case));

	if (first == 0 && end == l->histogram->len && l->worst->len > 0)
		g_array_append_vals(worst, l->worst->data, l->worst->len);
	else
		worst_of_parts(l, first, end, top, worst);
	if (worst->len > top)
		g_array_set_size(worst, top);
	return worst;
}

const struct ana_latency_case *ana_latency_worst_in(const struct ana_latency *l, unsigned first, unsigned end,
	uint32_t column)
{
	for (unsigned i = end; i-- > first;) {
		const struct ana_latency_case *columns =
			g_array_index(l->parts, struct ana_latency_part, i).columns;

		if (columns && columns[column].start != BASE_TIME_NONE)
			return &columns[column];
	}
	return NULL;
}
