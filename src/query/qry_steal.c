/* SPDX-License-Identifier: MIT */
/*
 * How it works: a piece is what an interval of the guest's row and one of the virtual CPU have in common,
 * both by shown time.  No index holds pieces: they depend on the clocks.  What lies in a row before an
 * instant is summed up from its begin the first time that somebody asks, with a mark every MARK_PIECES
 * pieces; from then on each answer begins at a mark.
 *
 * The guest's idle threads lose nothing: a guest that idles leaves its virtual CPU to the host.
 */
#include "query/qry_steal.h"

#include "query/qry_parts.h"

#include "base/base_search.h"
#include "model/mdl_exit.h"

#define MARK_PIECES 64
#define LEVELS 4 /* of guests in guests */

/* What lies in a row before TIME, where a piece begins. */
struct mark {
	int64_t time;
	struct idx_sums sums;
};

struct qry_steal {
	uint32_t **vcpus; /* host → CPU → virtual CPU (a row) or MDL_NONE; NULL for hosts that are no guests
			   */
	uint32_t n;       /* hosts */
	GHashTable *marks; /* row → GArray of struct mark, owned */
};

static void unref_marks(gpointer marks)
{
	g_array_unref(marks);
}

void qry_steal_free(struct qry_steal *steal)
{
	if (!steal)
		return;
	for (uint32_t i = 0; i < steal->n; i++)
		g_free(steal->vcpus[i]);
	g_free(steal->vcpus);
	g_hash_table_unref(steal->marks);
	g_free(steal);
}

/* Is the time of HOST known in that of the others? */
static bool has_clock(const struct qry *q, unsigned host)
{
	return q->clocks && host < q->sources->len && q->clocks->hosts[host].clock;
}

/* V, which was found, runs one of the CPUs of a guest. */
static void add_vcpu(const struct qry *q, struct qry_steal *steal, const struct sync_vcpu *v)
{
	struct qry_source *guest = qry_source(q, v->cpu.host);
	const struct qry_source *host = qry_source(q, v->self.host);
	uint32_t **cpus = &steal->vcpus[v->cpu.host];
	const struct qry_row *cpu;

	if (v->cpu.row >= guest->host.n_rows || v->self.row >= host->host.n_rows)
		return;
	cpu = &q->rows[guest->host.first_row + v->cpu.row];
	if (cpu->type != MDL_ROW_CPU || cpu->nr < 0 || cpu->nr >= guest->n_cpus)
		return;
	if (!*cpus) {
		*cpus = g_new(uint32_t, guest->n_cpus);
		for (uint32_t i = 0; i < guest->n_cpus; i++)
			(*cpus)[i] = MDL_NONE;
	}
	(*cpus)[cpu->nr] = host->host.first_row + v->self.row;
}

static struct qry_steal *steal_new(const struct qry *q)
{
	struct qry_steal *steal = g_new(struct qry_steal, 1);
	const GArray *vcpus = q->found ? q->found->vcpus : NULL;

	*steal = (struct qry_steal){ .n = q->sources->len,
		.vcpus = g_new0(uint32_t *, q->sources->len),
		.marks = g_hash_table_new_full(NULL, NULL, NULL, unref_marks) };
	for (guint i = 0; vcpus && i < vcpus->len; i++) {
		const struct sync_vcpu *v = &g_array_index(vcpus, struct sync_vcpu, i);

		if (has_clock(q, v->self.host) && has_clock(q, v->cpu.host))
			add_vcpu(q, steal, v);
	}
	return steal;
}

uint32_t qry_vcpu_of(struct qry *q, uint32_t host, uint32_t cpu)
{
	const uint32_t *cpus;

	if (q->sources->len == 1)
		return MDL_NONE;
	if (!q->steal)
		q->steal = steal_new(q);
	cpus = q->steal->vcpus[host];
	return cpus && cpu < qry_source(q, host)->n_cpus ? cpus[cpu] : MDL_NONE;
}

bool qry_steal_concerns(struct qry *q, uint32_t row)
{
	const struct qry_row *r = &q->rows[row];

	if (q->sources->len == 1 ||
		(r->type != MDL_ROW_THREAD && r->type != MDL_ROW_CPU && r->type != MDL_ROW_VCPU))
		return false;
	if (!q->steal)
		q->steal = steal_new(q);
	return q->steal->vcpus[r->host];
}

/* ---- pieces ---- */

static bool holds(const struct mdl_interval *iv, int64_t time)
{
	return iv->from <= time && time < iv->to;
}

/* The CPU of the guest that R has in IV; MDL_NONE: it has none, or idles on it. */
static uint32_t cpu_of(const struct qry_row *r, const struct mdl_interval *iv)
{
	switch (iv->state) {
	case MDL_ST_USERMODE:
	case MDL_ST_SYSCALL:
	case MDL_ST_RUNNING:
		if (r->type == MDL_ROW_THREAD && r->nr == 0)
			return MDL_NONE;
		break;
	case MDL_ST_VCPU_EXIT:
	case MDL_ST_INTERRUPTED: break;
	default: return MDL_NONE;
	}
	return r->type == MDL_ROW_CPU ? (uint32_t)r->nr : iv->aux;
}

