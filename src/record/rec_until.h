/* SPDX-License-Identifier: MIT */
/* Watches for a latency during a recording. */
#ifndef REC_UNTIL_H
#define REC_UNTIL_H

#include "record/rec.h"

/* The only kind that the kernel does not measure: the run time of COMMAND. */
#define REC_UNTIL_COMMAND "command"

/* Parse "KIND > D".  False with BASE_ERROR_USAGE. */
bool rec_until_parse(const char *text, struct rec_until *until, GError **error);

struct rec_watch;

/* Watch for UNTIL, one of the kernel's kinds, in a tracefs instance whose name is NAME plus a suffix; it
 * records only the events of that kind.  NULL with BASE_ERROR_IO. */
struct rec_watch *rec_watch_new(const char *name, const struct rec_until *until, GError **error);
/* True if a latency above the limit ended since the last call; *LATENCY is its length in ns.  False with
 * BASE_ERROR_IO if it can no longer be watched. */
bool rec_watch_poll(struct rec_watch *w, int64_t *latency, GError **error);
void rec_watch_free(struct rec_watch *w);

#endif
