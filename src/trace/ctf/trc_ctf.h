/* SPDX-License-Identifier: MIT */
/* CTF traces, and wakepath's own decoder for them. */
#ifndef TRC_CTF_H
#define TRC_CTF_H

#include "trace/core/trc_input.h"
#include "trace/core/trc_source.h"
#include "trace/ctf/trc_survey.h"

/* Result of the input's survey(), for the readers of CTF. */
struct trc_ctf_trace {
	struct trc_survey *survey; /* owned */
	struct trc_places *places; /* owned */
};

extern const struct trc_input_ops trc_ctf_input;
extern const struct trc_source_ops trc_ctf_ops;
extern const struct trc_paging_ops trc_ctf_paging; /* reads single packets (trc_page.c) */

/* ---- grouping folders into recordings (trc_chunks.c) ---- */

/*
 * Put FOLDERS (of char *, canonical, each once) together to recordings: an array of struct trc_recording *
 * (core/trc_folders.h), in the order of the first folder of each, for the caller to unref.
 */
GPtrArray *trc_chunks_join(const GPtrArray *folders, GError **error);

#endif
