/* SPDX-License-Identifier: MIT */
/*
 * BLAME of cli.md: an interval of time in parts, by who it is put down to.  The parts sum to the interval
 * exactly; what is not known is a part, too.
 */
#ifndef ANA_BLAME_H
#define ANA_BLAME_H

#include "analysis/kind/kind.h"
#include "query/qry.h"

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

/* What the thread whose time it is was about meanwhile: "running", "late", … of cli.md. */
enum ana_phase {
	ANA_PHASE_NONE,        /* the time is a CPU's, not a thread's */
	ANA_PHASE_RUNNING,     /* it had a CPU */
	ANA_PHASE_INTERRUPTED, /* interrupts came upon it */
	ANA_PHASE_SLEEP,       /* it slept until a timer of its own was due */
	ANA_PHASE_LATE,        /* that was due and did not expire */
	ANA_PHASE_BLOCKED,     /* it waited for a thread, a device, the net */
	ANA_PHASE_WAKE_UP,     /* what ended its wait was on the way: interrupts, softirqs, IPIs */
	ANA_PHASE_WAIT_CPU,    /* it was woken and did not run yet */
	ANA_PHASE_PREEMPTED,   /* it could have gone on */
	ANA_PHASE_STOLEN,      /* it had a CPU of a guest whose virtual CPU was not inside the guest */
	ANA_PHASE_THROTTLED,   /* its control group's time of CPU was used up */
	ANA_PHASE_ABSENT,      /* it did not exist yet, or no more, or nothing is known of it */
	ANA_PHASE_N
};

struct ana_blame_part {
	enum ana_blame_what what;
	enum ana_phase phase;
	const char *step; /* static: of a device, or another thread's doing: "in the queue", "ran"; NULL none
			   */
	enum ana_grade grade; /* ANA_UNKNOWN for ANA_BLAME_UNKNOWN, and only for that */
	enum ana_grade alone; /* the same without GUEST, where there is one */
	const char *name; /* "wk-rt", "virtio2-req.0", "BLOCK", "reschedule"; NULL none or unknown; static, or
			 owned by the experiment */
	uint32_t host, cpu; /* CPU MDL_NONE none, or of a sum several */
	uint32_t row;       /* the thread, the interrupt line, the softirq; MDL_NONE none, or it has no row */
	uint32_t guest;     /* where ROW runs a CPU of a guest that was recorded: the thread that has that;
			       MDL_NONE unknown, or none */
	uint32_t context;   /* id of the interrupt context, on HOST; MDL_NONE none */
	uint32_t beneath; /* the thread that an interrupt came upon, the thread itself; MDL_NONE: none but the
			     idle thread, or unknown */
	int64_t from, to; /* where it began first and ended last */
	int64_t time;     /* ns in all; of a span TO − FROM */
	int64_t longest_from, longest_to; /* the longest of the spans that it is the sum of */
	int16_t priority;                 /* of the thread at FROM; MDL_PRIORITY_NONE unknown, or no thread */
};

struct ana_blame {
	int64_t from, to;
	GArray *parts; /* of struct ana_blame_part, the longest first, of equals the earlier; none when the
			  interval is empty */
	/* For ana_blame_*() alone: the places in PARTS, by whose each is. */
	uint32_t *slots;  /* owned: a place + 1, 0 none */
	unsigned n_slots; /* a power of two */
};

/* A part of nobody known on CPU (MDL_NONE: none) of HOST, proved but where WHAT is unknown. */
struct ana_blame_part ana_blame_part(enum ana_blame_what what, enum ana_phase phase, uint32_t host,
	uint32_t cpu);
/* Is PART the time of thread PART->row, on its host's CPU? */
bool ana_blame_is_thread(const struct ana_blame_part *part);
/* A span that is one's alone. */
typedef void (*ana_blame_span)(void *data, const struct ana_blame_part *span);

/*
 * Who had CPU of HOST in [FROM, TO), in order of time without hole or overlap: the innermost interrupt
 * context, else the thread, else nobody (idle).  Times that the trace says nothing about are spans, too.
 * MDL_NONE for CPU: nothing is known.  Costs as much as there are changes on the CPU.
 *
 * Of a guest's CPU whose host is open too, spans in which its virtual CPU was not inside the guest are
 * ANA_BLAME_VCPU, or it idled and its virtual CPU was woken and had no CPU: of who had the host's CPU (HOST,
 * CPU and ROW are the host's), or by NAME why it was left.
 */
void ana_blame_spans(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to,
	ana_blame_span span, void *data);

/*
 * Spans summed up by who it was, whatever an interrupt came upon (BENEATH of such parts is the first one's),
 * and by phase and step.  New, add all spans (BLAME is a struct ana_blame: this is an ana_blame_span), sort,
 * read the parts, free.
 */
struct ana_blame *ana_blame_new(int64_t from, int64_t to);
void ana_blame_add(void *blame, const struct ana_blame_part *span);
void ana_blame_sort(struct ana_blame *blame);
/* The place in parts of that to which SPAN, which was added, belongs. */
guint ana_blame_place(const struct ana_blame *blame, const struct ana_blame_part *span);
void ana_blame_free(struct ana_blame *blame);
/* How long each phase took, the longest first: of struct ana_blame_phase.  The caller unrefs. */
struct ana_blame_phase {
	enum ana_phase phase;
	int64_t time; /* ns */
};
GArray *ana_blame_phases(const struct ana_blame *blame);
/* Who had CPU of HOST in [FROM, TO), summed up. */
struct ana_blame *ana_blame_of_cpu(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to);
/* How sure it is that thread ROW waited for the CPU that its interval IV names: what is put down to who had
 * that is no surer. */
enum ana_grade ana_blame_wait_grade(struct qry *q, uint32_t row, const struct mdl_interval *iv);
/* What interrupt CONTEXT, open on CPU of HOST, is to be put down to; its times are not set. */
struct ana_blame_part ana_blame_context(const struct qry *q, uint32_t host, uint32_t cpu, uint32_t context);

const char *ana_blame_what_name(enum ana_blame_what what); /* "thread", static */
const char *ana_phase_name(enum ana_phase phase);          /* "wait-cpu", static; NULL: ANA_PHASE_NONE */
/* In words: "wk-rt[547]", "IRQ 28 virtio2-req.0", "softirq BLOCK", "the idle CPU 1", "not recorded".  The
 * caller frees. */
char *ana_blame_part_text(const struct qry *q, const struct ana_blame_part *part);
/* The same with its step: "wk-server[12] ran", "vdb in the queue".  The caller frees. */
char *ana_blame_words(const struct qry *q, const struct ana_blame_part *part);
/* The longest parts of BLAME, each by WORDS: "the idle CPU 1 2.05 ms, hrtimer 59.1 µs and 2 others"; NULL
 * when it has none.  The caller frees. */
char *ana_blame_text(const struct qry *q, const struct ana_blame *blame,
	char *(*words)(const struct qry *q, const struct ana_blame_part *part));
/* By what letter the part at PLACE stands in a drawing of an interval. */
char ana_blame_letter(guint place);

#endif
