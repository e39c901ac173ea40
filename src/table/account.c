/* SPDX-License-Identifier: MIT */
/* The account of a thread's time: its parts (BLAME of docs/cli.md), phases, and steps of its longest wait. */
#include "table/json.h"
#include "table/rows.h"

#include "analysis/account/account.h"
#include "analysis/account/resched.h"
#include "analysis/latency/program.h"
#include "analysis/stacks/hottest.h"
#include "analysis/stacks/moment.h"
#include "analysis/wait/why.h"
#include "base/base_text.h"
#include "base/base_time.h"

#define BAR_LONGEST 20 /* columns of a bar */

void table_blame_columns(struct table_row *to, const void *row, const struct table_in *in)
{
	const struct ana_blame_part *p = row;
	const struct ana_blame *blame = in->context;
	bool thread = p && ana_blame_is_thread(p), guest = p && p->guest != MDL_NONE;

	TABLE_COLUMN("", "", TABLE_WORD, "", taken = g_strdup_printf("%c", ana_blame_letter(in->number)));
	TABLE_COLUMN("what", NULL, TABLE_WORD,
		"`thread` `irq` `softirq` `ipi` `timer` `idle` `device` `network` `sleep` `throttled` `vcpu` `suspended` `running` `unknown`",
		word = ana_blame_what_name(p->what));
	TABLE_COLUMN("phase", "PHASE", TABLE_WORD,
		"what the thread was doing or waiting for, see [why](#why); null in an account of a CPU's time",
		word = ana_phase_name(p->phase));
	TABLE_COLUMN("time", ">TIME", TABLE_DURATION, "", number = p->time);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE, "of the interval",
		share = (double)p->time / (double)(blame->to - blame->from));
	TABLE_COLUMN("", "", TABLE_WORD, "",
		taken = table_bar((uint64_t)p->time, (uint64_t)(blame->to - blame->from), BAR_LONGEST));
	TABLE_COLUMN("name", NULL, TABLE_WORD, "a thread has its name at that time", word = p->name);
	TABLE_COLUMN("step", NULL, TABLE_WORD,
		"what the thread or device of this part did: `ran`, `slept`, `waited for a CPU`; a disk: `in the queue`, `in the device`; an idle CPU: its idle state, `idle state 3`",
		word = p->step);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = qry_host(in->q, p->host)->name);
	TABLE_COLUMN("tid", NULL, TABLE_NUMBER, "of a thread",
		number = thread ? qry_row(in->q, p->row)->nr : BASE_TIME_NONE);
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER | TABLE_ONLY_SQL, "of a thread",
		number = thread ? p->row : BASE_TIME_NONE);
	TABLE_COLUMN("guest", NULL, TABLE_WORD,
		"for a thread that runs a virtual CPU of a recorded guest: that guest",
		word = guest ? qry_host(in->q, qry_row(in->q, p->guest)->host)->name : NULL);
	TABLE_COLUMN("guest_tid", NULL, TABLE_NUMBER, "TID of the thread in that guest",
		number = guest ? qry_row(in->q, p->guest)->nr : BASE_TIME_NONE);
	TABLE_COLUMN("guest_name", NULL, TABLE_WORD, "name of the thread in that guest",
		word = guest ? qry_name_at(in->q, p->guest, p->from) : NULL);
	TABLE_COLUMN("priority", NULL, TABLE_NUMBER,
		"of a thread: the kernel's, 120 is normal. A thread has a part for each of its priorities, including one that a waiter for its lock lends it (`sched_pi_setprio`)",
		number = p->priority == MDL_PRIORITY_NONE ? BASE_TIME_NONE : p->priority);
	TABLE_COLUMN("class", "CLASS", TABLE_WORD, "of a thread: `fair`, `real-time`, …",
		word = mdl_class_name(p->priority));
	TABLE_COLUMN("cpu", ">CPU", TABLE_NUMBER,
		"null if a thread or interrupts ran on several CPUs. Each idle CPU is a part of its own",
		number = table_id(p->cpu));
	TABLE_COLUMN("grade", "GRADE", TABLE_WORD, "", word = ana_grade_name(p->doubts));
	TABLE_COLUMN("", "NAME", TABLE_LONG, "", taken = ana_blame_words(in->q, p));
	TABLE_DOUBTS("", true, p->doubts);
}

GString *table_blame_json(struct qry *q, const struct ana_blame *blame)
{
	return table_json_array(table_blame_columns, q, blame, blame->parts);
}

