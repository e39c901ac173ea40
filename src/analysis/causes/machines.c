/* SPDX-License-Identifier: MIT */
/*
 * How it works: the row of each virtual CPU (model/guest/vcpu.c) is read once.  Between two stays inside the
 * guest is one exit.  Its reason may be known only after the interrupt that caused it was handled, so the
 * parts are joined before they are counted.  The owners of the CPU meanwhile, and the end of a sleep, come
 * from ana_causes of the thread.
 */
#include "analysis/causes/machines.h"

#include "base/base_progress.h"
#include "base/base_search.h"
#include "base/base_time.h"

#define STEPS 4096 /* between two checks for cancellation */

/* ---- exits ---- */

/* The time between two stays inside the guest. */
struct stretch {
	uint32_t reason; /* 0 not known (yet) */
	int64_t from, time;
};

static struct ana_machine_part *machines_part_of(GArray *parts, uint32_t what)
{
	struct ana_machine_part new = { .what = what };

	for (guint i = 0; i < parts->len; i++)
		if (g_array_index(parts, struct ana_machine_part, i).what == what)
			return &g_array_index(parts, struct ana_machine_part, i);
	g_array_append_val(parts, new);
	return &g_array_index(parts, struct ana_machine_part, parts->len - 1);
}

/* Add one exit or interrupt WHAT that began at FROM and took TIME. */
static void machines_add_part(GArray *parts, uint32_t what, int64_t from, int64_t time)
{
	struct ana_machine_part *p = machines_part_of(parts, what);

	p->count++;
	p->time += time;
	if (time > p->worst) {
		p->worst = time;
		p->worst_at = from;
	}
}

static void end_stretch(struct ana_machine_vcpu *v, struct stretch *s)
{
	if (s->time > 0)
		machines_add_part(v->exits, s->reason, s->from, s->time);
	*s = (struct stretch){ 0 };
}

static void add_interval(struct ana_machine_vcpu *v, struct stretch *s, const struct mdl_interval *iv)
{
	int64_t time = iv->to - iv->from;

	switch ((enum mdl_state)iv->state) {
	case MDL_ST_RUNNING:
		end_stretch(v, s);
		v->inside += time;
		break;
	case MDL_ST_VCPU_EXIT:
		if (s->time == 0)
			s->from = iv->from;
		s->time += time;
		s->reason = s->reason ? s->reason : iv->detail;
		v->handled += time;
		break;
	case MDL_ST_INTERRUPTED:
		v->interrupted += time;
		machines_add_part(v->interrupts, iv->detail, iv->from, time);
		break;
	case MDL_ST_VCPU_PREEMPTED: v->preempted += time; break;
	case MDL_ST_IDLE: v->halted += time; break;
	case MDL_ST_BLOCKED: v->blocked += time; break;
	default:
		end_stretch(v, s);
		v->unknown += time;
		break;
	}
}

/* Hrtimers of several functions have one name: join V's interrupts with equal names to one part. */
static void join_namesakes(const struct qry *q, const struct ana_machine_vcpu *v)
{
	g_autoptr(GHashTable) by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GArray *all = v->interrupts;
	guint kept = 0;

	for (guint i = 0; i < all->len; i++) {
		struct ana_machine_part part = g_array_index(all, struct ana_machine_part, i), *first;
		char *name = qry_context_text(q, qry_row(q, v->row)->host, part.what);
		gpointer place;

		if (!g_hash_table_lookup_extended(by_name, name, NULL, &place)) {
			g_hash_table_insert(by_name, name, GUINT_TO_POINTER(kept));
			g_array_index(all, struct ana_machine_part, kept++) = part;
			continue;
		}
		g_free(name);
		first = &g_array_index(all, struct ana_machine_part, GPOINTER_TO_UINT(place));
		first->count += part.count;
		first->time += part.time;
		if (part.worst > first->worst) {
			first->worst = part.worst;
			first->worst_at = part.worst_at;
		}
	}
	g_array_set_size(all, kept);
}

static gint most_time_first(gconstpointer a, gconstpointer b)
{
	const struct ana_machine_part *x = a, *y = b;

	return BASE_BY(y, x, time) ?: BASE_BY(x, y, what);
}

/* False if PROGRESS was cancelled. */
static bool walk_states(struct qry *q, struct ana_machine_vcpu *v, int64_t from, int64_t to,
	struct base_progress *progress)
{
	struct stretch s = { 0 };
	struct mdl_interval iv;
	unsigned n = 0;

	for (int64_t time = MAX(from, qry_row(q, v->row)->first);
		time < to && qry_state_at(q, v->row, time, &iv); time = iv.to) {
		if (++n % STEPS == 0 && base_progress_cancelled(progress))
			return false;
		iv.from = MAX(iv.from, from);
		iv.to = MIN(iv.to, to);
		add_interval(v, &s, &iv);
	}
	end_stretch(v, &s);
	join_namesakes(q, v);
	g_array_sort(v->exits, most_time_first);
	g_array_sort(v->interrupts, most_time_first);
	return true;
}

