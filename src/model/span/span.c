/* SPDX-License-Identifier: MIT */
/*
 * How it works: an open span is kept with its thread or CPU, or under the address of its object, and ends
 * with the event that belongs to it. Only if the sink wants spans.
 *
 *   - A system call belongs to a thread: the next exit is that of its entry (arch/x86/entry/common.c,
 *     kernel/entry/common.c). sigreturn is no call here (mdl_event_returns()). An exit with another name, or
 *     another entry, does not end it: the call is lost.
 *   - The state of span/return.c for a thread ends with its system call.
 *   - Handlers of interrupt lines nest on their CPU, and the innermost ends first
 *     (__handle_irq_event_percpu() in kernel/irq/handle.c). For a threaded interrupt the span is its part in
 *     hard interrupt context: the thread has no such events.
 *   - A softirq of one vector runs once at a time on a CPU (handle_softirqs() in kernel/softirq.c; under
 *     PREEMPT_RT the lock of the CPU's softirq_ctrl ensures that). Raising sets a bit: only the first raise
 *     since the last entry counts.
 *   - timer/due.c knows when an hrtimer is due. It is armed until it is cancelled (timer/timer.c). One that
 *     expires within its slack was not late: its span takes no time. One that is overdue at the end of the
 *     trace is open.
 *   - A work item is pending from insert_work() until it begins, and cannot be queued again meanwhile
 *     (__queue_work() and process_one_work() in kernel/workqueue.c). It never runs twice at once, so its
 *     address identifies it. BH workqueues, since Linux 6.9, run it in a softirq (bh_worker()): the CPU is
 *     the worker.
 *   - Requests come from block/block.c and block/complete.c, when all of a request is complete.
 *
 * Lost events (core/gap.c): a span of a CPU is lost if events of that CPU are, all other spans if events of
 * any CPU are.
 *
 * If only the events of some threads are recorded (core/missing.c), interrupts and softirqs have events only
 * on top of these threads (trace_event_ignore_this_pid(), kernel/trace/trace_events.c). A span that reaches
 * from one context into another may have ended and begun again in between, unseen.
 */
#include "model/span/parts.h"

#include "model/core/missing.h"
#include "model/core/thread.h"

/* True if the end of a span of KIND, or another begin, may be in a thread without recorded events. */
static bool is_beyond(const struct mdl_machine *m, enum mdl_span_kind kind)
{
	return (kind == MDL_SPAN_RAISE || kind == MDL_SPAN_TIMER || kind == MDL_SPAN_QUEUE) &&
		!mdl_missing_none(&m->missing) && mdl_missing_is_set(m);
}

void mdl_span_put(struct mdl_machine *m, enum mdl_span_kind kind, enum mdl_span_fate fate, int64_t start,
	int64_t end, uint32_t row, uint32_t cpu, uint64_t key)
{
	struct mdl_span span = { .start = start,
		.end = fate == MDL_SPAN_DONE ? end : start,
		.key = key,
		.row = row,
		.cpu = cpu,
		.kind = (uint8_t)kind,
		.fate = (uint8_t)fate };

	if (is_beyond(m, kind)) {
		span.end = start;
		span.fate = MDL_SPAN_LOST;
	}
	m->sink->span(m->data, &span);
}

enum mdl_span_fate mdl_span_fate_of(const struct mdl_machine *m, int64_t start, enum mdl_span_fate fate)
{
	return mdl_gap_since(&m->gaps, start) ? MDL_SPAN_LOST : fate;
}

/* ---- what there can be ---- */

#define ROWS(type) (1u << (type))
#define NO_ROW ROWS(MDL_ROW_TYPES)

/* The types of rows (bits) that SPAN can have.  A kind without a case here does not compile. */
static unsigned rows_of(const struct mdl_span *span)
{
	unsigned open = span->fate == MDL_SPAN_DONE ? 0 : NO_ROW;

	switch ((enum mdl_span_kind)span->kind) {
	case MDL_SPAN_SYSCALL:
	case MDL_SPAN_FUTEX:
	case MDL_SPAN_RETURN: return ROWS(MDL_ROW_THREAD);
	case MDL_SPAN_IRQ: return ROWS(MDL_ROW_IRQ) | NO_ROW;
	case MDL_SPAN_SOFTIRQ:
	case MDL_SPAN_RAISE: return ROWS(MDL_ROW_SOFTIRQ) | NO_ROW;
	case MDL_SPAN_TIMER: return ROWS(MDL_ROW_CPU) | open;
	case MDL_SPAN_QUEUE: return ROWS(MDL_ROW_THREAD) | ROWS(MDL_ROW_CPU) | open;
	case MDL_SPAN_WORK: return ROWS(MDL_ROW_THREAD) | ROWS(MDL_ROW_CPU);
	case MDL_SPAN_BLOCK:
	case MDL_SPAN_BLOCK_QUEUE:
	case MDL_SPAN_BLOCK_DEVICE:
	case MDL_SPAN_STEP: return ROWS(MDL_ROW_THREAD) | NO_ROW;
	case MDL_SPAN_KINDS: break;
	}
	return 0;
}

