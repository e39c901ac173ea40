/* SPDX-License-Identifier: MIT */
/* Requests of block devices: the request a wait was for, and its steps. */
#include "model/block/block.h"
#include "model/mdl_feed.h"
#include "model/block/range.h"

/* A trace in which thread 10 runs on CPU 0, then waits; MIDDLE happens; the interrupt ends the wait. */
#define BEGIN "0 0 allseen", "100 0 switch 0 0 10 idle a"
#define SLEEP(time) #time " 0 switch 10 2 0 a idle"
#define IRQ(time) #time " 0 irq 5 nvme0q1"
#define WAKE(time) #time " 0 waking 10 0"
#define END "900 0 switch 0 0 10 idle a", NULL

static void expect(const char *const *events, const char *facts)
{
	struct mdl_feed *f = mdl_feed_new("6.1.0-50-amd64", events);

	mdl_feed_expect_facts(f, "10", facts);
	mdl_feed_free(f);
}

static void test_life(void)
{
	static const char *const events[] = { BEGIN, "110 0 bio 1 800 16 33", "111 0 get 1 800 16 33",
		"112 0 insert 1 800 16 33 8192", "115 1 switch 0 0 20", "118 1 issue 1 800 16 33 8192",
		SLEEP(120), IRQ(200), "210 0 complete 1 800 16 33", WAKE(220), "230 0 irqret 5", END };

	expect(events,
		"write 1 800+8192 queued 110 inserted 112 issued 118 done 210 by thread 10 110 issuer thread 20 118");
}

/* A completion context may do more than complete, so a wake-up behind the completion may have another cause:
 * some drivers' handlers, an IPI that completes (before Linux 5.12), an idle thread that polls. If each call
 * (csd) is recorded, the one that completed the request is known. */
static void test_behind(void)
{
#define ISSUED BEGIN, "118 0 issue 1 800 16 4 8192", SLEEP(120)
#define CALL "200 0 vector 251 call_function_single"
	static const char *const ipi[] = { ISSUED, CALL, "210 0 complete 1 800 16 4", WAKE(220), END };
	static const char *const line[] = { ISSUED, "200 0 irq 5 IPI", "210 0 complete 1 800 16 4", WAKE(220),
		END };
	static const char *const external[] = { ISSUED, "200 0 irq 5 EXT", "210 0 complete 1 800 16 4",
		WAKE(220), END };
	static const char *const others[] = { ISSUED, "200 0 irq 5 mpt3sas0-msix0",
		"210 0 complete 1 800 16 4", WAKE(220), END };
	static const char *const unknown[] = { ISSUED, "200 0 irq 5 qla2xxx", "210 0 complete 1 800 16 4",
		WAKE(220), END };
	static const char *const ata[] = { ISSUED, "200 0 irq 5 ata_piix", "210 0 complete 1 800 16 4",
		WAKE(220), END };
	static const char *const errors[] = { BEGIN, "118 0 issue 1 800 16 4 8192",
		"120 0 switch 10 1 0 scsi_eh_1 idle", "200 0 irq 5 ata_piix", "210 0 complete 1 800 16 4",
		WAKE(220), "900 0 switch 0 0 10 idle scsi_eh_1", NULL };
	static const char *const virtio[] = { ISSUED, "200 0 irq 5 virtio2-req.0",
		"210 0 complete 1 800 16 4", WAKE(220), END };
	static const char *const polls[] = { ISSUED, "210 0 complete 1 800 16 4", WAKE(220), END };
	static const char *const called[] = { ISSUED, "150 1 csd 0x77 0", CALL, "205 0 csdcall 0x77",
		"210 0 complete 1 800 16 4", WAKE(220), "230 0 csdret 0x77", END };
	static const char *const behind[] = { ISSUED, "150 1 csd 0x77 0", CALL, "205 0 csdcall 0x77",
		"210 0 complete 1 800 16 4", "215 0 csdret 0x77", WAKE(220), END };
	static const char *const next[] = { ISSUED, "150 1 csd 0x77 0", CALL, "205 0 csdcall 0x88",
		"210 0 complete 1 800 16 4", "216 0 csdcall 0x77", WAKE(220), "230 0 csdret 0x77", END };
	static const char inferred[] =
		"inferred read 1 800+8192 issued 118 done 210 by - issuer thread 10 118";

	expect(ipi, inferred);
	expect(line, inferred);
	expect(external, inferred);
	expect(polls, inferred);
	expect(others, inferred);  /* also ends commands of ioctl() */
	expect(unknown, inferred); /* also serves its mailbox */
	expect(errors, inferred);  /* of another port */
	expect(ata, "read 1 800+8192 issued 118 done 210 by - issuer thread 10 118");
	expect(virtio, "read 1 800+8192 issued 118 done 210 by - issuer thread 10 118");
	expect(called, "read 1 800+8192 issued 118 done 210 by - issuer thread 10 118");
	expect(behind, "-");
	expect(next, "-");
}

