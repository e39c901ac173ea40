/* SPDX-License-Identifier: MIT */
/* The source of a wake-up (SOURCE of cli.md): what ended a wait. */
#ifndef ANA_SOURCE_H
#define ANA_SOURCE_H

#include "analysis/kind/kind.h"
#include "query/qry.h"

struct ana_source {
	enum ana_kind kind;
	mdl_doubts doubts; /* doubts about KIND */
	uint32_t host;     /* of the wakee; context ids are this host's */
	uint32_t row;      /* the wakee */
	uint32_t thread;   /* row of the thread that ended the wait; MDL_NONE: no thread did */
	/* row of the thread that the interrupt ran on top of, which is no cause; MDL_NONE none */
	uint32_t interrupted;
	struct mdl_wakeup wakeup; /* the wake-up, with its contexts */
	/* "vdb", "eth1", or the name of the IRQ; NULL unknown.  Owned by the experiment. */
	const char *device;
	const char *event; /* static: the event that ended the wait; NULL none */
};

/* The source of WAKEUP of thread ROW. */
struct ana_source ana_source_of(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup);

/* The facts that the model recorded with the wake-up of SOURCE, except those that did not end the wait. (For
 * example, a request completes, then work is queued: the worker waited for the work.)  False if nothing was
 * recorded besides the wake-up itself. */
bool ana_source_cause(struct qry *q, const struct ana_source *source, struct mdl_cause *cause);
/* Like ana_source_cause(), and sets *CHAIN to the chain that leads to the wake-up (ana_chain_of()), with or
 * without a cause; for a packet, only the hops that it may have come with (ana_arrival_cut()). */
bool ana_source_chain(struct qry *q, const struct ana_source *source, struct mdl_cause *cause,
	struct mdl_chain *chain);

/* The kind of a wake-up from CONTEXT, by the name of the context. */
enum ana_kind ana_kind_of_context(const struct qry_context *context);

/* One line of text: "woken by wk-server[1234]", "timer: IRQ 236 local_timer > hrtimer", "unknown".  The
 * caller frees. */
char *ana_source_text(struct qry *q, const struct ana_source *source);
/* The source as text, if it was no thread: "vdb", "eth0", "softirq RCU", "hrtimer", "not known"; never empty.
 * The caller frees. */
char *ana_source_behind(struct qry *q, const struct ana_source *source);

/* The origin of the wake-up: row and time of the thread, on any host, that sent, queued or armed what ended
 * the wait; or else of the IRQ or softirq that began the chain.  False if unknown. */
bool ana_source_origin(struct qry *q, const struct ana_source *source, uint32_t *row, int64_t *time);

#endif
