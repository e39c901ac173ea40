/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_csv.h"
#include "export/exp_json.h"
#include "export/exp_source.h"
#include "export/exp_table.h"

#include "analysis/ana_words.h"
#include "base/base_time.h"

/* From the wake-up to running; BASE_TIME_NONE when it never ran. */
static int64_t latency_of(const struct mdl_wakeup *w)
{
	return w->ran_at == MDL_NEVER ? BASE_TIME_NONE : w->ran_at - w->time;
}

static void wakeups_json(GString *out, struct qry *q, const struct qry_row *r, const GArray *wakeups)
{
	exp_json_begin(out);
	exp_json_put(out, "subject", exp_json_subject(q, r->id));
	exp_json_begin_list(out, "wakeups");
	for (guint i = 0; i < wakeups->len; i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);
		JsonObject *o = json_object_new();

		exp_json_time(o, "time", w->time);
		exp_json_time(o, "since", w->since);
		exp_json_id(o, "cpu", w->cpu);
		exp_json_id(o, "target_cpu", w->target_cpu);
		exp_json_object(o, "source", exp_source_json(q, r->id, w));
		exp_json_time(o, "ran_at", w->ran_at);
		exp_json_time(o, "latency", latency_of(w));
		exp_json_put(out, NULL, o);
	}
	exp_json_end_list(out);
	exp_json_end(out);
}

/* "IRQ 25 virtio2-req.0 > softirq BLOCK", empty without interrupts.  The caller frees. */
static char *contexts_text(struct qry *q, const struct ana_source *s)
{
	struct mdl_cause cause;
	struct mdl_chain chain;
	GString *text = g_string_new(NULL);

	ana_source_chain(q, s, &cause, &chain);
	for (unsigned i = 0; i < chain.n && (chain.n > 1 || chain.hops[0].act.context != MDL_NONE); i++) {
		char *context = ana_words_act(q, s->host, &chain.hops[i].act);

		g_string_append_printf(text, "%s%s", i ? " > " : "", context);
		g_free(context);
	}
	return g_string_free(text, FALSE);
}

static void wakeups_csv(GString *out, struct qry *q, const struct qry_row *r, const GArray *wakeups)
{
	struct exp_csv csv = exp_csv_begin(out, "time,since,cpu,target_cpu,kind,grade,tid,name,context,device,ran_at,latency");

	for (guint i = 0; i < wakeups->len; i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);
		struct ana_source source = ana_source_of(q, r->id, w);

		exp_csv_time(&csv, w->time);
		exp_csv_time(&csv, w->since);
		exp_csv_id(&csv, w->cpu);
		exp_csv_id(&csv, w->target_cpu);
		exp_csv_text(&csv, ana_kind_name(source.kind));
		exp_csv_text(&csv, ana_grade_name(source.grade));
		exp_csv_natural(&csv, source.thread == MDL_NONE ? -1 : qry_row(q, source.thread)->nr);
		exp_csv_text(&csv, source.thread == MDL_NONE ? NULL : qry_name_at(q, source.thread, w->time));
		exp_csv_take(&csv, contexts_text(q, &source));
		exp_csv_text(&csv, source.device);
		exp_csv_time(&csv, w->ran_at);
		exp_csv_time(&csv, latency_of(w));
		exp_csv_end_line(&csv);
	}
}

static void wakeups_text(GString *out, struct qry *q, const struct qry_row *r, const GArray *wakeups)
{
	static const char *const headers[] = { "WOKEN AT", ">WAITED", ">RAN AFTER", ">CPU", ">TO CPU", "GRADE", "BY", NULL };
	struct exp_table *t = exp_table_new(headers);
	char *label = qry_row_label(q, r->id);

	for (guint i = 0; i < wakeups->len; i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);
		struct ana_source source = ana_source_of(q, r->id, w);

		exp_table_add_time(t, w->time);
		exp_table_add_duration(t, w->since == MDL_NEVER ? BASE_TIME_NONE : w->time - w->since);
		exp_table_add_duration(t, latency_of(w));
		exp_table_add_id(t, w->cpu);
		exp_table_add_id(t, w->target_cpu);
		exp_table_add(t, ana_grade_name(source.grade));
		exp_table_take(t, ana_source_text(q, &source));
	}
	exp_table_append_clean(out, label);
	g_string_append_printf(out, ": %u wake-ups\n", wakeups->len);
	exp_table_finish(t, out, "");
	g_free(label);
}

void exp_wakeups(GString *out, struct qry *q, uint32_t row, int64_t from, int64_t to, enum exp_format format)
{
	const struct qry_row *r = qry_row(q, row);
	GArray *wakeups = qry_wakeups(q, row, from, to);

	switch (format) {
	case EXP_JSON:
		wakeups_json(out, q, r, wakeups);
		break;
	case EXP_CSV:
		wakeups_csv(out, q, r, wakeups);
		break;
	case EXP_TEXT:
		wakeups_text(out, q, r, wakeups);
		break;
	}
	g_array_unref(wakeups);
}
