/* SPDX-License-Identifier: MIT */
/* A process that follows a trace for the explorer, and tells what of it can be opened. */
#ifndef APP_FOLLOWER_H
#define APP_FOLLOWER_H

#include "app/app_args.h"
#include "base/base_progress.h"
#include "query/qry.h"

struct app_follower;

/* Begin to follow the trace that ARGS name (WHOLE: it is written, and its index is made): before any thread
 * is made.  NULL with an error. */
struct app_follower *app_follower_new(const struct app_args *args, bool whole, GError **error);
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
