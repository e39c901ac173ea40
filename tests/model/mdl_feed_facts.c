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

static void append_facts(GString *s, const struct mdl_feed *f, const struct mdl_cause *cause)
{
	const char *start = s->str + s->len;

	if (cause != NULL && cause->facts.has & MDL_FACT_TIMER)
		append_timer(s, f, &cause->facts.timer);
	if (start == s->str + s->len)
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
