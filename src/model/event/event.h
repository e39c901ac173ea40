/* SPDX-License-Identifier: MIT */
/*
 * One kernel event in the form that the model wants, whatever tracer wrote it.
 *
 * A reader fills ARG and TEXT in the order of the enums below. The table in event/table.c says which field of
 * which tracer goes where.
 */
#ifndef MDL_EVENT_H
#define MDL_EVENT_H

#include "model/event/types.h"

#include <glib.h>
#include <string.h>

/*
 * All kinds: E(KIND, FUNCTION).  The function handles each event of the kind (dispatch.c).  NULL: the
 * kind tells the model nothing.
 *
 *   NONE              an event that the model does not use: counted, not delivered
 *   GAP_BEGIN         made by the reader: from here on, events of this CPU may be missing
 *   GAP_END           made by the reader: the end of that; a0 = time of the stream's last event before it
 *   FIRST             made from later events: the thread that runs on this CPU when its events begin; a0 =
 *                     tid, t0 = name.  Without a tid it says how states are written (MDL_FIRST_WAYS), or
 *                     that all CPUs recorded only switches away from some threads
 *   RUNS              made by the reader: an event shows that a switch is missing, see MDL_RUNS_
 *   HOLE              made by the reader: a missing switch shows that tracing was off since a0
 *   SCHED_RENAME      task_rename: a0 = tid, t0 = new name
 *   CGROUP            cgroup_attach_task, cgroup_transfer_tasks: the control group of a process, or with a
 *                     label of a thread alone, from now on; t0 = its path
 *   PI_SETPRIO        sched_pi_setprio: a priority is lent to, or taken from, the holder of a lock: MDL_PI_
 *   SYSCALL_ENTRY     label = name of the call; for futex see MDL_FUTEX_, without a name see MDL_CALL_NR,
 *                     by number alone MDL_CALL_RAW (its label is found in machine.c)
 *   VECTOR_ENTRY      label = name of the vector: local_timer, reschedule, …
 *   IPI_ENTRY         arm, arm64: t0 = reason
 *   IPI_SEND          ipi_send_cpu: to one CPU; ipi_raise, ipi_send_cpumask: to several
 *   CSD_QUEUE         csd_queue_cpu: a function is queued for a CPU, which gets an IPI if it needs one
 *   CSD_ENTRY         csd_function_entry: that CPU calls it
 *   BIO_QUEUE         block_bio_queue
 *   BIO_MERGE         block_bio_backmerge: a bio joins a request at its end
 *   BIO_MERGE_FRONT   block_bio_frontmerge: a bio joins a request at its front
 *   BIO_REMAP         block_bio_remap: a bio of one device continues as a bio of another device below it
 *   RQ_GET            block_getrq
 *   TIMER_START       the timer wheel
 *   TIMER_CANCEL      hrtimers and the timer wheel: cancelled, or initialized again
 *   TIMER_ENTRY       timer_expire_entry: the timer wheel, inside softirq TIMER
 *   SIGNAL            signal_generate
 *   NET_QUEUE         net_dev_queue
 *   NET_RECEIVE       net_if_receive_skb, netif_receive_skb
 *   NAPI_POLL         a poll for packets has ended
 *   VCPU_ENTRY        kvm_entry: the thread enters a guest
 *   VCPU_EXIT         kvm_exit
 *   VCPU_TSC          kvm_write_tsc_offset: how far the guest's TSC is ahead of the host's from now on
 *   VIRQ_BY           label = how an interrupt is raised (msi, ioapic, line, ipi); VIRQ_POST then posts it
 *                     into a guest
 *   VIRQ_DIRECT       the interrupt that was just posted goes to the processor without an injection
 *   VIRQ_INJECT       the next entry of the guest brings the interrupt
 *   VIRQ_END          the guest has handled the interrupt
 *   KVM               all other events of KVM: they show that the host runs
 *   COUNTS            nothing but counters that were read
 *   DUMP_BLOCK        state dump: name of a block device
 *   DUMP_PROCESS      state dump: one thread
 *   DUMP_IRQ          state dump: name of an interrupt line
 *   DUMP_CPU          state dump: a possible CPU
 *   SUSPEND           suspend_resume: a part of it begins or ends; t0 = which one
 *   CPU_IDLE          cpu_idle: a CPU is about to enter an idle state, or has left it
 *   HOTPLUG_ENTER     cpuhp_enter, cpuhp_multi_enter: a step of a CPU that goes off-line or comes on-line
 */
