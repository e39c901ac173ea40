/* SPDX-License-Identifier: MIT */
/*
 * Whose the time of a wait is: the critical path goes back through it from its end, and each part belongs to
 * whom the path is with. A lock is not waited for because of its last holder alone: before that it was
 * another's, and the last one waited for it itself.  The same goes for pipes, barriers, servers that ask
 * others.
 *
 * Where one thread ended the wait and never waited itself meanwhile, that is all of the path: most waits are
 * like that, and need no walk.
 */
#include "analysis/ana_causes_parts.h"

#include "analysis/ana_chain.h"
#include "analysis/ana_group.h"
#include "analysis/ana_late.h"
#include "analysis/ana_walk.h"

/* The wait at hand. */
struct parts {
	struct ana_causes_table *t;
	uint32_t row; /* whose it is */
};

/* The kind under which a thread stands that the path came to by VIA: what it did for the wait, where that is
 * of a kind of its own. */
static enum ana_kind kind_of_thread(enum ana_kind via)
{
	return ana_kind_look(via)->kept ? via : ANA_KIND_THREAD;
}

/* The thread behind what S says, where no thread ended the wait: who sent the packet, on whatever host, or
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

/* Put NS down to what S says. */
static void add_source(struct parts *p, const struct ana_source *s, int64_t ns, enum ana_grade grade)
{
	struct qry *q = p->t->q;
	uint32_t thread = thread_behind(q, s), row = MDL_NONE;
	int64_t time;

	if (s->kind == ANA_KIND_TIMER && thread == p->row) {
		ana_causes_add(p->t,
			ana_causes_of_thing(p->t, s->kind, s->host, MDL_NONE, g_strdup("own sleep")), ns,
			grade);
	} else if (thread != MDL_NONE && thread != p->row) {
		/* The way of its own packets is the net's time. */
		ana_causes_add(p->t, ana_causes_of_thread(p->t, s->kind, thread), ns, grade);
	} else {
		if (s->kind == ANA_KIND_UNKNOWN || !ana_source_origin(q, s, &row, &time))
			row = MDL_NONE;
		ana_causes_add(p->t,
			ana_causes_of_thing(p->t, s->kind, s->host, row, ana_source_behind(q, s)), ns, grade);
	}
}

/* Whose turn it was on the way to the wake-up of S: an interrupt, an IPI, a thread. */
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
			seg->grade);
	else if (context == MDL_NONE)
		add_source(p, s, seg->to - seg->from, seg->grade);
	else
		ana_causes_add(p->t,
			ana_causes_of_thing(p->t, kinds[qry_context(q, s->host, context).type], s->host,
				qry_context_row(q, s->host, context, seg->turn.cpu),
				qry_context_text(q, s->host, context)),
			seg->to - seg->from, seg->grade);
}

/* Who had the CPU in PART of the time for which a timer was late, in words; the caller frees. */
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

/* For the time of SEG the timer of S was late: put it down to who had the CPU. */
static void add_late(struct parts *p, const struct ana_segment *seg, const struct ana_source *s)
{
	struct mdl_cause cause;
	struct ana_blame *blame;

	if (!ana_source_cause(p->t->q, s, &cause)) {
		add_source(p, s, seg->to - seg->from, seg->grade);
		return;
	}
	blame = ana_blame_of_cpu(p->t->q, s->host, cause.facts.timer.cpu, seg->from, seg->to);
	for (guint i = 0; i < blame->parts->len; i++) {
		const struct ana_blame_part *part = &g_array_index(blame->parts, struct ana_blame_part, i);

		ana_causes_add(p->t,
			ana_causes_of_thing(p->t, ANA_KIND_TIMER, s->host,
				part->what == ANA_BLAME_THREAD ? part->row : MDL_NONE, late_name(part)),
			part->time, MAX(seg->grade, part->grade));
	}
	ana_blame_free(blame);
}

static void add_segment(void *data, const struct ana_segment *s, const struct ana_source *source)
{
	struct parts *p = data;
	bool unknown = s->kind == ANA_SEG_BLOCKED || s->kind == ANA_SEG_UNKNOWN;

	if (source && s->turn.time != MDL_NEVER)
		add_turn(p, s, source);
	else if (source && s->kind == ANA_SEG_TIMER_LATE)
		add_late(p, s, source);
	else if (source)
		add_source(p, source, s->to - s->from,
			s->crossing.crossed ? MAX(s->grade, s->crossing.grade) : s->grade);
	else
		ana_causes_add(p->t,
			ana_causes_of_thread(p->t, unknown ? ANA_KIND_UNKNOWN : kind_of_thread(s->via),
				s->row),
			s->to - s->from, s->grade);
}

/* Did the thread that ended the wait of S do nothing else in [FROM, TO) than what is its own time? */
static bool is_all_of_it(struct qry *q, const struct ana_source *s, int64_t from, int64_t to)
{
	struct qry_cell cell;
	int64_t own = 0;

	if (s->thread == MDL_NONE)
		return false;
	qry_share(q, s->thread, from, to, &cell);
	for (unsigned i = 0; i < MDL_ST_N; i++)
		own += i == MDL_ST_BLOCKED || i == MDL_ST_UNKNOWN || i == MDL_ST_EXITED ? 0 : cell.ns[i];
	return own == to - from;
}

void ana_causes_wait(struct ana_causes_table *t, uint32_t row, const struct mdl_wakeup *wakeup, int64_t from,
	int64_t to)
{
	struct ana_source s = ana_source_of(t->q, row, wakeup);
	struct parts p = { t, row };
	struct ana_pathbuf *buf;

	if (is_all_of_it(t->q, &s, from, to)) {
		ana_causes_add(t, ana_causes_of_thread(t, kind_of_thread(s.kind), s.thread), to - from,
			s.grade);
	} else if (from < to) {
		buf = ana_pathbuf_new_telling(t->q, from, to, add_segment, &p);
		ana_walk_one_wait(t->q, buf, row, wakeup, from);
		ana_pathbuf_free(buf);
	} else {
		add_source(&p, &s, 0, s.grade);
	}
	ana_causes_end_wait(t, row, wakeup->time);
}
