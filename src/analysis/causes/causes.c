/* SPDX-License-Identifier: MIT */
/*
 * How it works: a place (a thread and one of its wake-ups) advances with each slice of work.  Each wait
 * counts for the owners of its time.  On a busy host many threads of one name do one work, so they are
 * counted together (analysis/causes/table.c).
 *
 * The owners of the time of a wait: the critical path goes back through it from its end, and each part counts
 * for the actor that the path visits.  The last holder of a lock is not the only cause of a wait for it:
 * before, others had the lock, and the last holder waited for it, too.  This also holds for pipes, barriers,
 * and servers that ask other servers.
 *
 * If one thread ended the wait and never waited itself meanwhile, it is the whole path.  Most waits are like
 * that and need no walk.
 *
 * A wait in which the thread reclaimed or compacted memory counts for memory; why and path show what ended
 * it.  The time that the thread ran for that work counts for memory, too, except where it spun for an IPI or
 * in a declared state, which have causes of their own.
 */
#include "analysis/causes/parts.h"

#include "analysis/kind/chain.h"
#include "analysis/kind/kind.h"
#include "analysis/path/walk.h"
#include "analysis/wait/blocked.h"
#include "analysis/wait/ipiwait.h"
#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_search.h"
#include "query/host/tracer.h"

#include <inttypes.h>
#include <string.h>

#define OWN_SLEEP "own sleep"
#define SLICE 4096 /* waits between two checks for cancellation */

/* ---- a wait ---- */

/* The current wait. */
struct parts {
	struct ana_causes_table *t;
	uint32_t row; /* the thread that waits */
};

/* The kind of the time of a thread that the path reached by VIA: VIA itself if ANA_KINDS keeps it, else
 * ANA_KIND_THREAD. */
static enum ana_kind kind_of_thread(enum ana_kind via)
{
	return ana_kind_look(via)->kept ? via : ANA_KIND_THREAD;
}

/* The thread behind S if no thread ended the wait: the sender of the packet, on any host, or the thread that
 * armed the timer; MDL_NONE none. */
static uint32_t thread_behind(struct qry *q, const struct ana_source *s)
{
	struct mdl_cause cause;
	int64_t time;
	uint32_t row;

	if (s->thread != MDL_NONE)
		return s->thread;
	if (s->kind == ANA_KIND_TIMER && ana_source_cause(q, s, &cause) && (cause.facts.has & MDL_FACT_TIMER))
		return ana_chain_actor(q, &cause.facts.timer.armed);
	if (s->kind != ANA_KIND_NETWORK || !ana_source_origin(q, s, &row, &time) ||
		qry_row(q, row)->type != MDL_ROW_THREAD)
		return MDL_NONE;
	return row;
}

/* Count NS for the source S. */
static void add_source(struct parts *p, const struct ana_source *s, int64_t ns, mdl_doubts doubts)
{
	struct qry *q = p->t->q;
	uint32_t thread = thread_behind(q, s), row = MDL_NONE;
	int64_t time;

	if (s->kind == ANA_KIND_TIMER && thread == p->row) {
		ana_causes_add(p->t,
			ana_causes_of_thing(p->t, s->kind, s->host, MDL_NONE, g_strdup(OWN_SLEEP)), ns,
			doubts);
	} else if (thread != MDL_NONE && thread != p->row) {
		/* Not for packets that the waiting thread itself sent: their time is that of the network,
		 * below. */
		ana_causes_add(p->t, ana_causes_of_thread(p->t, s->kind, thread), ns, doubts);
	} else {
		if (s->kind == ANA_KIND_UNKNOWN || !ana_source_origin(q, s, &row, &time))
			row = MDL_NONE;
		ana_causes_add(p->t,
			ana_causes_of_thing(p->t, s->kind, s->host, row, ana_source_behind(q, s)), ns,
			doubts);
	}
}

