/* SPDX-License-Identifier: MIT */
/* What the model says about a trace: rows, states, contexts, wake-ups.  Plain values, shared by all layers above. */
#ifndef MDL_TYPES_H
#define MDL_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#define MDL_NONE UINT32_MAX		/* no row, no context, no CPU */
#define MDL_NEVER INT64_MIN		/* no such time (same value as BASE_TIME_NONE) */

/* What a row of the state history is about. */
enum mdl_row_type { MDL_ROW_THREAD, MDL_ROW_CPU, MDL_ROW_IRQ, MDL_ROW_SOFTIRQ, MDL_ROW_TYPES };

/* States of all rows; the names are those of cli.md.  At most 16: a state is stored in four bits. */
enum mdl_state {
	MDL_ST_UNKNOWN,
	MDL_ST_USERMODE,
	MDL_ST_SYSCALL,		/* detail: string id of the call's name */
	MDL_ST_RUNNING,		/* thread: running where user and system mode cannot be told; CPU: a thread other than idle; line: in the handler */
	MDL_ST_INTERRUPTED,	/* detail: context id of the innermost context */
	MDL_ST_WAIT_CPU,
	MDL_ST_PREEMPTED,
	MDL_ST_BLOCKED,		/* detail: enum mdl_block */
	MDL_ST_NEW,
	MDL_ST_EXITED,
	MDL_ST_VCPU_PREEMPTED,
	MDL_ST_VCPU_EXIT,
	MDL_ST_IDLE,		/* CPU and interrupt rows only */
	MDL_ST_N
};

/* How a thread was blocked, from prev_state. */
enum mdl_block {
	MDL_BLOCK_UNKNOWN, MDL_BLOCK_INTERRUPTIBLE, MDL_BLOCK_UNINTERRUPTIBLE, MDL_BLOCK_KILLABLE,
	MDL_BLOCK_STOPPED, MDL_BLOCK_TRACED, MDL_BLOCK_PARKED, MDL_BLOCK_IDLE, MDL_BLOCK_FROZEN, MDL_BLOCK_N
};

/* One interval of a row.  Neighbours differ in state, detail or aux; an interval is never empty. */
struct mdl_interval {
	int64_t from, to;	/* [from, to) in ns */
	uint8_t state;		/* enum mdl_state */
	uint32_t detail;	/* by state, see there; 0 where a state has none; MDL_NONE unknown */
	uint32_t aux;		/* thread: CPU it is or was last on; CPU row: row of the thread on it, also below an interrupt; line: CPU; MDL_NONE unknown */
};

/* A kind of interrupt context. */
enum mdl_ctx_type { MDL_CTX_IRQ, MDL_CTX_SOFTIRQ, MDL_CTX_HRTIMER, MDL_CTX_IPI, MDL_CTX_VECTOR, MDL_CTX_TYPES };

/* One interrupt context as a thing with a name: each different one once per index, known by its id. */
struct mdl_context {
	uint8_t type;		/* enum mdl_ctx_type */
	int64_t nr;		/* IRQ number, softirq vector, hrtimer function address, vector number; -1 unknown */
	uint32_t name;		/* string id: "virtio2-req.0", "BLOCK", "local_timer"; 0 none */
};

#define MDL_CTX_MAX 8		/* deeper nesting than any kernel has */

/* Through which event a wait ended. */
enum mdl_via {
	MDL_VIA_NONE,		/* none seen: the thread simply ran again */
	MDL_VIA_WAKING,		/* sched_waking */
	MDL_VIA_WAKEUP,		/* sched_wakeup */
	MDL_VIA_NEW,		/* sched_wakeup_new: a fork */
	MDL_VIA_N
};

/* The end of one wait of a thread. */
struct mdl_wakeup {
	int64_t time;		/* when the wait ended: the time of the event */
	int64_t since;		/* when the wait began (for a fork: the fork); MDL_NEVER unknown */
	int64_t ran_at;		/* when the thread ran next; MDL_NEVER: not before the trace ends or its state was lost */
	uint64_t rank;		/* the event's place in the trace (struct mdl_event.rank); 0 = none */
	uint32_t waker;		/* row of the thread that was on the CPU of the event; MDL_NONE unknown.  With contexts: not the cause */
	uint32_t cpu;		/* CPU of the event; MDL_NONE unknown */
	uint32_t target_cpu;	/* CPU the thread was put on; MDL_NONE unknown */
	uint8_t via;		/* enum mdl_via */
	uint8_t n_contexts;
	struct {
		uint32_t context;	/* context id */
		int64_t entry;		/* ns */
	} contexts[MDL_CTX_MAX];	/* outermost first */
};

/* One row: a thread in one life, a CPU, an interrupt line, a softirq of a CPU. */
struct mdl_row {
	uint8_t type;		/* enum mdl_row_type */
	int64_t nr;		/* TID, CPU, IRQ number, softirq vector */
	uint32_t cpu;		/* idle thread and softirq: its CPU; else MDL_NONE */
	int64_t pid;		/* thread: process; -1 unknown */
	int64_t ppid;		/* thread: parent process' TID at the fork or state dump; -1 unknown */
	uint32_t parent;	/* row of the thread that forked it in this trace; MDL_NONE */
	uint32_t name;		/* string id of the last name; 0 none */
	int64_t first, last;	/* life within the trace: [first, last) */
	bool born;		/* its fork was seen at FIRST */
	bool died;		/* its end was seen at LAST */
};

/* The name of STATE as in cli.md ("wait-cpu"), static. */
const char *mdl_state_name(enum mdl_state state);
/* The name of BLOCK ("interruptible"), static; NULL for unknown. */
const char *mdl_block_name(enum mdl_block block);
/* "irq", "softirq", "hrtimer", "ipi", "vector", static. */
const char *mdl_ctx_type_name(enum mdl_ctx_type type);

#endif
