/* SPDX-License-Identifier: MIT */
/* Counters of CPUs and of threads, read at each switch or by events in between. */
#include "model/event/event.h"
#include "model/machine.h"

/* The sink's records: "TID FROM-TO @CPU VALUE …" each, with the values of the counters that it has, joined with
 * ", ". */
struct told {
	struct mdl_machine *machine;
	GString *text;
	GPtrArray *rows; /* row → its TID, known when the row is over */
};

static void on_interval(G_GNUC_UNUSED void *data, G_GNUC_UNUSED uint32_t row,
	G_GNUC_UNUSED const struct mdl_interval *interval)
{
}

static void on_wakeup(G_GNUC_UNUSED void *data, G_GNUC_UNUSED uint32_t row,
	G_GNUC_UNUSED const struct mdl_wakeup *wakeup)
{
}

static void on_name(G_GNUC_UNUSED void *data, G_GNUC_UNUSED uint32_t row, G_GNUC_UNUSED int64_t time,
	G_GNUC_UNUSED uint32_t name)
{
}

static void on_over(void *data, uint32_t row, const struct mdl_row *facts)
{
	struct told *t = data;

	if (row >= t->rows->len)
		g_ptr_array_set_size(t->rows, (gint)row + 1);
	t->rows->pdata[row] = GINT_TO_POINTER((gint)facts->nr);
}

static void on_counted(void *data, uint32_t row, const struct mdl_counted *c)
{
	struct told *t = data;

	g_string_append_printf(t->text, "%s<%u> %" G_GINT64_FORMAT "-%" G_GINT64_FORMAT " @%u",
		t->text->len ? ", " : "", row, c->from, c->to, c->cpu);
	for (unsigned i = 0; i < MDL_COUNTERS; i++)
		if (c->has >> i & 1)
			g_string_append_printf(t->text, " %" G_GUINT64_FORMAT, c->value[i]);
}

static const struct mdl_sink sink = { .interval = on_interval,
	.wakeup = on_wakeup,
	.name = on_name,
	.over = on_over,
	.counted = on_counted };

static const char *const names[] = { "cycles", "faults" };

static struct told begin(void)
{
	struct told t = { .text = g_string_new(NULL), .rows = g_ptr_array_new() };

	return t;
}

/* A switch from PREV to NEXT with counter 0 at VALUE. */
static void leave(struct mdl_machine *m, int64_t time, uint32_t cpu, int64_t prev, int64_t next,
	struct mdl_counts *counts, uint64_t value)
{
	struct mdl_event e = { .time = time, .cpu = cpu, .rank = (uint64_t)time };

	mdl_event_begin(&e, MDL_EV_SCHED_SWITCH, NULL);
	e.arg[MDL_SWITCH_PREV_TID] = prev;
	e.arg[MDL_SWITCH_NEXT_TID] = next;
	e.arg[MDL_SWITCH_PREV_STATE] = 1;
	if (counts) {
		counts->names = names;
		counts->has = 1;
		counts->value[0] = value;
		counts->leaves = true;
		counts->tid = prev;
		e.counts = counts;
	}
	mdl_machine_event(m, &e);
}

static void sample(struct mdl_machine *m, enum mdl_kind kind, int64_t time, uint32_t cpu,
	struct mdl_counts *counts, uint64_t value)
{
	struct mdl_event e = { .time = time, .cpu = cpu, .rank = (uint64_t)time };

	mdl_event_begin(&e, kind, NULL);
	counts->names = names;
	counts->has = 1;
	counts->value[0] = value;
	counts->leaves = false;
	e.counts = counts;
	mdl_machine_event(m, &e);
}

/* The trace of M ends at TO; "<ROW>" becomes its TID. */
static void expect(struct told *t, struct mdl_machine *m, int64_t to, const char *expected)
{
	mdl_machine_finish(m, to);
	for (guint i = 0; i < t->rows->len; i++) {
		g_autofree char *row = g_strdup_printf("<%u>", i),
				*tid = g_strdup_printf("%d", GPOINTER_TO_INT(t->rows->pdata[i]));

		g_string_replace(t->text, row, tid, 0);
	}
	g_assert_cmpstr(t->text->str, ==, expected);
	g_string_free(t->text, TRUE);
	g_ptr_array_unref(t->rows);
	mdl_machine_free(m);
}

static struct mdl_machine *machine(struct told *t)
{
	struct mdl_machine *m = mdl_machine_new(&sink, t, "6.12.0");

	mdl_machine_begin(m, 1);
	return m;
}

