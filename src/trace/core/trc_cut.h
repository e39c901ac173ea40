/* SPDX-License-Identifier: MIT */
/*
 * A window of a recording as a recording of its own: what each format must keep, and the mark that it writes.
 *
 *        early ranges         first events of all CPUs    window
 *   ──[==]───[=]─────[==]──────────┬[====================[==================]────────> time
 *                                  whole                  from              to
 *
 * From WHOLE on the copy has all events up to TO. From before WHOLE it has only the events that determine the
 * states at WHOLE: for each blocked thread its last stay on a CPU, for each CPU everything from its last
 * switch on. All events keep their times. Events that are left out between them are marked as lost, in the
 * way of the format, so that no reader takes the early events for all events of that time.
 *
 * The mark states what a reader cannot know about such a gap: each blocked thread remained blocked up to
 * WHOLE, except the threads that the mark lists.
 *
 * A copy that is to answer for some threads only can leave out more: system calls, and events that the model
 * does not use, while other threads run (trc_cut_may_thin()). These are no gaps. The mark lists the threads
 * whose calls are all kept, so that no reader concludes that the others made none.
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
	/* owned, of int64_t, ascending: TIDs of the threads whose system calls are all kept; NULL: all
	 * threads */
	GArray *callers;
};

#define TRC_CUT_NAME "wakepath_cut" /* name of the mark, in formats that need one */

/* Set MARK to the mark of a recording that is no cut. */
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
/* Narrow MARK, the mark of a copy of a recording that has itself the mark OF: what that recording lacks is
 * missing in the copy, too. */
void trc_cut_mark_narrow(struct trc_cut_mark *mark, const struct trc_cut_mark *of);

/* ---- names that are replaced (--anonymous) ---- */

#define TRC_CUT_SECRET 192 /* bytes: XXH3_SECRET_SIZE_MIN is 136 */

/* Each name is replaced by one of the same length that depends on a secret. Equal names stay equal. */
struct trc_cut_names {
	uint8_t secret[TRC_CUT_SECRET]; /* random, and forgotten afterwards */
	GHashTable *kept;               /* owned: set of char *, owned: names of kernel threads */
};

/* Called for the text of FIELD in an event. It has the ROOM bytes at TEXT, or ends earlier with a NUL. */
typedef void trc_cut_seen(void *data, const char *field, char *text, size_t room);

/* Replace the text in the ROOM bytes at TEXT. */
void trc_cut_hide(const struct trc_cut_names *names, char *text, size_t room);
/* Replace the names in the SIZE bytes of lines "TID NAME" at TEXT. */
void trc_cut_hide_lines(const struct trc_cut_names *names, char *text, size_t size);

/* For trc_cut_hide_field(): an event in which names are replaced. */
struct trc_cut_hiding {
	const struct trc_cut_names *names; /* weak */
	const char *event;                 /* weak: its name */
};

/* A trc_cut_seen with struct trc_cut_hiding as DATA: like trc_cut_hide(), unless the text of FIELD is the
 * kernel's own: the name of an interrupt or a device, a direction. */
void trc_cut_hide_field(void *data, const char *field, char *text, size_t room);

/* A copy that is to be written. */
struct trc_cut {
	const char *path; /* of the new recording; nothing has that name */
	GArray *ranges;   /* owned, of struct trc_cut_range, by CPU and time; they do not overlap */
	/* owned, like RANGES: where events are left out that trc_cut_may_thin() allows; NULL: nowhere */
	GArray *thin;
	/* owned, of struct trc_piece, by offset: the parts of the file to read; NULL: all of it … */
	GArray *pieces;
	/* owned, of struct trc_cut_range, by CPU and time: … except packets with these events */
	GArray *skipped;
	GHashTable *
		/* owned: name of an event, weak → 1 + whether it may be thinned; NULL: none is known yet */
		thinned;
	int64_t dumped; /* ns: up to it the events of LTTng's state dump are kept; INT64_MIN: none */
	struct trc_cut_mark mark;
	const struct trc_cut_names *names; /* weak; NULL: names stay */
	struct base_progress *progress;    /* weak */
};

/* Return the first of the *N ranges of CPU in C, which follow each other; *N is 0 if there is none. */
const struct trc_cut_range *trc_cut_of_cpu(const struct trc_cut *c, uint32_t cpu, guint *n);
/* Like trc_cut_of_cpu(), for the ranges in which events are thinned. NULL if C thins none. */
const struct trc_cut_range *trc_cut_thin_of_cpu(const struct trc_cut *c, uint32_t cpu, guint *n);
/* Like trc_cut_of_cpu(), for the ranges whose events are not even read. NULL if all are read. */
const struct trc_cut_range *trc_cut_skipped_of_cpu(const struct trc_cut *c, uint32_t cpu, guint *n);
/* True if events named EVENT (as the tracer writes it; weak until C ends) may be left out without a mark of
 * losses. These are events that no rule uses, and system calls: no conclusion follows if they are missing for
 * a thread that the mark does not list (proofs.md, R28). */
bool trc_cut_may_thin(struct trc_cut *c, const char *event);
/* The first of the N ranges at RANGES that ends at TIME or later; NULL: none. */
const struct trc_cut_range *trc_cut_at(const struct trc_cut_range *ranges, guint n, int64_t time);
/* True if TIME is in one of the N ranges at RANGES. */
bool trc_cut_has(const struct trc_cut_range *ranges, guint n, int64_t time);
/* Set BASE_ERROR_DATA: no event of C can be read. Returns false. */
bool trc_cut_nothing(const struct trc_cut *c, GError **error);
/* True unless the copy is to stop: false with BASE_ERROR_CANCELLED after a signal. */
bool trc_cut_goes_on(const struct trc_cut *c, GError **error);

#endif
