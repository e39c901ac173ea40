/* SPDX-License-Identifier: MIT */
/* The function that handles each kind of event, from MDL_EVENTS. A kind without one has no effect. */
#include "model/dispatch.h"

#include "model/block/block.h"
#include "model/cause/chain.h"
#include "model/cause/parts.h"
#include "model/core/cpu.h"
#include "model/cause/deferred.h"
#include "model/core/gap.h"
#include "model/cause/irqthread.h"
#include "model/cause/level.h"
#include "model/core/line.h"
#include "model/core/missing.h"
#include "model/net/net.h"
#include "model/power/power.h"
#include "model/sched/sched.h"
#include "model/core/thread.h"
#include "model/timer/timer.h"
#include "model/guest/parts.h"
#include "model/work/work.h"

#include <string.h>

typedef void handler(struct mdl_machine *m, const struct mdl_event *e);

/* Labels are few, and each is always one pointer, so a hash of the pointer is enough. */
static uint32_t label_id(struct mdl_machine *m, const char *label)
{
	gpointer id;

	if (!label)
		return 0;
	if (g_hash_table_lookup_extended(m->labels, label, NULL, &id))
		return GPOINTER_TO_UINT(id);
	id = GUINT_TO_POINTER(base_strings_add_hostile(m->strings, label, -1));
	g_hash_table_insert(m->labels, (gpointer)label, id);
	return GPOINTER_TO_UINT(id);
}

/* Keep the arguments of the system call that T enters by E, or forget them when it leaves. */
static void keep_arguments(struct mdl_thread *t, const struct mdl_event *e)
{
	if (t->call)
		t->call->since = MDL_NEVER;
	if (mdl_event_returns(e) || e->arg[0] == MDL_ARG_ABSENT)
		return;
	if (!t->call)
		t->call = g_new(struct mdl_call, 1);
	t->call->since = e->time;
	t->call->cpu = e->cpu;
	memcpy(t->call->arg, e->arg, sizeof e->arg);
}

static void syscall_event(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	struct mdl_thread *t = c->current;
	bool returns = mdl_event_returns(e);

	mdl_level_thread(m, e->cpu);
	if (mdl_ipiwait_is_open(m->causes))
		mdl_ipiwait_over(m, e->cpu);
	/* the other facts end with the call in which they happened */
	c->own.facts.has &= MDL_FACT_WORK;
	/* if calls of T were left out, nothing follows from it */
	if (!t || !mdl_machine_has_calls(m, t->tid))
		return;
	t->mode = !returns ? MDL_MODE_SYSCALL : m->coverage.some_calls ? MDL_MODE_UNKNOWN : MDL_MODE_USER;
	t->syscall = returns ? 0 : label_id(m, e->label);
	t->called = returns ? 0 : e->time;
	t->is_numbered = e->arg[MDL_CALL_RAW] != MDL_ARG_ABSENT;
	keep_arguments(t, e);
	mdl_deferred_time_out(m, t, NULL);
	t->deadline = 0;
	mdl_cpu_refresh(m, e->cpu);
	mdl_thread_refresh(m, t);
}

static void irq_event(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t nr = e->arg[MDL_IRQ_NR];
	uint32_t name;

	if (e->kind == MDL_EV_IRQ_ENTRY) {
		mdl_level_before(m, e->cpu, MDL_CTX_IRQ, nr);
		name = mdl_line_irq_name(m, nr, e->text[0]);
		if (m->coverage.lone_ipis && !m->coverage.has_arch_timer &&
			!strcmp(base_strings_get(m->strings, name), "arch_timer")) {
			m->coverage.has_arch_timer = true;
			mdl_coverage_update(&m->coverage);
		}
		mdl_line_irq(m, e->cpu, nr, name, true);
		mdl_level_enter(m, e->cpu, MDL_CTX_IRQ, nr, name);
	} else {
		mdl_line_irq(m, e->cpu, nr, 0, false);
		mdl_level_leave(m, e->cpu, MDL_CTX_IRQ, nr);
		mdl_irqthread_handled(m, e->cpu, nr, e->arg[MDL_IRQ_RET]);
	}
}

static void softirq_event(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t vec = e->arg[MDL_SOFTIRQ_VEC];
	bool enter = e->kind == MDL_EV_SOFTIRQ_ENTRY;

	if (enter)
		mdl_level_before(m, e->cpu, MDL_CTX_SOFTIRQ, vec);
	mdl_line_softirq(m, e->cpu, vec, enter);
	if (mdl_machine_is_rt(m)) {
		mdl_batch_leave(mdl_cpu_get(m, e->cpu));
		mdl_irqthread_softirq(m, e->cpu, vec, enter);
	} else if (enter)
		mdl_level_enter(m, e->cpu, MDL_CTX_SOFTIRQ, vec, mdl_line_softirq_name(m, vec));
	else
		mdl_level_leave(m, e->cpu, MDL_CTX_SOFTIRQ, vec);
}

