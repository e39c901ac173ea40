/* SPDX-License-Identifier: MIT */
/* All threads, with their time in each state. */
#include "table/json.h"

#include "base/base_text.h"
#include "base/base_time.h"
#include "query/host/tracer.h"

/* The states of threads, in the order of the model. The last one has a column after all others. */
static const enum mdl_state thread_states[] = { MDL_ST_USERMODE, MDL_ST_SYSCALL, MDL_ST_RUNNING,
	MDL_ST_INTERRUPTED, MDL_ST_WAIT_CPU, MDL_ST_PREEMPTED, MDL_ST_BLOCKED, MDL_ST_NEW, MDL_ST_EXITED,
	MDL_ST_VCPU_PREEMPTED, MDL_ST_VCPU_EXIT, MDL_ST_UNKNOWN, MDL_ST_WAITING };

/* A thread and its time in each state over its life. */
struct thread {
	const struct qry_row *r;
	bool has_share;
	struct qry_cell share;    /* see share_of() */
	struct qry_counts counts; /* over its life */
};

struct threads {
	struct table_cursor of;
	uint32_t next; /* next row */
	struct thread thread;
};

static GString *states_json(const struct qry_cell *share)
{
	GString *o = base_json_object();

	for (gsize i = 0; i < G_N_ELEMENTS(thread_states); i++)
		base_json_int(o, mdl_state_name(thread_states[i]), share->ns[thread_states[i]]);
	return o;
}

/* "running 3.20 ms, blocked 9.00 ms". The caller frees. */
static char *states_text(const struct qry_cell *share)
{
	GString *text = g_string_new(NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(thread_states); i++) {
		g_autofree char *length = table_duration_text(share->ns[thread_states[i]]);

		if (share->ns[thread_states[i]] > 0)
			g_string_append_printf(text, "%s%s %s", text->len ? ", " : "",
				mdl_state_name(thread_states[i]), length);
	}
	return g_string_free(text, FALSE);
}

/* The times of T by state. Only found when needed, because it takes longer than all other cells. */
static const struct qry_cell *share_of(struct qry *q, struct thread *t)
{
	if (!t->has_share)
		qry_share(q, t->r->id, t->r->first, t->r->last, &t->share);
	t->has_share = true;
	return &t->share;
}

/* 1 if T is a kernel thread, 0 if it is not. BASE_TIME_NONE if neither its parent nor its process was
 * recorded, its name is neither the kernel's nor the tracer's, and it was not seen in user mode or in a
 * system call. */
static int64_t is_kernel(struct qry *q, struct thread *t)
{
	bool known = t->r->ppid != -1 || t->r->born || (t->r->pid != -1 && t->r->pid != t->r->nr);

	if (t->r->is_kernel)
		return 1;
	return known || qry_is_tracer(q, t->r->id) ||
			share_of(q, t)->ns[MDL_ST_USERMODE] + share_of(q, t)->ns[MDL_ST_SYSCALL] > 0
		? 0
		: BASE_TIME_NONE;
}

