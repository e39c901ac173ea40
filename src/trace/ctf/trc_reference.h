/* SPDX-License-Identifier: MIT */
/*
 * Names in types that stand for the value of an earlier field: the length of a sequence, the tag of a
 * variant.  They are looked up as CTF 1.8 wants it: from the innermost struct outwards, "event.fields.a.b"
 * being the outermost.
 */
#ifndef TRC_REFERENCE_H
#define TRC_REFERENCE_H

#include "trace/tsdl/trc_tsdl.h"

#define TRC_PATH_HEADER "stream.event.header"
#define TRC_PATH_STREAM_CONTEXT "stream.event.context"
#define TRC_PATH_CONTEXT "event.context"
#define TRC_PATH_FIELDS "event.fields"

/* Add the last parts of all references below TYPE (NULL: none) to WANTED, a set of const char *: only fields
 * of these names need be remembered. */
void trc_reference_collect(const struct trc_type *type, GHashTable *wanted);

/* What REFERENCE (NULL: nothing) means in the struct with the path SCOPE: the value in KNOWN, of path →
 * anything, or NULL. */
gpointer trc_reference_find(GHashTable *known, const char *scope, const char *reference);

#endif
