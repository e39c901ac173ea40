/* SPDX-License-Identifier: MIT */
/* Finds the thread that runs on each CPU when its events begin.  Only the first switch of the CPU tells it,
 * later. */
#ifndef ING_FIRST_H
#define ING_FIRST_H

#include "ingest/ing_build.h"

/*
 * Read RECORDING with READER (as trc_reader_open()) as far as needed.  Return an array of struct mdl_event
 * with their own texts, for ing_first_free(): a MDL_EV_FIRST for each CPU whose thread is known, by rising
 * time.  If the switches do not fit together, only those of some threads were recorded; then an MDL_EV_FIRST
 * without a thread comes first.  If WATCH (with DATA; may be NULL) says stop, return what is known so far.
 * NULL with an error if the trace cannot be read.
 */
GArray *ing_first_find(const struct trc_recording *recording, const char *reader, ing_build_watch watch,
	void *data, GError **error);
/* True if E, number BEFORE of the trace (trc_reader_read()), should be in FIRSTS and is not, because it was
 * written only after they were looked for. */
bool ing_first_lacks(const GArray *firsts, const struct mdl_event *e, uint64_t before);
/* FIRSTS may be NULL. */
void ing_first_free(GArray *firsts);

#endif
