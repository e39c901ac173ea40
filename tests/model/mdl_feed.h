/* SPDX-License-Identifier: MIT */
/*
 * The state machine fed by hand: events as lines of text, what comes out as
 * text too, so that a test reads like a trace with the answer beside it.
 *
 * An event is "TIME CPU KIND ARGS…", "-" for a field the trace does not have:
 *
 *	100 0 switch PREV STATE NEXT [PREV-NAME NEXT-NAME]	110 0 waking TID TARGET [NAME]	(wakeup,
 *wakeup_new)
 *	120 0 migrate TID CPU		130 0 rename TID NAME	140 0 fork TID PID CHILD-TID CHILD-PID [NAME
 *CHILD-NAME] 150 0 exec TID OLD-TID FILE	160 0 exit TID		170 0 free TID 180 0 sys NAME (sysret)
 *185 0 call NAME ARGUMENT… (sys, with arguments that are read)
 *190 0 irq NR [NAME] (irqret NR)	200 0 softirq VEC (softirqret) 210 0 hrtimer FN (hrtimerret)	220 0
 *vector NR NAME (vectorret)	230 0 ipi REASON (ipiret) 240 0 dump TID PID PPID STATUS TYPE CPU [NAME]
 *250 0 dumpirq NR CHIP NAME 260 0 gap	270 0 gapend LAST 300 0 arm TIMER [FN] (hrtimer_start; more below)
 *armwheel TIMER [FN] (timer_start)	disarm TIMER 330 0 queue WORK [FN]	340 0 work WORK [FN] (workret
 *WORK)	350 0 signal NR TID RESULT [CODE GROUP]	360 0 dumpblock DEV NAME 370 0 send SKB LENGTH DEVICE
 *[10.0.0.1:80>10.0.0.2:4000#SEQUENCE]	(receive; without headers: they were not recorded) 380 0 raise VEC
 *390 0 sendipi CPU [MASK REASON CALLER] (csd CSD CPU, csdcall CSD, csdret CSD) 400 0 bio DEV SECTOR SECTORS RWBS
 *(merge, get, requeue, complete; insert, issue, mergerq: BYTES, too; remap: OLD-DEV OLD-SECTOR, too) 310 0
 *hrtimer FN TIMER [NOW] (hrtimerret)	320 0 wheel TIMER [FN
 *- BASECLK JIFFIES] (wheelret TIMER) 300 0 arm TIMER [FN EXPIRES SOFTEXPIRES]	armwheel TIMER [FN EXPIRES
 *BUCKET JIFFIES FLAGS] 400 0 enter	410 0 leave REASON ISA [CLASS]	420 0 kvm (KVM's)
 *430 0 by msi|ioapic|ipi DATA (by line - - - LEVEL)
 *440 0 post VECTOR APIC [MODE LEVEL] (direct, eoi) 450 0 inject VECTOR [- - AGAIN] 0 0 somecalls, 0 0
 *lone [ipis], no events: see struct mdl_coverage 0 0 clock ZERO, no event: times
 *come from CLOCK_MONOTONIC, see mdl_machine_clock(), 0 0 goeson: see mdl_machine_clock_goes_on().  KIND^h, ^s, ^: the tracer says that the CPU is in a
 *hard interrupt, a softirq, or neither; waking!, wakeup!: TID is who has it. 0 0 noexits, no event: no exits
 *of interrupts and softirqs were recorded so far; else those of all kinds were.  0 0 allseen, no event:
 *interrupts of all kinds were recorded before 0 0 cut WHOLE [TID], no event: see mdl_machine_cut() 0 0 begins, no event: what came before may be under way 0 0
 *nobios, 0 0 nopolls, no events: nor were bios, or ends of polls; else they were
 *
 * 450 0 suspend 1|0 PART (1: it begins)	460 0 cpuhp CPU STEP TARGET [FN] (cpuhpret CPU STEP - - RET)
 *
 * A row is "TID", "TID#2" (its second life), "idle0", "cpu0", "irq5",
 * "softirq4/0", "vcpu10" (what thread 10 runs), "dev1" ("(2+1)": two requests in flight, one queued).  Its
 *intervals read "0-100 unknown, 100-150 running @0":
 *"(…)" behind the state is its detail, "@" the CPU; for a CPU "100-150 running 10" names the thread on it.
 *The end of the trace is the time of the last event.
 */
#ifndef MDL_FEED_H
#define MDL_FEED_H

#include "model/machine.h"

#include <glib.h>

struct mdl_feed;

/* Feed EVENTS (NULL-terminated) to a machine for kernel RELEASE.  The trace begins at time 0. */
struct mdl_feed *mdl_feed_new(const char *release, const char *const *events);
/* Feed all events of the real trace NAME, a folder among the samples or beside them; NULL when it is not at
 * hand. */
struct mdl_feed *mdl_feed_new_sample(const char *name);
/* Also checks what must hold of every row: no hole, no overlap, nothing empty, no two neighbours alike,
 * wake-ups in order, nothing after it is over. */
void mdl_feed_free(struct mdl_feed *f);
const struct mdl_machine *mdl_feed_machine(const struct mdl_feed *f);

