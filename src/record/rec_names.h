/* SPDX-License-Identifier: MIT */
/* The names of all threads: of those that were there before, in and after the recording. */
#ifndef REC_NAMES_H
#define REC_NAMES_H

#include <glib.h>

/* Those that are there now: TID → char *.  The caller unrefs. */
GHashTable *rec_names_new(void);
/* Those, what the kernel saved of others since, and those that are there now, as saved_cmdlines has them: a
 * line "TID NAME" each.  NAMES is changed; the caller frees. */
char *rec_names_text(GHashTable *names);

#endif
