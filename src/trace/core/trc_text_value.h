/* SPDX-License-Identifier: MIT */
/* Values of fields as text, as babeltrace2's sink.text.pretty prints them; for the decoders. */
#ifndef TRC_TEXT_VALUE_H
#define TRC_TEXT_VALUE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Append an integer of BITS bits in BASE (2, 8, 16, else 10).  VALUE is sign-extended to 64 bits. */
void trc_text_value_integer(GString *to, bool is_signed, unsigned bits, unsigned base, uint64_t value);

/* Append the floating-point number of 32 or 64 bits in VALUE; for other sizes append the bits. */
void trc_text_value_float(GString *to, unsigned bits, uint64_t value);

/* Append TEXT, which ends after LENGTH bytes or at a NUL, in quotes and escaped as in C.  Stops once TO has
 * END bytes. */
void trc_text_value_string(GString *to, const char *text, uint64_t length, gsize end);

#endif
