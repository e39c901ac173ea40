/* SPDX-License-Identifier: MIT */
/* The state of the parser, which trc_ctf2.c (fragments) and trc_ctf2_field.c (field classes) share. */
#ifndef TRC_CTF2_PARSE_H
#define TRC_CTF2_PARSE_H

#include "base/base_error.h"
#include "base/base_json.h"
#include "trace/ctf2/trc_ctf2.h"
#include "trace/meta/trc_meta_type.h"

struct trc_fragments {
	struct trc_meta *t;  /* owned */
	unsigned number;     /* number of the current fragment, from 1 on */
	unsigned depth;      /* depth of nested field classes */
	GHashTable *aliases; /* owned: name (weak) → struct trc_type *, weak */
	GHashTable *clocks;  /* owned: id (weak) → struct trc_clock *, weak */
	GHashTable *events;  /* owned: set of the event classes so far, as text "STREAM ID" */
	struct trc_type *
		/* weak: the type of a byte of strings in each encoding, and of BLOBs; NULL: not needed so
		 * far */
		units[TRC_ENCODING_UTF32BE + 1];
	bool has_trace; /* a trace class was read */
	GError *error;  /* owned: the first failure */
};

/* Record the first failure, with the fragment and the line of V. FORMAT says what is wrong. Returns false. */
bool trc_fragments_fail(struct trc_fragments *p, const struct base_json_value *v, enum base_error code,
	const char *format, ...) G_GNUC_PRINTF(4, 5);

/* Return the member KEY of the object O; NULL if there is none. NULL with a failure if it is not of TYPE (for
 * INT, LARGE is accepted, too), or if it is missing and NEEDED. */
const struct base_json_value *trc_fragments_get(struct trc_fragments *p, const struct base_json_value *o,
	const char *key, enum base_json_type type, bool needed);

/* Return the text KEY of O, which lives as long as the metadata; NULL like trc_fragments_get(). */
const char *trc_fragments_text(struct trc_fragments *p, const struct base_json_value *o, const char *key,
	bool needed);

/* Set *VALUE to the number KEY of O, which must not be negative. *VALUE is unchanged if O has no KEY. False
 * with a failure. */
bool trc_fragments_number(struct trc_fragments *p, const struct base_json_value *o, const char *key,
	bool needed, uint64_t *value);

/* Return the field class KEY of O: an object, or the name of an alias. NULL if there is none, or with a
 * failure. */
struct trc_type *trc_fragments_class(struct trc_fragments *p, const struct base_json_value *o,
	const char *key, bool needed);

#endif
