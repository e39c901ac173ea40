/* SPDX-License-Identifier: MIT */
/* The chain before the context that woke a thread: raised softirqs, sent IPIs, what is inferred, and when
 * nothing is. */
#include "model/mdl_feed.h"

/* All kinds of interrupts are recorded, except those of lines. */
#define VECTORS                                                          \
	"96 1 vector 236 local_timer", "97 1 vectorret 236 local_timer", \
		"98 1 vector 251 call_function_single", "99 1 vectorret 251 call_function_single"
#define BEGIN VECTORS, "100 0 switch 0 0 10", "101 1 switch 10 0 0", "102 0 switch 10 2 0"
#define ARM "110 1 switch 0 0 3", "111 1 arm 9 7"
#define END "900 0 switch 0 0 10", NULL

static void expect(const char *const *events, const char *chain)
{
	struct mdl_feed *f = mdl_feed_new("6.1.0-50-amd64", events);

	mdl_feed_expect_chains(f, "10", chain);
	mdl_feed_free(f);
}

/* As in ioburst-ipi at 56.815950580: the interrupt is over before the IPI is entered, the IPI before the
 * softirq. */
static const char *const by_ipi[] = { "0 0 allseen", "90 0 switch 0 0 10 idle a", "91 1 switch 20 1 0",
	"100 0 bio 1 800 8 33", "101 0 get 1 800 8 33", "102 0 issue 1 800 8 33 4096", "103 0 switch 10 2 0",
	"200 1 irq 28 disk", "210 1 irqret 28", "220 0 vector 251 call_function_single", "230 0 raise 4",
	"235 0 vectorret 251 call_function_single", "240 0 softirq 4", "250 0 complete 1 800 8 33",
	"260 0 waking 10 0", "270 0 softirqret 4", END };

static void test_by_ipi(void)
{
	struct mdl_feed *f = mdl_feed_new("6.1.0-50-amd64", by_ipi);

	mdl_feed_expect_chains(f, "10",
		"irq28:disk 210@1? > ipi251:call_function_single 230@0 > softirq4:BLOCK 260@0");
	mdl_feed_expect_facts(f, "10", "write 1 800+4096 queued 100 issued 102 done 250 by thread 10 100");
	mdl_feed_free(f);
}

#define REQUEST \
	"100 0 bio 1 800 8 33", "101 0 get 1 800 8 33", "110 0 issue 1 800 8 33 4096", "111 0 switch 10 2 0"
#define BY_IPI \
	"220 0 vector 251 call_function_single", "230 0 raise 4", "235 0 vectorret 251 call_function_single"
#define DONE "240 0 softirq 4", "250 0 complete 1 800 8 33", "260 0 waking 10 0"
#define IPI "ipi251:call_function_single 230@0 > softirq4:BLOCK 260@0"

/* The interrupt that may have sent the IPI is the last one on another CPU before it, not before the issue,
 * and not a network card's. */
static void test_sender(void)
{
	static const char *const before_issue[] = { "0 0 allseen", "90 0 switch 0 0 10", "105 1 irq 28 disk",
		"106 1 irqret 28", REQUEST, BY_IPI, DONE, END };
	static const char *const after_ipi[] = { "0 0 allseen", "90 0 switch 0 0 10", REQUEST, BY_IPI,
		"236 1 irq 28 disk", DONE, END };
	static const char *const same_cpu[] = { "0 0 allseen", "90 0 switch 0 0 10", REQUEST,
		"200 0 irq 28 disk", "201 0 irqret 28", BY_IPI, DONE, END };
	static const char *const last[] = { "0 0 allseen", "90 0 switch 0 0 10", REQUEST, "200 1 irq 28 disk",
		"205 2 irq 29 disk2", "206 2 irqret 29", BY_IPI, DONE, END };
	static const char *const open[] = { "0 0 allseen", "90 0 switch 0 0 10", REQUEST, "200 1 irq 28 disk",
		BY_IPI, DONE, END };
	static const char *const card[] = { "0 0 allseen", "90 0 switch 0 0 10", REQUEST, "200 1 irq 28 disk",
		"205 1 irqret 28", "206 1 irq 30 virtio0-input.0", "207 1 irqret 30", "208 1 irq 31 enp0s3",
		"209 1 irqret 31", "210 1 irq 13 arch_timer", "211 1 irqret 13", "212 1 irq 2 IPI",
		"213 1 irqret 2", BY_IPI, DONE, END };
	static const char *const no_issue[] = { "0 0 allseen", "90 0 switch 0 0 10", "111 0 switch 10 2 0",
		"200 1 irq 28 disk", "205 1 irqret 28", BY_IPI, DONE, END };
	static const char *const no_request[] = { "90 0 switch 0 0 10", REQUEST, "200 1 irq 28 disk",
		"205 1 irqret 28", BY_IPI, "240 0 softirq 4", "260 0 waking 10 0", END };

	expect(before_issue, IPI);
	expect(after_ipi, IPI);
	expect(same_cpu, IPI);
	expect(last, "irq29:disk2 206@2? > " IPI);
	expect(open, "irq28:disk 220@1? > " IPI);
	expect(card, "irq28:disk 205@1? > " IPI);
	expect(no_issue, IPI);
	expect(no_request, IPI "?"); /* a timer, never recorded here, may have interrupted the softirq */
}

