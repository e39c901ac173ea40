/* SPDX-License-Identifier: MIT */
/* BLAME of docs/cli.md: the parts of an account. */
#include "table/json.h"

#include "analysis/account/account.h"
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
