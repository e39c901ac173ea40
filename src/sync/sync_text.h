/* SPDX-License-Identifier: MIT */
/* Lines of a clock as decimal text, with all digits: t_reference = slope · t_host + offset. */
#ifndef SYNC_TEXT_H
#define SYNC_TEXT_H

#include "sync/sync_hosts.h"

#include <stdbool.h>

/* VALUE in units of 2^-62, exactly: "-16.5", "3".  The caller frees. */
char *sync_text_decimal(sync_wide value);
/* The slope of LINE, and its offset in ns at t_host = 0, exactly.  The caller frees. */
char *sync_text_slope(const struct sync_line *line);
char *sync_text_offset(const struct sync_line *line);

/* Parse TEXT, a number like "-16.5", to units of 2^-62: exactly if it is a multiple of that, like the results
 * above, otherwise the nearest.  False if TEXT is something else, or does not fit into *VALUE. */
bool sync_text_parse(const char *text, sync_wide *value);

/* Why HOST of HOSTS stands apart, with its own clock; static.  NULL if it does not, or if the user asked for
 * no clocks at all. */
const char *sync_text_apart(const struct sync_hosts *hosts, unsigned host);

#endif