/* All intervals of ROW are EXPECTED. */
void mdl_feed_expect(const struct mdl_feed *f, const char *row, const char *expected);
/* The same without details and CPUs. */
void mdl_feed_expect_states(const struct mdl_feed *f, const char *row, const char *expected);
/* The same, of ROW's last ones alone. */
void mdl_feed_expect_last_states(const struct mdl_feed *f, const char *row, const char *expected);
/*
 * All wake-ups of thread ROW are EXPECTED: "150 waking #7 by 20 cpu 1>0 since 100 ran 160 in irq5:name/140
 * softirq4:BLOCK/145", joined with ", ".
 * "#7": the event's rank; what is unknown is "-"; "in" and what follows only in contexts.
 */
void mdl_feed_expect_wakeups(const struct mdl_feed *f, const char *row, const char *expected);
/* All names of thread ROW are EXPECTED: "0 a, 100 b". */
void mdl_feed_expect_names(const struct mdl_feed *f, const char *row, const char *expected);
/*
 * The facts of the causes of all wake-ups of thread ROW are EXPECTED, joined with "; ", "-" for a wake-up
 *without cause:
 *
 *	timer FN at 150 armed by ACT	timer FN not needed armed by ACT	timer FN at 150 on 0 due
 *140-10 armed by ACT (-10: its slack)
 *	work FN since 140 queued by ACT	work FN just queued by ACT	signal 17 by ACT
 *	packet 80>4000#SEQUENCE on DEVICE at 150 sent by ACT (without headers: "packet on DEVICE …")
 *	write 1 SECTOR+BYTES merged 2 queued 100 inserted 110 issued 120 done 150 by ACT issuer ACT (the
 *issuer where it is another) arrived 150 on 1 in CONTEXT	pending TIMER SCHED	vector 41 by msi
 *(perhaps) lossy; a timer perhaps not needed
 *	frozen from 30 since 20 thawed|woken|in between by ACT stopped 5-9 (perhaps)	cpu 7 down step 143 since 20
 *
 * ACT is who did it and when: "thread 10 100", "hrtimer15 100" (the context), "-" for nobody known.
 */
void mdl_feed_expect_facts(const struct mdl_feed *f, const char *row, const char *expected);
/* The same for the one wake-up of ROW at TIME. */
void mdl_feed_expect_facts_at(const struct mdl_feed *f, const char *row, int64_t time, const char *expected);
/*
 * The steps of the requests of the causes of all wake-ups of thread ROW are EXPECTED, joined with "; ", "-"
 *where there are none:
 *
 *	110 queue 113 flush-before 121 queue? 131 device 141	("?" inferred)
 */
void mdl_feed_expect_steps(const struct mdl_feed *f, const char *row, const char *expected);
/* The same of the wake-up of ROW at TIME alone. */
void mdl_feed_expect_steps_at(const struct mdl_feed *f, const char *row, int64_t time, const char *expected);
/*
 * The chains of the causes of all wake-ups of thread ROW are EXPECTED, joined with "; ", "-" for an empty
 *one:
 *
 *	irq5:disk 110@1? > softirq4:BLOCK 120@0	(ACT@CPU; "?" inferred, "??" unsure)
 */
void mdl_feed_expect_chains(const struct mdl_feed *f, const char *row, const char *expected);
/* The same of the wake-up of ROW at TIME alone. */
void mdl_feed_expect_chain_at(const struct mdl_feed *f, const char *row, int64_t time, const char *expected);
/*
 * All waits for IPIs are EXPECTED, as they came: "10: 100-150 on 0 for 6 last 2 in 140" (thread, from when to
 * when, its CPU, those of the mask in hex, the last one and when that entered it), with "?" if in doubt.
 */
void mdl_feed_expect_ipi_waits(const struct mdl_feed *f, const char *expected);
/*
 * All spans of KIND are EXPECTED, as they came: "read 100-150 10, write 160 open 10, read 170 lost 10": key,
 * from when to when or what became of it, row ("10", "irq5", "softirq4", "cpu0", "-" none).
 */
void mdl_feed_expect_spans(const struct mdl_feed *f, enum mdl_span_kind kind, const char *expected);
/* For those who print more: */
guint mdl_feed_wakeup_count(const struct mdl_feed *f, const char *row);
const struct mdl_wakeup *mdl_feed_wakeup(const struct mdl_feed *f, const char *row, guint i);
/* Wake-up I of row number ROW; NULL when there are no more. */
const struct mdl_wakeup *mdl_feed_wakeup_at(const struct mdl_feed *f, uint32_t row, guint i);
/* The cause with NUMBER; NULL for 0. */
const struct mdl_cause *mdl_feed_cause(const struct mdl_feed *f, uint32_t number);
void mdl_feed_append_thread(GString *s, const struct mdl_feed *f, uint32_t row);
void mdl_feed_append_context(GString *s, const struct mdl_feed *f, uint32_t context);
/* The row itself; the test fails when there is none. */
const struct mdl_row *mdl_feed_row(const struct mdl_feed *f, const char *row);
/* How many rows came, and row number ROW, as in struct mdl_row.parent. */
uint32_t mdl_feed_row_count(const struct mdl_feed *f);
const struct mdl_row *mdl_feed_row_at(const struct mdl_feed *f, uint32_t row);
bool mdl_feed_has_row(const struct mdl_feed *f, const char *row);

#endif
