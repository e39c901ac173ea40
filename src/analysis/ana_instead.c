/* SPDX-License-Identifier: MIT */
/*
 * The row of the CPU is walked backwards, and each interval is put down to the
 * thread that had the CPU, interrupted or not, to interrupts of an idle CPU, or
 * to nobody.  That much of it was interrupts is said, too.  The walk is bounded, so
 * that a long wait on a busy CPU costs no more than a short one; the end of a
 * wait tells best who was in the way.
 */
#include "analysis/ana_instead.h"

#include "base/base_time.h"

#include <string.h>

#define CHANGES_MAX 512	/* for one case among few */
#define CHANGES_PATH 64	/* for each of very many segments */

#define SLOTS 1024	/* a power of two, so many that half of them stay free */

/* Time per thread: a hash table that lives on the stack, as paths ask hundreds of thousands of times. */
struct tally {
	struct { uint32_t row; int64_t ns; } threads[CHANGES_MAX];
	unsigned n_threads;
	uint16_t slots[SLOTS];		/* place in THREADS + 1; 0 free */
	int64_t idle, woken;		/* ns without a thread: nothing going on; interrupts going on */
	int64_t interrupted;		/* ns of the threads' time that interrupts took */
};

static void tally_clear(struct tally *t)
{
	t->n_threads = 0;
	memset(t->slots, 0, sizeof(t->slots));
	t->idle = t->woken = t->interrupted = 0;
}

static void tally_thread(struct tally *t, uint32_t row, int64_t ns)
{
	unsigned slot = row % SLOTS;

	while (t->slots[slot] && t->threads[t->slots[slot] - 1].row != row)
		slot = (slot + 1) % SLOTS;
	if (!t->slots[slot]) {
		t->threads[t->n_threads].row = row;
		t->threads[t->n_threads++].ns = 0;
		t->slots[slot] = (uint16_t)t->n_threads;
	}
	t->threads[t->slots[slot] - 1].ns += ns;
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

static void tally_fill(struct tally *t, struct qry *q, uint32_t row, int64_t from, int64_t to, unsigned max)
{
	struct mdl_interval iv;

	for (unsigned n = 0; n < max && to > from; n++) {
		if (!qry_state_before(q, row, to, &iv) || iv.from >= to)
			break;
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
	for (unsigned i = 0; i < t->n_threads; i++) {
		uint32_t row = t->threads[i].row;
		int64_t sum = t->threads[i].ns;

		if (sum > *ns || (sum == *ns && row < top)) {
			top = row;
			*ns = sum;
		}
	}
	return top;
}

static char *text_of_thread(const struct qry *q, const struct tally *t, uint32_t row, int64_t ns, bool times)
{
	unsigned others = t->n_threads - 1;
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

	if (row == MDL_NONE)
		return NULL;
	tally_clear(&t);
	tally_fill(&t, q, row, from, to, times ? CHANGES_MAX : CHANGES_PATH);
	return text_of(q, &t, cpu, times);
}
