/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_rows.h"

/* "-43.7 ms  IRQ 28 virtio2-req.0  sent the IPI  inferred: ipi_send_cpu would prove it": one line for each
 * step, its time from the end of the wait. */
static void put_hop(struct exp_table *t, const struct ana_why *why, const struct ana_why_hop *hop)
{
	int64_t after = hop->from - why->to;
	g_autofree char *length = exp_table_duration(ABS(after));

	exp_table_take(t, g_strdup_printf("%s%s", after < 0 ? "-" : after > 0 ? "+" : "", length));
	exp_table_take(t, g_strdup_printf("%*s%s", (int)(2 * hop->level), "", hop->label));
	exp_table_add(t, hop->text);
	if (hop->grade == ANA_PROVED || !hop->missing)
		exp_table_add(t, ana_grade_name(hop->grade));
	else
		exp_table_take(t,
			g_strdup_printf("%s: %s would prove it", ana_grade_name(hop->grade), hop->missing));
}

void exp_why(GString *out, const struct qry *q, const struct ana_why *why)
{
	static const char *const headers[] = { ">AT", "STEP", "WHAT", "GRADE", NULL };
	g_autofree char *label = qry_row_label(q, why->row),
			*length = exp_table_duration(why->to - why->from), *end = exp_table_time(why->to);
	struct exp_table *t = exp_table_new(headers, NULL);

	exp_table_append_clean(out, label);
	g_string_append_printf(out, " waited %s until %s\n", length, end);
	exp_table_append_clean(out, why->headline);
	g_string_append_c(out, '\n');
	for (guint i = 0; i < why->hops->len; i++)
		put_hop(t, why, &g_array_index(why->hops, struct ana_why_hop, i));
	exp_table_finish(t, out, "");
}
