/* SPDX-License-Identifier: MIT */
/* Real traces for the tests of the analyses: opened once per program, with the times their workloads wrote
 * into them. */
#ifndef ANA_FIXTURE_H
#define ANA_FIXTURE_H

#include "analysis/path/path.h"

struct ana_fixture;

/* The trace NAME of sample-traces, or else of $SHARED_TRACES; NULL if neither has it (the caller skips
 * its test).  Lives until ana_fixture_run() returns. */
struct ana_fixture *ana_fixture_open(const char *name);
/* Closes all open traces; they can be opened again. */
void ana_fixture_close_all(void);
/* Runs the tests of the program and frees everything; returns the program's exit status. */
int ana_fixture_run(void);
/* In a test: F is the trace NAME (a literal); the test is skipped if it is not there. */
#define ANA_FIXTURE_OR_SKIP(f, name)                    \
	struct ana_fixture *f = ana_fixture_open(name); \
	if (!f) {                                       \
		g_test_skip(name " is not there");      \
		return;                                 \
	}
struct qry *ana_fixture_qry(const struct ana_fixture *f);

/* Names of all traces at hand, NULL-terminated; owned by the fixture until ana_fixture_run() returns. */
char **ana_fixture_names(void);
/* Names of the LTTng traces in the folder inputs of $SHARED_TRACES, beside files of other tracers:
 * "inputs/pipeline/lttng". */
char **ana_fixture_inputs(void);

/* The time at which the workload wrote TEXT into the trace, from babeltrace2's text. */
int64_t ana_fixture_marker(struct ana_fixture *f, const char *text);
/* The time of the first event after TIME whose name is EVENT and whose fields contain FIELD, as
 * babeltrace2 prints them ("tid = 434,"). */
int64_t ana_fixture_event(struct ana_fixture *f, int64_t time, const char *event, const char *field);
/* "10:03:04.947248975" of the day on which the traces were recorded (20 November 2026, UTC). */
int64_t ana_fixture_at(const char *clock);
/* The thread with this TID; the test fails unless there is exactly one. */
uint32_t ana_fixture_thread(const struct ana_fixture *f, int64_t tid);
/* The thread that SPEC names, as for qry_find_thread() ("httpd/wk-server"); the test fails unless there
 * is exactly one. */
uint32_t ana_fixture_find(const struct ana_fixture *f, const char *spec);

/* The path of TID over [FROM, TO), which must exist. */
struct ana_path *ana_fixture_path(const struct ana_fixture *f, int64_t tid, int64_t from, int64_t to);
/* Segment I, and its actor. */
const struct ana_segment *ana_fixture_segment(const struct ana_path *p, guint i);
const struct ana_actor *ana_fixture_actor(const struct ana_path *p, const struct ana_segment *s);
/* Checks that the segments of P follow each other from its begin to its end, each for a reason. */
void ana_fixture_check_cover(const struct ana_path *p);
/* Index of the segment that holds TIME; UINT32_MAX outside. */
uint32_t ana_fixture_segment_at(const struct ana_path *p, int64_t time);
/* The end of the wait that segment I is a part of. */
int64_t ana_fixture_end_of_wait(const struct ana_path *p, guint i);
/* Time (ns) on the path that ACTOR (NULL: any) spent in KIND (ANA_SEG_N: any), from the segments. */
int64_t ana_fixture_time(const struct ana_path *p, const char *actor, enum ana_segment_kind kind);

#endif
