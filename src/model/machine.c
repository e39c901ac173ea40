/* SPDX-License-Identifier: MIT */
#include "model/machine.h"

#include "model/block/block.h"
#include "model/kernel/calls.h"
#include "model/cause/chain.h"
#include "model/core/context.h"
#include "model/core/cpu.h"
#include "model/cause/deferred.h"
#include "model/block/disk.h"
#include "model/timer/due.h"
#include "model/core/gap.h"
#include "model/core/line.h"
#include "model/net/net.h"
#include "model/sched/prev.h"
#include "model/block/queue.h"
#include "model/core/recent.h"
#include "model/cause/sender.h"
#include "model/cause/signal.h"
#include "model/core/thread.h"
#include "model/timer/timer.h"
#include "model/core/track.h"
#include "model/guest/vcpu.h"
#include "model/work/work.h"

#include <string.h>

#define CPU_LIMIT 8192 /* NR_CPUS of the largest kernel configuration */

struct mdl_machine *mdl_machine_new(const struct mdl_sink *sink, void *data, const char *release)
{
	struct mdl_machine *m = g_new0(struct mdl_machine, 1);

	m->sink = sink;
	m->data = data;
	mdl_sched_init(m, release);
	m->gaps.lost_until = m->missing.last = MDL_NEVER;
	mdl_coverage_init(&m->coverage, release);
	m->strings = base_strings_new();
	m->cpus = g_ptr_array_new_with_free_func(mdl_cpu_free);
	m->irq_threads = g_hash_table_new(g_direct_hash, g_direct_equal);
	m->irq_calls = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
	m->labels = g_hash_table_new(g_direct_hash, g_direct_equal);
	m->works = mdl_work_table_new();
	mdl_track_init(&m->tracks);
	mdl_thread_init(&m->threads);
	mdl_context_init(&m->contexts);
	mdl_line_init(&m->lines);
	mdl_timer_init(&m->timers);
	mdl_net_init(&m->net);
	mdl_disk_init(&m->disks);
	mdl_block_init(&m->blocks);
	mdl_virq_init(&m->virqs);
	m->spans = sink->span ? mdl_spans_new() : NULL;
	for (unsigned i = 0, n = 0; i < MDL_FACTS_N; i++)
		if (mdl_fact_all[i]->collect)
			m->collectors[n++] = mdl_fact_all[i];
	return m;
}

struct mdl_coverage *mdl_machine_coverage(struct mdl_machine *m)
{
	return &m->coverage;
}

void mdl_machine_free(struct mdl_machine *m)
{
	if (!m)
		return;
	mdl_coverage_clear(&m->coverage);
	base_strings_free(m->strings);
	mdl_track_clear(&m->tracks);
	mdl_thread_clear(&m->threads);
	mdl_context_clear(&m->contexts);
	mdl_line_clear(&m->lines);
	mdl_sender_clear(&m->senders);
	mdl_timer_clear(&m->timers);
	mdl_net_clear(&m->net);
	mdl_disk_clear(&m->disks);
	mdl_block_clear(&m->blocks);
	mdl_virq_clear(&m->virqs);
	mdl_deferred_clear(&m->deferreds);
	mdl_recent_free(m->works);
	mdl_spans_free(m->spans);
	g_ptr_array_unref(m->cpus);
	g_hash_table_unref(m->irq_threads);
	g_hash_table_unref(m->irq_calls);
	g_hash_table_unref(m->labels);
	g_free(m->name);
	g_free(m->calls);
	g_free(m);
}

void mdl_machine_kind(struct mdl_machine *m, const char *kind)
{
	g_free(m->name);
	m->name = g_strdup(kind);
}

void mdl_machine_clock(struct mdl_machine *m, int64_t zero)
{
	mdl_due_know(&m->timers.zeros, zero);
}

void mdl_machine_saved(struct mdl_machine *m, int64_t tid, int64_t pid, const char *name)
{
	mdl_thread_saved(m, tid, pid, name);
}

