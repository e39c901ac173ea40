/* SPDX-License-Identifier: MIT */
/*
 * How it works: the interrupt that a guest's kernel handled is the last one that its host posted and the
 * guest's CPU took before the handler began. A CPU takes an interrupt when it enters the guest, and does
 * nothing else before the handler. So if the guest's CPU began another interrupt in between, that one was the
 * posted one, and the handled one did not come from the host: a device that is passed through to the guest
 * interrupts it without an event. If the guest's handler has a vector (irq_vectors), it must be equal. A
 * device's line never has one of the vectors that the kernel reserves (FIRST_SYSTEM_VECTOR,
 * arch/x86/include/asm/irq_vectors.h).
 *
 * The times of host and guest differ by the error of their clocks. An interrupt that was taken within that
 * error may have been taken after the handler began, so it is inferred. It is also inferred if several were
 * posted before they were taken together.
 */
#include "analysis/wait/border.h"

#include "analysis/kind/chain.h"
#include "base/base_time.h"
#include "query/clock/clock.h"

#define POSTS_BACK 64    /* posts that are searched before the handler; as many as the model keeps */
#define PIECES_BACK 16   /* intervals of a guest's CPU between taking an interrupt and its handler */
#define SYSTEM_FIRST 236 /* 0xec, since Linux 4.20; 0xef and above before */
#define SYSTEM_LAST 255

static bool is_outer(enum mdl_ctx_type type)
{
	return type == MDL_CTX_IRQ || type == MDL_CTX_VECTOR || type == MDL_CTX_IPI;
}

/* True if CONTEXT of the guest can handle VECTOR. */
static bool border_fits(const struct qry_context *context, uint32_t vector)
{
	if (context->type == MDL_CTX_IRQ)
		return vector < SYSTEM_FIRST || vector > SYSTEM_LAST;
	return context->nr < 0 || context->nr == vector;
}

/* True if CPU (a row) of the guest entered another interrupt in (FROM, TO). */
static bool was_busy(struct qry *q, uint32_t cpu, int64_t from, int64_t to)
{
	uint32_t host = qry_row(q, cpu)->host;
	struct mdl_interval iv;

	for (unsigned i = 0; i < PIECES_BACK && qry_kernel_state_before(q, cpu, to, &iv) && iv.from > from;
		i++) {
		if (iv.state == MDL_ST_INTERRUPTED && is_outer(qry_context(q, host, iv.detail).type))
			return true;
		to = iv.from;
	}
	return false;
}

bool ana_border_virq(struct qry *q, uint32_t host, const struct mdl_wakeup *post, struct mdl_virq *virq)
{
	struct mdl_cause cause;

	if (post->cause == 0 || !qry_cause(q, host, post->cause, &cause) ||
		!(cause.facts.has & MDL_FACT_VIRQ))
		return false;
	*virq = cause.facts.virq;
	return true;
}

/* Set b->post to the last interrupt that B's virtual CPU took up to TIME and that fits CONTEXT. *SEVERAL:
 * others were taken together with it. False if there is none. */
static bool find_post(struct qry *q, struct ana_border *b, const struct qry_context *context, int64_t time,
	bool *several)
{
	uint32_t host = qry_row(q, b->vcpu)->host;
	uint64_t first = qry_wakeup_seek(q, b->vcpu, time + 1);
	bool found = false;

	for (unsigned i = 0; i < POSTS_BACK && first-- > 0;) {
		struct mdl_wakeup post;
		struct mdl_virq virq;

		i++;
		if (!qry_wakeup_get(q, b->vcpu, first, &post) || post.ran_at == MDL_NEVER ||
			post.ran_at > time || (found && post.ran_at < b->post.ran_at) ||
			!ana_border_virq(q, host, &post, &virq) || !border_fits(context, virq.vector))
			continue;
		*several = found && post.ran_at == b->post.ran_at;
		if (*several)
			continue;
		b->post = post;
		b->vector = virq.vector;
		b->doubts = virq.doubts;
		found = true;
	}
	return found;
}

