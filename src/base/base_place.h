/* SPDX-License-Identifier: MIT */
/*
 * Paths through folders that other users can write.  A process with root's rights that opens such a path by
 * name can be led anywhere by a symbolic link that another user puts there, also between two steps.  The
 * functions here follow no such link.  For any other user they are open() and its like: the kernel's own
 * checks of permissions hold there.
 */
#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Open PATH with O_PATH, for openat() and its like, or to open again by "/proc/self/fd/N".  Returns the
 * descriptor; -1 with errno, ELOOP where another user could have made a link on the way.
 * REAL (may be NULL): receives the path without links, for the caller to free; NULL after a failure.
 * OURS (may be NULL): receives false if another user can make PATH lead elsewhere.
 */
int base_place_open(const char *path, char **real, bool *ours);

/* Open the folder in which PATH is: as base_place_open(). */
int base_place_folder(const char *path);

/* Open the folder PATH, and make what is missing on the way, with mode 0700; 0, or -1 with errno. */
int base_place_make(const char *path);

/*
 * Open the file PATH for writing, and create it where it is missing: FLAGS is O_APPEND or O_TRUNC, MODE is
 * less the umask.  Where another user can make PATH lead elsewhere, only a regular file of this user with one
 * name is opened (EPERM).  Returns the descriptor, or -1 with errno.
 */
int base_place_write(const char *path, int flags, mode_t mode);

/* The last part of PATH: its name in its folder. */
const char *base_place_name(const char *path);

#endif
