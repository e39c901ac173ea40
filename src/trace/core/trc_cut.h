/* SPDX-License-Identifier: MIT */
/*
 * A window of a recording as a recording of its own: what a format is to keep, and the mark that it leaves.
 *
 *        early ranges         first events of all CPUs    window
 *   ──[==]───[=]─────[==]──────────┬[====================[==================]────────> time
 *                                  whole                  from              to
 *
 * From WHOLE on the copy has all events up to TO.  Before, it has only those on which the states at WHOLE rest:
 * for each blocked thread its last stay on a CPU, for each CPU what follows its last switch.  All events keep
 * their times.  What is left out between them is marked as lost by the means of the format, so that no reader
 * takes the early events for all there were.
 *
 * The mark tells what a reader cannot know of such a gap: a blocked thread remained blocked up to WHOLE, except
 * the listed ones.
 *
 * A copy that is to answer for some threads only can leave out more: system calls, and events that the model
 * does not use, while other threads run (trc_cut_may_thin()).  These are no gaps.  The mark lists the threads
 * that have all their calls, so that no reader takes others for threads that made none.
 */
#ifndef TRC_CUT_H
#define TRC_CUT_H

#include "base/base_progress.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* The events of CPU with FROM <= time <= TO, ns. */
struct trc_cut_range {
	int64_t from, to;
	uint32_t cpu;
};

/* Thread TID, which blocked at TIME (ns), did not remain blocked up to WHOLE.  INT64_MIN: the state dump says
 * that it was blocked. */
struct trc_cut_passed {
	int64_t tid, time;
};

/* Times in ns.  WHOLE is INT64_MIN if the recording is no cut. */
struct trc_cut_mark {
	int64_t from, to; /* the window, [FROM, TO) */
	int64_t whole;
	GArray *passed; /* owned, of struct trc_cut_passed, ascending */
	/* owned, of int64_t, ascending: the TIDs of those that have all their system calls; NULL: all have */
	GArray *callers;
};

#define TRC_CUT_NAME "wakepath_cut" /* of the mark where a format gives names to such things */

void trc_cut_mark_init(struct trc_cut_mark *mark);
void trc_cut_mark_clear(struct trc_cut_mark *mark);
/* Set MARK (initialised) to a copy of FROM. */
void trc_cut_mark_copy(struct trc_cut_mark *mark, const struct trc_cut_mark *from);
/* Put MARK->passed in order. */
void trc_cut_mark_sort(struct trc_cut_mark *mark);
/* MARK as text: "FROM TO WHOLE TID:TIME …".  The caller frees. */
char *trc_cut_mark_text(const struct trc_cut_mark *mark);
/* Set MARK (initialised) from TEXT, which is hostile; unchanged if TEXT is no such text. */
void trc_cut_mark_read(struct trc_cut_mark *mark, const char *text);
/* True if thread TID, blocked since TIME, is listed. */
bool trc_cut_mark_passed(const struct trc_cut_mark *mark, int64_t tid, int64_t time);
/* True if MARK says that all system calls of thread TID were kept. */
bool trc_cut_mark_has_calls(const struct trc_cut_mark *mark, int64_t tid);
/* MARK is of a copy of what has the mark OF: what that one lacks is missing in the copy, too. */
void trc_cut_mark_narrow(struct trc_cut_mark *mark, const struct trc_cut_mark *of);

/* ---- names that are replaced (--anonymous) ---- */

#define TRC_CUT_SECRET 192 /* bytes: XXH3_SECRET_SIZE_MIN is 136 */

/* Names become others of the same length, which depend on a secret; equal ones stay equal. */
struct trc_cut_names {
	uint8_t secret[TRC_CUT_SECRET]; /* random, and forgotten afterwards */
	GHashTable *kept;               /* owned: set of char *, owned: names of kernel threads */
};

/* Called for a text in an event: in ROOM bytes at TEXT, up to a NUL if it is shorter, in the field FIELD. */
typedef void trc_cut_seen(void *data, const char *field, char *text, size_t room);

/* Replace the text in the ROOM bytes at TEXT. */
void trc_cut_hide(const struct trc_cut_names *names, char *text, size_t room);
/* Likewise the names in the SIZE bytes of lines "TID NAME" at TEXT. */
void trc_cut_hide_lines(const struct trc_cut_names *names, char *text, size_t size);

/* For trc_cut_hide_field(): an event of which names are replaced. */
struct trc_cut_hiding {
	const struct trc_cut_names *names; /* weak */
	const char *event;                 /* weak: its name */
};

/* A trc_cut_seen with struct trc_cut_hiding as DATA: like trc_cut_hide(), unless the text of FIELD is the kernel's
 * own: the name of an interrupt or a device, a direction. */
void trc_cut_hide_field(void *data, const char *field, char *text, size_t room);

/* A copy that is to be written. */
struct trc_cut {
	const char *path; /* of the new recording; nothing has that name */
	GArray *ranges;   /* owned, of struct trc_cut_range, by CPU and time; they do not overlap */
	/* owned, likewise: where events that may be thinned are left out; NULL: nowhere */
	GArray *thin;
	GArray *pieces; /* owned, of struct trc_piece, by offset: what has to be read; NULL: all of the trace … */
	GArray *skipped; /* owned, of struct trc_cut_range, by CPU and time: … but for packets with these events */
	GHashTable *
		thinned; /* owned: name of an event, weak → 1 + whether it may be thinned; NULL: none is known yet */
	int64_t dumped; /* ns: up to it the events of LTTng's state dump are kept; INT64_MIN: none */
	struct trc_cut_mark mark;
	const struct trc_cut_names *names; /* weak; NULL: names stay */
	struct base_progress *progress;    /* weak */
};

/* The first range of CPU in C; *N: how many of it follow. */
const struct trc_cut_range *trc_cut_of_cpu(const struct trc_cut *c, uint32_t cpu, guint *n);
/* Likewise of those in which events are thinned. */
const struct trc_cut_range *trc_cut_thin_of_cpu(const struct trc_cut *c, uint32_t cpu, guint *n);
/* Likewise of those in which events are not even read. */
const struct trc_cut_range *trc_cut_skipped_of_cpu(const struct trc_cut *c, uint32_t cpu, guint *n);
/* True if events named EVENT (as the tracer writes it; weak until C ends) may be left out without a mark of losses: the
 * absence of those that no rule uses proves nothing, and that of system calls nothing of a thread that the mark does
 * not list (proofs.md, R28). */
bool trc_cut_may_thin(struct trc_cut *c, const char *event);
/* The first of the N ranges at RANGES that ends at TIME or later; NULL: none. */
const struct trc_cut_range *trc_cut_at(const struct trc_cut_range *ranges, guint n, int64_t time);
/* True if TIME is in one of the N ranges at RANGES. */
bool trc_cut_has(const struct trc_cut_range *ranges, guint n, int64_t time);
/* No event of C can be read: false with BASE_ERROR_DATA. */
bool trc_cut_nothing(const struct trc_cut *c, GError **error);
/* False with BASE_ERROR_CANCELLED after a signal. */
bool trc_cut_goes_on(const struct trc_cut *c, GError **error);

#endif
