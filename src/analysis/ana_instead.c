/* SPDX-License-Identifier: MIT */
/*
 * Each interval of the CPU's row is put down to the thread that had the CPU,
 * interrupted or not, to interrupts of an idle CPU, or to nobody.  That much of
 * it was interrupts is said, too.  All of the wait is looked at, so that a time told is exact;
 * texts are made only for what is shown or written.
 */
#include "analysis/ana_instead.h"

#include "base/base_time.h"

struct share {
	uint32_t row;
	int64_t ns;
};

struct tally {
	GArray *threads;		/* of struct share, owned */
	GHashTable *places;		/* row → place in THREADS, owned */
	int64_t idle, woken;		/* ns without a thread: nothing going on; interrupts going on */
	int64_t interrupted;		/* ns of the threads' time that interrupts took */
};

static void tally_init(struct tally *t)
{
	*t = (struct tally){ .threads = g_array_new(FALSE, FALSE, sizeof(struct share)), .places = g_hash_table_new(NULL, NULL) };
}

static void tally_clear(struct tally *t)
{
	g_array_unref(t->threads);
	g_hash_table_unref(t->places);
}

static void tally_thread(struct tally *t, uint32_t row, int64_t ns)
{
	gpointer place;

	if (!g_hash_table_lookup_extended(t->places, GUINT_TO_POINTER(row), NULL, &place)) {
		struct share none = { .row = row };

		place = GUINT_TO_POINTER(t->threads->len);
		g_hash_table_insert(t->places, GUINT_TO_POINTER(row), place);
		g_array_append_val(t->threads, none);
	}
	g_array_index(t->threads, struct share, GPOINTER_TO_UINT(place)).ns += ns;
}

static void tally_interval(struct tally *t, const struct qry *q, const struct mdl_interval *iv, int64_t ns)
{
	bool thread = iv->aux != MDL_NONE && qry_row(q, iv->aux)->nr != 0;

	if (iv->state != MDL_ST_IDLE && iv->state != MDL_ST_RUNNING && iv->state != MDL_ST_INTERRUPTED)
		return;
	if (thread)
		tally_thread(t, iv->aux, ns);
	if (iv->state == MDL_ST_INTERRUPTED)
		*(thread ? &t->interrupted : &t->woken) += ns;
	else if (!thread)
		t->idle += ns;
}

static void tally_fill(struct tally *t, struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	struct mdl_interval iv;

	while (to > from && qry_state_before(q, row, to, &iv) && iv.from < to) {
		if (iv.to > from)
			tally_interval(t, q, &iv, MIN(iv.to, to) - MAX(iv.from, from));
		to = iv.from;
	}
}

/* The thread with the most time; the lower row of two equals, so that the answer does not depend on chance. */
static uint32_t tally_top(const struct tally *t, int64_t *ns)
{
	uint32_t top = MDL_NONE;

	*ns = 0;
	for (guint i = 0; i < t->threads->len; i++) {
		const struct share *s = &g_array_index(t->threads, struct share, i);

		if (s->ns > *ns || (s->ns == *ns && s->row < top)) {
			top = s->row;
			*ns = s->ns;
		}
	}
	return top;
}

static char *text_of_thread(const struct qry *q, const struct tally *t, uint32_t row, int64_t ns, bool times)
{
	unsigned others = t->threads->len - 1;
	char *label = qry_row_label(q, row);
	GString *text = g_string_new("ran instead: ");

	g_string_append(text, label);
	if (times) {
		char *duration = base_time_format_duration(ns, FALSE);

		g_string_append_printf(text, " %s", duration);
		g_free(duration);
	}
	if (others > 0)
		g_string_append_printf(text, " and %u other%s", others, others == 1 ? "" : "s");
	if (t->interrupted > ns / 2)
		g_string_append(text, ", much of it interrupts");
	g_free(label);
	return g_string_free(text, FALSE);
}

static char *text_of(const struct qry *q, const struct tally *t, uint32_t cpu, bool times)
{
	int64_t ns;
	uint32_t top = tally_top(t, &ns);

	if (ns > 0 && ns >= t->woken + t->idle)
		return text_of_thread(q, t, top, ns, times);
	if (t->woken > t->idle)
		return g_strdup_printf("interrupts on CPU %u", cpu);
	if (t->idle > 0)
		return g_strdup_printf("CPU %u was idle", cpu);
	return NULL;
}

char *ana_instead_text(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to, bool times)
{
	uint32_t row = cpu == MDL_NONE ? MDL_NONE : qry_cpu_row(q, host, cpu);
	struct tally t;
	char *text;

	if (row == MDL_NONE)
		return NULL;
	tally_init(&t);
	tally_fill(&t, q, row, from, to);
	text = text_of(q, &t, cpu, times);
	tally_clear(&t);
	return text;
}
