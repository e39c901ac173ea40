/* SPDX-License-Identifier: MIT */
/* The steps of requests of block devices: queue, flush of the device's cache, device, return to the
 * submitter. */
#include "model/mdl_feed.h"

/* A trace in which thread 10 runs on CPU 0, then waits; MIDDLE happens; the interrupt ends the wait. */
#define BEGIN "100 0 switch 0 0 10 idle a"
#define SLEEP(time) #time " 0 switch 10 2 0 a idle"
#define IRQ(time) #time " 0 irq 5 nvme0q1"
#define WAKE(time) #time " 0 waking 10 0"
#define END "900 0 switch 0 0 10 idle a", NULL

static void expect_of(const char *row, const char *const *events, const char *steps, const char *facts)
{
	struct mdl_feed *f = mdl_feed_new("6.1.0-50-amd64", events);

	mdl_feed_expect_steps(f, row, steps);
	mdl_feed_expect_facts(f, row, facts);
	mdl_feed_free(f);
}

static void expect(const char *const *events, const char *steps, const char *facts)
{
	expect_of("10", events, steps, facts);
}

/*
 * As jbd2's commit in apt-install at 06.200874695, and that of django/db, whose block events are
 *
 *	43.284194807 block_bio_queue sector 4467160 +8 WRITE|SYNC|META|FUA|PREFLUSH jbd2/vda-8
 *	43.284319960 block_rq_issue sector 0 +0 FLUSH|PREFLUSH kworker/0:2H
 *	43.284384564 block_rq_complete sector -1 +0
 *	43.284500814 block_rq_issue sector 4467160 +8 WRITE|SYNC|META kworker/0:2H
 *	43.284560711 block_rq_complete sector 4467160 +8
 *	43.284735607 block_rq_issue sector 0 +0 FLUSH|PREFLUSH kworker/0:2H
 *	43.284814622 block_rq_complete sector -1 +0
 *	43.284821482 block_rq_complete sector 4467160 +0 WRITE|SYNC|META
 */
static void test_sequence(void)
{
	static const char *const events[] = { BEGIN, "110 0 bio 1 800 8 1633", "111 0 get 1 800 8 1633",
		"112 0 switch 10 2 30", "113 0 issue 1 0 0 1280 0", "114 0 switch 30 1 0", IRQ(120),
		"121 0 complete 1 -1 0 1280", "122 0 irqret 5", "130 0 switch 0 0 30",
		"131 0 issue 1 800 8 97 4096", "132 0 switch 30 1 0", IRQ(140), "141 0 complete 1 800 8 97",
		"142 0 irqret 5", "150 0 switch 0 0 30", "151 0 issue 1 0 0 1280 0", "152 0 switch 30 1 0",
		IRQ(200), "209 0 complete 1 -1 0 1280", "210 0 complete 1 800 0 97", WAKE(220), END };

	expect(events, "110 queue 113 flush-before 121 queue 131 device 141 queue 151 flush-after 210",
		"write 1 800+4096 queued 110 issued 131 done 210 by thread 10 110 issuer thread 30 131");
}

