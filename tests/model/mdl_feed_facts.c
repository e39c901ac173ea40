/* SPDX-License-Identifier: MIT */
#include "model/mdl_feed.h"

static void append_act(GString *s, const struct mdl_feed *f, const struct mdl_act *act)
{
	if (act->time == MDL_NEVER) {
		g_string_append(s, "-");
		return;
	}
	if (act->context != MDL_NONE) {
		mdl_feed_append_context(s, f, act->context);
		g_assert_cmpint(act->entry, <=, act->time);
	} else {
		g_string_append(s, "thread ");
		mdl_feed_append_thread(s, f, act->thread);
		g_assert_cmpint(act->entry, ==, MDL_NEVER);
	}
	g_string_append_printf(s, " %" G_GINT64_FORMAT, act->time);
}

static void append_timer(GString *s, const struct mdl_feed *f, const struct mdl_timer *timer)
{
	g_string_append_printf(s, "timer 0x%" G_GINT64_MODIFIER "x ", timer->function);
	if (timer->expired)
		g_string_append_printf(s, "at %" G_GINT64_FORMAT, timer->expired_at);
	else
		g_string_append(s, timer->doubts == 0 ? "not needed" : "perhaps not needed");
	if (timer->due != MDL_NEVER)
		g_string_append_printf(s, " on %u due %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, timer->cpu,
			timer->due, timer->slack);
	g_assert_cmpint(timer->expired, ==, timer->expired_at != MDL_NEVER);
	g_assert_cmpint(timer->expired, ==, timer->cpu != MDL_NONE);
	g_string_append(s, " armed by ");
	append_act(s, f, &timer->armed);
}

static void append_work(GString *s, const struct mdl_feed *f, const struct mdl_work *work)
{
	g_string_append_printf(s, "work 0x%" G_GINT64_MODIFIER "x ", work->function);
	if (work->started == MDL_NEVER)
		g_string_append(s, "just queued by ");
	else
		g_string_append_printf(s, "since %" G_GINT64_FORMAT " queued by ", work->started);
	append_act(s, f, &work->queued);
}

static void append_signal(GString *s, const struct mdl_feed *f, const struct mdl_signal *signal)
{
	g_string_append_printf(s, "signal %u by ", signal->number);
	append_act(s, f, &signal->sender);
	if (signal->doubts != 0)
		g_string_append(s, " inferred");
}

static void append_packet(GString *s, const struct mdl_feed *f, const struct mdl_received *r)
{
	g_string_append(s, "packet ");
	if (r->packet.version != 0)
		g_string_append_printf(s, "%u>%u#%u ", r->packet.source_port, r->packet.destination_port,
			r->packet.sequence);
	else if (mdl_packet_is_numbers(&r->packet))
		g_string_append_printf(s, "#%u/%u ", r->packet.sequence, r->packet.acknowledgement);
	g_string_append_printf(s, "on %s at %" G_GINT64_FORMAT " sent by ",
		base_strings_get(mdl_machine_strings(mdl_feed_machine(f)), r->device), r->time);
	append_act(s, f, &r->sender);
	if (r->doubts != 0)
		g_string_append(s, " perhaps");
}

/* Put ", " between two facts of the wake-up whose text begins at START.  Returns S. */
static GString *begin_fact(GString *s, gsize start)
{
	if (s->len > start)
		g_string_append(s, ", ");
	return s;
}

static void append_when(GString *s, const char *word, int64_t time)
{
	if (time != MDL_NEVER)
		g_string_append_printf(s, " %s %" G_GINT64_FORMAT, word, time);
}

static void append_request(GString *s, const struct mdl_feed *f, const struct mdl_request *r)
{
	static const char *const ops[MDL_OPS] = { "unknown", "read", "write", "flush", "discard", "other" };
	static const char *const grades[MDL_GRADES] = { "", "inferred ", "unsure " };

	g_string_append_printf(s, "%s%s %u ", grades[mdl_grade_of(r->doubts)], ops[r->op], r->dev);
	if (r->sector == MDL_SECTOR_NONE)
		g_string_append(s, "-");
	else
		g_string_append_printf(s, "%" G_GUINT64_FORMAT, r->sector);
	g_string_append_printf(s, "+%" G_GUINT64_FORMAT, r->bytes);
	if (r->merged > 0)
		g_string_append_printf(s, " merged %u", r->merged);
	append_when(s, "queued", r->queued);
	append_when(s, "inserted", r->inserted);
	append_when(s, "issued", r->issued);
	append_when(s, "done", r->completed);
	g_string_append(s, " by ");
	append_act(s, f, &r->submitter);
	if (r->issuer.time != MDL_NEVER &&
		(r->issuer.thread != r->submitter.thread || r->issuer.context != r->submitter.context)) {
		g_string_append(s, " issuer ");
		append_act(s, f, &r->issuer);
	}
}