/* ---- owners of the CPU, and ends of sleeps ---- */

static bool find_causes(struct qry *q, struct ana_machine_vcpu *v, int64_t from, int64_t to,
	struct base_progress *progress)
{
	const GArray *entries;

	/* Waits of the thread from before it was a virtual CPU do not count. */
	v->causes = ana_causes_new(q, &v->thread, 1, ANA_CAUSES_BY_GUEST,
		MAX(from, qry_row(q, v->row)->first), to);
	while (ana_causes_work(v->causes, STEPS))
		if (base_progress_cancelled(progress))
			return false;
	entries = ana_causes_entries(v->causes);
	for (guint i = 0; i < entries->len; i++) {
		const struct ana_causes_entry *e = &g_array_index(entries, struct ana_causes_entry, i);
		bool cpu = e->kind == ANA_KIND_PREEMPTED || e->kind == ANA_KIND_WAIT_CPU ||
			e->kind == ANA_KIND_THROTTLED;

		g_array_append_vals(cpu ? v->by : v->waits, e, 1);
	}
	return true;
}

/* ---- losses of a guest ---- */

/* Find the longest of the times that LOSS's row lost while its virtual CPU waited for a CPU.  False if
 * PROGRESS was cancelled. */
static bool find_worst(struct qry *q, struct ana_machine_loss *loss, int64_t from, int64_t to,
	struct base_progress *progress)
{
	int64_t time = MAX(from, qry_row(q, loss->row)->first), begin = time;
	struct mdl_interval iv;

	for (unsigned n = 1; time < to && qry_state_at(q, loss->row, time, &iv); n++) {
		if (n % STEPS == 0 && base_progress_cancelled(progress))
			return false;
		time = MIN(iv.to, to);
		if (iv.state != MDL_ST_VCPU_PREEMPTED) {
			begin = time;
		} else if (time - begin > loss->worst) {
			loss->worst = time - begin;
			loss->worst_at = begin;
		}
	}
	return true;
}

/* False if PROGRESS was cancelled. */
static bool add_loss(struct qry *q, GArray *losses, const struct qry_row *row, int64_t from, int64_t to,
	struct base_progress *progress)
{
	struct ana_machine_loss loss = { .row = row->id };
	struct qry_cell cell;
	bool whole, idle;

	qry_share(q, row->id, from, to, &cell);
	/* Time that the guest's kernel counts as on a CPU. Of an idle thread only its interrupts count. */
	idle = row->type == MDL_ROW_THREAD && row->nr == 0;
	loss.inside = idle ? cell.ns[MDL_ST_INTERRUPTED] : qry_cell_on_cpu(&cell);
	loss.preempted = cell.ns[MDL_ST_VCPU_PREEMPTED];
	loss.exit = cell.ns[MDL_ST_VCPU_EXIT];
	whole = loss.preempted == 0 || find_worst(q, &loss, from, to, progress);
	if (loss.inside + loss.preempted + loss.exit > 0)
		g_array_append_val(losses, loss);
	return whole && !base_progress_cancelled(progress);
}

static gint most_lost_first(gconstpointer a, gconstpointer b)
{
	const struct ana_machine_loss *x = a, *y = b;
	int64_t left = x->preempted + x->exit, right = y->preempted + y->exit;

	return BASE_ORDER(right, left) ?: BASE_BY(x, y, row);
}

bool ana_machine_losses(struct qry *q, struct ana_machine *m, int64_t from, int64_t to,
	struct base_progress *progress)
{
	const struct qry_host *guest = m->guest == MDL_NONE ? NULL : qry_host(q, m->guest);

	for (uint32_t i = 0; guest && i < guest->n_rows; i++) {
		const struct qry_row *row = qry_row(q, guest->first_row + i);

		if ((row->type == MDL_ROW_THREAD || row->type == MDL_ROW_CPU) &&
			!add_loss(q, row->type == MDL_ROW_CPU ? m->cpus : m->threads, row, from, to,
				progress))
			return false;
	}
	for (guint i = 0; i < m->cpus->len; i++) {
		const struct ana_machine_loss *cpu = &g_array_index(m->cpus, struct ana_machine_loss, i);

		m->loss.inside = base_time_sum(m->loss.inside, cpu->inside);
		m->loss.preempted = base_time_sum(m->loss.preempted, cpu->preempted);
		m->loss.exit = base_time_sum(m->loss.exit, cpu->exit);
		if (cpu->worst > m->loss.worst) {
			m->loss.worst = cpu->worst;
			m->loss.worst_at = cpu->worst_at;
		}
	}
	g_array_sort(m->threads, most_lost_first);
	g_array_sort(m->cpus, most_lost_first);
	return true;
}

/* ---- machines ---- */

void ana_machine_vcpu_clear(struct ana_machine_vcpu *v)
{
	g_array_unref(v->exits);
	g_array_unref(v->interrupts);
	g_array_unref(v->by);
	g_array_unref(v->waits);
	g_array_unref(v->halts);
	ana_causes_free(v->causes);
}

