/* SPDX-License-Identifier: MIT */
/* Answers that are one list, with the text above and below its rows. */
#include "export/exp.h"

#include "export/exp_rows.h"
#include "table/rows.h"

#include "analysis/kind/advice.h"
#include "base/base_text.h"
#include "query/events/lines.h"
#include "query/symbols/symbols.h"

#include <inttypes.h>

EXP_WRITER(exp_threads)
{
	return exp_rows_all(out, &table_threads, o, q, NULL, error);
}

/* ---- the states of a row ---- */

/* Append the time in each state, in the order of the model. */
static bool append_totals(GString *out, struct qry *q, const struct exp_options *o, GError **error)
{
	static const char *const headers[] = { "STATE", ">TIME", ">SHARE", ">INTERVALS", NULL };
	const struct table_question ask = { .row = o->row, .host = MDL_NONE, .from = o->from, .to = o->to };
	struct table_cursor *c = table_open(&table_states, q, &ask, error);
	struct exp_table *t = exp_table_new(headers, NULL);
	int64_t ns[MDL_ST_N] = { 0 }, count[MDL_ST_N] = { 0 }, sum = 0;
	const void *row;
	int found = -1;

	while (c && (found = table_next(c, &row, error)) > 0) {
		const struct mdl_interval *i = &((const struct table_state *)row)->interval;

		ns[i->state] += i->to - i->from;
		count[i->state]++;
		sum += i->to - i->from;
	}
	for (int s = 0; s < MDL_ST_N; s++) {
		if (!count[s])
			continue;
		exp_table_add(t, mdl_state_name(s));
		exp_table_add_duration(t, ns[s]);
		exp_table_take(t, g_strdup_printf("%.2f %%", 100.0 * (double)ns[s] / (double)sum));
		exp_table_add_int(t, count[s]);
	}
	g_string_append_c(out, '\n');
	exp_table_finish(t, out);
	table_close(c);
	return found == 0;
}

/* The time in each state, by the sums in the index, like the rows of the explorer, not by the intervals. */
static GString *sums_json(struct qry *q, const struct exp_options *o)
{
	GString *json = base_json_object();
	struct qry_cell share;

	qry_share(q, o->row, o->from, o->to, &share);
	for (unsigned s = 0; s < MDL_ST_N; s++)
		base_json_int(json, mdl_state_name(s), share.ns[s]);
	return json;
}

EXP_WRITER(exp_states)
{
	g_autofree char *label = qry_row_label(q, o->row);

	if (o->format == TABLE_JSON) {
		base_json_put(out, "subject", table_json_subject(q, o->row));
		base_json_put(out, "states", sums_json(q, o));
	} else if (o->format == TABLE_TEXT) {
		exp_table_append_clean(out, label);
		g_string_append_c(out, '\n');
	}
	return exp_rows_all(out, &table_states, o, q, NULL, error) &&
		(o->format != TABLE_TEXT || append_totals(out, q, o, error));
}

EXP_WRITER(exp_wakeups)
{
	uint64_t n = qry_wakeup_seek(q, o->row, o->to) - qry_wakeup_seek(q, o->row, o->from);
	g_autofree char *label = qry_row_label(q, o->row);

	if (o->format == TABLE_JSON) {
		base_json_put(out, "subject", table_json_subject(q, o->row));
	} else if (o->format == TABLE_TEXT) {
		exp_table_append_clean(out, label);
		g_string_append_printf(out, ": %" PRIu64 " wake-up%s\n", n, base_text_s(n));
	}
	return exp_rows_all(out, &table_wakeups, o, q, NULL, error);
}

/* ---- requests over the network ---- */

/* Append why there are no requests: events not recorded on the hosts of the question, or no replies. */
static void put_missing(GString *out, const struct qry *q, uint32_t row)
{
	gsize before = out->len;

	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		const char *missing = ana_advice_packets(q, i);

		if (missing && (row == MDL_NONE || qry_row(q, row)->host == i))
			g_string_append_printf(out, "requests are unknown without %s, not recorded on %s\n",
				missing, row == MDL_NONE ? qry_host(q, i)->name : "that host");
	}
	if (out->len == before)
		g_string_append(out, "no packet sent in this time was answered\n");
}

