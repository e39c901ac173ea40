/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "analysis/causes/machines.h"
#include "base/base_time.h"
#include "export/exp_rows.h"
#include "model/kernel/exit.h"
#include "query/clock/clock.h"
#include "sync/sync_hosts.h"

/* ---- JSON ---- */

static void part_columns(struct exp_rows *to, const struct ana_machine_part *row)
{
	EXP_COLUMN("count", NULL, EXP_NUMBER, number = (int64_t)row->count);
	EXP_COLUMN("time", NULL, EXP_DURATION, number = row->time);
	EXP_COLUMN("worst", NULL, EXP_DURATION, number = row->worst);
	EXP_COLUMN("worst_at", NULL, EXP_TIME, number = row->worst_at);
}

static char *reason_text(const struct ana_machine_part *exit)
{
	return exit->what == 0 ? NULL : mdl_exit_name(exit->what);
}

EXP_COLUMNS(exit_columns)
{
	EXP_COLUMN("reason", NULL, EXP_WORD, taken = reason_text(row));
	part_columns(to, row);
}

/* IN->context: the number of the host. */
EXP_COLUMNS(interrupt_columns)
{
	const uint32_t *host = in->context;

	EXP_COLUMN("name", NULL, EXP_WORD,
		taken = qry_context_text(in->q, *host, ((const struct ana_machine_part *)row)->what));
	part_columns(to, row);
}

/* ROW: the row number of the thread of a guest that a virtual CPU ran. */
EXP_COLUMNS(guest_columns)
{
	uint32_t id = row ? *(const uint32_t *)row : MDL_NONE;
	const struct qry_row *thread = id != MDL_NONE ? qry_row(in->q, id) : NULL;

	EXP_COLUMN("guest", NULL, EXP_WORD, word = thread ? qry_host(in->q, thread->host)->name : NULL);
	EXP_COLUMN("guest_tid", NULL, EXP_NUMBER, number = thread ? thread->nr : BASE_TIME_NONE);
	EXP_COLUMN("guest_name", NULL, EXP_WORD, word = thread ? thread->name : NULL);
}

/* The owner of the CPU (with a context), or what ended a sleep. */
EXP_COLUMNS(entry_columns)
{
	const struct ana_causes_entry *e = row;
	bool thread = e->row != MDL_NONE && qry_row(in->q, e->row)->type == MDL_ROW_THREAD;

	EXP_COLUMN("kind", NULL, EXP_WORD, word = ana_kind_name(e->kind));
	EXP_COLUMN("host", NULL, EXP_WORD, word = qry_host(in->q, e->host)->name);
	EXP_COLUMN("tid", NULL, EXP_NUMBER, number = thread ? qry_row(in->q, e->row)->nr : BASE_TIME_NONE);
	EXP_COLUMN("name", NULL, EXP_WORD, word = thread ? qry_row(in->q, e->row)->name : e->name);
	if (in->context)
		guest_columns(to, row ? &e->guest : NULL, in);
	EXP_COLUMN("count", NULL, EXP_NUMBER, number = e->count);
	EXP_COLUMN("time", NULL, EXP_DURATION, number = e->total);
	EXP_COLUMN("worst", NULL, EXP_DURATION, number = e->longest);
}

EXP_COLUMNS(halt_columns)
{
	const struct ana_halt *h = row;

	EXP_COLUMN("kind", NULL, EXP_WORD, word = ana_halt_kind_name(h));
	EXP_COLUMN("grade", NULL, EXP_WORD, word = ana_grade_name(h->doubts));
	EXP_COLUMN("vector", NULL, EXP_NUMBER, number = exp_rows_id(h->vector));
	EXP_COLUMN("tid", NULL, EXP_NUMBER, number = exp_rows_nr(in->q, h->poster));
	EXP_COLUMN("name", NULL, EXP_WORD,
		word = h->poster == MDL_NONE ? NULL : qry_row(in->q, h->poster)->name);
	EXP_COLUMN("count", NULL, EXP_NUMBER, number = (int64_t)h->count);
	EXP_COLUMN("time", NULL, EXP_DURATION, number = h->time);
	EXP_COLUMN("worst", NULL, EXP_DURATION, number = h->worst);
	EXP_COLUMN("worst_at", NULL, EXP_TIME, number = h->worst_at);
	EXP_DOUBTS("", true, h->doubts);
}

