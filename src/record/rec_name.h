/* SPDX-License-Identifier: MIT */
/* Names that tell which process a thing belongs to, so that what a dead one left can be found. */
#ifndef REC_NAME_H
#define REC_NAME_H

#include <stdbool.h>

/* "wakepath-PID-START", of this process, with when it was started (clock ticks since boot).  The caller
 * frees. */
char *rec_name_new(void);
/* Is NAME, which may go on behind that ("…-watch", "….data"), of a process that does not live any more? */
bool rec_name_is_left(const char *name);

#endif
