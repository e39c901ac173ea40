/* SPDX-License-Identifier: MIT */
/* The metadata of a CTF trace, in either of its languages: classes of streams and events, each a tree of
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
	TRC_TYPE_STRING, /* characters up to a NUL */
	TRC_TYPE_STRUCT,
	TRC_TYPE_VARIANT,  /* one of its fields, which an earlier number selects */
	TRC_TYPE_OPTIONAL, /* its element, or nothing, depending on an earlier number */
	TRC_TYPE_ARRAY,    /* LENGTH elements */
	TRC_TYPE_SEQUENCE  /* as many elements as an earlier integer says */
};

/* The characters of a string, or of an array of integers of 8 bits. */
enum trc_encoding {
	TRC_ENCODING_NONE, /* no text: numbers */
	TRC_ENCODING_UTF8, /* or ASCII */
	TRC_ENCODING_UTF16LE,
	TRC_ENCODING_UTF16BE,
	TRC_ENCODING_UTF32LE,
	TRC_ENCODING_UTF32BE
};

/* How a number is shown. */
enum trc_look {
	TRC_LOOK_NUMBER,
	TRC_LOOK_BOOLEAN, /* false if it is 0 */
	TRC_LOOK_FLAGS    /* labels are of bits: LOW to HIGH are their indexes */
};

/* The meaning of a number, or of the bytes of a UUID, in the head of a packet or an event. A bit of
 * trc_type.roles each. TSDL gives it by the name of the field, CTF 2 by the class. */
enum trc_role {
	TRC_ROLE_MAGIC = 1 << 0,     /* packet header */
	TRC_ROLE_UUID = 1 << 1,      /* packet header: of the metadata, 16 bytes */
	TRC_ROLE_STREAM = 1 << 2,    /* packet header: id of the stream class */
	TRC_ROLE_INSTANCE = 1 << 3,  /* packet header: of the stream among those of its class */
	TRC_ROLE_SIZE = 1 << 4,      /* packet context: bits of the packet */
	TRC_ROLE_CONTENT = 1 << 5,   /* packet context: bits of it without the padding at its end */
	TRC_ROLE_TIME = 1 << 6,      /* packet context: clock at the begin; event header: of the event */
	TRC_ROLE_END = 1 << 7,       /* packet context: clock at the end */
	TRC_ROLE_DISCARDED = 1 << 8, /* packet context: lost events so far */
	TRC_ROLE_SEQUENCE = 1 << 9,  /* packet context: number of the packet in its stream */
	TRC_ROLE_EVENT = 1 << 10,    /* event header: id of the event class */
	TRC_ROLE_CPU = 1 << 11       /* packet context: always by its name, cpu_id */
};

#define TRC_ROLES 12 /* how many roles there are */

#define TRC_VARIABLE UINT64_MAX /* a size or offset that depends on the data */

/* The paths of the structs with the fields of a packet, of the header of an event, and of the rest of an
 * event. */
#define TRC_PATH_PACKET_HEADER "trace.packet.header"
#define TRC_PATH_PACKET_CONTEXT "stream.packet.context"
#define TRC_PATH_HEADER "stream.event.header"
#define TRC_PATH_STREAM_CONTEXT "stream.event.context"
#define TRC_PATH_CONTEXT "event.context"
#define TRC_PATH_FIELDS "event.fields"

/* How the field that a type refers to is found: from the innermost struct outwards, as in CTF 1.8, … */
#define TRC_SEARCH UINT8_MAX
#define TRC_ABSOLUTE (UINT8_MAX - 1) /* … or its whole path is given; or so many structs around its own */

struct trc_type {
	enum trc_type_kind kind;
	uint32_t align; /* bits, a power of two */
	/* Bits, without padding after it, or TRC_VARIABLE. An integer with TRC_VARIABLE is LEB128, at most 64
	 * bits. */
	uint64_t bits;
	/* Types and labels in the tree below, each as often as it is used there, plus this one. */
	uint32_t nodes;
	uint32_t depth; /* depth of that tree: 1 for a number */
	/* FIELDS, LABELS and CHOICES are weak: another type, of which this is a copy, owns them */
	bool shared;

