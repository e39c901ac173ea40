/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "analysis/causes/machines.h"
#include "base/base_time.h"
#include "export/exp_rows.h"
#include "model/kernel/exit.h"
#include "query/clock/clock.h"
#include "sync/sync_hosts.h"

/* ---- JSON ---- */

static void part_columns(struct table_row *to, const struct ana_machine_part *row)
{
	TABLE_COLUMN("count", NULL, TABLE_NUMBER, "exits that were handled at least partly in the window",
		number = (int64_t)row->count);
	TABLE_COLUMN("time", NULL, TABLE_DURATION,
		"handling time on the host, without its interrupts and waits", number = row->time);
	TABLE_COLUMN("worst", NULL, TABLE_DURATION, "the longest", number = row->worst);
	TABLE_COLUMN("worst_at", NULL, TABLE_TIME, "its start", number = row->worst_at);
}

static char *reason_text(const struct ana_machine_part *exit)
{
	return exit->what == 0 ? NULL : mdl_exit_name(exit->what);
}

TABLE_COLUMNS(exit_columns)
{
	TABLE_COLUMN("reason", NULL, TABLE_WORD,
		"KVM's word: `HLT`, `EPT_VIOLATION` (Intel), `hlt`, `npf` (AMD), `WFx` (ARM)",
		taken = reason_text(row));
	part_columns(to, row);
}

/* IN->context: the number of the host. */
TABLE_COLUMNS(interrupt_columns)
{
	const uint32_t *host = in->context;

	TABLE_COLUMN("name", NULL, TABLE_WORD, "",
		taken = qry_context_text(in->q, *host, ((const struct ana_machine_part *)row)->what));
	part_columns(to, row);
}

/* ROW: the row number of the thread of a guest that a virtual CPU ran. */
TABLE_COLUMNS(guest_columns)
{
	uint32_t id = row ? *(const uint32_t *)row : MDL_NONE;
	const struct qry_row *thread = id != MDL_NONE ? qry_row(in->q, id) : NULL;

	TABLE_COLUMN("guest", NULL, TABLE_WORD,
		"if that thread ran a CPU of another recorded guest: that guest, and the thread in it",
		word = thread ? qry_host(in->q, thread->host)->name : NULL);
	TABLE_COLUMN("guest_tid", NULL, TABLE_NUMBER, "TID of the thread in it",
		number = thread ? thread->nr : BASE_TIME_NONE);
	TABLE_COLUMN("guest_name", NULL, TABLE_WORD,
		"if that thread ran a CPU of another recorded guest: that guest, and the thread in it",
		word = thread ? thread->name : NULL);
}

/* The owner of the CPU (with a context), or what ended a sleep. */
TABLE_COLUMNS(entry_columns)
{
	const struct ana_causes_entry *e = row;
	bool thread = e->row != MDL_NONE && qry_row(in->q, e->row)->type == MDL_ROW_THREAD;

	TABLE_COLUMN("kind", NULL, TABLE_WORD,
		"kind of the interrupt that ended the halts: `timer`, `disk`, `net`, `ipi` (from another virtual CPU); null: unknown. It follows from the wake-ups of the threads that posted the interrupt; for a timer, from the wake-up of the virtual CPU's own thread",
		word = ana_kind_name(e->kind));
	TABLE_COLUMN("host", NULL, TABLE_WORD, "who had the CPU while the thread waited for it",
		word = qry_host(in->q, e->host)->name);
	TABLE_COLUMN("tid", NULL, TABLE_NUMBER,
		"the thread that posted it, if it was always the same; else null",
		number = thread ? qry_row(in->q, e->row)->nr : BASE_TIME_NONE);
	TABLE_COLUMN("name", NULL, TABLE_WORD, "", word = thread ? qry_row(in->q, e->row)->name : e->name);
	if (in->context)
		guest_columns(to, row ? &e->guest : NULL, in);
	TABLE_COLUMN("count", NULL, TABLE_NUMBER, "exits that were handled at least partly in the window",
		number = e->count);
	TABLE_COLUMN("time", NULL, TABLE_DURATION,
		"handling time on the host, without its interrupts and waits", number = e->total);
	TABLE_COLUMN("worst", NULL, TABLE_DURATION, "the longest", number = e->longest);
}

