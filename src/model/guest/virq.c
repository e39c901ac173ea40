/* SPDX-License-Identifier: MIT */
/*
 * How it works: a thread or interrupt context posts an interrupt to a guest, and the guest takes it when it
 * is entered with it. Each is a wake-up of the virtual CPU's row: its waker is the poster, and it ran when
 * the guest took the interrupt (proofs.md R23.1).
 *
 *   - x86: all posts pass through __apic_accept_irq() (arch/x86/kvm/lapic.c), which writes
 *     kvm_apic_accept_irq first: message-signalled interrupts (kvm_set_msi_irq(), irq_comm.c) and lines
 *     (ioapic_service(), ioapic.c) of the monitor, of irqfd and of vhost, IPIs of another virtual CPU
 *     (kvm_apic_send_ipi()), the guest's own timer (kvm_apic_local_deliver()). An event right before it shows
 *     the way: kvm_msi_set_irq, kvm_ioapic_set_irq, kvm_set_irq, kvm_apic_ipi. kvm_msi_set_irq alone is no
 *     post: kvm_scan_ioapic_routes() writes it, too.
 *   - kvm_inj_virq comes in the thread of the virtual CPU, before kvm_entry (kvm_check_and_inject_events(),
 *     x86.c). The entry may be given up, and the guest may leave before it has taken the interrupt. Then it
 *     is injected again (vmx_complete_interrupts(), svm_complete_interrupts()), in newer kernels with
 *     REINJECTED set. Until it is injected, further posts of its vector are one with it (one bit of the IRR).
 *   - With APICv or AVIC the processor takes interrupts without an injection, and kvm_apicv_accept_irq (since
 *     Linux 5.17) shows each. Older kernels record nothing: without injections, the next time inside the
 *     guest is taken. ARM is alike: vgic_update_irq_pending, taken by the list registers
 *     (kvm_vgic_flush_hwstate()) at the next entry. All this is inferred.
 *   - NMI, SMI, INIT and start-up messages take another way and are left out. Interrupts of the old PIC are
 *     only seen at their injection: their poster is unknown.
 */
#include "model/guest/virq.h"

#include "model/cause/chain.h"
#include "model/cause/parts.h"
#include "model/guest/parts.h"
#include "model/kernel/exit.h"
#include "model/guest/post.h"
#include "model/core/thread.h"
#include "model/guest/vcpu.h"

#define VECTOR_MASK 0xff
#define MODE_MASK 0x700 /* APIC_DM_…: apicdef.h */
#define MODE_FIXED 0x000
#define MODE_LOWEST 0x100

