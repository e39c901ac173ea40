/* SPDX-License-Identifier: MIT */
/* Counting events by name, in the worker's thread: no index has that, the packets of the time are read. */
#include "ui/pane/sums/sums.h"

#include "query/qry_events.h"

#define OFFER_EVERY_US 200000 /* what was counted so far is shown this often */
#define DELAY_STEP 5          /* ms */
#define LOOK_EVERY 4096       /* events between two looks at the clock */

static int by_number(gconstpointer a, gconstpointer b)
{
	const struct sums_name *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : g_strcmp0(x->name, y->name);
}

static void name_clear(gpointer data)
{
	g_free(((struct sums_name *)data)->name);
}

/* COUNTED (name → guint64) as a list. */
static struct sums_counts *list_of(GHashTable *counted)
{
	struct sums_counts *c = g_new0(struct sums_counts, 1);
	GHashTableIter i;
	gpointer name, n;

	c->names = g_array_new(FALSE, FALSE, sizeof(struct sums_name));
	g_array_set_clear_func(c->names, name_clear);
	g_hash_table_iter_init(&i, counted);
	while (g_hash_table_iter_next(&i, &name, &n)) {
		struct sums_name one = { g_strdup(name), *(guint64 *)n };

		c->all += one.n;
		g_array_append_val(c->names, one);
	}
	g_array_sort(c->names, by_number);
	return c;
}

void sums_counts_free(void *data)
{
	struct sums_counts *counts = data;

	if (!counts)
		return;
	g_array_unref(counts->names);
	g_free(counts);
}

static void count(GHashTable *counted, const char *name)
{
	guint64 *n = g_hash_table_lookup(counted, name);

	if (!n) {
		n = g_new0(guint64, 1);
		g_hash_table_insert(counted, (gpointer)(uintptr_t)name, n);
	}
	(*n)++;
}

/* Count what E lets through; false with an error. */
static bool count_all(struct qry_events *e, const struct sums_question *asked, GHashTable *counted,
	struct base_progress *progress, GError **error)
{
	gint64 offered = g_get_monotonic_time();
	struct qry_event event;
	guint64 n = 0;
	int got;

	while ((got = qry_events_step(e, 1, &event, progress, error)) == 1) {
		count(counted, event.name);
		if (++n % LOOK_EVERY || g_get_monotonic_time() < offered + OFFER_EVERY_US)
			continue;
		offered = g_get_monotonic_time();
		base_progress_set(progress,
			(double)(event.time - asked->from) / (double)(asked->to - asked->from), 0);
		ask_worker_offer(progress, list_of(counted));
	}
	return got == 0;
}

void *sums_count(struct qry *q, const void *question, struct base_progress *progress, GError **error)
{
	const struct sums_question *asked = question;
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	g_autoptr(GHashTable) counted = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	struct qry_events *e;
	bool whole;

	for (uint32_t ms = 0; ms < asked->delay && !base_progress_cancelled(progress); ms += DELAY_STEP)
		g_usleep(DELAY_STEP * 1000);
	filter.from = asked->from;
	filter.to = asked->to;
	filter.host = asked->host;
	filter.cpu = asked->cpu;
	filter.thread = asked->thread;
	e = qry_events_new(q, &filter, error);
	whole = e && count_all(e, asked, counted, progress, error);
	qry_events_free(e);
	return whole ? list_of(counted) : NULL;
}
