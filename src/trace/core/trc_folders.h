/* SPDX-License-Identifier: MIT */
/* The folders of one recording: usually one, several if the tracer wrote it in chunks (lttng rotate, lttng
 * snapshot record).  They are passed as a NULL-terminated, sorted array of canonical paths. */
#ifndef TRC_FOLDERS_H
#define TRC_FOLDERS_H

#include <glib.h>

struct trc_input;

/*
 * A recording, and what it was found to be.  trc_find() decides that once (trc_reader.h); from then on this
 * is handed on, and nobody looks again.
 */
struct trc_recording {
	const struct trc_input *input; /* its format, of trc_inputs.c; set by trc_find() */
	char **folders;                /* owned, as said above */
	char *apart; /* owned: why they are not joined with others that seem to be of the same recording,
			NULL: there are none */
};

/* Make a recording of FOLDERS (copied).  Takes APART (may be NULL). */
struct trc_recording *trc_folders_recording(char *const *folders, char *apart);
/* The caller calls trc_folders_recording_free(). */
struct trc_recording *trc_folders_recording_copy(const struct trc_recording *recording);
/* RECORDING may be NULL. */
void trc_folders_recording_free(gpointer recording);

/* FILES (of char *), each a recording of its own: as trc_input_ops.join. */
GPtrArray *trc_folders_each(const GPtrArray *files, GError **error);

/* Return the folder that contains all FOLDERS, or the only one itself; the caller frees. */
char *trc_folders_root(char *const *folders);

/* Return PATH, which is ROOT or below it, relative to ROOT: "" for ROOT itself.  Points into PATH. */
const char *trc_folders_within(const char *root, const char *path);

#endif
