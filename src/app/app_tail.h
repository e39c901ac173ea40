/* SPDX-License-Identifier: MIT */
/* A trace that is followed while it is recorded: a folder, or a live session, which is kept in one. */
#ifndef APP_TAIL_H
#define APP_TAIL_H

#include "app/app_args.h"
#include "ingest/ing_follow.h"

#define APP_TAIL_EVERY_NS INT64_C(1000000000) /* an index to be opened, at most */

struct app_tail;

/*
 * What ARGS name.  WHOLE: it is written, and is followed while its index is made.  NULL with an error of
 * ing_follow_new() or live_keep_new().
 */
struct app_tail *app_tail_new(const struct app_args *args, bool whole, GError **error);
void app_tail_free(struct app_tail *t);
/* Take what there is, as ing_follow_step(). */
bool app_tail_step(struct app_tail *t, GError **error);
struct ing_follow_view app_tail_view(const struct app_tail *t);
/* Why nothing more comes of a live session, or the folder that it is kept in; NULL: it is a folder, or goes
 * on.  Owned by T. */
const char *app_tail_ended(const struct app_tail *t);
const char *app_tail_kept(const struct app_tail *t);
/* How far it is, or how far behind and what for; the caller frees. */
char *app_tail_text(const struct app_tail *t);
/* Rest after a step that took TOOK µs, but for a signal, and where there is more to read. */
void app_tail_rest(const struct app_tail *t, gint64 took);
/* As ing_follow_close(). */
bool app_tail_close(struct app_tail *t, char **index, char **fingerprint, GError **error);

#endif
