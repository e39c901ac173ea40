/* SPDX-License-Identifier: MIT */
/* The parts of the machine, a struct for each component that keeps something: private to src/model. */
#ifndef MDL_MACHINE_PARTS_H
#define MDL_MACHINE_PARTS_H

#include "model/block/block.h"
#include "model/core/context.h"
#include "model/kernel/coverage.h"
#include "model/cause/deferred.h"
#include "model/block/disk.h"
#include "model/core/gap.h"
#include "model/core/line.h"
#include "model/machine.h"
#include "model/core/missing.h"
#include "model/net/net.h"
#include "model/sched/sched.h"
#include "model/cause/sender.h"
#include "model/core/thread.h"
#include "model/timer/timer.h"
#include "model/core/track.h"
#include "model/guest/virq.h"

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
	const struct mdl_fact_ops *collectors[MDL_FACTS_N + 1]; /* of facts; NULL after the last */
	struct mdl_timers timers;
	struct mdl_recent *works; /* owned: queued work items, by address (work/work.c) */
	struct mdl_net net;
	struct mdl_disks disks;
	struct mdl_blocks blocks;
	/* IRQ number → TID of the thread that its handler woke last (cause/irqthread.c) */
	GHashTable *irq_threads;
	/* IRQ number → struct mdl_chain * (owned): the handler that asked for its thread last, where sched_waking
	 * is not recorded (cause/irqthread.c) */
	GHashTable *irq_calls;
	uint8_t told; /* of the current event: MDL_TOLD_… */
	struct mdl_coverage coverage;
	struct mdl_virqs virqs;
	char *name;              /* owned: of its kind, as uname tells it; "": unknown */
	struct mdl_calls *calls; /* owned; NULL: none is known by its number so far */
	uint32_t guests;         /* number of CPUs that run inside a guest */
	struct mdl_vcpu_notes vcpu_notes;
	struct mdl_spans *spans; /* owned; NULL: the sink does not ask for spans */
	uint32_t n_causes;       /* number of causes handed out */
};

static inline bool mdl_machine_has(const struct mdl_machine *m, enum mdl_group group)
{
	return mdl_coverage_has(&m->coverage, group);
}

/* True if softirqs run in threads. */
static inline bool mdl_machine_is_rt(const struct mdl_machine *m)
{
	return m->coverage.kernel & MDL_KERNEL_RT;
}

/* ---- the handling of an event, in this order ---- */

/*
 * Find out whether the CPU of E is in an interrupt, or a softirq, whose entry was not recorded; the tracer
 * itself may say it (core/within.c).  Not needed if the tracer does not say it (MDL_TOLD_WITHIN) and the CPU
 * was in none.
 */
void mdl_within_tell(struct mdl_machine *m, const struct mdl_event *e);
/* Handle E according to its kind (dispatch.c). */
void mdl_dispatch_event(struct mdl_machine *m, const struct mdl_event *e);

#endif
