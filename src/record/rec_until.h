/* SPDX-License-Identifier: MIT */
/* Watches for a latency while it is recorded. */
#ifndef REC_UNTIL_H
#define REC_UNTIL_H

#include "record/rec.h"

/* The kind that is no latency of the kernel: how long COMMAND runs. */
#define REC_UNTIL_COMMAND "command"

/* Read "KIND > D".  False with BASE_ERROR_USAGE. */
bool rec_until_parse(const char *text, struct rec_until *until, GError **error);

struct rec_watch;

/*
 * Watch for UNTIL, of a kind of the kernel, by an instance of tracefs that is called NAME and a suffix; it
 * has only the events of that kind.  NULL with BASE_ERROR_IO.
 */
struct rec_watch *rec_watch_new(const char *name, const struct rec_until *until, GError **error);
/* Was there one since it was asked last?  *LATENCY: how long, ns.  False with BASE_ERROR_IO where it cannot
 * be watched for any longer. */
bool rec_watch_poll(struct rec_watch *w, int64_t *latency, GError **error);
void rec_watch_free(struct rec_watch *w);

#endif
