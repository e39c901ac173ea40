/* SPDX-License-Identifier: MIT */
/* Virtual machines as their host saw them, each with its virtual CPUs and what its guest lost. */
#include "table/json.h"
#include "table/rows.h"

#include "analysis/causes/machines.h"
#include "base/base_error.h"
#include "base/base_time.h"
#include "model/kernel/exit.h"
#include "query/clock/clock.h"
#include "sync/sync_hosts.h"

/* COUNT, TIME, WORST: the documentation of these columns. */
static void part_columns(struct table_row *to, const struct ana_machine_part *row, const char *count,
	const char *time, const char *worst)
{
	TABLE_COLUMN("count", "(COUNT", TABLE_NUMBER, count, number = (int64_t)row->count);
	TABLE_COLUMN("time", "(TIME", TABLE_DURATION, time, number = row->time);
	TABLE_COLUMN("worst", "(WORST", TABLE_DURATION, worst, number = row->worst);
	TABLE_COLUMN("worst_at", NULL, TABLE_TIME, "its start", number = row->worst_at);
}

static char *reason_text(const struct ana_machine_part *exit)
{
	return exit->what == 0 ? NULL : mdl_exit_name(exit->what);
}

TABLE_COLUMNS(exit_columns)
{
	TABLE_COLUMN("reason", "(WHY", TABLE_WORD,
		"KVM's word: `HLT`, `EPT_VIOLATION` (Intel), `hlt`, `npf` (AMD), `WFx` (ARM)",
		taken = reason_text(row));
	part_columns(to, row, "exits that were handled at least partly in the window",
		"handling time on the host, without its interrupts and waits", "the longest");
}

/* in->context: the number of the host. */
TABLE_COLUMNS(interrupt_columns)
{
	const uint32_t *host = in->context;

	TABLE_COLUMN("name", "(WHY", TABLE_WORD, "",
		taken = qry_context_text(in->q, *host, ((const struct ana_machine_part *)row)->what));
	part_columns(to, row, "pieces; an interrupt that is itself interrupted has several", "all pieces",
		"the longest piece");
}

/* ROW: the row number of the guest's thread that a virtual CPU ran. */
TABLE_COLUMNS(guest_columns)
{
	uint32_t id = row ? *(const uint32_t *)row : MDL_NONE;
	const struct qry_row *thread = id != MDL_NONE ? qry_row(in->q, id) : NULL;

	TABLE_COLUMN("guest", "(CAUSE", TABLE_WORD,
		"if that thread ran a CPU of another recorded guest: that guest",
		word = thread ? qry_host(in->q, thread->host)->name : NULL);
	TABLE_COLUMN("guest_tid", "(CAUSE", TABLE_NUMBER, "TID of the thread in that guest",
		number = thread ? thread->nr : BASE_TIME_NONE);
	TABLE_COLUMN("guest_name", "(CAUSE", TABLE_WORD, "name of the thread in that guest",
		word = thread ? thread->name : NULL);
}

/* The owner of the CPU (if there is a context), or what ended a sleep. */
TABLE_COLUMNS(entry_columns)
{
	const struct ana_causes_entry *e = row;
	const char *what = in->context ? "who had the CPU while the thread waited for it"
				       : "what its sleeps were for, as in [causes](#causes)";
	bool thread = e && e->row != MDL_NONE && qry_row(in->q, e->row)->type == MDL_ROW_THREAD;

	TABLE_COLUMN("kind", "(WHAT", TABLE_WORD, what, word = ana_kind_name(e->kind));
	TABLE_COLUMN("host", "(CAUSE", TABLE_WORD, what, word = qry_host(in->q, e->host)->name);
	TABLE_COLUMN("tid", "(CAUSE", TABLE_NUMBER, "of a single thread; else null",
		number = thread ? qry_row(in->q, e->row)->nr : BASE_TIME_NONE);
	TABLE_COLUMN("name", "(CAUSE", TABLE_WORD, what,
		word = thread ? qry_row(in->q, e->row)->name : e->name);
	if (in->context)
		guest_columns(to, row ? &e->guest : NULL, in);
	TABLE_COLUMN("count", "(COUNT", TABLE_NUMBER, "waits that it had a part in", number = e->count);
	TABLE_COLUMN("time", "(TIME", TABLE_DURATION, "its parts of these waits", number = e->total);
	TABLE_COLUMN("worst", "(WORST", TABLE_DURATION, "the longest", number = e->longest);
}