EXP_WRITER(exp_requests)
{
	const GArray *requests = result;

	if (o->format == TABLE_JSON) {
		base_json_put(out, "subject", o->row == MDL_NONE ? NULL : table_json_subject(q, o->row));
		exp_json_window(out, o);
	} else if (o->format == TABLE_TEXT) {
		g_autofree char *label = o->row == MDL_NONE ? g_strdup("") : qry_row_label(q, o->row);

		exp_table_append_clean(out, label);
		g_string_append_printf(out, "%s%u request%s\n", *label ? ": " : "", requests->len,
			base_text_s(requests->len));
	}
	if (!exp_rows_all(out, &table_requests, o, q, requests, error))
		return false;
	if (o->format == TABLE_TEXT && requests->len == 0)
		put_missing(out, q, o->row);
	return true;
}

EXP_WRITER(exp_spans)
{
	if (o->format == TABLE_JSON)
		exp_json_window(out, o);
	return exp_rows_all(out, &table_spans, o, q, NULL, error);
}

/* ---- any list ---- */

EXP_WRITER(exp_table)
{
	const struct table_asked *asked = result;

	if (o->format == TABLE_JSON)
		exp_json_window(out, o);
	return exp_rows_asked(out, asked, o, q, UINT64_MAX, NULL, error);
}

/* ---- sums ---- */

EXP_WRITER(exp_causes)
{
	uint64_t left = 0;

	if (o->format == TABLE_JSON)
		exp_json_window(out, o);
	if (!exp_rows_table(out, &table_causes, o, q, result, o->top, &left, error))
		return false;
	if (o->format == TABLE_TEXT && left > 0)
		g_string_append_printf(out, "and %" PRIu64 " more; all with --top 0\n", left);
	return true;
}

EXP_WRITER(exp_stacks)
{
	const struct ana_stacks *all = result;
	g_autofree char *time = table_duration_text(all->time);

	if (o->format == TABLE_JSON) {
		base_json_text(out, "of", ana_stacks_of_name(all->of));
		base_json_int(out, "time", all->time);
		base_json_int(out, "with", (int64_t)all->with);
		base_json_int(out, "without", (int64_t)all->without);
		base_json_text(out, "program_names", qry_has_symfs(q) ? "inferred" : NULL);
	} else if (o->format == TABLE_TEXT && all->of == ANA_STACKS_CPU) {
		g_string_append_printf(out,
			"on CPUs for %s, by %" PRIu64 " sample%s, %" PRIu64 " without a stack\n", time,
			all->with + all->without, base_text_s(all->with + all->without), all->without);
	} else if (o->format == TABLE_TEXT) {
		g_string_append_printf(out,
			"blocked for %s, by the stack of the %s: %" PRIu64 " wait%s, %" PRIu64
			" without a stack\n",
			time, ana_stacks_of_name(all->of), all->with + all->without,
			base_text_s(all->with + all->without), all->without);
	}
	return exp_rows_table(out, &table_stacks, o, q, all, o->top, NULL, error);
}

EXP_WRITER(exp_machines)
{
	return exp_rows_all(out, o->format == TABLE_JSON ? &table_machines : &table_machine_lines, o, q,
		result, error);
}

/* ---- events ---- */

EXP_WRITER(exp_events)
{
	bool fine = exp_rows_all(out, &table_events, o, q, result, error);

	if (fine && o->format == TABLE_JSON)
		base_json_yes(out, "more", qry_lines_are_cut(result));
	else if (fine && o->format == TABLE_TEXT && qry_lines_are_cut(result))
		g_string_append(out, "and more: --top N lists N of them, --top 0 all\n");
	return fine;
}
