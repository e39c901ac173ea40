/* SPDX-License-Identifier: MIT */
/* Following a trace while it is recorded. */
#ifndef APP_FOLLOW_H
#define APP_FOLLOW_H

#include "app/app_args.h"
#include "ingest/ing_follow.h"

/* "wakepath index --follow": until a signal asks to end, or nothing was written for --idle. */
bool app_follow_index(const struct app_args *args, GError **error);

/* How far VIEW is behind, and what for; the caller frees. */
char *app_follow_text(const struct ing_follow_view *view);
/* A look at the trace took TOOK µs: rest, but for a signal. */
void app_follow_rest(gint64 took);

#endif
