/* SPDX-License-Identifier: MIT */
/*
 * Bookmarks: places in an experiment that the user marks, with notes, in a file beside the index.
 *
 * They outlive the index: the file has the host's name, the kind and number of the row, and times of the
 * host's own clock.  Another user may have written the file, so it is checked like a trace.
 */
#ifndef QRY_BOOKMARKS_H
#define QRY_BOOKMARKS_H

#include "query/qry.h"

#define QRY_BOOKMARK_NOTE_MAX 1000 /* bytes */

struct qry_bookmark {
	char letter;            /* 'a' to 'z' */
	uint32_t host;          /* MDL_NONE: its host is not open now; then only letter and note are set */
	uint32_t row;           /* MDL_NONE: none, or it does not exist */
	int64_t time, from, to; /* shown times, ns: the instant, and the window around it */
	int64_t selected_from, selected_to; /* MDL_NEVER: nothing was selected */
	char *note;                         /* owned; "": none */
};

/* All bookmarks, by letter: GArray of struct qry_bookmark, which owns their notes.  The caller unrefs.  NULL
 * with BASE_ERROR_IO if the file cannot be read, or BASE_ERROR_DATA if it is no file of bookmarks. */
GArray *qry_bookmarks_read(const struct qry *q, GError **error);
/* Store BOOKMARK, whose host must be open.  It replaces the one with the same letter; all others stay, also
 * those that another process set meanwhile.  False with an error; then the file is unchanged. */
bool qry_bookmarks_set(const struct qry *q, const struct qry_bookmark *bookmark, GError **error);
/* Remove the bookmark with LETTER, if there is one. */
bool qry_bookmarks_drop(const struct qry *q, char letter, GError **error);

#endif