static bool key_holds(const struct mdl_span *span, uint32_t strings)
{
	switch ((enum mdl_span_kind)span->kind) {
	case MDL_SPAN_SYSCALL: return span->key < strings;
	case MDL_SPAN_IRQ:
	case MDL_SPAN_RETURN: return (uint32_t)span->key < strings;
	case MDL_SPAN_SOFTIRQ:
	case MDL_SPAN_RAISE: return span->key < MDL_SOFTIRQS;
	case MDL_SPAN_BLOCK:
	case MDL_SPAN_BLOCK_QUEUE:
	case MDL_SPAN_BLOCK_DEVICE: return (span->key & 0xff) < MDL_OPS;
	case MDL_SPAN_STEP: return (span->key >> 4 & 0xf) < MDL_STEPS && (span->key & 0xf) < MDL_GRADES;
	default: return true; /* an address, or no key */
	}
}

bool mdl_span_holds(const struct mdl_span *span, unsigned type, uint32_t strings)
{
	return rows_of(span) & ROWS(type) && span->fate <= MDL_SPAN_LOST && key_holds(span, strings);
}

/* ---- system calls ---- */

/* T returns from the call in which an interrupt woke it, or FATE. A thread that dies does not return. */
static void end_return(struct mdl_machine *m, const struct mdl_thread *t, enum mdl_span_fate fate)
{
	const struct mdl_span_irq *irq = &t->span->woken;

	if (irq->since != MDL_NEVER && t->phase != MDL_PH_EXITED)
		mdl_span_put(m, MDL_SPAN_RETURN, mdl_span_fate_of(m, irq->since, fate), irq->since, m->now,
			t->track->id, irq->cpu, irq->key);
}

void mdl_span_end_call(struct mdl_machine *m, struct mdl_thread *t, enum mdl_span_fate fate)
{
	struct mdl_span_thread *s = t->span;

	if (!s || s->call_since == MDL_NEVER)
		return;
	end_return(m, t, fate);
	fate = mdl_span_fate_of(m, s->call_since, fate);
	mdl_span_put(m, MDL_SPAN_SYSCALL, fate, s->call_since, m->now, t->track->id, t->cpu, s->call_id);
	if (s->futex && !s->joins) /* a wait for the end of a thread is no wait for a lock */
		mdl_span_put(m, MDL_SPAN_FUTEX, fate, s->call_since, m->now, t->track->id, t->cpu,
			s->address);
	s->call_since = MDL_NEVER;
	m->spans->calls--;
}

/* ---- requests ---- */

static void request_span(struct mdl_machine *m, const struct mdl_item *item, enum mdl_span_kind kind,
	int64_t start, int64_t end, uint32_t cpu)
{
	const struct mdl_request *r = &item->request;
	enum mdl_span_fate fate = end == MDL_NEVER ? MDL_SPAN_OPEN : MDL_SPAN_DONE;
	bool by_thread = r->submitter.time != MDL_NEVER && r->submitter.context == MDL_NONE;

	if (start != MDL_NEVER)
		mdl_span_put(m, kind, mdl_span_fate_of(m, start, fate), start, end,
			by_thread ? r->submitter.thread : MDL_NONE, cpu, (uint64_t)item->dev << 8 | r->op);
}

/* Hand out the steps of ITEM, which is complete on CPU, or not over. Steps with lost events are left out. */
static void step_spans(struct mdl_machine *m, const struct mdl_item *item, uint32_t cpu)
{
	const struct mdl_request *r = &item->request;
	bool by_thread = r->submitter.time != MDL_NEVER && r->submitter.context == MDL_NONE;
	int64_t from = r->begin;

	m->spans->requests++;
	for (unsigned i = 0; i < r->n_steps; i++) {
		const struct mdl_step *s = &r->steps[i];
		unsigned grade = item->doubtful ? MDL_INFERRED : mdl_grade_of(s->doubts);

		if (mdl_span_fate_of(m, from, MDL_SPAN_DONE) == MDL_SPAN_DONE)
			mdl_span_put(m, MDL_SPAN_STEP, MDL_SPAN_DONE, from, s->to,
				by_thread ? r->submitter.thread : MDL_NONE, cpu,
				m->spans->requests << 8 | (uint64_t)s->what << 4 | grade);
		from = s->to;
	}
}

/* A write without data does not go to the driver itself: its flush does, which is a request of its own. A
 * write with data that is flushed afterwards left the driver before that flush. */
void mdl_span_request(struct mdl_machine *m, const struct mdl_item *item, int64_t time, uint32_t cpu)
{
	if (!m->spans)
		return;
	request_span(m, item, MDL_SPAN_BLOCK, item->request.queued, time, cpu);
	if (time == MDL_NEVER || item->first_issued != MDL_NEVER)
		request_span(m, item, MDL_SPAN_BLOCK_QUEUE, item->request.queued, item->first_issued, cpu);
	if (item->first_issued != MDL_NEVER)
		request_span(m, item, MDL_SPAN_BLOCK_DEVICE, item->request.issued,
			item->written.time != MDL_NEVER ? item->written.time : time, cpu);
	step_spans(m, item, cpu);
}
