/* SPDX-License-Identifier: MIT */
/*
 * Bookmarks: places in an experiment that somebody set, with notes, in a file beside the index.  What is kept
 * there outlives the index: the host by its name, the row by its kind and number, times by the host's own
 * clock.  A file may be anybody's work: it is checked like a trace.
 */
#ifndef QRY_BOOKMARKS_H
#define QRY_BOOKMARKS_H

#include "query/qry.h"

#define QRY_BOOKMARK_NOTE_MAX 1000 /* bytes */

struct qry_bookmark {
	char letter;            /* 'a' to 'z' */
	uint32_t host;          /* MDL_NONE: it is not open now; then the rest but the note means nothing */
	uint32_t row;           /* MDL_NONE: none, or it is not there */
	int64_t time, from, to; /* shown times: the instant, and the window around it */
	int64_t selected_from, selected_to; /* MDL_NEVER: nothing was selected */
	char *note;                         /* owned; "" none */
};

/*
 * All of them, by letter: GArray of struct qry_bookmark, which owns their notes; the caller unrefs.  NULL
 * with an error where the file cannot be read or is none of ours: BASE_ERROR_IO, BASE_ERROR_DATA.
 */
GArray *qry_bookmarks_read(const struct qry *q, GError **error);
/* Set BOOKMARK, whose host is there, in the place of that with its letter.  False with an error; then the
 * file is what it was.  What another program set meanwhile stays. */
bool qry_bookmarks_set(const struct qry *q, const struct qry_bookmark *bookmark, GError **error);
/* Drop that with LETTER, if there is one. */
bool qry_bookmarks_drop(const struct qry *q, char letter, GError **error);

#endif