/* Unrecorded steps are unknown; the completion alone still proves the request of the wait. */
static void test_parts_missing(void)
{
	static const char *const no_bio[] = { BEGIN, "111 0 get 1 800 16 4", "118 0 issue 1 800 16 4 8192",
		SLEEP(120), IRQ(200), "210 0 complete 1 800 16 4", WAKE(220), END };
	static const char *const no_get[] = { BEGIN, "110 0 bio 1 800 16 4", "118 0 issue 1 800 16 4 8192",
		SLEEP(120), IRQ(200), "210 0 complete 1 800 16 4", WAKE(220), END };
	static const char *const issue_alone[] = { BEGIN, "118 0 issue 1 800 16 4 8192", SLEEP(120), IRQ(200),
		"210 0 complete 1 800 16 4", WAKE(220), END };
	static const char *const nothing[] = { BEGIN, SLEEP(120), IRQ(200), "210 0 complete 1 800 16 4",
		WAKE(220), END };
	static const char *const no_issue[] = { BEGIN, "110 0 bio 1 800 16 4", "111 0 get 1 800 16 4",
		SLEEP(120), IRQ(200), "210 0 complete 1 800 16 4", WAKE(220), END };

	expect(no_bio, "read 1 800+8192 queued 111 issued 118 done 210 by thread 10 111");
	expect(no_get, "read 1 800+8192 queued 110 issued 118 done 210 by thread 10 110");
	expect(issue_alone, "read 1 800+8192 issued 118 done 210 by - issuer thread 10 118");
	expect(nothing, "read 1 800+8192 done 210 by -");
	expect(no_issue, "read 1 800+8192 queued 110 done 210 by thread 10 110");
}

/* The wait is for the last request completed in the context of the wake-up. */
static void test_which(void)
{
	static const char *const two[] = { BEGIN, "110 0 bio 1 800 8 33", "111 0 get 1 800 8 33",
		"112 0 issue 1 800 8 33 4096", "113 0 bio 1 900 8 33", "114 0 get 1 900 8 33",
		"115 0 issue 1 900 8 33 4096", SLEEP(120), IRQ(200), "210 0 complete 1 900 8 33",
		"211 0 complete 1 800 8 33", WAKE(220), END };
	static const char *const other_context[] = { BEGIN, "110 0 bio 1 800 8 33", "111 0 get 1 800 8 33",
		"112 0 issue 1 800 8 33 4096", SLEEP(120), IRQ(200), "210 0 complete 1 800 8 33",
		"215 0 irqret 5", "216 0 irq 6 other", WAKE(220), END };
	static const char *const inner_context[] = { BEGIN, "110 0 bio 1 800 8 33", "111 0 get 1 800 8 33",
		"112 0 issue 1 800 8 33 4096", SLEEP(120), "200 0 softirq 4", "210 0 complete 1 800 8 33",
		"216 0 irq 6 other", WAKE(220), END };

	expect(two, "write 1 800+4096 queued 110 issued 112 done 211 by thread 10 110");
	expect(other_context, "-");
	expect(inner_context, "-");
}

/*
 * Thread 10 waits for a tag, or is throttled (writeback): its bio is no request yet, so the completed request
 * is not the one it waited for. Likewise thread 20 with a bio of another device.
 */
static void test_room(void)
{
	static const char *const own[] = { BEGIN, "105 1 bio 1 100 8 33", "106 1 get 1 100 8 33",
		"107 1 issue 1 100 8 33 4096", "110 0 bio 1 800 8 33", SLEEP(120), IRQ(200),
		"210 0 complete 1 100 8 33", WAKE(220), "230 0 irqret 5", "240 0 switch 0 0 10 idle a",
		"250 0 get 1 800 8 33", "260 0 issue 1 800 8 33 4096", "270 0 switch 10 2 0 a idle",
		"300 0 irq 5 nvme0q1", "310 0 complete 1 800 8 33", "320 0 waking 10 0", END };
	static const char *const other_device[] = { BEGIN, "105 1 bio 1 100 8 33", "106 1 get 1 100 8 33",
		"107 1 issue 1 100 8 33 4096", "110 0 bio 2 800 8 33", SLEEP(120), IRQ(200),
		"210 0 complete 1 100 8 33", WAKE(220), "230 0 irqret 5", END };
	static const char *const stacked[] = { "90 0 bio 2 0 8 33", BEGIN, "95 1 bio 1 100 8 33",
		"96 1 get 1 100 8 33", "97 1 issue 1 100 8 33 4096", "105 0 remap 1 800 8 33 2 0",
		"110 0 bio 1 800 8 33", SLEEP(120), IRQ(200), "210 0 complete 1 100 8 33", WAKE(220),
		"230 0 irqret 5", END };
	/* The exits of softirqs are not recorded: the interrupted thread queues the bio. */
	static const char *const behind_softirq[] = { "0 0 noexits", BEGIN, "95 1 bio 1 100 8 33",
		"96 1 get 1 100 8 33", "97 1 issue 1 100 8 33 4096", "105 0 softirq 7",
		"110 0 bio 1 800 8 33", SLEEP(120), IRQ(200), "210 0 complete 1 100 8 33", WAKE(220),
		"230 0 irqret 5", END };
	static const char *const in_softirq[] = { BEGIN, "95 1 bio 1 100 8 33", "96 1 get 1 100 8 33",
		"97 1 issue 1 100 8 33 4096", "105 0 softirq 7", "110 0 bio 1 800 8 33", "115 0 softirqret 7",
		SLEEP(120), IRQ(200), "210 0 complete 1 100 8 33", WAKE(220), "230 0 irqret 5", END };

	expect(own,
		"inferred write 1 100+4096 queued 105 issued 107 done 210 by thread - 105; "
		"write 1 800+4096 queued 110 issued 260 done 310 by thread 10 110");
	expect(other_device, "write 1 100+4096 queued 105 issued 107 done 210 by thread - 105");
	expect(stacked, "inferred write 1 100+4096 queued 95 issued 97 done 210 by thread - 95");
	expect(behind_softirq, "inferred write 1 100+4096 queued 95 issued 97 done 210 by thread - 95");
	expect(in_softirq, "write 1 100+4096 queued 95 issued 97 done 210 by thread - 95");
}

