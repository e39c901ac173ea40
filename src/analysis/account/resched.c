/* SPDX-License-Identifier: MIT */
/*
 * How it works: the context of each event on the CPU waited for shows if that CPU was due to switch
 * (need-resched). Between two events that agree, the state is what both show. Up to the switch it is what the
 * last event shows, unless that is "none due". All other time is unknown. Lost events end the known part of a
 * wait on their CPU (model/core/gap.c), so no events are lost between two that are compared.
 *
 * resched_curr() (kernel/sched/core.c) sets the flag of the thread on the CPU, also from another CPU: at a
 * wake-up (wakeup_preempt(), before sched_wakeup), a tick, a move. Only __schedule() clears it, in
 * clear_tsk_need_resched(), before sched_switch, which therefore never shows it. The next thread begins
 * without it. If __schedule() picks the same thread again there is no event, so the time between two events
 * is inferred. A flag that another CPU set is visible before its IPI arrives. TRACE_FLAG_PREEMPT_RESCHED is
 * set only after the IPI, so it is not used.
 *
 * trace.dat and perf.data have it in common_flags (tracing_gen_ctx_irq_test(), kernel/trace/trace.c): 0x04
 * since 2.6.28, lazily 0x02 since 6.13 and with PREEMPT_RT before (without CONFIG_TRACE_IRQFLAGS_SUPPORT
 * older kernels set that bit, with another meaning, in all events). LTTng has it in the context
 * need_reschedule (test_tsk_need_resched()) if that context was added. It does not show lazy ones.
 */
#include "analysis/account/resched.h"

#include "base/base_time.h"
#include "query/events/events.h"

#include <string.h>

#define EVENTS_MAX 20000 /* events read for one account, at most */
#define READ_ENOUGH 256  /* events read before giving up, if none had the flags */

enum { FLAG_LAZY = 0x02, FLAG_NEED_RESCHED = 0x04 };

enum due { DUE_UNKNOWN, DUE_NONE, DUE_LAZILY, DUE_NOW };

struct reader {
	struct qry *q;                  /* weak */
	struct base_progress *progress; /* weak */
	const struct ana_blame *blame;  /* weak */
	GArray *all;                    /* weak: of struct ana_resched */
	uint32_t row, host;
	GArray *spans;             /* of struct ana_blame_part: of the current wait, in order of time */
	guint span;                /* the first span that does not end before the last passed time */
	uint32_t cpu;              /* the CPU of EVENTS */
	struct qry_events *events; /* owned; NULL none yet */
	unsigned n_read;
	bool told;    /* an event had the flags */
	enum due due; /* state that the current event shows */
};

/* ---- the flags of an event ---- */

static void take_field(void *data, const char *name, const struct trc_value *value)
{
	struct reader *r = data;

	if (value->type != TRC_VALUE_UNSIGNED && value->type != TRC_VALUE_SIGNED)
		return;
	if (!strcmp(name, "common_flags"))
		r->due = value->number & FLAG_NEED_RESCHED ? DUE_NOW
			: value->number & FLAG_LAZY        ? DUE_LAZILY
							   : DUE_NONE;
	else if (!strcmp(name, "need_reschedule"))
		r->due = value->number != 0 ? DUE_NOW : DUE_NONE;
}

/* ---- owners of the time ---- */

static void keep_span(void *data, const struct ana_blame_part *span)
{
	g_array_append_val(((struct reader *)data)->spans, *span);
}

/* True if SPAN is time of an owner of the CPU read, while the thread waited for that CPU. */
static bool counts(const struct reader *r, const struct ana_blame_part *span)
{
	return (span->phase == ANA_PHASE_WAIT_CPU || span->phase == ANA_PHASE_PREEMPTED) &&
		span->host == r->host && span->cpu == r->cpu && span->what != ANA_BLAME_UNKNOWN &&
		span->what != ANA_BLAME_VCPU;
}

static struct ana_resched *resched_of(const struct reader *r, const struct ana_blame_part *span)
{
	return &g_array_index(r->all, struct ana_resched, ana_blame_place(r->blame, span));
}

static void add_time(struct ana_resched *resched, enum due due, int64_t time)
{
	if (due == DUE_NOW)
		resched->due += time;
	else if (due == DUE_LAZILY)
		resched->lazy += time;
	else
		resched->none += time;
}

/* Add [FROM, TO) with state DUE to its owners. */
static void resched_tell(struct reader *r, int64_t from, int64_t to, enum due due)
{
	while (r->span < r->spans->len && g_array_index(r->spans, struct ana_blame_part, r->span).to <= from)
		r->span++;
	for (guint i = r->span; i < r->spans->len; i++) {
		const struct ana_blame_part *span = &g_array_index(r->spans, struct ana_blame_part, i);

		if (span->from >= to)
			break;
		if (counts(r, span))
			add_time(resched_of(r, span), due, MIN(to, span->to) - MAX(from, span->from));
	}
}

/* EVENT shows that a switch is due. Note it for the owner of the CPU at that time, unless an earlier event is
 * noted. */
static void note_first(struct reader *r, const struct qry_event *event)
{
	for (guint i = r->span; i < r->spans->len; i++) {
		const struct ana_blame_part *span = &g_array_index(r->spans, struct ana_blame_part, i);
		struct ana_resched *resched;

		if (event->time < span->from || event->time >= span->to || !counts(r, span))
			continue;
		resched = resched_of(r, span);
		if (!resched->event) {
			resched->time = event->time;
			resched->event = event->name;
			resched->cpu = event->cpu;
		}
		return;
	}
}

