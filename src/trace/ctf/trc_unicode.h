/* SPDX-License-Identifier: MIT */
/* Characters of strings in any encoding of CTF 2, as UTF-8. */
#ifndef TRC_UNICODE_H
#define TRC_UNICODE_H

#include "trace/meta/trc_meta.h"

/* Put the number of bytes at P, of which SIZE are there, before the NUL that ends a string into *LENGTH, and
 * with the NUL into *WHOLE. False if there is no NUL. */
bool trc_unicode_length(const uint8_t *p, uint64_t size, enum trc_encoding encoding, uint64_t *length,
	uint64_t *whole);

/* Append LENGTH bytes at P, up to a NUL, as UTF-8, which is hostile; stops once TO has END bytes. U+FFFD
 * replaces invalid characters. ENCODING is not UTF-8. */
void trc_unicode_append(GString *to, const uint8_t *p, uint64_t length, enum trc_encoding encoding,
	gsize end);

#endif
