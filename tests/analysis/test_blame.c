/* SPDX-License-Identifier: MIT */
/* The users of a CPU: in real traces, with all times read by hand in babeltrace2's text, and in made-up
 * ones. */
#include "analysis/cpu/blame.h"
#include "analysis/causes/causes.h"
#include "analysis/ana_fixture.h"
#include "analysis/ana_synth.h"
#include "base/base_json.h"
#include "table/json.h"
#include "query/clock/clock.h"

struct part {
	enum ana_blame_what what;
	const char *text;
	int64_t time;
	enum mdl_grade grade;
};

static const struct ana_blame_part *part_of(const struct ana_blame *b, guint i)
{
	return &g_array_index(b->parts, struct ana_blame_part, i);
}

/* B has these parts and no others, and they sum to its interval. */
static void check(const struct qry *q, const struct ana_blame *b, const struct part *expected, guint n)
{
	int64_t sum = 0;

	for (guint i = 0; i < MIN(n, b->parts->len); i++) {
		char *text = ana_blame_part_text(q, part_of(b, i));

		g_assert_cmpstr(text, ==, expected[i].text);
		g_assert_cmpstr(ana_blame_what_name(part_of(b, i)->what), ==,
			ana_blame_what_name(expected[i].what));
		g_assert_cmpint(part_of(b, i)->time, ==, expected[i].time);
		g_assert_cmpint(mdl_grade_of(part_of(b, i)->doubts), ==, expected[i].grade);
		sum += part_of(b, i)->time;
		g_free(text);
	}
	g_assert_cmpuint(b->parts->len, ==, n);
	g_assert_cmpint(sum, ==, b->to - b->from);
}

/*
 * CPU 1 is idle when the timer of wk-pulse is due, and leaves the idle state late; the tick expires before that
 * timer:
 *
 * [10:03:31.385884215] sched_switch: { cpu_id = 1 }, { prev_comm = "wk-pulse", prev_tid = 532, …,
 *                      next_comm = "swapper/1", … }
 * [10:03:31.392962795] x86_irq_vectors_local_timer_entry: { cpu_id = 1 }, { vector = 236 }
 * [10:03:31.392983245] timer_hrtimer_expire_entry: { cpu_id = 1 }, { hrtimer = 0xFF45A5803B9235C0, … }
 * [10:03:31.393042355] timer_hrtimer_expire_exit: { cpu_id = 1 }, { hrtimer = 0xFF45A5803B9235C0 }
 * [10:03:31.393054205] timer_hrtimer_expire_entry: { cpu_id = 1 }, { hrtimer = 0xFF5F2C40009DBDD8, … }
 */
static void test_pulse(void)
{
	static const struct part expected[] = {
		{ ANA_BLAME_IDLE, "the idle CPU 1", 2054140, MDL_PROVED },
		{ ANA_BLAME_TIMER, "hrtimer", 59110, MDL_PROVED },
		{ ANA_BLAME_IRQ, "IRQ 236 local_timer", 32300, MDL_PROVED },
	};

	ANA_FIXTURE_OR_SKIP(f, "pulse");
	struct qry *q = ana_fixture_qry(f);
	struct ana_blame *b = ana_blame_of_cpu(q, 0, 1, ana_fixture_at("10:03:31.390908655"),
		ana_fixture_at("10:03:31.393054205"));

	check(q, b, expected, G_N_ELEMENTS(expected));
	g_assert_cmpint(part_of(b, 2)->from, ==, ana_fixture_at("10:03:31.392962795"));
	g_assert_cmpint(part_of(b, 2)->to, ==, ana_fixture_at("10:03:31.393054205"));
	ana_blame_free(b);
}

/* A CPU that two threads share, with an interrupt of each, a loss, and the end of the recording. */
static struct ana_synth *made(uint32_t *cpu)
{
	struct ana_synth *s = ana_synth_new(1000);
	uint32_t idle = ana_synth_thread(s, 0, 0, MDL_NONE), a = ana_synth_thread(s, 11, 0, MDL_NONE),
		 b = ana_synth_thread(s, 12, 0, MDL_NONE);
	uint32_t line = ana_synth_context_id(s, MDL_CTX_IRQ, 5, "card"),
		 ipi = ana_synth_context_id(s, MDL_CTX_IPI, 253, "reschedule");

	*cpu = ana_synth_cpu(s);
	ana_synth_on_cpu(s, *cpu, 100, MDL_ST_UNKNOWN, MDL_NONE, 0);
	ana_synth_on_cpu(s, *cpu, 300, MDL_ST_RUNNING, a, 0);
	ana_synth_on_cpu(s, *cpu, 330, MDL_ST_INTERRUPTED, a, line);
	ana_synth_on_cpu(s, *cpu, 400, MDL_ST_RUNNING, b, 0);
	ana_synth_on_cpu(s, *cpu, 405, MDL_ST_INTERRUPTED, b, ipi);
	ana_synth_on_cpu(s, *cpu, 410, MDL_ST_INTERRUPTED, b, line);
	ana_synth_on_cpu(s, *cpu, 500, MDL_ST_RUNNING, a, 0);
	ana_synth_on_cpu(s, *cpu, 560, MDL_ST_IDLE, idle, 0);
	ana_synth_on_cpu(s, *cpu, 570, MDL_ST_UNKNOWN, MDL_NONE, 0);
	return s;
}