static void raise_event(struct mdl_machine *m, const struct mdl_event *e)
{
	mdl_timer_raised(m, e);
	mdl_chain_raise(m, e);
}

/* True if the vector is an IPI: a CPU sends it to another CPU, or to itself. */
static bool is_ipi(enum mdl_group group, const char *label)
{
	return group == MDL_GROUP_VECTOR ? !g_strcmp0(label, "x86_platform_ipi")
					 : group != MDL_GROUP_LOCAL_TIMER;
}

static void vector_event(struct mdl_machine *m, const struct mdl_event *e)
{
	enum mdl_group group = mdl_group_of_vector(e->label);
	enum mdl_ctx_type type = is_ipi(group, e->label) ? MDL_CTX_IPI : MDL_CTX_VECTOR;
	int64_t nr = e->arg[MDL_VECTOR_NR] == MDL_ARG_ABSENT ? -1 : e->arg[MDL_VECTOR_NR];

	mdl_coverage_see(&m->coverage, group);
	if (e->kind == MDL_EV_VECTOR_ENTRY) {
		mdl_level_before(m, e->cpu, type, nr);
		mdl_level_enter(m, e->cpu, type, nr, label_id(m, e->label));
	} else {
		mdl_ipiwait_taken(m, e->cpu);
		mdl_level_leave(m, e->cpu, type, nr);
	}
}

static void fork_event(struct mdl_machine *m, const struct mdl_event *e)
{
	mdl_level_thread(m, e->cpu);
	mdl_thread_fork(m, e);
}

static void exec_event(struct mdl_machine *m, const struct mdl_event *e)
{
	mdl_level_thread(m, e->cpu);
	mdl_cgroup_execs(m, e);
	mdl_thread_exec(m, e);
	mdl_sched_execs(m, e);
}

static void exit_event(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = mdl_thread_peek(m, e->arg[MDL_EXIT_TID]);

	if (!t)
		return;
	t->ends = true;
	mdl_thread_named(m, t, e, 0);
}

static void rename_event(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = e->arg[0] == 0 ? NULL : mdl_thread_get(m, e->arg[0], e->cpu);

	if (t)
		mdl_thread_named(m, t, e, 0);
}

static void pi_event(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);

	c->just |= MDL_JUST_LENT;
	c->cause->gave_lent = c->current && c->current->tid == e->arg[MDL_PI_TID];
	mdl_priority_lent(m, e);
}

static void hrtimer_exit_event(struct mdl_machine *m, const struct mdl_event *e)
{
	mdl_level_leave(m, e->cpu, MDL_CTX_HRTIMER, -1);
}

static void ipi_event(struct mdl_machine *m, const struct mdl_event *e)
{
	if (e->kind == MDL_EV_IPI_EXIT) {
		mdl_ipiwait_taken(m, e->cpu);
		mdl_level_leave(m, e->cpu, MDL_CTX_IPI, -1);
		return;
	}
	mdl_level_enter(m, e->cpu, MDL_CTX_IPI, -1,
		e->text[0] ? base_strings_add_hostile(m->strings, e->text[0], -1) : 0);
}

static void work_execute_event(struct mdl_machine *m, const struct mdl_event *e)
{
	mdl_block_pass(mdl_cpu_get(m, e->cpu));
	mdl_level_work(m, e->cpu);
	mdl_work_execute(m, e);
}

static void napi_event(struct mdl_machine *m, const struct mdl_event *e)
{
	mdl_net_poll(m, e->cpu);
}

static void gap_event(struct mdl_machine *m, const struct mdl_event *e)
{
	if (e->kind == MDL_EV_GAP_BEGIN)
		mdl_gap_begin(m, e->cpu);
	else
		mdl_gap_end(m, e->cpu,
			e->arg[MDL_GAP_LAST_EVENT] == MDL_ARG_ABSENT ? m->now : e->arg[MDL_GAP_LAST_EVENT]);
}

/* Ignore a hole if the switches of some threads only are recorded: holes are common then, and states stay
 * known. If the trace has no switches at all, no switch is missing. */
static void hole_event(struct mdl_machine *m, const struct mdl_event *e)
{
	if (mdl_missing_is_set(m) || m->missing.switches == 0)
		return;
	mdl_gap_hole(m, e->arg[MDL_HOLE_SINCE]);
	if (m->sink->hole)
		m->sink->hole(m->data, e->arg[MDL_HOLE_SINCE], m->now);
}

void mdl_dispatch_event(struct mdl_machine *m, const struct mdl_event *e)
{
#define HANDLER(kind, function) [MDL_EV_##kind] = (function),
	static handler *const handlers[MDL_EV_N] = { MDL_EVENTS(HANDLER) };
#undef HANDLER

	if (e->kind < MDL_EV_N && handlers[e->kind])
		handlers[e->kind](m, e);
}