/* What the virtual CPU VCPU does at TIME; its host may be a guest itself. */
static bool vcpu_at(struct qry *q, uint32_t vcpu, int64_t time, unsigned level, struct mdl_interval *host)
{
	struct qry_steal_place place = { .row = vcpu, .level = level + 1 };

	return level < LEVELS && qry_steal_concerns(q, vcpu) ? qry_steal_at(q, &place, time, host)
							     : qry_kernel_state_at(q, vcpu, time, host);
}

/* What becomes of PIECE, in which its thread has a CPU, where the virtual CPU does HOST. */
static void take(const struct mdl_interval *host, struct mdl_interval *piece)
{
	piece->from = MAX(piece->from, host->from);
	piece->to = MIN(piece->to, host->to);
	if (host->state == MDL_ST_RUNNING || host->state == MDL_ST_UNKNOWN)
		return; /* inside the guest, as far as the host's trace tells */
	piece->state = host->state == MDL_ST_VCPU_PREEMPTED ? MDL_ST_VCPU_PREEMPTED : MDL_ST_VCPU_EXIT;
	switch (host->state) {
	case MDL_ST_VCPU_EXIT: piece->detail = host->detail; break;
	case MDL_ST_INTERRUPTED: piece->detail = mdl_exit_other(MDL_EXIT_INTERRUPTED); break;
	case MDL_ST_IDLE: piece->detail = mdl_exit_other(MDL_EXIT_HALTED); break;
	case MDL_ST_BLOCKED: piece->detail = mdl_exit_other(MDL_EXIT_ASLEEP); break;
	default: piece->detail = 0;
	}
}

bool qry_steal_at(struct qry *q, struct qry_steal_place *place, int64_t time, struct mdl_interval *piece)
{
	const struct qry_row *r = &q->rows[place->row];
	uint32_t cpu, vcpu;

	if (!holds(&place->own, time) && !qry_kernel_state_at(q, place->row, time, &place->own))
		return false;
	*piece = place->own;
	cpu = cpu_of(r, piece);
	vcpu = cpu == MDL_NONE ? MDL_NONE : qry_vcpu_of(q, r->host, cpu);
	if (vcpu == MDL_NONE)
		return true;
	if (place->vcpu != vcpu || !holds(&place->host, time)) {
		place->vcpu = vcpu;
		if (!vcpu_at(q, vcpu, time, place->level, &place->host))
			place->host = (struct mdl_interval){ .from = INT64_MAX };
	}
	if (holds(&place->host, time))
		take(&place->host, piece);
	else if (time < q->rows[vcpu].first)
		piece->to = MIN(piece->to, q->rows[vcpu].first);
	else
		piece->from = MAX(piece->from, q->rows[vcpu].last);
	return true;
}

/* ---- sums ---- */

static void add(struct idx_sums *sums, const struct mdl_interval *piece, int64_t from, int64_t to)
{
	sums->ns[piece->state] += (uint64_t)(to - from);
	sums->intervals += from == piece->from;
	sums->cut = to < piece->to;
}

/* Go on from FROM, where a piece begins, by MARK_PIECES pieces at most, to TO at most.  How far it came. */
static int64_t walk(struct qry *q, struct qry_steal_place *place, int64_t from, int64_t to,
	struct idx_sums *sums)
{
	struct mdl_interval piece;

	for (unsigned i = 0; i < MARK_PIECES && from < to && qry_steal_at(q, place, from, &piece); i++) {
		piece.from = from;
		add(sums, &piece, from, MIN(piece.to, to));
		from = MIN(piece.to, to);
	}
	return from;
}

/* The marks of the row of PLACE, up to the first at or behind TIME, or the row's end. */
static GArray *marks_to(struct qry *q, struct qry_steal_place *place, int64_t time)
{
	const struct qry_row *r = &q->rows[place->row];
	GArray *marks = g_hash_table_lookup(q->steal->marks, GUINT_TO_POINTER(place->row));
	struct mark last = { .time = r->first };

	if (!marks) {
		marks = g_array_new(FALSE, FALSE, sizeof(struct mark));
		g_array_append_val(marks, last);
		g_hash_table_insert(q->steal->marks, GUINT_TO_POINTER(place->row), marks);
	}
	last = g_array_index(marks, struct mark, marks->len - 1);
	while (last.time < time && last.time < r->last) {
		int64_t from = last.time;

		last.time = walk(q, place, from, r->last, &last.sums);
		if (last.time == from)
			break; /* a damaged index has a hole there */
		g_array_append_val(marks, last);
	}
	return marks;
}

/* The last of MARKS at or before TIME; the first where none is. */
static const struct mark *mark_before(const GArray *marks, int64_t time)
{
	const struct mark *all = &g_array_index(marks, struct mark, 0);

	return &all[base_search_holding(&all->time, marks->len, sizeof *all, time)];
}

void qry_steal_sums(struct qry *q, uint32_t row, const int64_t *times, uint32_t n, struct idx_sums *sums)
{
	const struct qry_row *r = &q->rows[row];
	struct qry_steal_place place = { .row = row };
	GArray *marks = n > 0 ? marks_to(q, &place, MIN(times[n - 1], r->last)) : NULL;

	for (uint32_t i = 0; i < n; i++) {
		int64_t time = CLAMP(times[i], r->first, r->last);
		const struct mark *mark = mark_before(marks, time);

		sums[i] = mark->sums;
		walk(q, &place, mark->time, time, &sums[i]);
	}
}
