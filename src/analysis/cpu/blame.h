/* SPDX-License-Identifier: MIT */
/* BLAME of cli.md: the parts of an interval of time, each put down to somebody.  The parts sum exactly to the
 * interval; unknown time is a part, too. */
#ifndef ANA_BLAME_H
#define ANA_BLAME_H

#include "analysis/kind/kind.h"
#include "query/qry.h"

/* Names in cli.md: "thread", "irq", …. */
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
	ANA_BLAME_SUSPEND,
	ANA_BLAME_RUNNING,
	ANA_BLAME_UNKNOWN,
	ANA_BLAME_N
};

/* The phase of the thread whose time it is: "running", "late", … in cli.md. */
enum ana_phase {
	ANA_PHASE_NONE,        /* the time is a CPU's, not a thread's */
	ANA_PHASE_RUNNING,     /* it was on a CPU */
	ANA_PHASE_INTERRUPTED, /* interrupts ran on top of it */
	ANA_PHASE_IPI_WAIT,    /* it was on a CPU, and waited for other CPUs to take an IPI */
	ANA_PHASE_WAITING,     /* it was on a CPU, in a state that the user declared to be a wait */
	ANA_PHASE_SLEEP,       /* it slept until its own timer was due */
	ANA_PHASE_LATE,        /* its timer was due and had not expired */
	ANA_PHASE_BLOCKED,     /* it waited for a thread, a device, the network */
	ANA_PHASE_WAKE_UP,     /* the end of its wait was on the way: interrupts, softirqs, IPIs */
	ANA_PHASE_WAIT_CPU,    /* it was runnable after a wake-up, not yet on a CPU */
	ANA_PHASE_PREEMPTED,   /* it was preempted */
	ANA_PHASE_STOLEN,      /* it was on a CPU of a guest, and the virtual CPU was not inside the guest */
	ANA_PHASE_THROTTLED,   /* its control group's CPU quota was used up */
	ANA_PHASE_ABSENT,      /* it did not exist (yet, or any more), or nothing is known of it */
	ANA_PHASE_N
};

struct ana_blame_part {
	enum ana_blame_what what;
	enum ana_phase phase;
	/* Static: step of a device, or action of another thread: "in the queue", "ran"; "polling" for the
	 * thread's own time; "idle state 3" of an idle CPU; NULL: none. */
	const char *step;
	mdl_doubts doubts; /* UNKNOWN if and only if WHAT is ANA_BLAME_UNKNOWN */
	mdl_doubts alone;  /* DOUBTS without those about GUEST */
	/* "wk-rt", "virtio2-req.0", "BLOCK", "reschedule"; NULL none or unknown.  Static, or owned by the
	 * experiment. */
	const char *name;
	uint32_t host, cpu; /* CPU: MDL_NONE none, or several in a sum */
	uint32_t row;       /* of the thread, IRQ or softirq; MDL_NONE none */
	/* If ROW runs a CPU of a recorded guest: the guest's thread on that CPU; MDL_NONE unknown or none. */
	uint32_t guest;
	uint32_t context; /* id of the interrupt context on HOST; MDL_NONE none */
	/* The interrupted thread; for a thread, the thread itself. MDL_NONE: the idle thread, or unknown. */
	uint32_t beneath;
	int64_t from, to;                 /* begin of its first span, end of its last */
	int64_t time;                     /* ns in total; of a single span TO − FROM */
	int64_t longest_from, longest_to; /* the longest span in it */
	/* Of ANA_BLAME_RUNNING with a STEP: number of calls of NAME by which the thread polled. */
	uint64_t calls;
	int16_t priority; /* of the thread at FROM; MDL_PRIORITY_NONE unknown, or no thread */
};

struct ana_blame {
	int64_t from, to;
	/* Of struct ana_blame_part, longest first, then earliest first.  Empty if the interval is empty. */
	GArray *parts;
	/* Private to blame.c: a hash table from the owner of a part to its place in PARTS. */
	uint32_t *slots;  /* owned: place + 1; 0 free */
	unsigned n_slots; /* a power of two */
};

