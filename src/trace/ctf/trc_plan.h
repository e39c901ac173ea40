/* SPDX-License-Identifier: MIT */
/* A plan: a short program that walks over one part of a packet (an event header, or the rest of an event) and
 * fetches values from it.  It is compiled once from the types. */
#ifndef TRC_PLAN_H
#define TRC_PLAN_H

#include "model/mdl_table.h"
#include "trace/core/trc_budget.h"
#include "trace/core/trc_queue.h"
#include "trace/ctf/trc_net.h"
#include "trace/tsdl/trc_tsdl.h"

struct trc_plan;

#define TRC_PLAN_CPU "perf_cpu" /* the field in which perf stores the CPU of an event */
#define TRC_REGISTERS 32        /* lengths and tags that a walk can store */

/* Position and results of a walk. */
struct trc_walk {
	const uint8_t *data; /* weak: AT and LIMIT are bits from here */
	uint64_t at, limit;
	uint64_t id;             /* of the event */
	uint64_t clock;          /* cycles */
	uint32_t cpu;            /* of the event itself (TRC_PLAN_CPU); unchanged if it has none */
	struct trc_queue *queue; /* weak: stores texts */
	struct mdl_event *event; /* weak: receives arguments and texts */
	uint64_t registers[TRC_REGISTERS];
	struct trc_net net; /* for events with packet headers */
};

#define TRC_PLAN_COSTS (1u << 20) /* steps and cases, about, that all plans of a trace together may cost */

/* Make a plan for the event headers of STREAM.  NULL if a type in them is not supported, or if it costs too
 * much: then COSTS->refused is set. */
struct trc_plan *trc_plan_new_header(const struct trc_stream_class *stream, struct trc_budget *costs);

/* Make a plan for contexts and fields of EVENT; NULL as above.  MAPPING selects the values to fetch.
 * ALIGNED: all headers end at a multiple of that many bits (1: anywhere). */
struct trc_plan *trc_plan_new_event(const struct trc_stream_class *stream,
	const struct trc_event_class *event, const struct mdl_mapping *mapping, uint32_t aligned,
	struct trc_budget *costs);
void trc_plan_free(struct trc_plan *plan);

/* Run PLAN from W->at.  False if it would go beyond W->limit or the data is invalid; W is then undefined. */
bool trc_plan_run(const struct trc_plan *plan, struct trc_walk *w);

#endif
