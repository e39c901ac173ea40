/* SPDX-License-Identifier: MIT */
/*
 * Coverage: what a recording shows of the kernel, and so which doubts can hold in it.
 *
 * An event counts as recorded when it has come: a trace may declare events that were never switched on, or
 * only later. Each machine has one coverage. The handlers note in it what they see, and each rule about what
 * is proved asks it through mdl_doubt().
 */
#ifndef MDL_COVERAGE_H
#define MDL_COVERAGE_H

#include "model/event/event.h"

#include <glib.h>

/* The groups of events, G(NAME, EVENT). EVENT is the group's name in the table of events that are worth
 * recording (event/wanted.h) and in the list of what a trace lacks, in this order; NULL: never listed as
 * missing. kernel/coverage.c has the kinds of events of each group. */
#define MDL_GROUPS(G)                                            \
	G(SWITCH, "sched_switch")                                \
	G(WAKING, "sched_waking")                                \
	G(MIGRATE, "sched_migrate_task")                         \
	G(PROCESS, "sched_process_*")                            \
	G(IRQ, "irq_handler_*")                                  \
	G(SOFTIRQ, "irq_softirq_*")                              \
	G(RAISE, "irq_softirq_raise")                            \
	G(HRTIMER, "timer_hrtimer_expire_*")                     \
	G(HRTIMER_START, "timer_hrtimer_start")                  \
	G(TIMER_START, "timer_start")                            \
	G(TIMER, "timer_expire_*")                               \
	G(WORK_QUEUE, "workqueue_queue_work")                    \
	G(WORK, "workqueue_execute_*")                           \
	G(SIGNAL, "signal_generate")                             \
	G(NET_SENT, "net_dev_queue")                             \
	G(NET_RECEIVED, "net_if_receive_skb")                    \
	G(VECTOR, "x86_irq_vectors_*")                           \
	G(IPI_SENDER, "ipi_*")                                   \
	G(REQUEST, "block_rq_*")                                 \
	G(BIO, "block_bio_*")                                    \
	G(STATEDUMP, "lttng_statedump_*")                        \
	G(SYSCALL, "syscall_entry_*")                            \
	G(EXIT, NULL)                                            \
	G(PI, NULL)                                              \
	G(WORK_END, NULL)                                        \
	G(IPI, NULL)                                             \
	G(LOCAL_TIMER, "x86_irq_vectors_local_timer_*")          \
	G(RESCHEDULE, "x86_irq_vectors_reschedule_*")            \
	G(CALL_FUNCTION, "x86_irq_vectors_call_function_*")      \
	G(CALL_SINGLE, "x86_irq_vectors_call_function_single_*") \
	G(IRQ_WORK, "x86_irq_vectors_irq_work_*")                \
	G(WAKEUP, NULL)                                          \
	G(FORK, NULL)                                            \
	G(SYSCALL_EXIT, NULL)                                    \
	G(REQUEST_END, NULL)

enum mdl_group {
#define MDL_GROUP(NAME, event) MDL_GROUP_##NAME,
	MDL_GROUPS(MDL_GROUP)
#undef MDL_GROUP
		MDL_GROUPS_N,
	MDL_GROUP_NONE = MDL_GROUPS_N
};

/* Facts about the kernel, by its release or its events. */
enum mdl_kernel {
	MDL_KERNEL_RT = 1, /* PREEMPT_RT: softirqs run in threads */
	/* The tracer's softirq flag means that a softirq is served, not only that softirqs are off. */
	MDL_KERNEL_TELLS_SOFTIRQS = 2,
	MDL_KERNEL_UNKNOWN = 4, /* the release cannot be read: the other bits are those of a current kernel */
	/* The thread that hands over a lock gives back its lent priority before the wake-up. */
	MDL_KERNEL_LENDS_UNTIL_WAKE = 8,
	MDL_KERNEL_MAY_BE_RT = 16 /* neither the release nor an event shows whether it is PREEMPT_RT */
};

struct mdl_coverage {
	/* 1 << enum mdl_group: the trace has event classes of the group, also of its exits */
	uint64_t declared;
	uint64_t absent; /* 1 << enum mdl_group: the tracer has no such events */
	/* 1 << enum mdl_group: the kernel has no such events, by its machine, release or list of events */
	uint64_t impossible;
	uint64_t seen;        /* 1 << enum mdl_group: an event came */
	uint64_t ended;       /* 1 << enum mdl_group: of contexts, an exit came */
	uint32_t entered;     /* 1 << enum mdl_ctx_type: an entry came */
	uint32_t left;        /* 1 << enum mdl_ctx_type: an exit came */
	uint32_t kernel;      /* enum mdl_kernel */
	uint32_t n_cpus;      /* of the trace */
	bool kinds[MDL_EV_N]; /* an event of the kind came */
	bool some_calls;      /* not all system calls are recorded */
	/* not all vectors are declared: the others come without an event, and wake threads */
	bool some_vectors;
	/* the trace declares classes whose events were not switched on, as ftrace does */
	bool declares_more;
	bool lone;           /* one CPU, and the IPIs that it sends to itself are declared */
	bool lone_ipis;      /* with LONE: as IPIs of arm, not as vectors of x86 */
	bool has_arch_timer; /* with LONE_IPIS: the kernel writes these events */
	uint32_t bare_cpus;  /* CPUs where hrtimers expire outside of all recorded interrupts … */
	/* … and CPUs where a single one did, until that is surely over (timer/timer.c) */
	uint32_t stray_cpus;
	mdl_doubts hides; /* the doubts that can hold, by the events so far */
	int64_t now;      /* ns: time of the current event */
	GArray *history;  /* owned, of struct mdl_hides: what HIDES was, in order of time */
};

