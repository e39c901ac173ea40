/* SPDX-License-Identifier: MIT */
/*
 * How it works: smp_call_function_many_cond() (kernel/smp.c) queues a function for each CPU, and sends one
 * IPI to the CPUs whose queue was empty. If its caller wants so, it spins until each CPU has called the
 * function (csd_lock_wait()). membarrier() and the TLB shoot-down of x86 wait so (proofs.md R27).
 *
 *   - ipi_send_cpumask comes from that function alone, in a thread. If there is only one CPU, it writes
 *     ipi_send_cpu, which other functions write, too. Then the address of the caller shows it, from the first
 *     ipi_send_cpumask of that caller on. Before Linux 6.4 arm64 has ipi_raise instead.
 *   - A CPU has taken the IPI at the end of the first IPI for function calls that it entered since.
 *   - A thread that goes on before all CPUs have taken the IPI does not wait: a system call, a switch, a
 *     wake-up or another ipi_send_cpumask by the thread shows that. An IPI that is still open at that event
 *     counts as taken.
 *
 * If events of the sender's CPU, or of a CPU that has not taken the IPI, are lost, no wait is reported.
 */
#include "model/cause/ipiwait.h"

#include "model/cause/parts.h"
#include "model/core/context.h"
#include "model/core/frame.h"

#include <string.h>

void mdl_ipiwait_clear(struct mdl_ipi_waits *waits)
{
	g_clear_pointer(&waits->open, g_array_unref);
}

static struct mdl_ipi_waiting *waiting_at(const struct mdl_ipi_waits *waits, guint i)
{
	return &g_array_index(waits->open, struct mdl_ipi_waiting, i);
}

/* ---- the end ---- */

/* x86 has two vectors for function calls; GROUP is one of them. arm64 has one event for all IPIs. */
static bool is_recorded(const struct mdl_machine *m, enum mdl_group group)
{
	return mdl_machine_has(m, MDL_GROUP_IPI) || mdl_machine_has(m, group);
}

/* True if the CPU that took it last may have called the function before its IPI came. An idle CPU calls what
 * is queued as it leaves the idle state (flush_smp_call_function_queue()), and another IPI for function
 * calls, which need not be recorded, calls it, too. The function was not queued before the system call that
 * the thread is in, so not called either. */
static bool may_be_early(const struct mdl_machine *m, const struct mdl_ipi_waiting *w)
{
	const struct mdl_cpu *c = mdl_cpu_peek(m, w->wait.last);
	/* MDL_NEVER is earlier than all times. */
	int64_t last = MAX(MAX(c->cause->idle_until, c->cause->called_until), c->lost_until);

	return !is_recorded(m, MDL_GROUP_CALL_FUNCTION) || !is_recorded(m, MDL_GROUP_CALL_SINGLE) ||
		w->called == 0 || !c->settled || !c->current || c->current == c->idle || last >= w->called;
}

/* CPU has taken the IPI of W: it was in that IPI from ENTRY until now. */
static void note_taken(const struct mdl_machine *m, struct mdl_ipi_waiting *w, uint32_t cpu, int64_t entry)
{
	w->left &= ~(UINT64_C(1) << cpu);
	w->wait.last = cpu;
	w->wait.entry = entry;
	w->wait.to = m->now;
	if (w->left == 0 && may_be_early(m, w))
		w->wait.doubts |= MDL_DOUBT(WAY);
}

/* Hand out W, unless something speaks against it. If IPIs of its vector are not recorded, a later IPI of the
 * other vector seems to be the answer. If switches are missing, another thread may have the CPU now, or this
 * thread may have sent from another CPU. */
static void hand_out_wait(struct mdl_machine *m, const struct mdl_ipi_waiting *w)
{
	struct mdl_thread *t = mdl_cpu_get(m, w->wait.cpu)->current;
	bool one = (w->wait.cpus & (w->wait.cpus - 1)) == 0;

	if (!is_recorded(m, one ? MDL_GROUP_CALL_SINGLE : MDL_GROUP_CALL_FUNCTION) || w->left != 0 ||
		w->wait.from >= w->wait.to || !t || t->track->id != w->wait.row ||
		w->wait.from < t->ipi_until)
		return;
	t->ipi_until = w->wait.to;
	m->sink->ipi_wait(m->data, &w->wait);
}

/* The innermost context of C if it is an IPI for function calls, otherwise NULL. */
static const struct mdl_level *calls_in(const struct mdl_machine *m, const struct mdl_cpu *c)
{
	const struct mdl_level *l = c->depth > 0 ? &c->stack[c->depth - 1] : NULL;

	return l && l->type == MDL_CTX_IPI && mdl_context_calls(m, l->context) ? l : NULL;
}