/* A CPU that polls in its idle loop gets no interrupt. */
static void test_polled(void)
{
	static const char *const events[] = { "0 0 allseen", "90 0 switch 0 0 10", REQUEST,
		"200 1 irq 28 disk", "205 1 irqret 28", "230 0 raise 4", DONE, END };
	static const char *const nobody[] = { "0 0 allseen", "90 0 switch 0 0 10", REQUEST, "230 0 raise 4",
		DONE, END };
	static const char *const thread[] = { "90 0 switch 0 0 10", REQUEST, "115 0 switch 0 0 11",
		"230 0 raise 4", DONE, END };
	static const char *const no_ipis[] = { "80 0 irq 1 a", "81 0 hrtimer 5 6", "82 0 hrtimerret",
		"83 0 irqret 1", "90 0 switch 0 0 10", REQUEST, "115 0 switch 0 0 11", "230 0 raise 4", DONE,
		END };
	static const char *const all_recorded[] = { "0 0 allseen", "80 0 irq 1 a", "81 0 hrtimer 5 6",
		"82 0 hrtimerret", "83 0 irqret 1", "84 0 vector 251 call_function_single",
		"85 0 vectorret 251 call_function_single", "90 0 switch 0 0 10", REQUEST,
		"115 0 switch 0 0 11", "230 0 raise 4", DONE, END };
	/* x86_irq_vectors_irq_work_* is not recorded: one may have occurred. */
	static const char *const no_irq_work[] = { "0 0 somevectors", "0 0 allseen", "90 0 switch 0 0 10",
		REQUEST, "115 0 switch 0 0 11", "230 0 raise 4", DONE, END };
	static const char *const tick[] = { "90 0 switch 0 0 10", REQUEST, "115 0 switch 0 0 11",
		"230 0 raise 1", "240 0 softirq 1", "260 0 waking 10 0", END };

	expect(events, "irq28:disk 205@1? > softirq4:BLOCK 260@0");
	expect(nobody, "softirq4:BLOCK 260@0");
	expect(thread, "thread 11 230@0? > softirq4:BLOCK 260@0?"); /* an interrupt may be missing */
	expect(no_ipis, "thread 11 230@0? > softirq4:BLOCK 260@0"); /* an IPI may be missing */
	expect(all_recorded, "thread 11 230@0 > softirq4:BLOCK 260@0");
	expect(no_irq_work, "thread 11 230@0? > softirq4:BLOCK 260@0");
	expect(tick, "softirq1:TIMER 260@0?"); /* the tick is missing */
}

/* No IPIs are recorded: one interrupted the RCU softirq of a tick, and raised BLOCK there. */
static void test_hit_softirq(void)
{
#define TICK                                                                                             \
	"180 0 irq 0 timer", "181 0 hrtimer 5 6", "182 0 raise 9", "183 0 hrtimerret", "184 0 irqret 0", \
		"190 0 softirq 9"
#define BLOCK "206 0 raise 4", "210 0 softirqret 9", DONE
	static const char *const disk[] = { "90 0 switch 0 0 10", REQUEST, TICK, "199 1 irq 28 disk",
		"200 1 irqret 28", BLOCK, END };
	static const char *const nobody[] = { "90 0 switch 0 0 10", REQUEST, TICK, BLOCK, END };
	static const char *const recorded[] = { "91 1 switch 20 1 0", VECTORS, "100 0 switch 0 0 10", REQUEST,
		TICK, "199 1 irq 28 disk", "200 1 irqret 28", BLOCK, END };

	expect(disk, "irq28:disk 200@1? > softirq4:BLOCK 260@0");
	expect(nobody, "irq0:timer 181@0 > hrtimer5 182@0 > softirq9:RCU 206@0? > softirq4:BLOCK 260@0");
	expect(recorded, "irq0:timer 181@0 > hrtimer5 182@0 > softirq9:RCU 206@0 > softirq4:BLOCK 260@0");
#undef TICK
#undef BLOCK
}

/* Sent IPIs are recorded. */
static void test_sent(void)
{
	static const char *const one[] = { BEGIN, "200 1 irq 28 disk", "210 1 sendipi 0", "215 1 irqret 28",
		"220 0 vector 253 reschedule", "230 0 waking 10 0", END };
	/* An IPI sent before the trace may still be on its way. */
	static const char *const at_begin[] = { "90 0 begins", BEGIN, "200 1 irq 28 disk", "210 1 sendipi 0",
		"215 1 irqret 28", "220 0 vector 253 reschedule", "230 0 waking 10 0", END };
	static const char *const to_other[] = { BEGIN, "200 1 irq 28 disk", "210 1 sendipi 2",
		"215 1 irqret 28", "220 0 vector 253 reschedule", "230 0 waking 10 0", END };
	static const char *const two[] = { BEGIN, "200 1 irq 28 disk", "210 1 sendipi 0", "215 1 irqret 28",
		"216 2 switch 0 0 30", "217 2 sendipi 0", "220 0 vector 253 reschedule", "230 0 waking 10 0",
		"240 0 vectorret 253 reschedule", "250 0 switch 0 0 10", "260 0 switch 10 2 0",
		"270 0 vector 251 call_function", "280 0 waking 10 0", END };
	static const char *const long_ago[] = { BEGIN, "200 1 irq 28 disk", "210 1 sendipi 0",
		"215 1 irqret 28", "2000000 0 vector 253 reschedule", "2000030 0 waking 10 0",
		"2000040 0 switch 0 0 10", NULL };
	/* The virtual CPU did not run: the first IPI has not arrived either. */
	static const char *const held_back[] = { BEGIN, "200 1 irq 28 disk", "210 1 sendipi 0",
		"215 1 irqret 28", "216 2 switch 0 0 30", "2000000 2 sendipi 0",
		"2000010 0 vector 253 reschedule", "2000030 0 waking 10 0", "2000040 0 switch 0 0 10", NULL };
	static const char *const to_several[] = { /* ipi_raise: its mask is not read */
		BEGIN, "200 1 irq 28 disk", "210 1 sendipi -", "215 1 irqret 28", "220 0 ipi Function_call",
		"230 0 waking 10 0", END
	};
	static const char *const several_by_itself[] = { BEGIN, "210 0 sendipi -", "220 0 ipi Function_call",
		"230 0 waking 10 0", END };
	static const char *const own_work[] = { BEGIN, "200 1 irq 28 disk", "210 1 sendipi 0",
		"215 1 irqret 28", "220 0 vector 246 irq_work", "230 0 waking 10 0", END };

	/* ipi_send_cpu does not record this kind of IPI: the IPI it did record is still on its way. */
	static const char *const other_kind[] = { BEGIN, "200 1 irq 28 disk", "210 1 sendipi 0",
		"215 1 irqret 28", "220 0 ipi IRQ_work", "230 0 waking 10 0", "240 0 ipiret",
		"250 0 switch 0 0 10", "260 0 switch 10 2 0", "270 0 ipi Rescheduling", "280 0 waking 10 0",
		END };
	/* ipi_raise has the kind of IPI, and repeats the IPI that ipi_send_cpu has just recorded. */
	static const char *const by_reason[] = { BEGIN, "0 0 allseen", "200 1 irq 28 disk", "210 1 sendipi 0",
		"211 1 sendipi - 1 Function_call", "212 1 irqret 28", "213 0 switch 0 0 11",
		"216 0 sendipi - 1 IRQ_work", "220 0 ipi IRQ_work", "230 0 waking 10 0", "240 0 ipiret",
		"250 0 switch 11 1 10", "260 0 switch 10 2 0", "270 0 ipi Function_call", "280 0 waking 10 0",
		END };

	expect(one, "irq28:disk 210@1 > ipi253:reschedule 230@0");
	expect(at_begin, "irq28:disk 210@1? > ipi253:reschedule 230@0");
	expect(to_other, "-");
	expect(two,
		"irq28:disk 210@1? > ipi253:reschedule 230@0; thread 30 217@2? > ipi251:call_function 280@0");
	expect(long_ago, "-");
	expect(held_back, "thread 30 2000000@2? > ipi253:reschedule 2000030@0");
	expect(to_several, "irq28:disk 210@1? > ipi-:Function_call 230@0");
	expect(several_by_itself, "-");
	expect(own_work, "-");
	expect(other_kind, "-; irq28:disk 210@1 > ipi-:Rescheduling 280@0");
	expect(by_reason,
		"thread 11 216@0 > ipi-:IRQ_work 230@0; "
		"irq28:disk 210@1 > ipi-:Function_call 280@0");
}

