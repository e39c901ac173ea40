/* SPDX-License-Identifier: MIT */
/* The vocabulary of the model: rows, states, contexts, wake-ups.  Plain values, shared by all layers
 * above. */
#ifndef MDL_TYPES_H
#define MDL_TYPES_H

#include "model/event/doubt.h"

#include <stdbool.h>
#include <stdint.h>

#define MDL_NONE UINT32_MAX /* no row, no context, no CPU */
#define MDL_NEVER INT64_MIN /* no time (equals BASE_TIME_NONE) */

/* Type of a row of the state history. */
enum mdl_row_type {
	MDL_ROW_THREAD,
	MDL_ROW_CPU,
	MDL_ROW_IRQ,
	MDL_ROW_SOFTIRQ,
	MDL_ROW_VCPU,
	MDL_ROW_DEVICE,
	MDL_ROW_TYPES
};

/* States of all rows; cli.md has their names.  At most 16: a state is stored in four bits. */
enum mdl_state {
	MDL_ST_UNKNOWN,
	/* a CPU has the state of the thread that runs on it, and MDL_ST_IDLE for the idle thread */
	MDL_ST_USERMODE,
	MDL_ST_SYSCALL, /* detail: string id of the call's name */
	/* Thread, CPU: running, user or system mode unknown.  Line: in the handler.  Virtual CPU: inside its
	 * guest. */
	MDL_ST_RUNNING,
	MDL_ST_INTERRUPTED, /* detail: context id of the innermost context */
	MDL_ST_WAIT_CPU,
	MDL_ST_PREEMPTED,
	MDL_ST_BLOCKED, /* detail: enum mdl_block */
	MDL_ST_NEW,
	MDL_ST_EXITED,
	MDL_ST_VCPU_PREEMPTED,
	MDL_ST_VCPU_EXIT, /* detail: mdl_exit_make(), why the virtual CPU left its guest; 0: unknown */
	MDL_ST_IDLE,      /* CPU, virtual CPU (halted), interrupt and device rows only */
	MDL_ST_QUEUED,    /* device: requests wait for it, and it has none; detail: mdl_depth_make() */
	MDL_ST_IN_FLIGHT, /* device: it has requests; detail: mdl_depth_make() */
	MDL_ST_STORED,    /* the number of states above: those that a model finds and an index stores */
	/* The thread has a CPU, in a state that the user declared to be a wait; src/query finds it. */
	MDL_ST_WAITING = MDL_ST_STORED,
	MDL_ST_N
};

/* True if a thread in STATE has a CPU and is not interrupted. In a declared wait it may be interrupted. */
static inline bool mdl_state_runs(unsigned state)
{
	return state == MDL_ST_USERMODE || state == MDL_ST_SYSCALL || state == MDL_ST_RUNNING ||
		state == MDL_ST_WAITING;
}

/* True if a thread in STATE has a CPU. */
static inline bool mdl_state_has_cpu(unsigned state)
{
	return mdl_state_runs(state) || state == MDL_ST_INTERRUPTED;
}

/* Number of requests that a device has, and number that wait for it: at most MDL_BLOCK_MAX in total. */
#define MDL_DEPTH_BITS 13
static inline uint32_t mdl_depth_make(uint32_t in_flight, uint32_t queued)
{
	return in_flight | queued << MDL_DEPTH_BITS;
}
static inline uint32_t mdl_depth_in_flight(uint32_t depth)
{
	return depth & ((1u << MDL_DEPTH_BITS) - 1);
}
static inline uint32_t mdl_depth_queued(uint32_t depth)
{
	return depth >> MDL_DEPTH_BITS;
}

/* How a thread was blocked, from prev_state. */
enum mdl_block {
	MDL_BLOCK_UNKNOWN,
	MDL_BLOCK_INTERRUPTIBLE,
	MDL_BLOCK_UNINTERRUPTIBLE,
	MDL_BLOCK_KILLABLE,
	MDL_BLOCK_STOPPED,
	MDL_BLOCK_TRACED,
	MDL_BLOCK_PARKED,
	MDL_BLOCK_IDLE,
	MDL_BLOCK_FROZEN,
	MDL_BLOCK_N
};