#define MDL_EVENTS(E)                             \
	E(NONE, NULL)                             \
	E(GAP_BEGIN, gap_event)                   \
	E(FIRST, mdl_sched_first)                 \
	E(RUNS, mdl_sched_runs)                   \
	E(HOLE, hole_event)                       \
	E(GAP_END, gap_event)                     \
	E(SCHED_SWITCH, mdl_sched_switch)         \
	E(SCHED_WAKING, mdl_sched_waking)         \
	E(SCHED_WAKEUP, mdl_sched_wakeup)         \
	E(SCHED_WAKEUP_NEW, mdl_sched_wakeup_new) \
	E(SCHED_MIGRATE, mdl_sched_migrate)       \
	E(SCHED_RENAME, rename_event)             \
	E(CGROUP, mdl_cgroup_event)               \
	E(PI_SETPRIO, pi_event)                   \
	E(FORK, fork_event)                       \
	E(EXEC, exec_event)                       \
	E(EXIT, exit_event)                       \
	E(FREE, mdl_thread_freed)                 \
	E(SYSCALL_ENTRY, syscall_event)           \
	E(SYSCALL_EXIT, syscall_event)            \
	E(IRQ_ENTRY, irq_event)                   \
	E(IRQ_EXIT, irq_event)                    \
	E(SOFTIRQ_ENTRY, softirq_event)           \
	E(SOFTIRQ_EXIT, softirq_event)            \
	E(HRTIMER_ENTRY, mdl_timer_hrtimer)       \
	E(HRTIMER_EXIT, hrtimer_exit_event)       \
	E(VECTOR_ENTRY, vector_event)             \
	E(VECTOR_EXIT, vector_event)              \
	E(IPI_ENTRY, ipi_event)                   \
	E(IPI_EXIT, ipi_event)                    \
	E(SOFTIRQ_RAISE, raise_event)             \
	E(IPI_SEND, mdl_sender_note)              \
	E(CSD_QUEUE, mdl_sender_queue)            \
	E(CSD_ENTRY, mdl_sender_call)             \
	E(CSD_EXIT, mdl_sender_called)            \
	E(BIO_QUEUE, mdl_block_event)             \
	E(BIO_MERGE, mdl_block_event)             \
	E(BIO_MERGE_FRONT, mdl_block_event)       \
	E(BIO_REMAP, mdl_block_event)             \
	E(RQ_GET, mdl_block_event)                \
	E(RQ_INSERT, mdl_block_event)             \
	E(RQ_ISSUE, mdl_block_event)              \
	E(RQ_REQUEUE, mdl_block_event)            \
	E(RQ_MERGE, mdl_block_event)              \
	E(RQ_COMPLETE, mdl_block_event)           \
	E(HRTIMER_START, mdl_timer_start)         \
	E(TIMER_START, mdl_timer_start)           \
	E(TIMER_CANCEL, mdl_timer_cancel)         \
	E(TIMER_ENTRY, mdl_timer_wheel)           \
	E(TIMER_EXIT, mdl_timer_wheel)            \
	E(WORK_QUEUE, mdl_work_queue)             \
	E(WORK_START, work_execute_event)         \
	E(WORK_END, work_execute_event)           \
	E(SIGNAL, mdl_signal_generate)            \
	E(NET_QUEUE, mdl_net_queue)               \
	E(NET_RECEIVE, mdl_net_receive)           \
	E(NAPI_POLL, napi_event)                  \
	E(VCPU_ENTRY, mdl_vcpu_entry)             \
	E(VCPU_EXIT, mdl_vcpu_exit)               \
	E(VCPU_TSC, mdl_vcpu_tsc)                 \
	E(VIRQ_BY, mdl_virq_by)                   \
	E(VIRQ_POST, mdl_virq_post)               \
	E(VIRQ_DIRECT, mdl_virq_direct)           \
	E(VIRQ_INJECT, mdl_virq_inject)           \
	E(VIRQ_END, mdl_virq_end)                 \
	E(KVM, NULL)                              \
	E(COUNTS, NULL)                           \
	E(DUMP_BLOCK, mdl_disk_dumped)            \
	E(DUMP_PROCESS, mdl_thread_dumped)        \
	E(DUMP_IRQ, mdl_line_dumped)              \
	E(DUMP_END, NULL)                         \
	E(DUMP_CPU, NULL)                         \
	E(SUSPEND, mdl_power_suspend)             \
	E(HOTPLUG_ENTER, mdl_power_hotplug)       \
	E(HOTPLUG_EXIT, mdl_power_hotplug)        \
	E(CPU_IDLE, mdl_power_idle)

