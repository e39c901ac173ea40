/* SPDX-License-Identifier: MIT */
/*
 * How it works: an interrupt ends the halt of a guest, which takes it at its next entry.  If it takes several
 * at that entry, the halt counts for the one that was posted together with the wake-up of the virtual CPU's
 * thread, else for the first.
 *
 * No event shows the purpose of a vector; the numbers are the guest's own, on x86 each CPU's.  It is
 * inferred:
 *
 * - an IPI is a vector that another virtual CPU posted as such (kvm_apic_ipi);
 * - the guest's timer is a vector that the virtual CPU's own thread posts, if a timer of the host ended most
 *   of the halts that this vector ends (apic_timer_fn(), arch/x86/kvm/lapic.c, wakes the thread, which then
 *   posts);
 * - disk and net are vectors that are mostly posted by threads woken for a disk request, or for a packet,
 *   directly or through other threads.  One thread may serve several devices, so this can be wrong.
 */
#include "analysis/causes/machines.h"

#include "analysis/wait/border.h"
#include "base/base_search.h"

#define POSTS_BACK 64 /* posts taken at one entry, at most */
#define LEARN 1000    /* posts of a vector that are examined to infer its purpose, at most */
#define HOPS 6        /* threads that woke each other, at most */

/* Facts about a vector. */
struct vector {
	struct ana_halt halt;
	uint64_t posts, disk, net, ipi, own, timers;
};

struct maker {
	struct qry *q;
	uint32_t vcpu, thread, host;
	GArray *vectors; /* of struct vector */
};

static struct vector *vector_of(struct maker *m, uint32_t number)
{
	struct vector new = { .halt = { .vector = number,
				      .kind = ANA_KIND_UNKNOWN,
				      .doubts = MDL_DOUBT(UNKNOWN),
				      .poster = MDL_NONE } };

	for (guint i = 0; i < m->vectors->len; i++)
		if (g_array_index(m->vectors, struct vector, i).halt.vector == number)
			return &g_array_index(m->vectors, struct vector, i);
	g_array_append_val(m->vectors, new);
	return &g_array_index(m->vectors, struct vector, m->vectors->len - 1);
}

/* ---- the purpose of a vector ---- */

/* The kind of the wake-up that started the work of thread ROW at TIME. */
static enum ana_kind origin_of(const struct maker *m, uint32_t row, int64_t time)
{
	struct mdl_wakeup w;

	for (unsigned i = 0;
		i < HOPS && row != MDL_NONE && row != m->thread && qry_wakeup_before(m->q, row, time + 1, &w);
		i++) {
		struct ana_source s = ana_source_of(m->q, row, &w);

		if (s.thread == MDL_NONE)
			return s.kind;
		row = s.thread;
		time = w.time;
	}
	return ANA_KIND_THREAD;
}

static void learn(struct maker *m, const struct mdl_wakeup *post)
{
	struct ana_source s = ana_source_of(m->q, m->vcpu, post);
	struct mdl_virq virq;
	struct vector *v;
	enum ana_kind kind;

	if (!ana_border_virq(m->q, m->host, post, &virq))
		return;
	v = vector_of(m, virq.vector);
	if (v->posts >= LEARN)
		return;
	v->halt.poster = v->posts == 0 || v->halt.poster == s.thread ? s.thread : MDL_NONE;
	v->posts++;
	v->ipi += virq.by == MDL_VIRQ_BY_IPI;
	v->own += s.thread == m->thread;
	kind = s.thread == MDL_NONE ? s.kind : origin_of(m, s.thread, post->time);
	v->disk += kind == ANA_KIND_BLOCK;
	v->net += kind == ANA_KIND_NETWORK;
	v->timers += s.thread == MDL_NONE && kind == ANA_KIND_TIMER;
}

/* True if N is more than half of ALL. */
static bool is_most(uint64_t n, uint64_t all)
{
	return n > 0 && 2 * n > all;
}

/* ---- halts ---- */

/* The vector that was taken at ENTRY, after W woke the virtual CPU's thread (NULL: unknown). */
static uint32_t taken_at(struct maker *m, int64_t entry, const struct mdl_wakeup *w)
{
	uint64_t next = qry_wakeup_seek(m->q, m->vcpu, entry + 1);
	uint32_t first = ANA_HALT_NO_VECTOR;
	struct mdl_wakeup post;
	struct mdl_virq virq;

	for (unsigned i = 0; i < POSTS_BACK && next-- > 0 && qry_wakeup_get(m->q, m->vcpu, next, &post);
		i++) {
		if (post.ran_at != entry || !ana_border_virq(m->q, m->host, &post, &virq))
			continue;
		first = virq.vector;
		/* It has the same sender as W. */
		if (w && post.time <= w->time && post.cpu == w->cpu && post.waker == w->waker &&
			post.n_contexts == w->n_contexts &&
			(post.n_contexts == 0 || post.contexts[0].entry == w->contexts[0].entry))
			break;
	}
	return first;
}

