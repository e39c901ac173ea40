/* SPDX-License-Identifier: MIT */
/*
 * The state machine fed by hand. Events and results are lines of text, so a test reads like a trace with the
 * answer beside it.
 *
 * An event is "TIME CPU KIND ARGS…"; "-" is a field that the trace does not have. The main kinds,
 * in "(…)" others with the same arguments (kinds[] in mdl_feed.c has all):
 *
 *	switch PREV STATE NEXT [PREV-NAME NEXT-NAME]
 *	waking TID TARGET [NAME]	(wakeup, wakeup_new)
 *	migrate TID CPU
 *	rename TID NAME
 *	fork TID PID CHILD-TID CHILD-PID [NAME CHILD-NAME]
 *	exec TID OLD-TID FILE
 *	exit TID
 *	free TID
 *	sys NAME			(sysret)
 *	call NAME ARGUMENT…		like sys, with the arguments that the model reads
 *	irq NR [NAME]			irqret NR [RET]
 *	softirq VEC			(softirqret)
 *	raise VEC
 *	hrtimer FN [TIMER [NOW]]	hrtimerret
 *	arm TIMER [FN EXPIRES SOFTEXPIRES]	hrtimer_start
 *	armwheel TIMER [FN EXPIRES BUCKET JIFFIES FLAGS]	timer_start
 *	wheel TIMER [FN - BASECLK JIFFIES]	wheelret TIMER
 *	disarm TIMER
 *	vector NR NAME			(vectorret)
 *	ipi REASON			(ipiret)
 *	sendipi CPU [MASK REASON CALLER]
 *	csd CSD CPU			csdcall CSD, csdret CSD
 *	dump TID PID PPID STATUS TYPE CPU [NAME]
 *	dumpirq NR CHIP NAME
 *	dumpblock DEV NAME
 *	gap				gapend LAST
 *	queue WORK [FN]
 *	work WORK [FN]			workret WORK
 *	signal NR TID RESULT [CODE GROUP]
 *	send SKB LENGTH DEVICE [10.0.0.1:80>10.0.0.2:4000#SEQUENCE]	(receive); without headers they
 *					were not recorded
 *	bio DEV SECTOR SECTORS RWBS	(merge, get, requeue, complete); insert, issue, mergerq also have
 *					BYTES, remap has OLD-DEV OLD-SECTOR
 *	enter				KVM; leave REASON ISA [CLASS], kvm
 *	by msi|ioapic|ipi DATA		by line - - - LEVEL
 *	post VECTOR APIC [MODE LEVEL]	(direct, eoi)
 *	inject VECTOR [- - AGAIN]
 *	suspend 1|0 PART		1: it begins
 *	cpuhp CPU STEP TARGET [FN]	cpuhpret CPU STEP - - RET
 *
 * KIND^h, KIND^s, KIND^: the tracer's flags say that the CPU is in a hard interrupt, a softirq, or neither.
 * waking!, wakeup!: TID is the running thread.
 *
 * These words are no events:
 *
 *	somecalls, lone [ipis]		see struct mdl_coverage
 *	clock ZERO			times are of CLOCK_MONOTONIC, see mdl_machine_clock()
 *	goeson				see mdl_machine_clock_goes_on()
 *	noexits				no exits of interrupts and softirqs were recorded so far (else all)
 *	nobios, nopolls			no bios, no ends of polls were recorded so far (else they were)
 *	allseen				interrupts of all kinds were recorded before
 *	somevectors			some vectors are not recorded
 *	namesnobody			see mdl_machine_names_nobody()
 *	callsof TID			see mdl_machine_calls_of()
 *	begins				things from before may be under way
 *	cut WHOLE [TID]			see mdl_machine_cut()
 *
 * A row is "TID", "TID#2" (its second life), "idle0", "cpu0", "irq5", "softirq4/0", "vcpu10" (run by thread
 * 10) or "dev1" ("(2+1)": two requests in flight, one queued). Its intervals read "0-100 unknown, 100-150
 * running @0": "(…)" behind the state is its detail, "@" the CPU. For a CPU "100-150 running 10" names the
 * thread on it. The end of the trace is the time of the last event.
 */
#ifndef MDL_FEED_H
#define MDL_FEED_H

#include "model/machine.h"

#include <glib.h>

struct mdl_feed;

/* Feed EVENTS (NULL-terminated) to a machine for kernel RELEASE.  The trace begins at time 0. */
struct mdl_feed *mdl_feed_new(const char *release, const char *const *events);
/* Feed all events of the real trace NAME, a folder among the samples or beside them; NULL if it is missing. */
struct mdl_feed *mdl_feed_new_sample(const char *name);
/* Free F and check every row: its intervals have no hole, no overlap, no empty one, no two equal neighbours;
 * its wake-ups are in order; nothing comes after its end. */
void mdl_feed_free(struct mdl_feed *f);
const struct mdl_machine *mdl_feed_machine(const struct mdl_feed *f);

