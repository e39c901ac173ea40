/* SPDX-License-Identifier: MIT */
/*
 * The sum of who had the CPU (ana_blame), in one line: threads without the interrupts upon them, all
 * interrupts together, and nobody.  Which of the three had it longest is said.
 */
#include "analysis/cpu/occupants.h"

#include "base/base_time.h"

struct tally {
	const struct ana_blame_part *top;       /* the thread that had most; weak, NULL: none ran */
	const struct ana_blame_part *quota;     /* weak, NULL: not throttled */
	const struct ana_blame_part *idle_most; /* the CPU that was idle longest; weak, NULL: none was */
	unsigned threads;
	uint32_t cpu; /* of all interrupts; MDL_NONE: of several */
	/* ns: of all threads, of itself, of nobody, of all interrupts. */
	int64_t time, own, idle, interrupts;
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
			t.idle_most = t.idle_most && t.idle_most->time >= p->time ? t.idle_most : p;
		} else if (p->what == ANA_BLAME_RUNNING) {
			t.own += p->time;
		} else if (p->what == ANA_BLAME_THROTTLED) {
			t.quota = t.quota && t.quota->time >= p->time ? t.quota : p;
		} else if (ana_blame_is_thread(p)) {
			t.threads++;
			t.time += p->time;
			t.top = is_more(p, t.top) ? p : t.top;
		} else if (p->what != ANA_BLAME_UNKNOWN) {
			t.cpu = t.interrupts == 0 || t.cpu == p->cpu ? p->cpu : MDL_NONE;
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

/* "throttled 38.7 ms, CPU quota: about 10.6 ms of every 49.8 ms" */
static char *text_of_quota(const struct qry *q, const struct tally *t, bool times)
{
	GString *text = g_string_new("throttled");
	g_autofree char *quota = ana_blame_part_text(q, t->quota);

	append_time(text, t->quota->time, times);
	g_string_append_printf(text, ", %s", quota);
	return g_string_free(text, FALSE);
}

static char *text_of_interrupts(const struct tally *t, bool times)
{
	GString *text = g_string_new("interrupts");

	if (t->cpu != MDL_NONE)
		g_string_append_printf(text, " on CPU %u", t->cpu);
	append_time(text, t->interrupts, times);
	return g_string_free(text, FALSE);
}

char *ana_occupants_text_of(const struct qry *q, const struct ana_blame *blame, bool times)
{
	struct tally t = tally_of(blame);

	if (t.quota && t.quota->time >= MAX(MAX(t.time, t.own), MAX(t.idle, t.interrupts)))
		return text_of_quota(q, &t, times);
	if (t.top && t.time >= MAX(t.own, MAX(t.idle, t.interrupts)))
		return text_of_thread(q, &t, times);
	if (t.own > MAX(t.idle, t.interrupts))
		return g_strdup("it had not left its CPU yet");
	if (t.interrupts > t.idle)
		return text_of_interrupts(&t, times);
	return t.idle_most ? g_strdup_printf("CPU %u was idle", t.idle_most->cpu) : NULL;
}

char *ana_occupants_text(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to, bool times)
{
	struct ana_blame *blame = ana_blame_of_cpu(q, host, cpu, from, to);
	char *text = ana_occupants_text_of(q, blame, times);

	ana_blame_free(blame);
	return text;
}
