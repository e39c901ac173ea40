/* SPDX-License-Identifier: MIT */
/* Lost events: private to src/model. */
#ifndef MDL_GAP_H
#define MDL_GAP_H

#include "model/event/types.h"

struct mdl_machine;

/* Losses of events on a CPU. */
enum mdl_gap_phase { MDL_GAP_NONE, MDL_GAP_OPEN, MDL_GAP_ENDING };

struct mdl_gaps {
	uint32_t open;      /* CPUs whose gap is not MDL_GAP_NONE */
	bool had;           /* events were lost at some time */
	uint64_t gone_over; /* as mdl_machine_gone_over() */
	int64_t whole;      /* mdl_machine_cut(); MDL_NEVER: the trace is no window of another one */
	bool (*passed)(const void *data, int64_t tid, int64_t since);
	const void *passed_data;
	int64_t lost_until; /* end of the last loss of any CPU; at first the start of the trace */
};

/* True if events of any CPU were lost since TIME.  False for MDL_NEVER: nothing was known that could be
 * lost. */
static inline bool mdl_gap_since(const struct mdl_gaps *gaps, int64_t time)
{
	return time != MDL_NEVER &&
		(gaps->open > 0 || (gaps->lost_until != MDL_NEVER && time <= gaps->lost_until));
}

/* True if the trace is a cut (mdl_machine_cut()) that begins later than TIME, and thread TID was blocked from
 * SINCE (MDL_NEVER: from before its state dump) until the cut begins. */
static inline bool mdl_gap_holds(const struct mdl_gaps *gaps, int64_t time, int64_t tid, int64_t since)
{
	return time < gaps->whole && !gaps->passed(gaps->passed_data, tid, since);
}

/* From now on events of CPU may be missing. */
void mdl_gap_begin(struct mdl_machine *m, uint32_t cpu);
/* Events of CPU may be missing since LAST, the time of its last event, and until its next event. */
void mdl_gap_end(struct mdl_machine *m, uint32_t cpu, int64_t last);
/* Nothing was recorded on any CPU from SINCE until now. */
void mdl_gap_hole(struct mdl_machine *m, int64_t since);
/* An event of CPU came in: if its gap was ending, the gap is over. */
void mdl_gap_resume(struct mdl_machine *m, uint32_t cpu);

#endif