enum mdl_kind {
#define MDL_EVENT_KIND(kind, function) MDL_EV_##kind,
	MDL_EVENTS(MDL_EVENT_KIND)
#undef MDL_EVENT_KIND
		MDL_EV_N
};

/* The place of each argument.  A field that the trace does not have is MDL_ARG_ABSENT, a missing text is
 * NULL. */
/*
 * Texts: previous name, next name. PERF_PID: perf gives the process of the sampled thread, here of the thread
 * that leaves. SINCE comes from the reader, in the first switch of a stream: the time from which all its
 * events are known unless some were lost in between; absent otherwise. UNTIL, with MDL_TOLD_OFFLINE: when the
 * CPU is back.
 */
enum {
	MDL_SWITCH_PREV_TID,
	MDL_SWITCH_PREV_STATE,
	MDL_SWITCH_NEXT_TID,
	MDL_SWITCH_PREV_PRIO,
	MDL_SWITCH_NEXT_PRIO,
	MDL_SWITCH_PREV_PID,
	MDL_SWITCH_PERF_PID,
	MDL_SWITCH_SINCE,
	MDL_SWITCH_UNTIL = MDL_SWITCH_SINCE
};
/* Text: name.  WAYS, in an event without a tid: prev_state is written in one of these ways
 * (MDL_PREV_WAY_). */
enum { MDL_FIRST_TID, MDL_FIRST_WAYS };
/* TID: the running thread, from an event of this CPU. SURE: it runs now; 0: it ran shortly before, and the
 * running thread is unknown from now on. */
enum { MDL_RUNS_TID, MDL_RUNS_SURE };
/* Text: name. CURRENT: the thread on the CPU, from ftrace and perf. SUCCESS: of old kernels, 0 if no thread
 * was woken (mdl_event_wakes()). */
enum { MDL_WAKE_TID, MDL_WAKE_TARGET_CPU, MDL_WAKE_CURRENT, MDL_WAKE_SUCCESS };
enum { MDL_MIGRATE_TID, MDL_MIGRATE_DEST_CPU };
/* Text: path.  ROOT: the number of its hierarchy, 0 that of cgroup v2. */
enum { MDL_CGROUP_TID, MDL_CGROUP_ROOT };
enum { MDL_PI_TID, MDL_PI_OLD, MDL_PI_NEW, MDL_PI_PID };
/* Texts: parent name, child name. */
enum { MDL_FORK_PARENT_TID, MDL_FORK_PARENT_PID, MDL_FORK_CHILD_TID, MDL_FORK_CHILD_PID };
/* Text: file name. */
enum { MDL_EXEC_TID, MDL_EXEC_OLD_TID };
/* Text: name. */
enum { MDL_EXIT_TID };
/* SYSCALL_ENTRY */
enum { MDL_FUTEX_UADDR, MDL_FUTEX_OP, MDL_FUTEX_UADDR2, MDL_CALL_NR, MDL_CALL_RAW, MDL_CALL_WIDTH };
/* WIDTH, of an event with a number alone (RAW): whether all arguments have 32 bits, or the kernel's longs
 * do. */
