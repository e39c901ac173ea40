/* SPDX-License-Identifier: MIT */
/*
 * The sum of who had the CPU (ana_blame), in one line: threads without the interrupts upon them, all
 * interrupts together, and nobody.  Which of the three had it longest is said.
 */
#include "analysis/ana_occupants.h"

#include "analysis/ana_blame.h"
#include "base/base_time.h"

struct tally {
	const struct ana_blame_part *top; /* the thread that had most; weak, NULL: none ran */
	unsigned threads;
	int64_t time, idle, interrupts; /* ns: of all threads, of nobody, of all interrupts */
};

/* The lower row of two equals, so that the answer does not depend on chance. */
static bool is_more(const struct ana_blame_part *p, const struct ana_blame_part *than)
{
	return !than || p->time > than->time || (p->time == than->time && p->row < than->row);
}

static struct tally tally_of(const struct ana_blame *blame)
{
	struct tally t = { 0 };

	for (guint i = 0; i < blame->parts->len; i++) {
		const struct ana_blame_part *p = &g_array_index(blame->parts, struct ana_blame_part, i);

		if (p->what == ANA_BLAME_IDLE) {
			t.idle += p->time;
		} else if (ana_blame_is_thread(p)) {
			t.threads++;
			t.time += p->time;
			t.top = is_more(p, t.top) ? p : t.top;
		} else if (p->what != ANA_BLAME_UNKNOWN) {
			t.interrupts += p->time;
		}
	}
	return t;
}

/* " 2.90 ms" where TIMES are told. */
static void append_time(GString *text, int64_t ns, bool times)
{
	g_autofree char *duration = base_time_format_duration(ns, false);

	if (times)
		g_string_append_printf(text, " %s", duration);
}

static char *text_of_thread(const struct qry *q, const struct tally *t, bool times)
{
	GString *text = g_string_new("ran instead: ");
	g_autofree char *label = ana_blame_part_text(q, t->top);

	g_string_append(text, label);
	append_time(text, t->top->time, times);
	if (t->threads > 1)
		g_string_append_printf(text, " and %u other%s", t->threads - 1, t->threads == 2 ? "" : "s");
	if (t->interrupts > 0 && times) {
		g_string_append(text, ", interrupts");
		append_time(text, t->interrupts, times);
	}
	return g_string_free(text, FALSE);
}

static char *text_of(const struct qry *q, const struct tally *t, uint32_t cpu, bool times)
{
	GString *text;

	if (t->top && t->time >= MAX(t->idle, t->interrupts))
		return text_of_thread(q, t, times);
	if (t->interrupts <= t->idle)
		return t->idle > 0 ? g_strdup_printf("CPU %u was idle", cpu) : NULL;
	text = g_string_new(NULL);
	g_string_printf(text, "interrupts on CPU %u", cpu);
	append_time(text, t->interrupts, times);
	return g_string_free(text, FALSE);
}

char *ana_occupants_text(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to, bool times)
{
	struct ana_blame *blame = ana_blame_of_cpu(q, host, cpu, from, to);
	struct tally t = tally_of(blame);
	char *text = text_of(q, &t, cpu, times);

	ana_blame_free(blame);
	return text;
}
