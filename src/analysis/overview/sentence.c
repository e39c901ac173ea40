/* SPDX-License-Identifier: MIT */
/*
 * The sentence about a thread: its largest losses and their causes.
 *
 * How it works: a sentence has two rows of a small terminal.  It always has the thread, its life, and the
 * largest cause of the kind that took most.  Each further clause is added if there is room for it, the most
 * important one first.
 */
#include "analysis/overview/parts.h"

#include "analysis/wait/polling.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>

#define ROWS 2
#define COLUMNS 78 /* of a row, in a terminal of 80 */
#define INDENT 3   /* of each row but the first */

#define SECOND 3        /* a second kind, or cause, is shown if it took at least 1/SECOND of the first */
#define NEARLY_ALL 0.85 /* from this share of a kind on, its largest cause is called "nearly all" */
#define POLLS 8         /* polling is shown if it took at least 1/POLLS of the time that the thread ran */

/* The clauses that may be left out, the most important one first. */
enum clause {
	OFTEN,  /* of the largest cause: number of times, and longest part */
	GUEST,  /* the CPU of a guest that the thread runs */
	POLLED, /* share of polling in the running time */
	KIND,   /* the second kind */
	BY,     /* the largest cause of the second kind */
	NEXT,   /* the second cause of the first kind */
	WHOLE,  /* the wait that contains the longest part */
	AGAIN,  /* of the largest cause of the second kind: number of times */
	CLAUSES
};

bool ana_overview_fits(const char *text)
{
	for (unsigned row = 0; *text; row++) {
		size_t n = base_text_row(text, row == 0 ? COLUMNS : COLUMNS - INDENT);

		if (row == ROWS)
			return false;
		text += n + strspn(text + n, " ");
	}
	return true;
}

/* The words for what a thread that lost time to a KIND did, and the word before its cause. */
static const struct {
	const char *did, *by;
} words[ANA_OVERVIEW_KINDS] = {
	[ANA_KIND_PREEMPTED] = { "was preempted", "by" },
	[ANA_KIND_WAIT_CPU] = { "waited for a CPU", "behind" },
	[ANA_KIND_THROTTLED] = { "was throttled", "by" },
	[ANA_KIND_BLOCK] = { "waited for disks", "for" },
	[ANA_KIND_THREAD] = { "waited for threads", "for" },
	[ANA_KIND_TIMER] = { "waited for late timers", "while" },
	[ANA_KIND_WORKQUEUE] = { "waited for work", "by" },
	[ANA_KIND_SIGNAL] = { "waited for signals", "by" },
	[ANA_KIND_SUSPEND] = { "was suspended", NULL },
	[ANA_KIND_IPI_WAIT] = { "waited for IPIs on other CPUs", "on" },
	[ANA_KIND_WAITING] = { "waited on its CPU", "for" },
	[ANA_KIND_MEMORY] = { "went to the kernel's work for memory", "because it" },
	[ANA_OVERVIEW_STOLEN] = { "was stolen", "by" },
};

/* True if ROW is a real-time or deadline thread at the end of its life. */
bool ana_overview_is_real_time(struct qry *q, uint32_t row)
{
	int priority = qry_priority_at(q, row, qry_row(q, row)->last - 1);

	return priority != MDL_PRIORITY_NONE && priority < MDL_PRIORITY_FAIR;
}

/* Append " (real-time)" if thread ROW is of such a class. */
static void put_class(struct qry *q, GString *text, uint32_t row)
{
	if (row == MDL_NONE || qry_row(q, row)->type != MDL_ROW_THREAD || !ana_overview_is_real_time(q, row))
		return;
	g_string_append_printf(text, " (%s)",
		mdl_class_name(qry_priority_at(q, row, qry_row(q, row)->last - 1)));
}

int64_t ana_overview_whole(struct qry *q, uint32_t row, unsigned kind, const struct ana_causes_entry *e)
{
	struct mdl_interval iv;

	if (kind == ANA_KIND_TIMER || kind == ANA_KIND_MEMORY || kind == ANA_OVERVIEW_STOLEN ||
		!qry_state_at(q, row, e->longest_end - 1, &iv))
		return e->longest;
	return MAX(iv.to - iv.from, e->longest);
}

static const char idle_cpu[] = "the idle CPU ";

static bool is_idle(const struct ana_causes_entry *e)
{
	return g_str_has_prefix(e->label, idle_cpu);
}

/* "wk-rt[547] (real-time)"; OFTEN adds ": 11 times, worst 3.44 ms", WHOLE " of a 3.66 ms wait".  IDLE: "CPU 2
 * was idle", of E for which is_idle(). */