/* The device decides which flushes there are. */
static void test_policies(void)
{
	static const char *const fua_alone[] = { /* no flush before, one after, as the device has no FUA */
		BEGIN, "110 0 bio 1 800 8 545", "111 0 get 1 800 8 545", "113 0 issue 1 800 8 33 4096",
		SLEEP(120), IRQ(140), "141 0 complete 1 800 8 33", "142 0 irqret 5", "150 0 switch 0 0 30",
		"151 0 issue 1 0 0 1280 0", "152 0 switch 30 1 0", IRQ(200), "209 0 complete 1 -1 0 1280",
		"210 0 complete 1 800 0 33", WAKE(220), END
	};
	static const char *const knows_fua[] = { /* completed twice at once: mq_flush_data_end_io() */
		BEGIN, "110 0 bio 1 800 8 1569", "111 0 get 1 800 8 1569", "113 0 issue 1 0 0 1280 0",
		SLEEP(120), IRQ(130), "131 0 complete 1 -1 0 1280", "132 0 irqret 5", "140 0 switch 0 0 30",
		"141 0 issue 1 800 8 545 4096", "142 0 switch 30 1 0", IRQ(200), "208 0 complete 1 800 8 545",
		"210 0 complete 1 800 0 545", WAKE(220), END
	};
	static const char *const no_cache[] = { /* a write like any other */
		BEGIN, "110 0 bio 1 800 8 1569", "111 0 get 1 800 8 1569", "113 0 issue 1 800 8 33 4096",
		SLEEP(120), IRQ(200), "210 0 complete 1 800 8 33", WAKE(220), END
	};
	static const char *const no_cache_no_data[] = { /* it ends where it is submitted; a flush of another
							   disk does not matter */
		BEGIN, "101 0 issue 2 0 0 1280 0", "105 0 bio 1 0 0 1057", "106 0 get 1 0 0 1057", SLEEP(107),
		IRQ(200), "205 0 complete 2 -1 0 1280", "210 0 complete 1 0 0 33", WAKE(220), END
	};

	expect(fua_alone, "110 queue 113 device 141 queue 151 flush-after 210",
		"write 1 800+4096 queued 110 issued 113 done 210 by thread 10 110");
	expect(knows_fua, "110 queue 113 flush-before 131 queue 141 device 210",
		"write 1 800+4096 queued 110 issued 141 done 210 by thread 10 110 issuer thread 30 141");
	expect(no_cache, "110 queue 113 device 210",
		"write 1 800+4096 queued 110 issued 113 done 210 by thread 10 110");
	expect(no_cache_no_data, "105 queue 210", "flush 1 -+0 queued 105 done 210 by thread 10 105");
}

/* As postgres in django/db at 37.652415906. */
static void test_no_data(void)
{
	static const char *const events[] = { BEGIN, "110 0 bio 1 0 0 1057", "111 0 get 1 0 0 1057",
		"112 0 switch 10 2 30", "113 0 issue 1 0 0 1280 0", "114 0 switch 30 1 0", IRQ(200),
		"209 0 complete 1 -1 0 1280", "210 0 complete 1 0 0 33", WAKE(220), END };
	static const char *const nowhere[] = { /* like a bio without a position */
		BEGIN, "110 0 bio 1 -1 0 1057", "111 0 get 1 -1 0 1057", "113 0 issue 1 0 0 1280 0",
		SLEEP(120), IRQ(200), "209 0 complete 1 -1 0 1280", "210 0 complete 1 -1 0 33", WAKE(220), END
	};

	expect(events, "110 queue 113 flush-before 210",
		"flush 1 -+0 queued 110 issued 113 done 210 by thread 10 110 issuer thread 30 113");
	expect(nowhere, "110 queue 113 flush-before 210",
		"flush 1 -+0 queued 110 issued 113 done 210 by thread 10 110");
}

#define TWO \
	"90 1 switch 0 0 11", BEGIN, "110 0 bio 1 0 0 1057", "111 0 get 1 0 0 1057", "112 0 switch 10 2 30"

/* One flush serves all requests that were pending when it was issued. Which of the two completions belongs to
 * which is not recorded. */
static void test_shared(void)
{
	static const char *const both[] = { TWO, "113 1 bio 1 0 0 1057", "114 1 get 1 0 0 1057",
		"115 1 switch 11 2 0", "120 0 issue 1 0 0 1280 0", "121 0 switch 30 1 0", IRQ(200),
		"209 0 complete 1 -1 0 1280", "210 0 complete 1 0 0 33", WAKE(212), "215 0 complete 1 0 0 33",
		"216 0 waking 11 1", "220 0 irqret 5", END };

	expect(both, "110 queue 120 flush-before 210",
		"inferred flush 1 -+0 queued 110 issued 120 done 210 by thread 10 110 issuer thread 30 120");
	expect_of("11", both, "113 queue 120 flush-before 215",
		"inferred flush 1 -+0 queued 113 issued 120 done 215 by thread 11 113 issuer thread 30 120");
}

/* A request that comes after a flush was issued waits for the next flush. */
static void test_next(void)
{
	static const char *const events[] = { TWO, "120 0 issue 1 0 0 1280 0", "121 0 switch 30 1 0",
		"130 1 bio 1 0 0 1057", "131 1 get 1 0 0 1057", "132 1 switch 11 2 0", IRQ(200),
		"209 0 complete 1 -1 0 1280", "210 0 complete 1 0 0 33", WAKE(212), "220 0 irqret 5",
		"230 0 switch 0 0 30", "231 0 issue 1 0 0 1280 0", "232 0 switch 30 1 0", IRQ(300),
		"309 0 complete 1 -1 0 1280", "310 0 complete 1 0 0 33", "316 0 waking 11 1",
		"320 0 irqret 5", END };

	expect(events, "110 queue 120 flush-before 210",
		"flush 1 -+0 queued 110 issued 120 done 210 by thread 10 110 issuer thread 30 120");
	expect_of("11", events, "130 queue 231 flush-before 310",
		"flush 1 -+0 queued 130 issued 231 done 310 by thread 11 130 issuer thread 30 231");
}

