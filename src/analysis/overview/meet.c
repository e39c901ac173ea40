/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait for each other, like the ranks of an MPI program: finds the one that the others waited
 * for most.
 *
 * How it works: spans of one name are a meeting if threads have equally many of them, and all spans with one
 * number share an instant: no thread leaves before the last one has come.  The others waited for the last
 * one, each from when it came.  This is true of barriers, also of threads that wait on their CPUs, where
 * nothing wakes them.
 */
#include "analysis/overview/parts.h"

#include "base/base_search.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>

#define SEVERAL 8 /* spans that share an instant with that of the last thread, at least */

static int by_row(const void *a, const void *b)
{
	const struct ana_overview_case *x = a, *y = b;

	return BASE_BY(x, y, row) ?: BASE_BY(x, y, start);
}

void ana_overview_wait_add(GArray *waits, uint32_t waiter, uint32_t target, int64_t from, int64_t to,
	int64_t time)
{
	struct ana_overview_wait new = { .waiter = waiter, .target = target }, *w = NULL;

	for (guint i = 0; i < waits->len && !w; i++) {
		w = &g_array_index(waits, struct ana_overview_wait, i);
		w = w->waiter == waiter && w->target == target ? w : NULL;
	}
	if (!w) {
		g_array_append_val(waits, new);
		w = &g_array_index(waits, struct ana_overview_wait, waits->len - 1);
	}
	w->time = base_time_sum(w->time, time);
	w->count++;
	if (to - from > w->to - w->from) {
		w->from = from;
		w->to = to;
	}
}

static int longest_first(const void *a, const void *b)
{
	const struct ana_overview_wait *x = a, *y = b;

	return BASE_BY(y, x, time) ?: BASE_BY(x, y, waiter);
}

void ana_overview_meeting_clear(struct ana_overview_meeting *m)
{
	g_clear_pointer(&m->name, g_free);
	g_clear_pointer(&m->waits, g_array_unref);
}

/* ns of WAITS for TARGET. */
static int64_t waited_for(const GArray *waits, uint32_t target)
{
	int64_t sum = 0;

	for (guint i = 0; i < waits->len; i++) {
		const struct ana_overview_wait *w = &g_array_index(waits, struct ana_overview_wait, i);

		sum = w->target == target ? base_time_sum(sum, w->time) : sum;
	}
	return sum;
}

void ana_overview_meeting_take(struct ana_overview_meeting *best, struct ana_overview_meeting *m,
	GArray *waits)
{
	m->last = MDL_NONE;
	for (guint i = 0; i < waits->len; i++) {
		uint32_t target = g_array_index(waits, struct ana_overview_wait, i).target;
		int64_t sum = waited_for(waits, target);

		if (sum > m->waited || (sum == m->waited && target < m->last)) {
			m->waited = sum;
			m->last = target;
		}
	}
	for (guint i = waits->len; i-- > 0;)
		if (g_array_index(waits, struct ana_overview_wait, i).target != m->last)
			g_array_remove_index(waits, i);
	g_array_sort(waits, longest_first);
	m->waits = waits;
	if (m->waited > best->waited) {
		ana_overview_meeting_clear(best);
		*best = *m;
	} else {
		ana_overview_meeting_clear(m);
	}
}

bool ana_overview_meets(const struct qry *q, const char *name, const GArray *all,
	struct ana_overview_meeting *best)
{
	g_autoptr(GArray) cases = g_array_copy((GArray *)(uintptr_t)all);
	const struct ana_overview_case *c = (const struct ana_overview_case *)(const void *)cases->data;
	struct ana_overview_meeting m = { .name = NULL };
	GArray *waits;

	if (cases->len == 0)
		return false;
	g_array_sort(cases, by_row);
	for (m.rounds = 1; m.rounds < cases->len && c[m.rounds].row == c[0].row;)
		m.rounds++;
	m.threads = cases->len / m.rounds;
	if (m.threads < 2 || (m.threads - 1) * m.rounds < SEVERAL || m.threads * m.rounds != cases->len)
		return false;
	for (unsigned i = 0; i < cases->len; i++)
		if (c[i].row != c[i - i % m.rounds].row ||
			qry_row(q, c[i].row)->host != qry_row(q, c[0].row)->host ||
			(i >= m.rounds && i % m.rounds == 0 && c[i].row == c[i - 1].row))
			return false;
	waits = g_array_new(FALSE, FALSE, sizeof(struct ana_overview_wait));
	for (unsigned round = 0; round < m.rounds; round++) {
		unsigned last = round;
		int64_t end = INT64_MAX;

		for (unsigned i = round; i < cases->len; i += m.rounds) {
			last = c[i].start > c[last].start ? i : last;
			end = MIN(end, c[i].start + c[i].length);
		}
		if (end < c[last].start) {
			g_array_unref(waits);
			return false;
		}
		for (unsigned i = round; i < cases->len; i += m.rounds)
			if (i != last)
				ana_overview_wait_add(waits, c[i].row, c[last].row, c[i].start, c[last].start,
					c[last].start - c[i].start);
	}
	m.name = g_strdup(name);
	ana_overview_meeting_take(best, &m, waits);
	return true;
}

/* "mpi-rank2[588] came last to barrier 3 of 5 times: 3 threads waited 127 ms for it, mpi-rank1[587] 50.7 ms";
 * without a name "wk-rank2[490] was waited for most: 2 threads waited 38.1 ms for it, …". */
char *ana_overview_meeting_text(const struct qry *q, const struct ana_overview_meeting *m)
{
	g_autofree char *last = qry_row_label(q, m->last),
			*clean = m->name ? base_text_clean(m->name, -1) : NULL,
			*all = base_time_format_duration(m->waited, false);
	GString *text = g_string_new(last);

	/* Each thread waited for it each time. */
	if (clean)
		g_string_append_printf(text, " came last to %s %" PRIu32 " of %u times", clean,
			g_array_index(m->waits, struct ana_overview_wait, 0).count, m->rounds);
	else
		g_string_append(text, " was waited for most");
	g_string_append_printf(text, ": %u thread%s waited %s for it", m->waits->len,
		base_text_s(m->waits->len), all);
	for (guint i = 0; i < m->waits->len; i++) {
		const struct ana_overview_wait *w = &g_array_index(m->waits, struct ana_overview_wait, i);
		g_autofree char *waiter = qry_row_label(q, w->waiter),
				*time = base_time_format_duration(w->time, false);
		gsize before = text->len;

		g_string_append_printf(text, ", %s %s", waiter, time);
		if (!ana_overview_fits(text->str)) {
			g_string_truncate(text, before);
			break;
		}
	}
	return g_string_free(text, FALSE);
}