/* ---- parts, with their call stacks and need-resched ---- */

static GString *moment_json(const struct ana_moment *moment)
{
	GString *o;

	if (!moment)
		return NULL;
	o = base_json_object();
	base_json_time(o, "time", moment->time);
	base_json_text(o, "event", moment->event);
	base_json_put(o, "frames", base_json_texts(moment->frames));
	return o;
}

static GString *resched_json(const struct ana_resched *resched)
{
	GString *o;

	if (!resched)
		return NULL;
	o = base_json_object();
	base_json_int(o, "due", resched->due);
	base_json_int(o, "lazy", resched->lazy);
	base_json_int(o, "none", resched->none);
	base_json_time(o, "time", resched->event ? resched->time : BASE_TIME_NONE);
	base_json_text(o, "event", resched->event);
	table_json_id(o, "cpu", resched->event ? resched->cpu : MDL_NONE);
	return o;
}

TABLE_COLUMNS(part_columns)
{
	const struct table_account *account = in->context;
	const struct ana_moment *moment = row ? ana_moments_of(account->moments, in->number) : NULL;
	const struct ana_resched *resched = row ? ana_resched_of(account->resched, in->number) : NULL;

	table_blame_columns(to, row, in);
	TABLE_OBJECT("stack", NULL, TABLE_LONG, "{}: ", moment_json(moment),
		moment ? base_text_join(moment->frames, ";") : NULL);
	TABLE_OBJECT("need_resched", NULL, TABLE_LONG, "{}: ", resched_json(resched),
		resched ? ana_resched_text(resched) : NULL);
}

/* An account that this file made. */
struct own_account {
	struct table_account of;
	struct ana_blame *blame;
};

static void free_account(void *data)
{
	struct own_account *own = data;

	if (own->of.resched)
		g_array_unref(own->of.resched);
	ana_moments_free(own->of.moments);
	ana_blame_free(own->blame);
	g_free(own);
}

static void *make_account(struct table_cursor *c, GError **error)
{
	const struct table_question *ask = &c->ask;
	struct own_account *own = g_new0(struct own_account, 1);

	own->blame = ana_account_new(c->q, ask->row, ask->from, ask->to, 0, NULL, ask->progress);
	own->of.blame = *own->blame;
	own->of.moments = ana_moments_new(c->q, ask->row, own->blame, ask->progress, error);
	if (own->of.moments)
		own->of.resched = ana_resched_new(c->q, ask->row, own->blame, ask->progress, error);
	if (own->of.resched)
		return own;
	free_account(own);
	return NULL;
}

static bool lead(const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct ana_blame_part *p = row;

	*to = (struct table_place){ .row = p->row, .from = c->ask.from, .to = c->ask.to };
	return p->row != MDL_NONE;
}

const struct table table_account = {
	.name = "blame",
	.list = "blame",
	.doc = "a part of a thread's time: what the thread did or waited for, and who used that time",
	.columns = part_columns,
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW | TABLE_NEEDS_ROW,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = offsetof(struct table_account, blame.parts),
	.make = make_account,
	.free = free_account,
	.lead = lead,
};

/* ---- phases ---- */

TABLE_COLUMNS(phase_columns)
{
	const struct ana_blame_phase *p = row;
	const struct ana_blame *blame = in->context;

	TABLE_COLUMN("phase", "(second line", TABLE_WORD,
		"what the thread was doing or waiting for, longest first", word = ana_phase_name(p->phase));
	TABLE_COLUMN("time", "(second line", TABLE_DURATION, "", number = p->time);
	TABLE_COLUMN("share", "(second line", TABLE_SHARE, "of the interval",
		share = (double)p->time / (double)(blame->to - blame->from));
}

/* The list is made at each opening; the cursor frees it. */
static bool open_phases(struct table_cursor *c, G_GNUC_UNUSED GError **error)
{
	struct table_list *list = (struct table_list *)c;

	list->rows = list->made = ana_blame_phases(c->ask.result);
	return true;
}

const struct table table_account_phases = {
	.name = "blame_phase",
	.list = "phases",
	.doc = "what a thread was doing or waiting for, the longest first",
	.columns = phase_columns,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = offsetof(struct ana_blame, parts),
	.free = (GDestroyNotify)g_array_unref,
	.open = open_phases,
};

/* ---- the kernel's work for memory ---- */

