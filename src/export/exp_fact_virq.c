/* SPDX-License-Identifier: MIT */
#include "export/exp_rows.h"

static GString *virq_json(G_GNUC_UNUSED struct qry *q, const struct ana_why *why)
{
	static const char *const bys[MDL_VIRQ_BYS] = { [MDL_VIRQ_BY_MSI] = "msi",
		[MDL_VIRQ_BY_LINE] = "line",
		[MDL_VIRQ_BY_IPI] = "ipi" };
	const struct mdl_virq *v = &why->cause.facts.virq;
	GString *o = base_json_object();

	base_json_int(o, "vector", v->vector);
	base_json_text(o, "by", bys[v->by]);
	base_json_text(o, "grade", ana_grade_name(ana_grade_of((enum mdl_grade)v->grade)));
	return o;
}

const struct exp_fact_ops exp_fact_virq = { .key = "virq", .json = virq_json, .optional = true };