/* Why a CPU is idle. MDL_IDLE_STATE + NR: its hardware is in idle state NR of the kernel. */
#define MDL_IDLE_STATES 16 /* CPUIDLE_STATE_MAX is 10 (include/linux/cpuidle.h) */
enum mdl_idle {
	MDL_IDLE_ONLINE,
	MDL_IDLE_OFFLINE,
	MDL_IDLE_STATE,
	MDL_IDLE_N = MDL_IDLE_STATE + MDL_IDLE_STATES
};

/* One interval of a row.  Neighbours differ in state, detail or aux; an interval is never empty. */
struct mdl_interval {
	int64_t from, to; /* [from, to) in ns */
	uint8_t state;    /* enum mdl_state */
	uint32_t detail;  /* depends on STATE, see there; 0 if the state has none; MDL_NONE: unknown */
	/* Thread: the CPU that it is or was last on.  CPU row: row of the thread on it, also while
	 * interrupted.  Line: CPU.  MDL_NONE: unknown. */
	uint32_t aux;
};

/* Type of an interrupt context. */
enum mdl_ctx_type {
	MDL_CTX_IRQ,
	MDL_CTX_SOFTIRQ,
	MDL_CTX_HRTIMER,
	MDL_CTX_IPI,
	MDL_CTX_VECTOR,
	MDL_CTX_TYPES
};

/* Name of a context whose entry was not recorded.  It counts as entered at the first event in it. */
#define MDL_CTX_UNRECORDED "(not recorded)"

/* One interrupt context as a named object.  Each index has it once, with an id. */
struct mdl_context {
	uint8_t type;  /* enum mdl_ctx_type */
	int64_t nr;    /* IRQ number, softirq vector, hrtimer function address, vector number; -1: unknown */
	uint32_t name; /* string id: "virtio2-req.0", "BLOCK", "local_timer"; 0: none */
};

#define MDL_SOFTIRQS 10 /* NR_SOFTIRQS of the kernel */

#define MDL_CTX_MAX 7 /* deeper nesting than any kernel has */

/* Priorities are the kernel's (include/linux/sched/prio.h): -1 SCHED_DEADLINE, 0 … 99 real time (99 minus
 * sched_priority), 100 … 139 fair (120 plus nice).  The lower number runs first. */
#define MDL_PRIORITY_NONE INT16_MIN
#define MDL_PRIORITY_DEADLINE (-1)
#define MDL_PRIORITY_FAIR 100 /* MAX_RT_PRIO */
#define MDL_PRIORITY_END 140  /* MAX_PRIO */

/* The event that ended a wait. */
enum mdl_via {
	MDL_VIA_NONE,   /* none seen: the thread simply ran again */
	MDL_VIA_WAKING, /* sched_waking */
	MDL_VIA_WAKEUP, /* sched_wakeup */
	MDL_VIA_NEW,    /* sched_wakeup_new: a fork */
	MDL_VIA_N
};

/* The end of one wait of a thread. */
struct mdl_wakeup {
	int64_t time;  /* ns: when the wait ended */
	int64_t since; /* ns: when the wait began (for a fork: the fork); MDL_NEVER: unknown */
	/* ns: when the thread ran next; MDL_NEVER: not before the trace ends or its state was lost. */
	int64_t ran_at;
	uint64_t rank; /* the event's place in the trace (struct mdl_event.rank); 0: none */
	/* ns: when the event was recorded, before TIME if the thread was still leaving its CPU; MDL_NEVER: it
	 * was not recorded */
	int64_t event_time;
	/* The CPU on which it was recorded; differs from CPU if the wake-up came from elsewhere.  MDL_NONE:
	 * unknown. */
	uint32_t event_cpu;
	/* Row of the thread on CPU; MDL_NONE: unknown.  It is not the cause if there are contexts. */
	uint32_t waker;
	uint32_t cpu;        /* the CPU that sent the wake-up; MDL_NONE: unknown */
	uint32_t target_cpu; /* the CPU on which the thread was put; MDL_NONE: unknown */
	/* Number of its struct mdl_cause in this index, from 1 on; 0: nothing is known beyond this struct. */
	uint32_t cause;
	uint8_t via; /* enum mdl_via */
	uint8_t n_contexts;
	struct {
		uint32_t context; /* context id */
		int64_t entry;    /* ns */
	} contexts[MDL_CTX_MAX];  /* outermost first */
};

