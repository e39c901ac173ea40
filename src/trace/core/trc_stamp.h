/* SPDX-License-Identifier: MIT */
/* Fingerprints of files, see trc_fingerprint(). */
#ifndef TRC_STAMP_H
#define TRC_STAMP_H

#include <glib.h>
#include <stdbool.h>
#include <xxhash.h>

/* Return the fingerprint, 32 hex digits, of the files that LIST returns (an array of struct trc_file *, which
 * trc_stamp() unrefs; NULL with an error) and of everything that MORE (may be NULL) adds to STATE (false with
 * an error).  Both get DATA.  The caller frees; NULL with an error. */
char *trc_stamp(GPtrArray *(*list)(void *data, GError **error),
	bool (*more)(void *data, XXH3_state_t *state, GError **error), void *data, GError **error);
/* Return the fingerprint of the single file FILES[0]. */
char *trc_stamp_file(char *const *files, GError **error);

#endif