/* A counter of a CPU, read at switches: each thread gets what was counted since it was switched in. */
static void test_switches(void)
{
	struct told t = begin();
	struct mdl_machine *m = machine(&t);
	struct mdl_counts c = { 0 };

	leave(m, 100, 0, 0, 71, &c, 1000);
	leave(m, 200, 0, 71, 72, &c, 1500);
	sample(m, MDL_EV_COUNTS, 250, 0, &c, 1555); /* the next switch has it too */
	leave(m, 300, 0, 72, 71, &c, 1600);
	leave(m, 310, 1, 0, 73, &c, 5);
	leave(m, 400, 0, 71, 0, &c, 2600);
	leave(m, 410, 1, 73, 0, &c, 6);
	expect(&t, m, 500, "71 100-200 @0 500, 72 200-300 @0 100, 71 300-400 @0 1000, 73 310-410 @1 1");
}

/* Read by a clock: counts go to a thread between two readings if it kept the CPU. */
static void test_samples(void)
{
	struct told t = begin();
	struct mdl_machine *m = machine(&t);
	struct mdl_counts c = { 0 };

	leave(m, 100, 0, 0, 71, NULL, 0);
	sample(m, MDL_EV_COUNTS, 120, 0, &c, 10);
	sample(m, MDL_EV_COUNTS, 150, 0, &c, 17);
	leave(m, 160, 0, 71, 72, NULL, 0);
	sample(m, MDL_EV_COUNTS, 180, 0, &c, 20);
	leave(m, 190, 0, 72, 71, NULL, 0);
	sample(m, MDL_EV_COUNTS, 200, 0, &c, 29);
	sample(m, MDL_EV_COUNTS, 230, 0, &c, 30);
	g_assert_cmpuint(mdl_machine_counting(m)->across, ==, 2);
	expect(&t, m, 500, "71 120-150 @0 7, 71 200-230 @0 1");
}

/* A counter that is also read at calls and interrupts (LTTng): each part of a count is of one state. */
static void test_borders(void)
{
	struct told t = begin();
	struct mdl_machine *m = machine(&t);
	struct mdl_counts c = { 0 };

	leave(m, 100, 0, 0, 71, &c, 0);
	sample(m, MDL_EV_SYSCALL_ENTRY, 120, 0, &c, 10);
	sample(m, MDL_EV_SCHED_WAKING, 130, 0, &c, 12);
	sample(m, MDL_EV_SYSCALL_EXIT, 150, 0, &c, 30);
	leave(m, 200, 0, 71, 0, &c, 60);
	expect(&t, m, 500, "71 100-120 @0 10, 71 120-150 @0 20, 71 150-200 @0 30");
}

/* A counter of a thread: its count on a CPU is its own, whichever thread ran meanwhile. */
static void test_thread(void)
{
	struct told t = begin();
	struct mdl_machine *m = machine(&t);
	struct mdl_counts c = { .of_thread = true, .series = 1 };

	leave(m, 100, 0, 71, 72, &c, 50); /* its start is unknown */
	leave(m, 200, 0, 72, 71, NULL, 0);
	leave(m, 300, 0, 71, 0, &c, 80);
	c.series = 2;
	leave(m, 390, 1, 0, 71, NULL, 0);
	leave(m, 400, 1, 71, 0, &c, 7); /* another CPU, another value */
	leave(m, 500, 1, 0, 71, NULL, 0);
	leave(m, 550, 1, 71, 0, &c, 8);
	expect(&t, m, 600, "71 200-300 @0 30, 71 500-550 @1 1");
}

/* SERIES_MOST: the oldest reading is forgotten, as if it had not been made. */
static void test_many_series(void)
{
	struct told t = begin();
	struct mdl_machine *m = machine(&t);
	struct mdl_counts c = { .of_thread = true };
	int64_t time = 100;

	for (unsigned i = 0; i <= 64; i++, time += 10) {
		c.series = i;
		leave(m, time, 0, 71, 0, &c, 10);
		leave(m, time + 5, 0, 0, 71, NULL, 0);
	}
	c.series = 0; /* forgotten */
	leave(m, 1000, 0, 71, 0, &c, 11);
	leave(m, 1005, 0, 0, 71, NULL, 0);
	c.series = 64;
	leave(m, 1010, 0, 71, 0, &c, 12);
	expect(&t, m, 2000, "71 1005-1010 @0 2");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/counts/switches", test_switches);
	g_test_add_func("/counts/samples", test_samples);
	g_test_add_func("/counts/borders", test_borders);
	g_test_add_func("/counts/thread", test_thread);
	g_test_add_func("/counts/many-series", test_many_series);
	return g_test_run();
}
