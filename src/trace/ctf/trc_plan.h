/* SPDX-License-Identifier: MIT */
/*
 * How to walk over one kind of thing in a packet (an event header, the rest of
 * an event) and what to fetch from it: a short program, compiled once from its
 * types.
 */
#ifndef TRC_PLAN_H
#define TRC_PLAN_H

#include "model/mdl_table.h"
#include "trace/core/trc_queue.h"
#include "trace/ctf/trc_net.h"
#include "trace/tsdl/trc_tsdl.h"

struct trc_plan;

#define TRC_PLAN_CPU "perf_cpu" /* the field in which perf tells the CPU of an event */
#define TRC_REGISTERS 32        /* lengths and tags remembered within one thing */

/* Where the walk is, and what it found. */
struct trc_walk {
	const uint8_t *data; /* weak: AT and LIMIT count from here, in bits */
	uint64_t at, limit;
	uint64_t id;             /* of the event */
	uint64_t clock;          /* cycles */
	uint32_t cpu;            /* that the event itself tells (TRC_PLAN_CPU); else as it was before */
	struct trc_queue *queue; /* weak: keeps texts */
	struct mdl_event *event; /* weak: gets arguments and texts */
	uint64_t registers[TRC_REGISTERS];
	struct trc_net net; /* of events with headers of packets */
};

/* What all plans of a trace together may cost. */
struct trc_plan_costs {
	uint32_t left;       /* steps and cases, about; to begin with TRC_PLAN_COSTS */
	const char *refused; /* why no reader should try these types; NULL: none is known */
};

#define TRC_PLAN_COSTS (1u << 20)

/* A plan for the event headers of STREAM.  NULL when it holds what is not known here, or is refused: COSTS
 * says which. */
struct trc_plan *trc_plan_new_header(const struct trc_stream_class *stream, struct trc_plan_costs *costs);

/*
 * A plan for contexts and fields of EVENT; NULL likewise.  MAPPING says what to
 * fetch.  ALIGNED: all headers end at a multiple of that many bits (1: anywhere).
 */
struct trc_plan *trc_plan_new_event(const struct trc_stream_class *stream,
	const struct trc_event_class *event, const struct mdl_mapping *mapping, uint32_t aligned,
	struct trc_plan_costs *costs);
void trc_plan_free(struct trc_plan *plan);

/*
 * Follow PLAN from W->at.  False when it would go beyond W->limit, or the data
 * makes no sense; W is then of no use.
 */
bool trc_plan_run(const struct trc_plan *plan, struct trc_walk *w);

#endif
