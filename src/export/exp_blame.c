/* SPDX-License-Identifier: MIT */
#include "export/exp_blame.h"

#include "export/exp_json.h"

static JsonObject *part_json(const struct qry *q, const struct ana_blame_part *p, int64_t whole)
{
	JsonObject *o = json_object_new();
	bool thread = p->what == ANA_BLAME_THREAD && p->row != MDL_NONE;

	exp_json_text(o, "what", ana_blame_what_name(p->what));
	exp_json_text(o, "name", p->name);
	exp_json_text(o, "host", qry_host(q, p->host)->name);
	exp_json_natural(o, "tid", thread ? qry_row(q, p->row)->nr : -1);
	if (p->priority != MDL_PRIORITY_NONE)
		exp_json_int(o, "priority", p->priority);
	else
		json_object_set_null_member(o, "priority");
	exp_json_text(o, "class", mdl_class_name(p->priority));
	exp_json_id(o, "cpu", p->cpu);
	exp_json_int(o, "time", p->time);
	json_object_set_double_member(o, "share", (double)p->time / (double)whole);
	exp_json_text(o, "grade", ana_grade_name(p->grade));
	return o;
}

JsonArray *exp_blame_json(const struct qry *q, const struct ana_blame *blame)
{
	JsonArray *list = json_array_sized_new(blame->parts->len);

	for (guint i = 0; i < blame->parts->len; i++)
		json_array_add_object_element(list,
			part_json(q, &g_array_index(blame->parts, struct ana_blame_part, i),
				blame->to - blame->from));
	return list;
}