/* A write with data after two possible flushes: the second one, only inferred. */
static void test_two_before(void)
{
	static const char *const events[] = { BEGIN, "110 0 bio 1 800 8 1057", "111 0 get 1 800 8 1057",
		SLEEP(112), "113 0 issue 1 0 0 1280 0", IRQ(120), "121 0 complete 1 -1 0 1280",
		"122 0 irqret 5", "123 0 issue 1 0 0 1280 0", IRQ(130), "131 0 complete 1 -1 0 1280",
		"132 0 irqret 5", "140 0 issue 1 800 8 33 4096", IRQ(200), "209 0 complete 1 800 8 33",
		"210 0 complete 1 800 0 33", WAKE(220), END };
	static const char *const other_disk[] = { BEGIN, "110 0 bio 1 800 8 1057", "111 0 get 1 800 8 1057",
		SLEEP(112), "113 0 issue 1 0 0 1280 0", "114 0 issue 2 0 0 1280 0", IRQ(120),
		"121 0 complete 1 -1 0 1280", "123 0 complete 2 -1 0 1280", "124 0 irqret 5",
		"140 0 issue 1 800 8 33 4096", IRQ(200), "209 0 complete 1 800 8 33",
		"210 0 complete 1 800 0 33", WAKE(220), END };
	/* Two hardware queues: it is unknown which completion belongs to which request. */
	static const char *const at_once[] = { BEGIN, "105 0 issue 1 0 0 1280 0", "110 0 bio 1 800 8 1057",
		"111 0 get 1 800 8 1057", SLEEP(112), "113 0 issue 1 0 0 1280 0", IRQ(120),
		"121 0 complete 1 -1 0 1280", "123 0 complete 1 -1 0 1280", "124 0 irqret 5",
		"140 0 issue 1 800 8 33 4096", IRQ(200), "209 0 complete 1 800 8 33",
		"210 0 complete 1 800 0 33", WAKE(220), END };

	expect(events, "110 queue? 123 flush-before? 131 queue 140 device 210",
		"inferred write 1 800+4096 queued 110 issued 140 done 210 by thread 10 110 issuer thread idle0 140");
	expect(other_disk, "110 queue 113 flush-before 121 queue 140 device 210",
		"write 1 800+4096 queued 110 issued 140 done 210 by thread 10 110 issuer thread idle0 140");
	expect(at_once, "110 queue? 113 flush-before? 123 queue 140 device 210",
		"inferred write 1 800+4096 queued 110 issued 140 done 210 by thread 10 110 issuer thread idle0 140");
}

/* A write through the cache ended without a second completion, as no flush was needed: it does not affect a
 * later fsync(). */
static void test_sector_0(void)
{
	static const char *const events[] = { BEGIN, "101 0 bio 1 0 8 545", "102 0 get 1 0 8 545",
		"103 0 issue 1 0 8 545 4096", IRQ(105), "106 0 complete 1 0 8 545", "107 0 irqret 5",
		"110 0 bio 1 0 0 1057", "111 0 get 1 0 0 1057", SLEEP(112), "113 0 issue 1 0 0 1280 0",
		IRQ(200), "209 0 complete 1 -1 0 1280", "210 0 complete 1 0 0 33", WAKE(220), END };
	static const char *const either[] = { /* both wait for that flush, and both begin at sector 0 */
		BEGIN, "101 0 bio 1 0 8 545", "102 0 get 1 0 8 545", "103 0 issue 1 0 8 33 4096", IRQ(105),
		"106 0 complete 1 0 8 33", "107 0 irqret 5", "108 0 bio 1 0 0 1057", "109 0 get 1 0 0 1057",
		SLEEP(110), "113 0 issue 1 0 0 1280 0", IRQ(200), "209 0 complete 1 -1 0 1280",
		"210 0 complete 1 0 0 33", "215 0 complete 1 0 0 33", WAKE(220), END
	};

	expect(events, "110 queue 113 flush-before 210",
		"flush 1 -+0 queued 110 issued 113 done 210 by thread 10 110 issuer thread idle0 113");
	expect(either, "108 queue 113 flush-before 215",
		"inferred flush 1 -+0 queued 108 issued 113 done 215 by thread 10 108 issuer thread idle0 113");
}

