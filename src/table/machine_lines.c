/* SPDX-License-Identifier: MIT */
/* Virtual machines as lines: each part of a virtual CPU's time, and of the time that its guest lost. */
#include "table/rows.h"

#include "analysis/causes/machines.h"
#include "analysis/kind/kind.h"
#include "base/base_time.h"
#include "model/kernel/exit.h"

struct line {
	const struct ana_machine *machine;
	const struct ana_machine_vcpu *vcpu; /* NULL: a line of the guest */
	const char *what;
	/* owned; the reason of an exit, the owner of the CPU, what ended a sleep, or a row of the guest;
	 * NULL: a sum */
	char *name;
	int64_t count, time, worst; /* COUNT, WORST: BASE_TIME_NONE if unknown */
	int64_t of;                 /* ns; the whole of TIME, at least 1 */
};

static void clear_line(void *line)
{
	g_free(((struct line *)line)->name);
}

TABLE_COLUMNS(line_columns)
{
	const struct line *l = row;

	TABLE_COLUMN("host", !in->q || qry_host_count(in->q) > 1 ? "HOST" : NULL, TABLE_WORD,
		"host of the virtual machine", word = qry_host(in->q, l->machine->host)->name);
	TABLE_COLUMN("pid", ">PID", TABLE_NUMBER, "process that runs the virtual CPUs",
		number = table_natural(qry_row(in->q, l->machine->process)->pid));
	TABLE_COLUMN("machine", "MACHINE", TABLE_WORD, "", word = qry_row(in->q, l->machine->process)->name);
	TABLE_COLUMN("tid", ">TID", TABLE_NUMBER,
		"thread that runs the virtual CPU; null in lines of the whole guest",
		number = l->vcpu ? qry_row(in->q, l->vcpu->thread)->nr : BASE_TIME_NONE);
	TABLE_COLUMN("vcpu", "VCPU", TABLE_WORD, "",
		word = l->vcpu ? qry_row(in->q, l->vcpu->thread)->name : NULL);
	TABLE_COLUMN("what", "WHAT", TABLE_WORD, "", word = l->what);
	TABLE_COLUMN("name", "CAUSE", TABLE_LONG, "", word = l->name);
	TABLE_COLUMN("count", ">COUNT", TABLE_NUMBER,
		"number of exits, interrupts, waits or halts; null in sums", number = l->count);
	TABLE_COLUMN("time", ">TIME", TABLE_DURATION, "time of all of them", number = l->time);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE, "", share = (double)l->time / (double)l->of);
	TABLE_COLUMN("worst", ">WORST", TABLE_DURATION, "time of the longest", number = l->worst);
}

/* Append LINE if it has a time. Takes ownership of its name. */
static void machines_add(GArray *lines, struct line line)
{
	if (line.time > 0)
		g_array_append_val(lines, line);
	else
		g_free(line.name);
}

/* Takes ownership of NAME. */
static void add_line(GArray *lines, const struct ana_machine *m, const struct ana_machine_vcpu *v,
	const char *what, char *name, int64_t count, int64_t time, int64_t worst)
{
	int64_t life = v->inside + v->handled + v->interrupted + v->halted + v->blocked + v->preempted +
		v->unknown;

	machines_add(lines, (struct line){ m, v, what, name, count, time, worst, MAX(life, 1) });
}

/* Takes ownership of NAME. */
static void add_loss(GArray *lines, const struct ana_machine *m, const struct ana_machine_loss *loss,
	char *name)
{
	struct line line = { .machine = m,
		.what = mdl_state_name(MDL_ST_VCPU_EXIT),
		.name = g_strdup(name),
		.count = BASE_TIME_NONE,
		.time = loss->exit,
		.worst = BASE_TIME_NONE,
		.of = MAX(base_time_sum(loss->inside, base_time_sum(loss->preempted, loss->exit)), 1) };
	struct line preempted = line;

	preempted.what = mdl_state_name(MDL_ST_VCPU_PREEMPTED);
	preempted.name = name;
	preempted.time = loss->preempted;
	preempted.worst = loss->worst;
	machines_add(lines, preempted);
	machines_add(lines, line);
}

static void add_losses(struct qry *q, GArray *lines, const struct ana_machine *m, const GArray *losses,
	unsigned top)
{
	for (guint i = 0; i < losses->len && i < top; i++) {
		const struct ana_machine_loss *loss = &g_array_index(losses, struct ana_machine_loss, i);

		add_loss(lines, m, loss, qry_row_label(q, loss->row));
	}
}