TABLE_COLUMNS(halt_columns)
{
	const struct ana_halt *h = row;

	TABLE_COLUMN("kind", "(WHY", TABLE_WORD,
		"kind of the interrupt that ended the halts: `timer`, `disk`, `net`, `ipi` (from another virtual CPU); null: unknown. It follows from the wake-ups of the threads that posted the interrupt; for a timer, from the wake-up of the virtual CPU's own thread",
		word = ana_halt_kind_name(h));
	TABLE_COLUMN("grade", "(WHY", TABLE_WORD, "how sure `kind` is", word = ana_grade_name(h->doubts));
	TABLE_COLUMN("vector", "(WHY", TABLE_NUMBER,
		"interrupt that the host injected at the next entry (`kvm_inj_virq`); null: none, or unknown",
		number = table_id(h->vector));
	TABLE_COLUMN("tid", "(WHY", TABLE_NUMBER,
		"the thread that posted it, if it was always the same; else null",
		number = table_nr(in->q, h->poster));
	TABLE_COLUMN("name", "(WHY", TABLE_WORD, "name of that thread",
		word = h->poster == MDL_NONE ? NULL : qry_row(in->q, h->poster)->name);
	TABLE_COLUMN("count", "(COUNT", TABLE_NUMBER, "halts", number = (int64_t)h->count);
	TABLE_COLUMN("time", "(TIME", TABLE_DURATION, "time of these halts; all halts sum to `halted`",
		number = h->time);
	TABLE_COLUMN("worst", "(WORST", TABLE_DURATION, "the longest", number = h->worst);
	TABLE_COLUMN("worst_at", NULL, TABLE_TIME, "its start", number = h->worst_at);
	TABLE_DOUBTS("", true, h->doubts);
}

TABLE_COLUMNS(vcpu_columns)
{
	const struct ana_machine_vcpu *v = row;

	TABLE_COLUMN("tid", "(TID", TABLE_NUMBER, "thread that runs the virtual CPU",
		number = qry_row(in->q, v->thread)->nr);
	TABLE_COLUMN("name", "(VCPU", TABLE_WORD, "its name", word = qry_row(in->q, v->thread)->name);
	TABLE_COLUMN("vcpu_id", NULL, TABLE_NUMBER,
		"number within its machine, from KVM; null: not recorded, or unusable (`info` warns). Virtual CPUs are sorted by it",
		number = table_id(qry_row(in->q, v->row)->vcpu));
	TABLE_COLUMN("guest_cpu", NULL, TABLE_NUMBER, "CPU number in the guest",
		number = table_nr(in->q, v->cpu));
	TABLE_COLUMN("inside", "(WHAT", TABLE_DURATION,
		"guest code ran: from `kvm_entry` to the next event on that CPU", number = v->inside);
	TABLE_COLUMN("handled", "(WHAT", TABLE_DURATION, "the host handled exits", number = v->handled);
	TABLE_COLUMN("interrupted", "(WHAT", TABLE_DURATION,
		"the host's own interrupts had the CPU of the thread", number = v->interrupted);
	TABLE_COLUMN("halted", "(WHAT", TABLE_DURATION, "the guest waited for an interrupt",
		number = v->halted);
	TABLE_COLUMN("blocked", "(WHAT", TABLE_DURATION, "the thread slept for another reason",
		number = v->blocked);
	TABLE_COLUMN("preempted", "(WHAT", TABLE_DURATION, "the thread waited for a CPU",
		number = v->preempted);
	TABLE_COLUMN("unknown", "(WHAT", TABLE_DURATION,
		"events are missing. These seven sum to the life of the virtual CPU", number = v->unknown);
	TABLE_LIST("exits", NULL, TABLE_NUMBER, "{}: ", table_json_array(exit_columns, in->q, NULL, v->exits),
		number = v->exits->len);
	TABLE_LIST("interrupts", NULL, TABLE_NUMBER, "{}: ",
		table_json_array(interrupt_columns, in->q, &qry_row(in->q, v->row)->host, v->interrupts),
		number = v->interrupts->len);
	TABLE_LIST("halts", NULL, TABLE_NUMBER, "{}: ", table_json_array(halt_columns, in->q, NULL, v->halts),
		number = v->halts->len);
	TABLE_LIST("by", NULL, TABLE_NUMBER, "{}: ", table_json_array(entry_columns, in->q, v, v->by),
		number = v->by->len);
	TABLE_LIST("waits", NULL, TABLE_NUMBER,
		"{}: ", table_json_array(entry_columns, in->q, NULL, v->waits), number = v->waits->len);
}

TABLE_COLUMNS(clock_columns)
{
	const struct ana_machine *m = row;
	const struct sync_host *h = m ? &qry_clocks(in->q)->hosts[m->guest] : NULL;
	const struct sync_line *line = m ? &g_array_index(h->clock->lines, struct sync_line, 0) : NULL;

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
		"events of the guest's CPUs while their virtual CPUs were inside the guest",
		number = (int64_t)m->events_inside);
	TABLE_COLUMN("events_outside", NULL, TABLE_NUMBER, "events of the guest's CPUs at other times",
		number = (int64_t)m->events_outside);
}

static GString *clock_json(const struct table_in *in, const struct ana_machine *m)
{
	const struct sync_hosts *clocks = qry_clocks(in->q);

	return m->guest == MDL_NONE || !clocks || !clocks->hosts[m->guest].clock
		? NULL
		: table_json_row(clock_columns, in->q, NULL, m);
}

#define INSIDE "it ran according to the guest's kernel, and the host's trace does not contradict"