TABLE_COLUMNS(halt_columns)
{
	const struct ana_halt *h = row;

	TABLE_COLUMN("kind", NULL, TABLE_WORD,
		"kind of the interrupt that ended the halts: `timer`, `disk`, `net`, `ipi` (from another virtual CPU); null: unknown. It follows from the wake-ups of the threads that posted the interrupt; for a timer, from the wake-up of the virtual CPU's own thread",
		word = ana_halt_kind_name(h));
	TABLE_COLUMN("grade", NULL, TABLE_WORD, "how sure `kind` is", word = ana_grade_name(h->doubts));
	TABLE_COLUMN("vector", NULL, TABLE_NUMBER,
		"interrupt that the host injected at the next entry (`kvm_inj_virq`); null: none, or unknown",
		number = table_id(h->vector));
	TABLE_COLUMN("tid", NULL, TABLE_NUMBER,
		"the thread that posted it, if it was always the same; else null",
		number = table_nr(in->q, h->poster));
	TABLE_COLUMN("name", NULL, TABLE_WORD, "",
		word = h->poster == MDL_NONE ? NULL : qry_row(in->q, h->poster)->name);
	TABLE_COLUMN("count", NULL, TABLE_NUMBER, "exits that were handled at least partly in the window",
		number = (int64_t)h->count);
	TABLE_COLUMN("time", NULL, TABLE_DURATION,
		"handling time on the host, without its interrupts and waits", number = h->time);
	TABLE_COLUMN("worst", NULL, TABLE_DURATION, "the longest", number = h->worst);
	TABLE_COLUMN("worst_at", NULL, TABLE_TIME, "its start", number = h->worst_at);
	TABLE_DOUBTS("", true, h->doubts);
}

TABLE_COLUMNS(vcpu_columns)
{
	const struct ana_machine_vcpu *v = row;

	TABLE_COLUMN("tid", NULL, TABLE_NUMBER,
		"the thread that posted it, if it was always the same; else null",
		number = qry_row(in->q, v->thread)->nr);
	TABLE_COLUMN("name", NULL, TABLE_WORD, "", word = qry_row(in->q, v->thread)->name);
	TABLE_COLUMN("vcpu_id", NULL, TABLE_NUMBER,
		"number within its machine, from KVM; null: not recorded, or unusable (`info` warns). Virtual CPUs are sorted by it",
		number = table_id(qry_row(in->q, v->row)->vcpu));
	TABLE_COLUMN("guest_cpu", NULL, TABLE_NUMBER, "CPU number in the guest",
		number = table_nr(in->q, v->cpu));
	TABLE_COLUMN("inside", NULL, TABLE_DURATION,
		"guest code ran: from `kvm_entry` to the next event on that CPU", number = v->inside);
	TABLE_COLUMN("handled", NULL, TABLE_DURATION, "the host handled exits", number = v->handled);
	TABLE_COLUMN("interrupted", NULL, TABLE_DURATION,
		"the host's own interrupts had the CPU of the thread", number = v->interrupted);
	TABLE_COLUMN("halted", NULL, TABLE_DURATION, "the guest waited for an interrupt", number = v->halted);
	TABLE_COLUMN("blocked", NULL, TABLE_DURATION, "the thread slept for another reason",
		number = v->blocked);
	TABLE_COLUMN("preempted", NULL, TABLE_DURATION, "the thread waited for a CPU", number = v->preempted);
	TABLE_COLUMN("unknown", NULL, TABLE_DURATION,
		"events are missing. These seven sum to the life of the virtual CPU", number = v->unknown);
	TABLE_LIST("exits", NULL, TABLE_NUMBER, "", table_json_array(exit_columns, in->q, NULL, v->exits),
		number = v->exits->len);
	TABLE_LIST("interrupts", NULL, TABLE_NUMBER, "",
		table_json_array(interrupt_columns, in->q, &qry_row(in->q, v->row)->host, v->interrupts),
		number = v->interrupts->len);
	TABLE_LIST("halts", NULL, TABLE_NUMBER, "", table_json_array(halt_columns, in->q, NULL, v->halts),
		number = v->halts->len);
	TABLE_LIST("by", NULL, TABLE_NUMBER, "", table_json_array(entry_columns, in->q, v, v->by),
		number = v->by->len);
	TABLE_LIST("waits", NULL, TABLE_NUMBER, "", table_json_array(entry_columns, in->q, NULL, v->waits),
		number = v->waits->len);
}

