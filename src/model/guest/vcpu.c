/* SPDX-License-Identifier: MIT */
/*
 * How it works: a thread that enters a guest does the work of one virtual CPU, which has a row of its own.
 * Its states: running (inside the guest), vcpu-exit (the host handles an exit; detail: its reason),
 * interrupted (by the host's own interrupts), vcpu-preempted (the thread waits for a CPU), idle (halted,
 * asleep), blocked (asleep because of an exit), unknown.
 *
 *   - kvm_entry is written with interrupts off, right before the guest runs (vcpu_enter_guest() in
 *     arch/x86/kvm/x86.c and, since Linux 5.15, vmx_vcpu_run() and svm_vcpu_run(); kvm_arch_vcpu_ioctl_run()
 *     in arch/arm64/kvm/arm.c).
 *   - kvm_exit comes late: after the interrupt that made the CPU leave the guest (these functions enable
 *     interrupts first), and up to Linux 5.14 on x86 even after preempt_enable(), so the thread may be
 *     switched out before it. While the guest runs, the CPU executes no code of the host. So the first event
 *     on that CPU after the entry, of any kind, shows that the guest was left. The reason in kvm_exit is
 *     added to the interval that is open then.
 *   - The fast path of some exits (MSR writes, since Linux 5.7) enters again without kvm_exit and kvm_entry,
 *     interrupts off: that counts as inside, except for events that the handling itself writes.
 *   - A guest is halted if its last exit was HLT or MWAIT, or WFI on ARM (kvm_emulate_halt(),
 *     kvm_handle_wfx()). With an APIC in the kernel the thread sleeps in kvm_vcpu_halt(), without one in the
 *     virtual machine monitor. While it polls before the sleep (halt_poll_ns), the exit is being handled.
 *
 * Limits of these events: a guest that may halt without an exit (KVM_CAP_X86_DISABLE_EXITS) counts as inside
 * meanwhile. A guest whose HLT comes as VMGEXIT (SEV-ES) counts as blocked, not halted. s390 and PowerPC have
 * other events.
 *
 * The thread on the CPU shows the virtual CPU of an entry: vcpu_load() binds a virtual CPU to the thread that
 * runs it. vcpu_id is only its number in its machine, and some tracers write it wrong. (Since Linux 5.10 the
 * tracepoint kvm_entry gets the virtual CPU itself, and lttng-modules 2.13 writes its address. kvm_exit has
 * vcpu_id since then, and a correct one.) So a value in either event is a number only if it is below
 * KVM_MAX_VCPU_IDS and never changes. It is used if the other event does not differ, and no other thread of
 * the process has it.
 *
 * kvm_write_tsc_offset (kvm_vcpu_write_tsc_offset(), arch/x86/kvm/x86.c) comes when a virtual CPU is made or
 * restored, when its guest or monitor writes the TSC, or when a host whose TSC is unreliable moves it to
 * another CPU (kvm_arch_vcpu_load()). If the virtual CPU has run before, its guest's clock may jump there.
 * This is noted, and the interval in the host has this in place of the reason of the exit, for the search of
 * clocks.
 */
#include "model/guest/parts.h"

#include "model/kernel/exit.h"
#include "model/core/thread.h"
#include "model/core/track.h"

#define IDS_MAX 16384 /* the largest KVM_MAX_VCPU_IDS: 4 for each of 4096 (CONFIG_KVM_MAX_NR_VCPUS) */

/* ---- its number ---- */

static bool vcpu_is_number(uint32_t id)
{
	return id != MDL_NONE && id != MDL_VCPU_BAD;
}

static bool differ(const struct mdl_vcpu *v)
{
	return vcpu_is_number(v->ids[0]) && vcpu_is_number(v->ids[1]) && v->ids[0] != v->ids[1];
}

