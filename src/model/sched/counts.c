/* SPDX-License-Identifier: MIT */
/*
 * Counters that were read with events: what each thread counted while it had a CPU.
 *
 * A counter only grows, so the difference of two values is what was counted between the two events. Its owner
 * depends on what the counter counts (kernel/events/core.c):
 *
 *   - A counter of a CPU (perf record -a; perf:cpu:… of LTTng) counts whatever the CPU does, interrupts
 *     included. If one thread had the CPU from the first event to the second, the difference belongs to this
 *     interval of the thread. A switch is traced before the registers change (__schedule(),
 *     kernel/sched/core.c), and the values are read in the tracepoint (perf_output_read_group()). So the rest
 *     of the switch counts for the next thread, and so does the event context-switches, which is counted
 *     after the tracepoint (perf_event_task_sched_out(), include/linux/perf_event.h).
 *   - A counter of a thread (perf record COMMAND, -p, -t) counts while this thread has the CPU. A sample has
 *     the value of the thread's own event, without its children (has_inherit_and_sample_read()), and each CPU
 *     has an event of its own. So the difference of two samples is the thread's, whatever ran in between. It
 *     begins with 0 when the thread is born (inherit_event()).
 *
 * No difference is handed out for: the first value; a time that several threads share, or with lost events; a
 * time in which the counter waited for others (PERF_FORMAT_TOTAL_TIME_RUNNING grew less than _ENABLED);
 * values that step back. If these two times are not recorded, a group that waited shows by the samples that
 * are missing meanwhile.
 */
#include "model/sched/sched.h"

#include "model/core/cpu.h"
#include "model/core/frame.h"

#include <string.h>

#define SERIES_MOST 64 /* series kept for a thread: the CPUs that it used lately */
#define SUM_MOST (UINT64_MAX / 4)

/* The values read last. */
struct base {
	uint64_t series;
	int64_t time; /* ns */
	uint64_t value[MDL_COUNTERS], paused;
	uint16_t has; /* bit per counter; 0: no values */
};

struct mdl_cpu_counts {
	struct base base;
	uint32_t row;  /* of the thread that has the CPU, MDL_NONE: unknown, … */
	int64_t since; /* … since this time (ns) */
};

struct mdl_thread_counts {
	int64_t until;  /* ns: end of the last difference that was handed out */
	GArray *series; /* owned, of struct base: its own counters; NULL: none */
};

/* The number of counter NAME, made if it is new; MDL_COUNTERS: it is left out. */
static unsigned number_of(struct mdl_counting *k, const char *name)
{
	for (unsigned i = 0; i < k->n; i++)
		if (g_str_equal(k->names[i], name))
			return i;
	if (k->n == MDL_COUNTERS)
		return MDL_COUNTERS;
	k->names[k->n] = name;
	return k->n++;
}

/* Set NOW to the values of READ by their numbers here. */
static void take_values(struct mdl_counting *k, const struct mdl_counts *read, struct base *now)
{
	*now = (struct base){ .series = read->series, .paused = read->paused };
	k->left_out += read->more;
	if (k->told != read->names) {
		k->told = read->names;
		memset(k->map, UINT8_MAX, sizeof k->map);
	}
	for (unsigned i = 0; i < MDL_COUNTERS; i++) {
		if (!(read->has >> i & 1))
			continue;
		if (k->map[i] == UINT8_MAX)
			k->map[i] = (uint8_t)number_of(k, read->names[i]);
		if (k->map[i] == MDL_COUNTERS || now->has >> k->map[i] & 1) {
			k->left_out++;
			continue;
		}
		now->has |= (uint16_t)(1u << k->map[i]);
		now->value[k->map[i]] = read->value[i];
	}
}

/* Set TO to the counts from BEFORE to NOW. False if they are unknown. */
static bool differ(struct mdl_counting *k, const struct base *before, const struct base *now,
	struct mdl_counted *to)
{
	if (before->has != now->has)
		return false;
	to->has = now->has;
	for (unsigned i = 0; i < MDL_COUNTERS; i++) {
		to->value[i] = 0;
		if (!(now->has >> i & 1))
			continue;
		to->value[i] = now->value[i] - before->value[i];
		if (now->value[i] < before->value[i] || to->value[i] > SUM_MOST ||
			k->sum[i] > SUM_MOST - to->value[i]) {
			k->back++;
			return false;
		}
	}
	if (before->paused != now->paused) {
		k->paused++;
		return false;
	}
	return true;
}

static struct mdl_thread_counts *counts_of(struct mdl_thread *t)
{
	if (!t->counts) {
		t->counts = g_new0(struct mdl_thread_counts, 1);
		t->counts->until = MDL_NEVER;
	}
	return t->counts;
}

/* Hand out what T counted from BEFORE to NOW, which began at FROM at the earliest. */
static void counts_tell(struct mdl_machine *m, struct mdl_thread *t, uint32_t cpu, const struct base *before,
	const struct base *now, int64_t from)
{
	struct mdl_thread_counts *counts = counts_of(t);
	struct mdl_counted counted = { .from = MAX(from, counts->until), .to = m->now, .cpu = cpu };

	counted.from = MAX(counted.from, t->track->row.first);
	if (counted.from >= counted.to || !m->sink->counted || !differ(m->counting, before, now, &counted))
		return;
	for (unsigned i = 0; i < MDL_COUNTERS; i++)
		m->counting->sum[i] += counted.value[i];
	counts->until = counted.to;
	m->sink->counted(m->data, t->track->id, &counted);
}