/* All intervals of ROW are EXPECTED. */
void mdl_feed_expect(const struct mdl_feed *f, const char *row, const char *expected);
/* Like mdl_feed_expect(), without details and CPUs. */
void mdl_feed_expect_states(const struct mdl_feed *f, const char *row, const char *expected);
/* Like mdl_feed_expect_states(), for the last intervals of ROW only. */
void mdl_feed_expect_last_states(const struct mdl_feed *f, const char *row, const char *expected);
/*
 * All wake-ups of thread ROW are EXPECTED: "150 waking #7 by 20 cpu 1>0 since 100 ran 160 in irq5:name/140
 * softirq4:BLOCK/145", joined with ", ".
 * "#7" is the event's rank, "-" an unknown part; "in …" comes only for wake-ups within contexts.
 */
void mdl_feed_expect_wakeups(const struct mdl_feed *f, const char *row, const char *expected);
/* All names of thread ROW are EXPECTED: "0 a, 100 b". */
void mdl_feed_expect_names(const struct mdl_feed *f, const char *row, const char *expected);
/*
 * The facts of the causes of all wake-ups of thread ROW are EXPECTED, joined with "; "; "-" is a wake-up
 * without a cause:
 *
 *	timer FN at 150 armed by ACT
 *	timer FN not needed armed by ACT	(perhaps not needed)
 *	timer FN at 150 on 0 due 140-10 armed by ACT	(-10: its slack)
 *	work FN since 140 queued by ACT
 *	work FN just queued by ACT
 *	signal 17 by ACT
 *	packet 80>4000#SEQUENCE on DEVICE at 150 sent by ACT	(without headers: "packet on DEVICE …")
 *	write 1 SECTOR+BYTES merged 2 queued 100 inserted 110 issued 120 done 150 by ACT issuer ACT
 *		(issuer: if it is another thread)
 *	arrived 150 on 1 in CONTEXT
 *	pending TIMER SCHED
 *	vector 41 by msi
 *	(perhaps) lossy
 *	frozen from 30 since 20 thawed|woken|in between by ACT stopped 5-9 (perhaps)
 *	cpu 7 down step 143 since 20
 *
 * ACT is the actor and its time: "thread 10 100", "hrtimer15 100" (the context), "-" if unknown.
 */
void mdl_feed_expect_facts(const struct mdl_feed *f, const char *row, const char *expected);
/* Like mdl_feed_expect_facts(), for the only wake-up of ROW at TIME. */
void mdl_feed_expect_facts_at(const struct mdl_feed *f, const char *row, int64_t time, const char *expected);
/*
 * The steps of the requests that ended the waits of thread ROW are EXPECTED, joined with "; "; "-" is a
 * wake-up without steps:
 *
 *	110 queue 113 flush-before 121 queue? 131 device 141	("?" inferred)
 */
void mdl_feed_expect_steps(const struct mdl_feed *f, const char *row, const char *expected);
/* Like mdl_feed_expect_steps(), for the wake-up of ROW at TIME only. */
void mdl_feed_expect_steps_at(const struct mdl_feed *f, const char *row, int64_t time, const char *expected);
/*
 * The chains of the causes of all wake-ups of thread ROW are EXPECTED, joined with "; "; "-" is an empty
 * one:
 *
 *	irq5:disk 110@1? > softirq4:BLOCK 120@0	(ACT@CPU; "?" inferred, "??" unsure)
 */
void mdl_feed_expect_chains(const struct mdl_feed *f, const char *row, const char *expected);
/* Like mdl_feed_expect_chains(), for the wake-up of ROW at TIME only. */
void mdl_feed_expect_chain_at(const struct mdl_feed *f, const char *row, int64_t time, const char *expected);
/*
 * All waits for IPIs are EXPECTED, in order of recording: "10: 100-150 on 0 for 6 last 2 in 140" (thread,
 * begin and end, its CPU, the mask of target CPUs in hex, the last of them and when that one entered the IPI),
 * with "?" if in doubt.
 */
void mdl_feed_expect_ipi_waits(const struct mdl_feed *f, const char *expected);
/*
 * All spans of KIND are EXPECTED, in order of recording: "read 100-150 10, write 160 open 10, read 170 lost
 * 10": key, begin and end or fate, row ("10", "irq5", "softirq4", "cpu0", "-" none).
 */
void mdl_feed_expect_spans(const struct mdl_feed *f, enum mdl_span_kind kind, const char *expected);
/* For tests that print more: */
guint mdl_feed_wakeup_count(const struct mdl_feed *f, const char *row);
const struct mdl_wakeup *mdl_feed_wakeup(const struct mdl_feed *f, const char *row, guint i);
/* Wake-up I of row number ROW; NULL when there are no more. */
const struct mdl_wakeup *mdl_feed_wakeup_at(const struct mdl_feed *f, uint32_t row, guint i);
/* The cause with NUMBER; NULL for 0. */
const struct mdl_cause *mdl_feed_cause(const struct mdl_feed *f, uint32_t number);
void mdl_feed_append_thread(GString *s, const struct mdl_feed *f, uint32_t row);
void mdl_feed_append_context(GString *s, const struct mdl_feed *f, uint32_t context);
/* The row; the test fails if it does not exist. */
const struct mdl_row *mdl_feed_row(const struct mdl_feed *f, const char *row);
/* The number of rows, and row number ROW, as in struct mdl_row.parent. */
uint32_t mdl_feed_row_count(const struct mdl_feed *f);
const struct mdl_row *mdl_feed_row_at(const struct mdl_feed *f, uint32_t row);
bool mdl_feed_has_row(const struct mdl_feed *f, const char *row);

#endif
