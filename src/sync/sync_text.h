/* SPDX-License-Identifier: MIT */
/* Lines of a clock as decimal text, with all digits there are: t_reference = slope · t_host + offset. */
#ifndef SYNC_TEXT_H
#define SYNC_TEXT_H

#include "sync/sync_hosts.h"

#include <stdbool.h>

/* VALUE in units of 2^-62, exactly: "-16.5", "3".  The caller frees. */
char *sync_text_decimal(sync_wide value);
/* The slope of LINE, and its offset in ns at t_host = 0, exactly.  The caller frees. */
char *sync_text_slope(const struct sync_line *line);
char *sync_text_offset(const struct sync_line *line);

/*
 * TEXT, a number like "-16.5", in units of 2^-62: exactly where it is a multiple of that, as those above are,
 * else the nearest.  False when it is something else, or more than *VALUE can hold.
 */
bool sync_text_parse(const char *text, sync_wide *value);

/* Why HOST of HOSTS stands apart, with its own clock; static.  NULL: it does not, or as all were told to. */
const char *sync_text_apart(const struct sync_hosts *hosts, unsigned host);

#endif
