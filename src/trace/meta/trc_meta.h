/* SPDX-License-Identifier: MIT */
/* What the metadata of a CTF trace says, in either of its languages: classes of streams and events, each a tree of
 * types with sizes and alignments; clocks; the environment.  trace/tsdl and trace/ctf2 make it. */
#ifndef TRC_META_H
#define TRC_META_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum trc_type_kind {
	TRC_TYPE_INTEGER,
	TRC_TYPE_FLOAT,
	TRC_TYPE_ENUM,   /* an integer with labels */
	TRC_TYPE_STRING, /* bytes up to a NUL */
	TRC_TYPE_STRUCT,
	TRC_TYPE_VARIANT, /* one of its fields, selected by the label of an earlier enum */
	TRC_TYPE_ARRAY,   /* LENGTH elements */
	TRC_TYPE_SEQUENCE /* as many elements as an earlier integer says */
};

#define TRC_VARIABLE UINT64_MAX /* a size or offset that depends on the data */

struct trc_type {
	enum trc_type_kind kind;
	uint32_t align; /* bits, a power of two */
	uint64_t bits;  /* bits, without padding after it, or TRC_VARIABLE */
	/* Types and labels in the tree below, each as often as it is used there, plus this one. */
	uint32_t nodes;
	uint32_t depth; /* of that tree: 1 for a number */
	bool shared;    /* FIELDS and LABELS are weak: they belong to the type that it copies */

	/* Integer, enum and float. */
	bool is_signed;
	bool is_text; /* encoding UTF8 or ASCII: an array of these is a text */
	bool big_endian;
	bool native_order; /* no byte order of its own: uses that of the trace */
	uint8_t base;      /* for printing: 2, 8, 10 or 16 */
	const char *clock; /* name of the clock that it is a value of; NULL: none */

	struct trc_type *element; /* array, sequence */
	uint64_t length;          /* array */
	/* sequence: field with its length; variant: its tag; both as "a.b"; NULL: none given. */
	const char *reference;

	unsigned n_fields; /* struct, variant */
	struct trc_field *fields;
	unsigned n_labels; /* enum */
	struct trc_label *labels;
};

struct trc_field {
	const char *name; /* as in the metadata, with LTTng's leading "_" */
	struct trc_type *type;
	uint64_t offset; /* bits from the start of the struct, or TRC_VARIABLE */
};

/* Values LOW to HIGH of an enum: int64_t if it is signed, else uint64_t. */
struct trc_label {
	const char *name;
	uint64_t low, high;
};

struct trc_clock {
	const char *name;
	const char *uuid;   /* "" if the metadata has none */
	uint64_t frequency; /* Hz, never 0 */
	int64_t offset_s;   /* from the Epoch to the clock's 0, in seconds … */
	int64_t offset;     /* … plus this, in cycles */
	bool astray;        /* the offset in the metadata is impossible: 0 is used */
};

struct trc_env {
	const char *name;
	const char *text; /* NULL: the value is NUMBER */
	int64_t number;
};

struct trc_event_class {
	const char *name;
	uint64_t id;
	uint64_t stream_id;
	struct trc_type *context, *fields; /* structs, or NULL */
};

struct trc_stream_class {
	uint64_t id;
	struct trc_type *packet_context, *event_header, *event_context; /* structs, or NULL */
	const struct trc_clock *clock; /* weak: of its events, else of its packets; NULL: none */
	GPtrArray *events;             /* of struct trc_event_class * */
};

/* The whole metadata; it owns everything in it. */
struct trc_meta {
	bool big_endian;
	bool has_uuid;
	uint8_t uuid[16];
	struct trc_type *packet_header; /* a struct, or NULL */
	GPtrArray *clocks;              /* of struct trc_clock * */
	GPtrArray *env;                 /* of struct trc_env * */
	GPtrArray *streams;             /* of struct trc_stream_class *, owned */
	GHashTable *by_id;              /* id (uint64_t *) → struct trc_stream_class *, weak */
	GPtrArray *types;               /* of struct trc_type *: all types */
	uint64_t unfolded; /* nodes of all types of streams and events, each as often as it is used */
	GStringChunk *strings;
};

void trc_meta_free(struct trc_meta *t);

/* Return the stream class with ID, the clock NAME, the env entry NAME; NULL if there is none. */
const struct trc_stream_class *trc_meta_stream(const struct trc_meta *t, uint64_t id);
const struct trc_clock *trc_meta_clock(const struct trc_meta *t, const char *name);
const struct trc_env *trc_meta_env(const struct trc_meta *t, const char *name);

/* Return the field NAME of the struct or variant TYPE (may be NULL), with or without the leading "_"; NULL if
 * there is none. */
const struct trc_field *trc_type_find(const struct trc_type *type, const char *name);

/* True if TYPE is a number: an integer, or an enum. */
static inline bool trc_type_is_number(const struct trc_type *type)
{
	return type->kind == TRC_TYPE_INTEGER || type->kind == TRC_TYPE_ENUM;
}

/* Return NAME without the "_" that LTTng puts before the names of fields. */
const char *trc_type_bare(const char *name);

/* Convert CYCLES of CLOCK to ns since the Epoch, rounded as libbabeltrace2 does; INT64_MAX if that does not
 * fit. */
int64_t trc_clock_ns(const struct trc_clock *clock, uint64_t cycles);

/* Return the text of a packetized or plain metadata file; the caller frees.  NULL with BASE_ERROR_DATA. */
GString *trc_meta_text(const void *data, size_t size, GError **error);

/* Return what B has that A lacks or describes differently, in a few words ("event 17"); the caller frees.
 * NULL if there is nothing, so that packets written with B can be read with A.  The offset of a clock may
 * differ: the cycles are comparable. */
char *trc_meta_lacks(const struct trc_meta *a, const struct trc_meta *b);

#endif
