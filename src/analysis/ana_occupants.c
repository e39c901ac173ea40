/* SPDX-License-Identifier: MIT */
/*
 * Each span of the CPU (ana_blame) is put down to the thread that had it,
 * interrupted or not, to interrupts of an idle CPU, or to nobody.  That much of
 * it was interrupts is said, too.  All of the wait is looked at, so that a time told is exact;
 * texts are made only for what is shown or written.
 */
#include "analysis/ana_occupants.h"

#include "analysis/ana_blame.h"
#include "base/base_time.h"

struct share {
	uint32_t row;
	int64_t ns;
};

struct tally {
	GArray *threads;     /* of struct share, owned */
	GHashTable *places;  /* row → place in THREADS, owned */
	int64_t idle, woken; /* ns without a thread: nothing going on; interrupts going on */
	int64_t interrupted; /* ns of the threads' time that interrupts took */
};

static void tally_init(struct tally *t)
{
	*t = (struct tally){ .threads = g_array_new(FALSE, FALSE, sizeof(struct share)),
		.places = g_hash_table_new(NULL, NULL) };
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

static void tally_span(void *data, const struct ana_blame_part *span)
{
	struct tally *t = data;

	if (span->what == ANA_BLAME_UNKNOWN)
		return;
	if (span->beneath != MDL_NONE)
		tally_thread(t, span->beneath, span->time);
	if (span->context != MDL_NONE)
		*(span->beneath != MDL_NONE ? &t->interrupted : &t->woken) += span->time;
	else if (span->beneath == MDL_NONE)
		t->idle += span->time;
}

/* The thread with most time; the lower row of two equals, so that the answer does not depend on chance. */
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
		char *duration = base_time_format_duration(ns, false);

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

char *ana_occupants_text(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to, bool times)
{
	struct tally t;
	char *text;

	tally_init(&t);
	ana_blame_spans(q, host, cpu, from, to, tally_span, &t);
	text = text_of(q, &t, cpu, times);
	tally_clear(&t);
	return text;
}
