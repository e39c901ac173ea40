/* SPDX-License-Identifier: MIT */
/*
 * How it works: a piece is the time that an interval of the guest's row and an interval of the virtual CPU
 * have in common, both in shown time. No index has pieces, because they depend on the clocks. The first
 * question about a row sums its pieces up from its begin, and notes the sums before every BLOCK-th piece.
 * Later answers begin there.
 *
 * The guest's idle threads lose nothing: a guest that idles leaves its virtual CPU to the host.
 *
 * Waits that the user declared (query/host/spins.c) take time from a thread in the same way.
 */
#include "query/host/parts.h"

#include "base/base_search.h"
#include "model/kernel/exit.h"

#define BLOCK 32           /* pieces */
#define PIECES_MAX 8000000 /* kept at a time, some 110 MB; the last row added may exceed it */
#define LEVELS 4           /* depth of guests within guests */

/* The pieces of a row, up to the latest time asked for. */
struct record {
	GArray *ends;       /* of int64_t: where each ends and the next begins */
	GByteArray *states; /* enum mdl_state of each */
	GArray *sums;       /* of struct idx_sums: sums before each BLOCK-th piece */
};

/* The virtual CPU of each CPU of each guest, by the clocks in use; and sums, made when needed. Kept with the
 * experiment (qry_memo()). */
struct steal {
	uint32_t **vcpus; /* host → CPU → virtual CPU (a row) or MDL_NONE; NULL: the host is no guest */
	uint32_t n;       /* hosts */
	GHashTable *cpus; /* row of a virtual CPU's thread → row of the guest's CPU that it runs */
	GHashTable *records; /* row → struct record *, owned */
	uint64_t pieces;     /* in all records */
};

static void free_record(gpointer data)
{
	struct record *r = data;

	g_array_unref(r->ends);
	g_byte_array_unref(r->states);
	g_array_unref(r->sums);
	g_free(r);
}

static void steal_free(void *data)
{
	struct steal *steal = data;

	for (uint32_t i = 0; i < steal->n; i++)
		g_free(steal->vcpus[i]);
	g_free(steal->vcpus);
	g_hash_table_unref(steal->cpus);
	g_hash_table_unref(steal->records);
	g_free(steal);
}

/* True if HOST has a clock that relates it to the other hosts. */
static bool has_clock(const struct qry *q, unsigned host)
{
	return q->clocks && host < q->sources->len && q->clocks->hosts[host].clock;
}

/* Note which CPU of a guest V runs. Ignored if the numbers of V fit no rows. */
static void add_vcpu(const struct qry *q, struct steal *steal, const struct sync_vcpu *v)
{
	struct qry_source *guest = qry_source(q, v->cpu.host);
	const struct qry_source *host = qry_source(q, v->self.host);
	uint32_t **cpus = &steal->vcpus[v->cpu.host];
	const struct qry_row *cpu;
	uint32_t thread;

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
	thread = q->rows[(*cpus)[cpu->nr]].parent;
	if (thread != MDL_NONE)
		g_hash_table_insert(steal->cpus, GUINT_TO_POINTER(thread), GUINT_TO_POINTER(cpu->id));
}

static void *steal_new(struct qry *q)
{
	struct steal *steal = g_new(struct steal, 1);
	const GArray *vcpus = q->found ? q->found->vcpus : NULL;

	*steal = (struct steal){ .n = q->sources->len,
		.vcpus = g_new0(uint32_t *, q->sources->len),
		.cpus = g_hash_table_new(NULL, NULL),
		.records = g_hash_table_new_full(NULL, NULL, NULL, free_record) };
	for (guint i = 0; vcpus && i < vcpus->len; i++) {
		const struct sync_vcpu *v = &g_array_index(vcpus, struct sync_vcpu, i);

		if (has_clock(q, v->self.host) && has_clock(q, v->cpu.host))
			add_vcpu(q, steal, v);
	}
	return steal;
}

static struct steal *steal_of(struct qry *q)
{
	static const char key;

	return qry_memo(q, &key, steal_new, steal_free);
}

uint32_t qry_vcpu_of(struct qry *q, uint32_t host, uint32_t cpu)
{
	const uint32_t *cpus;

	if (q->sources->len == 1)
		return MDL_NONE;
	cpus = steal_of(q)->vcpus[host];
	return cpus && cpu < qry_source(q, host)->n_cpus ? cpus[cpu] : MDL_NONE;
}

uint32_t qry_guest_cpu_of(struct qry *q, uint32_t thread)
{
	gpointer cpu;

	if (q->sources->len == 1)
		return MDL_NONE;
	return g_hash_table_lookup_extended(steal_of(q)->cpus, GUINT_TO_POINTER(thread), NULL, &cpu)
		? GPOINTER_TO_UINT(cpu)
		: MDL_NONE;
}

