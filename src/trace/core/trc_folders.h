/* SPDX-License-Identifier: MIT */
/*
 * The folders that one recording lies in: as a rule one, several where the tracer wrote it in chunks (lttng
 * rotate, lttng snapshot record).  They go about as a NULL-terminated array of canonical paths, sorted.
 */
#ifndef TRC_FOLDERS_H
#define TRC_FOLDERS_H

#include <glib.h>

/* A recording. */
struct trc_recording {
	char **folders; /* owned, as said above */
	char *apart;    /* owned: a warning, why they are not joined with others that seem to be of the same
			   recording, and which folders were not looked into; NULL: there is none */
};

/* The one in FOLDERS (copied); APART (NULL: nothing) is taken over. */
struct trc_recording *trc_folders_recording(char *const *folders, char *apart);
void trc_folders_recording_free(gpointer recording);

/* FILES (of char *), each a recording of its own: as trc_input_ops.join. */
GPtrArray *trc_folders_each(const GPtrArray *files);

/* The folder that all FOLDERS are in, or that of a single one itself; the caller frees. */
char *trc_folders_root(char *const *folders);

/* PATH, which is ROOT or below it, as seen from there: "" for ROOT itself.  A part of PATH. */
const char *trc_folders_within(const char *root, const char *path);

#endif
