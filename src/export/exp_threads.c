/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_json.h"
#include "export/exp_rows.h"
#include "export/exp_table.h"

#include "query/qry_tracer.h"

/* The states a thread can be in, in the order of the model. */
static const enum mdl_state states[] = {
	MDL_ST_USERMODE, MDL_ST_SYSCALL, MDL_ST_RUNNING, MDL_ST_INTERRUPTED, MDL_ST_WAIT_CPU, MDL_ST_PREEMPTED, MDL_ST_BLOCKED,
	MDL_ST_NEW, MDL_ST_EXITED, MDL_ST_VCPU_PREEMPTED, MDL_ST_VCPU_EXIT, MDL_ST_UNKNOWN,
};

/* A thread, with its share of states over its life. */
struct thread {
	const struct qry_row *r;
	struct qry_cell share;
};

/* ---- columns ---- */

#define THREAD(get, is) EXP_GET(get) { const struct thread *t = row; cell->is; }
#define STATE(get, state) THREAD(get, number = t->share.ns[MDL_ST_##state])

THREAD(get_host, word = qry_host(in->q, t->r->host)->name)
THREAD(get_tid, number = t->r->nr)
THREAD(get_pid, number = exp_rows_natural(t->r->pid))
THREAD(get_ppid, number = exp_rows_natural(t->r->ppid))
THREAD(get_name, word = t->r->name)
THREAD(get_first, number = t->r->first)
THREAD(get_last, number = t->r->last)
THREAD(get_cpu_time, number = qry_cell_on_cpu(&t->share))
THREAD(get_wakeups, number = (int64_t)qry_wakeup_count(in->q, t->r->id))
STATE(get_usermode, USERMODE)
STATE(get_syscall, SYSCALL)
STATE(get_running, RUNNING)
STATE(get_interrupted, INTERRUPTED)
STATE(get_wait_cpu, WAIT_CPU)
STATE(get_preempted, PREEMPTED)
STATE(get_blocked, BLOCKED)
STATE(get_new, NEW)
STATE(get_exited, EXITED)
STATE(get_vcpu_preempted, VCPU_PREEMPTED)
STATE(get_vcpu_exit, VCPU_EXIT)
STATE(get_unknown, UNKNOWN)
THREAD(get_tracer, number = qry_is_tracer(in->q, t->r->id))
THREAD(get_cpu, number = exp_rows_id(t->r->cpu))

/* All names it had: a list in JSON, else one behind the other. */
EXP_GET(get_names)
{
	const struct thread *t = row;
	GPtrArray *names = qry_names(in->q, t->r->id);
	JsonObject *o;

	if (in->format == EXP_JSON) {
		o = json_object_new();
		exp_json_texts(o, "names", names);
		cell->json = json_node_copy(json_object_get_member(o, "names"));
		json_object_unref(o);
	} else {
		g_ptr_array_add(names, NULL);
		cell->taken = g_strjoinv("; ", (char **)names->pdata);
	}
	g_ptr_array_unref(names);
}

static JsonObject *states_json(const struct qry_cell *share)
{
	JsonObject *o = json_object_new();

	for (gsize i = 0; i < G_N_ELEMENTS(states); i++)
		exp_json_int(o, mdl_state_name(states[i]), share->ns[states[i]]);
	return o;
}

/* "running 3.20 ms, blocked 9.00 ms": those it was in. */
static char *states_text(const struct qry_cell *share)
{
	GString *text = g_string_new(NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(states); i++) {
		char *length = exp_table_duration(share->ns[states[i]]);

		if (share->ns[states[i]] > 0)
			g_string_append_printf(text, "%s%s %s", text->len ? ", " : "", mdl_state_name(states[i]), length);
		g_free(length);
	}
	return g_string_free(text, FALSE);
}

EXP_GET(get_states)
{
	const struct thread *t = row;

	if (in->format == EXP_JSON)
		exp_rows_object(cell, states_json(&t->share));
	else
		cell->taken = states_text(&t->share);
}

static const struct exp_column columns[] = {
	{ "host", "HOST", EXP_WORD, get_host },
	{ "tid", ">TID", EXP_NUMBER, get_tid },
	{ "pid", ">PID", EXP_NUMBER, get_pid },
	{ "ppid", ">PARENT", EXP_NUMBER, get_ppid },
	{ "name", "NAME", EXP_WORD, get_name },
	{ "first", "FIRST SEEN", EXP_TIME, get_first },
	{ "last", "LAST SEEN", EXP_TIME, get_last },
	{ "cpu_time", ">ON CPU", EXP_DURATION, get_cpu_time },
	{ "wakeups", ">WAKE-UPS", EXP_NUMBER, get_wakeups },
	{ "usermode", NULL, EXP_DURATION, get_usermode },	/* these in STATES */
	{ "syscall", NULL, EXP_DURATION, get_syscall },
	{ "running", NULL, EXP_DURATION, get_running },
	{ "interrupted", NULL, EXP_DURATION, get_interrupted },
	{ "wait-cpu", NULL, EXP_DURATION, get_wait_cpu },
	{ "preempted", NULL, EXP_DURATION, get_preempted },
	{ "blocked", NULL, EXP_DURATION, get_blocked },
	{ "new", NULL, EXP_DURATION, get_new },
	{ "exited", NULL, EXP_DURATION, get_exited },
	{ "vcpu-preempted", NULL, EXP_DURATION, get_vcpu_preempted },
	{ "vcpu-exit", NULL, EXP_DURATION, get_vcpu_exit },
	{ "unknown", NULL, EXP_DURATION, get_unknown },
	{ "tracer", "TRACER", EXP_YES, get_tracer },
	{ "cpu", ">CPU", EXP_NUMBER, get_cpu },
	{ "states", "STATES", EXP_LONG, get_states },
	{ "names", "ALL NAMES", EXP_LONG, get_names },
	{ NULL, NULL, EXP_NUMBER, NULL }
};

void exp_threads(GString *out, struct qry *q, gboolean hide_tracer, enum exp_format format)
{
	struct exp_rows *rows;

	if (format == EXP_JSON)
		exp_json_begin(out);
	rows = exp_rows_new(out, "threads", columns, format, q, NULL);
	for (uint32_t i = 0; i < qry_row_count(q); i++) {
		struct thread t = { .r = qry_row(q, i) };

		if (t.r->type != MDL_ROW_THREAD || (hide_tracer && qry_is_tracer(q, i)))
			continue;
		qry_share(q, i, t.r->first, t.r->last, &t.share);
		exp_rows_add(rows, &t);
	}
	exp_rows_finish(rows);
	if (format == EXP_JSON)
		exp_json_end(out);
}
