/* SPDX-License-Identifier: MIT */
/* A table of interned strings: each distinct string is stored once and has a small number. */
#ifndef BASE_STRINGS_H
#define BASE_STRINGS_H

#include <glib.h>
#include <stdint.h>

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
