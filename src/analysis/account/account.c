/* SPDX-License-Identifier: MIT */
/*
 * How it works: the thread's own states split the interval. While it runs, the time is its own, or that of
 * its innermost interrupt. While it waits for a CPU, the time is that of the CPU's owner, or of a quota
 * (ana_cpuwait_spans()). While its virtual CPU is not inside the guest, the time is that of the owner of the
 * host's CPU. While it is blocked or new, the critical path gives the owner of the time (ana_walk), as in the
 * table of causes.
 */
#include "analysis/account/account.h"

#include "analysis/cpu/cpuwait.h"
#include "analysis/kind/chain.h"
#include "analysis/path/walk.h"
#include "analysis/wait/ipiwait.h"
#include "analysis/wait/polling.h"
#include "base/base_time.h"

/* The thread of the account, the receiver of its parts, and the phase of blame spans. */
struct teller {
	struct qry *q; /* weak */
	uint32_t row, host;
	int64_t from, to;
	enum ana_phase phase;
	bool spins;        /* the thread waits on its CPU, as the user declared */
	mdl_doubts doubts; /* doubts that hold for every part passed */
	ana_blame_span span;
	void *data;
};

static struct ana_blame_part account_part_of(const struct teller *t, enum ana_blame_what what,
	enum ana_phase phase, uint32_t cpu)
{
	return ana_blame_part(what, phase, t->host, cpu);
}

/* Pass [FROM, TO), cut to the wanted time, as PART. */
static void account_tell(const struct teller *t, struct ana_blame_part part, int64_t from, int64_t to)
{
	part.from = MAX(from, t->from);
	part.to = MIN(to, t->to);
	part.time = part.to - part.from;
	if (t->spins)
		part.phase = ANA_PHASE_WAITING;
	if (part.what == ANA_BLAME_UNKNOWN)
		part.doubts = MDL_DOUBT(UNKNOWN);
	else if (part.doubts & MDL_DOUBT(UNKNOWN))
		part.what = ANA_BLAME_UNKNOWN;
	if (part.from < part.to)
		t->span(t->data, &part);
}

static void tell_occupant(void *data, const struct ana_blame_part *span)
{
	const struct teller *t = data;
	struct ana_blame_part part = *span;

	part.phase = t->phase;
	if (part.what != ANA_BLAME_UNKNOWN)
		part.doubts |= t->doubts;
	account_tell(t, part, span->from, span->to);
}

/* Pass a span of a wait for a CPU. */
static void tell_cpu_wait(void *data, const struct ana_blame_part *span)
{
	account_tell(data, *span, span->from, span->to);
}

/* Pass the owners of CPU of HOST in [FROM, TO). */
static void tell_occupants(const struct teller *t, enum ana_phase phase, mdl_doubts doubts, uint32_t host,
	uint32_t cpu, int64_t from, int64_t to)
{
	struct teller occupants = *t;

	occupants.phase = phase;
	occupants.doubts = doubts;
	from = MAX(from, t->from);
	to = MIN(to, t->to);
	if (from < to)
		ana_blame_spans(t->q, host, cpu, from, to, tell_occupant, &occupants);
}

/* ---- waits for others ---- */

static struct ana_blame_part part_of_thread(const struct teller *t, const struct ana_segment *s)
{
	const struct qry_row *row = qry_row(t->q, s->row);
	bool unknown = s->kind == ANA_SEG_BLOCKED || s->kind == ANA_SEG_UNKNOWN;
	struct ana_blame_part part = account_part_of(t, unknown ? ANA_BLAME_UNKNOWN : ANA_BLAME_THREAD,
		ANA_PHASE_BLOCKED, MDL_NONE);

	if (unknown)
		return part;
	if (s->kind == ANA_SEG_THROTTLED)
		part.what = ANA_BLAME_THROTTLED;
	part.host = row->host;
	part.row = s->row;
	part.step = s->kind == ANA_SEG_IPI_WAIT ? "waited for an IPI to be taken"
		: s->kind == ANA_SEG_WAITING ? s->row == t->row ? "had not gone on yet" : "waited on its CPU"
		: s->kind == ANA_SEG_WAIT_CPU || s->kind == ANA_SEG_PREEMPTED ? "waited for a CPU"
		: s->kind == ANA_SEG_RUNNING || s->kind == ANA_SEG_SYSCALL || s->kind == ANA_SEG_INTERRUPTED
		? "ran"
		: NULL;
	part.name = s->kind == ANA_SEG_THROTTLED ? s->detail.text : qry_name_at(t->q, s->row, s->from);
	part.priority = (int16_t)qry_priority_at(t->q, s->row, s->from);
	return part;
}