/* ---- the events of a wait ---- */

static bool open_events(struct reader *r, uint32_t cpu, int64_t from, GError **error)
{
	struct qry_events_filter filter = QRY_EVENTS_ALL;

	if (r->events && r->cpu == cpu)
		return qry_events_seek(r->events, from, error);
	qry_events_free(r->events);
	filter.host = r->host;
	filter.cpu = r->cpu = cpu;
	r->events = qry_events_new(r->q, &filter, error);
	return r->events && qry_events_seek(r->events, from, error);
}

/* Step to the next event and its flags. Like qry_events_step(). */
static int next_event(struct reader *r, struct qry_event *event, GError **error)
{
	const struct trc_taker taker = { take_field, r };
	int got = qry_events_step(r->events, 1, event, r->progress, error);

	r->due = DUE_UNKNOWN;
	if (got > 0 && !qry_events_take(r->events, &taker, error))
		return -1;
	r->n_read += got > 0;
	r->told = r->told || r->due != DUE_UNKNOWN;
	return got;
}

static bool is_enough(const struct reader *r)
{
	return r->n_read > (r->told ? EVENTS_MAX : READ_ENOUGH);
}

/* Read the events of CPU in [FROM, TO]. At TO the thread has CPU, or waits for it no longer. */
static bool read_wait(struct reader *r, uint32_t cpu, int64_t from, int64_t to, GError **error)
{
	enum due due = DUE_UNKNOWN;
	struct qry_event event;
	int got = open_events(r, cpu, from, error) ? 1 : -1;

	while (got > 0 && !is_enough(r)) {
		bool switches;

		got = next_event(r, &event, error);
		if (got <= 0 || event.time > to)
			break;
		switches = g_str_has_suffix(event.name, "sched_switch");
		if (r->due == DUE_UNKNOWN)
			continue;
		if (switches ? due > DUE_NONE : due == r->due)
			resched_tell(r, from, event.time, due);
		due = switches ? DUE_NONE : r->due;
		from = event.time;
		if (due > DUE_NONE)
			note_first(r, &event);
	}
	return got >= 0;
}

/* ---- the whole ---- */

static bool read_waits(struct reader *r, GError **error)
{
	g_autoptr(GArray) states = qry_states(r->q, r->row, r->blame->from, r->blame->to);
	bool fine = true;

	for (guint i = 0; fine && i < states->len && !is_enough(r); i++) {
		const struct mdl_interval *iv = &g_array_index(states, struct mdl_interval, i);

		if (iv->aux == MDL_NONE ||
			(iv->state != MDL_ST_PREEMPTED && iv->state != MDL_ST_WAIT_CPU &&
				iv->state != MDL_ST_NEW))
			continue;
		r->span = 0;
		g_array_set_size(r->spans, 0);
		ana_account_spans(r->q, r->row, iv->from, iv->to, r->progress, keep_span, r);
		fine = read_wait(r, iv->aux, iv->from, iv->to, error);
	}
	return fine;
}

GArray *ana_resched_new(struct qry *q, uint32_t row, const struct ana_blame *blame,
	struct base_progress *progress, GError **error)
{
	GArray *all = g_array_new(FALSE, TRUE, sizeof(struct ana_resched));
	struct reader r = { .q = q,
		.progress = progress,
		.blame = blame,
		.all = all,
		.row = row,
		.host = qry_row(q, row)->host,
		.spans = g_array_new(FALSE, FALSE, sizeof(struct ana_blame_part)) };
	bool fine;

	g_array_set_size(all, blame->parts->len);
	fine = read_waits(&r, error);
	if (is_enough(&r))
		g_array_set_size(all, 0);
	qry_events_free(r.events);
	g_array_unref(r.spans);
	if (fine)
		return all;
	g_array_unref(all);
	return NULL;
}

const struct ana_resched *ana_resched_of(const GArray *all, guint place)
{
	const struct ana_resched *resched = place < all->len ? &g_array_index(all, struct ana_resched, place)
							     : NULL;

	return resched && (resched->due > 0 || resched->lazy > 0 || resched->none > 0) ? resched : NULL;
}

struct ana_resched ana_resched_sum(const GArray *all)
{
	struct ana_resched sum = { 0 };

	for (guint i = 0; i < all->len; i++) {
		const struct ana_resched *resched = &g_array_index(all, struct ana_resched, i);

		sum.due += resched->due;
		sum.lazy += resched->lazy;
		sum.none += resched->none;
	}
	return sum;
}

/* ---- words ---- */

static void append_time(GString *text, const char *words, int64_t time)
{
	g_autofree char *duration = base_time_format_duration(time, false);

	if (time > 0)
		g_string_append_printf(text, "%s%s %s", text->len > 0 ? ", " : "", words, duration);
}

char *ana_resched_text(const struct ana_resched *resched)
{
	GString *text = g_string_new(NULL);

	append_time(text, "a switch was due for", resched->due);
	append_time(text, "a lazy one for", resched->lazy);
	append_time(text, "none for", resched->none);
	return g_string_free(text, FALSE);
}
