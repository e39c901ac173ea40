/* SPDX-License-Identifier: MIT */
/*
 * Files and folders that must not outlive the program: half-written ones, and what is needed for this run
 * alone.  All that is made here and neither published nor removed goes away when the program ends, also by a
 * signal (base_stop.h).  Where files are made, no link of another user leads (base_place.h); the folder of
 * each is held, so it is renamed and removed there, whatever has the folder's name by then.
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

/* Give the file FD, which has no name, the name PREFIX and six more characters: as base_scratch_file(), but
 * 0, or -1 with errno. */
int base_scratch_link(int fd, const char *prefix, char **path);

/*
 * Rename the file PATH to TARGET, in the folder in which it was made: what TARGET says before the last name
 * is not looked at.  It is not removed any more.  0, or -1 with errno: it is as before.
 */
int base_scratch_publish(const char *path, const char *target);

/* The file PATH is no longer ours to remove: it is gone. */
void base_scratch_release(const char *path);

/* Remove the file PATH. */
void base_scratch_unlink(const char *path);

/* Write the LENGTH bytes at TEXT, for this user alone, to a file beside PATH, sync it and rename it to PATH,
 * so that a full disk leaves what was there.  0, or -1 with errno. */
int base_scratch_write(const char *path, const char *text, size_t length);

/*
 * A new folder for its owner alone; the caller frees.  It is in the folder for temporary files, or, with
 * root's rights and where others could rename it there, in one of the system's.  NULL with an error of GLib,
 * which names the folder.
 */
char *base_scratch_folder(GError **error);

/* Remove the folder PATH, of base_scratch_folder(), with the files in it (it has no folders). */
void base_scratch_remove(const char *path);

/* The program ends: remove all there is.  Whoever asks for more from now on waits for ever. */
void base_scratch_end(void);

#endif