void mdl_virq_init(struct mdl_virqs *v)
{
	v->posts = g_ptr_array_new_with_free_func(g_free);
	v->workers = g_ptr_array_new();
	v->machines = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

void mdl_virq_clear(struct mdl_virqs *v)
{
	g_ptr_array_unref(v->posts);
	g_ptr_array_unref(v->workers);
	g_hash_table_unref(v->machines);
}

/* ---- posted ---- */

static uint32_t vector_of(const struct mdl_event *e)
{
	int64_t vector = e->arg[MDL_VIRQ_VECTOR];

	return vector >= 0 && vector < MDL_NONE ? (uint32_t)vector : MDL_NONE;
}

/* True if E posts an interrupt: fixed, or to the lowest priority. ARM: raised, not lowered. */
static bool is_interrupt(const struct mdl_event *e)
{
	int64_t mode = e->arg[MDL_VIRQ_MODE] & MODE_MASK;

	return vector_of(e) != MDL_NONE && e->arg[MDL_VIRQ_LEVEL] != 0 &&
		(e->arg[MDL_VIRQ_MODE] == MDL_ARG_ABSENT || mode == MODE_FIXED || mode == MODE_LOWEST);
}

/* A value that identifies what acts on C now: its innermost context or its thread. */
static uint64_t virq_place_of(const struct mdl_cpu *c)
{
	return c->depth > 0 ? (uint64_t)c->stack[c->depth - 1].entry : mdl_cpu_thread(c);
}

void mdl_virq_by(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	bool line = !g_strcmp0(e->label, "line");

	if (line && (e->arg[MDL_VIRQ_LEVEL] == 0 || (c->depth == 0 && c->current && c->current->vcpu)))
		/* lowered; or its own thread may post something else before it enters, which looks alike */
		return;
	c->guest->posting.by = (uint8_t)(line || !g_strcmp0(e->label, "ioapic") ? MDL_VIRQ_BY_LINE
			: !g_strcmp0(e->label, "msi")                           ? MDL_VIRQ_BY_MSI
										: MDL_VIRQ_BY_IPI);
	c->guest->posting.vector = line ? MDL_NONE : (uint32_t)(e->arg[MDL_VIRQ_VECTOR] & VECTOR_MASK);
	c->guest->posting.place = virq_place_of(c);
	c->just |= MDL_JUST_POSTING;
}

/* The way by which VECTOR is posted on C now. */
static enum mdl_virq_by take_by(struct mdl_cpu *c, uint32_t vector)
{
	enum mdl_virq_by by = c->guest->posting.by;

	if (by == MDL_VIRQ_BY_UNKNOWN || c->guest->posting.place != virq_place_of(c) ||
		(c->guest->posting.vector != MDL_NONE && c->guest->posting.vector != vector))
		return MDL_VIRQ_BY_UNKNOWN;
	if (c->guest->posting.vector == MDL_NONE)
		c->guest->posting.by = MDL_VIRQ_BY_UNKNOWN;
	return by;
}

/* Set in CAUSE what led to the post, and what happened in the interrupt that posts or in the work item of its
 * thread. */
static void virq_explain(struct mdl_machine *m, uint32_t cpu, struct mdl_cause *cause)
{
	const struct mdl_level *l = mdl_cpu_level(m, cpu);
	struct mdl_virq virq = cause->facts.virq;

	if (l->context != MDL_NONE || l->origin.n > 0)
		mdl_chain_here(m, cpu, &cause->chain);
	if (l->context == MDL_NONE && !(l->facts.has & MDL_FACT_WORK))
		return;
	cause->facts = l->facts;
	if (l->context == MDL_NONE)
		cause->facts.has = MDL_FACT_WORK;
	cause->facts.has |= MDL_FACT_VIRQ;
	cause->facts.virq = virq;
	cause->lossy = m->gaps.had;
}

void mdl_virq_post(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);
	struct mdl_thread *poster = c->depth == 0 ? c->current : NULL, *target;
	struct mdl_post *p;

	if (!is_interrupt(e) || c->gap != MDL_GAP_NONE || e->arg[MDL_VIRQ_APIC] < 0)
		return;
	p = mdl_post_new(m, e, vector_of(e));
	p->apic = e->arg[MDL_VIRQ_APIC];
	p->process = poster ? mdl_post_process(poster) : -1;
	p->arm = e->arg[MDL_VIRQ_LEVEL] != MDL_ARG_ABSENT;
	p->cause.facts.virq.by = (uint8_t)take_by(c, p->cause.facts.virq.vector);
	virq_explain(m, e->cpu, &p->cause);
	mdl_cpu_place(m, e->cpu, &p->wakeup);
	p->wakeup.via = MDL_VIA_WAKING;
	target = mdl_post_find_target(m, p);
	if (target)
		mdl_post_assign(m, p, target);
	mdl_post_add(m, p);
	c->guest->posted = p->wakeup.rank;
	c->just |= MDL_JUST_POSTED;
}

/* The post by the event with RANK; NULL: it has gone out. */
static struct mdl_post *find_post(const struct mdl_machine *m, uint64_t rank)
{
	for (guint i = m->guests->virqs.posts->len; rank != 0 && i-- > 0;)
		if (mdl_post_at(m, i)->wakeup.rank == rank)
			return mdl_post_at(m, i);
	return NULL;
}

void mdl_virq_woken(struct mdl_machine *m, uint32_t cpu, struct mdl_thread *t)
{
	struct mdl_post *p = find_post(m, mdl_cpu_get(m, cpu)->guest->posted);

	if (!p || !t->vcpu || (p->target && p->target != t))
		return;
	p->sure = true;
	mdl_post_learn(t, p->apic, true);
	if (!p->target)
		mdl_post_assign(m, p, t);
}

