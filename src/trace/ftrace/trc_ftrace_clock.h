/* SPDX-License-Identifier: MIT */
/* From what a trace.dat has for times to ns. */
#ifndef TRC_FTRACE_CLOCK_H
#define TRC_FTRACE_CLOCK_H

#include "trace/tracefs/trc_bytes.h"

/* A clock of the kernel ("trace_clock"), and what the file tells of it. */
struct trc_ftrace_clock {
	char *name;           /* "mono"; "" not told; owned, hostile */
	uint32_t mult, shift; /* of x86-tsc: ns = cycles · MULT >> SHIFT; MULT 0: not told */
	int64_t ahead;        /* ns to add; what --date and --ts-offset of trace-cmd came to */
	GPtrArray *shifts;    /* owned: of GArray *, for each CPU of a guest the struct trc_ftrace_shift by
				 rising time;    NULL: none */
	bool between;         /* what is between two of these is interpolated */
	uint64_t peer;        /* the recording in whose clock times are by that */
};

/* From TIME on, cycles of a guest are its host's: cycles · SCALING >> BITS, + OFFSET. */
struct trc_ftrace_shift {
	uint64_t time;
	int64_t offset;
	uint64_t scaling, bits;
};

void trc_ftrace_clock_init(struct trc_ftrace_clock *c);
void trc_ftrace_clock_clear(struct trc_ftrace_clock *c);
/* Read the option TIME_SHIFT; false: it makes no sense, and is left out. */
bool trc_ftrace_clock_read_shifts(struct trc_ftrace_clock *c, struct trc_bytes *option);
/* COUNT of the clock on CPU as ns. */
int64_t trc_ftrace_clock_time(const struct trc_ftrace_clock *c, uint32_t cpu, uint64_t count);
/* What is to be said of times by C, with what to do; NULL: nothing.  Static. */
const char *trc_ftrace_clock_problem(const struct trc_ftrace_clock *c);

#endif
