/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_csv.h"
#include "export/exp_json.h"
#include "export/exp_table.h"

#include "base/base_time.h"

static const struct ana_causes_entry *entry_of(const GArray *entries, guint i)
{
	return &g_array_index(entries, struct ana_causes_entry, i);
}

static JsonObject *entry_json(const struct qry *q, const struct ana_causes_entry *e)
{
	JsonObject *o = json_object_new();

	exp_json_text(o, "kind", ana_kind_name(e->kind));
	exp_json_text(o, "cause", e->label);
	exp_json_text(o, "host", qry_host(q, e->host)->name);
	exp_json_text(o, "name", e->name);
	exp_json_int(o, "threads", e->threads);
	exp_json_object(o, "subject", e->row == MDL_NONE ? NULL : exp_json_subject(q, e->row));
	exp_json_int(o, "count", e->count);
	exp_json_int(o, "time", e->total);
	exp_json_int(o, "proved", e->grades[ANA_PROVED]);
	exp_json_int(o, "inferred", e->grades[ANA_INFERRED]);
	exp_json_int(o, "unknown", e->grades[ANA_UNKNOWN]);
	exp_json_int(o, "longest", e->longest);
	exp_json_object(o, "longest_thread", exp_json_thread(q, e->longest_row, e->longest_end));
	exp_json_time(o, "longest_end", e->longest_end);
	return o;
}

static void causes_json(GString *out, const struct qry *q, const GArray *entries, unsigned n, int64_t from, int64_t to)
{
	JsonObject *span = json_object_new();

	exp_json_time(span, "from", from);
	exp_json_time(span, "to", to);
	exp_json_begin(out);
	exp_json_put_members(out, span);
	exp_json_begin_list(out, "causes");
	for (guint i = 0; i < n; i++)
		exp_json_put(out, NULL, entry_json(q, entry_of(entries, i)));
	exp_json_end_list(out);
	exp_json_end(out);
}

static void causes_csv(GString *out, const struct qry *q, const GArray *entries, unsigned n)
{
	struct exp_csv csv = exp_csv_begin(out, "kind,cause,count,time,proved,inferred,unknown,longest,longest_tid,longest_name,longest_end,host,name,threads");

	for (guint i = 0; i < n; i++) {
		const struct ana_causes_entry *e = entry_of(entries, i);

		exp_csv_text(&csv, ana_kind_name(e->kind));
		exp_csv_text(&csv, e->label);
		exp_csv_int(&csv, e->count);
		exp_csv_int(&csv, e->total);
		for (unsigned g = 0; g < G_N_ELEMENTS(e->grades); g++)
			exp_csv_int(&csv, e->grades[g]);
		exp_csv_int(&csv, e->longest);
		exp_csv_int(&csv, qry_row(q, e->longest_row)->nr);
		exp_csv_text(&csv, qry_name_at(q, e->longest_row, e->longest_end));
		exp_csv_time(&csv, e->longest_end);
		exp_csv_text(&csv, qry_host(q, e->host)->name);
		exp_csv_text(&csv, e->name);
		exp_csv_int(&csv, e->threads);
		exp_csv_end_line(&csv);
	}
}

/* With its host where there are several; labels of threads have it already.  The caller frees. */
static char *cause_text(const struct qry *q, const struct ana_causes_entry *e)
{
	const char *label = *e->label ? e->label : "-";

	return e->threads > 0 || qry_host_count(q) == 1 ? g_strdup(label) : g_strconcat(qry_host(q, e->host)->name, "/", label, NULL);
}

static void causes_text(GString *out, const struct qry *q, const GArray *entries, unsigned n)
{
	static const char *const headers[] = {
		">TIME", ">WAITS", ">PROVED", ">INFERRED", ">UNKNOWN", "KIND", "CAUSE", ">LONGEST", "ENDED AT", "OF", NULL
	};
	struct exp_table *t = exp_table_new(headers);

	for (guint i = 0; i < n; i++) {
		const struct ana_causes_entry *e = entry_of(entries, i);

		exp_table_add_duration(t, e->total);
		exp_table_add_int(t, e->count);
		for (unsigned g = 0; g < G_N_ELEMENTS(e->grades); g++)
			exp_table_add_int(t, e->grades[g]);
		exp_table_add(t, ana_kind_name(e->kind));
		exp_table_take(t, cause_text(q, e));
		exp_table_add_duration(t, e->longest);
		exp_table_add_time(t, e->longest_end);
		exp_table_take(t, qry_row_label(q, e->longest_row));
	}
	exp_table_finish(t, out, "");
	if (n < entries->len)
		g_string_append_printf(out, "and %u more; all with --top %u\n", entries->len - n, entries->len);
}

void exp_causes(GString *out, struct qry *q, const GArray *entries, unsigned top, int64_t from, int64_t to, enum exp_format format)
{
	unsigned n = MIN(top, entries->len);

	switch (format) {
	case EXP_JSON:
		causes_json(out, q, entries, n, from, to);
		break;
	case EXP_CSV:
		causes_csv(out, q, entries, n);
		break;
	case EXP_TEXT:
		causes_text(out, q, entries, n);
		break;
	}
}