void mdl_machine_begin(struct mdl_machine *m, int64_t from)
{
	m->from = m->now = m->coverage.now = from;
	m->gaps.lost_until = from - 1; /* what came before was not recorded */
}

/* What is so as of the last event of a CPU alone. */
enum { WOKEN = 1, POSTED = 2, POSTING = 4, RAISED = 8, LEAVING = 16, LENT = 32, QUEUED = 64, ALL = 127 };
/* The rest of a wake-up; not what concerns the one that is woken next. */
#define WAKE (ALL & ~(LENT | QUEUED))

/* What is still so after an event of each kind. */
static const uint8_t keeps[MDL_EV_N] = {
	/* Of these only some are delivered. */
	[MDL_EV_NONE] = ALL,
	/* They are none of the trace. */
	[MDL_EV_FIRST] = ALL,
	[MDL_EV_RUNS] = ALL,
	[MDL_EV_HOLE] = ALL,
	[MDL_EV_SCHED_WAKING] = WAKE,
	[MDL_EV_SCHED_WAKEUP] = WAKE,
	[MDL_EV_SCHED_MIGRATE] = ALL,
	[MDL_EV_IPI_SEND] = WOKEN, /* to the CPU of the woken one: smp_send_reschedule() */
	[MDL_EV_SOFTIRQ_RAISE] = RAISED,
	[MDL_EV_IRQ_EXIT] = LEAVING,
	[MDL_EV_SOFTIRQ_EXIT] = LEAVING,
	[MDL_EV_HRTIMER_EXIT] = LEAVING,
	[MDL_EV_VECTOR_EXIT] = LEAVING,
	[MDL_EV_IPI_EXIT] = LEAVING,
	[MDL_EV_PI_SETPRIO] = LENT,
	[MDL_EV_WORK_QUEUE] = QUEUED,
	[MDL_EV_VIRQ_POST] = POSTED | POSTING,
	[MDL_EV_VIRQ_BY] = POSTING,
	[MDL_EV_KVM] = POSTING,
};

/* Is E the start anew of the timer whose function has just returned on C?  Behind its exit: the interrupt
 * goes on (__run_hrtimer(), kernel/time/hrtimer.c). */
static bool is_restart(const struct mdl_cpu *c, const struct mdl_event *e)
{
	return e->kind == MDL_EV_HRTIMER_START && c->leaving && c->leaving->type == MDL_CTX_HRTIMER &&
		c->leaving->expired_timer == mdl_event_address(e, MDL_TIMER_TIMER);
}

/*
 * Who is put on a run queue may start timers of the scheduler, or take them back: the server of fair threads
 * (dl_server_start(), dl_server_update(), since Linux 6.8), the period of a quota (start_cfs_bandwidth()),
 * the sums of pressure (psi_task_change(), a timer of the wheel).  That is between sched_waking and
 * sched_wakeup, with interrupts off (try_to_wake_up(), kernel/sched/core.c), where both are on one CPU; else
 * it is something that the waker does afterwards.
 */
static bool may_be_in_wake(const struct mdl_cpu *c, const struct mdl_event *e)
{
	return c->waking != 0 &&
		(e->kind == MDL_EV_HRTIMER_START || e->kind == MDL_EV_TIMER_START ||
			e->kind == MDL_EV_TIMER_CANCEL);
}

static bool ends_wake(const struct mdl_cpu *c, const struct mdl_event *e)
{
	return e->kind == MDL_EV_SCHED_WAKEUP && e->arg[MDL_WAKE_TID] == c->waking;
}

/* Says E nothing of whether the wake-up before it is over? */
static bool tells_no_end(const struct mdl_event *e)
{
	return keeps[e->kind] == ALL || e->kind == MDL_EV_IPI_SEND;
}

/* E comes next on C: was what came since sched_waking a part of that wake-up? */
static void check_wake(struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_event *e)
{
	if (may_be_in_wake(c, e) || ends_wake(c, e) || tells_no_end(e))
		return;
	mdl_signal_pass(m, c);
	c->waking = 0;
	c->is_waking_open = false;
}

