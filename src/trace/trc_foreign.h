/* SPDX-License-Identifier: MIT */
/* Recognises files that wakepath does not read as a trace: what they are, and what to do instead. */
#ifndef TRC_FOREIGN_H
#define TRC_FOREIGN_H

#include <stdbool.h>

/* Return what the file PATH is by its first bytes, and what to do: a static text that follows its name. */
const char *trc_foreign_what(const char *path);

/* Return trc_foreign_what() if PATH is a regular file and a recording of a known kind; otherwise NULL. */
const char *trc_foreign_recording(const char *path);

#endif
