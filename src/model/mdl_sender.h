/* SPDX-License-Identifier: MIT */
/* Who sent an IPI: private to src/model. */
#ifndef MDL_SENDER_H
#define MDL_SENDER_H

#include "model/mdl_event.h"
#include "model/mdl_fact.h"

struct mdl_cpu;
struct mdl_level;
struct mdl_machine;

#define MDL_SENT_MAX 2   /* IPIs on their way to a CPU */
#define MDL_IRQS_KEPT 32 /* hard interrupts of all CPUs */

/* IPIs on their way to a CPU. */
struct mdl_ipis {
	struct mdl_chain sent[MDL_SENT_MAX]; /* each up to and with the sender */
	uint32_t reasons[MDL_SENT_MAX];      /* string id of what each is for; 0: not told */
	unsigned n;
	bool rest; /* what is in sent may have been served by an IPI before */
};

struct mdl_recent;

/* Who may have sent an IPI of which that is not known. */
struct mdl_senders {
	struct mdl_chain to_several; /* the last IPI to CPUs that are not known; empty: none */
	uint32_t several_reason;     /* as struct mdl_ipis has them */
	/* ring: the last hard interrupts; time: the exit, MDL_NEVER not yet. */
	struct mdl_act irqs[MDL_IRQS_KEPT];
	unsigned n_irqs; /* ever put into it */
	/* Owned: address of what is queued for a CPU to call → struct mdl_chain, up to and with who queued
	 * it; NULL: nothing was. */
	struct mdl_recent *queued;
};

void mdl_sender_clear(struct mdl_senders *senders);

/* An IPI is sent. */
void mdl_sender_note(struct mdl_machine *m, const struct mdl_event *e);
/* A function is queued for a CPU; it is called there; the call is over. */
void mdl_sender_queue(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sender_call(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sender_called(struct mdl_machine *m, const struct mdl_event *e);
/* Context L of CPU, an IPI, begins: sets its origin if its sending was recorded. */
void mdl_sender_take(const struct mdl_machine *m, uint32_t cpu, struct mdl_cpu *c, struct mdl_level *l);
/* Where CHAIN begins with an IPI that nobody is known to have sent, FACTS may tell who did. */
void mdl_sender_find(struct mdl_machine *m, struct mdl_chain *chain, const struct mdl_facts *facts);
/* Entry and exit of a hard interrupt, L of CPU: it may send. */
void mdl_sender_irq(struct mdl_machine *m, uint32_t cpu, const struct mdl_cpu *c, const struct mdl_level *l);
void mdl_sender_irq_exit(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l);

#endif
