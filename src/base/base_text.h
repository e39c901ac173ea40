/* SPDX-License-Identifier: MIT */
/*
 * Text that came from a trace or a file name is hostile: it may hold escape
 * sequences, control characters, bad UTF-8 or marks that turn the reading
 * direction.  Everything that goes into an index is cleaned once, on the way in.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <glib.h>

/*
 * A copy of the first LENGTH bytes of TEXT (-1: up to the NUL) as valid UTF-8
 * of printable characters only.  Each byte that is not valid UTF-8, each
 * control character (C0, C1, DEL) and each invisible format character (bidi
 * override, zero width) becomes U+FFFD.  The caller frees.
 */
char *base_text_clean(const char *text, gssize length);

/* Number of terminal columns of TEXT (valid UTF-8): wide characters count 2, combining marks 0. */
unsigned base_text_width(const char *text);

/* TEXTS (of char *), with BETWEEN between two.  The caller frees. */
char *base_text_join(const GPtrArray *texts, const char *between);

/* A number of bytes for people: "612 bytes", "55.8 KiB", "1.2 GiB".  The caller frees. */
char *base_text_bytes(guint64 bytes);

#endif