TABLE_COLUMNS(clock_columns)
{
	const struct ana_machine *m = row;
	const struct sync_host *h = &qry_clocks(in->q)->hosts[m->guest];
	const struct sync_line *line = &g_array_index(h->clock->lines, struct sync_line, 0);

	TABLE_COLUMN("slope", NULL, TABLE_DECIMAL, "clock of the guest, as in [sync](#sync)",
		taken = sync_text_slope(line));
	TABLE_COLUMN("offset_ns", NULL, TABLE_DECIMAL, "clock of the guest, as in [sync](#sync)",
		taken = sync_text_offset(line));
	TABLE_COLUMN("error_ns_max", NULL, TABLE_DURATION, "its largest possible error anywhere",
		number = table_bound(h->error_max));
	TABLE_COLUMN("error_ns_shared", NULL, TABLE_DURATION,
		"its largest possible error while both guest and host were recorded",
		number = table_bound(qry_clock_error_shared(in->q, m->guest, m->host)));
	TABLE_COLUMN("events_inside", NULL, TABLE_NUMBER,
		"events of the guest's CPUs inside and outside the times of their virtual CPUs in the guest",
		number = (int64_t)m->events_inside);
	TABLE_COLUMN("events_outside", NULL, TABLE_NUMBER,
		"events of the guest's CPUs inside and outside the times of their virtual CPUs in the guest",
		number = (int64_t)m->events_outside);
}

static GString *clock_json(const struct table_in *in, const struct ana_machine *m)
{
	const struct sync_hosts *clocks = qry_clocks(in->q);

	return m->guest == MDL_NONE || !clocks || !clocks->hosts[m->guest].clock
		? NULL
		: table_json_row(clock_columns, in->q, NULL, m);
}

static void loss_columns(struct table_row *to, const struct ana_machine_loss *row)
{
	TABLE_COLUMN("inside", NULL, TABLE_DURATION,
		"guest code ran: from `kvm_entry` to the next event on that CPU", number = row->inside);
	TABLE_COLUMN("vcpu-preempted", NULL, TABLE_DURATION, "for an idle thread: interrupts on top of it",
		number = row->preempted);
	TABLE_COLUMN("vcpu-exit", NULL, TABLE_DURATION, "for an idle thread: interrupts on top of it",
		number = row->exit);
	TABLE_COLUMN("worst", NULL, TABLE_DURATION, "the longest", number = row->worst);
	TABLE_COLUMN("worst_at", NULL, TABLE_TIME, "its start",
		number = row->worst > 0 ? row->worst_at : BASE_TIME_NONE);
}

TABLE_COLUMNS(thread_columns)
{
	const struct ana_machine_loss *loss = row;

	TABLE_COLUMN("tid", NULL, TABLE_NUMBER,
		"the thread that posted it, if it was always the same; else null",
		number = qry_row(in->q, loss->row)->nr);
	TABLE_COLUMN("name", NULL, TABLE_WORD, "", word = qry_row(in->q, loss->row)->name);
	loss_columns(to, row);
}

TABLE_COLUMNS(cpu_columns)
{
	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER,
		"CPUs of a recorded guest; the CPU that lost most time is first",
		number = qry_row(in->q, ((const struct ana_machine_loss *)row)->row)->nr);
	loss_columns(to, row);
}