/* Bios are not recorded: a thread in uninterruptible sleep may wait for a tag. */
static void test_no_bios(void)
{
#define READ "105 1 insert 1 100 8 33 4096", "107 1 issue 1 100 8 33 4096"
	static const char *const uninterruptible[] = { "0 0 nobios", BEGIN, READ, SLEEP(120), IRQ(200),
		"210 0 complete 1 100 8 33", WAKE(220), "230 0 irqret 5", END };
	static const char *const interruptible[] = { "0 0 nobios", BEGIN, READ, "120 0 switch 10 1 0 a idle",
		IRQ(200), "210 0 complete 1 100 8 33", WAKE(220), "230 0 irqret 5", END };
	static const char *const recorded[] = { "0 0 nobios", "80 1 bio 2 100 8 33", BEGIN, READ, SLEEP(120),
		IRQ(200), "210 0 complete 1 100 8 33", WAKE(220), "230 0 irqret 5", END };

	expect(uninterruptible,
		"inferred write 1 100+4096 inserted 105 issued 107 done 210 by - issuer thread - 107");
	expect(interruptible, "write 1 100+4096 inserted 105 issued 107 done 210 by - issuer thread - 107");
	expect(recorded, "write 1 100+4096 inserted 105 issued 107 done 210 by - issuer thread - 107");
#undef READ
}

/* A driver's timer completes a request, as with a simulated device: threads wait for that. A timer that
 * expires later in the same softirq did not. */
static void test_timer(void)
{
	static const char *const ends[] = { BEGIN, "110 0 bio 1 800 8 33", "111 0 get 1 800 8 33",
		"112 0 issue 1 800 8 33 4096", "113 0 arm 80 7", SLEEP(120), "200 0 hrtimer 7 80",
		"210 0 complete 1 800 8 33", WAKE(220), "230 0 hrtimerret", END };
	static const char *const before[] = { BEGIN, "110 1 bio 1 800 8 33", "111 1 get 1 800 8 33",
		"112 1 issue 1 800 8 33 4096", "113 0 armwheel 90 9", SLEEP(120), "200 0 softirq 1",
		"201 0 wheel 91 8", "210 0 complete 1 800 8 33", "211 0 wheelret 91", "212 0 wheel 90 9",
		WAKE(220), "230 0 wheelret 90", END };

	expect(ends, "write 1 800+4096 queued 110 issued 112 done 210 by thread 10 110");
	expect(before,
		"timer 0x9 at 212 armed by thread 10 113, "
		"inferred write 1 800+4096 queued 110 issued 112 done 210 by thread - 110");
}

/* IRQ threads, kworkers and polling threads complete requests outside of interrupt contexts. Only an IRQ
 * thread does nothing else; for the others, a completion counts until the end of the system call or work
 * item. */
