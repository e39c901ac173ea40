/* SPDX-License-Identifier: MIT */
#include "model/machine.h"

#include "model/block/block.h"
#include "model/cause/level.h"
#include "model/cause/parts.h"
#include "model/core/cpu.h"
#include "model/dispatch.h"
#include "model/guest/parts.h"
#include "model/kernel/calls.h"
#include "model/net/net.h"
#include "model/power/power.h"
#include "model/span/parts.h"
#include "model/sched/sched.h"
#include "model/timer/timer.h"
#include "model/work/work.h"

#include <string.h>

#define CPU_LIMIT 8192 /* NR_CPUS of the largest kernel configuration */

/* In the order in which their hooks are called: a part that ends a wait before one that hands out its
 * results. */
static const struct mdl_part *const parts[MDL_PARTS + 1] = { &mdl_part_sched, &mdl_part_cause,
	&mdl_part_timer, &mdl_part_guest, &mdl_part_block, &mdl_part_span, &mdl_part_net, &mdl_part_work,
	&mdl_part_power, &mdl_part_counts };

/* Events of which a recording delivers only some, records that are no events of the trace, and events that no
 * rule about wake-ups asks for: they end no bits. */
static const uint8_t aside[] = { MDL_EV_NONE, MDL_EV_FIRST, MDL_EV_RUNS, MDL_EV_HOLE, MDL_EV_CGROUP,
	MDL_EV_SCHED_MIGRATE, MDL_EV_COUNTS, MDL_EV_CPU_IDLE };

static void init_parts(struct mdl_machine *m, const char *release)
{
	unsigned n_pass = 0, n_collect = 0, n_doubt = 0;

	m->parts = parts;
	for (size_t i = 0; i < G_N_ELEMENTS(aside); i++)
		m->keeps[aside[i]] = MDL_JUST_ALL;
	for (const struct mdl_part *const *p = parts; *p; p++) {
		mdl_part_keep(m, &(*p)->machine);
		if ((*p)->init)
			(*p)->init(m, release);
		if ((*p)->pass)
			m->pass[n_pass++] = *p;
		if ((*p)->collect)
			m->collect[n_collect++] = *p;
		if ((*p)->doubt)
			m->doubt[n_doubt++] = *p;
		for (const struct mdl_keep *k = (*p)->keeps; k && k->kind != MDL_EV_NONE; k++)
			m->keeps[k->kind] |= k->bits;
	}
}

struct mdl_machine *mdl_machine_new(const struct mdl_sink *sink, void *data, const char *release)
{
	struct mdl_machine *m = g_new0(struct mdl_machine, 1);

	m->sink = sink;
	m->data = data;
	m->gaps.lost_until = m->gaps.whole = m->missing.last = MDL_NEVER;
	mdl_coverage_init(&m->coverage, release);
	m->strings = base_strings_new();
	m->cpus = g_ptr_array_new();
	m->labels = g_hash_table_new(g_direct_hash, g_direct_equal);
	mdl_track_init(&m->tracks);
	mdl_thread_init(&m->threads);
	mdl_context_init(&m->contexts);
	mdl_line_init(&m->lines);
	init_parts(m, release);
	return m;
}

void mdl_machine_free(struct mdl_machine *m)
{
	if (!m)
		return;
	mdl_thread_free_all(m);
	mdl_cpu_free(m);
	for (const struct mdl_part *const *p = parts; *p; p++) {
		if ((*p)->clear)
			(*p)->clear(m);
		mdl_part_drop(m, &(*p)->machine);
	}
	mdl_coverage_clear(&m->coverage);
	base_strings_free(m->strings);
	mdl_track_clear(&m->tracks);
	mdl_context_clear(&m->contexts);
	mdl_line_clear(&m->lines);
	g_hash_table_unref(m->labels);
	g_free(m->name);
	g_free(m->calls);
	g_free(m);
}

struct mdl_coverage *mdl_machine_coverage(struct mdl_machine *m)
{
	return &m->coverage;
}

void mdl_machine_kind(struct mdl_machine *m, const char *kind)
{
	g_free(m->name);
	m->name = g_strdup(kind);
}

void mdl_machine_clock(struct mdl_machine *m, int64_t zero)
{
	mdl_due_know(&m->timers->zeros, zero);
}

void mdl_machine_clock_goes_on(struct mdl_machine *m)
{
	m->power->goes_on = true;
}

void mdl_machine_saved(struct mdl_machine *m, int64_t tid, int64_t pid, const char *name)
{
	mdl_thread_saved(m, tid, pid, name);
}

void mdl_machine_begin(struct mdl_machine *m, int64_t from)
{
	m->from = m->now = m->coverage.now = from;
	m->gaps.lost_until = from - 1; /* earlier events were not recorded */
}

void mdl_machine_cut(struct mdl_machine *m, int64_t whole,
	bool (*passed)(const void *data, int64_t tid, int64_t since), const void *data)
{
	m->gaps.whole = whole;
	m->gaps.passed = passed;
	m->gaps.passed_data = data;
}

void mdl_machine_calls_of(struct mdl_machine *m, bool (*has_calls)(const void *data, int64_t tid),
	const void *data)
{
	m->has_calls = has_calls;
	m->calls_data = data;
}

