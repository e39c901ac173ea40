/* SPDX-License-Identifier: MIT */
/* Comma-separated values as of RFC 4180, with LF at the end of a line.  What is unknown is an empty field.
 * Inside the library only. */
#ifndef EXP_CSV_H
#define EXP_CSV_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct exp_csv {
	GString *out; /* weak */
	bool in_line; /* a field was written since the last end of a line */
};

/* Begin with the header line: NAMES separated by commas. */
struct exp_csv exp_csv_begin(GString *out, const char *names);
/* TEXT may be NULL: empty.  What a spreadsheet would take for a formula gets an apostrophe before it. */
void exp_csv_text(struct exp_csv *csv, const char *text);
/* A NUMBER that is text already, as it has more digits than fit elsewhere; NULL: empty. */
void exp_csv_decimal(struct exp_csv *csv, const char *number);
/* Any number; empty for BASE_TIME_NONE. */
void exp_csv_time(struct exp_csv *csv, int64_t time);
void exp_csv_end_line(struct exp_csv *csv);

#endif