/* Count SEG for the interrupt, IPI or thread that acted in it on the way to the wake-up of S. */
static void add_turn(struct parts *p, const struct ana_segment *seg, const struct ana_source *s)
{
	static const enum ana_kind kinds[MDL_CTX_TYPES] = { [MDL_CTX_IRQ] = ANA_KIND_IRQ,
		[MDL_CTX_VECTOR] = ANA_KIND_IRQ,
		[MDL_CTX_HRTIMER] = ANA_KIND_TIMER,
		[MDL_CTX_IPI] = ANA_KIND_IPI,
		[MDL_CTX_SOFTIRQ] = ANA_KIND_SOFTIRQ };
	struct qry *q = p->t->q;
	uint32_t thread = ana_chain_actor(q, &seg->turn), context = seg->turn.context;

	if (thread != MDL_NONE)
		ana_causes_add(p->t, ana_causes_of_thread(p->t, ANA_KIND_THREAD, thread), seg->to - seg->from,
			seg->doubts);
	else if (context == MDL_NONE)
		add_source(p, s, seg->to - seg->from, seg->doubts);
	else
		ana_causes_add(p->t,
			ana_causes_of_thing(p->t, kinds[qry_context(q, s->host, context).type], s->host,
				qry_context_row(q, s->host, context, seg->turn.cpu),
				qry_context_text(q, s->host, context)),
			seg->to - seg->from, seg->doubts);
}

/* The owner of the CPU in PART of the time that a timer was late, as text; the caller frees. */
static char *late_name(const struct ana_blame_part *part)
{
	g_autofree char *who = NULL;

	if (part->what != ANA_BLAME_THREAD)
		return g_strdup(part->what == ANA_BLAME_IDLE      ? "late: the CPU was idle"
				: part->what == ANA_BLAME_UNKNOWN ? "late: not recorded"
								  : "late: interrupts");
	who = ana_group_name(part->name ? part->name : "?");
	return g_strdup_printf("late: %s ran", who);
}

/* The timer of S was late in SEG: count that for the owners of the CPU. */
static void add_late(struct parts *p, const struct ana_segment *seg, const struct ana_source *s)
{
	struct mdl_cause cause;
	struct ana_blame *blame;

	if (!ana_source_cause(p->t->q, s, &cause)) {
		add_source(p, s, seg->to - seg->from, seg->doubts);
		return;
	}
	blame = ana_blame_of_cpu(p->t->q, s->host, cause.facts.timer.cpu, seg->from, seg->to);
	for (guint i = 0; i < blame->parts->len; i++) {
		const struct ana_blame_part *part = &g_array_index(blame->parts, struct ana_blame_part, i);

		ana_causes_add(p->t,
			ana_causes_of_thing(p->t, ANA_KIND_TIMER, s->host,
				part->what == ANA_BLAME_THREAD ? part->row : MDL_NONE, late_name(part)),
			part->time, seg->doubts | part->doubts);
	}
	ana_blame_free(blame);
}

static void add_segment(void *data, const struct ana_segment *s, const struct ana_source *source)
{
	struct parts *p = data;
	bool unknown = s->kind == ANA_SEG_BLOCKED || s->kind == ANA_SEG_UNKNOWN;

	if (s->kind == ANA_SEG_SUSPEND)
		ana_causes_add(p->t,
			ana_causes_of_thing(p->t, ANA_KIND_SUSPEND, qry_row(p->t->q, s->row)->host, MDL_NONE,
				g_strdup("frozen")),
			s->to - s->from, s->doubts);
	else if (source && s->turn.time != MDL_NEVER)
		add_turn(p, s, source);
	else if (source && s->kind == ANA_SEG_TIMER_LATE)
		add_late(p, s, source);
	else if (source)
		add_source(p, source, s->to - s->from,
			s->doubts | (s->crossing.crossed ? s->crossing.doubts : 0));
	else
		ana_causes_add(p->t,
			ana_causes_of_thread(p->t, unknown ? ANA_KIND_UNKNOWN : kind_of_thread(s->via),
				s->row),
			s->to - s->from, s->doubts);
}

