/* SPDX-License-Identifier: MIT */
/* Names that contain the owning process, so that what a dead process left behind can be found. */
#ifndef REC_NAME_H
#define REC_NAME_H

#include <stdbool.h>

/* Return "wakepath-PID-START" for this process; START is its start time in clock ticks since boot.  The
 * caller frees. */
char *rec_name_new(void);
/* True if NAME is such a name, possibly with a suffix ("…-watch", "….data"), and its process no longer
 * lives. */
bool rec_name_is_left(const char *name);

#endif