static void test_raises(void)
{
	static const char *const first_counts[] = { BEGIN, "200 0 irq 5 a", "201 0 raise 1", "202 0 irqret 5",
		"203 0 irq 6 b", "204 0 raise 1", "205 0 irqret 6", "210 0 softirq 1", "220 0 waking 10 0",
		END };
	/* The pending bits are taken before the first entry is traced: a raise in between is for the next
	 * round. */
	static const char *const spare[] = { BEGIN, "200 0 irq 5 a", "201 0 raise 1", "202 0 irqret 5",
		"203 0 irq 6 b", "204 0 raise 1", "205 0 irqret 6", "210 0 softirq 1", "211 0 softirqret 1",
		"215 0 softirq 1", "220 0 waking 10 0", "221 0 softirqret 1", "230 0 switch 0 0 10",
		"240 0 switch 10 2 0", "250 0 softirq 1", "260 0 waking 10 0", END };
	static const char *const own_raise_after[] = { BEGIN, "200 0 irq 5 a", "201 0 raise 1",
		"202 0 irqret 5", "210 0 softirq 1", "211 0 raise 1", "212 0 softirqret 1", "215 0 softirq 1",
		"220 0 waking 10 0", END };
	static const char *const other_vector[] = { BEGIN, "200 0 irq 5 a", "201 0 raise 1", "202 0 irqret 5",
		"210 0 softirq 9", "220 0 waking 10 0", END };
	static const char *const other_cpu[] = { BEGIN, "200 1 irq 5 a", "201 1 raise 1", "202 1 irqret 5",
		"210 0 softirq 1", "220 0 waking 10 0", END };
	/* Raised for a card's transmit interrupt, then for its receive interrupt, and run once. */
	static const char *const card[] = { BEGIN, "200 0 irq 5 virtio0-output.0", "201 0 raise 3",
		"202 0 irqret 5", "203 0 irq 6 virtio0-input.0", "204 0 raise 3", "205 0 irqret 6",
		"210 0 softirq 3", "220 0 waking 10 0", END };
	static const char *const ksoftirqd[] = { BEGIN, "200 0 irq 5 a", "201 0 raise 1", "202 0 irqret 5",
		"205 0 switch 0 0 15 idle ksoftirqd/0", "210 0 softirq 1", "220 0 waking 10 0", END };

	/* Raised for the next round, before the softirq runs in this one and takes its list. */
	static const char *const before_its_turn[] = { BEGIN, "200 0 irq 5 a", "201 0 raise 1",
		"202 0 raise 6", "203 0 irqret 5", "210 0 softirq 1", "211 0 irq 6 b", "212 0 raise 6",
		"213 0 irqret 6", "215 0 softirqret 1", "216 0 softirq 6", "220 0 waking 10 0", END };
	static const char *const twice[] = { BEGIN, "200 0 irq 5 a", "201 0 raise 6", "202 0 irqret 5",
		"203 0 irq 5 a", "204 0 raise 6", "205 0 irqret 5", "210 0 softirq 6", "220 0 waking 10 0",
		END };

	/* Either raise may have brought its work. */
	expect(first_counts, "irq5:a 201@0? > softirq1:TIMER 220@0");
	expect(spare, "irq6:b 204@0 > softirq1:TIMER 220@0; -");
	expect(own_raise_after, "irq5:a 201@0 > softirq1:TIMER 211@0 > softirq1:TIMER 220@0");
	expect(other_vector, "-");
	expect(other_cpu, "-");
	expect(card, "irq6:virtio0-input.0 204@0? > softirq3:NET_RX 220@0");
	expect(ksoftirqd, "irq5:a 201@0 > softirq1:TIMER 220@0");
	expect(before_its_turn, "irq5:a 202@0? > softirq6:TASKLET 220@0");
	expect(twice, "irq5:a 201@0? > softirq6:TASKLET 220@0");
}

/* Without raise events: the interrupt that has just ended is inferred. */
static void test_no_raises(void)
{
	static const char *const just_ended[] = { BEGIN, "200 0 irq 5 a", "202 0 irqret 5", "210 0 softirq 1",
		"220 0 waking 10 0", END };
	static const char *const second[] = { BEGIN, "200 0 irq 5 a", "202 0 irqret 5", "210 0 softirq 1",
		"212 0 softirqret 1", "214 0 softirq 9", "220 0 waking 10 0", END };
	static const char *const long_ago[] = { BEGIN, "200 0 irq 5 a", "202 0 irqret 5", "90000 0 softirq 1",
		"90010 0 waking 10 0", "90020 0 switch 0 0 10", NULL };
	static const char *const switched[] = { BEGIN, "200 0 irq 5 a", "202 0 irqret 5",
		"205 0 switch 0 0 15", "210 0 softirq 1", "220 0 waking 10 0", END };
	static const char *const inside[] = { /* not right after the end of irq 5 */
		BEGIN, "200 0 irq 5 a", "202 0 irqret 5", "203 0 irq 6 b", "210 0 softirq 1",
		"220 0 waking 10 0", END
	};

	expect(just_ended, "irq5:a 202@0? > softirq1:TIMER 220@0");
	expect(second, "irq5:a 202@0? > softirq9:RCU 220@0");
	expect(long_ago, "-");
	expect(switched, "-");
	expect(inside, "-");
}