static void note_wake(struct mdl_cpu *c, const struct mdl_event *e)
{
	c->is_waking_open = may_be_in_wake(c, e) || (c->is_waking_open && tells_no_end(e));
	if (e->kind == MDL_EV_SCHED_WAKING)
		c->waking = e->arg[MDL_WAKE_TID];
	else if (!c->is_waking_open && !tells_no_end(e))
		c->waking = 0;
}

/* E has come on C: forget what was so as of the event before alone. */
static void pass(struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_event *e)
{
	unsigned kept = is_restart(c, e) ? LEAVING : keeps[e->kind];

	c->heard = m->now;
	if (c->waking != 0 || e->kind == MDL_EV_SCHED_WAKING)
		note_wake(c, e);
	if (c->n_woken > 0 && !(kept & WOKEN) && !c->is_waking_open)
		mdl_signal_pass(m, c);
	if (!(kept & POSTED))
		c->posted = 0;
	if (!(kept & POSTING))
		c->posting.by = MDL_VIRQ_BY_UNKNOWN;
	if (!(kept & RAISED))
		c->raised.just = 0;
	if (!(kept & LEAVING))
		c->leaving = NULL;
	if (!(kept & LENT))
		c->gave_lent = false;
	if (!(kept & QUEUED))
		c->has_just_queued = false;
}

/* Where switches are missing: whose event is E? */
static void note_own(struct mdl_machine *m, const struct mdl_event *e)
{
	const struct mdl_cpu *c = mdl_cpu_peek(m, e->cpu);

	if (e->rank == 0 || e->aside || e->kind == MDL_EV_NONE || e->kind == MDL_EV_SCHED_SWITCH ||
		e->kind == MDL_EV_SCHED_WAKING || e->kind == MDL_EV_SCHED_WAKEUP ||
		e->kind == MDL_EV_SCHED_WAKEUP_NEW)
		return;
	if (c && c->current && c->current != c->idle)
		mdl_missing_own(m, c->current);
}

/* The name of the call of E, which tells its number; NULL: unknown (kernel/calls.c). */
static const char *name_call(struct mdl_machine *m, const struct mdl_event *e)
{
	int64_t width = e->arg[MDL_CALL_WIDTH];
	struct mdl_thread *t = mdl_cpu_get(m, e->cpu)->current;
	const char *name;

	if (!m->calls && m->name)
		m->calls = mdl_calls_new(m->name,
			width == MDL_ARG_ABSENT ? strstr(m->name, "64") || g_str_equal(m->name, "s390x")
						: width != MDL_WIDTH_KERNEL);
	name = mdl_calls_name(m->calls, e->arg[MDL_CALL_RAW]);
	if (t)
		t->is_wide |= width == MDL_WIDTH_WIDE;
	if (width == MDL_WIDTH_NARROW && !(t && t->is_wide))
		return NULL;
	if (t && name && g_str_has_prefix(name, "execve")) /* the next program may be another */
		t->is_wide = false;
	return name;
}

