/* SPDX-License-Identifier: MIT */
#include "analysis/kind/kind.h"

#define LOOK(NAME, name, letter, role, words, segment, actor, link, kept)                                 \
	[ANA_KIND_##NAME] = { name, words, letter, ANA_SEG_##segment, ANA_ACTOR_##actor, ANA_LINK_##link, \
		kept },
static const struct ana_kind_look looks[ANA_KIND_N] = { ANA_KINDS(LOOK) };

const struct ana_kind_look *ana_kind_look(enum ana_kind kind)
{
	return &looks[kind];
}

const char *ana_kind_name(enum ana_kind kind)
{
	return looks[kind].name;
}

enum ana_grade ana_grade_of(enum mdl_grade grade)
{
	return grade == MDL_PROVED ? ANA_PROVED : grade == MDL_INFERRED ? ANA_INFERRED : ANA_UNKNOWN;
}

const char *ana_grade_name(enum ana_grade grade)
{
	static const char *const
		names[] = { [ANA_PROVED] = "proved", [ANA_INFERRED] = "inferred", [ANA_UNKNOWN] = "unknown" };

	return names[grade];
}

const char *ana_segment_kind_name(enum ana_segment_kind kind)
{
	static const char *const names[ANA_SEG_N] = { [ANA_SEG_RUNNING] = "running",
		[ANA_SEG_SYSCALL] = "syscall",
		[ANA_SEG_INTERRUPTED] = "interrupted",
		[ANA_SEG_WAIT_CPU] = "wait-cpu",
		[ANA_SEG_PREEMPTED] = "preempted",
		[ANA_SEG_BLOCK] = "block",
		[ANA_SEG_FLUSH] = "flush",
		[ANA_SEG_NETWORK] = "network",
		[ANA_SEG_TIMER] = "timer",
		[ANA_SEG_TIMER_LATE] = "timer-late",
		[ANA_SEG_IPI] = "ipi",
		[ANA_SEG_IRQ] = "irq",
		[ANA_SEG_USER_INPUT] = "user-input",
		[ANA_SEG_VCPU_PREEMPTED] = "vcpu-preempted",
		[ANA_SEG_VCPU_EXIT] = "vcpu-exit",
		[ANA_SEG_VM_INTERRUPT] = "vm-interrupt",
		[ANA_SEG_BLOCKED] = "blocked",
		[ANA_SEG_UNKNOWN] = "unknown" };

	return names[kind];
}

const char *ana_actor_type_name(enum ana_actor_type type)
{
	static const char *const names[] = { [ANA_ACTOR_THREAD] = "thread",
		[ANA_ACTOR_IRQ] = "irq",
		[ANA_ACTOR_DEVICE] = "device",
		[ANA_ACTOR_NETWORK] = "network",
		[ANA_ACTOR_VCPU] = "vcpu",
		[ANA_ACTOR_UNKNOWN] = "unknown" };

	return names[type];
}

const char *ana_link_kind_name(enum ana_link_kind kind)
{
	static const char *const names[] = { [ANA_LINK_WAKEUP] = "wakeup",
		[ANA_LINK_FORK] = "fork",
		[ANA_LINK_NETWORK] = "network",
		[ANA_LINK_IPI] = "ipi",
		[ANA_LINK_VM] = "vm" };

	return names[kind];
}