/* BITS end on C. */
static void forget_just(struct mdl_machine *m, struct mdl_cpu *c, unsigned bits)
{
	c->just &= (uint8_t)~bits;
	for (const struct mdl_part *const *p = m->pass; *p; p++)
		(*p)->pass(m, c, bits);
}

/* E has come on C: end the bits that held by the event before and that E does not keep. */
static void pass(struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_event *e)
{
	unsigned gone;

	c->heard = m->now;
	if (c->cause->waking != 0 || e->kind == MDL_EV_SCHED_WAKING)
		mdl_woken_after(m, c, e);
	gone = c->just & ~(unsigned)m->keeps[e->kind];
	if (G_LIKELY(gone == 0))
		return;
	if (c->cause->is_waking_open)
		gone &= ~(unsigned)MDL_JUST_WOKEN;
	if (gone & MDL_JUST_LEAVING && mdl_level_restarts(c, e))
		gone &= ~(unsigned)MDL_JUST_LEAVING;
	if (gone != 0)
		forget_just(m, c, gone);
}

/* If switches are missing: E shows that the thread on its CPU has events of its own. */
static void note_own(struct mdl_machine *m, const struct mdl_event *e)
{
	const struct mdl_cpu *c = mdl_cpu_peek(m, e->cpu);

	if (e->rank == 0 || e->aside || e->kind == MDL_EV_NONE || e->kind == MDL_EV_COUNTS ||
		e->kind == MDL_EV_SCHED_SWITCH || e->kind == MDL_EV_SCHED_WAKING ||
		e->kind == MDL_EV_SCHED_WAKEUP || e->kind == MDL_EV_SCHED_WAKEUP_NEW)
		return;
	if (c && c->current && c->current != c->idle)
		mdl_missing_own(m, c->current);
}

/* The name of the call of E, which has only its number; NULL: unknown (kernel/calls.c). */
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
		mdl_thread_free_ended(m);
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
	if (G_UNLIKELY(c->stops != MDL_STOPS_NOT))
		mdl_sched_stopped(m, e->cpu, m->now);
	/* MDL_EV_FIRST with a thread comes with the first event of the CPU. */
	if (m->gaps.open > 0 &&
		(e->rank > 0 || (e->kind == MDL_EV_FIRST && e->arg[MDL_FIRST_TID] != MDL_ARG_ABSENT)))
		mdl_gap_resume(m, e->cpu);
	if (m->guests->n > 0 && e->rank > 0)
		mdl_vcpu_leave(m, e->cpu);
	if (G_UNLIKELY(c->sleeps != MDL_IDLE_ONLINE) && e->kind > MDL_EV_GAP_END &&
		e->kind != MDL_EV_CPU_IDLE) {
		c->sleeps = MDL_IDLE_ONLINE;
		mdl_cpu_refresh(m, e->cpu);
	}
	if (c->is_unseen || e->told & MDL_TOLD_WITHIN)
		mdl_within_tell(m, e);
	if (G_UNLIKELY(m->missing.n > 0))
		note_own(m, e);
	if (G_UNLIKELY(c->cause->is_waking_open))
		mdl_woken_before(m, c, e);
	if (G_UNLIKELY(e->counts))
		mdl_counts_read(m, c, e);
	mdl_dispatch_event(m, e);
	if (G_UNLIKELY(c->counts))
		mdl_counts_after(c, e);
	if (m->spans)
		mdl_span_event(m, e);
	pass(m, c, e);
}

void mdl_machine_finish(struct mdl_machine *m, int64_t to)
{
	for (const struct mdl_part *const *p = parts; *p; p++)
		if ((*p)->finish)
			(*p)->finish(m, to);
	mdl_thread_recall(m);
	mdl_cgroup_finish(m);
	while (m->tracks.living->len > 0)
		mdl_track_end(m, g_ptr_array_index(m->tracks.living, m->tracks.living->len - 1), to);
}

const struct mdl_counting *mdl_machine_counting(const struct mdl_machine *m)
{
	return m->counting;
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

const GArray *mdl_machine_hotplugs(const struct mdl_machine *m)
{
	return m->power->hotplugs;
}

const GArray *mdl_machine_suspends(const struct mdl_machine *m)
{
	return m->power->suspends;
}

const GArray *mdl_machine_devices(const struct mdl_machine *m)
{
	return m->blocks->disks.devices;
}

void mdl_machine_lacks_switches(struct mdl_machine *m)
{
	m->tracks.lacks_switches = true;
}

void mdl_machine_names_nobody(struct mdl_machine *m)
{
	m->sched->names_nobody = true;
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
	return m->missing.switches;
}

void mdl_machine_set_away_only(struct mdl_machine *m)
{
	m->sched->away_only = true;
	m->tracks.lacks_switches = true;
}

bool mdl_machine_away_only(const struct mdl_machine *m)
{
	return m->sched->away_only;
}

bool mdl_machine_has_set(const struct mdl_machine *m)
{
	return mdl_missing_is_set(m);
}

const struct mdl_vcpu_notes *mdl_machine_vcpu_notes(const struct mdl_machine *m)
{
	return &m->guests->notes;
}

uint64_t mdl_machine_lost_virqs(const struct mdl_machine *m)
{
	return m->guests->virqs.lost;
}

uint64_t mdl_machine_bad_tids(const struct mdl_machine *m)
{
	return m->threads.bad_tids;
}