struct ana_causes {
	struct ana_causes_table table;
	struct ana_causes_cpus *cpus;   /* owned */
	struct ana_causes_awake *awake; /* owned */
	struct ana_causes_keep keep;
	uint32_t *rows;      /* owned */
	uint64_t *next;      /* the next wake-up of each thread, plus 1; 0: not begun; owned */
	uint32_t n_rows, at; /* AT: the current thread */
	enum {
		PART_NONE,
		PART_WAKEUPS, /* waits that ended in the stretch, by wake-up */
		PART_STATES,  /* waits for a CPU that began */
		PART_REST,    /* after all stretches: waits that ended later */
		PART_DONE
	} part;
	bool begun; /* the next wake-up and state of the current thread are set */
	/* progress in its waits for IPIs, its declared waits, and its work for memory */
	int64_t ipi, spin, work;
	guint state; /* its next state in the stretch */
	struct ana_wait_near near;
	int64_t from, to;
	int64_t stretch, stretch_end; /* waits for a CPU that begin in this time count now, */
	int64_t first_stretch;        /* in the first such stretch also those that began before */
	uint64_t looked;              /* number of wake-ups and states looked at */
	uint64_t all;                 /* number of wake-ups to look at, about */
	bool no_cpu, only_cpu;        /* leave out waits for a CPU; leave out all others */
	GArray *sorted;               /* of struct ana_causes_entry; names and labels weak */
};

/* The cause for what thread ROW DID, "waited" or "ran", in WORK. */
static struct ana_causes_sum *memory_sum(struct ana_causes_table *t, uint32_t row,
	const struct qry_spin *work, const char *did)
{
	return ana_causes_of_thing(t, ANA_KIND_MEMORY, qry_row(t->q, row)->host, MDL_NONE,
		g_strdup_printf("%s in %s", did, work->name));
}

/* The kernel's work for memory in which S ended a wait of thread ROW; NULL: none.  Time that ROW was frozen
 * for a suspend is not time of the work. */
static const struct qry_spin *memory_of(struct qry *q, uint32_t row, const struct ana_source *s)
{
	const struct qry_spin *work = ana_blocked_memory(q, row, s->wakeup.since, s->wakeup.time);
	struct mdl_cause cause;

	return work && !(ana_source_cause(q, s, &cause) && cause.facts.has & MDL_FACT_SUSPEND) ? work : NULL;
}

/* Count [FROM, TO) of the wait of thread ROW that WAKEUP ended. */
static void put_down_wait(struct ana_causes *c, uint32_t row, const struct mdl_wakeup *wakeup, int64_t from,
	int64_t to)
{
	struct ana_causes_table *t = &c->table;
	struct ana_source s = ana_source_of(t->q, row, wakeup);
	const struct qry_spin *work = memory_of(t->q, row, &s);
	struct parts p = { t, row };
	struct ana_pathbuf *buf;

	if (work) {
		ana_causes_add(t, memory_sum(t, row, work, "waited"), to - from, work->doubts);
	} else if (s.thread != MDL_NONE && ana_causes_is_awake(c->awake, s.thread, from, to)) {
		ana_causes_add(t, ana_causes_of_thread(t, kind_of_thread(s.kind), s.thread), to - from,
			s.doubts);
	} else if (from < to) {
		buf = ana_pathbuf_new_telling(t->q, from, to, add_segment, &p);
		ana_walk_one_wait(t->q, buf, row, wakeup, from);
		ana_pathbuf_free(buf);
	} else {
		add_source(&p, &s, 0, s.doubts);
	}
	ana_causes_end_wait(t, row, wakeup->time);
}

/* ---- all waits ---- */

struct ana_causes *ana_causes_new(struct qry *q, const uint32_t *rows, uint32_t n_rows, enum ana_causes_by by,
	int64_t from, int64_t to)
{
	struct ana_causes *c = g_new0(struct ana_causes, 1);

	ana_causes_table_init(&c->table, q, by);
	c->cpus = ana_causes_cpus_new(&c->table);
	c->awake = ana_causes_awake_new(q);
	c->rows = g_new(uint32_t, n_rows + 1);
	c->next = g_new0(uint64_t, n_rows + 1);
	for (uint32_t i = 0; i < n_rows; i++)
		if (qry_row(q, rows[i])->type == MDL_ROW_THREAD && qry_row(q, rows[i])->nr != 0)
			c->rows[c->n_rows++] = rows[i];
	c->from = from;
	c->to = to;
	c->sorted = g_array_new(FALSE, FALSE, sizeof(struct ana_causes_entry));
	return c;
}

/* True if ASKED selects ROW. */
static bool is_asked(struct qry *q, const struct ana_causes_asked *asked, uint32_t row)
{
	const struct qry_row *r = qry_row(q, row);

	if (asked->row != MDL_NONE)
		return row == asked->row || (asked->of_process && r->process == asked->row);
	return r->type == MDL_ROW_THREAD && !(asked->hide_tracer && qry_is_tracer(q, row)) &&
		!(asked->user_threads && qry_is_kernel_thread(q, row));
}

