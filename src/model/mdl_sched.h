/* SPDX-License-Identifier: MIT */
/* Switches and wake-ups: private to src/model. */
#ifndef MDL_SCHED_H
#define MDL_SCHED_H

#include "model/mdl_event.h"
#include "model/mdl_prev.h"

struct mdl_machine;
struct mdl_thread;

struct mdl_sched {
	const struct mdl_prev_bits *bits;
	bool shifted_states;		/* prev_state is written shifted by one bit */
	uint64_t switches;
	unsigned switched_softirqs;	/* thread switches inside a softirq */
};

void mdl_sched_switch(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_first(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_waking(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_wakeup(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_wakeup_new(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sched_migrate(struct mdl_machine *m, const struct mdl_event *e);
/* W was sent by what runs on CPU now: its cpu, waker and contexts. */
void mdl_sched_place(struct mdl_machine *m, uint32_t cpu, struct mdl_wakeup *w);
/* Where the cause of the wake-up stands that CPU sent to T last and that was not handed out; NULL: there is none. */
struct mdl_cause **mdl_sched_cause(struct mdl_thread *t, uint32_t cpu);
/* Hand out a wake-up after which the thread has not run (yet) as far as the trace tells. */
void mdl_sched_drop_pending(struct mdl_machine *m, struct mdl_thread *t);

#endif