/* RELEASE is the kernel's release string; NULL: unknown. */
void mdl_coverage_init(struct mdl_coverage *c, const char *release);
void mdl_coverage_clear(struct mdl_coverage *c);
/* The trace has the event classes CLASSES (a set of names, as by g_hash_table_add()) and N_CPUS CPUs. MORE:
 * it declares classes whose events were not switched on. Call it before the first event. */
void mdl_coverage_declare(struct mdl_coverage *c, GHashTable *classes, bool more, unsigned n_cpus);
/* The kernel is of RELEASE and of MACHINE (uname -m); "" or NULL: unknown. PROBES: its tracer is LTTng, which
 * records IPIs by a kprobe. Call it after mdl_coverage_declare(). */
void mdl_coverage_machine(struct mdl_coverage *c, GHashTable *classes, const char *release,
	const char *machine, bool probes);
/* The machine has another CPU, without events. */
void mdl_coverage_other_cpu(struct mdl_coverage *c);
/* The recorded groups, 1 << enum mdl_group: those that came, and the declared ones, unless the trace declares
 * events that were not switched on. */
uint64_t mdl_coverage_recorded(const struct mdl_coverage *c);
/* Compute HIDES again, after a member changed. */
void mdl_coverage_update(struct mdl_coverage *c);

/* An event shows that the kernel is PREEMPT_RT, whatever its release string says. */
static inline void mdl_coverage_is_rt(struct mdl_coverage *c)
{
	c->kernel |= MDL_KERNEL_RT;
	mdl_coverage_update(c);
}

/* Nothing in the trace shows whether the kernel is PREEMPT_RT. */
static inline void mdl_coverage_may_be_rt(struct mdl_coverage *c)
{
	c->kernel |= MDL_KERNEL_MAY_BE_RT;
	mdl_coverage_update(c);
}

/* E is the first event of its kind. */
void mdl_coverage_kind(struct mdl_coverage *c, const struct mdl_event *e);
/* E comes next. */
static inline void mdl_coverage_event(struct mdl_coverage *c, const struct mdl_event *e)
{
	c->now = e->time;
	if (G_UNLIKELY(!c->kinds[e->kind]))
		mdl_coverage_kind(c, e);
}

/* An event of GROUP, a vector, came. */
static inline void mdl_coverage_see(struct mdl_coverage *c, enum mdl_group group)
{
	if (G_LIKELY(c->seen & (uint64_t)1 << group))
		return;
	c->seen |= (uint64_t)1 << group;
	mdl_coverage_update(c);
}

static inline void mdl_coverage_enter(struct mdl_coverage *c, enum mdl_ctx_type type)
{
	if (G_LIKELY(c->entered & 1u << type))
		return;
	c->entered |= 1u << type;
	mdl_coverage_update(c);
}

static inline void mdl_coverage_leave(struct mdl_coverage *c, enum mdl_ctx_type type)
{
	if (G_LIKELY(c->left & 1u << type))
		return;
	c->left |= 1u << type;
	mdl_coverage_update(c);
}

static inline bool mdl_coverage_has(const struct mdl_coverage *c, enum mdl_group group)
{
	return c->seen & (uint64_t)1 << group;
}

/* True if exits of contexts of TYPE are recorded. */
static inline bool mdl_coverage_ends(const struct mdl_coverage *c, enum mdl_ctx_type type)
{
	return c->left & 1u << type;
}

/* The doubts of REASONS that can hold in this recording: the only gate to what is proved. */
static inline mdl_doubts mdl_doubt(const struct mdl_coverage *c, mdl_doubts reasons)
{
	return reasons & c->hides;
}

/* The names of the groups that the kernel has and that are not recorded: a new array of static strings; the
 * caller unrefs it. */
GPtrArray *mdl_coverage_missing(const struct mdl_coverage *c);
/* The group of the vector with the name LABEL; MDL_GROUP_VECTOR: a rare one. */
enum mdl_group mdl_group_of_vector(const char *label);
/* True if GROUP is one of the vectors that come upon threads all the time. */
static inline bool mdl_group_is_vector(enum mdl_group group)
{
	return group >= MDL_GROUP_LOCAL_TIMER && group <= MDL_GROUP_IRQ_WORK;
}
/* The name of GROUP, static; NULL: it has none. */
const char *mdl_group_name(enum mdl_group group);

#endif
