/* SPDX-License-Identifier: MIT */
/* The results of the model, and the hooks that receive them. */
#ifndef MDL_SINK_H
#define MDL_SINK_H

#include "model/event/types.h"

struct mdl_cause;
struct mdl_counted;
struct mdl_ipi_wait;
struct mdl_span;
struct mdl_transfer;

/* Receives the results. All hooks except CAUSE, TRANSFER, PRIORITY, IPI_WAIT, COUNTED, HOLE and SPAN must be
 * set. DATA is the sink's own. */
struct mdl_sink {
	/* ROW was in this interval.  The intervals of a row come without hole or overlap, and neighbours
	 * differ. */
	void (*interval)(void *data, uint32_t row, const struct mdl_interval *interval);
	/* A wait of thread ROW ended.  For each row in order of wakeup->time. */
	void (*wakeup)(void *data, uint32_t row, const struct mdl_wakeup *wakeup);
	/* Cause number 1, 2, …; comes before the wake-up that names it.  NULL: causes are not wanted. */
	void (*cause)(void *data, const struct mdl_cause *cause);
	/* A packet was sent or received; in order of time.  NULL: packets are not wanted. */
	void (*transfer)(void *data, const struct mdl_transfer *transfer);
	/* The name of thread ROW is NAME (string id) from TIME on. */
	void (*name)(void *data, uint32_t row, int64_t time, uint32_t name);
	/* Thread ROW has PRIORITY (as in event/types.h) from TIME on, or, the first time, was seen with it;
	 * in order of time. May be NULL. */
	void (*priority)(void *data, uint32_t row, int64_t time, int16_t priority);
	/* A thread waited for an IPI; those of a row in order of time, none of them overlap. NULL: such waits
	 * are not wanted. */
	void (*ipi_wait)(void *data, const struct mdl_ipi_wait *wait);
	/* Counts of thread ROW; those of a row in order of time, none of them overlap.  NULL: they are
	 * not wanted. */
	void (*counted)(void *data, uint32_t row, const struct mdl_counted *counted);
	/* Nothing was recorded between FROM and TO (ns) on any CPU, although threads switched.  May be
	 * NULL. */
	void (*hole)(void *data, int64_t from, int64_t to);
	/* A span ended, or never will; in no order.  NULL: spans are not wanted. */
	void (*span)(void *data, const struct mdl_span *span);
	/* The thread of ROW, or the trace, has ended: nothing more comes for it.  FACTS describes the row,
	 * and is valid during the call only: the machine does not keep it. */
	void (*over)(void *data, uint32_t row, const struct mdl_row *facts);
};

/* Anomalies of virtual CPUs. */
struct mdl_vcpu_notes {
	/* events whose vcpu_id has no value, or several: [0] kvm_entry, [1] kvm_exit */
	uint32_t bad[2];
	/* virtual CPUs whose two numbers differ, or equal that of another virtual CPU of the process */
	uint32_t odd;
	uint32_t numbered;    /* virtual CPUs with a number from vcpu_id */
	uint64_t tsc_written; /* how often the TSC offset of a virtual CPU that had run was changed */
	int64_t tsc_thread;   /* at the first change: TID of the thread that runs it */
	int64_t tsc_at;       /* ns: time of the first change */
};
/* Counters that were read with events, and how many values were left out. */
struct mdl_counting {
	const char *names[MDL_COUNTERS]; /* interned, hostile; the number of a counter is its place here */
	unsigned n;
	const char *const *told;    /* weak: the names for which MAP holds */
	uint8_t map[MDL_COUNTERS];  /* number in the event → number here; MDL_COUNTERS: left out */
	uint64_t sum[MDL_COUNTERS]; /* sum of all differences that were handed out */
	bool at_switches;           /* they were read at switches, so values at other events add nothing */
	uint64_t across;            /* differences that several threads share, … */
	uint64_t back;              /* … of values that stepped back, or are too large, … */
	uint64_t paused;            /* … and of times in which they did not count all the time */
	uint64_t left_out; /* values of counters beyond MDL_COUNTERS, or with the name of another one */
};

#endif