/* The number that V has by its own events; MDL_NONE: none. */
static uint32_t claim_of(const struct mdl_vcpu *v)
{
	uint32_t id = v->ids[vcpu_is_number(v->ids[MDL_VCPU_OF_EXIT]) ? MDL_VCPU_OF_EXIT : MDL_VCPU_OF_ENTRY];

	return vcpu_is_number(id) && !differ(v) ? id : MDL_NONE;
}

static void set_number(struct mdl_machine *m, struct mdl_vcpu *v, uint32_t number)
{
	uint32_t *is = &v->track->row.cpu;
	bool odd = differ(v) || claim_of(v) != number;

	m->guests->notes.numbered += (uint32_t)(number != MDL_NONE) - (*is != MDL_NONE);
	m->guests->notes.odd += (uint32_t)odd - v->odd;
	*is = number;
	v->odd = odd;
}

static bool is_namesake(const struct mdl_thread *a, const struct mdl_thread *b, uint32_t claim)
{
	return (a == b || (a->track->row.pid != -1 && a->track->row.pid == b->track->row.pid)) &&
		claim_of(b->vcpu) == claim;
}

/* Of the threads in the process of T, the one that claims number CLAIM has it, if no other one claims it. */
static void vcpu_settle(struct mdl_machine *m, const struct mdl_thread *t, uint32_t claim)
{
	const GPtrArray *all = m->guests->virqs.workers;
	guint n = 0;

	for (guint i = 0; i < all->len; i++)
		n += is_namesake(t, all->pdata[i], claim);
	for (guint i = 0; i < all->len; i++) {
		const struct mdl_thread *other = all->pdata[i];

		if (is_namesake(t, other, claim))
			set_number(m, other->vcpu, n == 1 ? claim : MDL_NONE); /* MDL_NONE is no number */
	}
}

/* An event of T's virtual CPU has the number ID. */
static void note_id(struct mdl_machine *m, struct mdl_thread *t, enum mdl_vcpu_from from, int64_t id)
{
	struct mdl_vcpu *v = t->vcpu;
	uint32_t *is = &v->ids[from], before = claim_of(v);

	if (id == MDL_ARG_ABSENT || *is == MDL_VCPU_BAD || (int64_t)*is == id)
		return;
	if (*is != MDL_NONE || id < 0 || id >= IDS_MAX) {
		*is = MDL_VCPU_BAD;
		m->guests->notes.bad[from]++;
	} else {
		*is = (uint32_t)id;
	}
	vcpu_settle(m, t, claim_of(v));
	if (before != claim_of(v))
		vcpu_settle(m, t, before);
}

/* ---- its state ---- */

/* T's virtual CPU. Its row begins with its first event. */
static struct mdl_vcpu *vcpu_of(struct mdl_machine *m, struct mdl_thread *t)
{
	if (t->vcpu)
		return t->vcpu;
	t->vcpu = g_new0(struct mdl_vcpu, 1);
	t->vcpu->track = mdl_track_new(m, MDL_ROW_VCPU, t->tid, m->now);
	t->vcpu->track->row.parent = t->track->id;
	t->vcpu->apic = MDL_VCPU_NO_APIC;
	t->vcpu->injected = MDL_NONE;
	t->vcpu->ids[MDL_VCPU_OF_ENTRY] = t->vcpu->ids[MDL_VCPU_OF_EXIT] = MDL_NONE;
	g_ptr_array_add(m->guests->virqs.workers, t);
	return t->vcpu;
}

static void vcpu_show(struct mdl_machine *m, const struct mdl_thread *t, enum mdl_state state,
	uint32_t detail)
{
	mdl_track_set(m, t->vcpu->track, m->now, state, detail, state == MDL_ST_UNKNOWN ? MDL_NONE : t->cpu);
}

static void vcpu_drop(struct mdl_machine *m, struct mdl_cpu *c)
{
	if (c->guest->inside)
		m->guests->n--;
	c->guest->inside = NULL;
}

