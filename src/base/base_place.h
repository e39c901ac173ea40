/* SPDX-License-Identifier: MIT */
/* Paths through folders that other users can write.  If root opens such a path by name, another user's
 * symbolic link can lead it anywhere, even between two steps.  The functions here follow no such link.  For
 * any other user they behave like open(): there the kernel's own permission checks suffice. */
#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Open PATH with O_PATH, for openat() and similar calls, or to open it again through "/proc/self/fd/N".
 * Returns the descriptor; -1 with errno, which is ELOOP if another user could have made a link on the way.
 *
 * REAL (may be NULL): receives the path without links, for the caller to free; NULL after a failure.
 *
 * OURS (may be NULL): receives false if another user can make PATH lead elsewhere.
 */
int base_place_open(const char *path, char **real, bool *ours);

/* Open the folder that contains PATH.  Parameters and result as of base_place_open(). */
int base_place_folder(const char *path);

/* Open the folder PATH and create its missing parts with mode 0700.  Returns 0, or -1 with errno. */
int base_place_make(const char *path);

/* Open the file PATH for writing and create it if it does not exist.  FLAGS is O_APPEND or O_TRUNC; the umask
 * applies to MODE.  If another user can make PATH lead elsewhere, only a regular file of this user with a
 * single name is accepted (else EPERM).  Returns the descriptor, or -1 with errno. */
int base_place_write(const char *path, int flags, mode_t mode);

/* Return the last component of PATH.  Points into PATH. */
const char *base_place_name(const char *path);

#endif
