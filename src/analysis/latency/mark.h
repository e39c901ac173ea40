/* SPDX-License-Identifier: MIT */
/*
 * Reads an event of a user's program: the phase that it begins or ends, or the value of a counter.
 * docs/cli.md lists the shapes.  Pure: one text or one name at a time; no state.
 */
#ifndef ANA_MARK_H
#define ANA_MARK_H

#include <stdbool.h>
#include <stddef.h>

/* Kinds of latency: all phases of programs, and those with the name after the prefix. */
#define ANA_PROGRAM_ALL "span"
#define ANA_PROGRAM_PREFIX "span:"
/* A rule that declares a state of programs: "state:NAME". */
#define ANA_STATE_PREFIX "state:"
#define ANA_STATE_SOURCE "state" /* the source of the spans that are such states */
/* The source of a phase that a thread spends in the kernel. */
#define ANA_MARK_KERNEL "kernel"

enum ana_mark_what {
	ANA_MARK_NONE, /* no known shape */
	ANA_MARK_BEGIN,
	/* Ends the phase with that name and key; without a name, the one with that key; without both, the
	 * newest of the thread. */
	ANA_MARK_END,
	ANA_MARK_INSTANT,
	ANA_MARK_COUNTER,
};

/* A part of a text.  Hostile. */
struct ana_mark_text {
	const char *at; /* NULL: none */
	size_t length;
};

struct ana_mark {
	enum ana_mark_what what;
	/* The shape: the letter of ATRACE, "begin" or "end" of a text, "enters" or "leaves" of a name.
	 * Static; NULL: NONE.  A begin ends with the other shape of its pair: B E, S F, G H, begin end,
	 * enters leaves. */
	const char *sign;
	/* An end may come from another thread of the process: KEY identifies the phase. */
	bool of_process;
	/* NAME is the same for each item of its kind ("request"), KEY tells the items apart ("17"). */
	struct ana_mark_text name, key;
	struct ana_mark_text
		id;   /* of "begin" and "end": the part of KEY that is equal in both, if both have one */
	double value; /* of a counter */
};

/*
 * Read a text that a program wrote into the trace (trace_marker of ftrace, lttng-logger, tracef), without the
 * end of its line.  B to N are ATRACE of Android; Perfetto's documentation calls it the systrace format:
 *
 *   B|PID|NAME  E|PID  E               a phase of the thread
 *   S|PID|NAME|COOKIE  F|…             a phase of the process
 *   G|PID|TRACK|NAME|COOKIE  H|PID|TRACK|COOKIE
 *   C|PID|NAME|VALUE                   a counter
 *   I|PID|NAME  N|PID|TRACK|NAME       an instant
 *   NAME begin REST  NAME end REST     one of the words for begin or end (mark.c), first, second or last;
 *                                      also NAME_begin REST
 *
 * NAME ends before the first word that begins with a digit or has a "=": "request 17 of 40" is item "17 of
 * 40" of "request".  "17: request", "request#17", "request-17" and "request(17)" are items "17" of "request".
 */
struct ana_mark ana_mark_of_text(const char *text, size_t length);

/*
 * Read the NAME of an event of a tracepoint, probe or USDT of a program: "wx:req_begin" and "wx:req_end" are
 * begin and end of "wx:req"; "work_entry" and "work_exit" likewise, "work__return" and "work_ret" are ends of
 * "work".  The name of the phase is the part of NAME before that ending.  NONE if NAME has no such ending;
 * then it may be the begin of a "NAME__return" (ana_rules_facts_of_name()).
 */
struct ana_mark ana_mark_of_name(const char *name);

/* True if events called NAME hold texts that programs write: those of trace_marker, lttng-logger, tracef,
 * tracelog. */
bool ana_mark_is_text(const char *name);

/* ---- the stored text of a phase ---- */

#define ANA_MARK_BETWEEN "\x1f" /* between its parts; no clean text has it */

/* The parts of the text of a span's key. */
struct ana_mark_told {
	char *name, *key; /* "" none */
	char *source;     /* "marker", "ust", "usdt", "uprobe", "track", "declared", "kernel" */
};

/* Join these to one text.  The caller frees. */
char *ana_mark_join(const char *name, const char *key, const char *source);
/* Split such a TEXT; NULL: all parts are "".  Free with ana_mark_told_clear(). */
struct ana_mark_told ana_mark_split(const char *text);
void ana_mark_told_clear(struct ana_mark_told *told);

#endif