/* The part of a wait for something other than a thread. */
static struct ana_blame_part part_of_source(const struct teller *t, const struct ana_segment *s,
	const struct ana_source *source)
{
	static const enum ana_blame_what whats[ANA_SEG_N] = {
		[ANA_SEG_RUNNING] = ANA_BLAME_UNKNOWN,
		[ANA_SEG_BLOCK] = ANA_BLAME_DEVICE,
		[ANA_SEG_FLUSH] = ANA_BLAME_DEVICE,
		[ANA_SEG_USER_INPUT] = ANA_BLAME_DEVICE,
		[ANA_SEG_NETWORK] = ANA_BLAME_NETWORK,
		[ANA_SEG_TIMER] = ANA_BLAME_TIMER,
		[ANA_SEG_IPI] = ANA_BLAME_IPI,
		[ANA_SEG_IRQ] = ANA_BLAME_IRQ,
		[ANA_SEG_SUSPEND] = ANA_BLAME_SUSPEND,
	};
	const struct mdl_wakeup *w = &source->wakeup;
	struct ana_blame_part part = account_part_of(t, whats[s->kind], ANA_PHASE_BLOCKED, MDL_NONE);

	if (s->kind >= ANA_SEG_RUNNING && s->kind <= ANA_SEG_THROTTLED)
		part.what = ANA_BLAME_UNKNOWN;
	if (s->kind == ANA_SEG_IRQ && w->n_contexts > 0)
		part = ana_blame_context(t->q, source->host, w->cpu, w->contexts[w->n_contexts - 1].context,
			w->time);
	part.phase = ANA_PHASE_BLOCKED;
	part.host = source->host;
	if (s->kind == ANA_SEG_SUSPEND)
		part.name = "suspend";
	else if (source->device)
		part.name = source->device;
	if (part.what == ANA_BLAME_DEVICE)
		part.step = s->detail.text;
	return part;
}

/* Pass S, in which a thread slept until its timer expired: the thread of the account, or one that it waited
 * for. The time after the expiry goes to the interrupt that handled the timer. */
static void tell_sleep(const struct teller *t, const struct ana_segment *s, const struct ana_source *source)
{
	const struct mdl_wakeup *w = &source->wakeup;
	struct ana_blame_part part = part_of_source(t, s, source);
	struct ana_blame_part handler = ana_blame_context(t->q, source->host, w->cpu,
		w->n_contexts > 0 ? w->contexts[w->n_contexts - 1].context : MDL_NONE, w->time);
	struct mdl_cause cause;
	bool known = ana_source_cause(t->q, source, &cause) && (cause.facts.has & MDL_FACT_TIMER);
	const struct mdl_act *armed = &cause.facts.timer.armed;
	int64_t expired = known ? CLAMP(cause.facts.timer.expired_at, s->from, s->to) : s->to;

	if (s->row != t->row) {
		part = part_of_thread(t, s);
		part.step = "slept";
	} else if (!known || armed->time == MDL_NEVER || armed->context != MDL_NONE ||
		armed->thread == source->row) {
		part.what = ANA_BLAME_SLEEP;
		part.phase = ANA_PHASE_SLEEP;
	}
	part.doubts = s->doubts;
	handler.phase = s->row != t->row ? ANA_PHASE_BLOCKED : ANA_PHASE_WAKE_UP;
	handler.doubts = s->doubts;
	account_tell(t, part, s->from, expired);
	account_tell(t, handler, expired, s->to);
}

/* Pass S, the time that an interrupt, a softirq, an IPI or a thread took on the way to the wake-up. */
static void tell_turn(const struct teller *t, const struct ana_segment *s, const struct ana_source *source)
{
	struct ana_blame_part part = ana_blame_context(t->q, source->host, s->turn.cpu, s->turn.context,
		s->from);

	if (s->turn.context == MDL_NONE && s->turn.thread != MDL_NONE) {
		part.what = ANA_BLAME_THREAD;
		part.row = s->turn.thread;
		part.name = qry_name_at(t->q, s->turn.thread, s->from);
		part.priority = (int16_t)qry_priority_at(t->q, s->turn.thread, s->from);
	}
	part.phase = s->row == t->row ? ANA_PHASE_WAKE_UP : ANA_PHASE_BLOCKED;
	part.step = s->detail.text;
	part.doubts = s->doubts;
	account_tell(t, part, s->from, s->to);
}