static void vcpu_over(struct mdl_machine *m, struct mdl_thread *t)
{
	for (guint i = 0; i < m->cpus->len; i++) {
		struct mdl_cpu *c = g_ptr_array_index(m->cpus, i);

		if (c && c->guest->inside == t)
			vcpu_drop(m, c);
	}
	mdl_virq_over(m, t);
	g_ptr_array_remove_fast(m->guests->virqs.workers, t);
	t->vcpu->track->row.died = true;
	mdl_track_end(m, t->vcpu->track, m->now);
	g_clear_pointer(&t->vcpu, g_free);
}

static void vcpu_refresh(struct mdl_machine *m, struct mdl_thread *t)
{
	const struct mdl_vcpu *v = t->vcpu;

	if (t->track->open.state == MDL_ST_UNKNOWN)
		vcpu_show(m, t, MDL_ST_UNKNOWN, 0);
	else if (t->phase == MDL_PH_RUN && v->inside)
		vcpu_show(m, t, MDL_ST_RUNNING, 0);
	else if (t->track->open.state == MDL_ST_INTERRUPTED)
		vcpu_show(m, t, MDL_ST_INTERRUPTED, t->track->open.detail);
	else if (t->phase == MDL_PH_RUN)
		vcpu_show(m, t, MDL_ST_VCPU_EXIT, v->reason);
	else if (t->phase == MDL_PH_EXITED)
		vcpu_over(m, t);
	else if (t->phase != MDL_PH_BLOCKED)
		vcpu_show(m, t, MDL_ST_VCPU_PREEMPTED, 0);
	else
		vcpu_show(m, t, v->halted ? MDL_ST_IDLE : MDL_ST_BLOCKED, v->halted ? 0 : t->block);
}

/* The thread on E's CPU that may run a virtual CPU; NULL: none. */
static struct mdl_thread *worker(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);

	return c->gap == MDL_GAP_NONE && c->current && c->current->tid != 0 ? c->current : NULL;
}

void mdl_vcpu_entry(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = worker(m, e);
	struct mdl_vcpu *v;

	if (!t)
		return;
	v = vcpu_of(m, t);
	note_id(m, t, MDL_VCPU_OF_ENTRY, e->arg[MDL_VCPU_ID]);
	v->inside = true;
	v->halted = false;
	v->reason = 0;
	mdl_cpu_get(m, e->cpu)->guest->inside = t;
	m->guests->n++;
	vcpu_refresh(m, t);
	mdl_virq_enter(m, t);
}

void mdl_vcpu_leave(struct mdl_machine *m, uint32_t cpu)
{
	struct mdl_cpu *c = mdl_cpu_peek(m, cpu);
	struct mdl_thread *t = c ? c->guest->inside : NULL;

	if (!t)
		return;
	vcpu_drop(m, c);
	if (t->cpu != cpu) /* it moved to another CPU unseen */
		return;
	t->vcpu->inside = false;
	vcpu_refresh(m, t);
}

void mdl_vcpu_exit(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = worker(m, e);
	struct mdl_vcpu *v;

	if (!t)
		return;
	v = vcpu_of(m, t);
	note_id(m, t, MDL_VCPU_OF_EXIT, e->arg[MDL_VCPU_ID]);
	v->reason = mdl_exit_make(e->arg[MDL_VCPU_REASON], e->arg[MDL_VCPU_ISA], e->arg[MDL_VCPU_CLASS]);
	v->halted = mdl_exit_halts(v->reason);
	/* If another exit came without an entry in between, the time before belongs to that exit. */
	if (v->track->has_open && v->track->open.state == MDL_ST_VCPU_EXIT && v->track->open.detail == 0)
		v->track->open.detail = v->reason;
	else
		vcpu_refresh(m, t);
}

void mdl_vcpu_tsc(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = worker(m, e);
	struct mdl_vcpu_notes *n = &m->guests->notes;

	if (!t || !t->vcpu || e->arg[MDL_TSC_BEFORE] == e->arg[MDL_TSC_NOW])
		return;
	if (n->tsc_written++ == 0) {
		n->tsc_thread = t->tid;
		n->tsc_at = m->now;
	}
	if (t->vcpu->track->has_open && t->vcpu->track->open.state == MDL_ST_VCPU_EXIT)
		vcpu_show(m, t, MDL_ST_VCPU_EXIT, mdl_exit_other(MDL_EXIT_TSC_SET));
}

