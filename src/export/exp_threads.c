/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_csv.h"
#include "export/exp_json.h"
#include "export/exp_table.h"

#include "query/qry_tracer.h"

/* The states a thread can be in, in the order of the model. */
static const enum mdl_state states[] = {
	MDL_ST_USERMODE, MDL_ST_SYSCALL, MDL_ST_RUNNING, MDL_ST_INTERRUPTED, MDL_ST_WAIT_CPU, MDL_ST_PREEMPTED, MDL_ST_BLOCKED,
	MDL_ST_NEW, MDL_ST_EXITED, MDL_ST_VCPU_PREEMPTED, MDL_ST_VCPU_EXIT, MDL_ST_UNKNOWN,
};

static void thread_json(void *out, struct qry *q, const struct qry_row *r, const struct qry_cell *share)
{
	GPtrArray *names = qry_names(q, r->id);
	JsonObject *o = json_object_new(), *times = json_object_new();

	exp_json_text(o, "host", qry_host(q, r->host)->name);
	exp_json_int(o, "tid", r->nr);
	exp_json_natural(o, "pid", r->pid);
	exp_json_natural(o, "ppid", r->ppid);
	exp_json_text(o, "name", r->name);
	exp_json_texts(o, "names", names);
	json_object_set_boolean_member(o, "tracer", qry_is_tracer(q, r->id));
	exp_json_id(o, "cpu", r->cpu);
	exp_json_time(o, "first", r->first);
	exp_json_time(o, "last", r->last);
	exp_json_int(o, "cpu_time", qry_cell_on_cpu(share));
	exp_json_int(o, "wakeups", (int64_t)qry_wakeup_count(q, r->id));
	for (gsize i = 0; i < G_N_ELEMENTS(states); i++)
		exp_json_int(times, mdl_state_name(states[i]), share->ns[states[i]]);
	exp_json_object(o, "states", times);
	g_ptr_array_unref(names);
	exp_json_put(out, NULL, o);
}

static void thread_csv(void *csv, struct qry *q, const struct qry_row *r, const struct qry_cell *share)
{
	exp_csv_text(csv, qry_host(q, r->host)->name);
	exp_csv_int(csv, r->nr);
	exp_csv_natural(csv, r->pid);
	exp_csv_natural(csv, r->ppid);
	exp_csv_text(csv, r->name);
	exp_csv_time(csv, r->first);
	exp_csv_time(csv, r->last);
	exp_csv_int(csv, qry_cell_on_cpu(share));
	exp_csv_int(csv, (int64_t)qry_wakeup_count(q, r->id));
	for (gsize i = 0; i < G_N_ELEMENTS(states); i++)
		exp_csv_int(csv, share->ns[states[i]]);
	exp_csv_end_line(csv);
}

static void thread_text(void *t, struct qry *q, const struct qry_row *r, const struct qry_cell *share)
{
	exp_table_add(t, qry_host(q, r->host)->name);
	exp_table_add_int(t, r->nr);
	if (r->pid < 0)
		exp_table_add(t, "-");
	else
		exp_table_add_int(t, r->pid);
	exp_table_add(t, *r->name ? r->name : "-");
	exp_table_add_duration(t, qry_cell_on_cpu(share));
	exp_table_add_duration(t, share->ns[MDL_ST_WAIT_CPU] + share->ns[MDL_ST_PREEMPTED]);
	exp_table_add_duration(t, share->ns[MDL_ST_BLOCKED]);
	exp_table_add_duration(t, share->ns[MDL_ST_UNKNOWN]);
	exp_table_add_int(t, (int64_t)qry_wakeup_count(q, r->id));
	exp_table_add_time(t, r->first);
	exp_table_add_duration(t, r->last - r->first);
}

/* The header line of the CSV. */
static char *csv_names(void)
{
	GString *names = g_string_new("host,tid,pid,ppid,name,first,last,cpu_time,wakeups");

	for (gsize i = 0; i < G_N_ELEMENTS(states); i++)
		g_string_append_printf(names, ",%s", mdl_state_name(states[i]));
	return g_string_free(names, FALSE);
}

/* Calls EACH with OUT (where to write) for every thread that is not hidden, with its share of states over its life. */
static void for_threads(struct qry *q, gboolean hide_tracer, void (*each)(void *, struct qry *, const struct qry_row *, const struct qry_cell *), void *out)
{
	for (uint32_t i = 0; i < qry_row_count(q); i++) {
		const struct qry_row *r = qry_row(q, i);
		struct qry_cell share;

		if (r->type != MDL_ROW_THREAD || (hide_tracer && qry_is_tracer(q, i)))
			continue;
		qry_share(q, i, r->first, r->last, &share);
		each(out, q, r, &share);
	}
}

static void threads_csv(GString *out, struct qry *q, gboolean hide_tracer)
{
	char *names = csv_names();
	struct exp_csv csv = exp_csv_begin(out, names);

	for_threads(q, hide_tracer, thread_csv, &csv);
	g_free(names);
}

static void threads_text(GString *out, struct qry *q, gboolean hide_tracer)
{
	static const char *const headers[] = {
		"HOST", ">TID", ">PID", "NAME", ">ON CPU", ">WANTED CPU", ">BLOCKED", ">UNKNOWN", ">WAKE-UPS", "FIRST SEEN", ">LIFE", NULL
	};
	struct exp_table *table = exp_table_new(headers);

	for_threads(q, hide_tracer, thread_text, table);
	exp_table_finish(table, out, "");
}

void exp_threads(GString *out, struct qry *q, gboolean hide_tracer, enum exp_format format)
{
	switch (format) {
	case EXP_JSON:
		exp_json_begin(out);
		exp_json_begin_list(out, "threads");
		for_threads(q, hide_tracer, thread_json, out);
		exp_json_end_list(out);
		exp_json_end(out);
		break;
	case EXP_CSV:
		threads_csv(out, q, hide_tracer);
		break;
	case EXP_TEXT:
		threads_text(out, q, hide_tracer);
		break;
	}
}