static void test_thread(void)
{
	static const char *const completing[] = { BEGIN, "110 0 bio 1 800 8 33", "111 0 get 1 800 8 33",
		"112 0 issue 1 800 8 33 4096", "120 0 switch 10 2 30 a irq/5-nvme0q1",
		"210 0 complete 1 800 8 33", WAKE(220), "230 0 switch 30 1 0", END };
	static const char *const other_thread[] = { BEGIN, "110 0 bio 1 800 8 33", "111 0 get 1 800 8 33",
		"112 0 issue 1 800 8 33 4096", "120 0 switch 10 2 30 a irq/5-nvme0q1",
		"210 0 complete 1 800 8 33", "215 0 switch 30 1 31", WAKE(220), END };
	static const char *const other_work[] = { BEGIN, "110 0 bio 1 800 8 33", "111 0 get 1 800 8 33",
		"112 0 issue 1 800 8 33 4096", "120 0 switch 10 2 30 a kworker/0:1", "200 0 work 77 5",
		"210 0 complete 1 800 8 33", "212 0 workret 77", "213 0 work 78 6", WAKE(220), END };
	static const char *const same_work[] = { BEGIN, "110 0 bio 1 800 8 33", "111 0 get 1 800 8 33",
		"112 0 issue 1 800 8 33 4096", "120 0 switch 10 2 30 a kworker/0:1", "200 0 work 77 5",
		"210 0 complete 1 800 8 33", WAKE(220), END };
	static const char *const others[] = { BEGIN, "110 0 bio 1 800 8 33", "111 0 get 1 800 8 33",
		"112 0 issue 1 800 8 33 4096", "120 0 switch 10 2 30 a irq/5-mmc0",
		"210 0 complete 1 800 8 33", WAKE(220), END };
	static const char *const poller[] = { BEGIN, "110 0 bio 1 800 8 33", "111 0 get 1 800 8 33",
		"112 0 issue 1 800 8 33 4096", "120 0 switch 10 2 30 a poller", "210 0 complete 1 800 8 33",
		WAKE(220), END };

	expect(completing, "write 1 800+4096 queued 110 issued 112 done 210 by thread 10 110");
	expect(others, "inferred write 1 800+4096 queued 110 issued 112 done 210 by thread 10 110");
	expect(other_thread, "-");
	expect(same_work,
		"work 0x5 since 200 queued by -, inferred write 1 800+4096 queued 110 issued 112 done 210 by thread 10 110");
	expect(poller, "inferred write 1 800+4096 queued 110 issued 112 done 210 by thread 10 110");
	expect(other_work, "work 0x6 since 213 queued by -");
}

static void test_merges(void)
{
	static const char *const back_and_front[] = { BEGIN, "110 0 bio 1 800 8 1", "111 0 get 1 800 8 1",
		"112 0 bio 1 808 8 1", "113 0 merge 1 808 8 1", "114 0 bio 1 792 8 1",
		"115 0 mergefront 1 792 8 1", "116 0 issue 1 792 24 1 12288", SLEEP(120), IRQ(200),
		"210 0 complete 1 792 24 1", WAKE(220), END };
	static const char *const unseen[] = { /* no merge events: a bio within the request is part of it */
		BEGIN, "110 0 bio 1 800 8 1", "111 0 get 1 800 8 1", "112 0 bio 1 808 8 1",
		"113 0 bio 1 792 8 1", "114 1 bio 1 824 8 1", "116 0 issue 1 792 24 1 12288", SLEEP(120),
		IRQ(200), "210 0 complete 1 792 24 1", WAKE(220), END
	};
	static const char *const requests[] = { /* two requests are merged, with and without the event */
		BEGIN, "110 0 bio 1 800 8 1", "111 0 get 1 800 8 1", "112 0 bio 1 808 8 1",
		"113 0 get 1 808 8 1", "114 0 bio 1 816 8 1", "115 0 get 1 816 8 1",
		"116 0 mergerq 1 808 8 1 4096", "117 0 issue 1 800 24 1 12288", SLEEP(120), IRQ(200),
		"210 0 complete 1 800 24 1", WAKE(220), END
	};

	static const char *const between[] = { /* it touches two requests, one of them full, as on 6.18 */
		BEGIN, "105 0 bio 1 800 8 1", "106 0 get 1 800 8 1", "107 0 bio 1 816 8 1",
		"108 0 get 1 816 8 1", "110 0 bio 1 808 8 1", "111 0 mergefront 1 808 8 1",
		"112 0 issue 1 800 8 1 4096", "113 0 issue 1 808 16 1 8192", SLEEP(120), IRQ(200),
		"208 0 complete 1 808 16 1", "210 0 complete 1 800 8 1", WAKE(220), END
	};

	expect(back_and_front, "write 1 792+12288 merged 2 queued 110 issued 116 done 210 by thread 10 110");
	expect(unseen, "write 1 792+12288 merged 2 queued 110 issued 116 done 210 by thread 10 110");
	expect(between, "write 1 800+4096 queued 105 issued 112 done 210 by thread 10 105");
	expect(requests, "write 1 800+12288 merged 2 queued 110 issued 117 done 210 by thread 10 110");
}

/* A bio too large for one request is split: each part is a request, queued by the thread of the bio. */
static void test_split(void)
{
	static const char *const events[] = { BEGIN, "110 0 bio 1 800 16 1", "111 0 get 1 800 8 1",
		"112 0 issue 1 800 8 1 4096", "113 0 get 1 808 8 1", "114 0 issue 1 808 8 1 4096", SLEEP(120),
		IRQ(200), "205 0 complete 1 800 8 1", "210 0 complete 1 808 8 1", WAKE(220), END };

	expect(events, "write 1 808+4096 queued 110 issued 114 done 210 by thread 10 110");
}