/* Nothing is known before 100, in the loss from 560 on and after the trace's end. */
static void test_made(void)
{
	static const struct part expected[] = {
		{ ANA_BLAME_UNKNOWN, "not recorded", 40 + 440 + 90, MDL_UNSURE },
		{ ANA_BLAME_THREAD, "t11[11]", 200 + 90, MDL_PROVED },
		{ ANA_BLAME_THREAD, "t12[12]", 70, MDL_PROVED },
		{ ANA_BLAME_IDLE, "the idle CPU 1", 60, MDL_PROVED },
		{ ANA_BLAME_IRQ, "IRQ 5 card", 30 + 5, MDL_PROVED },
		{ ANA_BLAME_IPI, "ipi reschedule", 5, MDL_PROVED },
	};
	uint32_t cpu;
	struct ana_synth *s = made(&cpu);
	struct qry *q = ana_synth_open(s);
	struct ana_blame *b = ana_blame_of_cpu(q, 0, 1, 60, 1000 + 90);

	g_assert_cmpuint(cpu, ==, qry_cpu_row(q, 0, 1));
	check(q, b, expected, G_N_ELEMENTS(expected));
	ana_blame_free(b);
	ana_synth_free(s);
}

/* Without interrupt vectors, an interrupt may hide behind each thread and softirq (in hackbench,
 * local_timer interrupts the softirq RCU), but not behind a device's handler. */
static void test_hidden(void)
{
	ANA_FIXTURE_OR_SKIP(f, "pipeline-nowaking");
	struct qry *q = ana_fixture_qry(f);
	struct ana_blame *b = ana_blame_of_cpu(q, 0, 0, qry_host(q, 0)->from, qry_host(q, 0)->to);
	int64_t sum = 0;

	for (guint i = 0; i < b->parts->len; i++) {
		const struct ana_blame_part *p = part_of(b, i);

		g_assert_cmpstr(ana_grade_name(p->doubts), ==,
			p->what == ANA_BLAME_UNKNOWN       ? "unknown"
				: p->what == ANA_BLAME_IRQ ? "proved"
							   : "inferred");
		sum += p->time;
	}
	g_assert_cmpint(sum, ==, b->to - b->from);
	ana_blame_free(b);
}

struct guests {
	struct qry *q;
	unsigned sure, unsure;
};

static void see_guest(void *data, const struct ana_blame_part *span)
{
	struct guests *g = data;
	int64_t error;

	if (span->guest == MDL_NONE)
		return;
	error = qry_clock_error(g->q, span->host, qry_row(g->q, span->guest)->host, span->from);
	g_assert_cmpint(span->alone, ==, MDL_PROVED);
	g_assert_cmpint(mdl_grade_of(span->doubts), ==,
		mdl_grade_of(span->doubts) == MDL_PROVED ? MDL_PROVED : MDL_INFERRED);
	if (span->time > error)
		g_assert_cmpint(mdl_grade_of(span->doubts), ==, MDL_PROVED);
	g->sure += mdl_grade_of(span->doubts) == MDL_PROVED;
	g->unsure += mdl_grade_of(span->doubts) == MDL_INFERRED;
}

/* The guest thread that had the time of its virtual CPU is not proved where its turn is shorter than the
 * error of both clocks. */
static void test_guest(void)
{
	ANA_FIXTURE_OR_SKIP(f, "vm-preempt");
	struct guests g = { .q = ana_fixture_qry(f) };

	for (uint32_t i = 0; i < qry_row_count(g.q); i++) {
		const struct qry_row *r = qry_row(g.q, i);

		if (r->type == MDL_ROW_CPU)
			ana_blame_spans(g.q, r->host, (uint32_t)r->nr, r->first, r->last, see_guest, &g);
	}
	g_test_message("%u turns are sure, %u are not", g.sure, g.unsure);
	g_assert_cmpuint(g.sure, >, 100);
	g_assert_cmpuint(g.unsure, >, 10);
}

static void add_time(GHashTable *times, char *take_name, int64_t time)
{
	int64_t *sum = g_hash_table_lookup(times, take_name);

	if (sum) {
		*sum += time;
		g_free(take_name);
		return;
	}
	sum = g_new(int64_t, 1);
	*sum = time;
	g_hash_table_insert(times, take_name, sum);
}

struct exits {
	struct qry *q;
	GHashTable *times; /* text → int64_t, both owned */
};

static void see_vcpu(void *data, const struct ana_blame_part *span)
{
	struct exits *e = data;

	if (span->what == ANA_BLAME_VCPU && !ana_blame_is_thread(span))
		add_time(e->times, ana_blame_part_text(e->q, span), span->time);
}

/* Lists of causes attribute the time that a host took from a CPU that threads waited for as accounts do:
 * to each reason for which the virtual CPU was left, and to each interrupt. */
