/* SPDX-License-Identifier: MIT */
/* A user's rules: the limit on open intervals.  tests/app/rules.t tests everything else. */
#include "analysis/ana_fixture.h"
#include "analysis/latency/latency.h"
#include "base/base_time.h"

#include <string.h>

/* The trace has 116 events sched_wakeup (babeltrace2 sample-traces/ioburst-ipi | grep -c sched_wakeup:),
 * and no irq_handler_exit of a line whose number is a TID. */
#define ENTRIES 116

/* Measures the one rule of TEXT with at most MAX open intervals. */
static struct ana_latency *measure(struct qry *q, const char *text, uint64_t max)
{
	struct ana_latency_options o = { .row = MDL_NONE,
		.from = BASE_TIME_NONE,
		.to = BASE_TIME_NONE,
		.top = 3 };
	GError *error = NULL;
	struct ana_rules *rules = ana_rules_parse("text", text, strlen(text), &error);
	struct ana_latency *l;

	g_assert_no_error(error);
	g_assert_cmpuint(rules->open_max, ==, 1000000);
	rules->open_max = max;
	o.rules = rules;
	o.kind = "a";
	l = ana_latency_new(q, &o, NULL, &error);
	g_assert_no_error(error);
	ana_rules_free(rules);
	return l;
}

/* Keys that are never closed, and all entries of one key: both are bounded. */
static void test_bounded(void)
{
	static const char *const texts[] = {
		"[a]\nentry = sched_wakeup\nexit = irq_handler_exit\nkey = tid = irq\nopen = all\n",
		"[a]\nentry = sched_wakeup\nexit = irq_handler_exit[irq=9999]\nopen = queue\n",
	};
	ANA_FIXTURE_OR_SKIP(f, "ioburst-ipi");

	for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
		for (uint64_t max = 1; max <= 2 * ENTRIES; max *= 3) {
			struct ana_latency *l = measure(ana_fixture_qry(f), texts[i], max);

			g_assert_cmpuint(l->all.count, ==, 0);
			g_assert_cmpuint(l->all.unfinished, ==, MIN(max, ENTRIES));
			g_assert_cmpuint(l->strays.given_up, ==, ENTRIES - MIN(max, ENTRIES));
			g_assert_cmpuint(l->strays.repeated, ==, 0);
			ana_latency_free(l);
		}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/rules/bounded", test_bounded);
	return ana_fixture_run();
}