/* INSIDE: the documentation of that column. */
static void loss_columns(struct table_row *to, const struct ana_machine_loss *row, const char *inside)
{
	TABLE_COLUMN("inside", NULL, TABLE_DURATION, inside, number = row->inside);
	TABLE_COLUMN("vcpu-preempted", "(WHAT", TABLE_DURATION,
		"it ran according to the guest's kernel, but its virtual CPU was in this [state](#states)",
		number = row->preempted);
	TABLE_COLUMN("vcpu-exit", "(TIME", TABLE_DURATION,
		"it ran according to the guest's kernel, but its virtual CPU was in this [state](#states)",
		number = row->exit);
	TABLE_COLUMN("worst", "(WORST", TABLE_DURATION, "longest `vcpu-preempted`", number = row->worst);
	TABLE_COLUMN("worst_at", NULL, TABLE_TIME, "its start; null: there is none",
		number = row->worst > 0 ? row->worst_at : BASE_TIME_NONE);
}

TABLE_COLUMNS(thread_columns)
{
	const struct ana_machine_loss *loss = row;

	TABLE_COLUMN("tid", "(CAUSE", TABLE_NUMBER,
		"TID of a thread of the guest; the list has the same fields as `cpus`. An idle thread counts as running during interrupts",
		number = qry_row(in->q, loss->row)->nr);
	TABLE_COLUMN("name", "(CAUSE", TABLE_WORD, "", word = qry_row(in->q, loss->row)->name);
	loss_columns(to, row, INSIDE);
}

TABLE_COLUMNS(cpu_columns)
{
	TABLE_COLUMN("cpu", "(CAUSE", TABLE_NUMBER,
		"CPUs of a recorded guest; the CPU that lost most time is first",
		number = qry_row(in->q, ((const struct ana_machine_loss *)row)->row)->nr);
	loss_columns(to, row, INSIDE);
}

TABLE_COLUMNS(total_columns)
{
	loss_columns(to, row, "sum of all its CPUs: " INSIDE);
}

TABLE_COLUMNS(machine_columns)
{
	const struct ana_machine *m = row;
	const struct qry_row *process = row ? qry_row(in->q, m->process) : NULL;

	TABLE_COLUMN("host", "(HOST", TABLE_WORD, "", word = qry_host(in->q, m->host)->name);
	TABLE_COLUMN("guest", NULL, TABLE_WORD,
		"the guest's name as a host of this experiment, if it was recorded",
		word = table_host(in->q, m->guest));
	TABLE_COLUMN("pid", "(PID", TABLE_NUMBER, "process that runs the virtual CPUs",
		number = table_natural(process->pid));
	TABLE_COLUMN("name", "(MACHINE", TABLE_WORD, "its name", word = process->name);
	TABLE_LIST("vcpus", NULL, TABLE_NUMBER, "{}: ", table_json_array(vcpu_columns, in->q, NULL, m->vcpus),
		number = m->vcpus->len);
	TABLE_LIST("cpus", NULL, TABLE_NUMBER, "{}: ", table_json_array(cpu_columns, in->q, NULL, m->cpus),
		number = m->cpus->len);
	TABLE_LIST("threads", NULL, TABLE_NUMBER,
		"{}: ", table_json_array(thread_columns, in->q, NULL, m->threads), number = m->threads->len);
	TABLE_OBJECT("all", NULL, TABLE_WORD,
		"{}: ", m->guest == MDL_NONE ? NULL : table_json_row(total_columns, in->q, NULL, &m->loss),
		NULL);
	TABLE_OBJECT("clock", NULL, TABLE_WORD, "{}: ", clock_json(in, m), NULL);
}

void *table_machines_make(struct table_cursor *c, GError **error)
{
	GArray *made = ana_machines_new(c->q, c->ask.from, c->ask.to, c->ask.progress);

	if (!made)
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	return made;
}

static bool lead(const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct ana_machine *m = row;

	*to = (struct table_place){ .row = m->process, .from = c->ask.from, .to = c->ask.to };
	return true;
}

static const struct table_part parts[] = {
	{ "vcpus[]", vcpu_columns, NULL },
	{ "vcpus[].exits[]", exit_columns, NULL },
	{ "vcpus[].interrupts[]", interrupt_columns, NULL },
	{ "vcpus[].halts[]", halt_columns, NULL },
	{ "vcpus[].by[]", entry_columns, parts },
	{ "vcpus[].waits[]", entry_columns, NULL },
	{ "cpus[]", cpu_columns, NULL },
	{ "threads[]", thread_columns, NULL },
	{ "all", total_columns, NULL },
	{ "clock", clock_columns, NULL },
	{ NULL, NULL, NULL },
};

const struct table table_machines = {
	.name = "machine",
	.list = "machines",
	.doc = "a virtual machine",
	.columns = machine_columns,
	.parts = parts,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = TABLE_WHOLE,
	.make = table_machines_make,
	.free = (GDestroyNotify)g_array_unref,
	.takes = TABLE_TAKES_WINDOW,
	.lead = lead,
};