/* On Intel's processors a device, or another virtual CPU without the kernel's help, may post an interrupt for
 * a halted guest. It arrives as an interrupt of the host without an event, which wakes the guest's thread
 * (proofs.md R11.7). A post by the kernel is recorded before the wake-up. */
bool mdl_virq_may_wake(const struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_thread *t)
{
	const struct mdl_post *p;

	if (!t->vcpu || !t->vcpu->halted || !mdl_exit_is_vmx(t->vcpu->reason))
		return false;
	p = find_post(m, c->guest->posted);
	return !p || p->phase != MDL_POST_POSTED || (p->target && p->target != t);
}

void mdl_virq_direct(struct mdl_machine *m, const struct mdl_event *e)
{
	for (guint i = m->guests->virqs.posts->len; i-- > 0;) {
		struct mdl_post *p = mdl_post_at(m, i);

		if (p->wakeup.cpu != e->cpu || p->apic != e->arg[MDL_VIRQ_APIC] ||
			p->cause.facts.virq.vector != vector_of(e))
			continue;
		p->direct = true;
		if (p->target)
			mdl_post_assign(m, p, p->target);
		return;
	}
}

/* ---- taken ---- */

/* The thread on E's CPU, if it has a virtual CPU. */
static struct mdl_thread *worker(struct mdl_machine *m, const struct mdl_event *e)
{
	const struct mdl_cpu *c = mdl_cpu_get(m, e->cpu);

	return c->gap == MDL_GAP_NONE && c->current && c->current->tid != 0 ? c->current : NULL;
}

static bool awaits(const struct mdl_machine *m, const struct mdl_post *p, const struct mdl_thread *t,
	uint32_t vector)
{
	return p->phase == MDL_POST_POSTED && !p->direct && p->cause.facts.virq.vector == vector &&
		mdl_post_may_be(m, p, t);
}

/* Decide which of the posts of VECTOR that await an injection, and have no thread yet, are T's: all for one
 * number of one machine. False if two virtual CPUs are possible, and then these posts are given up. */
static bool decide(struct mdl_machine *m, struct mdl_thread *t, uint32_t vector)
{
	const struct mdl_post *first = NULL;
	bool alone = g_hash_table_size(m->guests->virqs.machines) <= 1, one = true;

	for (guint i = 0; i < m->guests->virqs.posts->len; i++) {
		const struct mdl_post *p = mdl_post_at(m, i);

		if (!awaits(m, p, t, vector) || p->target)
			continue;
		one = one && (!first || (first->apic == p->apic && (alone || first->process == p->process)));
		one = one && (!first || alone || mdl_post_is_machine(m, p->process));
		first = first ? first : p;
	}
	for (guint i = 0; i < m->guests->virqs.posts->len;) {
		struct mdl_post *p = mdl_post_at(m, i);

		if (!awaits(m, p, t, vector) || p->target) {
			i++;
		} else if (one) {
			mdl_post_assign(m, p, t);
			mdl_post_learn(t, p->apic, false);
			i++;
		} else {
			m->guests->virqs.lost++;
			g_ptr_array_remove_index(m->guests->virqs.posts, i);
		}
	}
	return first && one;
}

/* Inject the posts of T that await this injection; false: there are none. */
static bool inject_posted(struct mdl_machine *m, struct mdl_thread *t, uint32_t vector)
{
	bool any = false;

	for (guint i = 0; i < m->guests->virqs.posts->len; i++) {
		struct mdl_post *p = mdl_post_at(m, i);

		if (!awaits(m, p, t, vector) || p->target != t)
			continue;
		p->phase = MDL_POST_INJECTED;
		any = true;
	}
	return any;
}

