/* SPDX-License-Identifier: MIT */
/*
 * BLAME of cli.md: an interval of time in parts, by who it is put down to.  The parts sum to the interval
 * exactly; what is not known is a part, too.
 */
#ifndef ANA_BLAME_H
#define ANA_BLAME_H

#include "analysis/ana_source.h"

/* "thread", "irq", … of cli.md. */
enum ana_blame_what {
	ANA_BLAME_THREAD,
	ANA_BLAME_IRQ,
	ANA_BLAME_SOFTIRQ,
	ANA_BLAME_IPI,
	ANA_BLAME_IDLE,
	ANA_BLAME_DEVICE,
	ANA_BLAME_NETWORK,
	ANA_BLAME_TIMER,
	ANA_BLAME_SLEEP,
	ANA_BLAME_THROTTLED,
	ANA_BLAME_VCPU,
	ANA_BLAME_RUNNING,
	ANA_BLAME_UNKNOWN,
	ANA_BLAME_N
};

struct ana_blame_part {
	enum ana_blame_what what;
	enum ana_grade grade; /* ANA_UNKNOWN for ANA_BLAME_UNKNOWN, and only for that */
	const char *name; /* "wk-rt", "virtio2-req.0", "BLOCK", "reschedule"; NULL none or unknown; static, or
			     owned by the experiment */
	uint32_t host, cpu; /* CPU MDL_NONE none */
	uint32_t row;       /* the thread, the interrupt line, the softirq; MDL_NONE none, or it has no row */
	uint32_t context;   /* id of the interrupt context, on HOST; MDL_NONE none */
	uint32_t beneath; /* the thread that an interrupt came upon, the thread itself; MDL_NONE: none but the
			     idle thread, or unknown */
	int64_t from, to; /* where it began first and ended last */
	int64_t time;     /* ns in all; of a span TO − FROM */
	int16_t priority; /* of the thread at FROM; MDL_PRIORITY_NONE unknown, or no thread */
};

struct ana_blame {
	int64_t from, to;
	GArray *parts; /* of struct ana_blame_part, the longest first, of equals the earlier; none when the
			  interval is empty */
};

/* A span that is one's alone. */
typedef void (*ana_blame_span)(void *data, const struct ana_blame_part *span);

/*
 * Who had CPU of HOST in [FROM, TO), in order of time without hole or overlap: the innermost interrupt
 * context, else the thread, else nobody (idle).  Times that the trace says nothing about are spans, too.
 * MDL_NONE for CPU: nothing is known.  Costs as much as there are changes on the CPU.
 */
void ana_blame_spans(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to,
	ana_blame_span span, void *data);

/* The same summed up by who it was, whatever an interrupt came upon; BENEATH of such parts is the first
 * one's. */
struct ana_blame *ana_blame_of_cpu(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to);
void ana_blame_free(struct ana_blame *blame);
/* Add the parts of MORE, an interval that follows that of BLAME, or one of another CPU at that time. */
void ana_blame_merge(struct ana_blame *blame, const struct ana_blame *more);

const char *ana_blame_what_name(enum ana_blame_what what); /* "thread", static */
/* In words: "wk-rt[547]", "IRQ 28 virtio2-req.0", "softirq BLOCK", "the idle CPU 1", "not recorded".  The
 * caller frees. */
char *ana_blame_part_text(const struct qry *q, const struct ana_blame_part *part);

#endif
