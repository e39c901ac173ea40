/* SPDX-License-Identifier: MIT */
/* A process that follows a trace for the explorer, and tells what of it can be opened. */
#ifndef APP_FOLLOWER_H
#define APP_FOLLOWER_H

#include "app/app_args.h"
#include "base/base_progress.h"
#include "query/qry.h"

struct app_follower;

/* What such a process tells; "" where there is nothing to tell. */
enum app_told {
	APP_TOLD_TIMES, /* changes with what can be opened; "": nothing can be yet */
	APP_TOLD_STATE, /* how far it is, in words */
	APP_TOLD_SHARE, /* 0..1000: of what is written */
	APP_TOLD_NOTE,  /* why a live session goes no further */
	APP_TOLD_FAILURE,
	APP_TOLD_INDEX,       /* what can be opened, of each recording, a line each */
	APP_TOLD_FINGERPRINT, /* of those */
	APP_TOLD_FOLDERS,     /* of each recording, a line each, an empty line between two recordings */
	APP_TOLD_WHOLE,       /* the indexes of the whole are there */
	APP_TOLD_N
};

/* Begin to follow the one recording that ARGS name (WHOLE: it is written, and its index is made): before any
 * thread is made.  NULL with an error. */
struct app_follower *app_follower_new(const struct app_args *args, bool whole, GError **error);

/* What a process does that tells into PIPE, until nobody reads it any more or a signal asks it to stop. */
typedef void app_follower_work(void *data, int pipe);
/* A process that does WORK with DATA (MAKES: of traces that are written); it ends with this one.  TRACE is
 * for the error. */
struct app_follower *app_follower_begin(app_follower_work *work, void *data, bool makes, const char *trace,
	GError **error);
/* For WORK: tell TEXTS (NULL: ""); false when nobody reads it any more. */
bool app_follower_tell(int pipe, const char *const texts[APP_TOLD_N]);
/* What was told last of WHAT, once something came within MS; "": nothing.  Good until the next call. */
const char *app_follower_told(struct app_follower *f, enum app_told what, int ms);
/* Did the process end? */
bool app_follower_is_over(const struct app_follower *f);

/* End it; where the recording has ended the index is there then.  F may be NULL. */
void app_follower_free(struct app_follower *f);

/* Wait until there is something to open, and open it.  NULL with an error, also when PROGRESS is cancelled.
 */
struct qry *app_follower_first(struct app_follower *f, struct base_progress *progress, GError **error);
/*
 * Is there something that was not opened yet?  *TEXT: how far it is, good until the next call, as is *NOTE:
 * why a live session goes no further, once, else NULL.
 */
bool app_follower_look(struct app_follower *f, const char **text, const char **note);
/* Is the index of the whole there?  Then it is opened like any other. */
bool app_follower_is_whole(const struct app_follower *f);
/* Open what there is; NULL with an error. */
struct qry *app_follower_open(struct app_follower *f, GError **error);

#endif