enum { MDL_WIDTH_NARROW, MDL_WIDTH_WIDE, MDL_WIDTH_KERNEL };
/* RET: of an exit, enum irqreturn.  Text, of an entry: name. */
enum { MDL_IRQ_NR, MDL_IRQ_RET };
enum { MDL_SOFTIRQ_VEC };
/* HRTIMER_ENTRY */
enum { MDL_HRTIMER_FUNCTION, MDL_HRTIMER_TIMER, MDL_HRTIMER_NOW };
/* MASK: 1 << CPU, if no CPU is above 62.  CALLER: address in the kernel.  Text: reason. */
enum { MDL_IPI_SEND_CPU, MDL_IPI_SEND_MASK, MDL_IPI_SEND_CALLER };
enum { MDL_CSD_CSD, MDL_CSD_CPU };
/* Bio and request events.  Text: rwbs, if the trace has it as text. */
enum { MDL_BLOCK_DEV, MDL_BLOCK_SECTOR, MDL_BLOCK_SECTORS, MDL_BLOCK_RWBS, MDL_BLOCK_BYTES };
/* BIO_REMAP, in addition to those of a bio. */
enum { MDL_REMAP_OLD_DEV = 4, MDL_REMAP_OLD_SECTOR };
/* HRTIMER_START and TIMER_* */
enum {
	MDL_TIMER_TIMER,
	MDL_TIMER_FUNCTION,
	MDL_TIMER_EXPIRES,
	MDL_TIMER_BUCKET,
	MDL_TIMER_NOW,
	MDL_TIMER_FLAGS
};
/* HRTIMER_START */
enum { MDL_TIMER_SOFT = MDL_TIMER_BUCKET };
enum { MDL_WORK_WORK, MDL_WORK_FUNCTION, MDL_WORK_CPU };
enum { MDL_SIGNAL_NR, MDL_SIGNAL_TID, MDL_SIGNAL_RESULT, MDL_SIGNAL_CODE, MDL_SIGNAL_GROUP };
/* Text: interface.  The event also has a packet. */
enum { MDL_NET_SKB, MDL_NET_LENGTH };
/* VCPU_EXIT; ID also in VCPU_ENTRY.  CLASS: of the exception, on ARM. */
enum { MDL_VCPU_REASON, MDL_VCPU_ISA, MDL_VCPU_CLASS, MDL_VCPU_ID };
enum { MDL_TSC_BEFORE, MDL_TSC_NOW };
/* In VIRQ_BY the low bits of VECTOR are the vector.  MODE: delivery mode.  LEVEL: of a line, and on ARM: 0 if
 * it is lowered.  AGAIN, of VIRQ_INJECT: 1 if the guest did not take the interrupt the last time. */
enum { MDL_VIRQ_VECTOR, MDL_VIRQ_APIC, MDL_VIRQ_MODE, MDL_VIRQ_LEVEL, MDL_VIRQ_AGAIN = MDL_VIRQ_LEVEL };
/* Text: disk name. */
enum { MDL_DUMP_BLOCK_DEV };
enum { MDL_VECTOR_NR };
/* Text: name. */
enum { MDL_DUMP_TID, MDL_DUMP_PID, MDL_DUMP_PPID, MDL_DUMP_STATUS, MDL_DUMP_TYPE, MDL_DUMP_CPU };
/* Texts: chip, action name. */
enum { MDL_DUMP_IRQ_NR };
/* START: 0 at its end.  VAL: of CPU_OFF and CPU_ON, the CPU. */
enum { MDL_SUSPEND_START, MDL_SUSPEND_VAL };
/* TARGET: the step that the CPU is to reach.  RET, at the exit: 0 if the step succeeded. */
/* STATE: number of the idle state; PWR_EVENT_EXIT: the CPU leaves it. */
enum { MDL_CPU_IDLE_STATE, MDL_CPU_IDLE_CPU };
enum { MDL_HOTPLUG_CPU, MDL_HOTPLUG_STEP, MDL_HOTPLUG_TARGET, MDL_HOTPLUG_FUNCTION, MDL_HOTPLUG_RET };
/* FAMILY: 0 of a CPU that never came up. */
enum { MDL_DUMP_CPU_NR, MDL_DUMP_CPU_FAMILY };
enum { MDL_GAP_LAST_EVENT };
enum { MDL_HOLE_SINCE };

#define MDL_ARGS 8
#define MDL_TEXTS 2
/* Bytes of a thread's name with the zero at its end: TASK_COMM_LEN of the kernel. */
#define MDL_COMM 16
#define MDL_ARG_ABSENT INT64_MIN

/*
 * Statements of the tracer itself. WITHIN: it says what the CPU was in when the event was written: IRQ: a
 * hard interrupt; SOFTIRQ: it served a softirq (before Linux 4.10 also: softirqs were off). STATE: prev_state
 * is in MDL_PREV_. OFFLINE: the reader's own switch to the idle thread of a CPU that goes off-line.
 */
enum {
	MDL_TOLD_WITHIN = 1,
	MDL_TOLD_IRQ = 2,
	MDL_TOLD_SOFTIRQ = 4,
	MDL_TOLD_STATE = 8,
	MDL_TOLD_OFFLINE = 16
};

/* States of a thread that leaves its CPU, as kernels since 4.14 write them.  KILLABLE (with UNINTERRUPTIBLE)
 * is from earlier kernels, UNKNOWN from none. */