/* A request completed in pieces: each piece belongs to it. */
static void test_pieces(void)
{
	static const char *const events[] = { BEGIN, "110 0 bio 1 800 16 4", "111 0 get 1 800 16 4",
		"112 0 issue 1 800 16 4 8192", SLEEP(120), IRQ(200), "205 0 complete 1 800 8 4", WAKE(206),
		"207 0 irqret 5", "208 0 switch 0 0 10", "209 0 switch 10 2 0", IRQ(300),
		"305 0 complete 1 808 8 4", WAKE(306), "307 0 irqret 5", "308 0 switch 0 0 10",
		"309 0 switch 10 2 0", IRQ(400), "405 0 complete 1 808 8 4", WAKE(406), END };

	expect(events,
		"read 1 800+8192 queued 110 issued 112 done 205 by thread 10 110; "
		"read 1 800+8192 queued 110 issued 112 done 305 by thread 10 110; "
		"read 1 808+4096 done 405 by -");
}

static void test_requeue(void)
{
	static const char *const events[] = { BEGIN, "110 0 bio 1 800 8 4", "111 0 get 1 800 8 4",
		"112 0 issue 1 800 8 4 4096", "114 0 requeue 1 800 8 4", "116 0 issue 1 800 8 4 4096",
		SLEEP(120), IRQ(200), "210 0 complete 1 800 8 4", WAKE(220), END };

	expect(events, "read 1 800+4096 queued 110 issued 116 done 210 by thread 10 110");
}

/* As jbd2's commit in apt-install at 06.200874695: flush, data, flush, then the completion of the write
 * itself. */
static void test_sequence(void)
{
	static const char *const events[] = { BEGIN, "110 0 bio 1 800 8 1633", "111 0 get 1 800 8 1633",
		"112 0 switch 10 2 30", "113 0 issue 1 0 0 1280 0", "114 0 switch 30 1 0", IRQ(120),
		"121 0 complete 1 -1 0 1280", "122 0 irqret 5", "130 0 switch 0 0 30",
		"131 0 issue 1 800 8 97 4096", "132 0 switch 30 1 0", IRQ(140), "141 0 complete 1 800 8 97",
		"142 0 irqret 5", "150 0 switch 0 0 30", "151 0 issue 1 0 0 1280 0", "152 0 switch 30 1 0",
		IRQ(200), "209 0 complete 1 -1 0 1280", "210 0 complete 1 800 0 97", WAKE(220), END };

	expect(events,
		"write 1 800+4096 queued 110 issued 131 done 210 by thread 10 110 issuer thread 30 131");
}

/* As fsync of postgres in django/db at 37.652415906: a flush for a write without data. */
static void test_flush(void)
{
	static const char *const events[] = { BEGIN, "110 0 bio 1 0 0 1057", "111 0 get 1 0 0 1057",
		"112 0 switch 10 2 30", "113 0 issue 1 0 0 1280 0", "114 0 switch 30 1 0", IRQ(200),
		"209 0 complete 1 -1 0 1280", "210 0 complete 1 0 0 33", WAKE(220), END };
	static const char *const own[] = { /* the driver's own flush has no submitter */
		BEGIN, "113 0 issue 1 0 0 1280 0", SLEEP(120), IRQ(200), "209 0 complete 1 -1 0 1280",
		WAKE(220), END
	};
	static const char *const pass_through[] = { /* as when a CD drive is polled */
		BEGIN, "113 0 issue 1 0 0 0 8", SLEEP(120), IRQ(200), "209 0 complete 1 -1 0 0", WAKE(220),
		END
	};

	expect(events, "flush 1 -+0 queued 110 issued 113 done 210 by thread 10 110 issuer thread 30 113");
	expect(own, "flush 1 -+0 issued 113 done 209 by - issuer thread 10 113");
	expect(pass_through, "other 1 -+8 issued 113 done 209 by - issuer thread 10 113");
}