/* True if the wait that W ended began within the same nanosecond.  No state covers it. */
static inline bool mdl_wakeup_is_empty(const struct mdl_wakeup *w)
{
	return w->since == w->time && w->via != MDL_VIA_NONE && w->via != MDL_VIA_NEW;
}

/* True if an event shows when the wait of W ended. If not, W->time is the time at which the thread ran. */
static inline bool mdl_wakeup_is_timed(const struct mdl_wakeup *w)
{
	return w->via != MDL_VIA_NONE && w->event_time != MDL_NEVER;
}

/* An act on a CPU at an instant, by the innermost interrupt context, otherwise by the thread. */
struct mdl_act {
	int64_t time; /* ns: time of the act; MDL_NEVER: there was none, and the other members mean nothing */
	int64_t entry; /* ns: entry of the context; MDL_NEVER for a thread */
	uint32_t cpu;
	uint32_t context; /* context id; MDL_NONE: no context was open, the thread acted */
	/* Row of the thread on the CPU.  It is not the actor if there is a context.  MDL_NONE: unknown. */
	uint32_t thread;
};

/* One step from the origin to a wake-up: what ACT.context (or the thread) did at ACT.time to start the next
 * step.  It raised the softirq or sent the IPI; the last step is the wake-up itself. */
struct mdl_hop {
	struct mdl_act act;
	/* That this step started the next one; in the last step: that it sent the wake-up. */
	mdl_doubts doubts;
};

/* A longer chain loses rounds of a softirq that raised itself again and again, otherwise its oldest steps. */
#define MDL_HOPS_MAX 6

struct mdl_chain {
	unsigned n;
	struct mdl_hop hops[MDL_HOPS_MAX]; /* the origin first */
};

/* A packet according to its headers. */
struct mdl_packet {
	uint64_t skb;    /* address of the kernel's buffer; 0: unknown */
	uint32_t length; /* bytes, as in the event */
	/* 4 or 6; 0: no IP header was recorded. Then the following is unknown, unless
	 * mdl_packet_is_numbers(). */
	uint8_t version;
	uint8_t protocol;                    /* IPPROTO_…; 0: unknown */
	uint8_t source[16], destination[16]; /* IPv4: the first four bytes */
	bool has_ports;                      /* TCP, UDP */
	uint16_t source_port, destination_port;
	uint32_t payload; /* bytes of TCP or UDP data, from the lengths in the headers; MDL_NONE: unknown */
	uint32_t sequence, acknowledgement; /* TCP */
	uint16_t flags;                     /* TCP: bits 0-8 FIN SYN RST PSH ACK URG ECE CWR NS */
	uint16_t id;                        /* IPv4 identification */
	uint16_t checksum;                  /* TCP, UDP */
};

/* True if A and B have the same headers; they are then one packet if they are the same buffer.  Fields that
 * were not recorded are equal. */
bool mdl_packet_same(const struct mdl_packet *a, const struct mdl_packet *b);

/* True if only TCP's numbers (sequence to checksum) of P are known.  The events inet_sock_local_in and
 * inet_sock_local_out have no more (addons to LTTng 2.0 and later). */
static inline bool mdl_packet_is_numbers(const struct mdl_packet *p)
{
	return p->version == 0 && p->protocol == 6;
}

/* A packet that this host gave to a network interface, or got from one. */
struct mdl_transfer {
	struct mdl_packet packet;
	/* The act: of a thread, or of the context that received, forwarded or acknowledged the packet. */
	struct mdl_act by;
	uint32_t device; /* string id of the interface's name; 0: unknown */
	bool received;   /* false: sent */
};

