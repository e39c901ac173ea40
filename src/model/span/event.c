/* SPDX-License-Identifier: MIT */
/* The events that begin and end spans; system calls. span/span.c has the rules. */
#include "model/block/block.h"
#include "model/span/parts.h"

#include "model/core/thread.h"

/* ---- system calls ---- */

#define FUTEX_PRIVATE 128 /* FUTEX_PRIVATE_FLAG of include/uapi/linux/futex.h */

/* True if E is FUTEX_WAIT, _LOCK_PI, _WAIT_BITSET, _WAIT_REQUEUE_PI or _LOCK_PI2 of
 * include/uapi/linux/futex.h, apart from its two flags. */
static bool is_futex_wait(const struct mdl_event *e)
{
	int64_t op = e->arg[MDL_FUTEX_OP];

	if (op == MDL_ARG_ABSENT)
		return false;
	op &= 0x7f;
	return op == 0 || op == 6 || op == 9 || op == 11 || op == 13;
}

static void call_event(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_thread *t = mdl_cpu_get(m, e->cpu)->current;
	struct mdl_span_thread *s;

	if (!t)
		return;
	if (mdl_event_returns(e)) {
		s = t->span;
		if (s && s->call_since != MDL_NEVER)
			mdl_span_end_call(m, t,
				!e->label || !s->call || e->label == s->call ? MDL_SPAN_DONE : MDL_SPAN_LOST);
		return;
	}
	if (!t->span) {
		t->span = g_new(struct mdl_span_thread, 1);
		t->span->call_since = MDL_NEVER;
	}
	mdl_span_end_call(m, t, MDL_SPAN_LOST);
	m->spans->calls++;
	*t->span = (struct mdl_span_thread){ .call_since = m->now,
		.call = e->label,
		.call_id = t->syscall,
		.futex = is_futex_wait(e),
		.is_shared = !(e->arg[MDL_FUTEX_OP] & FUTEX_PRIVATE),
		.address = mdl_event_address(e, MDL_FUTEX_UADDR),
		.woken = { .since = MDL_NEVER },
		.early = { .since = MDL_NEVER } };
}

/* ---- the whole ---- */

void mdl_span_event(struct mdl_machine *m, const struct mdl_event *e)
{
	switch ((enum mdl_kind)e->kind) {
	case MDL_EV_SYSCALL_ENTRY:
	case MDL_EV_SYSCALL_EXIT: call_event(m, e); break;
	case MDL_EV_SCHED_SWITCH:
	case MDL_EV_SCHED_WAKING:
	case MDL_EV_SCHED_WAKEUP: mdl_span_return(m, e); break;
	case MDL_EV_IRQ_ENTRY:
	case MDL_EV_IRQ_EXIT: mdl_span_irq(m, e); break;
	case MDL_EV_SOFTIRQ_RAISE:
	case MDL_EV_SOFTIRQ_ENTRY:
	case MDL_EV_SOFTIRQ_EXIT: mdl_span_softirq(m, e); break;
	case MDL_EV_HRTIMER_START:
	case MDL_EV_TIMER_CANCEL: mdl_span_arm(m, e); break;
	case MDL_EV_HRTIMER_ENTRY: mdl_span_timer(m, e); break;
	case MDL_EV_WORK_QUEUE:
	case MDL_EV_WORK_START:
	case MDL_EV_WORK_END: mdl_span_work(m, e); break;
	default: break;
	}
}

/* Hand out the requests that are left. One whose data are written, and after which nothing came, needed no
 * flush: it was complete then. */
static void finish_requests(struct mdl_machine *m)
{
	const GPtrArray *items = m->blocks->requests.items;

	for (guint i = 0; i < items->len; i++) {
		const struct mdl_item *item = items->pdata[i];

		mdl_span_request(m, item, item->stage == MDL_STAGE_FLUSHING ? item->written.time : MDL_NEVER,
			item->stage == MDL_STAGE_FLUSHING ? item->written.cpu : MDL_NONE);
	}
}

/* ---- the part ---- */

static void span_init(struct mdl_machine *m, G_GNUC_UNUSED const char *release)
{
	struct mdl_spans *s;

	if (!m->sink->span)
		return;
	s = m->spans = g_new0(struct mdl_spans, 1);
	s->cpus = g_ptr_array_new_with_free_func(g_free);
	s->queued = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
	s->timers = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
	s->run = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
	m->blocks->completed = mdl_span_request;
}

static void span_clear(struct mdl_machine *m)
{
	struct mdl_spans *s = m->spans;

	if (!s)
		return;
	g_ptr_array_unref(s->cpus);
	g_hash_table_unref(s->queued);
	g_hash_table_unref(s->run);
	g_hash_table_unref(s->timers);
	g_free(s);
}

static void span_clear_thread(struct mdl_thread *t)
{
	g_free(t->span);
}

static void span_lose(struct mdl_machine *m, uint32_t cpu, G_GNUC_UNUSED int64_t since)
{
	if (m->spans)
		mdl_span_end_cpu(m, cpu, MDL_SPAN_LOST);
}

static void span_over(struct mdl_machine *m, struct mdl_thread *t)
{
	if (t->span)
		mdl_span_end_call(m, t, MDL_SPAN_OPEN);
}

static void span_finish(struct mdl_machine *m, int64_t to)
{
	if (!m->spans)
		return;
	for (guint i = 0; i < m->threads.living->len; i++)
		span_over(m, m->threads.living->pdata[i]);
	for (uint32_t cpu = 0; cpu < m->spans->cpus->len; cpu++)
		if (m->spans->cpus->pdata[cpu])
			mdl_span_end_cpu(m, cpu, MDL_SPAN_OPEN);
	mdl_span_finish_works(m);
	mdl_span_finish_timers(m, to);
	finish_requests(m);
}

const struct mdl_part mdl_part_span = {
	.init = span_init,
	.clear = span_clear,
	.clear_thread = span_clear_thread,
	.lose = span_lose,
	.over = span_over,
	.finish = span_finish,
};
