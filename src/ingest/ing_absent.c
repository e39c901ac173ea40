/* SPDX-License-Identifier: MIT */
/*
 * How it works: LTTng writes a stream for each CPU that is on-line when the session begins
 * (channel_backend_init(), lttng-modules, src/lib/ringbuffer/ring_buffer_backend.c). What a CPU without a
 * stream did is unknown, from the first event on: it may have run, woken or interrupted any thread. Events of
 * other CPUs show that it exists (proofs.md R25.8):
 *
 *   - The kernel puts no thread on a CPU that is off-line. sched_wakeup and sched_wakeup_new name the CPU on
 *     whose run queue the thread is (ttwu_do_activate(), wake_up_new_task(), kernel/sched/core.c).
 *     sched_migrate_task names the chosen CPU (set_task_cpu()). No IPI goes to a CPU that is off-line
 *     (kernel/smp.c).
 *   - sched_waking comes before the choice. It and the state dump name the thread's last CPU, which may be
 *     off-line now. The choice follows with interrupts off, on the same CPU (try_to_wake_up()). Without a
 *     sched_migrate_task the thread stays, so its CPU is on-line.
 *   - lttng_statedump_cpu_topology names all CPUs that can ever exist (cpu_possible_mask).
 *
 * If an absent CPU shows late, the trace is read a second time, so that the CPU is known from the start. That
 * reading also shows that a CPU is not the only one (model/kernel/coverage.c, LONE).
 */
#include "ingest/ing_feed.h"

#define LOW_CPUS 64   /* CPUs with a bit each: faster than a look-up at each wake-up */
#define CPUS_MOST 256 /* most CPUs that are kept; more would hide nothing further */

static bool absent_has(const GArray *cpus, uint32_t cpu)
{
	for (guint i = 0; i < cpus->len; i++)
		if (g_array_index(cpus, uint32_t, i) == cpu)
			return true;
	return false;
}

static bool is_absent(const struct ing_absent *a, int64_t cpu)
{
	if (cpu >= 0 && cpu < LOW_CPUS)
		return !(a->low >> cpu & 1);
	return cpu >= LOW_CPUS && cpu < TRC_CPUS_MAX &&
		!g_hash_table_contains(a->streams, GUINT_TO_POINTER(cpu));
}

static GArray *no_cpus(void)
{
	return g_array_new(FALSE, FALSE, sizeof(uint32_t));
}

void ing_absent_init(struct ing_absent *a, const struct trc_reader *reader, const struct ing_absent *known)
{
	*a = (struct ing_absent){ .streams = known && !known->streams ? NULL : trc_reader_cpus(reader),
		.cpus = no_cpus(),
		.named = no_cpus(),
		.moves = g_hash_table_contains(trc_reader_info(reader)->classes, "sched_migrate_task"),
		.waking.tid = -1 };
	for (guint cpu = 0; a->streams && cpu < LOW_CPUS; cpu++)
		if (g_hash_table_contains(a->streams, GUINT_TO_POINTER(cpu)))
			a->low |= UINT64_C(1) << cpu;
	if (!known)
		return;
	g_array_append_vals(a->cpus, known->cpus->data, known->cpus->len);
	g_array_append_vals(a->named, known->named->data, known->named->len);
	a->n_known = a->cpus->len;
	a->knows_names = a->named->len > 0;
}

struct ing_absent ing_absent_found(const struct ing_absent *a)
{
	return (struct ing_absent){ .streams = a->streams ? g_hash_table_ref(a->streams) : NULL,
		.cpus = g_array_ref(a->cpus),
		.named = g_array_ref(a->named) };
}

struct ing_absent ing_absent_told(const struct trc_reader *reader, const struct idx_meta *meta)
{
	struct ing_absent told = { .cpus = no_cpus(), .named = no_cpus() };
	GHashTable *streams = trc_reader_cpus(reader);

	for (guint i = 0; streams && i < meta->gaps->len; i++) {
		const struct idx_gap *g = &g_array_index(meta->gaps, struct idx_gap, i);

		if (g->from <= meta->from && g->to >= meta->to &&
			!g_hash_table_contains(streams, GUINT_TO_POINTER(g->cpu)) &&
			!absent_has(told.cpus, g->cpu))
			g_array_append_val(told.cpus, g->cpu);
	}
	g_clear_pointer(&streams, g_hash_table_unref);
	return told;
}

