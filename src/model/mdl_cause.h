/* SPDX-License-Identifier: MIT */
/* Why a wait ended: private to src/model. */
#ifndef MDL_CAUSE_H
#define MDL_CAUSE_H

#include "model/mdl_fact.h"

struct mdl_machine;
struct mdl_thread;

/* What there is to say of the wake-up of T that is sent on CPU now; a new struct mdl_cause, to be freed by
 * g_free(), or NULL for nothing. */
struct mdl_cause *mdl_cause_new(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* A new cause, inferred: CHAIN and FACTS (NULL none). */
struct mdl_cause *mdl_cause_new_inferred(const struct mdl_machine *m, const struct mdl_chain *chain,
	const struct mdl_facts *facts);
/* What CAUSE says is no more than inferred. */
void mdl_cause_infer(struct mdl_cause *cause);

#endif
