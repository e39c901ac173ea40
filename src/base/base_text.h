/* SPDX-License-Identifier: MIT */
/* Text.  What comes from a trace or a file name is hostile: it may hold escape sequences, control
 * characters, invalid UTF-8 or marks that reverse the reading direction.  Everything that enters an index is
 * cleaned once, at the entry. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Return a copy of the first LENGTH bytes of TEXT (-1: up to the NUL) as valid UTF-8 with printable
 * characters only.  U+FFFD replaces each byte that is not valid UTF-8, each control character (C0, C1, DEL)
 * and each invisible format character (bidi override, zero width).  The caller frees. */
char *base_text_clean(const char *text, gssize length);

/* True if base_text_clean() would not change the LENGTH bytes of TEXT, as all are printable ASCII
 * characters. */
bool base_text_is_plain(const char *text, gsize length);

/* g_string_append_len() without a call where there is room: lists of events are made of millions of short
 * texts. */
static inline void base_text_append(GString *to, const char *text, gsize length)
{
	if (length >= to->allocated_len - to->len) {
		g_string_append_len(to, text, (gssize)length);
		return;
	}
	memcpy(to->str + to->len, text, length);
	to->len += length;
	to->str[to->len] = '\0';
}

/* Append NUMBER in decimal; IS_BELOW_ZERO: it is an int64_t below 0. Lists of events are made of numbers, and
 * printf() would take most of their time. */
void base_text_append_decimal(GString *to, uint64_t number, bool is_below_zero);

/* Return the number of terminal columns of TEXT (valid UTF-8): a wide character counts 2, a combining mark
 * 0. */
unsigned base_text_width(const char *text);
/* Return the number of bytes of TEXT that fit into one row of COLUMNS, at least one character. The row ends
 * before a blank if it has one, but not between a number and its unit. A byte that is not UTF-8 takes a
 * column. */
size_t base_text_row(const char *text, unsigned columns);

/* Return TEXTS (of char *) joined by BETWEEN.  The caller frees. */
char *base_text_join(const GPtrArray *texts, const char *between);

/* Format a number of bytes for people: "612 bytes", "55.8 KiB", "1.2 GiB".  The caller frees. */
char *base_text_bytes(guint64 bytes);

/* The ending of a noun for N things: "s", or "" for one. */
static inline const char *base_text_s(guint64 n)
{
	return n == 1 ? "" : "s";
}

/* ---- a table of interned strings: each distinct string is stored once and has a small number ---- */

struct base_strings;

/* Use: new, add…, free.  String 0 is always "". */
struct base_strings *base_strings_new(void);
void base_strings_free(struct base_strings *s);

/* Return the number of TEXT; a new string gets the next number. */
uint32_t base_strings_add(struct base_strings *s, const char *text);

/* Like base_strings_add(), after base_text_clean() has cleaned LENGTH bytes of TEXT (-1: up to the NUL). */
uint32_t base_strings_add_hostile(struct base_strings *s, const char *text, gssize length);

/* Return the string with number ID, which must exist.  The table owns it. */
const char *base_strings_get(const struct base_strings *s, uint32_t id);

/* Return the number of strings; they are numbered from 0. */
uint32_t base_strings_count(const struct base_strings *s);

#endif