TABLE_COLUMNS(thread_columns)
{
	struct thread *t = (struct thread *)(uintptr_t)row;

	TABLE_COLUMN("utid", NULL, TABLE_NUMBER | TABLE_ONLY_SQL, "number of the thread in all tables",
		number = t->r->id);
	TABLE_COLUMN("host", "HOST", TABLE_WORD, "", word = qry_host(in->q, t->r->host)->name);
	TABLE_COLUMN("tid", ">TID", TABLE_NUMBER, "thread", number = t->r->nr);
	TABLE_COLUMN("pid", ">PID", TABLE_NUMBER, "process", number = table_natural(t->r->pid));
	TABLE_COLUMN("ppid", ">PARENT", TABLE_NUMBER, "parent process", number = table_natural(t->r->ppid));
	TABLE_COLUMN("name", "NAME", TABLE_WORD, "last name", word = t->r->name);
	TABLE_COLUMN("first", "FIRST SEEN", TABLE_TIME, "begin of its life in the trace",
		number = t->r->first);
	TABLE_COLUMN("last", "LAST SEEN", TABLE_TIME, "end of its life in the trace", number = t->r->last);
	TABLE_COLUMN("cpu_time", ">ON CPU", TABLE_DURATION, "running, including interrupts",
		number = qry_cell_on_cpu(share_of(in->q, t)));
	TABLE_COLUMN("wakeups", ">WAKE-UPS", TABLE_NUMBER, "number of waits that ended",
		number = (int64_t)qry_wakeup_count(in->q, t->r->id));
	for (gsize i = 0; i + 1 < G_N_ELEMENTS(thread_states); i++)
		TABLE_COLUMN(mdl_state_name(thread_states[i]), "(STATES", TABLE_DURATION,
			"time in this [state](#states)", number = share_of(in->q, t)->ns[thread_states[i]]);
	TABLE_COLUMN("kernel", "KERNEL", TABLE_YES,
		"true for a kernel thread: an idle thread or a child of kthreadd (by its parent or, if that is not recorded, by its name). Null (-): not known, because its parent is not recorded, its name is none of the kernel's or the tracer's, and it was never seen in user mode or in a system call",
		number = is_kernel(in->q, t));
	TABLE_COLUMN("tracer", "TRACER", TABLE_YES, "true if it is a thread of the tracer",
		number = qry_is_tracer(in->q, t->r->id));
	TABLE_COLUMN("tracer_by", NULL, TABLE_LONG,
		"why it is a thread of the tracer: \"recorder, by its name\", or \"recorder, by its deeds: …\" and what it does (it reads the buffers of ftrace, whatever its name). Null for other threads",
		taken = qry_tracer_text(in->q, t->r->id));
	TABLE_COLUMN("cgroup", !in->q || qry_has_cgroups(in->q) ? "CGROUP" : NULL, TABLE_LONG,
		"path of the last recorded control group (cgroup); with cgroup v1 that of the hierarchy with the lowest number. `perf record --all-cgroups` and the events `cgroup:cgroup_attach_task` and `cgroup:cgroup_transfer_tasks` record it. A child has the cgroup of its parent until another is recorded: `clone3()` with `CLONE_INTO_CGROUP` has no event. LTTng records none: its `cgroup_ns` is the number of a namespace. The text has this column only if the cgroup of a thread is known",
		word = t->r->cgroup);
	TABLE_COLUMN("cpu", ">CPU", TABLE_NUMBER, "CPU of an idle thread; null for all others",
		number = table_id(t->r->cpu));
	TABLE_COUNTS(&t->counts,
		"name → number: what each counter counted in its life, as far as that is known");
	TABLE_OBJECT("states", "STATES", TABLE_LONG, "{}: ", states_json(share_of(in->q, t)),
		states_text(share_of(in->q, t)));
	TABLE_COLUMN_BY("names", "ALL NAMES", TABLE_LONG, "text[]: all its names, oldest first",
			g_autoptr(GPtrArray) names = qry_names(in->q, t->r->id);
			table_texts(cell, in->format, names, "; "));
	TABLE_COLUMN(mdl_state_name(MDL_ST_WAITING), "(STATES", TABLE_DURATION,
		"time in this [state](#states)", number = share_of(in->q, t)->ns[MDL_ST_WAITING]);
}

static int next_thread(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct threads *c = (struct threads *)cursor;
	uint32_t thread = table_next_thread(cursor, &c->next);

	if (thread == MDL_NONE)
		return 0;
	c->thread.r = qry_row(cursor->q, thread);
	c->thread.has_share = false;
	qry_counts(cursor->q, thread, INT64_MIN, INT64_MAX, &c->thread.counts);
	*row = &c->thread;
	return 1;
}

static bool lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct thread *t = row;

	*to = (struct table_place){ .row = t->r->id, .from = t->r->first, .to = t->r->last };
	return true;
}

const struct table table_threads = {
	.name = "thread",
	.list = "threads",
	.doc = "a thread",
	.columns = thread_columns,
	.size = sizeof(struct threads),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_HOST | TABLE_BY_ROW,
	.rows = table_count_rows,
	.next = next_thread,
	.lead = lead,
};
