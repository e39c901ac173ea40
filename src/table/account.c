/* SPDX-License-Identifier: MIT */
/* The account of a thread's time: its parts (BLAME of docs/cli.md), its phases, the steps of its longest wait. */
#include "table/json.h"
#include "table/rows.h"

#include "analysis/account/account.h"
#include "analysis/account/resched.h"
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
		"for a thread's time: what the thread was doing or waiting for, see [why](#why). Null for a CPU's",
		word = ana_phase_name(p->phase));
	TABLE_COLUMN("time", ">TIME", TABLE_DURATION, "", number = p->time);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE, "of the interval",
		share = (double)p->time / (double)(blame->to - blame->from));
	TABLE_COLUMN("", "", TABLE_WORD, "",
		taken = table_bar((uint64_t)p->time, (uint64_t)(blame->to - blame->from), BAR_LONGEST));
	TABLE_COLUMN("name", NULL, TABLE_WORD, "for a thread its name at that time", word = p->name);
	TABLE_COLUMN("step", NULL, TABLE_WORD,
		"what the thread or device of this part did: `ran`, `slept`, `waited for a CPU`; a disk: `in the queue`, `in the device`",
		word = p->step);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "for a thread its name at that time",
		word = qry_host(in->q, p->host)->name);
	TABLE_COLUMN("tid", NULL, TABLE_NUMBER, "of a thread",
		number = thread ? qry_row(in->q, p->row)->nr : BASE_TIME_NONE);
	TABLE_COLUMN("guest", NULL, TABLE_WORD,
		"for a thread that runs a virtual CPU of a recorded guest: that guest, and the thread in it",
		word = guest ? qry_host(in->q, qry_row(in->q, p->guest)->host)->name : NULL);
	TABLE_COLUMN("guest_tid", NULL, TABLE_NUMBER, "TID of the thread in it",
		number = guest ? qry_row(in->q, p->guest)->nr : BASE_TIME_NONE);
	TABLE_COLUMN("guest_name", NULL, TABLE_WORD,
		"for a thread that runs a virtual CPU of a recorded guest: that guest, and the thread in it",
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
	TABLE_OBJECT("stack", NULL, TABLE_LONG, "", moment_json(moment),
		moment ? base_text_join(moment->frames, ";") : NULL);
	TABLE_OBJECT("need_resched", NULL, TABLE_LONG, "", resched_json(resched),
		resched ? ana_resched_text(resched) : NULL);
}

struct parts {
	struct table_list of;
	struct ana_blame *blame; /* owned, with the rest of ACCOUNT; NULL: the asker has it */
	struct table_account account;
};

/* The account that was asked for.  False with an error. */
static bool make_account(struct parts *c, const struct table_question *ask, GError **error)
{
	struct qry *q = c->of.of.q;
	struct table_account *made = &c->account;

	c->blame = ana_account_new(q, ask->row, ask->from, ask->to, 0, NULL, ask->progress);
	made->blame = *c->blame;
	made->moments = ana_moments_new(q, ask->row, c->blame, ask->progress, error);
	if (made->moments)
		made->resched = ana_resched_new(q, ask->row, c->blame, ask->progress, error);
	return made->resched;
}

static bool open_parts(struct table_cursor *cursor, GError **error)
{
	struct parts *c = (struct parts *)cursor;
	const struct table_account *account = cursor->ask.result;

	if (!account && !make_account(c, &cursor->ask, error))
		return false;
	account = account ? account : &c->account;
	cursor->in.context = account;
	table_list_begin(cursor, account->blame.parts, NULL, NULL, NULL);
	return true;
}

static void close_parts(struct table_cursor *cursor)
{
	struct parts *c = (struct parts *)cursor;

	g_clear_pointer(&c->account.resched, g_array_unref);
	ana_moments_free(c->account.moments);
	ana_blame_free(c->blame);
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
	.size = sizeof(struct parts),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW,
	.open = open_parts,
	.next = table_list_next,
	.close = close_parts,
	.lead = lead,
};

/* ---- phases ---- */

TABLE_COLUMNS(phase_columns)
{
	const struct ana_blame_phase *p = row;
	const struct ana_blame *blame = in->context;

	TABLE_COLUMN("phase", NULL, TABLE_WORD, "what the thread was doing or waiting for, longest first",
		word = ana_phase_name(p->phase));
	TABLE_COLUMN("time", NULL, TABLE_DURATION, "", number = p->time);
	TABLE_COLUMN("share", NULL, TABLE_SHARE, "of the interval",
		share = (double)p->time / (double)(blame->to - blame->from));
}

static void unref(void *array)
{
	g_array_unref(array);
}

static bool open_phases(struct table_cursor *c, G_GNUC_UNUSED GError **error)
{
	GArray *phases = ana_blame_phases(c->ask.result);

	c->in.context = c->ask.result;
	table_list_begin(c, phases, NULL, phases, unref);
	return true;
}

const struct table table_account_phases = {
	.name = "blame_phase",
	.list = "phases",
	.doc = "what a thread was doing or waiting for, the longest first",
	.columns = phase_columns,
	TABLE_LIST_CURSOR,
	.takes = TABLE_NEEDS_RESULT,
	.open = open_phases,
};

/* ---- the steps of its longest wait for others ---- */

TABLE_COLUMNS(hop_columns)
{
	const struct ana_why_hop *hop = row;

	TABLE_COLUMN("label", NULL, TABLE_WORD, "the steps from the origin to the wake-up",
		word = hop->label);
	TABLE_COLUMN("text", NULL, TABLE_WORD, "the steps from the origin to the wake-up", word = hop->text);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = qry_host(in->q, hop->host)->name);
	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER, "", number = table_id(hop->cpu));
	TABLE_COLUMN("from", NULL, TABLE_TIME, "", number = hop->from);
	TABLE_COLUMN("to", NULL, TABLE_TIME, "", number = hop->to);
	TABLE_COLUMN("grade", NULL, TABLE_WORD, "`missing`: the event that would have proved the step",
		word = ana_grade_name(hop->doubts));
	TABLE_COLUMN("missing", NULL, TABLE_WORD, "`missing`: the event that would have proved the step",
		word = hop->missing);
	TABLE_LIST("evidence", NULL, TABLE_WORD, "",
		in->evidence->list(in->evidence, in->context, hop->first_evidence, hop->n_evidence),
		word = NULL);
	TABLE_DOUBTS("", true, hop->doubts);
}

static void free_why(void *why)
{
	ana_why_free(why);
}

static bool open_chain(struct table_cursor *c, G_GNUC_UNUSED GError **error)
{
	const struct table_question *ask = &c->ask;
	struct ana_why *made = ask->result ? NULL : ana_account_why(c->q, ask->row, ask->from, ask->to);
	const struct ana_why *why = made ? made : ask->result;

	c->in.context = why;
	table_list_begin(c, why ? why->hops : NULL, NULL, made, free_why);
	return true;
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
	TABLE_LIST_CURSOR,
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW,
	.open = open_chain,
	.lead = hop_lead,
};