/* A thread kept its CPU busy until other CPUs had taken an IPI from it (cause/ipiwait.c). */
struct mdl_ipi_wait {
	int64_t from, to;  /* ns: when the IPI was sent; when the last CPU left it */
	int64_t entry;     /* ns: the last CPU entered it */
	uint64_t cpus;     /* 1 << CPU: where it was sent, LAST included */
	uint64_t caller;   /* address in the kernel's function that sent it; 0: unknown */
	uint32_t row;      /* the thread */
	uint32_t cpu;      /* the CPU of the thread */
	uint32_t last;     /* the CPU that took the IPI last */
	mdl_doubts doubts; /* that it waited until TO; without those of CALLER */
};

#define MDL_COUNTERS 15 /* of a trace; events list the values of more */

/* The values of counters at an event. */
struct mdl_counts {
	const char *const *names; /* interned, of each counter; weak */
	uint64_t value[MDL_COUNTERS];
	/* ns since they were enabled in which they did not count, because others used the hardware */
	uint64_t paused;
	uint64_t series; /* values of one series grow; only if OF_THREAD */
	int64_t tid;     /* the thread that they count; only if OF_THREAD */
	uint16_t has;    /* 1 << number of each counter that has a value */
	uint16_t more;   /* number of values without room */
	bool of_thread;  /* they count one thread; if false, all of their CPU */
	bool leaves;     /* they were read as the thread left its CPU */
};

/* Counts of the time in which a thread had a CPU. */
struct mdl_counted {
	int64_t from,
		to; /* ns, not empty; within one interval of the thread, unless the counters are its own */
	uint64_t value[MDL_COUNTERS];
	uint32_t cpu;
	uint16_t has; /* 1 << number of each counter that has a value */
};

/* A block device and its name. */
struct mdl_device {
	uint32_t dev;  /* as in struct mdl_request */
	uint32_t name; /* string id */
};

/* One row: a thread in one life, a CPU, an interrupt line, a softirq of a CPU, a virtual CPU, a block
 * device. */
struct mdl_row {
	uint8_t type;        /* enum mdl_row_type */
	int64_t nr;          /* TID, CPU, IRQ number, softirq vector, number of the device */
	uint32_t cpu;        /* idle thread and softirq: its CPU; virtual CPU: vcpu_id; else MDL_NONE */
	int64_t pid;         /* thread: process; -1: unknown */
	int64_t ppid;        /* thread: TID of the parent process at the fork or state dump; -1: unknown */
	uint32_t parent;     /* row of the thread that forked it in this trace; MDL_NONE: none */
	uint32_t name;       /* string id of the last name; 0: none */
	uint32_t cgroup;     /* thread: string id of the path of its last control group; 0: unknown */
	int64_t first, last; /* ns: life within the trace, [first, last) */
	bool born;           /* its fork was seen at FIRST */
	bool died;           /* its end was seen at LAST */
	uint8_t final;       /* enum mdl_state to which the last event changed it; MDL_ST_STORED: to none */
};

/* The name of STATE as in cli.md ("wait-cpu"), static. */
const char *mdl_state_name(enum mdl_state state);
/* The name of BLOCK ("interruptible"), static; NULL for unknown. */
const char *mdl_block_name(enum mdl_block block);
/* "TIMER", "NET_RX", … of softirq VEC < MDL_SOFTIRQS, static. */
const char *mdl_softirq_name(unsigned vec);
/* The scheduling class of threads of PRIORITY: "deadline", "real-time", "fair", static; NULL for
 * MDL_PRIORITY_NONE. */
const char *mdl_class_name(int priority);
/* True if the class of a thread of priority A runs before that of priority B.  False if one is
 * MDL_PRIORITY_NONE. */
bool mdl_class_before(int a, int b);
/* "irq", "softirq", "hrtimer", "ipi", "vector", static. */
const char *mdl_ctx_type_name(enum mdl_ctx_type type);

#endif
