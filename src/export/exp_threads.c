/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "query/host/tracer.h"

/* The states a thread can be in, in the order of the model. */
static const enum mdl_state states[] = { MDL_ST_USERMODE, MDL_ST_SYSCALL, MDL_ST_RUNNING, MDL_ST_INTERRUPTED,
	MDL_ST_WAIT_CPU, MDL_ST_PREEMPTED, MDL_ST_BLOCKED, MDL_ST_NEW, MDL_ST_EXITED, MDL_ST_VCPU_PREEMPTED,
	MDL_ST_VCPU_EXIT, MDL_ST_UNKNOWN };

/* A thread, with its share of states over its life. */
struct thread {
	const struct qry_row *r;
	struct qry_cell share;
};

/* ---- columns ---- */

/* All names it had. */
static void set_names(struct exp_cell *cell, uint32_t row, const struct exp_rows_in *in)
{
	g_autoptr(GPtrArray) names = qry_names(in->q, row);

	exp_rows_texts(cell, in->format, names, "; ");
}

static GString *states_json(const struct qry_cell *share)
{
	GString *o = base_json_object();

	for (gsize i = 0; i < G_N_ELEMENTS(states); i++)
		base_json_int(o, mdl_state_name(states[i]), share->ns[states[i]]);
	return o;
}

/* "running 3.20 ms, blocked 9.00 ms": those it was in. */
static char *states_text(const struct qry_cell *share)
{
	GString *text = g_string_new(NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(states); i++) {
		g_autofree char *length = exp_table_duration(share->ns[states[i]]);

		if (share->ns[states[i]] > 0)
			g_string_append_printf(text, "%s%s %s", text->len ? ", " : "",
				mdl_state_name(states[i]), length);
	}
	return g_string_free(text, FALSE);
}

EXP_COLUMNS(columns)
{
	const struct thread *t = row;

	EXP_COLUMN("host", "HOST", EXP_WORD, word = qry_host(in->q, t->r->host)->name);
	EXP_COLUMN("tid", ">TID", EXP_NUMBER, number = t->r->nr);
	EXP_COLUMN("pid", ">PID", EXP_NUMBER, number = exp_rows_natural(t->r->pid));
	EXP_COLUMN("ppid", ">PARENT", EXP_NUMBER, number = exp_rows_natural(t->r->ppid));
	EXP_COLUMN("name", "NAME", EXP_WORD, word = t->r->name);
	EXP_COLUMN("first", "FIRST SEEN", EXP_TIME, number = t->r->first);
	EXP_COLUMN("last", "LAST SEEN", EXP_TIME, number = t->r->last);
	EXP_COLUMN("cpu_time", ">ON CPU", EXP_DURATION, number = qry_cell_on_cpu(&t->share));
	EXP_COLUMN("wakeups", ">WAKE-UPS", EXP_NUMBER, number = (int64_t)qry_wakeup_count(in->q, t->r->id));
	for (gsize i = 0; i < G_N_ELEMENTS(states); i++) /* these in STATES */
		EXP_COLUMN(mdl_state_name(states[i]), NULL, EXP_DURATION, number = t->share.ns[states[i]]);
	EXP_COLUMN("tracer", "TRACER", EXP_YES, number = qry_is_tracer(in->q, t->r->id));
	EXP_COLUMN("cpu", ">CPU", EXP_NUMBER, number = exp_rows_id(t->r->cpu));
	EXP_OBJECT("states", "STATES", EXP_LONG, states_json(&t->share), states_text(&t->share));
	EXP_COLUMN_BY("names", "ALL NAMES", EXP_LONG, set_names(cell, t->r->id, in));
}

EXP_WRITER(exp_threads)
{
	struct exp_rows *rows;

	rows = exp_rows_new(out, "threads", columns, o, q, NULL);
	for (uint32_t i = 0; i < qry_row_count(q); i++) {
		struct thread t = { .r = qry_row(q, i) };

		if (t.r->type != MDL_ROW_THREAD || (o->hide_tracer && qry_is_tracer(q, i)))
			continue;
		qry_share(q, i, t.r->first, t.r->last, &t.share);
		exp_rows_add(rows, &t);
	}
	exp_rows_finish(rows);
	return true;
}
