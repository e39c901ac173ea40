/* SPDX-License-Identifier: MIT */
#include "model/event/types.h"

#include <stddef.h>
#include <string.h>

static const char *const state_names[MDL_ST_N] = {
	[MDL_ST_UNKNOWN] = "unknown",
	[MDL_ST_USERMODE] = "usermode",
	[MDL_ST_SYSCALL] = "syscall",
	[MDL_ST_RUNNING] = "running",
	[MDL_ST_INTERRUPTED] = "interrupted",
	[MDL_ST_WAIT_CPU] = "wait-cpu",
	[MDL_ST_PREEMPTED] = "preempted",
	[MDL_ST_BLOCKED] = "blocked",
	[MDL_ST_NEW] = "new",
	[MDL_ST_EXITED] = "exited",
	[MDL_ST_VCPU_PREEMPTED] = "vcpu-preempted",
	[MDL_ST_VCPU_EXIT] = "vcpu-exit",
	[MDL_ST_IDLE] = "idle",
	[MDL_ST_QUEUED] = "queued",
	[MDL_ST_IN_FLIGHT] = "in-flight",
	[MDL_ST_WAITING] = "waiting",
};

static const char *const block_names[MDL_BLOCK_N] = {
	[MDL_BLOCK_INTERRUPTIBLE] = "interruptible",
	[MDL_BLOCK_UNINTERRUPTIBLE] = "uninterruptible",
	[MDL_BLOCK_KILLABLE] = "killable",
	[MDL_BLOCK_STOPPED] = "stopped",
	[MDL_BLOCK_TRACED] = "traced",
	[MDL_BLOCK_PARKED] = "parked",
	[MDL_BLOCK_IDLE] = "idle",
	[MDL_BLOCK_FROZEN] = "frozen",
};

const char *mdl_class_name(int priority)
{
	if (priority == MDL_PRIORITY_NONE)
		return NULL;
	return priority <= MDL_PRIORITY_DEADLINE ? "deadline"
		: priority < MDL_PRIORITY_FAIR   ? "real-time"
						 : "fair";
}

bool mdl_class_before(int a, int b)
{
	return a != MDL_PRIORITY_NONE && b != MDL_PRIORITY_NONE && a < b &&
		mdl_class_name(a) != mdl_class_name(b);
}

static const char *const ctx_names[MDL_CTX_TYPES] = {
	[MDL_CTX_IRQ] = "irq",
	[MDL_CTX_SOFTIRQ] = "softirq",
	[MDL_CTX_HRTIMER] = "hrtimer",
	[MDL_CTX_IPI] = "ipi",
	[MDL_CTX_VECTOR] = "vector",
};

const char *mdl_state_name(enum mdl_state state)
{
	return state_names[state];
}

const char *mdl_block_name(enum mdl_block block)
{
	return block_names[block];
}

const char *mdl_ctx_type_name(enum mdl_ctx_type type)
{
	return ctx_names[type];
}

bool mdl_packet_same(const struct mdl_packet *a, const struct mdl_packet *b)
{
	return a->version == b->version && a->protocol == b->protocol && a->id == b->id &&
		memcmp(a->source, b->source, sizeof a->source) == 0 &&
		memcmp(a->destination, b->destination, sizeof a->destination) == 0 &&
		a->has_ports == b->has_ports && a->source_port == b->source_port &&
		a->destination_port == b->destination_port && a->sequence == b->sequence &&
		a->acknowledgement == b->acknowledgement;
}

const char *mdl_softirq_name(unsigned vec)
{
	/* include/linux/interrupt.h: HI_SOFTIRQ … RCU_SOFTIRQ */
	static const char *const names[MDL_SOFTIRQS] = { "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK",
		"IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU" };

	return names[vec];
}
