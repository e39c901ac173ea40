/* SPDX-License-Identifier: MIT */
/* Virtual machines, as recorded by their host.  Needs no software in the guest. */
#ifndef ANA_MACHINES_H
#define ANA_MACHINES_H

#include "analysis/causes/causes.h"
#include "analysis/wait/source.h"

struct base_progress;

/* Exits with one reason, or interrupts of one kind, whose handling began or went on in the window. */
struct ana_machine_part {
	/* exits: mdl_exit_make(), 0 unknown; interrupts: context id, the first of those with this name */
	uint32_t what;
	uint64_t count;
	int64_t time;     /* ns of the host's work on them, without the waits of the thread meanwhile */
	int64_t worst;    /* ns of the longest */
	int64_t worst_at; /* begin of the longest */
};

/* A virtual CPU.  Times are ns within the window.  Its life in the window is the sum of INSIDE, HANDLED,
 * INTERRUPTED, HALTED, BLOCKED, PREEMPTED and UNKNOWN. */
struct ana_machine_vcpu {
	uint32_t row, thread;      /* its own row; row of the thread that runs it */
	uint32_t cpu;              /* row of the guest's CPU that it is; MDL_NONE unknown */
	int64_t inside;            /* the guest ran */
	int64_t handled;           /* the host handled its exits */
	int64_t interrupted;       /* the host handled its own interrupts on top of the thread */
	int64_t halted;            /* the guest waited for an interrupt */
	int64_t blocked;           /* the thread slept for another reason */
	int64_t preempted;         /* the thread waited for a CPU */
	int64_t unknown;           /* events are missing */
	GArray *exits;             /* owned: of struct ana_machine_part, most time first; HANDLED by reason */
	GArray *interrupts;        /* owned: likewise; INTERRUPTED by context */
	GArray *by;                /* owned: of struct ana_causes_entry: PREEMPTED by owner of the CPU */
	GArray *waits;             /* owned: likewise: what ended the sleep of its thread */
	GArray *halts;             /* owned: of struct ana_halt: HALTED by the interrupt that ended it */
	struct ana_causes *causes; /* owned: has the texts of BY and WAITS */
};

/* CPU time that a thread or CPU of a recorded guest has and loses, ns in the window, by its states
 * (qry_state_at()). */
struct ana_machine_loss {
	uint32_t row;
	/* on a CPU of the guest whose virtual CPU is inside the guest, or not known to be outside */
	int64_t inside;
	int64_t preempted;       /* on a CPU of the guest whose virtual CPU waits for a CPU */
	int64_t exit;            /* on a CPU of the guest while the host handles an exit of its virtual CPU */
	int64_t worst, worst_at; /* ns of the longest time of PREEMPTED, and its begin; 0: none */
};

/* A process that runs virtual CPUs. */
struct ana_machine {
	uint32_t host, process; /* row of its main thread */
	uint32_t guest;         /* number of the host that is its guest; MDL_NONE unknown */
	/* number of events of that guest: while its virtual CPUs were inside, and at other times */
	uint64_t events_inside, events_outside;
	GArray *vcpus; /* owned: of struct ana_machine_vcpu, by TID */
	/* Of the guest, if it is known, else empty; owned: of struct ana_machine_loss, most lost first. */
	GArray *threads, *cpus;
	struct ana_machine_loss loss; /* sum over all its CPUs; its row is unused */
};

/* ---- step by step, to show partial results ---- */

/* All virtual machines of Q that live in [FROM, TO), with their virtual CPUs, without counts (GArray of
 * struct ana_machine).  The caller unrefs.  Costs a look at each row. */
GArray *ana_machines_list(struct qry *q, int64_t from, int64_t to);
/* Make a machine without virtual CPUs; make a virtual CPU with only its rows. The caller clears both after
 * use. */
struct ana_machine ana_machine_make(uint32_t host, uint32_t process, uint32_t guest);
void ana_machine_clear(struct ana_machine *machine);
struct ana_machine_vcpu ana_machine_vcpu_make(const struct qry *q, uint32_t row);
void ana_machine_vcpu_clear(struct ana_machine_vcpu *vcpu);
/* Count the activity of VCPU, just made, in [FROM, TO). Count the losses of the guest of MACHINE, which has
 * none yet, in [FROM, TO). False if PROGRESS (may be NULL) was cancelled. */
bool ana_machine_vcpu_count(struct qry *q, struct ana_machine_vcpu *vcpu, int64_t from, int64_t to,
	struct base_progress *progress);
bool ana_machine_losses(struct qry *q, struct ana_machine *machine, int64_t from, int64_t to,
	struct base_progress *progress);

/* ---- at once ---- */

/* All virtual machines of Q in [FROM, TO), counted (GArray of struct ana_machine).  The caller unrefs.  NULL
 * if PROGRESS was cancelled.  Costs a look at each exit and wait of each virtual CPU, and at each row of its
 * guest. */
GArray *ana_machines_new(struct qry *q, int64_t from, int64_t to, struct base_progress *progress);

/* ---- the interrupts that ended the halts of a virtual CPU: its guest waited for them ---- */

#define ANA_HALT_NO_VECTOR MDL_NONE

/* All halts that one interrupt ended. */
struct ana_halt {
	uint32_t vector; /* ANA_HALT_NO_VECTOR: no interrupt was taken, or it is unknown */
	/* Its purpose, inferred from its poster: TIMER, BLOCK, NETWORK, IPI; else UNKNOWN. */
	enum ana_kind kind;
	mdl_doubts doubts; /* of the kind */
	uint32_t poster;   /* thread (a row) that posted it each time; MDL_NONE: several, or an interrupt */
	uint64_t count;
	int64_t time, worst; /* ns: total time of the halts in the window; the longest */
	int64_t worst_at;    /* begin of the longest */
};

/* The halts of VCPU (a row) in [FROM, TO), most time first (struct ana_halt).  The caller unrefs.  Costs a
 * look at each halt and each posted interrupt. */
GArray *ana_halts_new(struct qry *q, uint32_t vcpu, int64_t from, int64_t to);
/* Static: "timer", "disk", "net", "ipi"; NULL if the purpose is unknown. */
const char *ana_halt_kind_name(const struct ana_halt *halt);
/* The interrupt as text: "timer, interrupt 236".  The caller frees. */
char *ana_halt_text(const struct qry *q, const struct ana_halt *halt);

#endif
