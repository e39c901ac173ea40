/* SPDX-License-Identifier: MIT */
/* The folders of one recording: usually one, several if the tracer wrote it in chunks (lttng rotate, lttng
 * snapshot record).  They are passed as a NULL-terminated, sorted array of canonical paths. */
#ifndef TRC_FOLDERS_H
#define TRC_FOLDERS_H

#include <glib.h>

/* A recording. */
struct trc_recording {
	char **folders; /* owned, as above */
	/* owned: a warning that says why these are not joined with other folders that seem to be of the same
	 * recording, and which folders were not searched; NULL: none */
	char *apart;
};

/* Make a recording of FOLDERS (copied).  Takes APART (may be NULL). */
struct trc_recording *trc_folders_recording(char *const *folders, char *apart);
void trc_folders_recording_free(gpointer recording);

/* Return one recording per file of FILES (of char *), as trc_input_ops.join does. */
GPtrArray *trc_folders_each(const GPtrArray *files);

/* Return the folder that contains all FOLDERS, or the only one itself; the caller frees. */
char *trc_folders_root(char *const *folders);

/* Return PATH, which is ROOT or below it, relative to ROOT: "" for ROOT itself.  Points into PATH. */
const char *trc_folders_within(const char *root, const char *path);

#endif