/* Before Linux 4.8 the flush request was a write with the flag FLUSH, like the bio that asked for it. */
static void test_old(void)
{
	static const char *const data[] = { BEGIN, "110 0 bio 1 800 8 801", "111 0 get 1 800 8 801",
		"112 0 insert 1 800 8 801 4096", "113 0 issue 1 0 0 289 0", SLEEP(115), IRQ(120),
		"121 0 complete 1 -1 0 289", "122 0 issue 1 800 8 33 4096", "123 0 irqret 5", IRQ(140),
		"141 0 complete 1 800 8 33", "142 0 issue 1 0 0 289 0", "143 0 irqret 5", IRQ(200),
		"209 0 complete 1 -1 0 289", "210 0 complete 1 800 0 33", WAKE(220), END };
	static const char *const none[] = { BEGIN, "110 0 bio 1 0 0 289", "111 0 get 1 0 0 289",
		"113 0 issue 1 0 0 289 0", SLEEP(115), IRQ(200), "209 0 complete 1 -1 0 289",
		"210 0 complete 1 0 0 33", WAKE(220), END };

	expect(data, "110 queue 113 flush-before 121 queue 122 device 141 queue 142 flush-after 210",
		"write 1 800+4096 queued 110 inserted 112 issued 122 done 210 by thread 10 110 issuer irq5:nvme0q1 122");
	expect(none, "110 queue 113 flush-before 210",
		"flush 1 -+0 queued 110 issued 113 done 210 by thread 10 110");
}

static void test_requeued(void)
{
	static const char *const events[] = { BEGIN, "110 0 bio 1 800 8 4", "111 0 get 1 800 8 4",
		"112 0 issue 1 800 8 4 4096", "114 0 requeue 1 800 8 4", "116 0 issue 1 800 8 4 4096",
		SLEEP(120), IRQ(200), "210 0 complete 1 800 8 4", WAKE(220), END };
	static const char *const rest[] = { /* the first half was done */
		BEGIN, "110 0 bio 1 800 16 4", "111 0 get 1 800 16 4", "112 0 issue 1 800 16 4 8192",
		SLEEP(113), IRQ(120), "121 0 complete 1 800 8 4", "122 0 requeue 1 808 8 4", "123 0 irqret 5",
		"130 0 issue 1 808 8 4 4096", IRQ(200), "210 0 complete 1 808 8 4", WAKE(220), END
	};
	static const char *const flush[] = { BEGIN, "110 0 bio 1 0 0 1057", "111 0 get 1 0 0 1057",
		"113 0 issue 1 0 0 1280 0", "114 0 requeue 1 0 0 1280", "116 0 issue 1 0 0 1280 0",
		SLEEP(120), IRQ(200), "209 0 complete 1 -1 0 1280", "210 0 complete 1 0 0 33", WAKE(220),
		END };

	expect(events, "110 queue 112 device 114 requeue 116 device 210",
		"read 1 800+4096 queued 110 issued 116 done 210 by thread 10 110");
	expect(rest, "110 queue 112 device 122 requeue 130 device 210",
		"read 1 808+4096 queued 110 issued 130 done 210 by thread 10 110 issuer thread idle0 130");
	expect(flush, "110 queue 113 flush-before 114 requeue 116 flush-before 210",
		"flush 1 -+0 queued 110 issued 116 done 210 by thread 10 110");
}

