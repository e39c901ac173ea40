/* SPDX-License-Identifier: MIT */
/*
 * How it works: what is open is kept by the thread, by the CPU, or by the address of the thing, and ends with
 * the event that belongs to it.  Only where the sink asks for spans.
 *
 *   - System calls are a thread's: the next exit is that of its entry (arch/x86/entry/common.c,
 *     kernel/entry/common.c).  sigreturn is none here (mdl_event_returns()).  An exit of another name, or a
 *     further entry, ends nothing: the call is told as lost.
 *   - What span/return.c has of a thread ends with its system call.
 *   - Handlers of interrupt lines nest on their CPU, the innermost ends first (__handle_irq_event_percpu() in
 *     kernel/irq/handle.c).  Of a threaded interrupt the part that runs in its hard context is meant: the
 *     thread has no such events.
 *   - A softirq of one vector runs once at a time on a CPU (handle_softirqs() in kernel/softirq.c; under
 *     PREEMPT_RT the lock of the CPU's softirq_ctrl sees to that).  Raising sets a bit: only the first raise
 *     since the last entry counts.
 *   - An hrtimer is due when timer/due.c says, and armed until it is cancelled (timer/timer.c).  One that expires
 *     within its slack was not late: it took no time.  One that is overdue as the trace ends is open.
 *   - A work item is pending from insert_work() on, and no second time until it begins (__queue_work() and
 *     process_one_work() in kernel/workqueue.c); it never runs twice at once, so its address stands for it.
 *     BH workqueues, since Linux 6.9, run it in a softirq (bh_worker()): it has the CPU for a worker.
 *   - Requests come from block/block.c and block/complete.c, when all of one is complete.
 *
 * Lost events (core/gap.c): a span of a CPU is lost with events of that CPU, all others with events of any.
 *
 * Where only the events of some threads are recorded (core/missing.c) those of interrupts and softirqs are
 * there that came upon one of these (trace_event_ignore_this_pid(), kernel/trace/trace_events.c).  What pends
 * from one context to another may have begun and been armed anew in between, unseen.
 */
#include "model/span/parts.h"

#include "model/core/missing.h"
#include "model/core/thread.h"

/* May the end of a span of KIND, or a further begin, be in a thread of which nothing was recorded? */
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

/* The types of rows (bits) that a span of each kind can have, and those of a span that is not over. */
static const struct {
	uint8_t rows, open;
} owners[MDL_SPAN_KINDS] = {
	[MDL_SPAN_SYSCALL] = { ROWS(MDL_ROW_THREAD), 0 },
	[MDL_SPAN_FUTEX] = { ROWS(MDL_ROW_THREAD), 0 },
	[MDL_SPAN_IRQ] = { ROWS(MDL_ROW_IRQ) | NO_ROW, 0 },
	[MDL_SPAN_SOFTIRQ] = { ROWS(MDL_ROW_SOFTIRQ) | NO_ROW, 0 },
	[MDL_SPAN_RAISE] = { ROWS(MDL_ROW_SOFTIRQ) | NO_ROW, 0 },
	[MDL_SPAN_TIMER] = { ROWS(MDL_ROW_CPU), NO_ROW },
	[MDL_SPAN_QUEUE] = { ROWS(MDL_ROW_THREAD) | ROWS(MDL_ROW_CPU), NO_ROW },
	[MDL_SPAN_WORK] = { ROWS(MDL_ROW_THREAD) | ROWS(MDL_ROW_CPU), 0 },
	[MDL_SPAN_BLOCK] = { ROWS(MDL_ROW_THREAD) | NO_ROW, 0 },
	[MDL_SPAN_BLOCK_QUEUE] = { ROWS(MDL_ROW_THREAD) | NO_ROW, 0 },
	[MDL_SPAN_BLOCK_DEVICE] = { ROWS(MDL_ROW_THREAD) | NO_ROW, 0 },
	[MDL_SPAN_RETURN] = { ROWS(MDL_ROW_THREAD), 0 },
	[MDL_SPAN_STEP] = { ROWS(MDL_ROW_THREAD) | NO_ROW, 0 },
};

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
	default: return true;
	}
}

bool mdl_span_holds(const struct mdl_span *span, unsigned type, uint32_t strings)
{
	unsigned rows = owners[span->kind].rows | (span->fate == MDL_SPAN_DONE ? 0 : owners[span->kind].open);

	return rows & ROWS(type) && span->fate <= MDL_SPAN_LOST && key_holds(span, strings);
}

/* ---- system calls ---- */

/* T returns, or does not, from the call in which an interrupt woke it; one that dies does not. */
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
	if (s->futex && !s->joins) /* a wait for a thread to end is none for a lock */
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

/* Where the time of ITEM, complete on CPU, or not over, went; nothing where that is not known. */
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

/*
 * A write without data is not given to the driver itself: its flush is, which is a request of its own.  One
 * with data that is flushed after them left the driver before that.
 */
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
