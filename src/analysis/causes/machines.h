/* SPDX-License-Identifier: MIT */
/* Virtual machines, as their host's recording tells of them: no software in the guest is needed. */
#ifndef ANA_MACHINES_H
#define ANA_MACHINES_H

#include "analysis/causes/causes.h"
#include "analysis/causes/halts.h"

struct base_progress;

/* Exits for one reason, or interrupts of one kind, that were handled, or began to be, in the window. */
struct ana_machine_part {
	uint32_t what; /* mdl_exit_make(), 0 unknown; context id, the first of those with one name */
	uint64_t count;
	int64_t time;     /* ns: of the host's work on them, without what the thread waited meanwhile */
	int64_t worst;    /* the longest of them … */
	int64_t worst_at; /* … and when it began */
};

/* A virtual CPU.  Times are ns within the window, and sum to its life in it: inside, HANDLED, INTERRUPTED,
 * HALTED, BLOCKED, PREEMPTED, UNKNOWN. */
struct ana_machine_vcpu {
	uint32_t row, thread;      /* its own row; that of the thread which does its work */
	uint32_t cpu;              /* row of the guest's CPU that it is; MDL_NONE unknown */
	int64_t inside;            /* the guest ran */
	int64_t handled;           /* the host handled its exits */
	int64_t interrupted;       /* the host handled its own interrupts upon the thread */
	int64_t halted;            /* the guest waited for an interrupt */
	int64_t blocked;           /* the thread slept for another reason */
	int64_t preempted;         /* the thread waited for a CPU */
	int64_t unknown;           /* events are missing */
	GArray *exits;             /* owned: of struct ana_machine_part, most time first; HANDLED by reason */
	GArray *interrupts;        /* owned: the same; INTERRUPTED by context */
	GArray *by;                /* owned: of struct ana_causes_entry: who had the CPU meanwhile */
	GArray *waits;             /* owned: the same: what ended its thread's sleep */
	GArray *halts;             /* owned: of struct ana_halt: HALTED by the interrupt that ended it */
	struct ana_causes *causes; /* owned: of it are these entries' texts */
};

/* What a thread or a CPU of a guest that was recorded, too, has and loses of its CPU time, ns in the window:
 * as its states have it (qry_state_at()). */
struct ana_machine_loss {
	uint32_t row;
	int64_t inside;    /* it has a CPU of the guest whose virtual CPU is inside, or not known not to be */
	int64_t preempted; /* it would have one, and the virtual CPU waits for a CPU */
	int64_t exit;      /* it would have one, and the host handles why the virtual CPU left */
	int64_t worst, worst_at; /* the longest time of PREEMPTED, and when it began; 0: none */
};

/* A process that runs virtual CPUs. */
struct ana_machine {
	uint32_t host, process; /* row of its main thread */
	uint32_t guest;         /* the host that is its guest, MDL_NONE unknown; and what that did: */
	uint64_t events_inside, events_outside; /* while its virtual CPUs were inside, and else */
	GArray *vcpus;                          /* owned: of struct ana_machine_vcpu, by TID */
	/* Of the guest, where it is known, else empty; owned: of struct ana_machine_loss, most lost first. */
	GArray *threads, *cpus;
	struct ana_machine_loss loss; /* of all its CPUs; its row says nothing */
};

/* ---- step by step: for those who show what there is so far ---- */

/* All virtual machines of Q that live in [FROM, TO) with their virtual CPUs, nothing counted yet: GArray of
 * struct ana_machine, the caller unrefs.  Costs a look at each row. */
GArray *ana_machines_list(struct qry *q, int64_t from, int64_t to);
/* A machine without virtual CPUs, and a virtual CPU of which nothing is known but its rows: clear them. */
struct ana_machine ana_machine_make(uint32_t host, uint32_t process, uint32_t guest);
void ana_machine_clear(struct ana_machine *machine);
struct ana_machine_vcpu ana_machine_vcpu_make(const struct qry *q, uint32_t row);
void ana_machine_vcpu_clear(struct ana_machine_vcpu *vcpu);
/* Count what VCPU, as made, did; what its guest lost, into MACHINE, which has none of that yet.  False when
 * PROGRESS was cancelled. */
bool ana_machine_vcpu_count(struct qry *q, struct ana_machine_vcpu *vcpu, int64_t from, int64_t to,
	struct base_progress *progress);
bool ana_machine_losses(struct qry *q, struct ana_machine *machine, int64_t from, int64_t to,
	struct base_progress *progress);

/* ---- at once ---- */

/*
 * All virtual machines of Q in [FROM, TO): GArray of struct ana_machine, the caller unrefs.  NULL when
 * PROGRESS was cancelled.  Costs a look at each exit and each wait of each virtual CPU, and at each row
 * of its guest.
 */
GArray *ana_machines_new(struct qry *q, int64_t from, int64_t to, struct base_progress *progress);

#endif
