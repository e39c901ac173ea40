/* SPDX-License-Identifier: MIT */
/* Finds the thread that runs on each CPU when its events begin: only the first switch of the CPU, later,
 * tells. */
#ifndef ING_FIRST_H
#define ING_FIRST_H

#include "ingest/ing_build.h"

/*
 * Read the trace in FOLDERS with READER (as in trc_reader_open()) as far as needed.  Returns a MDL_EV_FIRST
 * for each CPU whose first thread is known, by rising time.  If the switches do not fit together, only those
 * of some threads were recorded: a MDL_EV_FIRST without a thread, before the others, says so.
 *
 * The result is an array of struct mdl_event with their own texts; free it with ing_first_free().  If WATCH
 * (with DATA; may be NULL) stops the search, it has what is known by then; if the trace cannot be read, it is
 * empty.
 */
GArray *ing_first_find(char *const *folders, const char *reader, ing_build_watch watch, void *data);
/* True if FIRSTS lacks E although E is the first switch of its CPU: E was not written yet when
 * ing_first_find() read the trace.  BEFORE is the number of events before E (trc_reader_read()). */
bool ing_first_lacks(const GArray *firsts, const struct mdl_event *e, uint64_t before);
/* FIRSTS may be NULL. */
void ing_first_free(GArray *firsts);

#endif
