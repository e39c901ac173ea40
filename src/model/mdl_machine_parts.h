/* SPDX-License-Identifier: MIT */
/* What the machine consists of, a struct for each component that keeps something: private to src/model. */
#ifndef MDL_MACHINE_PARTS_H
#define MDL_MACHINE_PARTS_H

#include "model/mdl_block.h"
#include "model/mdl_context.h"
#include "model/mdl_deferred.h"
#include "model/mdl_disk.h"
#include "model/mdl_gap.h"
#include "model/mdl_line.h"
#include "model/mdl_machine.h"
#include "model/mdl_missing.h"
#include "model/mdl_net.h"
#include "model/mdl_sched.h"
#include "model/mdl_sender.h"
#include "model/mdl_thread.h"
#include "model/mdl_timer.h"
#include "model/mdl_track.h"
#include "model/mdl_virq.h"

struct mdl_recent;

struct mdl_machine {
	const struct mdl_sink *sink;
	void *data;
	int64_t from, now;
	struct base_strings *strings;
	GHashTable *labels; /* interned label pointer → string id */
	GPtrArray *cpus;    /* CPU → struct mdl_cpu * or NULL, owned */
	struct mdl_tracks tracks;
	struct mdl_threads threads;
	struct mdl_contexts contexts;
	struct mdl_lines lines;
	struct mdl_gaps gaps;
	struct mdl_sched sched;
	struct mdl_missing missing;
	struct mdl_senders senders;
	struct mdl_deferreds deferreds;
	const struct mdl_fact_ops *collectors[MDL_FACTS_N + 1]; /* of facts; NULL behind the last */
	struct mdl_timers timers;
	struct mdl_recent *works; /* owned: items that were queued, by address (mdl_work.c) */
	bool has_queues;          /* what is queued for workers is recorded */
	bool has_work_ends;       /* ends of executions are recorded */
	struct mdl_net net;
	struct mdl_disks disks;
	struct mdl_blocks blocks;
	GHashTable *irq_threads; /* IRQ number → TID of the thread that its handler woke last
				    (mdl_irqthread.c) */
	uint8_t told;            /* of the event at hand: MDL_TOLD_… */
	bool tells_softirqs;     /* MDL_TOLD_SOFTIRQ means that one is served, … */
	bool guesses_softirqs;   /* … if the kernel is one of today: its release is not told */
	bool lends_until_wake; /* who hands a lock over gives back what was lent for it before the wake-up */
	bool has_raises;       /* softirq_raise is recorded */
	bool has_exits;        /* so is sched_process_exit */
	bool has_wakings;      /* sched_waking is recorded */
	bool has_calls;        /* IPIs that run functions are recorded: one came */
	bool has_ipis;         /* IPIs have events of their own, as they have not on x86 */
	bool lone;             /* mdl_machine_lone(), and no other CPU came */
	bool lone_ipis;        /* … by MDL_OWN_IPIS, */
	bool has_arch_timer;   /* and the kernel writes these (mdl_chain.c) */
	bool some_calls;       /* not all system calls are recorded */
	bool some_vectors;     /* not all vectors are */
	bool declares_more;    /* mdl_machine_declares_more() */
	bool bare_timers;      /* hrtimers expire in no interrupt that is recorded */
	bool threaded;         /* PREEMPT_RT: softirqs are what threads do */
	struct mdl_virqs virqs;
	uint32_t guests; /* CPUs that run inside a guest */
	struct mdl_vcpu_notes vcpu_notes;
	struct mdl_spans *spans; /* owned; NULL: the sink does not ask for them */
	uint32_t n_causes;       /* handed out */
};

/* ---- what is done with an event, in this order ---- */

/* Is its CPU in an interrupt, or a softirq, whose entry was not recorded?  The tracer itself may say
 * (mdl_within.c).  Not needed where the tracer does not tell (MDL_TOLD_WITHIN) and it was in none. */
void mdl_within_tell(struct mdl_machine *m, const struct mdl_event *e);
/* What E tells, by its kind (mdl_dispatch.c). */
void mdl_dispatch_event(struct mdl_machine *m, const struct mdl_event *e);

#endif