/* BLOCK is raised for the first of the requests that it takes, and NET_RX goes on with packets that arrive
 * while it runs: work of another interrupt needs no raise. */
static void test_shared(void)
{
	static const char *const before[] = { BEGIN, "200 0 irq 5 a", "201 0 raise 4", "202 0 irqret 5",
		"203 0 irq 6 b", "204 0 irqret 6", "210 0 softirq 4", "220 0 waking 10 0", END };
	static const char *const within[] = { BEGIN, "200 0 irq 5 a", "201 0 raise 3", "202 0 irqret 5",
		"210 0 softirq 3", "211 0 irq 6 b", "212 0 irqret 6", "220 0 waking 10 0", END };
	static const char *const alone[] = { BEGIN, "190 0 irq 6 b", "191 0 irqret 6", "200 0 irq 5 a",
		"201 0 raise 3", "202 0 irqret 5", "210 0 softirq 3", "220 0 waking 10 0", END };

	expect(before, "irq5:a 201@0? > softirq4:BLOCK 220@0");
	expect(within, "irq5:a 201@0? > softirq3:NET_RX 220@0");
	expect(alone, "irq5:a 201@0 > softirq3:NET_RX 220@0");
}

/* BLOCK also completes requests left by other CPUs, for which no second IPI is sent. The CPU is known only if
 * the others did nothing. */
static void test_other_cpus(void)
{
#define ALL "0 0 allseen", "90 2 switch 30 1 0", "91 1 switch 20 1 0", VECTORS, "99 0 switch 0 0 10", REQUEST
#define HERE "200 0 irq 5 a", "201 0 raise 4", "202 0 irqret 5"
#define SENT                                                                                    \
	"200 1 irq 28 disk", "210 1 csd 0x77 0", "211 1 sendipi 0", "215 1 irqret 28",          \
		"220 0 vector 251 call_function_single", "221 0 csdcall 0x77", "222 0 raise 4", \
		"223 0 csdret 0x77", "224 0 vectorret 251 call_function_single"
	static const char *const idle[] = { ALL, HERE, DONE, END };
	static const char *const user[] = { ALL, "150 1 switch 0 0 20", "160 1 sys read", "170 1 sysret read",
		HERE, DONE, END };
	static const char *const call[] = { ALL, "150 1 switch 0 0 20", "160 1 sys read", HERE, DONE, END };
	static const char *const irq[] = { ALL, HERE, "203 2 irq 6 b", "204 2 irqret 6", DONE, END };
	static const char *const later[] = { ALL, HERE, "240 0 softirq 4", "250 0 complete 1 800 8 33",
		"255 2 irq 6 b", "256 2 irqret 6", "260 0 waking 10 0", END };
	static const char *const unseen[] = { ALL, HERE, "240 0 softirq 4", "255 2 irq 6 b", "256 2 irqret 6",
		"260 0 waking 10 0", END };
	static const char *const issued_since[] = { "0 0 allseen", VECTORS, "99 0 switch 0 0 10",
		"100 0 bio 1 800 8 33", "101 0 get 1 800 8 33", "111 0 switch 10 2 0", HERE,
		"205 0 issue 1 800 8 33 4096", DONE, END };
	static const char *const sent[] = { ALL, SENT, DONE, END };
	static const char *const sent_open[] = { ALL, "200 1 irq 28 disk", "210 1 csd 0x77 0",
		"211 1 sendipi 0", "220 0 vector 251 call_function_single", "221 0 csdcall 0x77",
		"222 0 raise 4", "223 0 csdret 0x77", "224 0 vectorret 251 call_function_single", DONE, END };
	static const char *const sent_then[] = { ALL, SENT, "230 2 irq 6 b", "231 2 irqret 6", DONE, END };
	static const char *const same_then[] = { ALL, SENT, "230 1 irq 6 b", "231 1 irqret 6", DONE, END };
	static const char *const sent_busy[] = { ALL, "150 2 switch 0 0 30", SENT, DONE, END };

	expect(idle, "irq5:a 201@0 > softirq4:BLOCK 260@0");
	expect(user, "irq5:a 201@0 > softirq4:BLOCK 260@0");
	expect(call, "irq5:a 201@0? > softirq4:BLOCK 260@0");
	expect(irq, "irq5:a 201@0? > softirq4:BLOCK 260@0");
	expect(later, "irq5:a 201@0 > softirq4:BLOCK 260@0");
	expect(unseen, "irq5:a 201@0? > softirq4:BLOCK 260@0");
	expect(issued_since, "irq5:a 201@0? > softirq4:BLOCK 260@0");
	expect(sent, "irq28:disk 210@1 > ipi251:call_function_single 222@0 > softirq4:BLOCK 260@0");
	expect(sent_open, "irq28:disk 210@1 > ipi251:call_function_single 222@0 > softirq4:BLOCK 260@0");
	expect(sent_then, "irq28:disk 210@1? > ipi251:call_function_single 222@0 > softirq4:BLOCK 260@0");
	expect(same_then, "irq28:disk 210@1? > ipi251:call_function_single 222@0 > softirq4:BLOCK 260@0");
	expect(sent_busy, "irq28:disk 210@1? > ipi251:call_function_single 222@0 > softirq4:BLOCK 260@0");
#undef ALL
#undef HERE
#undef SENT
}

/* No exits were recorded: the thread may have resumed long ago. */
static void test_no_exits(void)
{
	static const char *const softirq[] = { "0 0 noexits", BEGIN, "200 0 irq 5 a", "201 0 raise 4",
		"202 0 irqret 5", "210 0 softirq 4", "211 0 complete 1 800 8 33", "220 0 waking 10 0", END };
	struct mdl_feed *f = mdl_feed_new("6.1.0-50-amd64", softirq);

	mdl_feed_expect_chains(f, "10", "irq5:a 201@0? > softirq4:BLOCK 220@0?");
	mdl_feed_expect_facts(f, "10", "inferred write 1 800+4096 done 211 by -");
	mdl_feed_free(f);
}

