/* SPDX-License-Identifier: MIT */
/* Why a wait ended: private to src/model. */
#ifndef MDL_CAUSE_H
#define MDL_CAUSE_H

#include "model/event/fact.h"

struct mdl_machine;
struct mdl_thread;

/* A new cause of the wake-up of T that CPU sends now.  The caller frees with g_free().  NULL if there is
 * nothing to say. */
struct mdl_cause *mdl_cause_new(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
/* A new cause from CHAIN and FACTS (NULL: none), inferred.  The caller frees with g_free(). */
struct mdl_cause *mdl_cause_new_doubted(const struct mdl_machine *m, const struct mdl_chain *chain,
	const struct mdl_facts *facts);
/* Add DOUBTS to all that CAUSE says. */
void mdl_cause_doubt(struct mdl_cause *cause, mdl_doubts doubts);

#endif
