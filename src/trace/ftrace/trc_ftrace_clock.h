/* SPDX-License-Identifier: MIT */
/* Converts the times of a trace.dat to ns. */
#ifndef TRC_FTRACE_CLOCK_H
#define TRC_FTRACE_CLOCK_H

#include "trace/core/trc_budget.h"
#include "trace/tracefs/trc_bytes.h"

/* A clock of the kernel ("trace_clock") with its data from the file. */
struct trc_ftrace_clock {
	char *name;           /* "mono"; "": unknown; owned, hostile */
	uint32_t mult, shift; /* of x86-tsc: ns = cycles · MULT >> SHIFT; MULT 0: unknown */
	int64_t ahead;        /* ns to add: from --date and --ts-offset of trace-cmd */
	/* owned, of GArray *: for each CPU of a guest its struct trc_ftrace_shift in time order; NULL:
	 * none */
	GPtrArray *shifts;
	bool between;  /* interpolate between two of these */
	uint64_t peer; /* the recording (of the host) whose clock they convert to */
};

/* From TIME (guest cycles) on: host cycles = guest cycles · SCALING >> BITS, + OFFSET. */
struct trc_ftrace_shift {
	uint64_t time;
	int64_t offset;
	uint64_t scaling, bits;
};

void trc_ftrace_clock_init(struct trc_ftrace_clock *c);
void trc_ftrace_clock_clear(struct trc_ftrace_clock *c);
/* Read the option TIME_SHIFT, at the cost of BUDGET.  False if it is invalid; then it is left out. */
bool trc_ftrace_clock_read_shifts(struct trc_ftrace_clock *c, struct trc_bytes *option,
	struct trc_budget *budget);
/* Return COUNT of the clock on CPU in ns. */
int64_t trc_ftrace_clock_time(const struct trc_ftrace_clock *c, uint32_t cpu, uint64_t count);
/* Return a static warning about times by C, with a remedy; NULL if there is none. */
const char *trc_ftrace_clock_problem(const struct trc_ftrace_clock *c);

#endif
