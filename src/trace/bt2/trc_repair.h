/* SPDX-License-Identifier: MIT */
/* A private copy of a trace, or of a part, for readers that accept only complete files. */
#ifndef TRC_REPAIR_H
#define TRC_REPAIR_H

#include "trace/ctf/trc_survey.h"

/* True if S needs a repair before a reader can read it that trusts file sizes and the folder "index". */
bool trc_repair_is_needed(const struct trc_survey *s);

/* Make a folder (0700, in the folder for temporary files) with STREAMS (of struct trc_stream_file *, usable
 * ones of S): links to complete files, and repaired copies of incomplete ones.  WHOLE_PACKETS: without the
 * incomplete packets.  Returns its path, for trc_repair_remove(); NULL with BASE_ERROR_IO. */
char *trc_repair_new(const struct trc_survey *s, const GPtrArray *streams, bool whole_packets,
	GError **error);

/* Return the name of F, number NUMBER of those streams, in that folder; the caller frees. */
char *trc_repair_name(const struct trc_survey *s, const struct trc_stream_file *f, unsigned number);

/* Remove the folder PATH and free PATH. */
void trc_repair_remove(char *path);

#endif
