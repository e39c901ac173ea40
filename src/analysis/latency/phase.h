/* SPDX-License-Identifier: MIT */
/*
 * What an event of a user's program says of its phases: which one begins or ends, or the value of which counter.
 * docs/cli.md lists the shapes.  Pure: one text or one name at a time; no state.
 */
#ifndef ANA_PHASE_H
#define ANA_PHASE_H

#include <stdbool.h>
#include <stddef.h>

enum ana_phase_what {
	ANA_PHASE_NONE, /* no shape that is known */
	ANA_PHASE_BEGIN,
	/* Of the phase of that name and key; without a name: of that key; without both: of the newest of the thread. */
	ANA_PHASE_END,
	ANA_PHASE_INSTANT,
	ANA_PHASE_COUNTER,
};

/* A part of a text.  Hostile. */
struct ana_phase_text {
	const char *at; /* NULL: none */
	size_t length;
};

struct ana_phase {
	enum ana_phase_what what;
	/* An end may come from another thread of the process: KEY says which one it ends. */
	bool of_process;
	/* NAME is the same for each item of its kind ("request"), KEY tells the items apart ("17"). */
	struct ana_phase_text name, key;
	double value; /* of a counter */
};

/*
 * Read a text that a program wrote into the trace (trace_marker of ftrace, lttng-logger, tracef), without the end of
 * its line:
 *
 *   B|PID|NAME  E|PID  E               a phase of the thread            ATRACE of Android, and what Perfetto's
 *   S|PID|NAME|COOKIE  F|…             a phase of the process           documentation calls the systrace format
 *   G|PID|TRACK|NAME|COOKIE  H|PID|TRACK|COOKIE
 *   C|PID|NAME|VALUE                   a counter
 *   I|PID|NAME  N|PID|TRACK|NAME       an instant
 *   NAME begin REST  NAME end REST     words of ana_phase_is_begin(), first, second or last
 *
 * NAME ends before the first word that has a digit in its front or a "=": "request 17 of 40" is item "17 of 40" of
 * "request".
 */
struct ana_phase ana_phase_of_text(const char *text, size_t length);

/*
 * Read the NAME of an event that a tracepoint, probe or USDT of a program has: "wx:req_begin" and "wx:req_end" are begin
 * and end of "wx:req"; "work_entry" and "work_exit", "work" and "work__return" likewise.  The name of the phase is the
 * part of NAME before PHASE.name.length.  NONE if NAME has no such ending; then it may be the begin of a "NAME__return".
 */
struct ana_phase ana_phase_of_name(const char *name);

#endif