static void test_exits(void)
{
	ANA_FIXTURE_OR_SKIP(f, "vm-preempt");
	struct exits e = { ana_fixture_qry(f),
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free) };
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_autoptr(GHashTable) found = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	struct ana_causes *c;
	GHashTableIter iter;
	gpointer name, time;

	for (uint32_t i = 0; i < qry_row_count(e.q); i++) {
		const struct qry_row *r = qry_row(e.q, i);
		struct mdl_interval iv;

		if (r->type != MDL_ROW_THREAD || r->nr == 0)
			continue;
		g_array_append_val(rows, i);
		for (int64_t t = r->first; qry_kernel_state_at(e.q, i, t, &iv); t = iv.to)
			if (iv.state == MDL_ST_PREEMPTED || iv.state == MDL_ST_WAIT_CPU)
				ana_blame_spans(e.q, r->host, iv.aux, iv.from, iv.to, see_vcpu, &e);
	}
	c = ana_causes_new(e.q, (uint32_t *)(void *)rows->data, rows->len, ANA_CAUSES_BY_THREAD, INT64_MIN,
		INT64_MAX);
	while (ana_causes_work(c, 4096))
		;
	for (guint i = 0; i < ana_causes_entries(c)->len; i++) {
		const struct ana_causes_entry *entry = &g_array_index(ana_causes_entries(c),
			struct ana_causes_entry, i);

		if (entry->kind == ANA_KIND_PREEMPTED || entry->kind == ANA_KIND_WAIT_CPU)
			add_time(found, g_strdup(entry->label), entry->total);
	}
	g_hash_table_iter_init(&iter, e.times);
	while (g_hash_table_iter_next(&iter, &name, &time)) {
		const int64_t *is = g_hash_table_lookup(found, name);

		g_test_message("%s: %" G_GINT64_FORMAT " ns", (char *)name, *(int64_t *)time);
		g_assert_nonnull(is);
		g_assert_cmpint(*is, ==, *(int64_t *)time);
	}
	g_assert_cmpuint(g_hash_table_size(e.times), >, 10);
	ana_causes_free(c);
	g_hash_table_unref(e.times);
}

/* Nothing is known of an unknown CPU, or one never seen; an empty interval has no parts. */
static void test_nothing(void)
{
	static const struct part unknown[] = { { ANA_BLAME_UNKNOWN, "not recorded", 100, MDL_UNSURE } };
	static const uint32_t cpus[] = { MDL_NONE, 7 };
	struct ana_synth *s = ana_synth_new(1000);
	struct qry *q = ana_synth_open(s);
	struct ana_blame *b;

	for (size_t i = 0; i < G_N_ELEMENTS(cpus); i++) {
		b = ana_blame_of_cpu(q, 0, cpus[i], 200, 300);
		check(q, b, unknown, 1);
		ana_blame_free(b);
	}
	b = ana_blame_of_cpu(q, 0, 0, 200, 200);
	g_assert_cmpuint(b->parts->len, ==, 0);
	ana_blame_free(b);
	ana_synth_free(s);
}

static void check_text(const struct base_json_value *o, const char *name, const char *text)
{
	g_assert_cmpstr(base_json_value_text(base_json_value_member(o, name)), ==, text);
}

static void check_int(const struct base_json_value *o, const char *name, int64_t n)
{
	g_assert_cmpint(base_json_value_int(base_json_value_member(o, name)), ==, n);
}

static void test_json(void)
{
	uint32_t cpu;
	struct ana_synth *s = made(&cpu);
	struct qry *q = ana_synth_open(s);
	struct ana_blame *b = ana_blame_of_cpu(q, 0, 1, 280, 380);
	GString *text = g_string_append_c(table_blame_json(q, b), ']');
	struct base_json *json = base_json_parse(text->str, text->len, NULL);
	const struct base_json_value *list = base_json_root(json), *o = base_json_value_at(list, 0);

	g_assert_cmpuint(base_json_value_length(list), ==, 3);
	check_text(o, "what", "thread");
	check_text(o, "name", "t12");
	check_int(o, "tid", 12);
	check_int(o, "cpu", 1);
	check_int(o, "time", 50);
	g_assert_nonnull(strstr(text->str, "\"time\":50,\"share\":0.5,"));
	o = base_json_value_at(list, 1);
	check_text(o, "what", "irq");
	check_text(o, "name", "card");
	g_assert_cmpint(base_json_value_type(base_json_value_member(o, "tid")), ==, BASE_JSON_NULL);
	check_int(o, "time", 30);
	base_json_free(json);
	g_string_free(text, TRUE);
	ana_blame_free(b);
	ana_synth_free(s);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/blame/pulse", test_pulse);
	g_test_add_func("/blame/made", test_made);
	g_test_add_func("/blame/hidden", test_hidden);
	g_test_add_func("/blame/guest", test_guest);
	g_test_add_func("/blame/exits", test_exits);
	g_test_add_func("/blame/nothing", test_nothing);
	g_test_add_func("/blame/json", test_json);
	return ana_fixture_run();
}