bool ana_border_of(struct qry *q, uint32_t host, const struct mdl_act *act, struct ana_border *b)
{
	struct qry_context context;
	struct mdl_interval iv;
	bool several = false;
	int64_t error;
	uint32_t cpu;

	if (act->context == MDL_NONE || act->entry == MDL_NEVER || act->cpu == MDL_NONE)
		return false;
	context = qry_context(q, host, act->context);
	*b = (struct ana_border){ .vcpu = qry_vcpu_of(q, host, act->cpu),
		.entry = act->entry,
		.cpu = act->cpu };
	cpu = qry_cpu_row(q, host, act->cpu);
	if (b->vcpu == MDL_NONE || cpu == MDL_NONE || !is_outer(context.type))
		return false;
	error = qry_clock_error(q, host, qry_row(q, b->vcpu)->host, act->entry);
	if (error == INT64_MAX || !find_post(q, b, &context, base_time_shift(act->entry, error), &several))
		return false;
	if (b->doubts & MDL_DOUBT(UNKNOWN) ||
		was_busy(q, cpu, base_time_shift(b->post.ran_at, error), act->entry))
		return false;
	if (several || b->post.ran_at > base_time_shift(act->entry, -error))
		b->doubts |= several ? MDL_DOUBT(SHARED) : MDL_DOUBT(CLOCK);
	b->error = error;
	b->state = qry_state_before(q, b->vcpu, b->post.time, &iv) ? (enum mdl_state)iv.state
								   : MDL_ST_UNKNOWN;
	return true;
}

bool ana_border_of_chain(struct qry *q, uint32_t host, const struct mdl_chain *chain,
	const struct mdl_wakeup *w, struct ana_border *b)
{
	struct mdl_act act;

	for (unsigned i = 0; i < chain->n; i++) {
		const struct mdl_act *a = &chain->hops[i].act;

		if (a->context != MDL_NONE && is_outer(qry_context(q, host, a->context).type))
			return ana_border_of(q, host, a, b);
	}
	if (w->n_contexts == 0)
		return false;
	act = (struct mdl_act){ .time = w->time,
		.entry = w->contexts[0].entry,
		.cpu = w->cpu,
		.context = w->contexts[0].context };
	return ana_border_of(q, host, &act, b);
}

const char *ana_border_words(const struct ana_border *b)
{
	switch (b->state) {
	case MDL_ST_RUNNING: return "posted while the guest ran";
	case MDL_ST_IDLE: return "posted while the virtual CPU was halted";
	case MDL_ST_VCPU_PREEMPTED: return "posted while the virtual CPU waited for a CPU";
	case MDL_ST_VCPU_EXIT: return "posted while the host handled an exit";
	case MDL_ST_INTERRUPTED: return "posted while the host handled an interrupt";
	case MDL_ST_BLOCKED: return "posted while the virtual CPU was asleep";
	default: return "posted by the host";
	}
}

/*
 * If the guest is in an interrupt, it does not act for the interrupted thread: a timer that sends again
 * (tcp_write_timer() in net/ipv4/tcp_timer.c) and kicks the card's queue; an IPI.
 */
bool ana_border_inside(struct qry *q, uint32_t thread, int64_t time, struct ana_inside *in)
{
	uint32_t cpu = qry_guest_cpu_of(q, thread), vcpu;
	struct mdl_interval piece, iv;
	int64_t error;

	if (cpu == MDL_NONE)
		return false;
	vcpu = qry_vcpu_of(q, qry_row(q, cpu)->host, (uint32_t)qry_row(q, cpu)->nr);
	if (vcpu == MDL_NONE || !qry_state_before(q, vcpu, time, &piece) || piece.from >= time)
		return false;
	error = qry_clock_error(q, qry_row(q, cpu)->host, qry_row(q, vcpu)->host, time);
	*in = (struct ana_inside){ piece.from, MDL_NONE, 0 };
	if (piece.state != MDL_ST_RUNNING || error == INT64_MAX ||
		!qry_kernel_state_before(q, cpu, time, &iv) || iv.state == MDL_ST_INTERRUPTED ||
		iv.aux == MDL_NONE || qry_row(q, iv.aux)->type != MDL_ROW_THREAD ||
		qry_row(q, iv.aux)->nr == 0)
		return true;
	in->guest = iv.aux;
	in->doubts = ana_chain_hidden(q, qry_row(q, cpu)->host, time);
	if (iv.from > base_time_shift(time, -error) || iv.to < base_time_shift(time, error))
		in->doubts |= MDL_DOUBT(CLOCK); /* another thread of the guest may have had the CPU */
	return true;
}