	/* Integer, enum and float. */
	bool is_signed;
	bool big_endian;
	bool native_order; /* no byte order of its own: uses that of the trace */
	bool reversed;     /* its bits are in the order opposite to that of the byte order */
	uint8_t base;      /* for printing: 2, 8, 10 or 16 */
	uint8_t look;      /* enum trc_look */
	uint8_t encoding;  /* enum trc_encoding; also of a string */
	uint16_t roles;    /* of enum trc_role */
	const char *clock; /* TSDL: name of the clock whose value it is; NULL: none */

	struct trc_type *element; /* array, sequence, optional */
	uint64_t length;          /* array */
	/* sequence: field with its length; variant, optional: field that selects; both as "a.b", of
	 * trc_path_add(); NULL: none given. */
	const char *reference;
	uint8_t up; /* how REFERENCE is found: TRC_SEARCH, TRC_ABSOLUTE, or a number of structs */

	unsigned n_fields; /* struct, variant */
	struct trc_field *fields;
	unsigned n_labels; /* enum */
	struct trc_label *labels;
	/* Variant, optional: which values select which field. If there are none, a variant's field is
	 * selected by the values of the label with its name, an optional's element by every value except
	 * 0. */
	unsigned n_choices;
	struct trc_choice *choices;
};

/* Values that select field number OPTION of a variant, or the element of an optional. */
struct trc_choice {
	uint64_t low, high;         /* two's complement */
	bool below_low, below_high; /* LOW, HIGH are below 0 */
	unsigned option;
};

struct trc_field {
	const char
		*name; /* as in the metadata, in TSDL with LTTng's leading "_"; "": none (options of CTF 2) */
	struct trc_type *type;
	uint64_t offset; /* bits from the start of the struct, or TRC_VARIABLE */
};

/* Values LOW to HIGH of an enum (int64_t if it is signed, else uint64_t), or these bits of flags. */
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
	bool astray;        /* the offset in the metadata is impossible, so 0 is used */
	bool elsewhere;     /* its times count from a point that is not known to be 1970 */
};

/* True if A and B, clocks in the metadata of two traces, are one clock of one machine. */
bool trc_clock_is_one(const struct trc_clock *a, const struct trc_clock *b);

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
	const char *format; /* static: "ctf 1.8" or "ctf 2" */
	bool big_endian;
	bool has_uuid;
	uint8_t uuid[16];
	struct trc_type *packet_header; /* a struct, or NULL */
	GPtrArray *clocks;              /* of struct trc_clock * */
	GPtrArray *env;                 /* of struct trc_env * */
	GPtrArray *streams;             /* of struct trc_stream_class *, owned */
	GHashTable *by_id;              /* id (uint64_t *) → struct trc_stream_class *, weak */
	GPtrArray *types;               /* of struct trc_type *: all types */
	uint64_t unfolded;              /* nodes of all types of streams and events, counted at each use */
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

/* True if TYPE is LEB128. */
static inline bool trc_type_is_leb(const struct trc_type *type)
{
	return trc_type_is_number(type) && type->bits == TRC_VARIABLE;
}

/* True if VALUE of TYPE has LABEL, one of its own. */
bool trc_type_has_label(const struct trc_type *type, const struct trc_label *label, uint64_t value);

/* Put the values of C, as numbers of a field with IS_SIGNED, into *LOW and *HIGH. False if it has none of
 * them. */
bool trc_choice_bounds(const struct trc_choice *c, bool is_signed, uint64_t *low, uint64_t *high);

/* Return the number of the field of the variant TYPE that VALUE, of a field of type TAG, selects; for an
 * optional, 0 if VALUE selects its element; -1: none. Takes time linear in labels, fields and choices. */
int trc_type_choose(const struct trc_type *type, const struct trc_type *tag, uint64_t value);

/* Append the field NAME to PATH ("event.fields.a"). */
void trc_path_add(GString *path, const char *name);

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
