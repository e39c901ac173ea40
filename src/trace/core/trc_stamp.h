/* SPDX-License-Identifier: MIT */
/* Fingerprints of files that were read, see trc_fingerprint(). */
#ifndef TRC_STAMP_H
#define TRC_STAMP_H

#include <glib.h>
#include <stdbool.h>
#include <xxhash.h>

/*
 * The fingerprint, as 32 hex digits, of the files that LIST gives (an array of struct trc_file *, for the
 * caller to unref; NULL with an error), and of what MORE (NULL: nothing) adds to STATE (false with an error);
 * both get DATA.  The caller frees; NULL with an error.
 */
char *trc_stamp(GPtrArray *(*list)(void *data, GError **error),
	bool (*more)(void *data, XXH3_state_t *state, GError **error), void *data, GError **error);
/* That of the one file FILES[0]. */
char *trc_stamp_file(char *const *files, GError **error);

#endif