/* Two requests of equal sectors at a time: either may be meant. */
static void test_doubles(void)
{
	static const char *const events[] = { BEGIN, "105 1 switch 0 0 20", "110 0 bio 1 800 8 4",
		"111 0 get 1 800 8 4", "112 0 issue 1 800 8 4 4096", "113 1 bio 1 800 8 4",
		"114 1 get 1 800 8 4", "115 1 issue 1 800 8 4 4096", SLEEP(120), IRQ(200),
		"210 0 complete 1 800 8 4", WAKE(220), END };
	static const char *const at_once[] = { /* the thread shows which bio became the request */
		BEGIN, "105 1 switch 0 0 20", "110 0 bio 1 800 8 4", "111 1 bio 1 800 8 4",
		"112 0 get 1 800 8 4", "114 0 issue 1 800 8 4 4096", SLEEP(120), IRQ(200),
		"210 0 complete 1 800 8 4", WAKE(220), END
	};
	static const char *const later[] = { /* most likely the second bio's own thread issues it */
		BEGIN, "105 1 switch 0 0 20", "106 1 bio 1 800 8 4", "107 1 get 1 800 8 4",
		"110 0 bio 1 800 8 4", "112 0 get 1 800 8 4", "114 0 issue 1 800 8 4 4096", SLEEP(120),
		IRQ(200), "210 0 complete 1 800 8 4", WAKE(220), END
	};
	static const char *const given_back[] = { BEGIN, "105 1 switch 0 0 20", "110 0 bio 1 800 8 4",
		"111 0 get 1 800 8 4", "112 0 issue 1 800 8 4 4096", "113 1 bio 1 800 8 4",
		"114 1 get 1 800 8 4", "115 1 issue 1 800 8 4 4096", "116 1 requeue 1 800 8 4", SLEEP(120),
		IRQ(200), "210 0 complete 1 800 8 4", WAKE(220), END };

	expect(events, "inferred read 1 800+4096 queued 110 issued 112 done 210 by thread 10 110");
	expect(at_once, "read 1 800+4096 queued 110 issued 114 done 210 by thread 10 110");
	expect(later, "inferred read 1 800+4096 queued 110 issued 114 done 210 by thread 10 110");
	expect(given_back, "inferred read 1 800+4096 queued 113 issued 115 done 210 by thread 20 113");
}

/* Two requests that begin with the same sector but differ in operation or length. */
static void test_overlaps(void)
{
	static const char *const other_op[] = { BEGIN, "105 1 switch 0 0 20", "106 1 bio 1 800 8 1",
		"107 1 get 1 800 8 1", "108 1 issue 1 800 8 1 4096", "110 0 bio 1 800 8 4",
		"112 0 get 1 800 8 4", "114 0 issue 1 800 8 4 4096", SLEEP(120), IRQ(200),
		"210 0 complete 1 800 8 4", WAKE(220), END };
	static const char *const queued[] = { /* both wait for the driver; neither was merged */
		BEGIN, "105 1 switch 0 0 20", "106 1 bio 1 800 8 4", "107 1 get 1 800 8 4",
		"110 0 bio 1 800 24 4", "112 0 get 1 800 24 4", "114 0 issue 1 800 24 4 12288",
		"116 1 issue 1 800 8 4 4096", SLEEP(120), IRQ(200), "208 0 complete 1 800 8 4",
		"210 0 complete 1 800 24 4", WAKE(220), END
	};
	static const char *const shorter[] = { /* may be a piece of the longer one */
		BEGIN, "105 1 switch 0 0 20", "106 1 bio 1 800 24 4", "107 1 get 1 800 24 4",
		"108 1 issue 1 800 24 4 12288", "110 0 bio 1 800 8 4", "112 0 get 1 800 8 4",
		"114 0 issue 1 800 8 4 4096", SLEEP(120), IRQ(200), "210 0 complete 1 800 8 4", WAKE(220), END
	};
	static const char *const piece[] = { /* or a later piece of a longer one */
		BEGIN, "105 1 switch 0 0 20", "106 1 bio 1 792 24 4", "107 1 get 1 792 24 4",
		"108 1 issue 1 792 24 4 12288", "110 0 bio 1 800 8 4", "112 0 get 1 800 8 4",
		"114 0 issue 1 800 8 4 4096", "116 1 irq 5 disk", "117 1 complete 1 792 8 4",
		"118 1 irqret 5", SLEEP(120), IRQ(200), "210 0 complete 1 800 8 4", WAKE(220), END
	};
	static const char *const within[] = { /* no piece ends there: its first sectors are not done */
		BEGIN, "105 1 switch 0 0 20", "106 1 bio 1 792 24 4", "107 1 get 1 792 24 4",
		"108 1 issue 1 792 24 4 12288", "110 0 bio 1 800 8 4", "112 0 get 1 800 8 4",
		"114 0 issue 1 800 8 4 4096", SLEEP(120), IRQ(200), "210 0 complete 1 800 8 4", WAKE(220), END
	};
	static const char *const waits[] = { /* a bio that still waits is no part of another request */
		BEGIN, "105 1 switch 0 0 20", "106 1 bio 1 792 24 4", "107 1 get 1 792 24 4",
		"110 0 bio 1 800 8 4", "111 1 issue 1 792 24 4 12288", "112 0 get 1 800 8 4",
		"114 0 issue 1 800 8 4 4096", SLEEP(120), IRQ(200), "210 0 complete 1 800 8 4", WAKE(220), END
	};

	expect(other_op, "read 1 800+4096 queued 110 issued 114 done 210 by thread 10 110");
	expect(queued, "read 1 800+12288 queued 110 issued 114 done 210 by thread 10 110");
	expect(shorter, "inferred read 1 800+4096 queued 110 issued 114 done 210 by thread 10 110");
	expect(piece, "inferred read 1 800+4096 queued 110 issued 114 done 210 by thread 10 110");
	expect(within, "read 1 800+4096 queued 110 issued 114 done 210 by thread 10 110");
	expect(waits, "read 1 800+4096 queued 110 issued 114 done 210 by thread 10 110");
}

