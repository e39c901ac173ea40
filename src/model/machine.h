/* SPDX-License-Identifier: MIT */
/*
 * The kernel's state, event by event: the thread on each CPU, its mode, the interrupts on top of it, what
 * each thread waits for and since when, and what ended each wait.
 *
 * Pure: it does no I/O. Results go out through the hooks of a sink, row by row in time order: intervals,
 * wake-ups, names.
 */
#ifndef MDL_MACHINE_H
#define MDL_MACHINE_H

#include "base/base_text.h"
#include "model/core/sink.h"
#include "model/event/event.h"
#include "model/event/fact.h"
#include "model/event/power.h"
#include "model/kernel/coverage.h"
#include "model/span/span.h"

#include <glib.h>

struct mdl_machine;

/* Life cycle: new, the settings below, begin, events…, finish, queries of contexts and strings, free.
 * RELEASE is the kernel's release string. */
struct mdl_machine *mdl_machine_new(const struct mdl_sink *sink, void *data, const char *release);
void mdl_machine_free(struct mdl_machine *m);
/* Facts about the recording. Before the first event the caller may set what it knows
 * (mdl_coverage_declare()). */
struct mdl_coverage *mdl_machine_coverage(struct mdl_machine *m);

/* The kind of the machine, as uname -m prints it ("x86_64"). Before the first event, if it is known. */
void mdl_machine_kind(struct mdl_machine *m, const char *kind);
/* Times come from CLOCK_MONOTONIC, which showed 0 at ZERO (ns of the trace).  Before the first event.
 * Without this call the clock of the times is unknown. */
void mdl_machine_clock(struct mdl_machine *m, int64_t zero);
/* The clock of the times runs on while a suspend stops time-keeping. Before the first event. */
void mdl_machine_clock_goes_on(struct mdl_machine *m);

/* At the end of the trace TID was a thread of process PID (-1: unknown) with the name NAME (NULL: unknown;
 * hostile).  Used for what the events leave open.  Before the first event. */
void mdl_machine_saved(struct mdl_machine *m, int64_t tid, int64_t pid, const char *name);

/* The trace is a cut of another one. For gaps that begin before WHOLE (ns): no blocked thread stops being
 * blocked before WHOLE, unless PASSED(DATA, tid, blocked since) is true. DATA is weak. Before the first
 * event. */
void mdl_machine_cut(struct mdl_machine *m, int64_t whole,
	bool (*passed)(const void *data, int64_t tid, int64_t since), const void *data);

/* The trace has all system calls only of threads for which HAS_CALLS(DATA, tid) is true. It is unknown
 * whether the other threads are in a call. DATA is weak. Before the first event. */
void mdl_machine_calls_of(struct mdl_machine *m, bool (*has_calls)(const void *data, int64_t tid),
	const void *data);

/* The trace has no sched_switch at all. A woken thread would seem to wait for a CPU for ever, so the states
 * of all threads are unknown throughout. Before the first event. */
void mdl_machine_lacks_switches(struct mdl_machine *m);

/* Events do not name the running thread. Before the first event. */
void mdl_machine_names_nobody(struct mdl_machine *m);

/* Feed one event; times must not step back. */
void mdl_machine_event(struct mdl_machine *m, const struct mdl_event *event);

/* The trace begins at FROM, the time of its first event of any kind; set it before the first event with
 * mdl_machine_begin().  It ends at TO, not before the last event. */
void mdl_machine_begin(struct mdl_machine *m, int64_t from);
void mdl_machine_finish(struct mdl_machine *m, int64_t to);

/* Results that are complete after finish.  Owned by the machine. */
uint32_t mdl_machine_context_count(const struct mdl_machine *m);
const struct mdl_context *mdl_machine_context(const struct mdl_machine *m, uint32_t context);
const struct base_strings *mdl_machine_strings(const struct mdl_machine *m);
/* CPUs that threads took off-line or brought on-line: struct mdl_hotplug_seen, in order of time. */
const GArray *mdl_machine_hotplugs(const struct mdl_machine *m);
/* Suspends: struct mdl_suspend_seen, in order of time. */
const GArray *mdl_machine_suspends(const struct mdl_machine *m);
/* The counters that were read with events. */
const struct mdl_counting *mdl_machine_counting(const struct mdl_machine *m);
/* Names of block devices: struct mdl_device, in order of number. */
const GArray *mdl_machine_devices(const struct mdl_machine *m);

/* Costs of a trace besides its events: approximate bytes of memory for its rows so far, and the total number
 * of threads that were visited because events were lost. */
uint64_t mdl_machine_memory(const struct mdl_machine *m);
uint64_t mdl_machine_gone_over(const struct mdl_machine *m);

/* The number of sched_switch events so far, and of events that were left out because they named a TID outside
 * 0 … 4194303 (kernel: PID_MAX_LIMIT). */
uint64_t mdl_machine_switches(const struct mdl_machine *m);
uint64_t mdl_machine_bad_tids(const struct mdl_machine *m);
/* Only switches away from some threads were recorded. Before the first event, if at all. */
void mdl_machine_set_away_only(struct mdl_machine *m);
/* True after mdl_machine_set_away_only(), or if MDL_EV_FIRST showed it. */
bool mdl_machine_away_only(const struct mdl_machine *m);
/* True if, as far as the events show, only the switches of some threads were recorded. */
bool mdl_machine_has_set(const struct mdl_machine *m);
const struct mdl_vcpu_notes *mdl_machine_vcpu_notes(const struct mdl_machine *m);
/* Number of interrupts that were posted to guests, to an unknown virtual CPU. */
uint64_t mdl_machine_lost_virqs(const struct mdl_machine *m);

#endif
