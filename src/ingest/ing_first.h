/* SPDX-License-Identifier: MIT */
/* Finds the thread that runs on each CPU when its events begin: only the first switch of the CPU, later,
 * tells. */
#ifndef ING_FIRST_H
#define ING_FIRST_H

#include "ingest/ing_build.h"

/*
 * Read RECORDING with READER (as trc_reader_open()) as far as that needs: a MDL_EV_FIRST for each
 * CPU of which it is known, by rising time; before these, where the switches that there are do not fit
 * together, one without a thread: only those of some threads were recorded.  An array of struct mdl_event
 * with their own texts, for ing_first_free(); what is known so far when WATCH (with DATA; may be NULL) says
 * stop.  NULL with an error when the trace cannot be read.
 */
GArray *ing_first_find(const struct trc_recording *recording, const char *reader, ing_build_watch watch,
	void *data, GError **error);
/* Would E, of which there were BEFORE (trc_reader_read()), be one of FIRSTS, and is not: had it not been
 * written when they were looked for? */
bool ing_first_lacks(const GArray *firsts, const struct mdl_event *e, uint64_t before);
/* FIRSTS may be NULL. */
void ing_first_free(GArray *firsts);

#endif
