/* SPDX-License-Identifier: MIT */
/* Aligned columns of text.  Only for the export library. */
#ifndef EXP_TABLE_H
#define EXP_TABLE_H

#include <glib.h>
#include <stdint.h>

struct exp_table;

struct exp_file;

/* HEADERS is NULL-terminated and static; '>' before a header aligns its column to the right.  FILE (weak;
 * NULL: none) holds the cells of long tables, and takes the finished lines. */
struct exp_table *exp_table_new(const char *const *headers, struct exp_file *file);
/* Add the next cell, left to right, line by line; NULL: an empty cell.  _take() frees TEXT. */
void exp_table_add(struct exp_table *t, const char *text);
void exp_table_take(struct exp_table *t, char *text);
void exp_table_add_int(struct exp_table *t, int64_t value);
void exp_table_add_duration(struct exp_table *t, int64_t duration);
/* Write all lines, INDENT before each, and free T. */
void exp_table_finish(struct exp_table *t, GString *out, const char *indent);

/* Append TEXT without control characters. */
void exp_table_append_clean(GString *out, const char *text);
/* TIME (ns) as all results show it.  The caller frees. */
char *exp_table_time(int64_t time);
/* DURATION (ns) in characters that the locale can show.  The caller frees. */
char *exp_table_duration(int64_t duration);
/* DURATION (ns) with its sign: "+1.20 ms".  The caller frees. */
char *exp_table_signed(int64_t duration);
/* A bar whose length is COUNT / MOST of LONGEST characters; at least one if COUNT is not 0.  The caller
 * frees. */
char *exp_table_bar(uint64_t count, uint64_t most, unsigned longest);

#endif
