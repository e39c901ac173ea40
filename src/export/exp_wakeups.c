/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_json.h"
#include "export/exp_rows.h"
#include "export/exp_source.h"
#include "export/exp_table.h"

#include "analysis/ana_words.h"
#include "base/base_time.h"

/* From the wake-up to running; BASE_TIME_NONE when it never ran. */
static int64_t latency_of(const struct mdl_wakeup *w)
{
	return w->ran_at == MDL_NEVER ? BASE_TIME_NONE : w->ran_at - w->time;
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

/* ---- columns ---- */

/* A wake-up and what made it. */
struct wakeup {
	uint32_t row;
	const struct mdl_wakeup *w;
	struct ana_source source;
};

#define WAKEUP(get, is) EXP_GET(get) { const struct wakeup *u = row; cell->is; }

WAKEUP(get_time, number = u->w->time)
WAKEUP(get_since, number = u->w->since)
WAKEUP(get_waited, number = u->w->since == MDL_NEVER ? BASE_TIME_NONE : u->w->time - u->w->since)
WAKEUP(get_cpu, number = exp_rows_id(u->w->cpu))
WAKEUP(get_target_cpu, number = exp_rows_id(u->w->target_cpu))
WAKEUP(get_kind, word = ana_kind_name(u->source.kind))
WAKEUP(get_grade, word = ana_grade_name(u->source.grade))
WAKEUP(get_tid, number = u->source.thread == MDL_NONE ? BASE_TIME_NONE : qry_row(in->q, u->source.thread)->nr)
WAKEUP(get_name, word = u->source.thread == MDL_NONE ? NULL : qry_name_at(in->q, u->source.thread, u->w->time))
WAKEUP(get_context, taken = contexts_text(in->q, &u->source))
WAKEUP(get_device, word = u->source.device)
WAKEUP(get_ran_at, number = u->w->ran_at)
WAKEUP(get_latency, number = latency_of(u->w))

EXP_GET(get_source)
{
	const struct wakeup *u = row;

	if (in->format == EXP_JSON)
		exp_rows_object(cell, exp_source_json(in->q, u->row, u->w, in->evidence));
	else
		cell->taken = ana_source_text(in->q, &u->source);
}

static const struct exp_column columns[] = {
	{ "time", "WOKEN AT", EXP_TIME, get_time },
	{ "since", NULL, EXP_TIME, get_since },		/* in WAITED */
	{ "", ">WAITED", EXP_DURATION, get_waited },
	{ "cpu", ">CPU", EXP_NUMBER, get_cpu },
	{ "target_cpu", ">TO CPU", EXP_NUMBER, get_target_cpu },
	{ "kind", "KIND", EXP_WORD, get_kind },
	{ "grade", "GRADE", EXP_WORD, get_grade },
	{ "tid", NULL, EXP_NUMBER, get_tid },		/* these in BY */
	{ "name", NULL, EXP_WORD, get_name },
	{ "context", NULL, EXP_WORD, get_context },
	{ "device", NULL, EXP_WORD, get_device },
	{ "ran_at", NULL, EXP_TIME, get_ran_at },	/* WOKEN AT and RAN AFTER */
	{ "latency", ">RAN AFTER", EXP_DURATION, get_latency },
	{ "source", "BY", EXP_LONG, get_source },
	{ NULL, NULL, EXP_NUMBER, NULL }
};

static bool put_rows(GString *out, struct qry *q, uint32_t row, const GArray *wakeups, enum exp_format format, struct base_progress *progress,
		     GError **error)
{
	struct exp_rows *rows = exp_rows_new(out, "wakeups", columns, format, q, NULL);
	struct exp_evidence *evidence = exp_evidence_new(q, out, progress);

	exp_rows_await(rows, evidence);
	for (guint i = 0; i < wakeups->len; i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);
		struct wakeup u = { row, w, ana_source_of(q, row, w) };

		exp_rows_add(rows, &u);
	}
	exp_rows_finish(rows);
	return exp_evidence_finish(evidence, error);
}

bool exp_wakeups(GString *out, struct qry *q, uint32_t row, int64_t from, int64_t to, enum exp_format format, struct base_progress *progress,
		 GError **error)
{
	GArray *wakeups = qry_wakeups(q, row, from, to);
	char *label = qry_row_label(q, row);
	bool fine;

	if (format == EXP_JSON) {
		exp_json_begin(out);
		exp_json_put(out, "subject", exp_json_subject(q, row));
	} else if (format == EXP_TEXT) {
		exp_table_append_clean(out, label);
		g_string_append_printf(out, ": %u wake-ups\n", wakeups->len);
	}
	fine = put_rows(out, q, row, wakeups, format, progress, error);
	if (format == EXP_JSON)
		exp_json_end(out);
	g_free(label);
	g_array_unref(wakeups);
	return fine;
}
