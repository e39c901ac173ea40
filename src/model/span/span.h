/* SPDX-License-Identifier: MIT */
/* Spans: from one event to another that belongs to it, such as an entry and its exit.  Private to src/model,
 * except struct mdl_span, which goes out through the sink. */
#ifndef MDL_SPAN_H
#define MDL_SPAN_H

#include "model/event/event.h"

struct mdl_machine;
struct mdl_spans;
struct mdl_thread;

enum mdl_span_kind {
	MDL_SPAN_SYSCALL, /* row: the thread; key: string id of the call */
	MDL_SPAN_FUTEX,   /* a wait; row: the thread; key: address */
	MDL_SPAN_IRQ,     /* row: the line; key: its number << 32 | string id of the handler's name */
	MDL_SPAN_SOFTIRQ, /* row: the softirq of the CPU; key: vector */
	MDL_SPAN_RAISE,   /* from the first raise of a softirq to its entry; row and key as above */
	/* An hrtimer, from its due time to its expiry; row: the CPU; key: address of its function. */
	MDL_SPAN_TIMER,
	MDL_SPAN_QUEUE, /* a work item, until it begins; row: the worker; key: address of the function */
	MDL_SPAN_WORK,  /* a work item, while it runs; row and key as above */
	/* A request, until it is complete; row: the thread that submitted it, MDL_NONE: none; key: device <<
	 * 8 | enum mdl_block_op. */
	MDL_SPAN_BLOCK,
	MDL_SPAN_BLOCK_QUEUE, /* a request, until the driver first has it; row and key as above */
	/* a request, from when the driver last got it until it is complete; row and key as above */
	MDL_SPAN_BLOCK_DEVICE,
	/* From the interrupt that woke a thread to the thread's return from the system call; row: the thread;
	 * key: the line's number (-1: none) << 32 | string id of the name of the line or vector. */
	MDL_SPAN_RETURN,
	/* A finished step of a request; row and CPU as in its other spans; key: a number of the request << 8
	 * | enum mdl_step_what << 4 | enum mdl_grade. */
	MDL_SPAN_STEP,
	MDL_SPAN_KINDS
};

/* How a span ended. */
enum mdl_span_fate {
	MDL_SPAN_DONE,
	MDL_SPAN_OPEN, /* its end is not in the trace; END means nothing (also for LOST) */
	MDL_SPAN_LOST, /* lost events may include its end */
	/* Only spans of a user's own rules have the fates below. */
	MDL_SPAN_REPEATED,  /* another span of its key replaced it */
	MDL_SPAN_TIMED_OUT, /* it exceeded the rule's time-out */
	MDL_SPAN_GIVEN_UP,  /* too many were open */
	MDL_SPAN_UNMATCHED, /* an exit without an open entry */
	MDL_SPAN_FATES
};

/* The scheduling class of the thread of a span. */
enum mdl_span_class {
	MDL_SPAN_NO_CLASS,      /* it was not looked up */
	MDL_SPAN_CLASS_UNKNOWN, /* there is no thread, or its priority is not known */
	MDL_SPAN_CLASS_DEADLINE,
	MDL_SPAN_CLASS_RT,
	MDL_SPAN_CLASS_FAIR,
	MDL_SPAN_CLASSES
};

struct mdl_span {
	int64_t start, end; /* ns */
	uint64_t key;
	uint32_t row; /* MDL_NONE: none */
	uint32_t cpu; /* where it ended, or is; MDL_NONE: unknown */
	uint8_t kind; /* enum mdl_span_kind */
	uint8_t fate; /* enum mdl_span_fate */
};

typedef void mdl_span_visit(void *data, const struct mdl_span *span);

/* True if SPAN can exist for a row of TYPE (enum mdl_row_type; MDL_ROW_TYPES: no row) in a trace with STRINGS
 * strings. */
bool mdl_span_holds(const struct mdl_span *span, unsigned type, uint32_t strings);

/* The machine has handled E. */
void mdl_span_event(struct mdl_machine *m, const struct mdl_event *e);

#endif
