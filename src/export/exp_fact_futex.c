/* SPDX-License-Identifier: MIT */
#include "export/exp_rows.h"

static GString *futex_json(G_GNUC_UNUSED struct qry *q, const struct ana_why *why)
{
	static const char *const ops[MDL_FUTEX_BYS] = {
		[MDL_FUTEX_BY_WAKE] = "wake",
		[MDL_FUTEX_BY_WAKE_OP] = "wake-op",
		[MDL_FUTEX_BY_REQUEUE] = "requeue",
		[MDL_FUTEX_BY_UNLOCK_PI] = "unlock-pi",
		[MDL_FUTEX_BY_REQUEUE_PI] = "requeue-pi",
		[MDL_FUTEX_BY_EXIT] = "exit",
	};
	const struct mdl_futex *f = &why->cause.facts.futex;
	GString *o = base_json_object();

	exp_json_address(o, "uaddr", f->address);
	base_json_text(o, "op", ops[f->by]);
	base_json_text(o, "grade", ana_grade_name(ana_grade_of((enum mdl_grade)f->grade)));
	return o;
}

const struct exp_fact_ops exp_fact_futex = { .key = "futex", .json = futex_json };
