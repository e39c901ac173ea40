/* SPDX-License-Identifier: MIT */
/* What ended a wait: SOURCE of cli.md, from a wake-up edge of the index. */
#ifndef ANA_SOURCE_H
#define ANA_SOURCE_H

#include "analysis/kind/kind.h"
#include "query/qry.h"

struct ana_source {
	enum ana_kind kind;
	enum ana_grade grade;     /* of the kind */
	uint32_t host;            /* of the woken thread; context ids are this host's */
	uint32_t row;             /* the woken thread */
	uint32_t thread;          /* row of the thread that ended the wait; MDL_NONE when no thread did */
	uint32_t interrupted;     /* row of the thread an interrupt came upon, not a cause; MDL_NONE */
	struct mdl_wakeup wakeup; /* the edge itself, with its contexts */
	/* "vdb", "eth1", else the name of the interrupt line; NULL unknown; owned by the experiment. */
	const char *device;
	const char *event; /* static: name of the event that ended the wait, NULL none */
};

/* The cause of WAKEUP of the thread ROW. */
struct ana_source ana_source_of(struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup);

/*
 * What the model found where the wake-up of SOURCE was sent, without what the wait
 * was not for: a request that completed before work was queued woke no worker.
 * False when there is nothing beyond the wake-up itself.
 */
bool ana_source_cause(struct qry *q, const struct ana_source *source, struct mdl_cause *cause);
/* The same; *CHAIN is the way to the wake-up (ana_chain_of()), with a cause or without, and of a packet's
 * what it can have come with (ana_arrival). */
bool ana_source_chain(struct qry *q, const struct ana_source *source, struct mdl_cause *cause,
	struct mdl_chain *chain);

/* What a wake-up from within CONTEXT is about, as far as its name tells. */
enum ana_kind ana_kind_of_context(const struct qry_context *context);

/* One line for people: "woken by wk-server[1234]", "timer: IRQ 236 local_timer > hrtimer", "unknown".  The
 * caller frees. */
char *ana_source_text(struct qry *q, const struct ana_source *source);
/*
 * What was behind it, where no thread was, in words: "vdb", "eth0", "softirq RCU", "hrtimer", "not known";
 * never empty. The caller frees.
 */
char *ana_source_behind(struct qry *q, const struct ana_source *source);

/*
 * Where the wait really came from: the row and time of the thread that sent,
 * queued or armed what ended it, on whatever host, else of the interrupt line or softirq that
 * began the chain.  False: not known.
 */
bool ana_source_origin(struct qry *q, const struct ana_source *source, uint32_t *row, int64_t *time);

#endif