bool qry_steal_concerns(struct qry *q, uint32_t row)
{
	const struct qry_row *r = &q->rows[row];

	if (q->spins_maker && r->type == MDL_ROW_THREAD && qry_spins_concern(q, row))
		return true;
	if (q->sources->len == 1 ||
		(r->type != MDL_ROW_THREAD && r->type != MDL_ROW_CPU && r->type != MDL_ROW_VCPU))
		return false;
	return steal_of(q)->vcpus[r->host];
}

/* ---- pieces ---- */

/* A cursor in the pieces of a row.  Begin with { .row = ROW }. */
struct place {
	uint32_t row;
	struct mdl_interval own;  /* of the row, as its own kernel saw it */
	struct mdl_interval host; /* of the virtual CPU VCPU (a row) */
	uint32_t vcpu;
	unsigned level; /* depth of guests within guests at which the question is */
};

static bool steal_holds(const struct mdl_interval *iv, int64_t time)
{
	return iv->from <= time && time < iv->to;
}

/* The CPU of the guest that R uses in IV; MDL_NONE if it uses none or idles. */
static uint32_t steal_cpu_of(const struct qry_row *r, const struct mdl_interval *iv)
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

static bool piece_at(struct qry *q, struct place *place, int64_t time, struct mdl_interval *piece);

/* The state of the virtual CPU VCPU at TIME. Its host may itself be a guest. */
static bool vcpu_at(struct qry *q, uint32_t vcpu, int64_t time, unsigned level, struct mdl_interval *host)
{
	struct place place = { .row = vcpu, .level = level + 1 };

	return level < LEVELS && qry_steal_concerns(q, vcpu) ? piece_at(q, &place, time, host)
							     : qry_kernel_state_at(q, vcpu, time, host);
}

/* Apply HOST, the interval of the virtual CPU, to PIECE, in which the guest's thread has this CPU. */
static void steal_take(const struct mdl_interval *host, struct mdl_interval *piece)
{
	piece->from = MAX(piece->from, host->from);
	piece->to = MIN(piece->to, host->to);
	if (host->state == MDL_ST_RUNNING || host->state == MDL_ST_UNKNOWN)
		return; /* inside the guest, or the host's trace does not show otherwise */
	piece->state = host->state == MDL_ST_VCPU_PREEMPTED ? MDL_ST_VCPU_PREEMPTED : MDL_ST_VCPU_EXIT;
	switch (host->state) {
	case MDL_ST_VCPU_EXIT: piece->detail = host->detail; break;
	case MDL_ST_INTERRUPTED: piece->detail = mdl_exit_other(MDL_EXIT_INTERRUPTED); break;
	case MDL_ST_IDLE: piece->detail = mdl_exit_other(MDL_EXIT_HALTED); break;
	case MDL_ST_BLOCKED: piece->detail = mdl_exit_other(MDL_EXIT_ASLEEP); break;
	default: piece->detail = 0;
	}
}

/* The piece of the row of PLACE that holds TIME (shown), without the waits that the user declared. */
static bool stolen_at(struct qry *q, struct place *place, int64_t time, struct mdl_interval *piece)
{
	const struct qry_row *r = &q->rows[place->row];
	uint32_t cpu, vcpu;

	if (!steal_holds(&place->own, time) && !qry_kernel_state_at(q, place->row, time, &place->own))
		return false;
	*piece = place->own;
	cpu = steal_cpu_of(r, piece);
	vcpu = cpu == MDL_NONE ? MDL_NONE : qry_vcpu_of(q, r->host, cpu);
	if (vcpu == MDL_NONE)
		return true;
	if (place->vcpu != vcpu || !steal_holds(&place->host, time)) {
		place->vcpu = vcpu;
		if (!vcpu_at(q, vcpu, time, place->level, &place->host))
			place->host = (struct mdl_interval){ .from = INT64_MAX };
	}
	if (steal_holds(&place->host, time))
		steal_take(&place->host, piece);
	else if (time < q->rows[vcpu].first)
		piece->to = MIN(piece->to, q->rows[vcpu].first);
	else
		piece->from = MAX(piece->from, q->rows[vcpu].last);
	return true;
}

/*
 * The piece of the row of PLACE that holds TIME (shown): the state in the view of its kernel, or
 * vcpu-preempted, vcpu-exit or waiting. It ends at the latest with the interval of the virtual CPU or the
 * declared wait. False outside the row's life.
 */
static bool piece_at(struct qry *q, struct place *place, int64_t time, struct mdl_interval *piece)
{
	if (!stolen_at(q, place, time, piece))
		return false;
	if (q->spins_maker && mdl_state_has_cpu(piece->state) && q->rows[place->row].type == MDL_ROW_THREAD)
		qry_spins_take(q, place->row, time, piece);
	return true;
}

/* ---- answers ---- */

bool qry_state_beneath(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval)
{
	struct place place = { .row = row };

	return stolen_at(q, &place, time, interval);
}