EXP_COLUMNS(vcpu_columns)
{
	const struct ana_machine_vcpu *v = row;

	EXP_COLUMN("tid", NULL, EXP_NUMBER, number = qry_row(in->q, v->thread)->nr);
	EXP_COLUMN("name", NULL, EXP_WORD, word = qry_row(in->q, v->thread)->name);
	EXP_COLUMN("vcpu_id", NULL, EXP_NUMBER, number = exp_rows_id(qry_row(in->q, v->row)->vcpu));
	EXP_COLUMN("guest_cpu", NULL, EXP_NUMBER, number = exp_rows_nr(in->q, v->cpu));
	EXP_COLUMN("inside", NULL, EXP_DURATION, number = v->inside);
	EXP_COLUMN("handled", NULL, EXP_DURATION, number = v->handled);
	EXP_COLUMN("interrupted", NULL, EXP_DURATION, number = v->interrupted);
	EXP_COLUMN("halted", NULL, EXP_DURATION, number = v->halted);
	EXP_COLUMN("blocked", NULL, EXP_DURATION, number = v->blocked);
	EXP_COLUMN("preempted", NULL, EXP_DURATION, number = v->preempted);
	EXP_COLUMN("unknown", NULL, EXP_DURATION, number = v->unknown);
	EXP_LIST("exits", NULL, EXP_NUMBER, exp_rows_json_array(exit_columns, in->q, NULL, v->exits),
		number = v->exits->len);
	EXP_LIST("interrupts", NULL, EXP_NUMBER,
		exp_rows_json_array(interrupt_columns, in->q, &qry_row(in->q, v->row)->host, v->interrupts),
		number = v->interrupts->len);
	EXP_LIST("halts", NULL, EXP_NUMBER, exp_rows_json_array(halt_columns, in->q, NULL, v->halts),
		number = v->halts->len);
	EXP_LIST("by", NULL, EXP_NUMBER, exp_rows_json_array(entry_columns, in->q, v, v->by),
		number = v->by->len);
	EXP_LIST("waits", NULL, EXP_NUMBER, exp_rows_json_array(entry_columns, in->q, NULL, v->waits),
		number = v->waits->len);
}

EXP_COLUMNS(clock_columns)
{
	const struct ana_machine *m = row;
	const struct sync_host *h = &qry_clocks(in->q)->hosts[m->guest];
	const struct sync_line *line = &g_array_index(h->clock->lines, struct sync_line, 0);

	EXP_COLUMN("slope", NULL, EXP_DECIMAL, taken = sync_text_slope(line));
	EXP_COLUMN("offset_ns", NULL, EXP_DECIMAL, taken = sync_text_offset(line));
	EXP_COLUMN("error_ns_max", NULL, EXP_DURATION, number = exp_rows_bound(h->error_max));
	EXP_COLUMN("error_ns_shared", NULL, EXP_DURATION,
		number = exp_rows_bound(qry_clock_error_shared(in->q, m->guest, m->host)));
	EXP_COLUMN("events_inside", NULL, EXP_NUMBER, number = (int64_t)m->events_inside);
	EXP_COLUMN("events_outside", NULL, EXP_NUMBER, number = (int64_t)m->events_outside);
}

static GString *clock_json(const struct exp_rows_in *in, const struct ana_machine *m)
{
	const struct sync_hosts *clocks = qry_clocks(in->q);

	return m->guest == MDL_NONE || !clocks || !clocks->hosts[m->guest].clock
		? NULL
		: exp_rows_json(clock_columns, in->q, NULL, m);
}

static void loss_columns(struct exp_rows *to, const struct ana_machine_loss *row)
{
	EXP_COLUMN("inside", NULL, EXP_DURATION, number = row->inside);
	EXP_COLUMN("vcpu-preempted", NULL, EXP_DURATION, number = row->preempted);
	EXP_COLUMN("vcpu-exit", NULL, EXP_DURATION, number = row->exit);
	EXP_COLUMN("worst", NULL, EXP_DURATION, number = row->worst);
	EXP_COLUMN("worst_at", NULL, EXP_TIME, number = row->worst > 0 ? row->worst_at : BASE_TIME_NONE);
}

EXP_COLUMNS(thread_columns)
{
	const struct ana_machine_loss *loss = row;

	EXP_COLUMN("tid", NULL, EXP_NUMBER, number = qry_row(in->q, loss->row)->nr);
	EXP_COLUMN("name", NULL, EXP_WORD, word = qry_row(in->q, loss->row)->name);
	loss_columns(to, row);
}