/* Counters of the CPU. */
static void read_cpu(struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_event *e,
	const struct base *now)
{
	struct mdl_cpu_counts *own = c->counts;

	if (own->base.has != 0 && c->current && own->row == mdl_cpu_thread(c) && own->base.time >= own->since)
		counts_tell(m, c->current, e->cpu, &own->base, now, own->base.time);
	else if (own->base.has != 0)
		m->counting->across++;
	own->base = *now;
}

/* The last values of the series of NOW; NULL: none. */
static struct base *series_of(struct mdl_thread_counts *counts, const struct base *now)
{
	for (guint i = 0; counts->series && i < counts->series->len; i++)
		if (g_array_index(counts->series, struct base, i).series == now->series)
			return &g_array_index(counts->series, struct base, i);
	return NULL;
}

/* Counters of the thread. */
static void read_thread(struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_event *e,
	const struct base *now)
{
	struct mdl_thread *t = e->counts->tid > 0 ? mdl_thread_get(m, e->counts->tid, e->cpu) : NULL;
	struct mdl_thread_counts *counts = t ? counts_of(t) : NULL;
	struct base *before = t ? series_of(counts, now) : NULL;
	struct base born = { .has = now->has, .time = t ? t->track->row.first : 0, .paused = now->paused };
	int64_t since = t && c->counts->row == t->track->id ? c->counts->since : MDL_NEVER;

	if (!t)
		return;
	if (!before && t->track->row.born)
		counts_tell(m, t, e->cpu, &born, now, MAX(born.time, since));
	else if (before && (e->counts->leaves || before->time >= since))
		counts_tell(m, t, e->cpu, before, now, MAX(before->time, since));
	else if (before)
		m->counting->across++;
	if (!counts->series)
		counts->series = g_array_new(FALSE, FALSE, sizeof *now);
	if (!before && counts->series->len == SERIES_MOST)
		g_array_remove_index(counts->series, 0);
	if (before)
		*before = *now;
	else
		g_array_append_vals(counts->series, now, 1);
}

/* True if the state of a thread can change with an event of KIND. */
static bool is_border(enum mdl_kind kind)
{
	switch (kind) {
	case MDL_EV_SCHED_SWITCH:
	case MDL_EV_SYSCALL_ENTRY:
	case MDL_EV_SYSCALL_EXIT:
	case MDL_EV_IRQ_ENTRY:
	case MDL_EV_IRQ_EXIT:
	case MDL_EV_SOFTIRQ_ENTRY:
	case MDL_EV_SOFTIRQ_EXIT:
	case MDL_EV_HRTIMER_ENTRY:
	case MDL_EV_HRTIMER_EXIT:
	case MDL_EV_VECTOR_ENTRY:
	case MDL_EV_VECTOR_EXIT:
	case MDL_EV_IPI_ENTRY:
	case MDL_EV_IPI_EXIT: return true;
	default: return false;
	}
}

void mdl_counts_read(struct mdl_machine *m, struct mdl_cpu *c, const struct mdl_event *e)
{
	struct mdl_counting *k = m->counting;
	struct base now;

	k->at_switches |= e->kind == MDL_EV_SCHED_SWITCH || e->counts->leaves;
	if (k->at_switches && !e->counts->leaves && !is_border(e->kind))
		return;
	take_values(k, e->counts, &now);
	if (now.has == 0 || c->gap != MDL_GAP_NONE)
		return;
	now.time = m->now;
	if (!c->counts) {
		c->counts = g_new0(struct mdl_cpu_counts, 1);
		c->counts->row = mdl_cpu_thread(c);
		c->counts->since = MDL_NEVER;
	}
	if (e->counts->of_thread)
		read_thread(m, c, e, &now);
	else
		read_cpu(m, c, e, &now);
}

void mdl_counts_after(struct mdl_cpu *c, const struct mdl_event *e)
{
	if (e->kind == MDL_EV_RUNS) /* a switch is missing: another thread has counted meanwhile */
		c->counts->base.has = 0;
	if (c->counts->row == mdl_cpu_thread(c))
		return;
	c->counts->row = mdl_cpu_thread(c);
	c->counts->since = e->time;
}

/* ---- the part ---- */

static void counts_lose(struct mdl_machine *m, uint32_t cpu, G_GNUC_UNUSED int64_t since)
{
	struct mdl_cpu *c = mdl_cpu_get(m, cpu);

	if (!c->counts)
		return;
	c->counts->base.has = 0;
	c->counts->row = MDL_NONE;
}

static void counts_forget(G_GNUC_UNUSED struct mdl_machine *m, struct mdl_thread *t, int64_t since)
{
	if (t->counts && t->counts->series && since != MDL_NEVER)
		g_array_set_size(t->counts->series, 0);
}

static void counts_clear_cpu(struct mdl_cpu *c)
{
	g_free(c->counts);
}

static void counts_clear_thread(struct mdl_thread *t)
{
	if (t->counts && t->counts->series)
		g_array_unref(t->counts->series);
	g_free(t->counts);
}

const struct mdl_part mdl_part_counts = {
	.machine = MDL_KEPT(struct mdl_machine, counting),
	.clear_cpu = counts_clear_cpu,
	.clear_thread = counts_clear_thread,
	.lose = counts_lose,
	.forget = counts_forget,
};