TABLE_COLUMNS(memory_columns)
{
	const struct ana_program_work *w = row;

	TABLE_COLUMN("name", "WORK FOR MEMORY", TABLE_WORD,
		"work of the kernel, named like its [spans](#spans): `direct reclaim`, `memcg reclaim`, `memcg soft limit reclaim`, `node reclaim`, `compaction`; or `page fault`, with the file if that is recorded: the faults in which the thread waited",
		word = w->name);
	TABLE_COLUMN("count", ">TIMES", TABLE_NUMBER, "", number = (int64_t)w->count);
	TABLE_COLUMN("time", ">TIME", TABLE_DURATION,
		"time in this work; the parts of the account contain it, too", number = w->time);
	TABLE_COLUMN("blocked", ">BLOCKED", TABLE_DURATION, "part of `time` in which the thread was blocked",
		number = w->ns[MDL_ST_BLOCKED]);
	TABLE_COLUMN("wait_cpu", ">FOR A CPU", TABLE_DURATION,
		"part of `time` in which the thread was runnable or preempted",
		number = w->ns[MDL_ST_WAIT_CPU] + w->ns[MDL_ST_PREEMPTED]);
	TABLE_COLUMN("grade", "GRADE", TABLE_WORD, "", word = ana_grade_name(w->doubts));
	TABLE_DOUBTS("", true, w->doubts);
}

const struct table table_account_memory = {
	.name = "memory_work",
	.list = "memory",
	.doc = "work of the kernel for memory that a thread did, most time first",
	.columns = memory_columns,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = TABLE_WHOLE,
	.takes = TABLE_NEEDS_RESULT,
};

/* ---- functions in which the thread ran ---- */

TABLE_COLUMNS(hot_columns)
{
	const struct ana_hot *hot = row;

	TABLE_COLUMN("frame", "(RAN", TABLE_WORD,
		"innermost call of the perf samples of the running thread; the list has the three calls with the most samples. *Inferred*: nothing shows what ran between two samples. Empty without samples",
		word = hot->frame);
	TABLE_COLUMN("samples", "(RAN", TABLE_NUMBER, "", number = (int64_t)hot->samples);
	TABLE_COLUMN("share", "(RAN", TABLE_SHARE,
		"of the samples of the thread in the interval, without samples in interrupts",
		share = hot->share);
}

const struct table table_account_hottest = {
	.name = "hot_frame",
	.list = "hottest",
	.doc = "a call in which a thread ran, by samples, the most samples first",
	.columns = hot_columns,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = offsetof(struct ana_hottest, frames),
	.takes = TABLE_NEEDS_RESULT,
};

/* ---- the steps of its longest wait for others ---- */

TABLE_COLUMNS(hop_columns)
{
	const struct ana_why_hop *hop = row;

	TABLE_COLUMN("label", "(STEP", TABLE_WORD,
		"thread or context of the step, from the origin to the wake-up", word = hop->label);
	TABLE_COLUMN("text", "(WHAT", TABLE_WORD, "what it did", word = hop->text);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = qry_host(in->q, hop->host)->name);
	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER, "", number = table_id(hop->cpu));
	TABLE_COLUMN("from", "(AT", TABLE_TIME, "", number = hop->from);
	TABLE_COLUMN("to", "(AT", TABLE_TIME, "", number = hop->to);
	TABLE_COLUMN("grade", "(GRADE", TABLE_WORD, "how sure the step is",
		word = ana_grade_name(hop->doubts));
	TABLE_COLUMN("missing", "(GRADE", TABLE_WORD, "the event that would have proved the step",
		word = hop->missing);
	TABLE_LIST("evidence", NULL, TABLE_WORD, "EVIDENCE[]: ",
		in->evidence->list(in->evidence, in->context, hop->first_evidence, hop->n_evidence),
		word = NULL);
	TABLE_DOUBTS("", true, hop->doubts);
}

static void *make_chain(struct table_cursor *c, G_GNUC_UNUSED GError **error)
{
	return ana_account_why(c->q, c->ask.row, c->ask.from, c->ask.to);
}

static bool hop_lead(const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct ana_why_hop *hop = row;

	*to = (struct table_place){ .row = ((const struct ana_why *)c->in.context)->row,
		.from = hop->from,
		.to = hop->to };
	return true;
}

const struct table table_account_chain = {
	.name = "hop",
	.list = "chain",
	.doc = "a step from the origin of the wake-up that ended a thread's longest wait for others",
	.columns = hop_columns,
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW | TABLE_NEEDS_ROW,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = offsetof(struct ana_why, hops),
	.make = make_chain,
	.free = (GDestroyNotify)ana_why_free,
	.lead = hop_lead,
};
