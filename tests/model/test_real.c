/* SPDX-License-Identifier: MIT */
/* Facts of waits in real traces, found by hand in babeltrace2's text of them. */
#include "model/mdl_feed.h"

struct known {
	const char *folder; /* below the samples, or beside them */
	const char *row;
	int64_t time;
	const char *facts;
};

static const struct known waits[] = {
	/* Sleeps 5 ms: expires = 208891858161, softexpires = 208891808161 of CLOCK_MONOTONIC, whose 0 is
	   1795168802465556324 by the metadata. */
	{ "pulse/kernel", "532", 1795169011358362965,
		"timer 0xffffffff82f54b60 at 1795169011358359425 on 1 due 1795169011357414485-50000 armed by thread 532 1795169011352370935" },
	{ "pulse/kernel", "532", 1795169011485357455,
		"timer 0xffffffff82f54b60 at 1795169011485355455 on 1 due 1795169011485257375-50000 armed by thread 532 1795169011480210065" },
	/* A futex: both system calls have uaddr = 4977504, with op = 128 and op = 129. A sleep, armed within
	 * clock_nanosleep. */
	{ "lockfight/kernel", "471", 1795168994037947225,
		"futex 0x4bf360 by wake from thread 471 1795168994030263915 to thread 473 1795168994037925505" },
	{ "lockfight/kernel", "471", 1795168994050449925,
		"timer 0xffffffff82f54b60 at 1795168994050397085 on 1 due 1795168994046454145-50000 armed by thread 471 1795168994046205185" },
	/* The client sends a request, sleeps, and another host answers. */
	{ "rpc-chain/client", "572", 1795169151222171364,
		"packet 7000>52978#697983221 on eth1 at 1795169151221980666 sent by -" },
	{ "rpc-chain/client", "572", 1795169151227859212,
		"timer 0xffffffff99354b60 at 1795169151227854966 on 0 due 1795169151226759327-50000 armed by thread 572 1795169151224711390" },
	/* The server's 's': a timer; its query to the data base, answered through eth2. */
	{ "rpc-chain/httpd", "492", 1795169476177766890,
		"timer 0xffffffffa8154b60 at 1795169476177759520 on 1 due 1795169476177677302-50000 armed by thread 492 1795169476167629902" },
	{ "rpc-chain/httpd", "492", 1795169476222921780,
		"packet 7000>49108#1333961072 on eth2 at 1795169476222789122 sent by -" },
	/* Two packets at once: the first was an acknowledgement. */
	{ "rpc-chain/httpd", "339", 1795169470687178845,
		"packet 42408>22#85248002 on eth0 at 1795169470686860946 sent by - perhaps" },
	/* Over the loopback: client and server, and the server's 's'. */
	{ "rpc-loopback/kernel", "595", 1795169029018071375,
		"packet 7000>52816#3767766972 on lo at 1795169029017892225 sent by thread 583 1795169029017802275" },
	{ "rpc-loopback/kernel", "595", 1795169029035308325,
		"packet 7000>52816#3767766973 on lo at 1795169029035089155 sent by thread 583 1795169029034985345" },
	{ "rpc-loopback/kernel", "583", 1795169029034105235,
		"timer 0xffffffff82f54b60 at 1795169029034091285 on 1 due 1795169029033683175-50000 armed by thread 583 1795169029023636495" },
	/* SIGCHLD, with a time-out that was not needed; a shell. */
	{ "django/db", "377", 1795169497400713988,
		"timer 0xffffffff84d54b60 perhaps not needed armed by thread 377 1795169496948258351, "
		"signal 17 by thread 730 1795169497400769629 inferred" },
	{ "django/db", "714", 1795169489720133614, "signal 17 by thread 715 1795169489720174805 inferred" },
	/* SIGCHLD is sent before the parent is woken, which waits for its child, not for the signal. */
	{ "ioburst-ipi/kernel", "947", 1795169156802955530,
		"arrived 1795169156803164210 on 1 in ipi251:call_function_single/1795169156803146800" },
	{ "ioburst-ipi/kernel", "947", 1795169157126118020,
		"arrived 1795169157126355790 on 1 in ipi251:call_function_single/1795169157126279770" },
	/* A POSIX timer armed before the trace; a kworker that executes an item queued before the first
	 * switch of its CPU. */
	{ "apt-install/kernel", "422", 1795169166849937795,
		"timer 0xffffffff82f5f450 at 1795169166849915375 armed by -, "
		"signal 47 by hrtimer-2097810352 1795169166849980015, "
		"arrived 1795169166849989625 on 0 in ipi251:call_function_single/1795169166849976585" },
	{ "apt-install/kernel", "377", 1795169165937765445,
		"work 0xffffffffc0a01500 since 1795169165937759545 queued by "
		"thread 377 1795169165929648615, "
		"arrived 1795169165937787085 on 0 in ipi251:call_function_single/1795169165937782735" },
};

static void test_waits(void)
{
	struct mdl_feed *f = NULL;
	unsigned tested = 0;
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(waits); i++) {
		bool is_new = i == 0 || !g_str_equal(waits[i].folder, waits[i - 1].folder);

		if (is_new) {
			if (f)
				mdl_feed_free(f);
			f = mdl_feed_new_sample(waits[i].folder);
		}
		if (!f)
			continue;
		g_test_message("%s %s %" G_GINT64_FORMAT, waits[i].folder, waits[i].row, waits[i].time);
		mdl_feed_expect_facts_at(f, waits[i].row, waits[i].time, waits[i].facts);
		tested++;
	}
	if (f)
		mdl_feed_free(f);
	g_assert_cmpuint(tested, >=, 8); /* the samples of the project */
}

/* All 20 sleeps of wk-pulse ended by a timer of its own, which expires 5 to 25 ms after it was armed. */
static void test_sleeps(void)
{
	struct mdl_feed *f = mdl_feed_new_sample("pulse/kernel");
	unsigned sleeps = 0;

	for (guint i = 0; i < mdl_feed_wakeup_count(f, "532"); i++) {
		const struct mdl_wakeup *w = mdl_feed_wakeup(f, "532", i);
		const struct mdl_cause *cause = mdl_feed_cause(f, w->cause);
		const struct mdl_timer *timer = cause ? &cause->facts.timer : NULL;

		if (!cause || !(cause->facts.has & MDL_FACT_TIMER) || !timer->expired)
			continue;
		g_assert_cmpint(timer->armed.context, ==, MDL_NONE);
		g_assert_cmpint(timer->armed.time, <=, w->since);
		g_assert_cmpint(timer->expired_at - timer->armed.time, >=, 5000000);
		g_assert_cmpint(timer->expired_at - timer->armed.time, <=, 25000000);
		g_assert_cmpint(timer->expired_at, <=, w->time);
		sleeps++;
	}
	g_assert_cmpuint(sleeps, ==, 20);
	mdl_feed_free(f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/real/waits", test_waits);
	g_test_add_func("/real/sleeps", test_sleeps);
	return g_test_run();
}