/* The handler may be over, and the timer may have expired in an unrecorded interrupt. */
static void test_timer_behind(void)
{
	static const char *const events[] = { "0 0 noexits", "100 0 switch 0 0 10", "102 0 switch 10 2 0",
		"200 0 irq^h 5 a", "210 0 hrtimer^h 9", "220 0 waking^h 10 0", END };
	/* The local timer's interrupt, as in nvme-ioburst at 216.509010736 without irq_handler_exit. */
	static const char *const no_timer[] = { "0 0 noexits", "100 0 switch 0 0 10", "102 0 switch 10 2 0",
		"150 0 hrtimer^h 9", "151 0 hrtimerret^h", "160 0 vector^h 251 call_function_single",
		"161 0 vectorret^h 251 call_function_single", "200 0 irq^h 5 a", "210 0 hrtimer^h 9",
		"220 0 waking^h 10 0", END };

	expect(events, "irq5:a 210@0? > hrtimer9 220@0?");
	expect(no_timer, "irq5:a 210@0? > hrtimer9 220@0?");
}

/* The completion may have brought work to a kworker at rest, but not to one that reads. */
static void test_worker_at_rest(void)
{
	static const char *const rests[] = { BEGIN, "150 0 switch 10 1 11 a kworker/0:1",
		"151 0 switch 11 128 0 kworker/0:1 swapper/0", "200 0 irq 5 a", "201 0 raise 4",
		"202 0 irqret 5", "203 0 softirq 4", "220 0 waking 11 0 kworker/0:1", "230 0 softirqret 4",
		NULL };
	static const char *const reads[] = { BEGIN, "150 0 switch 10 1 11 a kworker/0:1",
		"151 0 switch 11 2 0 kworker/0:1 swapper/0", "200 0 irq 5 a", "201 0 raise 4",
		"202 0 irqret 5", "203 0 softirq 4", "220 0 waking 11 0 kworker/0:1", "230 0 softirqret 4",
		NULL };
	static const char *const completed[] = { BEGIN, "150 0 switch 10 1 11 a kworker/0:1",
		"151 0 switch 11 128 0 kworker/0:1 swapper/0", "200 0 irq 5 a", "201 0 complete 1 800 8 33",
		"220 0 waking 11 0 kworker/0:1", "230 0 irqret 5", NULL };
	struct mdl_feed *f = mdl_feed_new("6.1.0-50-amd64", rests);

	mdl_feed_expect_chains(f, "11", "irq5:a 201@0 > softirq4:BLOCK 220@0?");
	mdl_feed_free(f);
	f = mdl_feed_new("6.1.0-50-amd64", completed);
	mdl_feed_expect_chains(f, "11", "irq5:a 220@0?");
	mdl_feed_expect_facts(f, "11", "inferred write 1 800+4096 done 201 by -");
	mdl_feed_free(f);
	f = mdl_feed_new("6.1.0-50-amd64", reads);
	mdl_feed_expect_chains(f, "11", "irq5:a 201@0 > softirq4:BLOCK 220@0");
	mdl_feed_free(f);
}

/* Wakings are recorded, but this one is missing: the IPI brought it from another CPU. */
static void test_missing_waking(void)
{
	static const char *const events[] = { BEGIN, "150 0 waking 2 1", "200 0 ipi call_function_single",
		"220 0 wakeup 10 0", "230 0 ipiret call_function_single", END };

	expect(events, "ipi-:call_function_single 220@0?");
}

/* A timer belongs to the interrupt in which it expires, and not to the interrupted context. */
static void test_hrtimer(void)
{
	static const char *const in_vector[] = { BEGIN, ARM, "200 0 softirq 9",
		"210 0 vector 236 local_timer", "215 0 hrtimer 7 8", "220 0 waking 10 0", END };
	static const char *const upon_softirq[] = { BEGIN, ARM, "200 0 softirq 9", "215 0 hrtimer 7 8",
		"220 0 waking 10 0", END };
	static const char *const in_softirq[] = { BEGIN, ARM, "190 0 irq 5 a", "195 0 raise 8",
		"196 0 irqret 5", "200 0 softirq 8", "215 0 hrtimer 7 8", "220 0 waking 10 0", END };

	static const char *const may_be_tick[] = { BEGIN, "215 0 hrtimer 7 8", "220 0 waking 10 0", END };

	expect(in_vector, "vector236:local_timer 215@0 > hrtimer7 220@0");
	expect(upon_softirq, "hrtimer7 220@0");
	expect(in_softirq, "irq5:a 195@0 > softirq8:HRTIMER 215@0 > hrtimer7 220@0");
	expect(may_be_tick, "hrtimer7 220@0?");
}

/* Timers expire in interrupts without events, as on Hyper-V: these may have done what a thread, or a softirq
 * that it raised, seems to have done. */