/* Requeued more often than there is room for. */
static void test_requeued_often(void)
{
	GPtrArray *events = g_ptr_array_new_with_free_func(g_free);
	static const char *const first[] = { BEGIN, "110 0 bio 1 800 8 4", NULL };
	static const char *const last[] = { SLEEP(400), IRQ(500), "510 0 complete 1 800 8 4", WAKE(520),
		END };

	for (size_t i = 0; first[i]; i++)
		g_ptr_array_add(events, g_strdup(first[i]));
	for (int i = 0; i < 20; i++) {
		g_ptr_array_add(events, g_strdup_printf("%d 0 issue 1 800 8 4 4096", 120 + 10 * i));
		if (i < 19)
			g_ptr_array_add(events, g_strdup_printf("%d 0 requeue 1 800 8 4", 125 + 10 * i));
	}
	for (size_t i = 0; last[i]; i++)
		g_ptr_array_add(events, g_strdup(last[i]));
	g_ptr_array_add(events, NULL);
	expect((const char *const *)events->pdata,
		"110 queue 120 device 125 requeue? 270 device 275 requeue 280 device 285 requeue 290 device 295 requeue 300 device 305 "
		"requeue 310 device 510",
		"inferred read 1 800+4096 queued 110 issued 310 done 510 by thread 10 110");
	g_ptr_array_unref(events);
}

static void test_merged(void)
{
	static const char *const back_and_front[] = { BEGIN, "110 0 bio 1 800 8 1", "111 0 get 1 800 8 1",
		"112 0 bio 1 808 8 1", "113 0 merge 1 808 8 1", "114 0 bio 1 792 8 1",
		"115 0 merge 1 792 8 1", "116 0 issue 1 792 24 1 12288", SLEEP(120), IRQ(200),
		"210 0 complete 1 792 24 1", WAKE(220), END };
	static const char *const split[] = { BEGIN, "110 0 bio 1 800 16 1", "111 0 get 1 800 8 1",
		"112 0 issue 1 800 8 1 4096", "113 0 get 1 808 8 1", "114 0 issue 1 808 8 1 4096", SLEEP(120),
		IRQ(200), "205 0 complete 1 800 8 1", "210 0 complete 1 808 8 1", WAKE(220), END };

	expect(back_and_front, "110 queue 116 device 210",
		"write 1 792+12288 merged 2 queued 110 issued 116 done 210 by thread 10 110");
	expect(split, "110 queue 114 device 210",
		"write 1 808+4096 queued 110 issued 114 done 210 by thread 10 110");
}

/* Unrecorded steps are unknown. */
static void test_unseen(void)
{
	static const char *const no_issue[] = { BEGIN, "110 0 bio 1 800 16 4", "111 0 get 1 800 16 4",
		SLEEP(120), IRQ(200), "210 0 complete 1 800 16 4", WAKE(220), END };
	static const char *const no_issue_flush[] = { BEGIN, "110 0 bio 1 0 0 1057", "111 0 get 1 0 0 1057",
		SLEEP(120), IRQ(200), "209 0 complete 1 -1 0 1280", "210 0 complete 1 0 0 33", WAKE(220),
		END };
	static const char *const no_queue[] = { BEGIN, "118 0 issue 1 800 16 4 8192", SLEEP(120), IRQ(200),
		"210 0 complete 1 800 16 4", WAKE(220), END };

	expect(no_issue, "-", "read 1 800+8192 queued 110 done 210 by thread 10 110");
	expect(no_issue_flush, "-", "flush 1 -+0 queued 110 done 210 by thread 10 110");
	expect(no_queue, "118 device 210", "read 1 800+8192 issued 118 done 210 by - issuer thread 10 118");
}

/* Of two equal requests either may have been completed first, so either may be the second. */
static void test_doubles(void)
{
	static const char *const events[] = { BEGIN, "105 1 switch 0 0 20", "110 0 bio 1 800 8 4",
		"111 0 get 1 800 8 4", "112 0 issue 1 800 8 4 4096", "113 1 bio 1 800 8 4",
		"114 1 get 1 800 8 4", "115 1 issue 1 800 8 4 4096", SLEEP(120), IRQ(200),
		"205 0 complete 1 800 8 4", "210 0 complete 1 800 8 4", WAKE(220), END };

	expect(events, "113 queue 115 device 210",
		"inferred read 1 800+4096 queued 113 issued 115 done 210 by thread 20 113");
}

