/* SPDX-License-Identifier: MIT */
/* Records of an answer as lines of text, in which it is kept beside an index (qry_kept_answer()). */
#ifndef ANA_RECORD_H
#define ANA_RECORD_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Append a record of N NUMBERS and M TEXTS (each may be NULL). */
void ana_record_put(GString *to, const int64_t *numbers, unsigned n, const char *const *texts, unsigned m);
/* Read the record at *AT, and step over it.  Sets TEXTS, which the caller frees.  False, with nothing to
 * free, if there is no such record: somebody changed the file. */
bool ana_record_get(const char **at, int64_t *numbers, unsigned n, char **texts, unsigned m);

#endif