/* Count the part in [FROM, TO) of the halt IV, after which the guest was entered at ENTRY; INT64_MAX:
 * never. */
static void add_halt(struct maker *m, const struct mdl_interval *iv, int64_t from, int64_t to, int64_t entry)
{
	struct mdl_wakeup w;
	bool woken = qry_wakeup_at(m->q, m->thread, iv->to, &w);
	struct vector *v = vector_of(m,
		entry == INT64_MAX ? ANA_HALT_NO_VECTOR : taken_at(m, entry, woken ? &w : NULL));
	int64_t begin = MAX(iv->from, from), time = MIN(iv->to, to) - begin;

	if (time <= 0)
		return;
	v->halt.count++;
	v->halt.time += time;
	if (time > v->halt.worst) {
		v->halt.worst = time;
		v->halt.worst_at = begin;
	}
	v->timers += woken && v->own > 0 && ana_source_of(m->q, m->thread, &w).kind == ANA_KIND_TIMER;
}

static void add_halts(struct maker *m, int64_t from, int64_t to)
{
	struct mdl_interval iv, halt = { .to = INT64_MIN };

	for (int64_t time = MAX(from, qry_row(m->q, m->vcpu)->first);
		(time < to || halt.to != INT64_MIN) && qry_state_at(m->q, m->vcpu, time, &iv); time = iv.to) {
		bool inside = iv.state == MDL_ST_RUNNING;

		if (halt.to != INT64_MIN && (inside || iv.state == MDL_ST_IDLE)) {
			add_halt(m, &halt, from, to, inside ? iv.from : INT64_MAX);
			halt.to = INT64_MIN;
		}
		if (iv.state == MDL_ST_IDLE && time < to)
			halt = iv;
	}
	if (halt.to != INT64_MIN)
		add_halt(m, &halt, from, to, INT64_MAX);
}

static gint most_time_first(gconstpointer a, gconstpointer b)
{
	const struct ana_halt *x = a, *y = b;

	return BASE_BY(y, x, time) ?: BASE_BY(x, y, vector);
}

GArray *ana_halts_new(struct qry *q, uint32_t vcpu, int64_t from, int64_t to)
{
	const struct qry_row *r = qry_row(q, vcpu);
	struct maker m = { q, vcpu, r->parent, r->host, g_array_new(FALSE, FALSE, sizeof(struct vector)) };
	GArray *halts = g_array_new(FALSE, FALSE, sizeof(struct ana_halt));
	struct mdl_wakeup post;

	for (uint64_t i = 0; qry_wakeup_get(q, vcpu, i, &post); i++)
		learn(&m, &post);
	add_halts(&m, from, to);
	for (guint i = 0; i < m.vectors->len; i++) {
		struct vector *v = &g_array_index(m.vectors, struct vector, i);
		struct ana_halt *h = &v->halt;

		h->kind = is_most(v->ipi, v->posts)                                    ? ANA_KIND_IPI
			: is_most(v->timers, v->own == v->posts ? h->count : v->posts) ? ANA_KIND_TIMER
			: is_most(v->disk, v->posts)                                   ? ANA_KIND_BLOCK
			: is_most(v->net, v->posts)                                    ? ANA_KIND_NETWORK
										       : ANA_KIND_UNKNOWN;
		h->doubts = h->kind == ANA_KIND_UNKNOWN ? MDL_DOUBT(UNKNOWN)
			: v->ipi == v->posts            ? 0
							: MDL_DOUBT(NAME);
		if (h->count > 0)
			g_array_append_val(halts, *h);
	}
	g_array_unref(m.vectors);
	g_array_sort(halts, most_time_first);
	return halts;
}

/* ---- text ---- */

const char *ana_halt_kind_name(const struct ana_halt *h)
{
	switch (h->kind) {
	case ANA_KIND_TIMER: return "timer";
	case ANA_KIND_BLOCK: return "disk";
	case ANA_KIND_NETWORK: return "net";
	case ANA_KIND_IPI: return "ipi";
	default: return NULL;
	}
}

char *ana_halt_text(const struct qry *q, const struct ana_halt *h)
{
	const char *kind = ana_halt_kind_name(h);
	g_autofree char *who = !kind && h->poster != MDL_NONE ? qry_row_label(q, h->poster) : NULL;

	if (h->vector == ANA_HALT_NO_VECTOR)
		return g_strdup("no interrupt known");
	return g_strdup_printf("%s%sinterrupt %" G_GUINT32_FORMAT "%s%s%s", kind ? kind : "",
		kind ? ", " : "", h->vector, who ? " of " : "", who ? who : "", ana_grade_mark(h->doubts));
}
