/* SPDX-License-Identifier: MIT */
#include "export/exp_rows.h"

#include "analysis/kind/chain.h"
#include "base/base_time.h"

#include <inttypes.h>

void exp_json_id(GString *o, const char *key, uint32_t value)
{
	base_json_time(o, key, value == MDL_NONE ? BASE_TIME_NONE : (int64_t)value);
}

void exp_json_window(GString *out, const struct exp_options *o)
{
	base_json_time(out, "from", o->from);
	base_json_time(out, "to", o->to);
}

GString *exp_json_subject(const struct qry *q, uint32_t row)
{
	const struct qry_row *r = qry_row(q, row);
	GString *o = base_json_object();

	base_json_string(o, "type", qry_row_type_name(r->type));
	base_json_text(o, "host", qry_host(q, r->host)->name);
	if (r->type == MDL_ROW_THREAD) {
		base_json_int(o, "tid", r->nr);
		base_json_natural(o, "pid", r->pid);
	} else if (r->type != MDL_ROW_CPU) {
		base_json_int(o, "nr", r->nr);
	}
	if (r->type == MDL_ROW_CPU)
		base_json_int(o, "cpu", r->nr);
	else if (r->cpu != MDL_NONE)
		exp_json_id(o, "cpu", r->cpu);
	if (r->type != MDL_ROW_CPU)
		base_json_text(o, "name", r->name);
	return o;
}

GString *exp_json_thread(const struct qry *q, uint32_t row, int64_t time)
{
	GString *o;

	if (row == MDL_NONE)
		return NULL;
	o = base_json_object();
	base_json_text(o, "host", qry_host(q, qry_row(q, row)->host)->name);
	base_json_int(o, "tid", qry_row(q, row)->nr);
	base_json_text(o, "name", qry_name_at(q, row, time));
	return o;
}

void exp_json_address(GString *o, const char *key, uint64_t address)
{
	g_autofree char *text = address != 0 ? g_strdup_printf("0x%" PRIx64, address) : NULL;

	base_json_text(o, key, text);
}
