/* SPDX-License-Identifier: MIT */
/* The senders of IPIs: private to src/model. */
#ifndef MDL_SENDER_H
#define MDL_SENDER_H

#include "model/event/event.h"
#include "model/event/fact.h"

struct mdl_cpu;
struct mdl_level;
struct mdl_machine;

#define MDL_SENT_MAX 2   /* IPIs kept that are on their way to a CPU */
#define MDL_IRQS_KEPT 32 /* hard interrupts kept of all CPUs */

/* IPIs on their way to a CPU. */
struct mdl_ipis {
	struct mdl_chain sent[MDL_SENT_MAX]; /* each up to and with the sender */
	uint32_t reasons[MDL_SENT_MAX];      /* string id of the reason of each; 0: unknown */
	unsigned n;
	bool rest; /* an earlier IPI may have served those in SENT */
};

struct mdl_recent;

/* Possible senders of an IPI whose sender is unknown. */
struct mdl_senders {
	struct mdl_chain to_several; /* the last IPI to unknown CPUs; empty: none */
	uint32_t several_reason;     /* like REASONS of struct mdl_ipis */
	/* Ring of the last hard interrupts; TIME is the exit, MDL_NEVER: not yet. */
	struct mdl_act irqs[MDL_IRQS_KEPT];
	unsigned n_irqs; /* number ever stored in IRQS */
	/* Owned: address of the function data queued for a CPU → struct mdl_chain, up to and with the act
	 * that queued it; NULL: nothing was queued. */
	struct mdl_recent *queued;
};

void mdl_sender_clear(struct mdl_senders *senders);

/* An IPI is sent. */
void mdl_sender_note(struct mdl_machine *m, const struct mdl_event *e);
/* A function is queued for a CPU; that CPU calls it; the call is over. */
void mdl_sender_queue(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sender_call(struct mdl_machine *m, const struct mdl_event *e);
void mdl_sender_called(struct mdl_machine *m, const struct mdl_event *e);
/* Context L of CPU, an IPI, begins: set its origin if its sending was recorded. */
void mdl_sender_take(const struct mdl_machine *m, uint32_t cpu, struct mdl_cpu *c, struct mdl_level *l);
/* If CHAIN begins with an IPI whose sender is unknown, find the sender by FACTS. */
void mdl_sender_find(struct mdl_machine *m, struct mdl_chain *chain, const struct mdl_facts *facts);
/* Entry and exit of hard interrupt L of CPU, which may send IPIs. */
void mdl_sender_irq(struct mdl_machine *m, uint32_t cpu, const struct mdl_cpu *c, const struct mdl_level *l);
void mdl_sender_irq_exit(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l);

#endif
