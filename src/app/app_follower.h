/* SPDX-License-Identifier: MIT */
/* A child process that reads a trace for the explorer and reports how much of it can be opened. */
#ifndef APP_FOLLOWER_H
#define APP_FOLLOWER_H

#include "app/app_args.h"
#include "base/base_progress.h"
#include "ingest/ing.h"
#include "query/qry.h"

struct app_follower;

/* The texts of one report; "" if there is nothing to report. */
enum app_told {
	APP_TOLD_TIMES, /* changes whenever there is more to open; "": nothing can be opened yet */
	APP_TOLD_STATE, /* the progress, in words */
	APP_TOLD_SHARE, /* 0..1000: the indexed part of the trace, in thousandths */
	APP_TOLD_NOTE,  /* why a live session does not continue */
	APP_TOLD_FAILURE,
	APP_TOLD_INDEX,       /* the index of each recording that can be opened, one per line */
	APP_TOLD_FINGERPRINT, /* their fingerprints, one per line */
	APP_TOLD_RECORDINGS,  /* trc_recording_tell() of each, separated by empty lines */
	APP_TOLD_WHOLE,       /* not empty: the indexes of the whole traces exist */
	APP_TOLD_N
};

/* Start to follow the one recording that ARGS name.  WHOLE: the recording is complete, and the process only
 * makes its index.  Call it before any thread exists.  Returns NULL with an error. */
struct app_follower *app_follower_new(const struct app_args *args, bool whole, GError **error);

/* The work of a follower's process: reports into PIPE until nobody reads it or a signal asks it to stop. */
typedef void app_follower_work(void *data, int pipe);
/* Start a process that does WORK with DATA; it ends when this process ends.  MAKES: the traces are complete,
 * and the process makes their indexes.  TRACE is named in the error.  Returns NULL with an error. */
struct app_follower *app_follower_begin(app_follower_work *work, void *data, bool makes, const char *trace,
	GError **error);
/* Report TEXTS (a NULL text is sent as "").  False if nobody reads PIPE any more.  Only for WORK. */
bool app_follower_tell(int pipe, const char *const texts[APP_TOLD_N]);
/* Returns the last reported text WHAT, after waiting up to MS milliseconds for a report; "" if there is none.
 * Valid until the next call. */
const char *app_follower_told(struct app_follower *f, enum app_told what, int ms);
/* True if the process has ended. */
bool app_follower_is_over(const struct app_follower *f);

/* End the process, wait for it, and free F, which may be NULL.  If the recording has ended, its index exists
 * afterwards. */
void app_follower_free(struct app_follower *f);

/*
 * Wait until there is something to open, and open it.  NULL with the failure that the process reported, or
 * with BASE_ERROR_CANCELLED if PROGRESS is cancelled, or if the index of the whole trace exists before
 * anything was opened.
 */
struct qry *app_follower_first(struct app_follower *f, struct base_progress *progress, GError **error);
/*
 * True if there is something new to open.  *TEXT becomes the progress in words, or the failure.  *NOTE
 * becomes, once, the reason why a live session does not continue; otherwise NULL.  Both are valid until the
 * next call.
 */
bool app_follower_look(struct app_follower *f, const char **text, const char **note);
/* True if the index covers the whole trace; it is then opened like any other index. */
bool app_follower_is_whole(const struct app_follower *f);
/* Open the indexes that the last report names; the caller frees.  NULL with an error. */
struct qry *app_follower_open(struct app_follower *f, GError **error);

/* ---- several recordings that have no index (app_makers.c) ---- */

/*
 * Start to make the indexes of those recordings at or below the traces in ARGS that have no fresh index.  One
 * process per recording makes its index; one more process combines their reports, so the explorer shows all
 * recordings after the first tenth of a second.  Call it before any thread exists.  NULL if no index is
 * missing, if too many are missing to make them all at once, or if none can be made.  If none is missing,
 * *LOOKED is what was found, for app_open_looked(); otherwise NULL.
 */
struct app_follower *app_makers_begin(const struct app_args *args, GPtrArray **looked);

/* ---- a trace that is followed while it is recorded: a folder, or a live session, which is kept in a folder
 * ---- */

#define APP_TAIL_EVERY_NS INT64_C(1000000000) /* the shortest time between two indexes to open */

struct app_tail {
	struct live_keep *live;    /* owned; NULL: the trace is a folder */
	struct ing_follow *follow; /* owned */
	bool whole;                /* the trace is complete */
};

/* Follow the trace that ARGS name.  WHOLE: the trace is complete, and only its index grows.  Returns NULL
 * with an error of ing_follow_new() or live_keep_new(). */
struct app_tail *app_tail_new(const struct app_args *args, bool whole, GError **error);
void app_tail_free(struct app_tail *t);
/* Read the data recorded so far.  Errors of ing_follow_step(). */
bool app_tail_step(struct app_tail *t, GError **error);
/* app_tail_ended(): why the live session sends nothing more; NULL if it continues.  app_tail_kept(): the
 * folder that keeps the live session.  Both are owned by T, and NULL if the trace is a folder. */
const char *app_tail_ended(const struct app_tail *t);
const char *app_tail_kept(const struct app_tail *t);
/* Return in words how much is indexed, how far T is behind the recording, and which stream it waits for. The
 * caller frees. */
char *app_tail_text(const struct app_tail *t);
/* Sleep after a step that took TOOK µs.  Returns at once if there is more to read, and early after a
 * signal. */
void app_tail_rest(const struct app_tail *t, gint64 took);

#endif