struct ana_causes *ana_causes_asked(struct qry *q, const struct ana_causes_asked *asked)
{
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	struct ana_causes *c;

	for (uint32_t i = 0; i < qry_row_count(q); i++)
		if (is_asked(q, asked, i))
			g_array_append_val(rows, i);
	c = ana_causes_new(q, (const uint32_t *)(const void *)rows->data, rows->len, asked->by, asked->from,
		asked->to);
	ana_causes_keep_name(&c->keep, q, asked);
	return c;
}

bool ana_causes_by_parse(const char *text, enum ana_causes_by *by, GError **error)
{
	*by = !g_strcmp0(text, "thread")     ? ANA_CAUSES_BY_THREAD
		: !g_strcmp0(text, "cgroup") ? ANA_CAUSES_BY_CGROUP
					     : ANA_CAUSES_BY_NAME;
	if (!text || *by != ANA_CAUSES_BY_NAME || g_str_equal(text, "name"))
		return true;
	return base_error_false(error, BASE_ERROR_USAGE,
		"causes cannot be grouped by \"%s\": type --by name, --by thread or --by cgroup", text);
}

void ana_causes_free(struct ana_causes *c)
{
	if (!c)
		return;
	g_free(c->rows);
	g_free(c->next);
	ana_causes_cpus_free(c->cpus);
	ana_causes_awake_free(c->awake);
	ana_causes_keep_clear(&c->keep);
	ana_causes_table_clear(&c->table);
	g_array_unref(c->sorted);
	g_free(c);
}

/* ns that thread ROW ran in [FROM, TO), without its interrupts.  WAITING: with its declared waits. */
static int64_t ran(struct qry *q, uint32_t row, int64_t from, int64_t to, bool waiting)
{
	struct qry_cell cell;
	int64_t ns = 0;

	qry_share(q, row, from, to, &cell);
	for (unsigned i = 0; i < MDL_ST_N; i++)
		ns += mdl_state_runs(i) && (waiting || i != MDL_ST_WAITING) ? cell.ns[i] : 0;
	return ns;
}

/* Count the next time in which the current thread spins until other CPUs have taken an IPI, for the last of
 * them.  False: there is none. */
static bool step_ipi_wait(struct ana_causes *c)
{
	struct qry *q = c->table.q;
	uint32_t row = c->rows[c->at];
	struct mdl_ipi_wait w;

	if (!qry_ipi_wait_after(q, row, c->ipi, &w) || w.from >= c->to)
		return false;
	c->ipi = w.to;
	ana_causes_add(&c->table,
		ana_causes_of_thing(&c->table, ANA_KIND_IPI_WAIT, qry_row(q, row)->host, MDL_NONE,
			g_strdup_printf("CPU %" PRIu32, w.last)),
		ran(q, row, MAX(w.from, c->from), MIN(w.to, c->to), true), ana_ipiwait_doubts(q, &w));
	ana_causes_end_wait(&c->table, row, w.to);
	return true;
}

/* The cause with the name of the state of SPIN, followed by BEHIND. */
static struct ana_causes_sum *spin_over(struct ana_causes *c, const struct qry_spin *spin, const char *behind)
{
	return ana_causes_of_thing(&c->table, ANA_KIND_WAITING, qry_row(c->table.q, spin->row)->host,
		MDL_NONE, g_strconcat(spin->name, behind, NULL));
}

/* Add the declared waiting time of the thread of SPIN from FROM to TO to SUM. */
static void add_spin(struct ana_causes *c, const struct qry_spin *spin, struct ana_causes_sum *sum,
	int64_t from, int64_t to)
{
	struct qry_cell cell = { 0 };

	from = MAX(from, c->from);
	to = MIN(to, c->to);
	if (from < to)
		qry_share(c->table.q, spin->row, from, to, &cell);
	if (cell.ns[MDL_ST_WAITING] > 0)
		ana_causes_add(&c->table, sum, cell.ns[MDL_ST_WAITING], MDL_DOUBT(DECLARED));
}

/* Count the next declared wait of the current thread. The time until its release counts for the thread waited
 * for, the time after it for the wait itself ("already over"). */
