/* SPDX-License-Identifier: MIT */
/* Control groups of threads: moves of processes and of threads, births, execs, hierarchies. */
#include "model/mdl_feed.h"

#include "base/base_text.h"

static const char *cgroup_of(const struct mdl_feed *f, const char *row)
{
	return base_strings_get(mdl_machine_strings(mdl_feed_machine(f)), mdl_feed_row(f, row)->cgroup);
}

static struct mdl_feed *feed(const char *const *events)
{
	return mdl_feed_new("6.1.0-50-amd64", events);
}

/* WANTED: "ROW PATH, …", a row as of mdl_feed_row(); "-": unknown. */
static void expect(struct mdl_feed *f, const char *wanted)
{
	char **all = g_strsplit(wanted, ", ", -1);

	for (char **one = all; *one; one++) {
		char **words = g_strsplit(*one, " ", 2);
		const char *path = cgroup_of(f, words[0]);
		char *found = g_strdup_printf("%s %s", words[0], *path ? path : "-");

		g_assert_cmpstr(found, ==, *one);
		g_free(found);
		g_strfreev(words);
	}
	g_strfreev(all);
	mdl_feed_free(f);
}

/* A write to cgroup.procs moves all threads of a process, whether known yet or not, and no others; the last
 * write counts. */
static void test_process(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 fork 10 10 11 10",
		"115 0 wakeup_new 11 0", "120 0 cgroup 10 0 /a", "130 0 fork 10 10 12 10",
		"135 0 fork 10 10 13 13", "140 0 cgroup 10 0 /b", "150 0 fork 10 10 14 14",
		"160 0 cgroup 20 0 /c", "165 0 dump 21 20 1 5 0 0 late", "200 0 none", NULL };

	expect(feed(events), "10 /b, 11 /b, 12 /b, 13 /a, 14 /b, 20 /c, 21 /c");
}

/* A single thread moves: by cgroup_transfer_tasks, as in a sample, and if the event names a thread that is
 * not the leader. */
static void test_thread(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 fork 10 10 11 10",
		"115 0 fork 10 10 12 10", "120 0 cgroup 10 0 /a", "130 0 cgroup 11 0 /a/x",
		"140 0 cgroup_thread 10 0 /a/y one", "150 0 fork 11 10 13 10", "200 0 none", NULL };
	static const char *const again[] = { "100 0 switch 0 0 10", "110 0 fork 10 10 11 10",
		"120 0 cgroup 11 0 /x", "130 0 cgroup 10 0 /a", "200 0 none", NULL };

	expect(feed(events), "10 /a/y, 11 /a/x, 12 /a, 13 /a/x");
	expect(feed(again), "10 /a, 11 /a");
}

/* cgroup v1 has several hierarchies: the one with the lowest number counts, whatever its order. */
static void test_hierarchies(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 cgroup 10 4 /memory",
		"120 0 cgroup 10 2 /cpu", "130 0 cgroup 10 3 /blkio", "140 0 fork 10 10 11 11",
		"150 0 cgroup 11 1 /first", "160 0 cgroup 20 -1 /odd", "170 0 cgroup 20 7 /seven",
		"180 0 cgroup_thread 21 0 /two one", "190 0 cgroup 21 1 /later", "200 0 none", NULL };

	expect(feed(events), "10 /cpu, 11 /first, 20 /seven, 21 /two");
}

/* A reused TID is another process. A thread that execs in place of the leader keeps its cgroup. */
static void test_lives(void)
{
	static const char *const events[] = { "100 0 switch 0 0 5", "110 0 fork 5 5 10 10",
		"120 0 cgroup 10 0 /old", "130 0 exit 10", "140 0 fork 5 5 10 10", "150 0 fork 5 5 30 30",
		"160 0 fork 30 30 31 30", "165 0 wakeup_new 31 1", "170 0 cgroup 30 0 /all",
		"175 1 switch 0 0 31", "180 1 exec 30 31 /bin/x", "190 1 fork 30 30 32 30", "200 0 none",
		NULL };
	struct mdl_feed *f = feed(events);

	g_assert_cmpstr(cgroup_of(f, "10"), ==, "/old");
	expect(f, "10#2 -, 30#2 /all, 32 /all, 5 -");
}

/* Odd values in this event do no harm: idle threads, no text, numbers without a thread, characters that no
 * path has. */
static void test_hostile(void)
{
	static const char *const events[] = { "100 0 switch 0 0 10", "110 0 cgroup 0 0 /idle",
		"120 0 cgroup -5 0 /none", "130 0 cgroup 10 0 -", "135 0 cgroup 99999999 0 /far",
		"140 0 cgroup 10 5000000000 /a\033[2J", "200 0 none", NULL };

	expect(feed(events), "10 /a\357\277\275[2J");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cgroup/process", test_process);
	g_test_add_func("/cgroup/thread", test_thread);
	g_test_add_func("/cgroup/hierarchies", test_hierarchies);
	g_test_add_func("/cgroup/lives", test_lives);
	g_test_add_func("/cgroup/hostile", test_hostile);
	return g_test_run();
}
