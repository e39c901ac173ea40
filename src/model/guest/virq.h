/* SPDX-License-Identifier: MIT */
/* Interrupts that the host posts into its guests: private to src/model. */
#ifndef MDL_VIRQ_H
#define MDL_VIRQ_H

#include "model/event/event.h"

#include <glib.h>

struct mdl_cpu;
struct mdl_machine;
struct mdl_thread;

/* Interrupts on their way. */
struct mdl_virqs {
	GPtrArray *posts;     /* of struct mdl_post, owned; oldest first */
	GPtrArray *workers;   /* of struct mdl_thread, weak: the threads that have a virtual CPU */
	GHashTable *machines; /* processes that enter guests, by PID */
	bool injected;        /* an injection was recorded, so posted interrupts wait for theirs */
	bool ended;    /* an end of interrupt was recorded, so interrupts without one may be injected again */
	uint64_t lost; /* number posted to an unknown virtual CPU */
};

void mdl_virq_init(struct mdl_virqs *virqs);
void mdl_virq_clear(struct mdl_virqs *virqs);

/* An event right before posts to one or several virtual CPUs shows how the interrupt is raised. */
void mdl_virq_by(struct mdl_machine *m, const struct mdl_event *e);
void mdl_virq_post(struct mdl_machine *m, const struct mdl_event *e);
/* The interrupt posted last goes directly to the processor and needs no injection. */
void mdl_virq_direct(struct mdl_machine *m, const struct mdl_event *e);
/* The interrupt is injected: the next entry brings it. */
void mdl_virq_inject(struct mdl_machine *m, const struct mdl_event *e);
/* The guest has handled the interrupt. */
void mdl_virq_end(struct mdl_machine *m, const struct mdl_event *e);
/* T, which runs a virtual CPU, enters its guest. */
void mdl_virq_enter(struct mdl_machine *m, struct mdl_thread *t);
/* True if an unrecorded interrupt for T's halted guest may have come upon C, whose thread seems to wake T. */
bool mdl_virq_may_wake(const struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_thread *t);
/* T is woken by what runs on CPU. */
void mdl_virq_woken(struct mdl_machine *m, uint32_t cpu, struct mdl_thread *t);
/* The interrupts that T's virtual CPU takes from now on are unknown. */
void mdl_virq_lose(struct mdl_machine *m, const struct mdl_thread *t);
/* T and its virtual CPU are over. NULL: the trace ends, all are over. */
void mdl_virq_over(struct mdl_machine *m, struct mdl_thread *t);

#endif