bool qry_state_at(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval)
{
	struct place place = { .row = row };

	return qry_steal_concerns(q, row) ? piece_at(q, &place, time, interval)
					  : qry_kernel_state_at(q, row, time, interval);
}

bool qry_state_before(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval)
{
	const struct qry_row *r = &q->rows[row];

	return time > r->first && qry_state_at(q, row, MIN(time, r->last) - 1, interval);
}

GArray *qry_states(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	struct place place = { .row = row };
	struct mdl_interval i;
	GArray *states;

	if (!qry_steal_concerns(q, row))
		return qry_kernel_states(q, row, from, to);
	states = g_array_new(FALSE, FALSE, sizeof(struct mdl_interval));
	from = MAX(from, q->rows[row].first);
	for (int64_t at = from; at < to && piece_at(q, &place, at, &i); at = i.to)
		qry_states_append(states, i, from, to);
	return states;
}

/* ---- sums ---- */

/* The record of ROW. Drops all records first if they have too many pieces. */
static struct record *record_of(struct steal *steal, uint32_t row)
{
	struct record *r = g_hash_table_lookup(steal->records, GUINT_TO_POINTER(row));

	if (r)
		return r;
	if (steal->pieces > PIECES_MAX) {
		g_hash_table_remove_all(steal->records);
		steal->pieces = 0;
	}
	r = g_new(struct record, 1);
	*r = (struct record){ g_array_new(FALSE, FALSE, sizeof(int64_t)), g_byte_array_new(),
		g_array_new(FALSE, FALSE, sizeof(struct idx_sums)) };
	g_hash_table_insert(steal->records, GUINT_TO_POINTER(row), r);
	return r;
}

static void steal_add_piece(struct idx_sums *sums, uint8_t state, int64_t from, int64_t to)
{
	sums->ns[state] += (uint64_t)(to - from);
	sums->intervals++;
}

/* Where piece I of R begins. FIRST is the begin of the row. */
static int64_t begin_of(const struct record *r, guint i, int64_t first)
{
	return i == 0 ? first : g_array_index(r->ends, int64_t, i - 1);
}

/* Extend R, the record of ROW, up to a piece that ends after TIME, or to the row's end. */
static void record_to(struct qry *q, uint32_t row, struct record *r, int64_t time)
{
	int64_t first = q->rows[row].first, from = begin_of(r, r->ends->len, first);
	struct place place = { .row = row };
	struct idx_sums sums = { 0 };
	struct steal *steal = steal_of(q);
	struct mdl_interval piece;

	if (from > time && r->ends->len > 0)
		return;
	if (r->sums->len > 0)
		sums = g_array_index(r->sums, struct idx_sums, r->sums->len - 1);
	for (guint i = r->sums->len ? (r->sums->len - 1) * BLOCK : 0; i < r->ends->len; i++)
		steal_add_piece(&sums, r->states->data[i], begin_of(r, i, first), begin_of(r, i + 1, first));
	while (from <= time && piece_at(q, &place, from, &piece)) {
		if (r->ends->len % BLOCK == 0)
			g_array_append_val(r->sums, sums);
		g_array_append_val(r->ends, piece.to);
		g_byte_array_append(r->states, &piece.state, 1);
		steal_add_piece(&sums, piece.state, from, piece.to);
		from = piece.to;
		steal->pieces++;
	}
}

/* The sums before TIME, which lies in piece N of R or is the row's end. */
static struct idx_sums sums_at(const struct record *r, guint n, int64_t first, int64_t time)
{
	guint block = n / BLOCK;
	struct idx_sums sums;

	if (block == r->sums->len)
		block--;
	sums = g_array_index(r->sums, struct idx_sums, block);
	for (guint i = block * BLOCK; i < n; i++)
		steal_add_piece(&sums, r->states->data[i], begin_of(r, i, first), begin_of(r, i + 1, first));
	if (n == r->ends->len || begin_of(r, n, first) >= time)
		return sums;
	steal_add_piece(&sums, r->states->data[n], begin_of(r, n, first), time);
	sums.cut = true;
	return sums;
}

void qry_steal_sums(struct qry *q, uint32_t row, const int64_t *times, uint32_t n, struct idx_sums *sums)
{
	const struct qry_row *own = &q->rows[row];
	struct record *r = record_of(steal_of(q), row);
	guint at = 0;

	record_to(q, row, r, n > 0 ? MIN(times[n - 1], own->last) : own->first);
	for (uint32_t i = 0; i < n; i++) {
		int64_t time = CLAMP(times[i], own->first, own->last);

		if (at < r->ends->len && begin_of(r, at + 1, own->first) <= time)
			at += (guint)base_search_below(&g_array_index(r->ends, int64_t, at),
				r->ends->len - at, sizeof(int64_t), time == INT64_MAX ? time : time + 1);
		sums[i] = r->ends->len ? sums_at(r, at, own->first, time) : (struct idx_sums){ 0 };
	}
}
