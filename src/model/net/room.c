/* SPDX-License-Identifier: MIT */
/*
 * How it works: after what it received, a card's poll may free sent packets, too, and wake a thread that
 * waits for room, also in poll() or epoll (proofs.md R5.4). Some drivers go round again (tg3_poll(),
 * drivers/net/ethernet/broadcom/). Some take both from one ring (netvsc_poll(), drivers/net/hyperv/netvsc.c;
 * sky2_status_intr(), marvell/sky2.c). r8169 received first before Linux 5.9. No event shows this, nor the
 * driver. A thread in a call that only receives does not wait for room. A poller that sent on the flow on
 * which the packet brings something does not either. The loopback, other virtual interfaces and the queues of
 * other CPUs have nothing to free. virtio frees before it receives.
 *
 * If the ends of polls are not recorded, a packet of the loopback is proved if the softirq polls only the
 * loopback: the thread that queued the packet raised the softirq after that, and no other raiser is possible
 * (R5.6).
 */
#include "model/net/net.h"

#include "model/cause/chain.h"
#include "model/core/context.h"
#include "model/core/cpu.h"
#include "model/core/thread.h"

#include <string.h>

/* True if L may poll a card that frees sent packets after what it receives, by the origin of L. */
static bool may_free_sent(const struct mdl_machine *m, const struct mdl_level *l)
{
	for (unsigned i = l->origin.n; i-- > 0;) {
		uint32_t context = l->origin.hops[i].act.context;
		enum mdl_ctx_type type = context != MDL_NONE ? mdl_context_type(m, context) : MDL_CTX_TYPES;

		if (type == MDL_CTX_IRQ)
			return !strstr(mdl_context_name(m, context), "-input"); /* virtio's */
		if (type == MDL_CTX_IPI)
			return false;
		if (type == MDL_CTX_HRTIMER || type == MDL_CTX_VECTOR) /* napi_watchdog() */
			return true;
	}
	return l->origin.n == 0;
}

/* True if T waits for PACKET or one like it, and not for room to send. */
static bool awaits(const struct mdl_machine *m, const struct mdl_thread *t, const struct mdl_packet *packet)
{
	static const char *const receive[] = { "recvfrom", "recvmsg", "recvmmsg", "recv", "accept", "accept4",
		"connect", "read", "readv", NULL };
	static const char *const poll[] = { "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll",
		"select", "pselect6", NULL };

	if (t->mode != MDL_MODE_SYSCALL || m->coverage.some_calls)
		return false;
	return mdl_thread_call_is(m, mdl_thread_sure_call(t), receive) ||
		(mdl_thread_call_is(m, mdl_thread_sure_call(t), poll) && mdl_batch_is_for(t, packet));
}

void mdl_room_doubt(const struct mdl_machine *m, const struct mdl_level *l, const struct mdl_thread *t,
	struct mdl_received *packet)
{
	if (packet->doubts == 0 && !packet->handed &&
		strcmp(base_strings_get(m->strings, packet->device), "lo") != 0 && may_free_sent(m, l) &&
		!awaits(m, t, &packet->packet))
		packet->doubts = MDL_DOUBT(ROOM);
}

/* True if softirq L of CPU serves only what thread T raised it for, at FROM or later. */
static bool is_of_thread(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l, uint32_t t,
	int64_t from)
{
	struct mdl_chain chain;
	const struct mdl_hop *by = &chain.hops[0];

	if (l->context == MDL_NONE || l->type != MDL_CTX_SOFTIRQ || l->nr != MDL_SOFTIRQ_NET_RX)
		return false;
	mdl_chain_origin(m, cpu, l, &chain);
	return chain.n == 1 && by->doubts == 0 && by->act.context == MDL_NONE && by->act.thread == t &&
		by->act.time >= from;
}

void mdl_room_settle(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	struct mdl_received *packet)
{
	const struct mdl_act *sender = &packet->sender;

	if (packet->doubts == MDL_DOUBT(NO_POLL) && sender->time != MDL_NEVER &&
		sender->context == MDL_NONE && sender->thread != MDL_NONE &&
		g_str_equal(base_strings_get(m->strings, packet->device), "lo") &&
		is_of_thread(m, cpu, l, sender->thread, sender->time))
		packet->doubts = 0;
}
