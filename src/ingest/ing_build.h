/* SPDX-License-Identifier: MIT */
/* Builds the index of one trace. */
#ifndef ING_BUILD_H
#define ING_BUILD_H

#include "trace/trc_reader.h"

/* Called now and then with the part that is done (0..1) and the number of events read.  Returns true to stop
 * the build. */
typedef bool (*ing_build_watch)(void *data, double share, uint64_t events);

/*
 * Read all of READER and write the index FILE, for RECORDING, which had
 * FINGERPRINT before READER was opened; FIRSTS as ing_first_find() has them. BASE_ERROR_CANCELLED when WATCH
 * said so, BASE_ERROR_DATA when there was no event or the trace has another fingerprint at its end,
 * BASE_ERROR_IO when it cannot be written; FILE is then as it was.
 */
bool ing_build(struct trc_reader *reader, const struct trc_recording *recording, const char *fingerprint,
	const GArray *firsts, const char *file, ing_build_watch watch, void *data, GError **error);

#endif
