/* SPDX-License-Identifier: MIT */
/* Which folders are of one recording. */
#ifndef TRC_CHUNKS_H
#define TRC_CHUNKS_H

#include <glib.h>

/*
 * Put FOLDERS (of char *, canonical, each once) together to recordings: an array of struct trc_recording *
 * (core/trc_folders.h), in the order of the first folder of each, for the caller to unref.
 */
GPtrArray *trc_chunks_join(const GPtrArray *folders);

#endif
