/* SPDX-License-Identifier: MIT */
/* Names in types that refer to the value of an earlier field: the length of a sequence, the tag of a variant.
 * As in CTF 1.8 they are looked up from the innermost struct outwards, up to "event.fields.a.b". */
#ifndef TRC_REFERENCE_H
#define TRC_REFERENCE_H

#include "trace/tsdl/trc_tsdl.h"

#define TRC_PATH_HEADER "stream.event.header"
#define TRC_PATH_STREAM_CONTEXT "stream.event.context"
#define TRC_PATH_CONTEXT "event.context"
#define TRC_PATH_FIELDS "event.fields"

/* Add the last component of every reference below TYPE (may be NULL) to WANTED, a set of const char *: only
 * fields of these names must be stored. */
void trc_reference_collect(const struct trc_type *type, GHashTable *wanted);

/* Resolve REFERENCE (may be NULL) in the struct with the path SCOPE.  Returns the value in KNOWN (path →
 * anything), or NULL. */
gpointer trc_reference_find(GHashTable *known, const char *scope, const char *reference);

#endif
