/* SPDX-License-Identifier: MIT */
#include "export/exp_rows.h"

#include "base/base_time.h"

#define BAR_LONGEST 20 /* columns of a bar */

static char *letter(guint place)
{
	return g_strdup_printf("%c", ana_blame_letter(place));
}

void exp_blame_columns(struct exp_rows *to, const void *row, const struct exp_rows_in *in)
{
	const struct ana_blame_part *p = row;
	const struct ana_blame *blame = in->context;
	bool thread = p && ana_blame_is_thread(p), guest = p && p->guest != MDL_NONE;

	EXP_COLUMN("", "", EXP_WORD, taken = letter(in->number));
	EXP_COLUMN("what", NULL, EXP_WORD, word = ana_blame_what_name(p->what));
	EXP_COLUMN("phase", "DOING", EXP_WORD, word = ana_phase_name(p->phase));
	EXP_COLUMN("time", ">TIME", EXP_DURATION, number = p->time);
	EXP_COLUMN("share", ">SHARE", EXP_SHARE, share = (double)p->time / (double)(blame->to - blame->from));
	EXP_COLUMN("", "", EXP_WORD,
		taken = exp_table_bar((uint64_t)p->time, (uint64_t)(blame->to - blame->from), BAR_LONGEST));
	EXP_COLUMN("name", NULL, EXP_WORD, word = p->name);
	EXP_COLUMN("step", NULL, EXP_WORD, word = p->step);
	EXP_COLUMN("host", NULL, EXP_WORD, word = qry_host(in->q, p->host)->name);
	EXP_COLUMN("tid", NULL, EXP_NUMBER, number = thread ? qry_row(in->q, p->row)->nr : BASE_TIME_NONE);
	EXP_COLUMN("guest", NULL, EXP_WORD,
		word = guest ? qry_host(in->q, qry_row(in->q, p->guest)->host)->name : NULL);
	EXP_COLUMN("guest_tid", NULL, EXP_NUMBER,
		number = guest ? qry_row(in->q, p->guest)->nr : BASE_TIME_NONE);
	EXP_COLUMN("guest_name", NULL, EXP_WORD, word = guest ? qry_name_at(in->q, p->guest, p->from) : NULL);
	EXP_COLUMN("priority", NULL, EXP_NUMBER,
		number = p->priority == MDL_PRIORITY_NONE ? BASE_TIME_NONE : p->priority);
	EXP_COLUMN("class", "CLASS", EXP_WORD, word = mdl_class_name(p->priority));
	EXP_COLUMN("cpu", ">CPU", EXP_NUMBER, number = exp_rows_id(p->cpu));
	EXP_COLUMN("grade", "GRADE", EXP_WORD, word = ana_grade_name(p->grade));
	EXP_COLUMN("", "WHO", EXP_LONG, taken = ana_blame_words(in->q, p));
}

GString *exp_blame_json(struct qry *q, const struct ana_blame *blame)
{
	return exp_rows_json_array(exp_blame_columns, q, blame, blame->parts);
}