static void append_arrival(GString *s, const struct mdl_feed *f, const struct mdl_arrival *a)
{
	g_string_append_printf(s, "arrived %" G_GINT64_FORMAT " on %u", a->time, a->cpu);
	if (a->context == MDL_NONE)
		return;
	g_string_append(s, " in ");
	mdl_feed_append_context(s, f, a->context);
	g_string_append_printf(s, "/%" G_GINT64_FORMAT, a->entry);
}

static void append_pending(GString *s, uint32_t pending)
{
	g_string_append(s, "pending");
	for (unsigned i = 0; i < MDL_SOFTIRQS; i++)
		if (pending & 1u << i)
			g_string_append_printf(s, " %s", mdl_softirq_name(i));
}

static void append_futex(GString *s, const struct mdl_feed *f, const struct mdl_futex *x)
{
	static const char *const bys[MDL_FUTEX_BYS] = { "wake", "wake-op", "requeue", "unlock-pi",
		"requeue-pi", "exit" };

	g_string_append_printf(s, "futex 0x%" G_GINT64_MODIFIER "x by %s from ", x->address, bys[x->by]);
	append_act(s, f, &x->waiter);
	g_string_append(s, " to ");
	append_act(s, f, &x->waker);
	if (x->doubts != 0)
		g_string_append(s, " perhaps");
}

static void append_virq(GString *s, const struct mdl_virq *x)
{
	static const char *const bys[MDL_VIRQ_BYS] = { "", " by msi", " by line", " by ipi" };
	static const char *const grades[MDL_GRADES] = { "", " perhaps", " of nobody known" };

	g_string_append_printf(s, "vector %u%s%s", x->vector, bys[x->by], grades[mdl_grade_of(x->doubts)]);
}

static void append_suspend(GString *s, const struct mdl_feed *f, const struct mdl_suspend *x)
{
	static const char *const bys[MDL_SUSPEND_BYS] = { "woken", "thawed", "in between" };
	g_autofree char *from = x->from == MDL_NEVER ? g_strdup("-")
						     : g_strdup_printf("%" G_GINT64_FORMAT, x->from);
	g_autofree char *begin = x->begin == MDL_NEVER ? g_strdup("-")
						       : g_strdup_printf("%" G_GINT64_FORMAT, x->begin);

	g_string_append_printf(s, "frozen from %s since %s %s by ", from, begin, bys[x->by]);
	append_act(s, f, &x->act);
	if (x->least > 0 || x->most > 0)
		g_string_append_printf(s, " stopped %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, x->least,
			x->most);
	if (x->doubts != 0)
		g_string_append(s, " perhaps");
}

static void append_hotplug(GString *s, const struct mdl_hotplug *x)
{
	g_string_append_printf(s, "cpu %u %s step %u since %" G_GINT64_FORMAT "%s", x->cpu,
		x->up ? "up" : "down", x->step, x->entered, x->doubts != 0 ? " perhaps" : "");
}

