/* SPDX-License-Identifier: MIT */
/*
 * Files and folders that must not outlive the program: half-written ones, and what is needed for this run
 * alone.  All that is made here and neither published nor removed goes away when the program ends, also by a
 * signal (base_stop.h).
 */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include <glib.h>
#include <sys/types.h>

/*
 * Make the new file PREFIX and six more characters for reading and writing, with MODE less the umask; its
 * name to *PATH, for the caller to free, also when it fails.  Returns the descriptor, -1 with errno.
 */
int base_scratch_file(const char *prefix, mode_t mode, char **path);

/* The file PATH is no longer ours to remove: it was renamed, or is gone. */
void base_scratch_release(const char *path);

/* Remove the file PATH. */
void base_scratch_unlink(const char *path);

/* A new folder in that for temporary files, for its owner alone; the caller frees.  NULL with an error of
 * GLib, which names the folder. */
char *base_scratch_folder(GError **error);

/* Remove the folder PATH, of base_scratch_folder(), with the files in it (it has no folders). */
void base_scratch_remove(const char *path);

/* The program ends: remove all there is.  Whoever asks for more from now on waits for ever. */
void base_scratch_end(void);

#endif
