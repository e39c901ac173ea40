/* SPDX-License-Identifier: MIT */
/* Files that are no trace wakepath reads: what they are, and what to do instead. */
#ifndef TRC_FOREIGN_H
#define TRC_FOREIGN_H

#include <stdbool.h>

/* Return what the file PATH is by its first bytes, and what to do: a static text that follows its name. */
const char *trc_foreign_what(const char *path);

/* Return trc_foreign_what() if PATH is a regular file of a recording that is known by name; NULL otherwise:
 * it may be anything. */
const char *trc_foreign_recording(const char *path);

#endif
