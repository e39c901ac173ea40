/* SPDX-License-Identifier: MIT */
/* A trace that is followed while it is recorded: a folder, or a live session, which is kept in a folder. */
#ifndef APP_TAIL_H
#define APP_TAIL_H

#include "app/app_args.h"
#include "ingest/ing.h"

#define APP_TAIL_EVERY_NS INT64_C(1000000000) /* the shortest time between two indexes to open */

struct app_tail;

/* Follow the trace that ARGS name.  WHOLE: it is complete, and is followed while its index is made.  Returns
 * NULL with an error of ing_follow_new() or live_keep_new(). */
struct app_tail *app_tail_new(const struct app_args *args, bool whole, GError **error);
void app_tail_free(struct app_tail *t);
/* Read the data that is there now, like ing_follow_step(). */
bool app_tail_step(struct app_tail *t, GError **error);
struct ing_follow_view app_tail_view(const struct app_tail *t);
/* app_tail_ended(): why the live session sends nothing more; NULL if it continues.  app_tail_kept(): the
 * folder that keeps the live session.  Both are owned by T, and NULL if the trace is a folder. */
const char *app_tail_ended(const struct app_tail *t);
const char *app_tail_kept(const struct app_tail *t);
/* The progress, or how far it is behind and what it waits for, in words.  The caller frees. */
char *app_tail_text(const struct app_tail *t);
/* Sleep after a step that took TOOK µs.  Returns at once if there is more to read, and early after a
 * signal. */
void app_tail_rest(const struct app_tail *t, gint64 took);
/* Like ing_follow_close(). */
bool app_tail_close(struct app_tail *t, char **index, char **fingerprint, GError **error);

#endif
