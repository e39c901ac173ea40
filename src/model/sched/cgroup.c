/* SPDX-License-Identifier: MIT */
/*
 * The control group (cgroup) of each thread: the last known one.
 *
 * How it works: cgroup_attach_task names the first thread of a process, and then all threads of the process
 * move (a write to cgroup.procs). Or it names another thread, which moves alone (a write to cgroup.threads,
 * or to "tasks" of cgroup v1): cgroup_attach_task(), kernel/cgroup/cgroup.c. If the first thread moves alone,
 * into a threaded cgroup, the event is like that of a move of the process, and is taken for one. So an event
 * of a process is kept with the process, and a thread has the latest of its own event and that of its
 * process.
 *
 * A child begins in the cgroup of its parent (cgroup_css_set_fork()), unless clone3() puts it into another
 * one (CLONE_INTO_CGROUP, Linux 5.7), which has no event.
 *
 * With cgroup v1 a thread is in a cgroup of each hierarchy. The hierarchy with the lowest number counts: 0 is
 * cgroup v2 (cgroup_init() makes cgrp_dfl_root first).
 */
#include "model/sched/sched.h"

#include "model/core/frame.h"

#include <string.h>

#define PATH_MOST 4096 /* bytes: PATH_MAX */

void mdl_cgroup_init(struct mdl_machine *m)
{
	m->sched->cgroups = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
}

void mdl_cgroup_clear(struct mdl_machine *m)
{
	g_hash_table_unref(m->sched->cgroups);
}

/* Replace *KEPT with TOLD, unless *KEPT is of a hierarchy with a lower number, or is later. */
static void take(struct mdl_cgroup *kept, const struct mdl_cgroup *told)
{
	if (kept->path == 0 || told->root < kept->root ||
		(told->root == kept->root && told->since > kept->since))
		*kept = *told;
}

/* The present cgroup of T. */
static struct mdl_cgroup cgroup_of(const struct mdl_machine *m, const struct mdl_thread *t)
{
	const struct mdl_cgroup *of_process = g_hash_table_lookup(m->sched->cgroups, &t->track->row.pid);
	struct mdl_cgroup own = t->cgroup;

	if (of_process)
		take(&own, of_process);
	return own;
}

void mdl_cgroup_event(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t tid = e->arg[MDL_CGROUP_TID], pid, *key;
	struct mdl_thread *t = tid == 0 ? NULL : mdl_thread_get(m, tid, e->cpu);
	struct mdl_cgroup now, *old;

	if (!t || !e->text[0] || !*e->text[0])
		return;
	now.path = base_strings_add_hostile(m->strings, e->text[0], (gssize)strnlen(e->text[0], PATH_MOST));
	now.root = e->arg[MDL_CGROUP_ROOT] < 0 || e->arg[MDL_CGROUP_ROOT] > UINT32_MAX
		? UINT32_MAX
		: (uint32_t)e->arg[MDL_CGROUP_ROOT];
	now.since = ++m->sched->cgroup_events;
	take(&t->cgroup, &now);
	pid = t->track->row.pid;
	if (e->label || (pid != -1 && pid != tid))
		return;
	old = g_hash_table_lookup(m->sched->cgroups, &tid);
	if (!old) {
		key = g_new(int64_t, 1);
		*key = tid;
		old = g_new0(struct mdl_cgroup, 1);
		g_hash_table_insert(m->sched->cgroups, key, old);
	}
	take(old, &now);
}

void mdl_cgroup_born(struct mdl_machine *m, struct mdl_thread *child, const struct mdl_thread *parent)
{
	if (child->cgroup.path != 0) /* an earlier event of this birth set it */
		return;
	g_hash_table_remove(m->sched->cgroups, &child->tid); /* an entry of an earlier process */
	if (parent)
		child->cgroup = cgroup_of(m, parent);
}

void mdl_cgroup_execs(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t old = e->arg[MDL_EXEC_OLD_TID];
	struct mdl_thread *t = old == MDL_ARG_ABSENT || old == e->arg[MDL_EXEC_TID] ? NULL
										    : mdl_thread_peek(m, old);

	/* T takes the place of the first thread, whose life ends. The entry of the process ends with it. */
	if (t)
		t->cgroup = cgroup_of(m, t);
}

void mdl_cgroup_over(struct mdl_machine *m, struct mdl_thread *t)
{
	t->track->row.cgroup = cgroup_of(m, t).path;
	g_hash_table_remove(m->sched->cgroups, &t->tid);
}

void mdl_cgroup_finish(struct mdl_machine *m)
{
	for (guint i = 0; i < m->threads.living->len; i++) {
		struct mdl_thread *t = g_ptr_array_index(m->threads.living, i);

		t->track->row.cgroup = cgroup_of(m, t).path;
	}
}