/* A stacked device, as device mapper: it flushes the lower device, then passes the data on. */
static void test_stacked(void)
{
	static const char *const events[] = { BEGIN, "110 0 bio 9 100 8 1569", "111 0 remap 1 0 0 1057 9 0",
		"112 0 bio 1 0 0 1057", "113 0 get 1 0 0 1057", "115 0 issue 1 0 0 1280 0", SLEEP(120),
		IRQ(130), "131 0 complete 1 -1 0 1280", "132 0 complete 1 0 0 33", "133 0 irqret 5",
		"140 0 remap 1 800 8 545 9 100", "141 0 bio 1 800 8 545", "142 0 get 1 800 8 545",
		"143 0 issue 1 800 8 545 4096", IRQ(200), "210 0 complete 1 800 8 545", WAKE(220), END };
	static const char *const read[] = { BEGIN, "110 0 bio 9 100 8 4", "113 0 remap 1 800 8 4 9 100",
		"114 0 bio 1 800 8 4", "115 0 get 1 800 8 4", "116 0 issue 1 800 8 4 4096", SLEEP(120),
		IRQ(200), "210 0 complete 1 800 8 4", WAKE(220), END };

	expect(events, "110 queue? 115 flush-before? 131 queue 143 device 210",
		"inferred write 1 800+4096 queued 110 issued 143 done 210 by thread 10 110 issuer thread idle0 143");
	expect(read, "110 queue 116 device 210",
		"read 1 800+4096 queued 110 issued 116 done 210 by thread 10 110");
}

/* Requests of real traces, from the lines of babeltrace2's text. */
static void expect_real(const char *folder, const char *row, int64_t time, const char *steps)
{
	struct mdl_feed *f = mdl_feed_new_sample(folder);

	if (!f) {
		g_test_skip("the trace is not at hand");
		return;
	}
	mdl_feed_expect_steps_at(f, row, time, steps);
	mdl_feed_free(f);
}

static void test_real_commit(void)
{
	expect_real("django/db", "146", 1795169503284825789, /* the lines above test_sequence() */
		"1795169503284194807 queue 1795169503284319960 flush-before 1795169503284384564 queue 1795169503284500814 "
		"device 1795169503284560711 queue 1795169503284735607 flush-after 1795169503284821482");
}

/*
 *	06.200874695 block_bio_queue 4465016 +8 rwbs 1633 jbd2/vda-8
 *	06.201023095 block_rq_issue 0 +0 rwbs 1280	06.201331155 block_rq_complete -1 +0
 *	06.201408865 block_rq_issue 4465016 +8 rwbs 97	06.201538405 block_rq_complete 4465016 +8
 *	06.201805165 block_rq_issue 0 +0 rwbs 1280	06.201857155 block_rq_complete -1 +0
 *	06.201862975 block_rq_complete 4465016 +0 rwbs 97
 *	06.201870565 sched_waking jbd2/vda-8
 */
static void test_real_commit_2(void)
{
	expect_real("apt-install/kernel", "160", 1795169166201870565,
		"1795169166200874695 queue 1795169166201023095 flush-before 1795169166201331155 queue 1795169166201408865 "
		"device 1795169166201538405 queue 1795169166201805165 flush-after 1795169166201862975");
}

/*
 *	06.689647215 block_bio_queue 0 +0 rwbs 1057 dpkg
 *	06.689784565 block_rq_issue 0 +0 rwbs 1280	06.690065085 block_rq_complete -1 +0
 *	06.690078545 block_rq_complete 0 +0 rwbs 33	06.690092775 sched_waking dpkg
 */
static void test_real_fsync(void)
{
	expect_real("apt-install/kernel", "1003", 1795169166690092775,
		"1795169166689647215 queue 1795169166689784565 flush-before 1795169166690078545");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/flush/sequence", test_sequence);
	g_test_add_func("/flush/policies", test_policies);
	g_test_add_func("/flush/no-data", test_no_data);
	g_test_add_func("/flush/shared", test_shared);
	g_test_add_func("/flush/next", test_next);
	g_test_add_func("/flush/two-before", test_two_before);
	g_test_add_func("/flush/sector-0", test_sector_0);
	g_test_add_func("/flush/old", test_old);
	g_test_add_func("/flush/requeued", test_requeued);
	g_test_add_func("/flush/requeued-often", test_requeued_often);
	g_test_add_func("/flush/merged", test_merged);
	g_test_add_func("/flush/unseen", test_unseen);
	g_test_add_func("/flush/doubles", test_doubles);
	g_test_add_func("/flush/stacked", test_stacked);
	g_test_add_func("/flush/real-commit", test_real_commit);
	g_test_add_func("/flush/real-commit-2", test_real_commit_2);
	g_test_add_func("/flush/real-fsync", test_real_fsync);
	return g_test_run();
}
