/* SPDX-License-Identifier: MIT */
/* The machine: private to src/model. */
#ifndef MDL_FRAME_H
#define MDL_FRAME_H

#include "base/base_text.h"
#include "model/core/context.h"
#include "model/core/gap.h"
#include "model/core/line.h"
#include "model/core/missing.h"
#include "model/core/part.h"
#include "model/core/sink.h"
#include "model/core/thread.h"
#include "model/core/track.h"
#include "model/kernel/coverage.h"

#define MDL_PARTS 10

struct mdl_machine {
	const struct mdl_sink *sink;
	void *data;
	int64_t from, now;
	struct base_strings *strings;
	GHashTable *labels; /* interned label pointer → string id */
	GPtrArray *cpus;    /* CPU → struct mdl_cpu * or NULL, owned */
	struct mdl_tracks tracks;
	struct mdl_threads threads;
	struct mdl_contexts contexts;
	struct mdl_lines lines;
	struct mdl_gaps gaps;
	bool (*has_calls)(const void *data,
		int64_t tid); /* as in mdl_machine_calls_of(); NULL: no calls were left out */
	const void *calls_data;
	struct mdl_missing missing;
	struct mdl_coverage coverage;
	uint8_t told;            /* flags of the current event: MDL_TOLD_… */
	char *name;              /* owned: name of the architecture as uname prints it; "": unknown */
	struct mdl_calls *calls; /* owned: names of calls by number; NULL: none so far */

	const struct mdl_part *const *parts; /* NULL ends it, and each list below */
	/* The parts that have this hook. It is called so often that parts without it would cost time. */
	const struct mdl_part *pass[MDL_PARTS + 1], *collect[MDL_PARTS + 1], *doubt[MDL_PARTS + 1];
	uint8_t keeps[MDL_EV_N]; /* kind of event → bits of enum mdl_just that it keeps */
	/* The state of the parts: owned. */
	struct mdl_causes *causes;
	struct mdl_blocks *blocks;
	struct mdl_net *net;
	struct mdl_timers *timers;
	struct mdl_recent *works; /* queued work items, by address */
	struct mdl_guests *guests;
	struct mdl_power *power;
	struct mdl_sched *sched;
	struct mdl_counting *counting; /* sched/counts.c */
	struct mdl_spans *spans;       /* NULL: the sink does not want spans */
};

static inline bool mdl_machine_has(const struct mdl_machine *m, enum mdl_group group)
{
	return mdl_coverage_has(&m->coverage, group);
}

/* False if system calls of thread TID were left out. */
static inline bool mdl_machine_has_calls(const struct mdl_machine *m, int64_t tid)
{
	return !m->has_calls || m->has_calls(m->calls_data, tid);
}

/* True if softirqs run in threads. */
static inline bool mdl_machine_is_rt(const struct mdl_machine *m)
{
	return m->coverage.kernel & MDL_KERNEL_RT;
}

#endif