/* True if E injects again the vector that was injected last: the guest had not taken it. */
static bool inject_again(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_event *e)
{
	uint32_t vector = vector_of(e);

	if (t->vcpu->injected != vector ||
		(e->arg[MDL_VIRQ_AGAIN] != 1 && t->vcpu->entered && !t->vcpu->ends))
		return false;
	for (guint i = 0; i < m->guests->virqs.posts->len; i++) {
		struct mdl_post *p = mdl_post_at(m, i);

		if (p->target == t && p->phase == MDL_POST_TAKEN && p->cause.facts.virq.vector == vector)
			p->phase = MDL_POST_INJECTED;
	}
	return true;
}

/* E injects an interrupt into T's guest whose poster is unknown. */
static void inject_unknown(struct mdl_machine *m, struct mdl_thread *t, const struct mdl_event *e)
{
	struct mdl_post *p = mdl_post_new(m, e, vector_of(e));

	p->target = t;
	p->phase = MDL_POST_INJECTED;
	p->wakeup.via = MDL_VIA_NONE;
	mdl_post_add(m, p);
}

/* The interrupts that T's virtual CPU took need no other injection. */
static void virq_settle(struct mdl_machine *m, const struct mdl_thread *t)
{
	for (guint i = 0; i < m->guests->virqs.posts->len; i++)
		if (mdl_post_at(m, i)->target == t && mdl_post_at(m, i)->phase == MDL_POST_TAKEN)
			mdl_post_at(m, i)->phase = MDL_POST_DONE;
	mdl_post_put_out_done(m);
}

void mdl_virq_inject(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = worker(m, e);
	uint32_t vector = vector_of(e);
	bool posted;

	if (!t || !t->vcpu || vector == MDL_NONE)
		return;
	m->guests->virqs.injected = true;
	if (!inject_again(m, t, e)) {
		virq_settle(m, t);
		posted = inject_posted(m, t, vector) || (decide(m, t, vector) && inject_posted(m, t, vector));
		if (!posted)
			inject_unknown(m, t, e);
		t->vcpu->ends = posted && m->guests->virqs.ended;
	}
	t->vcpu->injected = vector;
	t->vcpu->entered = false;
}

void mdl_virq_end(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = worker(m, e);

	m->guests->virqs.ended = true;
	if (!t || !t->vcpu)
		return;
	mdl_post_learn(t, e->arg[MDL_VIRQ_APIC], true);
	if (t->vcpu->injected == vector_of(e))
		t->vcpu->injected = MDL_NONE;
}

void mdl_virq_enter(struct mdl_machine *m, struct mdl_thread *t)
{
	int64_t process = mdl_post_process(t);

	if (process != -1 && !mdl_post_is_machine(m, process))
		g_hash_table_add(m->guests->virqs.machines, g_memdup2(&process, sizeof process));
	t->vcpu->entered = true;
	if (m->guests->virqs.posts->len == 0)
		return;
	virq_settle(m, t);
	for (guint i = 0; i < m->guests->virqs.posts->len; i++) {
		struct mdl_post *p = mdl_post_at(m, i);

		if (p->target != t)
			continue;
		if (p->phase == MDL_POST_INJECTED) {
			p->phase = MDL_POST_TAKEN;
			p->wakeup.ran_at = m->now;
		} else if (p->phase == MDL_POST_POSTED && p->guess == MDL_NEVER) {
			p->guess = m->now;
			p->phase = p->direct ? MDL_POST_DONE : MDL_POST_POSTED;
		}
	}
}

void mdl_virq_lose(struct mdl_machine *m, const struct mdl_thread *t)
{
	for (guint i = 0; i < m->guests->virqs.posts->len; i++)
		if (mdl_post_at(m, i)->target == t)
			mdl_post_at(m, i)->phase = MDL_POST_DONE;
	t->vcpu->injected = MDL_NONE;
	mdl_post_put_out_done(m);
}

void mdl_virq_over(struct mdl_machine *m, struct mdl_thread *t)
{
	for (guint i = 0; i < m->guests->virqs.posts->len;) {
		struct mdl_post *p = mdl_post_at(m, i);

		if (t && p->target != t) {
			i++;
			continue;
		}
		mdl_post_put_out(m, p);
		g_ptr_array_remove_index(m->guests->virqs.posts, i);
	}
}
