/* SPDX-License-Identifier: MIT */
/*
 * How it works: events name the APIC, or vcpu_id, by a number within its machine. Three things show the
 * thread of that virtual CPU: kvm_eoi names it in that thread; the next event after the post wakes the
 * thread; the vector is injected in the thread. A poster that is a thread of a monitor's process posts to
 * that machine. vhost's threads and interrupts belong to no machine: then the injection decides. If two
 * virtual CPUs are possible, none is taken (proofs.md R23.1).
 */
#include "model/guest/post.h"

#include "model/guest/parts.h"
#include "model/cause/parts.h"
#include "model/core/gap.h"
#include "model/core/thread.h"
#include "model/guest/vcpu.h"

#define POSTS_MAX 64 /* on their way at most: more than a guest leaves pending */

/* ---- whose it is ---- */

int64_t mdl_post_process(const struct mdl_thread *t)
{
	return t->track->row.pid;
}

bool mdl_post_is_machine(const struct mdl_machine *m, int64_t process)
{
	return g_hash_table_contains(m->guests->virqs.machines, &process);
}

bool mdl_post_may_be(const struct mdl_machine *m, const struct mdl_post *p, const struct mdl_thread *t)
{
	int64_t process = mdl_post_process(t);

	if (p->target)
		return p->target == t;
	if (t->vcpu->apic != MDL_VCPU_NO_APIC && p->apic != t->vcpu->apic)
		return false;
	return process == -1 || p->process == process || !mdl_post_is_machine(m, p->process);
}

/* True if all that is known of P and T agrees. */
static bool agree(const struct mdl_post *p, const struct mdl_thread *t)
{
	return t->vcpu->apic_sure && p->apic == t->vcpu->apic && p->process != -1 &&
		p->process == mdl_post_process(t);
}

void mdl_post_learn(struct mdl_thread *t, int64_t apic, bool sure)
{
	if (apic < 0 || (t->vcpu->apic_sure && !sure))
		return;
	t->vcpu->apic = apic;
	t->vcpu->apic_sure = sure;
}

/* A process may run several machines, so two threads may agree. */
struct mdl_thread *mdl_post_find_target(const struct mdl_machine *m, const struct mdl_post *p)
{
	struct mdl_thread *found = NULL;

	for (guint i = 0; i < m->guests->virqs.workers->len && p->process != -1; i++) {
		struct mdl_thread *t = g_ptr_array_index(m->guests->virqs.workers, i);

		if (!agree(p, t))
			continue;
		if (found)
			return NULL;
		found = t;
	}
	return found;
}

void mdl_post_assign(struct mdl_machine *m, struct mdl_post *p, struct mdl_thread *t)
{
	const struct mdl_thread *agreed = mdl_post_find_target(m, p);

	p->target = t;
	p->sure |= agreed && agreed == t;
	p->wakeup.target_cpu = t->cpu;
	if (t->vcpu->inside && t->phase == MDL_PH_RUN && (p->direct || !m->guests->virqs.injected) && !p->arm)
		p->guess = p->wakeup.time;
	if (p->direct && p->guess != MDL_NEVER)
		p->phase = MDL_POST_DONE;
}

/* ---- what is known goes out ---- */

struct mdl_post *mdl_post_new(struct mdl_machine *m, const struct mdl_event *e, uint32_t vector)
{
	struct mdl_post *p = g_new0(struct mdl_post, 1);

	p->process = -1;
	p->guess = MDL_NEVER;
	p->wakeup = (struct mdl_wakeup){ .time = m->now,
		.since = MDL_NEVER,
		.ran_at = MDL_NEVER,
		.rank = e->rank,
		.event_time = m->now,
		.event_cpu = e->cpu,
		.waker = MDL_NONE,
		.cpu = MDL_NONE,
		.target_cpu = MDL_NONE };
	p->cause.facts.has = MDL_FACT_VIRQ;
	p->cause.facts.virq.vector = vector;
	return p;
}

static mdl_doubts post_doubts_of(const struct mdl_machine *m, const struct mdl_post *p)
{
	return (p->wakeup.cpu == MDL_NONE ? MDL_DOUBT(UNKNOWN) : 0) |
		(p->sure && p->guess == MDL_NEVER ? 0 : MDL_DOUBT(SHARED)) |
		(mdl_gap_since(&m->gaps, p->wakeup.time) ? MDL_DOUBT(LOST) : 0);
}

void mdl_post_put_out(struct mdl_machine *m, struct mdl_post *p)
{
	if (p->wakeup.ran_at == MDL_NEVER && (p->direct || !m->guests->virqs.injected))
		p->wakeup.ran_at = p->guess;
	else
		p->guess = MDL_NEVER;
	if (!p->target || p->wakeup.time < p->target->vcpu->track->row.first)
		return;
	p->cause.facts.virq.doubts = post_doubts_of(m, p);
	if (m->sink->cause) {
		m->sink->cause(m->data, &p->cause);
		p->wakeup.cause = ++m->causes->n;
	}
	m->sink->wakeup(m->data, p->target->vcpu->track->id, &p->wakeup);
}

/* True if an earlier post than number I, for the same virtual CPU, is not ready to go out. */
static bool is_held(const struct mdl_machine *m, guint i)
{
	for (guint k = 0; k < i; k++)
		if (mdl_post_may_be(m, mdl_post_at(m, k), mdl_post_at(m, i)->target))
			return true;
	return false;
}

void mdl_post_put_out_done(struct mdl_machine *m)
{
	for (guint i = 0; i < m->guests->virqs.posts->len;) {
		if (mdl_post_at(m, i)->phase != MDL_POST_DONE || is_held(m, i)) {
			i++;
			continue;
		}
		mdl_post_put_out(m, mdl_post_at(m, i));
		g_ptr_array_remove_index(m->guests->virqs.posts, i);
	}
}

void mdl_post_add(struct mdl_machine *m, struct mdl_post *p)
{
	if (m->guests->virqs.posts->len == POSTS_MAX) {
		m->guests->virqs.lost += !mdl_post_at(m, 0)->target;
		mdl_post_put_out(m, mdl_post_at(m, 0));
		g_ptr_array_remove_index(m->guests->virqs.posts, 0);
		mdl_post_put_out_done(m);
	}
	g_ptr_array_add(m->guests->virqs.posts, p);
}