static void tell_segment(void *data, const struct ana_segment *s, const struct ana_source *source)
{
	const struct teller *t = data;
	struct ana_blame_part part;
	struct mdl_cause cause;

	if (source && s->turn.time != MDL_NEVER)
		tell_turn(t, s, source);
	else if (source && s->kind == ANA_SEG_TIMER_LATE)
		tell_occupants(t, s->row == t->row ? ANA_PHASE_LATE : ANA_PHASE_BLOCKED, s->doubts,
			source->host,
			ana_source_cause(t->q, source, &cause) ? cause.facts.timer.cpu : MDL_NONE, s->from,
			s->to);
	else if (source && s->kind == ANA_SEG_TIMER)
		tell_sleep(t, s, source);
	else if (s->kind == ANA_SEG_VM_INTERRUPT ||
		(!source && (s->kind == ANA_SEG_VCPU_PREEMPTED || s->kind == ANA_SEG_VCPU_EXIT)))
		tell_occupants(t, ANA_PHASE_BLOCKED, s->doubts, qry_row(t->q, s->row)->host, s->detail.cpu,
			s->from, s->to);
	else {
		part = source ? part_of_source(t, s, source)
			: t->spins && s->row == t->row && s->kind == ANA_SEG_INTERRUPTED
			? ana_blame_context(t->q, t->host, s->detail.cpu, s->detail.value, s->from)
			: part_of_thread(t, s);
		part.doubts = s->doubts | (s->crossing.crossed ? s->crossing.doubts : 0);
		account_tell(t, part, s->from, s->to);
	}
}

/* The window may cover only a part of the wait. The event that ended the wait is then later. */
static void tell_blocked(const struct teller *t, const struct mdl_interval *iv)
{
	struct mdl_wakeup w;
	struct ana_pathbuf *buf;

	if (!qry_wakeup_at(t->q, t->row, iv->to, &w)) {
		account_tell(t, account_part_of(t, ANA_BLAME_UNKNOWN, ANA_PHASE_BLOCKED, MDL_NONE), iv->from,
			iv->to);
		return;
	}
	w.since = iv->from;
	buf = ana_pathbuf_new_telling(t->q, MAX(iv->from, t->from), iv->to, tell_segment, (void *)t);
	ana_walk_one_wait(t->q, buf, t->row, &w, MAX(iv->from, t->from));
	ana_pathbuf_free(buf);
}

/* ---- the whole ---- */

/* The thread runs in [FROM, TO) of IV. */
static void tell_run(const struct teller *t, const struct mdl_interval *iv, int64_t from, int64_t to)
{
	struct ana_blame_part part = account_part_of(t, ANA_BLAME_RUNNING, ANA_PHASE_RUNNING, iv->aux);
	int64_t begin = MAX(from, t->from);
	struct ana_polling run;

	part.doubts = ana_chain_hidden(t->q, t->host, iv->from);
	if (iv->state == MDL_ST_SYSCALL)
		part.name = qry_string(t->q, t->host, iv->detail);
	if (begin < MIN(to, t->to) && ana_polling_at(t->q, t->row, begin, &run)) {
		part.step = "polling";
		part.name = run.name;
		part.doubts |= MDL_DOUBT(PROGRAM);
		part.calls = begin == iv->from && ana_polling_begins(t->q, t->row, iv);
	}
	account_tell(t, part, from, to);
}

/* Pass the running time IV of the thread. While it spins until other CPUs take its IPI, the time goes to the
 * CPU that takes it last. */
static void tell_running(const struct teller *t, const struct mdl_interval *iv)
{
	int64_t at = iv->from;
	struct mdl_ipi_wait w;

	while (at < iv->to && qry_ipi_wait_after(t->q, t->row, at, &w) && w.from < iv->to) {
		struct ana_blame_part part = account_part_of(t, ANA_BLAME_IPI, ANA_PHASE_IPI_WAIT, w.last);

		part.doubts = ana_ipiwait_doubts(t->q, &w);
		tell_run(t, iv, at, w.from);
		account_tell(t, part, MAX(w.from, at), MIN(w.to, iv->to));
		at = MIN(w.to, iv->to);
	}
	tell_run(t, iv, at, iv->to);
}

/* The user declared that the thread waits on its CPU in IV. Pass the segments of its critical path in that
 * time. */
static void tell_waiting(const struct teller *t, const struct mdl_interval *iv)
{
	struct teller waits = *t;
	int64_t from = MAX(iv->from, t->from), to = MIN(iv->to, t->to);
	struct ana_pathbuf *buf;

	waits.spins = true;
	if (from >= to)
		return;
	buf = ana_pathbuf_new_telling(t->q, from, to, tell_segment, &waits);
	ana_walk(t->q, buf, t->row, from, to, NULL);
	ana_pathbuf_free(buf);
}