static void test_untold(void)
{
#define CALL "80 0 vector 251 call_function_single", "81 0 vectorret 251 call_function_single"
#define SERIAL                                                                                             \
	"82 0 irq 4 serial", "83 0 irqret 4", "84 0 softirq 1", "85 0 softirqret 1", "86 0 switch 0 0 10", \
		"87 0 switch 10 2 20"
#define EXPIRES "90 0 hrtimer 9", "91 0 hrtimerret"
#define RECEIVED "200 0 raise 3", "210 0 softirq 3", "220 0 waking 10 0", END
	static const char *const untold[] = { CALL, SERIAL, EXPIRES, RECEIVED };
	static const char *const told[] = { CALL, SERIAL, "89 0 vector 236 local_timer", EXPIRES,
		"92 0 vectorret 236 local_timer", RECEIVED };
	static const char *const in_irq[] = { CALL, SERIAL, "89 0 irq 0 timer", EXPIRES, "92 0 irqret 0",
		RECEIVED };
	static const char *const in_softirq[] = { CALL, SERIAL, "89 0 softirq 8", EXPIRES,
		"92 0 softirqret 8", RECEIVED };
	static const char *const lost[] = { CALL, SERIAL, "88 0 gap", "89 0 gapend 88", EXPIRES,
		"92 0 vectorret 236 local_timer", "93 0 switch 20 0 21", RECEIVED };
	static const char *const begun[] = { CALL, "82 1 irq 4 serial", "83 1 irqret 4", "84 1 softirq 1",
		"85 1 softirqret 1", EXPIRES, "92 0 vectorret 236 local_timer", "93 0 switch 0 0 10",
		"94 0 switch 10 2 20", RECEIVED };
	static const char *const in_call[] = { CALL, SERIAL, EXPIRES, "200 0 irq 4 serial",
		"220 0 waking 10 0", END };

	expect(untold, "thread 20 200@0? > softirq3:NET_RX 220@0?");
	expect(told, "thread 20 200@0 > softirq3:NET_RX 220@0");
	expect(in_irq, "thread 20 200@0 > softirq3:NET_RX 220@0");
	expect(in_softirq, "thread 20 200@0 > softirq3:NET_RX 220@0");
	expect(lost, "thread 21 200@0 > softirq3:NET_RX 220@0");
	expect(begun, "thread 20 200@0 > softirq3:NET_RX 220@0");
	expect(in_call, "-");
}

/* One hrtimer of many expires in no recorded interrupt, as perf switches its events off: only that interrupt
 * is missing, until the next switch of the CPU. */
static void test_stray(void)
{
#define SERVED(at)                                                             \
	at " 0 vector 236 local_timer", at " 0 hrtimer 9", at " 0 hrtimerret", \
		at " 0 vectorret 236 local_timer"
#define FOUR(at) SERVED(at), SERVED(at), SERVED(at), SERVED(at)
#define MANY(at) FOUR(at), FOUR(at), FOUR(at), FOUR(at), FOUR(at), FOUR(at)
#define GOES "99 0 switch 20 0 21"
	static const char *const inside[] = { CALL, SERIAL, MANY("88"), EXPIRES, RECEIVED };
	static const char *const behind[] = { CALL, SERIAL, MANY("88"), EXPIRES, GOES, RECEIVED };
	static const char *const before[] = { CALL, SERIAL, EXPIRES, MANY("92"), GOES, RECEIVED };
	static const char *const few[] = { CALL, SERIAL, FOUR("88"), EXPIRES, GOES, RECEIVED };
	static const char *const many[] = { CALL, SERIAL, MANY("88"), "90 0 hrtimer 9", "90 0 hrtimerret",
		"90 0 hrtimer 9", "90 0 hrtimerret", EXPIRES, GOES, RECEIVED };

	expect(inside, "thread 20 200@0? > softirq3:NET_RX 220@0?");
	expect(behind, "thread 21 200@0 > softirq3:NET_RX 220@0");
	expect(before, "thread 21 200@0 > softirq3:NET_RX 220@0");
	expect(few, "thread 21 200@0? > softirq3:NET_RX 220@0?");
	expect(many, "thread 21 200@0? > softirq3:NET_RX 220@0?");
}

/* A page that the hypervisor had to fetch may arrive in an interrupt without an event. Only threads that wait
 * in user mode, uninterruptibly, wait for it. */
static void test_page(void)
{
	static const char *const page[] = { "0 0 allseen", "80 0 switch 0 0 10", "90 0 sys read",
		"91 0 sysret read", "100 0 switch 10 2 20", "220 0 waking 10 0", END };
	static const char *const call[] = { "0 0 allseen", "80 0 switch 0 0 10", "90 0 sys read",
		"100 0 switch 10 2 20", "220 0 waking 10 0", END };
	static const char *const signal[] = { "0 0 allseen", "80 0 switch 0 0 10", "90 0 sys read",
		"91 0 sysret read", "100 0 switch 10 1 20", "220 0 waking 10 0", END };

	expect(page, "thread 20 220@0?");
	expect(call, "-");
	expect(signal, "-");
}

/* A softirq that raises itself endlessly: middle rounds are dropped, not the origin. */
static void test_long(void)
{
	static const char *const vectors[] = { VECTORS };
	GPtrArray *events = g_ptr_array_new_with_free_func(g_free);

	for (size_t i = 0; i < G_N_ELEMENTS(vectors); i++)
		g_ptr_array_add(events, g_strdup(vectors[i]));
	g_ptr_array_add(events, g_strdup("100 0 switch 0 0 10"));
	g_ptr_array_add(events, g_strdup("102 0 switch 10 2 0"));
	g_ptr_array_add(events, g_strdup("110 0 irq 5 a"));
	g_ptr_array_add(events, g_strdup("111 0 raise 9"));
	g_ptr_array_add(events, g_strdup("112 0 irqret 5"));
	for (unsigned i = 0; i < 1000; i++) {
		g_ptr_array_add(events, g_strdup_printf("%u 0 softirq 9", 200 + 10 * i));
		g_ptr_array_add(events, g_strdup_printf("%u 0 raise 9", 201 + 10 * i));
		g_ptr_array_add(events, g_strdup_printf("%u 0 softirqret 9", 202 + 10 * i));
	}
	g_ptr_array_add(events, g_strdup("20000 0 softirq 9"));
	g_ptr_array_add(events, g_strdup("20001 0 waking 10 0"));
	g_ptr_array_add(events, g_strdup("20002 0 switch 0 0 10"));
	g_ptr_array_add(events, NULL);
	expect((const char *const *)events->pdata,
		"irq5:a 111@0 > softirq9:RCU 201@0 > softirq9:RCU 10171@0 > "
		"softirq9:RCU 10181@0 > softirq9:RCU 10191@0 > softirq9:RCU 20001@0");
	g_ptr_array_unref(events);
}