static bool step_spin(struct ana_causes *c)
{
	struct qry *q = c->table.q;
	uint32_t row = c->rows[c->at];
	const struct qry_spin *spin = qry_spin_after(q, row, c->spin);

	if (!spin || spin->from >= c->to)
		return false;
	c->spin = spin->to;
	if (spin->released > c->from)
		add_spin(c, spin,
			spin->by == MDL_NONE ? spin_over(c, spin, "")
					     : ana_causes_of_thread(&c->table, ANA_KIND_WAITING, spin->by),
			spin->from, spin->released);
	if (spin->released < c->to)
		add_spin(c, spin, spin_over(c, spin, ", already over"), spin->released, spin->to);
	ana_causes_end_wait(&c->table, row, spin->to);
	return true;
}

/* Count the running time of the next work for memory of the current thread. */
static bool step_work(struct ana_causes *c)
{
	struct qry *q = c->table.q;
	uint32_t row = c->rows[c->at];
	const struct qry_spin *work = qry_work_after(q, row, c->work);
	struct mdl_ipi_wait w;
	int64_t from, to, ns;

	if (!work || work->from >= c->to)
		return false;
	from = MAX(work->from, c->from);
	to = MIN(work->to, c->to);
	ns = ran(q, row, from, to, false);
	for (int64_t at = from; qry_ipi_wait_after(q, row, at, &w) && w.from < to; at = w.to)
		ns -= ran(q, row, MAX(w.from, from), MIN(w.to, to), false);
	c->work = work->to;
	if (ns > 0)
		ana_causes_add(&c->table, memory_sum(&c->table, row, work, "ran"), ns, work->doubts);
	ana_causes_end_wait(&c->table, row, work->to);
	return true;
}

/* True if ROW was new until W, its first wake-up: its fork was recorded, and no events were lost since. */
static bool was_new(struct qry *q, uint32_t row, const struct mdl_wakeup *w)
{
	struct mdl_interval iv;

	return w->since < w->time && qry_kernel_state_at(q, row, w->since, &iv) && iv.state == MDL_ST_NEW &&
		iv.to == w->time;
}

/* Process the next wake-up of the current thread.  False: the stretch, or the window, has no more of them. */
static bool step_wakeup(struct ana_causes *c)
{
	uint32_t row = c->rows[c->at];
	uint64_t *next = &c->next[c->at];
	struct mdl_wakeup w;

	if (!c->begun) {
		c->begun = true;
		c->ipi = c->spin = c->work = *next == 0 ? c->from : c->to;
	}
	if (*next == 0)
		*next = 1 + qry_wakeup_seek(c->table.q, row, c->from == INT64_MAX ? c->from : c->from + 1);
	if ((c->ipi < c->to && step_ipi_wait(c)) || (c->spin < c->to && step_spin(c)) ||
		(c->work < c->to && step_work(c)))
		return true;
	if (!qry_wakeup_get(c->table.q, row, *next - 1, &w) ||
		(c->part == PART_WAKEUPS && w.time >= c->stretch_end))
		return false;
	++*next;
	if (w.since != MDL_NEVER && w.since < c->to && (w.via != MDL_VIA_NEW || was_new(c->table.q, row, &w)))
		put_down_wait(c, row, &w, MAX(w.since, c->from), MIN(w.time, c->to));
	return w.time < c->to;
}

/* Process the next wait for a CPU of the current thread.  False: no more begin in the stretch. */
static bool step_state(struct ana_causes *c)
{
	uint32_t row = c->rows[c->at];
	struct ana_causes_states s = { .q = c->table.q, .row = row, .near = c->near };

	if (!c->begun) {
		c->begun = true;
		c->state = 0;
		s.near = c->near = ana_wait_near(c->table.q, row);
	}
	s.all = ana_causes_states(c->awake, row, &s.n);
	/* A wait that began before this stretch was counted in that stretch; one from before the window, in
	 * the first stretch. */
	if (c->state == 0 && s.n > 0 && c->stretch > c->first_stretch && s.all[0].from < c->stretch)
		c->state = ana_causes_cpu_end(&s, 0);
	while (c->state < s.n && !ana_causes_waits(&s, c->state))
		c->state++;
	if (c->state >= s.n)
		return false;
	c->state = ana_causes_cpu_wait(c->cpus, &s, c->state, c->from, c->to);
	return true;
}