TABLE_COLUMNS(total_columns)
{
	loss_columns(to, row);
}

TABLE_COLUMNS(machine_columns)
{
	const struct ana_machine *m = row;
	const struct qry_row *process = row ? qry_row(in->q, m->process) : NULL;

	TABLE_COLUMN("host", NULL, TABLE_WORD, "who had the CPU while the thread waited for it",
		word = qry_host(in->q, m->host)->name);
	TABLE_COLUMN("guest", NULL, TABLE_WORD,
		"if that thread ran a CPU of another recorded guest: that guest, and the thread in it",
		word = table_host(in->q, m->guest));
	TABLE_COLUMN("pid", NULL, TABLE_NUMBER, "process that runs the virtual CPUs",
		number = table_natural(process->pid));
	TABLE_COLUMN("name", NULL, TABLE_WORD, "", word = process->name);
	TABLE_LIST("vcpus", NULL, TABLE_NUMBER, "", table_json_array(vcpu_columns, in->q, NULL, m->vcpus),
		number = m->vcpus->len);
	TABLE_LIST("cpus", NULL, TABLE_NUMBER, "", table_json_array(cpu_columns, in->q, NULL, m->cpus),
		number = m->cpus->len);
	TABLE_LIST("threads", NULL, TABLE_NUMBER, "",
		table_json_array(thread_columns, in->q, NULL, m->threads), number = m->threads->len);
	TABLE_OBJECT("all", NULL, TABLE_WORD, "",
		m->guest == MDL_NONE ? NULL : table_json_row(total_columns, in->q, NULL, &m->loss), NULL);
	TABLE_OBJECT("clock", NULL, TABLE_WORD, "", clock_json(in, m), NULL);
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

TABLE_COLUMNS(line_columns)
{
	const struct line *l = row;

	TABLE_COLUMN("host", qry_host_count(in->q) > 1 ? "HOST" : NULL, TABLE_WORD,
		"who had the CPU while the thread waited for it",
		word = qry_host(in->q, l->machine->host)->name);
	TABLE_COLUMN("pid", ">PID", TABLE_NUMBER, "process that runs the virtual CPUs",
		number = table_natural(qry_row(in->q, l->machine->process)->pid));
	TABLE_COLUMN("machine", "MACHINE", TABLE_WORD, "", word = qry_row(in->q, l->machine->process)->name);
	TABLE_COLUMN("tid", ">TID", TABLE_NUMBER,
		"the thread that posted it, if it was always the same; else null",
		number = l->vcpu ? qry_row(in->q, l->vcpu->thread)->nr : BASE_TIME_NONE);
	TABLE_COLUMN("vcpu", "VCPU", TABLE_WORD, "",
		word = l->vcpu ? qry_row(in->q, l->vcpu->thread)->name : NULL);
	TABLE_COLUMN("what", "WHAT", TABLE_WORD, "", word = l->what);
	TABLE_COLUMN("name", "CAUSE", TABLE_LONG, "", word = l->name);
	TABLE_COLUMN("count", ">COUNT", TABLE_NUMBER, "exits that were handled at least partly in the window",
		number = l->count);
	TABLE_COLUMN("time", ">TIME", TABLE_DURATION,
		"handling time on the host, without its interrupts and waits", number = l->time);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE, "", share = (double)l->time / (double)l->of);
	TABLE_COLUMN("worst", ">WORST", TABLE_DURATION, "the longest", number = l->worst);
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

	if (o->format == TABLE_JSON) {
		exp_rows_array(out, "machines", machine_columns, o, q, NULL, machines, machines->len);
		return true;
	}
	lines = lines_of(q, machines, o->format == TABLE_TEXT ? o->top : UINT_MAX);
	exp_rows_array(out, "machines", line_columns, o, q, NULL, lines, lines->len);
	g_array_unref(lines);
	return true;
}
