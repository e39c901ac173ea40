/* SPDX-License-Identifier: MIT */
/* Threads that spin until other CPUs have taken an IPI (proofs.md R27): events of arm64, and of one CPU alone. */
#include "model/mdl_feed.h"

/* Thread 10 runs on CPU 0, in a call. 11 and 12 run on CPUs 1 and 2, and are not the first ones there. */
#define BEGIN                                                                                     \
	"100 0 switch 0 0 10 idle a", "101 1 switch 0 0 11 idle b", "102 2 switch 0 0 12 idle c", \
		"103 1 ipi Function_call", "104 1 ipiret Function_call", "110 0 sys munmap"
#define END "900 0 sysret munmap", "901 1 sys read", "902 2 sys read", NULL
#define TAKE(from, to, cpu) #from " " #cpu " ipi Function_call", #to " " #cpu " ipiret Function_call"

static void expect(const char *const *events, const char *waits)
{
	struct mdl_feed *f = mdl_feed_new("6.1.0-50-arm64", events);

	mdl_feed_expect_ipi_waits(f, waits);
	mdl_feed_free(f);
}

/* Before Linux 6.4 only ipi_raise records IPIs: to several CPUs, for function calls. */
static void test_raise(void)
{
	static const char *const several[] = { BEGIN, "200 0 sendipi - 6 Function_call", TAKE(210, 220, 2),
		TAKE(230, 240, 1), END };
	static const char *const one[] = { BEGIN, "200 0 sendipi - 2 Function_call", TAKE(230, 240, 1), END };
	static const char *const other[] = { BEGIN, "200 0 sendipi - 6 Timer_broadcast", TAKE(210, 220, 2),
		TAKE(230, 240, 1), END };
	static const char *const inside[] = { BEGIN, "200 0 sendipi - 6 Function_call", TAKE(210, 220, 2),
		"230 1 ipi Rescheduling", "240 1 ipiret Rescheduling", END };

	expect(several, "10: 200-240 on 0 for 6 last 1 in 230");
	expect(one, "");
	expect(other, "");
	expect(inside, "");
}

/* Since then ipi_raise repeats the record of ipi_send_cpumask. */
static void test_twice(void)
{
	static const char *const events[] = { BEGIN, "200 0 sendipi - 6 - 4096",
		"201 0 sendipi - 6 Function_call", TAKE(210, 220, 2), TAKE(230, 240, 1), END };

	expect(events, "10: 200-240 on 0 for 6 last 1 in 230");
}

/* To one CPU: only from a caller that has sent to several before. */
static void test_one(void)
{
	static const char *const events[] = { BEGIN, "190 0 sendipi 1 - - 4096", TAKE(191, 192, 1),
		"200 0 sendipi - 6 - 4096", TAKE(210, 220, 2), TAKE(230, 240, 1), "300 0 sendipi 2 - - 4096",
		TAKE(310, 320, 2), "400 0 sendipi 2 - - 8192", TAKE(410, 420, 2), "500 0 sendipi 2",
		TAKE(510, 520, 2), END };

	expect(events, "10: 200-240 on 0 for 6 last 1 in 230?, 10: 300-320 on 0 for 4 last 2 in 310?");
}

/* Two threads wait for each other's CPU, and each takes the other's IPI while spinning. */
static void test_both(void)
{
	static const char *const events[] = { BEGIN, "111 1 sys munmap", "200 0 sendipi - 6 - 4096",
		"201 1 sendipi - 5 - 4096", TAKE(210, 220, 1), TAKE(230, 240, 0), TAKE(250, 260, 2), END };

	expect(events, "11: 201-260 on 1 for 5 last 2 in 250, 10: 200-260 on 0 for 6 last 2 in 250");
}

/* Lost events of a target CPU or of the sender's CPU matter; those of a CPU that has taken the IPI do not. */
static void test_lost(void)
{
	static const char *const waited[] = { BEGIN, "200 0 sendipi - 6 - 4096", TAKE(210, 220, 2),
		"221 1 gap", "229 1 gapend 221", TAKE(230, 240, 1), END };
	static const char *const sender[] = { BEGIN, "200 0 sendipi - 6 - 4096", TAKE(210, 220, 2),
		"221 0 gap", "229 0 gapend 221", TAKE(230, 240, 1), END };
	static const char *const taken[] = { BEGIN, "200 0 sendipi - 6 - 4096", TAKE(210, 220, 2),
		"221 2 gap", "229 2 gapend 221", TAKE(230, 240, 1), END };

	expect(waited, "");
	expect(sender, "");
	expect(taken, "10: 200-240 on 0 for 6 last 1 in 230");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/ipiwait/raise", test_raise);
	g_test_add_func("/ipiwait/twice", test_twice);
	g_test_add_func("/ipiwait/one", test_one);
	g_test_add_func("/ipiwait/both", test_both);
	g_test_add_func("/ipiwait/lost", test_lost);
	return g_test_run();
}