enum {
	MDL_PREV_INTERRUPTIBLE = 0x1,
	MDL_PREV_UNINTERRUPTIBLE = 0x2,
	MDL_PREV_STOPPED = 0x4,
	MDL_PREV_TRACED = 0x8,
	MDL_PREV_DEAD = 0x10,
	MDL_PREV_ZOMBIE = 0x20,
	MDL_PREV_PARKED = 0x40,
	MDL_PREV_IDLE = 0x80,
	MDL_PREV_PREEMPTED = 0x100,
	MDL_PREV_FROZEN = 0x8000,
	MDL_PREV_KILLABLE = 0x10000,
	MDL_PREV_UNKNOWN = 0x20000
};

struct mdl_event {
	/* ns since the Epoch, by the clock of the trace's host; never steps back in one trace */
	int64_t time;
	/* 1, 2, …: place among all events of the trace, in time order; 0 for gaps and ASIDE events */
	uint64_t rank;
	uint32_t cpu;
	uint32_t kind;     /* enum mdl_kind */
	const char *label; /* interned (g_intern_string) or NULL; equal for all events of a class */
	int64_t arg[MDL_ARGS];
	const struct mdl_packet *packet; /* MDL_EV_NET_*: its headers, or NULL; owned like TEXT */
	const struct mdl_counts *counts; /* counters that were read with it; NULL: none; owned like TEXT */
	/* As in the trace, hostile.  Owned by the reader, valid until its next call. */
	const char *text[MDL_TEXTS];
	uint8_t told; /* MDL_TOLD_… */
	bool aside;   /* not an event of the trace, but another statement of it; its rank is 0 */
	bool padded;  /* each text has at least MDL_COMM bytes; shorter ones end with zeros */
};

/* Argument I of E as an address; 0 if the trace does not have it. */
static inline uint64_t mdl_event_address(const struct mdl_event *e, unsigned i)
{
	return e->arg[i] == MDL_ARG_ABSENT ? 0 : (uint64_t)e->arg[i];
}

/*
 * True if the thread of E, an event of a system call, is in user mode after it. sigreturn restores the
 * registers from before the signal, which have no number of a call (restore_sigcontext(),
 * arch/x86/kernel/signal.c; forget_syscall(), arch/arm64/kernel/signal.c). So its exit is never recorded
 * (syscall_get_nr() < 0: LTTng, and "syscalls:" of ftrace and perf), and its entry counts as the exit. LTTng
 * has only its number: 15 of x86-64, 139 of asm-generic/unistd.h, 119 and 173 of 32-bit x86 and arm. If one
 * of these numbers is another call, that call has a name.
 */
static inline bool mdl_event_returns(const struct mdl_event *e)
{
	int64_t nr = e->arg[MDL_CALL_NR];

	return e->kind == MDL_EV_SYSCALL_EXIT || nr == 15 || nr == 139 || nr == 119 || nr == 173;
}

/*
 * False if E, a wake-up, woke no thread, because the thread was on a run queue (try_to_wake_up(),
 * kernel/sched.c, Linux 2.6.27 to 2.6.38; proofs.md R13.3).
 */
static inline bool mdl_event_wakes(const struct mdl_event *e)
{
	return e->arg[MDL_WAKE_SUCCESS] != 0;
}

/* True if E, a switch, is to the stopper of its CPU ("migration/3"), by the name of that thread. */
static inline bool mdl_event_is_to_stopper(const struct mdl_event *e)
{
	static const char prefix[] = "migration/";
	const char *name = e->text[1], *number;
	char *end;

	if (!name || *name != *prefix || !g_str_has_prefix(name, prefix)) /* each switch comes here */
		return false;
	number = name + strlen(prefix);
	return g_ascii_isdigit(*number) && g_ascii_strtoull(number, &end, 10) == e->cpu && *end == '\0';
}

/* Set all arguments of E to MDL_ARG_ABSENT. */
static inline void mdl_event_no_args(struct mdl_event *e)
{
	for (unsigned i = 0; i < MDL_ARGS; i++)
		e->arg[i] = MDL_ARG_ABSENT;
}

/* Make E an event of KIND with LABEL (may be NULL; static) and nothing else. Time, CPU and TOLD stay. */
static inline void mdl_event_begin(struct mdl_event *e, enum mdl_kind kind, const char *label)
{
	e->kind = kind;
	e->label = label;
	e->packet = NULL;
	mdl_event_no_args(e);
	for (unsigned i = 0; i < MDL_TEXTS; i++)
		e->text[i] = NULL;
}

#endif