void mdl_machine_event(struct mdl_machine *m, const struct mdl_event *e)
{
	struct mdl_event none, named;
	struct mdl_cpu *c;

	if (e->cpu >= CPU_LIMIT)
		return;
	if (e->kind == MDL_EV_SYSCALL_ENTRY && G_UNLIKELY(!e->label)) {
		named = *e;
		named.label = name_call(m, e);
		e = &named;
	}
	if (G_UNLIKELY(m->tracks.over->len > 0)) {
		g_ptr_array_set_size(m->threads.ended, 0);
		g_ptr_array_set_size(m->tracks.over, 0);
	}
	m->now = e->time;
	m->told = e->told;
	mdl_coverage_event(&m->coverage, e);
	if (e->kind == MDL_EV_SCHED_WAKEUP && G_UNLIKELY(!mdl_event_wakes(e))) {
		none = *e;
		none.kind = MDL_EV_NONE;
		e = &none;
	}
	c = mdl_cpu_get(m, e->cpu);
	if (G_UNLIKELY(c->stops) && m->now - c->heard > MDL_SCHED_STOPPED)
		mdl_sched_stopped(m, e->cpu);
	/* Who ran first is told with the first event of the CPU. */
	if (m->gaps.open > 0 &&
		(e->rank > 0 || (e->kind == MDL_EV_FIRST && e->arg[MDL_FIRST_TID] != MDL_ARG_ABSENT)))
		mdl_gap_resume(m, e->cpu);
	if (m->guests > 0 && e->rank > 0)
		mdl_vcpu_leave(m, e->cpu);
	if (c->is_unseen || e->told & MDL_TOLD_WITHIN)
		mdl_within_tell(m, e);
	if (G_UNLIKELY(m->missing.n > 0))
		note_own(m, e);
	if (G_UNLIKELY(c->is_waking_open))
		check_wake(m, c, e);
	mdl_dispatch_event(m, e);
	if (m->spans)
		mdl_span_event(m, e);
	pass(m, c, e);
}

/* The trace ends at TO. */
static void finish_stopped(struct mdl_machine *m, int64_t to)
{
	for (uint32_t i = 0; i < m->cpus->len; i++) {
		const struct mdl_cpu *c = mdl_cpu_peek(m, i);

		if (c && c->stops && to - c->heard > MDL_SCHED_STOPPED)
			mdl_sched_stopped(m, i);
	}
}

void mdl_machine_finish(struct mdl_machine *m, int64_t to)
{
	finish_stopped(m, to);
	for (guint i = 0; i < m->threads.living->len; i++) {
		mdl_thread_doubt(m, g_ptr_array_index(m->threads.living, i));
		mdl_sched_finish(m, g_ptr_array_index(m->threads.living, i));
		mdl_deferred_drop(m, g_ptr_array_index(m->threads.living, i));
	}
	mdl_timer_finish(m);
	mdl_virq_over(m, NULL);
	mdl_span_finish(m, to);
	mdl_thread_recall(m);
	mdl_queue_finish(m);
	while (m->tracks.living->len > 0)
		mdl_track_end(m, g_ptr_array_index(m->tracks.living, m->tracks.living->len - 1), to);
}

uint32_t mdl_machine_context_count(const struct mdl_machine *m)
{
	return m->contexts.all->len;
}

const struct mdl_context *mdl_machine_context(const struct mdl_machine *m, uint32_t context)
{
	return mdl_context_get(m, context);
}

const struct base_strings *mdl_machine_strings(const struct mdl_machine *m)
{
	return m->strings;
}

const GArray *mdl_machine_devices(const struct mdl_machine *m)
{
	return m->disks.devices;
}

void mdl_machine_lacks_switches(struct mdl_machine *m)
{
	m->tracks.lacks_switches = true;
}

void mdl_machine_names_nobody(struct mdl_machine *m)
{
	m->sched.names_nobody = true;
}

uint64_t mdl_machine_memory(const struct mdl_machine *m)
{
	return m->tracks.memory;
}

uint64_t mdl_machine_gone_over(const struct mdl_machine *m)
{
	return m->gaps.gone_over;
}

uint64_t mdl_machine_switches(const struct mdl_machine *m)
{
	return m->sched.switches;
}

void mdl_machine_set_away_only(struct mdl_machine *m)
{
	m->sched.away_only = true;
	m->tracks.lacks_switches = true;
}

bool mdl_machine_away_only(const struct mdl_machine *m)
{
	return m->sched.away_only;
}

bool mdl_machine_has_set(const struct mdl_machine *m)
{
	return mdl_missing_is_set(m);
}

const struct mdl_vcpu_notes *mdl_machine_vcpu_notes(const struct mdl_machine *m)
{
	return &m->vcpu_notes;
}

uint64_t mdl_machine_lost_virqs(const struct mdl_machine *m)
{
	return m->virqs.lost;
}

uint64_t mdl_machine_bad_tids(const struct mdl_machine *m)
{
	return m->threads.bad_tids;
}