/* A stacked device: the thread that queued the upper bio submitted the lower request. */
static void test_remap(void)
{
	static const char *const events[] = { BEGIN, "110 0 bio 9 100 8 4",
		"112 0 switch 10 2 30 a kworker/0:1", "113 0 remap 1 800 8 4 9 100", "114 0 bio 1 800 8 4",
		"115 0 get 1 800 8 4", "116 0 issue 1 800 8 4 4096", "120 0 switch 30 1 0", IRQ(200),
		"210 0 complete 1 800 8 4", WAKE(220), END };

	expect(events,
		"read 1 800+4096 queued 110 issued 116 done 210 by thread 10 110 issuer thread 30 116");
}

/* A request in flight when events were lost is replaced by a later one of the same sectors. */
static void test_lost(void)
{
	static const char *const events[] = { "80 1 switch 0 0 20", BEGIN, "105 0 bio 1 800 8 4",
		"106 0 get 1 800 8 4", "107 0 issue 1 800 8 4 4096", "108 1 gap", "110 1 gapend 80",
		"111 1 none", "112 0 bio 1 800 8 4", "113 0 get 1 800 8 4", "114 0 issue 1 800 8 4 4096",
		SLEEP(120), IRQ(200), "210 0 complete 1 800 8 4", WAKE(220), END };
	static const char *const bio[] = { "80 1 switch 0 0 20", BEGIN, "105 0 bio 1 800 8 4", "108 1 gap",
		"110 1 gapend 80", "111 1 none", "112 1 bio 1 800 8 4", "113 0 get 1 800 8 4",
		"114 0 issue 1 800 8 4 4096", SLEEP(120), IRQ(200), "210 0 complete 1 800 8 4", WAKE(220),
		END };

	expect(events, "read 1 800+4096 queued 112 issued 114 done 210 by thread 10 112");
	expect(bio, "read 1 800+4096 queued 112 issued 114 done 210 by thread - 112 issuer thread 10 114");
}

/* Bios of a partition and requests of its disk, as Linux 5.12 and later name them. */
static void test_partition(void)
{
	static const char *const named[] = { "90 0 dumpblock 271581184 nvme0n1",
		"91 0 dumpblock 271581190 nvme0n1p2", "92 0 dumpblock 271581191 nvme0n12", BEGIN,
		"110 0 bio 271581190 800 8 4", "111 0 get 271581190 800 8 4",
		"112 0 issue 271581184 800 8 4 4096", SLEEP(120), IRQ(200),
		"210 0 complete 271581184 800 8 4", WAKE(220), END };
	static const char *const dumped_first[] = { "90 0 dumpblock 8388609 sda1",
		"91 0 dumpblock 8388608 sda", BEGIN, "110 0 bio 8388609 800 8 4",
		"112 0 issue 8388608 800 8 4 4096", SLEEP(120), IRQ(200), "210 0 complete 8388608 800 8 4",
		WAKE(220), END };
	static const char *const other_disk[] = { "90 0 dumpblock 271581184 nvme0n1",
		"92 0 dumpblock 271581191 nvme0n12", BEGIN, "110 0 bio 271581191 800 8 4",
		"112 0 issue 271581184 800 8 4 4096", SLEEP(120), IRQ(200),
		"210 0 complete 271581184 800 8 4", WAKE(220), END };
	static const char *const not_dumped[] = { BEGIN, "110 0 bio 8388609 800 8 4",
		"112 0 issue 8388608 800 8 4 4096", SLEEP(120), IRQ(200), "210 0 complete 8388608 800 8 4",
		WAKE(220), END };

	expect(named, "read 271581184 800+4096 queued 110 issued 112 done 210 by thread 10 110");
	expect(dumped_first, "read 8388608 800+4096 queued 110 issued 112 done 210 by thread 10 110");
	expect(other_disk, "read 271581184 800+4096 issued 112 done 210 by - issuer thread 10 112");
	expect(not_dumped, "read 8388608 800+4096 queued 110 issued 112 done 210 by thread 10 110");
}

/* Absurd numbers are ignored and do no harm. */
static void test_absurd(void)
{
	static const char *const events[] = { BEGIN, "110 0 bio 4294967295 9223372036854775807 8 4",
		"111 0 get 4294967295 9223372036854775807 4294967295 4", "112 0 bio -1 0 8 4",
		"113 0 bio 1 - 8 4", "114 0 get 1 8 -8 4", "115 0 complete 1 -5 8 4",
		"116 0 bio 4294967295 0 0 1057", "117 0 get 4294967295 0 0 1057",
		"118 0 complete 4294967295 0 0 33", "119 0 remap 1 800 8 4 -1 -1", "120 0 merge 1 0 8 1",
		"121 0 requeue 1 7 8 1", "122 0 mergerq 1 0 8 1 -",
		"123 0 issue 1 9223372036854775800 7 1 -9223372036854775807", SLEEP(124), IRQ(200),
		"210 0 complete 1 9223372036854775800 7 1", WAKE(220), END };

	expect(events, "write 1 9223372036854775800+3584 issued 123 done 210 by - issuer thread 10 123");
}