/* A part with an unknown owner, on CPU (MDL_NONE: none) of HOST. Proved, unless WHAT is unknown. */
struct ana_blame_part ana_blame_part(enum ana_blame_what what, enum ana_phase phase, uint32_t host,
	uint32_t cpu);
/* True if PART is time of thread PART->row on a CPU of its host. */
bool ana_blame_is_thread(const struct ana_blame_part *part);
/* Receives a span of one owner. */
typedef void (*ana_blame_span)(void *data, const struct ana_blame_part *span);

/*
 * Pass each owner of CPU of HOST in [FROM, TO) to SPAN, in order of time, without gap or overlap: the
 * innermost interrupt context, else the thread, else the idle thread. Unrecorded time is also a span, as is
 * the whole interval if CPU is MDL_NONE. Costs time in the number of changes on the CPU.
 *
 * If the host of a guest is open too: ANA_BLAME_VCPU are spans in which the guest's virtual CPU was not
 * inside the guest, or the guest's CPU idled while the virtual CPU was woken and had no CPU. They name the
 * owner of the host's CPU (HOST, CPU and ROW are the host's), or in NAME the reason of the exit.
 */
void ana_blame_spans(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to,
	ana_blame_span span, void *data);

/* Sum up spans by owner, phase and step. BENEATH does not separate them: it becomes that of the first span.
 * Call new, add for each span, sort, read PARTS, free (NULL: nothing). ana_blame_add() is an ana_blame_span,
 * so its BLAME is a void *. [FROM, TO) is the whole time, ns. */
struct ana_blame *ana_blame_new(int64_t from, int64_t to);
void ana_blame_add(void *blame, const struct ana_blame_part *span);
void ana_blame_sort(struct ana_blame *blame);
/* The place in PARTS of the part that contains SPAN, which was added. */
guint ana_blame_place(const struct ana_blame *blame, const struct ana_blame_part *span);
void ana_blame_free(struct ana_blame *blame);
/* The time of each phase (struct ana_blame_phase), longest first.  The caller unrefs. */
struct ana_blame_phase {
	enum ana_phase phase;
	int64_t time; /* ns */
};
GArray *ana_blame_phases(const struct ana_blame *blame);
/* The time of PHASE, ns. */
int64_t ana_blame_phase_time(const struct ana_blame *blame, enum ana_phase phase);
/* The owners of CPU of HOST in [FROM, TO), summed up. */
struct ana_blame *ana_blame_of_cpu(struct qry *q, uint32_t host, uint32_t cpu, int64_t from, int64_t to);
/* The doubts about whether thread ROW waited for the CPU that its interval IV names; NEXT follows IV, NULL:
 * it is looked up. Time that is put down to the owner of that CPU has the same doubts. */
mdl_doubts ana_blame_wait_doubts(struct qry *q, uint32_t row, const struct mdl_interval *iv,
	const struct mdl_interval *next);
/* A part for interrupt CONTEXT, active on CPU of HOST at TIME, without times. */
struct ana_blame_part ana_blame_context(const struct qry *q, uint32_t host, uint32_t cpu, uint32_t context,
	int64_t time);

const char *ana_blame_what_name(enum ana_blame_what what); /* "thread", static */
const char *ana_phase_name(enum ana_phase phase);          /* "wait-cpu", static; NULL: ANA_PHASE_NONE */
/* As text: "wk-rt[547]", "IRQ 28 virtio2-req.0", "softirq BLOCK", "the idle CPU 1 in idle state 3", "not
 * recorded".  The caller frees. */
char *ana_blame_part_text(const struct qry *q, const struct ana_blame_part *part);
/* Like ana_blame_part_text(), with its step: "wk-server[12] ran", "vdb in the queue".  The caller frees. */
char *ana_blame_words(const struct qry *q, const struct ana_blame_part *part);
/* The longest parts of BLAME, each as WORDS gives it: "the idle CPU 1 2.05 ms, hrtimer 59.1 µs and 2 others";
 * NULL if it has none.  The caller frees. */
char *ana_blame_text(const struct qry *q, const struct ana_blame *blame,
	char *(*words)(const struct qry *q, const struct ana_blame_part *part));
/* The letter for the part at PLACE in a drawing of an interval. */
char ana_blame_letter(guint place);

#endif
