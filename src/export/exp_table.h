/* SPDX-License-Identifier: MIT */
/* Aligned columns of text for people.  Inside the library only. */
#ifndef EXP_TABLE_H
#define EXP_TABLE_H

#include <glib.h>
#include <stdint.h>

struct exp_table;

struct exp_file;

/* HEADERS is NULL-terminated and static; a header beginning with '>' makes a column aligned to the right.
 * FILE (weak; NULL: nothing) holds what is long, and takes what is written in the end. */
struct exp_table *exp_table_new(const char *const *headers, struct exp_file *file);
/* The next cell, left to right, line by line; NULL is empty.  _take() frees TEXT. */
void exp_table_add(struct exp_table *t, const char *text);
void exp_table_take(struct exp_table *t, char *text);
void exp_table_add_int(struct exp_table *t, int64_t value);
void exp_table_add_duration(struct exp_table *t, int64_t duration);
/* Write all lines, each after INDENT, and free T. */
void exp_table_finish(struct exp_table *t, GString *out, const char *indent);

/* TEXT appended without control characters, whatever it came from. */
void exp_table_append_clean(GString *out, const char *text);
/* TIME as all results show it.  The caller frees. */
char *exp_table_time(int64_t time);
/* A duration as text that the locale can show.  The caller frees. */
char *exp_table_duration(int64_t duration);
/* The same with its sign: "+1.20 ms". */
char *exp_table_signed(int64_t duration);
/* A bar for COUNT of MOST, which is LONGEST columns: one at least where COUNT is not 0.  The caller frees. */
char *exp_table_bar(uint64_t count, uint64_t most, unsigned longest);

#endif