/* After lost events nothing older than their end is proved; newer events count. */
static void test_lost(void)
{
	static const char *const older[] = { "90 0 switch 0 0 10", REQUEST, "120 1 switch 0 0 20",
		"130 1 gap", "140 1 gapend 125", "150 1 none", "200 0 irq 5 nvme0q1",
		"210 0 complete 1 800 8 33", "220 0 waking 10 0", END };
	static const char *const newer[] = { "80 1 switch 0 0 20", "81 1 gap", "82 1 gapend 80", "83 1 none",
		"90 0 switch 0 0 10", REQUEST, "200 0 irq 5 nvme0q1", "210 0 complete 1 800 8 33",
		"220 0 waking 10 0", END };
	static const char *const own_raise[] = { /* an older raise on this CPU is forgotten */
		BEGIN, "200 0 irq 5 a", "201 0 raise 1", "202 0 irqret 5", "203 0 gap", "204 0 gapend 202",
		"205 0 none", "210 0 softirq 1", "220 0 waking 10 0", END
	};
	static const char *const sent_before[] = { BEGIN, "200 1 irq 28 disk", "210 1 sendipi 0", "211 1 gap",
		"212 1 gapend 210", "213 1 none", "220 0 vector 253 reschedule", "230 0 waking 10 0", END };
	static const char *const other_sends[] = { BEGIN, "200 1 irq 28 disk", "205 2 gap", "210 1 sendipi 0",
		"220 0 vector 253 reschedule", "230 0 waking 10 0", END };
	static const char *const other_irq[] = { "85 2 switch 0 0 30", "90 0 switch 0 0 10", REQUEST,
		"200 1 irq 28 disk", "205 1 irqret 28", "206 2 gap", BY_IPI, DONE, END };
	static const char *const within[] = { BEGIN, "150 0 gap", "200 0 irq 5 a",
		"210 0 complete 1 800 8 33", "220 0 waking 10 0", "230 0 gapend 102", "240 0 none", END };
	static const char *const lost_entry[] = { /* the raise may be of an interrupt whose entry was lost */
		BEGIN, "203 0 gap", "204 0 gapend 202", "205 0 raise 1", "206 0 raise 9", "210 0 softirq 1",
		"220 0 waking 10 0", END
	};
	struct mdl_feed *f = mdl_feed_new("6.1.0-50-amd64", older);

	mdl_feed_expect_chains(f, "10", "irq5:nvme0q1 220@0?");
	mdl_feed_expect_facts(f, "10",
		"inferred write 1 800+4096 queued 100 issued 110 done 210 by thread 10 100, lossy");
	mdl_feed_free(f);
	f = mdl_feed_new("6.1.0-50-amd64", newer);
	mdl_feed_expect_chains(f, "10", "irq5:nvme0q1 220@0");
	mdl_feed_expect_facts(f, "10", "write 1 800+4096 queued 100 issued 110 done 210 by thread 10 100");
	mdl_feed_free(f);
	expect(own_raise, "-");
	expect(lost_entry, "softirq1:TIMER 220@0?");
	expect(sent_before, "irq28:disk 210@1? > ipi253:reschedule 230@0?");
	expect(other_sends, "irq28:disk 210@1? > ipi253:reschedule 230@0");
	expect(other_irq, "ipi251:call_function_single 230@0? > softirq4:BLOCK 260@0?");
	expect(within, "-");
}

/* A wake-up sent on one CPU arrives on another, in an IPI or in the idle loop; also a wake-up that overtook
 * the switch. */
