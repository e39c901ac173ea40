/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "analysis/kind/kind.h"
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
		g_autofree char *context = ana_words_act(q, s->host, &chain.hops[i].act);

		g_string_append_printf(text, "%s%s", i ? " > " : "", context);
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

EXP_COLUMNS(columns)
{
	const struct wakeup *u = row;

	EXP_COLUMN("time", "WOKEN AT", EXP_TIME, number = u->w->time);
	EXP_COLUMN("since", NULL, EXP_TIME, number = u->w->since); /* in WAITED */
	EXP_COLUMN("", ">WAITED", EXP_DURATION,
		number = u->w->since == MDL_NEVER ? BASE_TIME_NONE : u->w->time - u->w->since);
	EXP_COLUMN("cpu", ">CPU", EXP_NUMBER, number = exp_rows_id(u->w->cpu));
	EXP_COLUMN("target_cpu", ">TO CPU", EXP_NUMBER, number = exp_rows_id(u->w->target_cpu));
	EXP_COLUMN("kind", "KIND", EXP_WORD, word = ana_kind_name(u->source.kind));
	EXP_COLUMN("grade", "GRADE", EXP_WORD, word = ana_grade_name(u->source.grade));
	/* These in BY. */
	EXP_COLUMN("tid", NULL, EXP_NUMBER, number = exp_rows_nr(in->q, u->source.thread));
	EXP_COLUMN("name", NULL, EXP_WORD, word = exp_rows_name(in->q, u->source.thread, u->w->time));
	EXP_COLUMN("context", NULL, EXP_WORD, taken = contexts_text(in->q, &u->source));
	EXP_COLUMN("device", NULL, EXP_WORD, word = u->source.device);
	EXP_COLUMN("ran_at", NULL, EXP_TIME, number = u->w->ran_at); /* WOKEN AT and RAN AFTER */
	EXP_COLUMN("latency", ">RAN AFTER", EXP_DURATION, number = latency_of(u->w));
	EXP_OBJECT("source", "BY", EXP_LONG, exp_source_json(in->q, u->row, u->w, in->evidence),
		ana_source_text(in->q, &u->source));
}

static bool wakeups_put_rows(GString *out, struct qry *q, const GArray *wakeups, const struct exp_options *o,
	GError **error)
{
	struct exp_rows *rows = exp_rows_new(out, "wakeups", columns, o, q, NULL);
	struct exp_evidence *evidence = exp_evidence_new(q, out, o);

	exp_rows_await(rows, evidence);
	for (guint i = 0; i < wakeups->len; i++) {
		const struct mdl_wakeup *w = &g_array_index(wakeups, struct mdl_wakeup, i);
		struct wakeup u = { o->row, w, ana_source_of(q, o->row, w) };

		exp_rows_add(rows, &u);
	}
	exp_rows_finish(rows);
	return exp_evidence_finish(evidence, error);
}

EXP_WRITER(exp_wakeups)
{
	g_autoptr(GArray) wakeups = qry_wakeups(q, o->row, o->from, o->to);
	g_autofree char *label = qry_row_label(q, o->row);

	if (o->format == EXP_JSON) {
		base_json_put(out, "subject", exp_json_subject(q, o->row));
	} else if (o->format == EXP_TEXT) {
		exp_table_append_clean(out, label);
		g_string_append_printf(out, ": %u wake-ups\n", wakeups->len);
	}
	return wakeups_put_rows(out, q, wakeups, o, error);
}