static void tell_interval(const struct teller *t, const struct mdl_interval *iv)
{
	struct ana_blame_part part;

	switch (iv->state) {
	case MDL_ST_WAITING: tell_waiting(t, iv); break;
	case MDL_ST_USERMODE:
	case MDL_ST_SYSCALL:
	case MDL_ST_RUNNING: tell_running(t, iv); break;
	case MDL_ST_INTERRUPTED:
		part = ana_blame_context(t->q, t->host, iv->aux, iv->detail, iv->from);
		part.phase = ANA_PHASE_INTERRUPTED;
		part.beneath = t->row;
		account_tell(t, part, iv->from, iv->to);
		break;
	case MDL_ST_WAIT_CPU:
	case MDL_ST_PREEMPTED:
		ana_cpuwait_spans(t->q, t->row, iv, t->from, t->to, tell_cpu_wait, (void *)t);
		break;
	case MDL_ST_NEW:
		if (ana_cpuwait_is(t->q, t->row, iv))
			ana_cpuwait_spans(t->q, t->row, iv, t->from, t->to, tell_cpu_wait, (void *)t);
		else
			tell_blocked(t, iv);
		break;
	case MDL_ST_BLOCKED: tell_blocked(t, iv); break;
	case MDL_ST_VCPU_PREEMPTED:
	case MDL_ST_VCPU_EXIT:
		tell_occupants(t, ANA_PHASE_STOLEN, 0, t->host, iv->aux, iv->from, iv->to);
		break;
	default:
		account_tell(t, account_part_of(t, ANA_BLAME_UNKNOWN, ANA_PHASE_ABSENT, MDL_NONE), iv->from,
			iv->to);
		break;
	}
}

void ana_account_spans(struct qry *q, uint32_t row, int64_t from, int64_t to, struct base_progress *progress,
	ana_blame_span span, void *data)
{
	const struct qry_row *r = qry_row(q, row);
	struct teller t = { .q = q,
		.row = row,
		.host = r->host,
		.from = from,
		.to = to,
		.span = span,
		.data = data };
	struct ana_blame_part absent = account_part_of(&t, ANA_BLAME_UNKNOWN, ANA_PHASE_ABSENT, MDL_NONE);
	struct mdl_interval iv;

	ana_throttle_many(q);
	while (from < to && !base_progress_cancelled(progress)) {
		if (!qry_state_at(q, row, from, &iv)) {
			iv.to = from < r->first ? MIN(r->first, to) : to;
			account_tell(&t, absent, from, iv.to);
		} else {
			tell_interval(&t, &iv);
		}
		from = iv.to;
	}
}

/* The unfinished sum, with the owners' times in each column. */
struct drawing {
	struct ana_blame *blame; /* weak */
	unsigned n;
	GArray *time;     /* of int64_t: parts × N columns */
	int64_t *longest; /* the longest time of one part in each column, ns */
};

/* The column with TIME. */
static unsigned account_column_of(const struct drawing *d, int64_t time)
{
	double share = ((double)time - (double)d->blame->from) /
		((double)d->blame->to - (double)d->blame->from);
	unsigned c = (unsigned)CLAMP(share * d->n, 0, d->n - 1);

	while (c > 0 && qry_column_time(d->blame->from, d->blame->to, d->n, c) > time)
		c--;
	while (c + 1 < d->n && qry_column_time(d->blame->from, d->blame->to, d->n, c + 1) <= time)
		c++;
	return c;
}

static void draw_span(void *data, const struct ana_blame_part *span)
{
	const struct drawing *d = data;
	guint place;

	ana_blame_add(d->blame, span);
	if (d->n == 0)
		return;
	place = ana_blame_place(d->blame, span);
	g_array_set_size(d->time, d->blame->parts->len * d->n);
	for (unsigned c = account_column_of(d, span->from), last = account_column_of(d, span->to - 1);
		c <= last; c++) {
		int64_t from = MAX(span->from, qry_column_time(d->blame->from, d->blame->to, d->n, c));
		int64_t to = MIN(span->to, qry_column_time(d->blame->from, d->blame->to, d->n, c + 1));

		g_array_index(d->time, int64_t, place * d->n + c) += MAX(to - from, 0);
	}
}

/* Fill MOST with the owner of the longest time in each column. ADDED is a copy of the parts before they were
 * sorted. Among equal times the first in the blame wins. */
