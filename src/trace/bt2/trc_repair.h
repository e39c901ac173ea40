/* SPDX-License-Identifier: MIT */
/* A private copy of a trace, or a part of one, in which all that is there can be read by readers that insist
 * on whole files. */
#ifndef TRC_REPAIR_H
#define TRC_REPAIR_H

#include "trace/ctf/trc_survey.h"

/* True when S needs a repair before a reader that trusts file sizes and the folder "index" can read it. */
bool trc_repair_is_needed(const struct trc_survey *s);

/*
 * Make a folder (0700, in the folder for temporary files) with those of STREAMS
 * (of struct trc_stream_file *, usable ones of S): links to what is whole and
 * repaired copies of what is cut; with WHOLE_PACKETS without the packets that are
 * cut.  Returns its path, for trc_repair_remove();
 * NULL with BASE_ERROR_IO.
 */
char *trc_repair_new(const struct trc_survey *s, const GPtrArray *streams, bool whole_packets,
	GError **error);

/* What F, which is at NUMBER of those streams, is called in that folder; the caller frees. */
char *trc_repair_name(const struct trc_survey *s, const struct trc_stream_file *f, unsigned number);

/* Remove the folder PATH and free PATH. */
void trc_repair_remove(char *path);

#endif
