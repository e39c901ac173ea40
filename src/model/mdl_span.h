/* SPDX-License-Identifier: MIT */
/* Spans: from one event to another that belongs to it, as an entry and its exit.  Private to src/model but
 * for struct mdl_span, which leaves it through the sink. */
#ifndef MDL_SPAN_H
#define MDL_SPAN_H

#include "model/mdl_event.h"

struct mdl_item;
struct mdl_machine;
struct mdl_spans;
struct mdl_thread;

enum mdl_span_kind {
	MDL_SPAN_SYSCALL, /* row: the thread; key: string id of the call */
	MDL_SPAN_FUTEX,   /* a wait: row: the thread; key: address */
	MDL_SPAN_IRQ,     /* row: the line; key: its number << 32 | string id of the handler's name */
	MDL_SPAN_SOFTIRQ, /* row: the softirq of the CPU; key: vector */
	MDL_SPAN_RAISE,   /* from the first raise of a softirq to its entry; the same */
	MDL_SPAN_TIMER,   /* of an hrtimer, from when it was due to its expiry: row: the CPU; key: address of
			     its function */
	MDL_SPAN_QUEUE,   /* of a work item, until it begins: row: the worker; key: address of the function */
	MDL_SPAN_WORK,    /* of a work item, while it runs; the same */
	MDL_SPAN_BLOCK, /* of a request, until it is complete: row: the thread that asked, MDL_NONE none; key:
			   device << 8 | enum mdl_block_op */
	MDL_SPAN_BLOCK_QUEUE,  /* the same, until the driver has it first */
	MDL_SPAN_BLOCK_DEVICE, /* the same, from when the driver had it last until it is complete */
	MDL_SPAN_RETURN, /* from the interrupt that woke a thread to its return from the system call: row: the
			    thread; key: the line's number, -1 none, << 32 | string id of its or the vector's
			    name */
	MDL_SPAN_STEP,   /* one of the steps of a request, as far as they are over: row and CPU: of its spans;
			    key: a number of the request << 8 | enum mdl_step_what << 4 | enum mdl_grade */
	MDL_SPAN_KINDS
};

/* What became of a span. */
enum mdl_span_fate {
	MDL_SPAN_DONE,
	MDL_SPAN_OPEN, /* its end is not in the trace; END means nothing, as in the next */
	MDL_SPAN_LOST, /* events were lost that may have been its end */
	/* These of rules of one's own, no others: */
	MDL_SPAN_REPEATED,  /* it gave way to another of its key */
	MDL_SPAN_TIMED_OUT, /* it was not over within the rule's time-out */
	MDL_SPAN_GIVEN_UP,  /* too many were open */
	MDL_SPAN_UNMATCHED, /* an exit of which no entry was open */
	MDL_SPAN_FATES
};

struct mdl_span {
	int64_t start, end; /* ns */
	uint64_t key;
	uint32_t row; /* MDL_NONE none */
	uint32_t cpu; /* where it ended, or is; MDL_NONE unknown */
	uint8_t kind; /* enum mdl_span_kind */
	uint8_t fate; /* enum mdl_span_fate */
};

typedef void mdl_span_visit(void *data, const struct mdl_span *span);

struct mdl_spans *mdl_spans_new(void);
void mdl_spans_free(struct mdl_spans *s);

/* The machine has handled E. */
void mdl_span_event(struct mdl_machine *m, const struct mdl_event *e);
/* The request ITEM was complete at TIME on CPU. */
void mdl_span_request(struct mdl_machine *m, const struct mdl_item *item, int64_t time, uint32_t cpu);
/* Nothing is known any more of what CPU was at. */
void mdl_span_lose_cpu(struct mdl_machine *m, uint32_t cpu);
/* T is over; the trace, at TO. */
void mdl_span_over(struct mdl_machine *m, struct mdl_thread *t);
void mdl_span_finish(struct mdl_machine *m, int64_t to);

#endif