static void find_most(const struct drawing *d, const GArray *added, guint *most)
{
	for (unsigned c = 0; c < d->n; c++)
		most[c] = UINT_MAX;
	for (guint i = 0; i < added->len; i++) {
		guint place = ana_blame_place(d->blame, &g_array_index(added, struct ana_blame_part, i));

		for (unsigned c = 0; c < d->n; c++) {
			int64_t time = g_array_index(d->time, int64_t, i * d->n + c);

			if (time > d->longest[c] || (time == d->longest[c] && time > 0 && place < most[c])) {
				d->longest[c] = time;
				most[c] = place;
			}
		}
	}
}

struct ana_blame *ana_account_of_new(struct qry *q, const struct ana_account_of *of, unsigned n, guint *most,
	struct base_progress *progress)
{
	struct drawing d = { ana_blame_new(of->from, of->to), n, g_array_new(FALSE, TRUE, sizeof(int64_t)),
		g_new0(int64_t, n) };
	uint32_t row = of->what == ANA_ACCOUNT_THREAD ? of->row : ana_account_case_thread(q, of);
	GArray *added;

	if (row != MDL_NONE)
		ana_account_spans(q, row, of->from, of->to, progress, draw_span, &d);
	else
		ana_account_case_spans(q, of, draw_span, &d);
	added = g_array_copy(d.blame->parts);
	ana_blame_sort(d.blame);
	if (most)
		find_most(&d, added, most);
	g_array_unref(added);
	g_array_unref(d.time);
	g_free(d.longest);
	return d.blame;
}

struct ana_blame *ana_account_new(struct qry *q, uint32_t row, int64_t from, int64_t to, unsigned n,
	guint *most, struct base_progress *progress)
{
	const struct ana_account_of of = { .what = ANA_ACCOUNT_THREAD, .row = row, .from = from, .to = to };

	return ana_account_of_new(q, &of, n, most, progress);
}

/* A request has only one device, so the text leaves it out. */
static char *step_words(const struct qry *q, const struct ana_blame_part *part)
{
	return part->step ? g_strdup(part->step) : ana_blame_words(q, part);
}

char *ana_account_text(struct qry *q, const struct ana_account_of *of)
{
	struct ana_blame *blame = ana_account_of_new(q, of, 0, NULL, NULL);
	char *text = ana_blame_text(q, blame, of->what == ANA_ACCOUNT_REQUEST ? step_words : ana_blame_words);

	ana_blame_free(blame);
	return text;
}

static bool is_waiting(const struct mdl_interval *iv)
{
	return iv->state == MDL_ST_BLOCKED || iv->state == MDL_ST_WAIT_CPU || iv->state == MDL_ST_PREEMPTED ||
		iv->state == MDL_ST_NEW;
}

bool ana_account_wait(struct qry *q, uint32_t row, int64_t time, int64_t *from, int64_t *to)
{
	struct mdl_interval iv, next;
	struct mdl_ipi_wait ipi;

	if (ana_ipiwait_longest(q, row, time, time == INT64_MAX ? time : time + 1, &ipi)) {
		*from = ipi.from;
		*to = ipi.to;
		return true;
	}
	if (!qry_kernel_state_at(q, row, time, &iv) || !is_waiting(&iv))
		return false;
	*from = iv.from;
	*to = iv.to;
	while (qry_kernel_state_before(q, row, *from, &next) && next.to == *from && is_waiting(&next))
		*from = next.from;
	while (qry_kernel_state_at(q, row, *to, &next) && is_waiting(&next))
		*to = next.to;
	return true;
}

/* Find the wake-up that ended the longest blocked time of thread ROW in [FROM, TO).  False if it was not
 * blocked. */
static bool account_wakeup(struct qry *q, uint32_t row, int64_t from, int64_t to, struct mdl_wakeup *wakeup)
{
	int64_t longest = 0;
	struct mdl_wakeup w;

	for (uint64_t i = qry_wakeup_seek(q, row, from); qry_wakeup_get(q, row, i, &w); i++) {
		int64_t part = w.since == MDL_NEVER ? 0 : MIN(w.time, to) - MAX(w.since, from);

		if (part > longest) {
			longest = part;
			*wakeup = w;
		}
		if (w.time >= to)
			break;
	}
	return longest > 0;
}

struct ana_why *ana_account_why(struct qry *q, uint32_t row, int64_t from, int64_t to)
{
	struct mdl_wakeup wakeup;
	struct mdl_ipi_wait ipi;

	if (account_wakeup(q, row, from, to, &wakeup))
		return ana_why_new(q, row, &wakeup);
	return ana_ipiwait_longest(q, row, from, to, &ipi) ? ana_ipiwait_why(q, &ipi) : NULL;
}