static void add_entries(GArray *lines, const struct ana_machine *m, const struct ana_machine_vcpu *v,
	const GArray *entries, unsigned top)
{
	for (guint i = 0; i < entries->len && i < top; i++) {
		const struct ana_causes_entry *e = &g_array_index(entries, struct ana_causes_entry, i);

		add_line(lines, m, v, ana_kind_name(e->kind), g_strdup(e->label), e->count, e->total,
			e->longest);
	}
}

/* Append the sum of one part of the time of V. */
static void add_sum(GArray *lines, const struct ana_machine *m, const struct ana_machine_vcpu *v,
	const char *what, int64_t time)
{
	add_line(lines, m, v, what, NULL, BASE_TIME_NONE, time, BASE_TIME_NONE);
}

static void add_vcpu(struct qry *q, GArray *lines, const struct ana_machine *m,
	const struct ana_machine_vcpu *v, unsigned top)
{
	add_sum(lines, m, v, "inside", v->inside);
	add_sum(lines, m, v, "handled", v->handled);
	for (guint i = 0; i < v->exits->len && i < top; i++) {
		const struct ana_machine_part *p = &g_array_index(v->exits, struct ana_machine_part, i);

		add_line(lines, m, v, "exit", p->what == 0 ? NULL : mdl_exit_name(p->what), (int64_t)p->count,
			p->time, p->worst);
	}
	add_sum(lines, m, v, "interrupted", v->interrupted);
	for (guint i = 0; i < v->interrupts->len && i < top; i++) {
		const struct ana_machine_part *p = &g_array_index(v->interrupts, struct ana_machine_part, i);

		add_line(lines, m, v, "interrupt", qry_context_text(q, m->host, p->what), (int64_t)p->count,
			p->time, p->worst);
	}
	add_sum(lines, m, v, "halted", v->halted);
	for (guint i = 0; i < v->halts->len && i < top; i++) {
		const struct ana_halt *h = &g_array_index(v->halts, struct ana_halt, i);

		add_line(lines, m, v, "halt until", ana_halt_text(q, h), (int64_t)h->count, h->time,
			h->worst);
	}
	add_sum(lines, m, v, "blocked", v->blocked);
	add_entries(lines, m, v, v->waits, top);
	add_sum(lines, m, v, "preempted", v->preempted);
	add_entries(lines, m, v, v->by, top);
	add_sum(lines, m, v, "unknown", v->unknown);
}

static GArray *lines_of(struct qry *q, const GArray *machines, unsigned top)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct line));

	g_array_set_clear_func(lines, clear_line);
	for (guint i = 0; i < machines->len; i++) {
		const struct ana_machine *m = &g_array_index(machines, struct ana_machine, i);

		for (guint k = 0; k < m->vcpus->len; k++)
			add_vcpu(q, lines, m, &g_array_index(m->vcpus, struct ana_machine_vcpu, k), top);
		if (m->guest == MDL_NONE)
			continue;
		add_loss(lines, m, &m->loss, g_strdup(qry_host(q, m->guest)->name));
		add_losses(q, lines, m, m->cpus, top);
		add_losses(q, lines, m, m->threads, top);
	}
	return lines;
}

/* ---- the table ---- */

struct lines {
	struct table_list of; /* of machines */
	GArray *lines;
};

/* Text has only the largest parts. */
static bool open_lines(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	struct lines *c = (struct lines *)cursor;
	const struct table_question *ask = &cursor->ask;

	c->lines = lines_of(cursor->q, c->of.rows,
		ask->format == TABLE_TEXT && ask->top ? ask->top : UINT_MAX);
	return true;
}

static int next_line(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct lines *c = (struct lines *)cursor;

	if (cursor->in.number >= c->lines->len)
		return 0;
	*row = &g_array_index(c->lines, struct line, cursor->in.number);
	return 1;
}

static void close_lines(struct table_cursor *cursor)
{
	struct lines *c = (struct lines *)cursor;

	if (c->lines)
		g_array_unref(c->lines);
}

static bool lead(const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct line *l = row;

	*to = (struct table_place){ .row = l->vcpu ? l->vcpu->row : l->machine->process,
		.from = c->ask.from,
		.to = c->ask.to };
	return true;
}

const struct table table_machine_lines = {
	.name = "machine_part",
	.list = "machines",
	.doc = "a part of the time of a virtual CPU, or of the time that a guest lost",
	.columns = line_columns,
	.size = sizeof(struct lines),
	.takes = TABLE_TAKES_WINDOW,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = TABLE_WHOLE,
	.make = table_machines_make,
	.free = (GDestroyNotify)g_array_unref,
	.open = open_lines,
	.next = next_line,
	.close = close_lines,
	.lead = lead,
};