void ana_machine_clear(struct ana_machine *m)
{
	g_array_unref(m->vcpus);
	g_array_unref(m->threads);
	g_array_unref(m->cpus);
}

struct ana_machine ana_machine_make(uint32_t host, uint32_t process, uint32_t guest)
{
	struct ana_machine m = { .host = host,
		.process = process,
		.guest = guest,
		.vcpus = g_array_new(FALSE, FALSE, sizeof(struct ana_machine_vcpu)),
		.threads = g_array_new(FALSE, FALSE, sizeof(struct ana_machine_loss)),
		.cpus = g_array_new(FALSE, FALSE, sizeof(struct ana_machine_loss)) };

	g_array_set_clear_func(m.vcpus, (GDestroyNotify)ana_machine_vcpu_clear);
	return m;
}

struct ana_machine_vcpu ana_machine_vcpu_make(const struct qry *q, uint32_t row)
{
	return (struct ana_machine_vcpu){ .row = row,
		.thread = qry_row(q, row)->parent,
		.cpu = MDL_NONE,
		.exits = g_array_new(FALSE, FALSE, sizeof(struct ana_machine_part)),
		.interrupts = g_array_new(FALSE, FALSE, sizeof(struct ana_machine_part)),
		.by = g_array_new(FALSE, FALSE, sizeof(struct ana_causes_entry)),
		.waits = g_array_new(FALSE, FALSE, sizeof(struct ana_causes_entry)),
		.halts = g_array_new(FALSE, FALSE, sizeof(struct ana_halt)) };
}

static struct ana_machine *machine_of(GArray *machines, const struct qry_row *vcpu)
{
	struct ana_machine new;

	for (guint i = 0; i < machines->len; i++)
		if (g_array_index(machines, struct ana_machine, i).process == vcpu->process)
			return &g_array_index(machines, struct ana_machine, i);
	new = ana_machine_make(vcpu->host, vcpu->process, MDL_NONE);
	g_array_append_val(machines, new);
	return &g_array_index(machines, struct ana_machine, machines->len - 1);
}

bool ana_machine_vcpu_count(struct qry *q, struct ana_machine_vcpu *v, int64_t from, int64_t to,
	struct base_progress *progress)
{
	if (!walk_states(q, v, from, to, progress) || !find_causes(q, v, from, to, progress))
		return false;
	g_array_unref(v->halts);
	v->halts = ana_halts_new(q, v->row, from, to);
	return true;
}

/* By number if they have one (else MDL_NONE), then by thread. */
static gint by_number(gconstpointer a, gconstpointer b, gpointer q)
{
	const struct qry_row *x = qry_row(q, ((const struct ana_machine_vcpu *)a)->row),
			     *y = qry_row(q, ((const struct ana_machine_vcpu *)b)->row);

	return BASE_BY(x, y, vcpu) ?: BASE_BY(x, y, nr) ?: BASE_BY(x, y, id);
}

GArray *ana_machines_list(struct qry *q, int64_t from, int64_t to)
{
	GArray *machines = g_array_new(FALSE, FALSE, sizeof(struct ana_machine));

	g_array_set_clear_func(machines, (GDestroyNotify)ana_machine_clear);
	for (uint32_t i = 0; i < qry_row_count(q); i++) {
		const struct qry_row *r = qry_row(q, i);
		struct ana_machine_vcpu v;
		struct ana_machine *m;
		struct qry_guest guest;

		if (r->type != MDL_ROW_VCPU || r->parent == MDL_NONE || r->first >= to || r->last <= from)
			continue;
		v = ana_machine_vcpu_make(q, i);
		m = machine_of(machines, r);
		if (qry_guest_of(q, i, &guest)) {
			v.cpu = guest.cpu;
			m->guest = qry_row(q, guest.cpu)->host;
			m->events_inside += guest.inside;
			m->events_outside += guest.outside;
		}
		g_array_append_val(m->vcpus, v);
	}
	for (guint i = 0; i < machines->len; i++)
		g_array_sort_with_data(g_array_index(machines, struct ana_machine, i).vcpus, by_number, q);
	return machines;
}

GArray *ana_machines_new(struct qry *q, int64_t from, int64_t to, struct base_progress *progress)
{
	GArray *machines = ana_machines_list(q, from, to);
	bool whole = true;

	for (guint i = 0; i < machines->len && whole; i++) {
		struct ana_machine *m = &g_array_index(machines, struct ana_machine, i);

		for (guint k = 0; k < m->vcpus->len && whole; k++)
			whole = ana_machine_vcpu_count(q,
				&g_array_index(m->vcpus, struct ana_machine_vcpu, k), from, to, progress);
		whole = whole && ana_machine_losses(q, m, from, to, progress);
	}
	if (!whole)
		g_clear_pointer(&machines, g_array_unref);
	return machines;
}
