/* SPDX-License-Identifier: MIT */
/* Interrupts that the host posts into its guests: private to src/model. */
#ifndef MDL_VIRQ_H
#define MDL_VIRQ_H

#include "model/mdl_event.h"

#include <glib.h>

struct mdl_cpu;
struct mdl_machine;
struct mdl_thread;

/* Those that are on their way. */
struct mdl_virqs {
	GPtrArray *posts;     /* of struct post, owned; oldest first */
	GPtrArray *workers;   /* of struct mdl_thread, weak: those that have a virtual CPU */
	GHashTable *machines; /* processes that enter guests, by PID */
	bool injected;        /* an injection was recorded: those that are posted await theirs */
	bool ended;           /* … an end of interrupt: those that were not ended may be injected again */
	uint64_t lost;        /* posted to nobody knows which virtual CPU */
};

void mdl_virq_init(struct mdl_virqs *virqs);
void mdl_virq_clear(struct mdl_virqs *virqs);

/* What comes before it is posted to one or several virtual CPUs tells by what. */
void mdl_virq_by(struct mdl_machine *m, const struct mdl_event *e);
void mdl_virq_post(struct mdl_machine *m, const struct mdl_event *e);
/* The last one is given to the processor, which needs no injection. */
void mdl_virq_direct(struct mdl_machine *m, const struct mdl_event *e);
/* The guest is going to be entered with it. */
void mdl_virq_inject(struct mdl_machine *m, const struct mdl_event *e);
/* The guest has handled it. */
void mdl_virq_end(struct mdl_machine *m, const struct mdl_event *e);
/* T, which does the work of a virtual CPU, enters its guest. */
void mdl_virq_enter(struct mdl_machine *m, struct mdl_thread *t);
/* May an interrupt for T's halted guest, not recorded, have come upon C, whose thread seems to wake T? */
bool mdl_virq_may_wake(const struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_thread *t);
/* T is woken by what runs on CPU. */
void mdl_virq_woken(struct mdl_machine *m, uint32_t cpu, struct mdl_thread *t);
/* What T's virtual CPU takes from now on is not known. */
void mdl_virq_lose(struct mdl_machine *m, const struct mdl_thread *t);
/* T is over, and the virtual CPU that it has; NULL: the trace ends, all are. */
void mdl_virq_over(struct mdl_machine *m, struct mdl_thread *t);

#endif
