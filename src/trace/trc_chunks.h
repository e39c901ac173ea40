/* SPDX-License-Identifier: MIT */
/* Which folders are of one recording. */
#ifndef TRC_CHUNKS_H
#define TRC_CHUNKS_H

#include <glib.h>

/* A recording. */
struct trc_recording {
	char **folders;		/* owned, as trc_folders.h says */
	char *apart;		/* owned: why they are not joined with others that seem to be of the same recording, NULL: there are none */
};

/*
 * Put FOLDERS (of char *, canonical, each once) together to recordings: an array of struct trc_recording *, in the order of the first
 * folder of each, for the caller to unref.
 */
GPtrArray *trc_chunks_join(const GPtrArray *folders);

#endif
