/* SPDX-License-Identifier: MIT */
/* The interrupt contexts of a trace, each with a number: private to src/model. */
#ifndef MDL_CONTEXT_H
#define MDL_CONTEXT_H

#include "model/event/types.h"

#include <glib.h>

struct mdl_machine;

enum {
	MDL_SOFTIRQ_HI = 0,
	MDL_SOFTIRQ_TIMER = 1,
	MDL_SOFTIRQ_NET_TX = 2,
	MDL_SOFTIRQ_NET_RX = 3,
	MDL_SOFTIRQ_BLOCK = 4,
	MDL_SOFTIRQ_IRQ_POLL = 5,
	MDL_SOFTIRQ_TASKLET = 6,
	MDL_SOFTIRQ_SCHED = 7,
	MDL_SOFTIRQ_HRTIMER = 8,
	MDL_SOFTIRQ_RCU = 9
};

struct mdl_contexts {
	GArray *all;     /* owned: of struct mdl_context, by number */
	GHashTable *ids; /* struct mdl_context * (owned copy) → number */
};

void mdl_context_init(struct mdl_contexts *contexts);
void mdl_context_clear(struct mdl_contexts *contexts);
/* Number of the context of TYPE with NR and NAME (string id); made if it is new. */
uint32_t mdl_context_id(struct mdl_contexts *contexts, enum mdl_ctx_type type, int64_t nr, uint32_t name);
/* The context with number CONTEXT; its name; its type. */
const struct mdl_context *mdl_context_get(const struct mdl_machine *m, uint32_t context);
const char *mdl_context_name(const struct mdl_machine *m, uint32_t context);
enum mdl_ctx_type mdl_context_type(const struct mdl_machine *m, uint32_t context);
/* True if CONTEXT is an IPI that calls the functions queued for its CPU, or the interrupt by which these IPIs
 * come: call_function and call_function_single of x86, "Function call interrupts" of others. */
bool mdl_context_calls(const struct mdl_machine *m, uint32_t context);

#endif
