/* SPDX-License-Identifier: MIT */
/* Builds the index of one trace. */
#ifndef ING_BUILD_H
#define ING_BUILD_H

#include "trace/trc_reader.h"

/* Called now and then with the part that is done (0..1) and the number of events read.  Returns true to stop
 * the build. */
typedef bool (*ing_build_watch)(void *data, double share, uint64_t events);

/*
 * Read all of READER and write the index FILE of the trace in FOLDERS (see trc_folders.h).  FINGERPRINT is
 * that of the trace before READER was opened; FIRSTS is the result of ing_first_find().
 *
 * False with BASE_ERROR_CANCELLED if WATCH stopped it, BASE_ERROR_DATA if the trace has no event or its
 * fingerprint changed, BASE_ERROR_IO if FILE cannot be written.  FILE is unchanged then.
 */
bool ing_build(struct trc_reader *reader, char *const *folders, const char *fingerprint, const GArray *firsts,
	const char *file, ing_build_watch watch, void *data, GError **error);

#endif
