/* SPDX-License-Identifier: MIT */
/* Building the index of one trace. */
#ifndef ING_BUILD_H
#define ING_BUILD_H

#include "trace/trc_reader.h"

/* Told now and then how far a build is (0..1) and how many events it has read; returns true to stop it. */
typedef bool (*ing_build_watch)(void *data, double share, uint64_t events);

/*
 * Read all of READER and write the index FILE, for the trace in FOLDERS (as trc_folders.h says), which had
 * FINGERPRINT before READER was opened; FIRSTS as ing_first_find() has them. BASE_ERROR_CANCELLED when WATCH
 * said so, BASE_ERROR_DATA when there was no event or the trace has another fingerprint at its end,
 * BASE_ERROR_IO when it cannot be written; FILE is then as it was.
 */
bool ing_build(struct trc_reader *reader, char *const *folders, const char *fingerprint, const GArray *firsts,
	const char *file, ing_build_watch watch, void *data, GError **error);

#endif
