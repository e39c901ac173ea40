/* SPDX-License-Identifier: MIT */
/* A table of interned strings: each different string once, known by a small number. */
#ifndef BASE_STRINGS_H
#define BASE_STRINGS_H

#include <glib.h>
#include <stdint.h>

struct base_strings;

/* Life: new, add…, free.  String 0 is always "". */
struct base_strings *base_strings_new(void);
void base_strings_free(struct base_strings *s);

/* The number of TEXT, a new one when it is not there yet. */
uint32_t base_strings_add(struct base_strings *s, const char *text);

/* As base_strings_add(), after cleaning LENGTH bytes (-1: up to the NUL) with base_text_clean(). */
uint32_t base_strings_add_hostile(struct base_strings *s, const char *text, gssize length);

/* The string with number ID, which must exist.  Owned by the table. */
const char *base_strings_get(const struct base_strings *s, uint32_t id);

/* How many strings there are; numbers run from 0 to that less one. */
uint32_t base_strings_count(const struct base_strings *s);

#endif