static struct mdl_item item_at(uint64_t start, int64_t heard)
{
	return (struct mdl_item){ .dev = 1,
		.start = start,
		.end = start + 8,
		.heard = heard,
		.stage = MDL_STAGE_QUEUED };
}

/* The oldest requests are dropped if there are too many, or if they had no event for long. */
static void test_bounded(void)
{
	struct mdl_inflight list;
	struct mdl_item item;

	mdl_inflight_init(&list, NULL);
	for (uint64_t i = 0; i < 2 * MDL_BLOCK_MAX; i++) {
		item = item_at((i * 7919) % 1000000, (int64_t)i);
		mdl_inflight_add(&list, &item);
	}
	g_assert_cmpuint(list.items->len, ==, MDL_BLOCK_MAX);
	for (guint i = 0; i < list.items->len; i++) {
		const struct mdl_item *at = g_ptr_array_index(list.items, i);

		g_assert_cmpint(at->heard, >=, MDL_BLOCK_MAX);
		g_assert_true(i == 0 || at[0].start >= mdl_inflight_at(&list, i - 1, 1)->start);
	}
	item = item_at(5, 2 * MDL_BLOCK_MAX + MDL_BLOCK_AGE);
	mdl_inflight_add(&list, &item);
	g_assert_cmpuint(list.items->len, ==, 1);
	mdl_inflight_clear(&list);
}

static void test_rwbs(void)
{
	static const struct {
		const char *text;
		enum mdl_block_op op;
		bool flush, preflush, fua;
	} texts[] = {
		{ "R", MDL_OP_READ, false, false, false },
		{ "RA", MDL_OP_READ, false, false, false },
		{ "WS", MDL_OP_WRITE, false, false, false },
		{ "WFS", MDL_OP_WRITE, false, false, true },
		{ "FWFSM", MDL_OP_WRITE, false, true, true },
		{ "FWS", MDL_OP_WRITE, false, true, false },
		{ "FF", MDL_OP_FLUSH, true, true, false },
		{ "F", MDL_OP_FLUSH, true, false, false },
		{ "DE", MDL_OP_DISCARD, false, false, false },
		{ "N", MDL_OP_OTHER, false, false, false },
		{ "", MDL_OP_OTHER, false, false, false },
		{ "\033[2J", MDL_OP_OTHER, false, false, false },
	};
	struct mdl_rwbs r;

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_test_message("%s", texts[i].text);
		r = mdl_range_rwbs(MDL_ARG_ABSENT, texts[i].text);
		g_assert_cmpint(r.op, ==, texts[i].op);
		g_assert_cmpint(r.flush, ==, texts[i].flush);
		g_assert_cmpint(r.preflush, ==, texts[i].preflush);
		g_assert_cmpint(r.fua, ==, texts[i].fua);
	}
	r = mdl_range_rwbs(1633, NULL);
	g_assert_true(r.op == MDL_OP_WRITE && r.preflush && r.fua && !r.flush);
	r = mdl_range_rwbs(257, NULL); /* REQ_FLUSH, before Linux 4.8 */
	g_assert_true(r.op == MDL_OP_WRITE && r.preflush && !r.fua && !r.flush);
	r = mdl_range_rwbs(1280, "R");
	g_assert_true(r.op == MDL_OP_FLUSH && r.flush);
	g_assert_cmpint(mdl_range_rwbs(2, NULL).op, ==, MDL_OP_DISCARD);
	g_assert_cmpint(mdl_range_rwbs(MDL_ARG_ABSENT, NULL).op, ==, MDL_OP_UNKNOWN);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/block/life", test_life);
	g_test_add_func("/block/behind", test_behind);
	g_test_add_func("/block/parts-missing", test_parts_missing);
	g_test_add_func("/block/which", test_which);
	g_test_add_func("/block/room", test_room);
	g_test_add_func("/block/no-bios", test_no_bios);
	g_test_add_func("/block/timer", test_timer);
	g_test_add_func("/block/thread", test_thread);
	g_test_add_func("/block/merges", test_merges);
	g_test_add_func("/block/split", test_split);
	g_test_add_func("/block/pieces", test_pieces);
	g_test_add_func("/block/requeue", test_requeue);
	g_test_add_func("/block/sequence", test_sequence);
	g_test_add_func("/block/flush", test_flush);
	g_test_add_func("/block/doubles", test_doubles);
	g_test_add_func("/block/overlaps", test_overlaps);
	g_test_add_func("/block/remap", test_remap);
	g_test_add_func("/block/lost", test_lost);
	g_test_add_func("/block/partition", test_partition);
	g_test_add_func("/block/absurd", test_absurd);
	g_test_add_func("/block/bounded", test_bounded);
	g_test_add_func("/block/rwbs", test_rwbs);
	return g_test_run();
}