/* Go to the next stretch of time; false: there is none. */
static bool next_stretch(struct ana_causes *c)
{
	bool first = c->part == PART_NONE;
	int64_t begin, end;

	qry_span(c->table.q, &begin, &end);
	c->stretch = first ? MAX(c->from, begin) : c->stretch_end;
	if (!ana_causes_cpus_stretch(c->cpus, &c->stretch, MIN(c->to, end), &c->stretch_end))
		return false;
	if (first)
		c->first_stretch = c->stretch;
	ana_causes_awake_stretch(c->awake, c->stretch, c->stretch_end);
	return true;
}

/* Begin the next part of the work, with the first thread. */
static void next_part(struct ana_causes *c)
{
	c->at = 0;
	if (c->part == PART_WAKEUPS && !c->no_cpu)
		c->part = PART_STATES;
	else if (c->part == PART_REST || c->n_rows == 0)
		c->part = PART_DONE;
	else if (next_stretch(c))
		c->part = c->only_cpu ? PART_STATES : PART_WAKEUPS;
	else
		c->part = c->only_cpu ? PART_DONE : PART_REST;
}

/* True if the answer is one of those that are stored: all kinds of waits, and no values. */
static bool is_kept(const struct ana_causes *c)
{
	return c->keep.name && !c->no_cpu && !c->only_cpu && !c->table.waits;
}

static void begin(struct ana_causes *c)
{
	if (is_kept(c) && ana_causes_keep_read(&c->keep, &c->table)) {
		c->part = PART_DONE;
		return;
	}
	for (uint32_t i = 0; i < c->n_rows; i++)
		c->all += qry_wakeup_seek(c->table.q, c->rows[i], c->to) -
			qry_wakeup_seek(c->table.q, c->rows[i], c->from) + 1;
	next_part(c);
}

bool ana_causes_work(struct ana_causes *c, unsigned steps)
{
	uint64_t end = c->looked + c->cpus->looked + steps;

	if (c->part == PART_NONE)
		begin(c);
	for (; c->part != PART_DONE && c->looked + c->cpus->looked < end; c->looked++) {
		c->table.mixed = c->part != PART_STATES;
		if (c->part == PART_STATES ? step_state(c) : step_wakeup(c))
			continue;
		c->begun = false;
		if (++c->at >= c->n_rows)
			next_part(c);
		if (c->part == PART_DONE && is_kept(c))
			ana_causes_keep_write(&c->keep, c->table.q, ana_causes_entries(c));
	}
	return c->part != PART_DONE;
}

bool ana_causes_finish(struct ana_causes *c, struct base_progress *progress, GError **error)
{
	while (ana_causes_work(c, SLICE))
		if (base_progress_cancelled(progress))
			return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
	return true;
}

double ana_causes_share(const struct ana_causes *c)
{
	return MIN((double)c->looked / (double)MAX(c->all, 1), 1);
}

static int causes_longest_first(const void *a, const void *b)
{
	const struct ana_causes_entry *x = a, *y = b;

	return BASE_BY(y, x, total) ?: BASE_BY(x, y, kind) ?: strcmp(x->label, y->label);
}

void ana_causes_only_blocked(struct ana_causes *c)
{
	c->no_cpu = true;
}

void ana_causes_only_cpu(struct ana_causes *c)
{
	c->only_cpu = true;
}

void ana_causes_keep_values(struct ana_causes *c)
{
	c->table.waits = g_array_new(FALSE, FALSE, sizeof(int64_t));
}

struct ana_latency *ana_causes_measured(struct ana_causes *c)
{
	return ana_causes_table_measured(&c->table);
}

const GArray *ana_causes_entries(struct ana_causes *c)
{
	GHashTableIter iter;
	gpointer entry;

	g_array_set_size(c->sorted, 0);
	g_hash_table_iter_init(&iter, c->table.by_key);
	while (g_hash_table_iter_next(&iter, NULL, &entry))
		g_array_append_vals(c->sorted, entry, 1); /* the entry is the first member of the sum */
	g_array_sort(c->sorted, causes_longest_first);
	return c->sorted;
}

bool ana_causes_is_own_sleep(const struct ana_causes_entry *e)
{
	return e->kind == ANA_KIND_TIMER && strcmp(e->name, OWN_SLEEP) == 0;
}