static void put_cause(const struct ana_overview_losses *l, GString *text, unsigned kind,
	const struct ana_causes_entry *e, bool idle, bool often, bool whole)
{
	g_autofree char *worst = base_time_format_duration(e->longest, false),
			*wait = base_time_format_duration(ana_overview_whole(l->q, l->row, kind, e), false);

	if (g_str_equal(e->label, "not recorded"))
		g_string_append(text, "what was ");
	if (idle) { /* "CPU 2 was idle in idle state 3" */
		const char *cpu = e->label + strlen(idle_cpu);
		int number = (int)strcspn(cpu, " ");

		g_string_append_printf(text, "CPU %.*s was idle%s", number, cpu, cpu + number);
	} else
		g_string_append(text, e->label + (kind == ANA_KIND_TIMER ? strlen("late: ") : 0));
	put_class(l->q, text, e->row);
	if (often)
		g_string_append_printf(text, ": %" PRIu32 " time%s, worst %s", e->count,
			base_text_s(e->count), worst);
	if (often && whole && !g_str_equal(worst, wait))
		g_string_append_printf(text, " of a %s wait", wait);
}

/* "17 % was preempted, nearly all by wk-rt[547] (real-time): 11 times, worst 3.44 ms". */
static void put_kind(const struct ana_overview_losses *l, GString *text, unsigned kind, bool by, bool often,
	unsigned with)
{
	const struct ana_overview_kind *k = &l->kinds[kind];
	bool idle = is_idle(&k->most);
	const char *joins = idle ? "while" : words[kind].did ? words[kind].by : "for";
	double share = (double)k->most.total / (double)MAX(k->time, 1);

	ana_overview_put_share(text, k->time, l->life);
	g_string_append_printf(text, " %s", words[kind].did ? words[kind].did : "waited for interrupts");
	if (!by || !joins)
		return;
	g_string_append_printf(text, ", %s %s ",
		share >= NEARLY_ALL    ? "nearly all"
			: share >= 0.5 ? "mostly"
				       : "most",
		joins);
	put_cause(l, text, kind, &k->most, idle, often, with & 1u << WHOLE);
	if (with & 1u << NEXT && k->next.label && k->next.total >= k->most.total / SECOND) {
		g_string_append(text, ", and ");
		put_cause(l, text, kind, &k->next, idle && is_idle(&k->next), false, false);
	}
}

/* " (95 % polling: sched_yield 9000 times)" if the thread polled for much of its running time, else "".
 * Reads its system calls.  The caller frees. */
static char *polled_of(const struct ana_overview_losses *l)
{
	const struct qry_row *r = qry_row(l->q, l->row);
	GString *text = g_string_new(NULL);
	struct ana_polling run;
	int64_t polled = ana_polling_sum(l->q, l->row, r->first, r->last, &run);

	if (polled > 0 && polled >= l->ran / POLLS) {
		g_string_append(text, " (");
		ana_overview_put_share(text, polled, l->ran);
		g_string_append_printf(text, " polling: %s %" PRIu32 " times)", run.name, run.calls);
	}
	return g_string_free(text, FALSE);
}

/* The sentence with the clauses WITH (bits); POLLED: the text of that clause. */
static GString *sentence_with(const struct ana_overview_losses *l, const char *polled, unsigned with)
{
	uint32_t cpu = with & 1u << GUEST ? qry_guest_cpu_of(l->q, l->row) : MDL_NONE;
	g_autofree char *label = qry_row_label(l->q, l->row),
			*life = base_time_format_duration(l->life, false),
			*guest = cpu == MDL_NONE ? NULL : qry_row_label(l->q, cpu);
	GString *text = g_string_new(label);

	put_class(l->q, text, l->row);
	if (l->alike > 1)
		g_string_append_printf(text, ", one of %" PRIu64 " such threads", l->alike);
	if (guest)
		g_string_append_printf(text, ", which is %s", guest);
	g_string_append_printf(text, ": %s, of which ", life);
	ana_overview_put_share(text, l->ran, l->life);
	g_string_append(text, " ran");
	g_string_append_printf(text, "%s, ", with & 1u << POLLED ? polled : "");
	put_kind(l, text, l->first, true, with & 1u << OFTEN, with);
	if (with & 1u << KIND && l->kinds[l->second].time > 0 &&
		l->kinds[l->second].time >= l->kinds[l->first].time / SECOND) {
		g_string_append(text, "; ");
		put_kind(l, text, l->second, with & 1u << BY, with & 1u << AGAIN, 0);
	}
	return text;
}

char *ana_overview_sentence(const struct ana_overview_losses *l)
{
	unsigned with = 0;
	g_autofree char *polled = polled_of(l);
	GString *best = sentence_with(l, polled, 0);

	for (unsigned clause = 0; clause < CLAUSES; clause++) {
		GString *more = sentence_with(l, polled, with | 1u << clause);

		if (ana_overview_fits(more->str)) {
			with |= 1u << clause;
			g_string_assign(best, more->str);
		}
		g_string_free(more, TRUE);
	}
	return g_string_free(best, FALSE);
}