void ing_absent_clear(struct ing_absent *a)
{
	g_clear_pointer(&a->streams, g_hash_table_unref);
	g_array_unref(a->cpus);
	g_array_unref(a->named);
}

/* Add CPU, which ran. Return it; MDL_NONE if it has a stream or is already known. */
static uint32_t absent_ran(struct ing_absent *a, int64_t cpu)
{
	uint32_t n = (uint32_t)cpu;

	if (!is_absent(a, cpu) || a->cpus->len >= CPUS_MOST || absent_has(a->cpus, n))
		return MDL_NONE;
	g_array_append_val(a->cpus, n);
	for (guint i = 0; i < a->named->len; i++)
		if (g_array_index(a->named, uint32_t, i) == n)
			g_array_remove_index(a->named, i--);
	return n;
}

/* Add CPU, which exists and may be off-line, if it has no stream. */
static void absent_named(struct ing_absent *a, int64_t cpu)
{
	uint32_t n = (uint32_t)cpu;

	if (is_absent(a, cpu) && a->named->len < CPUS_MOST && !absent_has(a->cpus, n) &&
		!absent_has(a->named, n))
		g_array_append_val(a->named, n);
}

/* Add the first CPU of MASK that has no stream and is new, and return it; MDL_NONE: there is none. */
static uint32_t absent_of_mask(struct ing_absent *a, int64_t mask)
{
	uint32_t found = MDL_NONE;

	for (int cpu = 0; mask > 0 && found == MDL_NONE; cpu++, mask >>= 1)
		if (mask & 1)
			found = absent_ran(a, cpu);
	return found;
}

/* E is the next event on the CPU of the pending wake-up A->waking. If E shows that the woken thread stays on
 * its absent CPU, add that CPU and return it; otherwise MDL_NONE. */
static uint32_t absent_waking(struct ing_absent *a, const struct mdl_event *e)
{
	bool moves = e->kind == MDL_EV_SCHED_MIGRATE && e->arg[MDL_MIGRATE_TID] == a->waking.tid;
	bool ends = e->kind == MDL_EV_SCHED_MIGRATE || e->kind == MDL_EV_SCHED_WAKEUP ||
		e->kind == MDL_EV_SCHED_WAKING || e->kind == MDL_EV_SCHED_SWITCH;

	if (!ends)
		return MDL_NONE;
	a->waking.tid = -1;
	return moves ? MDL_NONE : absent_ran(a, a->waking.cpu);
}

uint32_t ing_absent_see(struct ing_absent *a, const struct mdl_event *e)
{
	uint32_t found = MDL_NONE;

	if (!a->streams)
		return MDL_NONE;
	if (a->waking.tid >= 0 && e->cpu == a->waking.by)
		found = absent_waking(a, e);
	if (found != MDL_NONE)
		return found;
	switch (e->kind) {
	case MDL_EV_SCHED_WAKEUP:
	case MDL_EV_SCHED_WAKEUP_NEW: return absent_ran(a, e->arg[MDL_WAKE_TARGET_CPU]);
	case MDL_EV_SCHED_MIGRATE: return absent_ran(a, e->arg[MDL_MIGRATE_DEST_CPU]);
	case MDL_EV_IPI_SEND:
		found = absent_ran(a, e->arg[MDL_IPI_SEND_CPU]);
		return found != MDL_NONE ? found : absent_of_mask(a, e->arg[MDL_IPI_SEND_MASK]);
	case MDL_EV_SCHED_WAKING:
		if (!is_absent(a, e->arg[MDL_WAKE_TARGET_CPU]))
			return MDL_NONE;
		absent_named(a, e->arg[MDL_WAKE_TARGET_CPU]);
		if (a->moves) {
			a->waking.tid = e->arg[MDL_WAKE_TID];
			a->waking.by = e->cpu;
			a->waking.cpu = (uint32_t)e->arg[MDL_WAKE_TARGET_CPU];
		}
		return MDL_NONE;
	case MDL_EV_DUMP_PROCESS: absent_named(a, e->arg[MDL_DUMP_CPU]); return MDL_NONE;
	case MDL_EV_DUMP_CPU:
		if (e->arg[MDL_DUMP_CPU_FAMILY] > 0)
			absent_named(a, e->arg[MDL_DUMP_CPU_NR]);
		return MDL_NONE;
	default: return MDL_NONE;
	}
}

bool ing_absent_is_late(const struct ing_absent *a)
{
	return a->cpus->len > a->n_known ||
		(a->named->len > 0 && !a->knows_names && g_hash_table_size(a->streams) == 1);
}