/* ---- the part ---- */

/* True if T may run a virtual CPU without an event that shows it. Then it waits in ioctl() (KVM_RUN). The
 * first thread of a monitor has its main loop; virtual CPUs have threads of their own. */
static bool may_be_vcpu(const struct mdl_machine *m, const struct mdl_thread *t)
{
	static const char *const calls[] = { "ioctl", NULL };

	return t->has_comm && t->mode != MDL_MODE_USER && t->track->row.pid != t->tid &&
		mdl_exit_is_left_by(t->comm) &&
		(mdl_thread_call(t) == 0 || mdl_thread_call_is(m, mdl_thread_call(t), calls));
}

static mdl_doubts guest_doubt(const struct mdl_machine *m, const struct mdl_cpu *c,
	const struct mdl_thread *t)
{
	return mdl_virq_may_wake(m, c, t) || (!t->vcpu && may_be_vcpu(m, t)) ? MDL_DOUBT(UNTOLD) : 0;
}

static void guest_init(struct mdl_machine *m, G_GNUC_UNUSED const char *release)
{
	mdl_virq_init(&m->guests->virqs);
}

static void guest_clear(struct mdl_machine *m)
{
	mdl_virq_clear(&m->guests->virqs);
}

static void guest_clear_thread(struct mdl_thread *t)
{
	g_free(t->vcpu);
}

static void guest_lose(struct mdl_machine *m, uint32_t cpu, G_GNUC_UNUSED int64_t since)
{
	vcpu_drop(m, mdl_cpu_get(m, cpu));
}

static void guest_forget(struct mdl_machine *m, struct mdl_thread *t, int64_t since)
{
	if (!t->vcpu || since == MDL_NEVER)
		return;
	t->vcpu->inside = t->vcpu->halted = false;
	t->vcpu->reason = 0;
	mdl_virq_lose(m, t);
	mdl_track_lose(m, t->vcpu->track, since);
}

static void guest_over(struct mdl_machine *m, struct mdl_thread *t)
{
	if (t->vcpu)
		vcpu_over(m, t);
}

static void guest_finish(struct mdl_machine *m, G_GNUC_UNUSED int64_t to)
{
	mdl_virq_over(m, NULL);
}

static void guest_pass(G_GNUC_UNUSED struct mdl_machine *m, struct mdl_cpu *c, unsigned bits)
{
	if (bits & MDL_JUST_POSTED)
		c->guest->posted = 0;
	if (bits & MDL_JUST_POSTING)
		c->guest->posting.by = MDL_VIRQ_BY_UNKNOWN;
}

static const struct mdl_keep keeps[] = {
	{ MDL_EV_SCHED_WAKING, MDL_JUST_POSTED | MDL_JUST_POSTING },
	{ MDL_EV_SCHED_WAKEUP, MDL_JUST_POSTED | MDL_JUST_POSTING },
	{ MDL_EV_VIRQ_POST, MDL_JUST_POSTED | MDL_JUST_POSTING },
	{ MDL_EV_VIRQ_BY, MDL_JUST_POSTING },
	{ MDL_EV_KVM, MDL_JUST_POSTING },
	{ MDL_EV_NONE, 0 },
};

const struct mdl_part mdl_part_guest = {
	.machine = MDL_KEPT(struct mdl_machine, guests),
	.cpu = MDL_KEPT(struct mdl_cpu, guest),
	.init = guest_init,
	.clear = guest_clear,
	.clear_thread = guest_clear_thread,
	.lose = guest_lose,
	.forget = guest_forget,
	.pass = guest_pass,
	.keeps = keeps,
	.refresh = vcpu_refresh,
	.over = guest_over,
	.finish = guest_finish,
	.doubt = guest_doubt,
};
