/* SPDX-License-Identifier: MIT */
/* Comma-separated values by RFC 4180, except that a line ends with LF.  An unknown value is an empty field.
 * Only for the export library. */
#ifndef EXP_CSV_H
#define EXP_CSV_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct exp_csv {
	GString *out; /* weak */
	bool in_line; /* the current line already has a field */
};

/* Write the header line: NAMES, separated by commas. */
struct exp_csv exp_csv_begin(GString *out, const char *names);
/* TEXT may be NULL: an empty field.  A text that a spreadsheet would take for a formula gets an apostrophe
 * before it. */
void exp_csv_text(struct exp_csv *csv, const char *text);
/* A NUMBER as text, for numbers of more digits than 64 bits hold; NULL: an empty field. */
void exp_csv_decimal(struct exp_csv *csv, const char *number);
/* Any number; BASE_TIME_NONE: an empty field. */
void exp_csv_time(struct exp_csv *csv, int64_t time);
void exp_csv_end_line(struct exp_csv *csv);

#endif
