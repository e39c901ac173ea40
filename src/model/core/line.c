/* SPDX-License-Identifier: MIT */
/*
 * How it works: an interrupt line is one row, busy while its handler runs on any CPU. A softirq can run on
 * several CPUs at once, so each vector has a row per CPU. The first event of a line or softirq makes its row.
 *
 * A per-CPU line (timers, queues of a device) can run on several CPUs at once, too. The stacks of contexts
 * show on which. The row keeps the CPU that it shows until the handler there ends.
 */
#include "model/core/line.h"

#include "model/core/cpu.h"
#include "model/core/track.h"

void mdl_line_init(struct mdl_lines *lines)
{
	lines->irq_names = g_hash_table_new(g_direct_hash, g_direct_equal);
	lines->irqs = g_hash_table_new(g_direct_hash, g_direct_equal);
}

void mdl_line_clear(struct mdl_lines *lines)
{
	g_hash_table_unref(lines->irq_names);
	g_hash_table_unref(lines->irqs);
}

uint32_t mdl_line_softirq_name(struct mdl_machine *m, int64_t vec)
{
	if (vec < 0 || vec >= MDL_SOFTIRQS)
		return 0;
	if (m->lines.softirq_names[vec] == 0)
		m->lines.softirq_names[vec] = base_strings_add(m->strings, mdl_softirq_name((unsigned)vec));
	return m->lines.softirq_names[vec];
}

uint32_t mdl_line_irq_name(struct mdl_machine *m, int64_t nr, const char *name)
{
	gpointer key = (gpointer)(intptr_t)nr;

	if (name && *name != '\0')
		return base_strings_add_hostile(m->strings, name, -1);
	return GPOINTER_TO_UINT(g_hash_table_lookup(m->lines.irq_names, key));
}

void mdl_line_dumped(struct mdl_machine *m, const struct mdl_event *e)
{
	const char *name = e->text[1] ? e->text[1] : e->text[0];
	gpointer key = (gpointer)(intptr_t)e->arg[MDL_DUMP_IRQ_NR];

	if (name && !g_hash_table_contains(m->lines.irq_names, key))
		g_hash_table_insert(m->lines.irq_names, key,
			GUINT_TO_POINTER(base_strings_add_hostile(m->strings, name, -1)));
}

static struct mdl_track *line_track(struct mdl_machine *m, GHashTable *lines, enum mdl_row_type type,
	int64_t nr)
{
	gpointer key = (gpointer)(intptr_t)nr;
	struct mdl_track *t = g_hash_table_lookup(lines, key);

	if (!t) {
		t = mdl_track_new(m, type, nr, m->from);
		g_hash_table_insert(lines, key, t);
		mdl_track_set(m, t, m->from, MDL_ST_IDLE, 0, MDL_NONE);
	}
	return t;
}

static void set_busy(struct mdl_machine *m, struct mdl_track *t, uint32_t cpu, bool busy)
{
	if (busy)
		mdl_track_set(m, t, m->now, MDL_ST_RUNNING, 0, cpu);
	else
		mdl_track_set(m, t, m->now, MDL_ST_IDLE, 0, MDL_NONE);
}

/* True if CPU runs the handler of line NR. */
static bool runs(const struct mdl_machine *m, uint32_t cpu, int64_t nr)
{
	const struct mdl_cpu *c = mdl_cpu_peek(m, cpu);

	for (uint32_t i = 0; c && i < c->depth; i++)
		if (c->stack[i].type == MDL_CTX_IRQ && c->stack[i].nr == nr)
			return true;
	return false;
}

/* A CPU other than CPU that runs the handler of NR: the one that T shows, if it is one of them. MDL_NONE:
 * there is none. */
static uint32_t runs_elsewhere(const struct mdl_machine *m, const struct mdl_track *t, uint32_t cpu,
	int64_t nr)
{
	if (t->open.state == MDL_ST_RUNNING && t->open.aux != cpu && runs(m, t->open.aux, nr))
		return t->open.aux;
	for (uint32_t i = 0; i < m->cpus->len; i++)
		if (i != cpu && runs(m, i, nr))
			return i;
	return MDL_NONE;
}

void mdl_line_irq(struct mdl_machine *m, uint32_t cpu, int64_t nr, uint32_t name, bool enter)
{
	struct mdl_track *t = line_track(m, m->lines.irqs, MDL_ROW_IRQ, nr);
	uint32_t other = runs_elsewhere(m, t, cpu, nr);

	if (name != 0)
		t->row.name = name;
	set_busy(m, t, other != MDL_NONE ? other : cpu, enter || other != MDL_NONE);
}

void mdl_line_softirq(struct mdl_machine *m, uint32_t cpu, int64_t vec, bool enter)
{
	struct mdl_track *t = line_track(m, mdl_cpu_get(m, cpu)->softirqs, MDL_ROW_SOFTIRQ, vec);

	t->row.cpu = cpu;
	t->row.name = mdl_line_softirq_name(m, vec);
	set_busy(m, t, cpu, enter);
}

/* A line remains busy if another CPU, which lost nothing, runs its handler. */
static void lose_irqs(struct mdl_machine *m, uint32_t cpu, int64_t time)
{
	GHashTableIter iter;
	gpointer key, value;

	g_hash_table_iter_init(&iter, m->lines.irqs);
	while (g_hash_table_iter_next(&iter, &key, &value)) {
		struct mdl_track *t = value;
		uint32_t other = runs_elsewhere(m, t, cpu, (intptr_t)key);

		if (other == MDL_NONE)
			mdl_track_lose(m, t, time);
		else
			mdl_track_set(m, t, MAX(time, t->open.from), MDL_ST_RUNNING, 0, other);
	}
}

void mdl_line_lose(struct mdl_machine *m, uint32_t cpu, int64_t time)
{
	GHashTableIter iter;
	gpointer track;

	lose_irqs(m, cpu, time);
	g_hash_table_iter_init(&iter, mdl_cpu_get(m, cpu)->softirqs);
	while (g_hash_table_iter_next(&iter, NULL, &track))
		mdl_track_lose(m, track, time);
}
