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
		g_string_append(s, "not needed");
	g_assert_cmpint(timer->expired, ==, timer->expired_at != MDL_NEVER);
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
}

static void append_packet(GString *s, const struct mdl_feed *f, const struct mdl_received *r)
{
	g_string_append(s, "packet ");
	if (r->packet.version != 0)
		g_string_append_printf(s, "%u>%u#%u ", r->packet.source_port, r->packet.destination_port, r->packet.sequence);
	g_string_append_printf(s, "on %s at %" G_GINT64_FORMAT " sent by ",
			       base_strings_get(mdl_machine_strings(mdl_feed_machine(f)), r->device), r->time);
	append_act(s, f, &r->sender);
}

/* Put ", " between two facts of the wake-up whose text begins at START.  Returns S. */
static GString *begin_fact(GString *s, gsize start)
{
	if (s->len > start)
		g_string_append(s, ", ");
	return s;
}

static void append_facts(GString *s, const struct mdl_feed *f, const struct mdl_cause *cause)
{
	unsigned has = cause != NULL ? cause->facts.has : 0;
	gsize start = s->len;

	if (has & MDL_FACT_TIMER)
		append_timer(begin_fact(s, start), f, &cause->facts.timer);
	if (has & MDL_FACT_PACKET)
		append_packet(begin_fact(s, start), f, &cause->facts.packet);
	if (has & MDL_FACT_WORK)
		append_work(begin_fact(s, start), f, &cause->facts.work);
	if (has & MDL_FACT_SIGNAL)
		append_signal(begin_fact(s, start), f, &cause->facts.signal);
	if (s->len == start)
		g_string_append(s, "-");
}

void mdl_feed_expect_facts(const struct mdl_feed *f, const char *row, const char *expected)
{
	GString *s = g_string_new(NULL);

	for (guint i = 0; i < mdl_feed_wakeup_count(f, row); i++) {
		if (i > 0)
			g_string_append(s, "; ");
		append_facts(s, f, mdl_feed_cause(f, mdl_feed_wakeup(f, row, i)->cause));
	}
	g_assert_cmpstr(s->str, ==, expected);
	g_string_free(s, TRUE);
}