void mdl_ipiwait_taken(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_ipi_waits *waits = &m->causes->ipi_waits;
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);
	const struct mdl_level *l = calls_in(m, c);

	if (!l)
		return;
	for (guint i = waits->open && cpu < 63 ? waits->open->len : 0; i-- > 0;) {
		struct mdl_ipi_waiting *w = waiting_at(waits, i);

		if (!(w->left >> cpu & 1) || l->entry < w->wait.from)
			continue;
		note_taken(m, w, cpu, l->entry);
		if (w->left != 0)
			continue;
		hand_out_wait(m, w);
		g_array_remove_index_fast(waits->open, i);
	}
	c->cause->called_until = m->now;
}

/* Note each CPU that has not taken the IPI of W but is in an IPI for function calls that it entered since:
 * the thread goes on, so the function was called there, and the IPI is about to end. */
static void take_rest(const struct mdl_machine *m, struct mdl_ipi_waiting *w)
{
	for (uint32_t cpu = 0; cpu < 63; cpu++) {
		const struct mdl_cpu *c = w->left >> cpu & 1 ? mdl_cpu_peek(m, cpu) : NULL;
		const struct mdl_level *l = c ? calls_in(m, c) : NULL;

		if (l && l->entry >= w->wait.from)
			note_taken(m, w, cpu, l->entry);
	}
}

void mdl_ipiwait_over(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_ipi_waits *waits = &m->causes->ipi_waits;

	for (guint i = waits->open ? waits->open->len : 0; i-- > 0;) {
		if (waiting_at(waits, i)->wait.cpu != cpu)
			continue;
		take_rest(m, waiting_at(waits, i));
		hand_out_wait(m, waiting_at(waits, i));
		g_array_remove_index_fast(waits->open, i);
	}
}

void mdl_ipiwait_waking(struct mdl_machine *m, uint32_t cpu)
{
	if (mdl_cpu_is_own(mdl_cpu_get(m, cpu)) &&
		mdl_doubt(&m->coverage, MDL_DOUBT_INTERRUPTS | MDL_DOUBT(SOFTIRQ)) == 0)
		mdl_ipiwait_over(m, cpu);
}

void mdl_ipiwait_lose(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_ipi_waits *waits = &m->causes->ipi_waits;

	for (guint i = waits->open ? waits->open->len : 0; i-- > 0;)
		if (waiting_at(waits, i)->wait.cpu == cpu ||
			(cpu < 63 && waiting_at(waits, i)->left >> cpu & 1))
			g_array_remove_index_fast(waits->open, i);
}

/* ---- the begin ---- */

static bool is_caller(const struct mdl_ipi_waits *waits, uint64_t address)
{
	for (unsigned i = 0; i < waits->n_callers; i++)
		if (waits->callers[i] == address)
			return true;
	return false;
}

/* The CPUs to which smp_call_function_many_cond() sends E; 0: E comes from another function, or does not show
 * it. */
static uint64_t cpus_of(struct mdl_ipi_waits *waits, const struct mdl_event *e)
{
	int64_t mask = e->arg[MDL_IPI_SEND_MASK], cpu = e->arg[MDL_IPI_SEND_CPU];
	uint64_t caller = mdl_event_address(e, MDL_IPI_SEND_CALLER);

	/* ipi_raise; it may repeat an ipi_send_… event, or go to one CPU, which shows nothing */
	if (e->text[0])
		return !waits->told && mask > 0 && (mask & (mask - 1)) != 0 && strstr(e->text[0], "call")
			? (uint64_t)mask
			: 0;
	waits->told = true;
	if (cpu != MDL_ARG_ABSENT)
		return cpu >= 0 && cpu < 63 && caller != 0 && is_caller(waits, caller) ? UINT64_C(1) << cpu
										       : 0;
	if (caller != 0 && waits->n_callers < MDL_IPI_CALLERS && !is_caller(waits, caller))
		waits->callers[waits->n_callers++] = caller;
	return mask > 0 ? (uint64_t)mask : 0;
}

void mdl_ipiwait_send(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_ipi_waits *waits = &m->causes->ipi_waits;
	const struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	uint64_t cpus = cpus_of(waits, e);
	struct mdl_ipi_waiting w = { .left = cpus };

	if (cpus == 0 || !m->sink->ipi_wait)
		return;
	mdl_ipiwait_over(m, e->cpu);
	if (!mdl_cpu_is_own(c) || !c->current || c->current == c->idle || c->gap != MDL_GAP_NONE)
		return;
	for (uint32_t cpu = 0; cpu < 63; cpu++)
		if (cpus >> cpu & 1 && (!mdl_cpu_peek(m, cpu) || mdl_cpu_peek(m, cpu)->gap != MDL_GAP_NONE))
			return;
	w.called = c->current->mode == MDL_MODE_SYSCALL ? c->current->called : 0;
	w.wait = (struct mdl_ipi_wait){ .from = m->now,
		.cpus = cpus,
		.caller = mdl_event_address(e, MDL_IPI_SEND_CALLER),
		.row = c->current->track->id,
		.cpu = e->cpu };
	if (!waits->open)
		waits->open = g_array_new(FALSE, FALSE, sizeof w);
	if (waits->open->len < MDL_IPI_WAITS)
		g_array_append_val(waits->open, w);
}