static void append_facts(GString *s, const struct mdl_feed *f, const struct mdl_cause *cause)
{
	unsigned has = cause ? cause->facts.has : 0;
	gsize start = s->len;

	if (has & MDL_FACT_TIMER)
		append_timer(begin_fact(s, start), f, &cause->facts.timer);
	if (has & MDL_FACT_PACKET)
		append_packet(begin_fact(s, start), f, &cause->facts.packet);
	if (has & MDL_FACT_WORK)
		append_work(begin_fact(s, start), f, &cause->facts.work);
	if (has & MDL_FACT_SIGNAL)
		append_signal(begin_fact(s, start), f, &cause->facts.signal);
	if (has & MDL_FACT_REQUEST)
		append_request(begin_fact(s, start), f, &cause->facts.request);
	if (has & MDL_FACT_ARRIVAL)
		append_arrival(begin_fact(s, start), f, &cause->facts.arrival);
	if (has & MDL_FACT_PENDING)
		append_pending(begin_fact(s, start), cause->facts.pending);
	if (has & MDL_FACT_FUTEX)
		append_futex(begin_fact(s, start), f, &cause->facts.futex);
	if (has & MDL_FACT_VIRQ)
		append_virq(begin_fact(s, start), &cause->facts.virq);
	if (has & MDL_FACT_SUSPEND)
		append_suspend(begin_fact(s, start), f, &cause->facts.suspend);
	if (has & MDL_FACT_HOTPLUG)
		append_hotplug(begin_fact(s, start), &cause->facts.hotplug);
	if (cause && cause->lossy)
		g_string_append(begin_fact(s, start), "lossy");
	if (s->len == start)
		g_string_append(s, "-");
}

static void append_steps(GString *s, const struct mdl_feed *f, const struct mdl_cause *cause)
{
	const struct mdl_request *r = cause && cause->facts.has & MDL_FACT_REQUEST ? &cause->facts.request
										   : NULL;
	int64_t from = r ? r->begin : 0;

	(void)f;
	if (!r || r->n_steps == 0) {
		g_string_append(s, "-");
		return;
	}
	g_string_append_printf(s, "%" G_GINT64_FORMAT, from);
	for (unsigned i = 0; i < r->n_steps; i++) {
		const struct mdl_step *step = &r->steps[i];

		g_assert_cmpint(step->to, >, from);
		g_string_append_printf(s, " %s%s %" G_GINT64_FORMAT, mdl_step_name(step->what),
			step->doubts == 0 ? "" : "?", step->to);
		from = step->to;
	}
	g_assert_cmpint(from, ==, r->completed);
}

static void append_chain(GString *s, const struct mdl_feed *f, const struct mdl_cause *cause)
{
	static const char *const grades[MDL_GRADES] = { "", "?", "??" };
	unsigned n = cause ? cause->chain.n : 0;

	for (unsigned i = 0; i < n; i++) {
		const struct mdl_hop *hop = &cause->chain.hops[i];

		if (i > 0)
			g_string_append(s, " > ");
		append_act(s, f, &hop->act);
		g_string_append_printf(s, "@%u%s", hop->act.cpu, grades[mdl_grade_of(hop->doubts)]);
	}
	if (n == 0)
		g_string_append(s, "-");
}

typedef void (*append_cause)(GString *s, const struct mdl_feed *f, const struct mdl_cause *cause);

/* APPEND formats the causes of ROW's wake-ups, only of those at TIME unless it is MDL_NEVER, as EXPECTED. */
static void expect(const struct mdl_feed *f, const char *row, int64_t time, append_cause append,
	const char *expected)
{
	GString *s = g_string_new(NULL);

	for (guint i = 0; i < mdl_feed_wakeup_count(f, row); i++) {
		const struct mdl_wakeup *w = mdl_feed_wakeup(f, row, i);

		if (time != MDL_NEVER && w->time != time)
			continue;
		if (s->len > 0)
			g_string_append(s, "; ");
		append(s, f, mdl_feed_cause(f, w->cause));
	}
	g_assert_cmpstr(s->str, ==, expected);
	g_string_free(s, TRUE);
}

void mdl_feed_expect_facts(const struct mdl_feed *f, const char *row, const char *expected)
{
	expect(f, row, MDL_NEVER, append_facts, expected);
}

void mdl_feed_expect_facts_at(const struct mdl_feed *f, const char *row, int64_t time, const char *expected)
{
	expect(f, row, time, append_facts, expected);
}

void mdl_feed_expect_steps(const struct mdl_feed *f, const char *row, const char *expected)
{
	expect(f, row, MDL_NEVER, append_steps, expected);
}

void mdl_feed_expect_steps_at(const struct mdl_feed *f, const char *row, int64_t time, const char *expected)
{
	expect(f, row, time, append_steps, expected);
}

void mdl_feed_expect_chains(const struct mdl_feed *f, const char *row, const char *expected)
{
	expect(f, row, MDL_NEVER, append_chain, expected);
}

void mdl_feed_expect_chain_at(const struct mdl_feed *f, const char *row, int64_t time, const char *expected)
{
	expect(f, row, time, append_chain, expected);
}
