/* SPDX-License-Identifier: MIT */
#ifndef TRC_FINGERPRINT_H
#define TRC_FINGERPRINT_H

#include <glib.h>

/* As trc_fingerprint(), for CTF: of the metadata's bytes and of each stream file's name, size and times of
 * change. */
char *trc_fingerprint_of(char *const *folders, GError **error);

#endif