static void test_arrival(void)
{
	static const char *const in_ipi[] = { BEGIN, "105 1 switch 0 0 20", "200 1 waking 10 0",
		"210 0 vector 251 call_function_single", "220 0 wakeup 10 0", END };
	static const char *const polled[] = { BEGIN, "105 1 switch 0 0 20", "200 1 waking 10 0",
		"220 0 wakeup 10 0", END };
	static const char *const same[] = { BEGIN, "105 1 switch 0 0 20", "200 1 waking 10 0",
		"220 1 wakeup 10 0", END };
	static const char *const early[] = { "100 0 switch 0 0 10", "105 1 switch 0 0 20",
		"200 1 waking 10 0", "205 0 switch 10 2 0", "210 0 vector 251 call_function_single",
		"220 0 wakeup 10 0", END };
	static const char *const twice[] = { BEGIN, "105 1 switch 0 0 20", "200 1 waking 10 0",
		"210 1 wakeup 10 0", "220 0 wakeup 10 0", END };
	struct {
		const char *const *events;
		const char *facts;
	} cases[] = {
		{ in_ipi, "arrived 220 on 0 in ipi251:call_function_single/210" },
		{ polled, "arrived 220 on 0" },
		{ same, "-" },
		{ early, "arrived 220 on 0 in ipi251:call_function_single/210" },
		{ twice, "-" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct mdl_feed *f = mdl_feed_new("6.1.0-50-amd64", cases[i].events);

		mdl_feed_expect_facts(f, "10", cases[i].facts);
		mdl_feed_expect_chains(f, "10", "-");
		mdl_feed_free(f);
	}
}

#define TICK                                                                                                 \
	"90 0 irq 5 disk", "91 0 irqret 5", "92 0 vector 236 local_timer", "93 0 vectorret 236 local_timer", \
		"100 0 switch 0 0 10", "102 0 switch 10 2 0"
#define RAISED "200 0 irq 5 disk", "201 0 raise 9", "202 0 irqret 5", "205 0 softirq 9", "210 0 raise 1"
#define WOKEN "220 0 waking 10 0", "230 0 softirqret 9", END

/*
 * IPIs run functions that wake threads, and interrupt softirqs. None has occurred so far, so they may be
 * unrecorded. With a single CPU no other one sends any; if that CPU's own ones are declared, they are
 * recorded.
 */
static void test_lone(void)
{
	static const char *const unseen[] = { TICK, RAISED, WOKEN };
	static const char *const seen[] = { "80 0 vector 251 call_function_single",
		"81 0 vectorret 251 call_function_single", TICK, RAISED, WOKEN };
	static const char *const lone[] = { "0 0 lone", TICK, RAISED, WOKEN };
	static const char *const ipis[] = { "0 0 lone ipis", TICK, RAISED, WOKEN };
	static const char *const arm[] = { "0 0 lone ipis", "80 0 irq 3 arch_timer", "81 0 irqret 3", TICK,
		RAISED, WOKEN };
	static const char *const two[] = { "0 0 lone", TICK, "150 1 switch 0 0 20", RAISED, WOKEN };
	static const char *const raised[] = { TICK, RAISED, "230 0 softirqret 9", "240 0 softirq 1",
		"250 0 waking 10 0", END };
	static const char *const lone_raised[] = { "0 0 lone", TICK, RAISED, "230 0 softirqret 9",
		"240 0 softirq 1", "250 0 waking 10 0", END };

	expect(unseen, "irq5:disk 201@0 > softirq9:RCU 220@0?");
	expect(seen, "irq5:disk 201@0 > softirq9:RCU 220@0");
	expect(lone, "irq5:disk 201@0 > softirq9:RCU 220@0");
	expect(two, "irq5:disk 201@0 > softirq9:RCU 220@0?");
	expect(ipis, "irq5:disk 201@0 > softirq9:RCU 220@0?"); /* x86 and PowerPC also declare these */
	expect(arm, "irq5:disk 201@0 > softirq9:RCU 220@0");
	expect(raised, "irq5:disk 201@0 > softirq9:RCU 210@0? > softirq1:TIMER 250@0?");
	expect(lone_raised, "irq5:disk 201@0 > softirq9:RCU 210@0 > softirq1:TIMER 250@0");
}

/* An IPI to several CPUs. If several IPIs are on their way, the function queued for the CPU identifies the
 * sender. An idle CPU that polls needs no IPI. */
static void test_called(void)
{
	static const char *const mask[] = { BEGIN, "200 1 irq 28 disk", "210 1 sendipi - 5",
		"215 1 irqret 28", "220 0 vector 252 call_function", "230 0 waking 10 0",
		"235 0 vectorret 252 call_function", END };
	static const char *const other_mask[] = { BEGIN, "200 1 irq 28 disk", "210 1 sendipi - 6",
		"215 1 irqret 28", "220 0 vector 252 call_function", "230 0 waking 10 0",
		"235 0 vectorret 252 call_function", END };
	static const char *const two[] = { BEGIN, "199 2 switch 0 0 30", "200 1 irq 28 disk",
		"210 1 csd 0x77 0", "211 1 sendipi 0", "215 1 irqret 28", "216 2 csd 0x88 0",
		"217 2 sendipi 0", "220 0 vector 251 call_function_single", "221 0 csdcall 0x88",
		"222 0 csdret 0x88", "223 0 csdcall 0x77", "230 0 waking 10 0", "231 0 csdret 0x77",
		"235 0 vectorret 251 call_function_single", END };
	static const char *const polls[] = { BEGIN, "0 0 allseen", "200 1 irq 28 disk", "210 1 csd 0x77 0",
		"215 1 irqret 28", "223 0 csdcall 0x77", "224 0 raise 4", "231 0 csdret 0x77",
		"240 0 softirq 4", "250 0 waking 10 0", "255 0 softirqret 4", END };
	static const char *const after[] = { BEGIN, "200 1 irq 28 disk", "210 1 csd 0x77 0",
		"215 1 irqret 28", "223 0 csdcall 0x77", "231 0 csdret 0x77", "232 0 raise 4",
		"240 0 softirq 4", "250 0 waking 10 0", "255 0 softirqret 4", END };
	/* Behind a recorded call, for example of an irq_work queued by another CPU. */
	static const char *const behind[] = { BEGIN, "200 1 irq 28 disk", "210 1 csd 0x77 0",
		"211 1 sendipi 0", "215 1 irqret 28", "220 0 vector 251 call_function_single",
		"223 0 csdcall 0x77", "224 0 csdret 0x77", "230 0 waking 10 0", END };
	/* Not recorded: CPU 2 may have queued the function called in the IPI of CPU 1. */
	static const char *const queued_too[] = { "0 0 allseen", "90 2 switch 0 0 0", BEGIN,
		"200 1 irq 28 disk", "210 1 sendipi 0", "215 1 irqret 28", "216 2 switch 0 0 30",
		"220 0 vector 251 call_function_single", "225 0 raise 3",
		"230 0 vectorret 251 call_function_single", "240 0 softirq 3", "250 0 waking 10 0", END };
	static const char *const queued_alone[] = { "0 0 allseen", "90 2 switch 0 0 0", BEGIN,
		"200 1 irq 28 disk", "210 1 sendipi 0", "215 1 irqret 28",
		"220 0 vector 251 call_function_single", "225 0 raise 3",
		"230 0 vectorret 251 call_function_single", "240 0 softirq 3", "250 0 waking 10 0", END };

	expect(mask, "irq28:disk 210@1 > ipi252:call_function 230@0");
	expect(other_mask, "-");
	expect(two, "irq28:disk 210@1 > ipi251:call_function_single 230@0");
	expect(polls, "irq28:disk 210@1 > thread idle0 224@0 > softirq4:BLOCK 250@0");
	expect(after, "-");
	expect(behind, "irq28:disk 210@1? > ipi251:call_function_single 230@0");
	expect(queued_too, "irq28:disk 210@1? > ipi251:call_function_single 225@0 > softirq3:NET_RX 250@0");
	expect(queued_alone, "irq28:disk 210@1 > ipi251:call_function_single 225@0 > softirq3:NET_RX 250@0");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/chains/by-ipi", test_by_ipi);
	g_test_add_func("/chains/sender", test_sender);
	g_test_add_func("/chains/polled", test_polled);
	g_test_add_func("/chains/hit-softirq", test_hit_softirq);
	g_test_add_func("/chains/sent", test_sent);
	g_test_add_func("/chains/raises", test_raises);
	g_test_add_func("/chains/no-raises", test_no_raises);
	g_test_add_func("/chains/hrtimer", test_hrtimer);
	g_test_add_func("/chains/untold", test_untold);
	g_test_add_func("/chains/stray", test_stray);
	g_test_add_func("/chains/page", test_page);
	g_test_add_func("/chains/missing-waking", test_missing_waking);
	g_test_add_func("/chains/shared", test_shared);
	g_test_add_func("/chains/other-cpus", test_other_cpus);
	g_test_add_func("/chains/no-exits", test_no_exits);
	g_test_add_func("/chains/timer-behind", test_timer_behind);
	g_test_add_func("/chains/worker-at-rest", test_worker_at_rest);
	g_test_add_func("/chains/long", test_long);
	g_test_add_func("/chains/lost", test_lost);
	g_test_add_func("/chains/arrival", test_arrival);
	g_test_add_func("/chains/lone", test_lone);
	g_test_add_func("/chains/called", test_called);
	return g_test_run();
}
