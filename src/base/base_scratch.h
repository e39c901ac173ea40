/* SPDX-License-Identifier: MIT */
/*
 * Files and folders that must not outlive the program: unfinished ones, and those needed for this run only.
 * Whatever is made here and neither published nor removed is deleted when the program ends, also by a signal
 * (base_stop.h).
 *
 * No link of another user is followed to where a file is made (base_place.h).  The folder of each file stays
 * open, and the file is renamed and removed in that folder, even if the folder's name leads elsewhere by
 * then.
 */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include <glib.h>
#include <sys/types.h>

/* Create a file named PREFIX plus six characters, open for reading and writing; the umask applies to MODE.
 * *PATH receives the name, for the caller to free, also after a failure.  Returns the descriptor, or -1 with
 * errno. */
int base_scratch_file(const char *prefix, mode_t mode, char **path);

/* Give FD, a file without a name, the name PREFIX plus six characters.  *PATH as of base_scratch_file().
 * Returns 0, or -1 with errno. */
int base_scratch_link(int fd, const char *prefix, char **path);

/* Rename the file PATH to the last component of TARGET, within the folder in which it was made; the rest of
 * TARGET is ignored.  The file is kept from now on.  Returns 0, or -1 with errno and nothing changed. */
int base_scratch_publish(const char *path, const char *target);

/* Forget the file PATH, which no longer exists. */
void base_scratch_release(const char *path);

/* Remove the file PATH. */
void base_scratch_unlink(const char *path);

/* Write the LENGTH bytes at TEXT, readable by this user only, to a file beside PATH, sync it, and rename it
 * to PATH.  A full disk leaves the old content.  Returns 0, or -1 with errno. */
int base_scratch_write(const char *path, const char *text, size_t length);

/* Create a folder for this user only; the caller frees the path.  It is in the folder for temporary files; if
 * this is root and other users could rename it there, it is in /var/tmp or /run.  NULL with a GLib error that
 * names the folder. */
char *base_scratch_folder(GError **error);

/* Create a folder named PREFIX plus six characters, for this user only. *PATH receives the name, for the
 * caller to free, also after a failure. Returns 0, or -1 with errno. */
int base_scratch_folder_at(const char *prefix, char **path);
/* Rename the folder PATH, of base_scratch_folder_at(), to the last component of TARGET, which must not exist
 * yet. The folder is kept from now on. Returns 0, or -1 with errno and nothing changed. */
int base_scratch_publish_folder(const char *path, const char *target);

/* Remove the folder PATH of base_scratch_folder() or base_scratch_folder_at() with its files, and with its
 * folders, which lie at most three deep. */
void base_scratch_remove(const char *path);

/* Remove everything that this process made, because the program ends. A later call that makes or removes a
 * file blocks forever. */
void base_scratch_end(void);

#endif
