/* SPDX-License-Identifier: MIT */
/* The metadata of a recording, which lies in one folder or in several. */
#ifndef TRC_METADATA_H
#define TRC_METADATA_H

#include "trace/tsdl/trc_tsdl.h"

/*
 * Metadata files that were read, each text parsed once: those of the chunks of a recording are alike as a
 * rule, and a day may have a thousand.
 */
struct trc_metadata;

struct trc_metadata *trc_metadata_new(void);
void trc_metadata_free(struct trc_metadata *m);

/*
 * The metadata of FOLDER in *TSDL, owned by M; NULL in it when that is not understood, and *PROBLEM (owned by
 * M) says why.  False with ERROR when the file cannot be read, or its packets are not whole: babeltrace2 2.0
 * never comes back from such, so it is not left to others.
 */
bool trc_metadata_read(struct trc_metadata *m, const char *folder, const struct trc_tsdl **tsdl,
	const GError **problem, GError **error);

/*
 * What the metadata of FOLDER says of the recording as a whole: its trace, env and clock blocks, which stand
 * before all events as a rule and are a small part of it; else all of it.  Owned by M; NULL: not
 * understood, or it cannot be read.
 */
const struct trc_tsdl *trc_metadata_head(struct trc_metadata *m, const char *folder);

/*
 * The metadata that describes all packets in FOLDERS, which trc_find() put together, in *TSDL, and in *OF
 * which of the folders it is of.  As trc_metadata_read(), and false with BASE_ERROR_DATA when there is none
 * that describes all.
 */
bool trc_metadata_choose(struct trc_metadata *m, char *const *folders, const struct trc_tsdl **tsdl,
	const char **of, const GError **problem, GError **error);

#endif