EXP_COLUMNS(cpu_columns)
{
	EXP_COLUMN("cpu", NULL, EXP_NUMBER,
		number = qry_row(in->q, ((const struct ana_machine_loss *)row)->row)->nr);
	loss_columns(to, row);
}

EXP_COLUMNS(total_columns)
{
	loss_columns(to, row);
}

EXP_COLUMNS(machine_columns)
{
	const struct ana_machine *m = row;
	const struct qry_row *process = qry_row(in->q, m->process);

	EXP_COLUMN("host", NULL, EXP_WORD, word = qry_host(in->q, m->host)->name);
	EXP_COLUMN("guest", NULL, EXP_WORD, word = exp_rows_host(in->q, m->guest));
	EXP_COLUMN("pid", NULL, EXP_NUMBER, number = exp_rows_natural(process->pid));
	EXP_COLUMN("name", NULL, EXP_WORD, word = process->name);
	EXP_LIST("vcpus", NULL, EXP_NUMBER, exp_rows_json_array(vcpu_columns, in->q, NULL, m->vcpus),
		number = m->vcpus->len);
	EXP_LIST("cpus", NULL, EXP_NUMBER, exp_rows_json_array(cpu_columns, in->q, NULL, m->cpus),
		number = m->cpus->len);
	EXP_LIST("threads", NULL, EXP_NUMBER, exp_rows_json_array(thread_columns, in->q, NULL, m->threads),
		number = m->threads->len);
	EXP_OBJECT("all", NULL, EXP_WORD,
		m->guest == MDL_NONE ? NULL : exp_rows_json(total_columns, in->q, NULL, &m->loss), NULL);
	EXP_OBJECT("clock", NULL, EXP_WORD, clock_json(in, m), NULL);
}

/* ---- text and CSV: a line for each part of a virtual CPU's time, and of the time its guest lost ---- */

struct line {
	const struct ana_machine *machine;
	const struct ana_machine_vcpu *vcpu; /* NULL: a line of the guest */
	const char *what;
	/* owned: the reason of an exit, the owner of the CPU, what ended a sleep, a row of the guest; NULL:
	 * the sum */
	char *name;
	int64_t count, time, worst; /* COUNT, WORST: BASE_TIME_NONE unknown */
	int64_t of;                 /* ns: the whole of which TIME is a part, at least 1 */
};

static void clear_line(void *line)
{
	g_free(((struct line *)line)->name);
}

EXP_COLUMNS(line_columns)
{
	const struct line *l = row;

	EXP_COLUMN("host", qry_host_count(in->q) > 1 ? "HOST" : NULL, EXP_WORD,
		word = qry_host(in->q, l->machine->host)->name);
	EXP_COLUMN("pid", ">PID", EXP_NUMBER,
		number = exp_rows_natural(qry_row(in->q, l->machine->process)->pid));
	EXP_COLUMN("machine", "MACHINE", EXP_WORD, word = qry_row(in->q, l->machine->process)->name);
	EXP_COLUMN("tid", ">TID", EXP_NUMBER,
		number = l->vcpu ? qry_row(in->q, l->vcpu->thread)->nr : BASE_TIME_NONE);
	EXP_COLUMN("vcpu", "VCPU", EXP_WORD, word = l->vcpu ? qry_row(in->q, l->vcpu->thread)->name : NULL);
	EXP_COLUMN("what", "WHAT", EXP_WORD, word = l->what);
	EXP_COLUMN("name", "CAUSE", EXP_LONG, word = l->name);
	EXP_COLUMN("count", ">COUNT", EXP_NUMBER, number = l->count);
	EXP_COLUMN("time", ">TIME", EXP_DURATION, number = l->time);
	EXP_COLUMN("share", ">SHARE", EXP_SHARE, share = (double)l->time / (double)l->of);
	EXP_COLUMN("worst", ">WORST", EXP_DURATION, number = l->worst);
}

/* Takes ownership of the name of LINE. */
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

/* The sum of one part of the time of V. */
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

		add_line(lines, m, v, "exit", reason_text(p), (int64_t)p->count, p->time, p->worst);
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

EXP_WRITER(exp_machines)
{
	const GArray *machines = result;
	GArray *lines;

	if (o->format == EXP_JSON) {
		exp_rows_array(out, "machines", machine_columns, o, q, NULL, machines, machines->len);
		return true;
	}
	lines = lines_of(q, machines, o->format == EXP_TEXT ? o->top : UINT_MAX);
	exp_rows_array(out, "machines", line_columns, o, q, NULL, lines, lines->len);
	g_array_unref(lines);
	return true;
}
