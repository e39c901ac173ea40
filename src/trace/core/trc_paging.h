/* SPDX-License-Identifier: MIT */
/* Events in the middle of a trace, with all fields: the interface that a reader offers to trc_events.c. */
#ifndef TRC_PAGING_H
#define TRC_PAGING_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A packet, as found when the whole trace was read. */
struct trc_paging_packet {
	const char *stream;    /* weak: name of its stream as the reader gives it; hostile */
	uint64_t offset, size; /* bytes, in the stream's file; SIZE 0: unknown */
	uint64_t before;       /* number of events of the stream before it */
	int64_t latest;        /* ns: time of the last of those; INT64_MIN: none */
	uint64_t events;       /* number of events, not 0 */
	int64_t first, last;   /* ns: of its first and last event */
};

/* One event. */
struct trc_paging_event {
	int64_t time;     /* ns, as the reader gives it: never before an earlier event of the stream */
	uint32_t cpu;     /* stored in the event itself; MDL_NONE: it has none */
	int64_t offset;   /* bytes from the packet's begin to the event's; -1: unknown */
	const char *name; /* of its class; hostile, owned by the trace that open() returned */
};

/* Type of a field's value.  NONE: the event has no such field; takers never get it. */
enum trc_value_type { TRC_VALUE_SIGNED, TRC_VALUE_UNSIGNED, TRC_VALUE_REAL, TRC_VALUE_TEXT, TRC_VALUE_NONE };

struct trc_value {
	enum trc_value_type type;
	uint64_t number; /* SIGNED (sign-extended) or UNSIGNED */
	double real;     /* REAL */
	/* TEXT: the string up to its NUL; a compound field as it is printed.  Hostile, weak. */
	const char *text;
	size_t length; /* bytes of TEXT */
};

/* Receives the fields of an event one by one, fields of contexts first.  NAME is hostile. */
struct trc_taker {
	void (*take)(void *data, const char *name, const struct trc_value *value);
	void *data;
};

/* Receives a FIELD that events called EVENT may have; NULL: the trace describes events of this name. Names
 * are hostile. */
typedef void trc_paging_typed(void *data, const char *event, const char *field, enum trc_value_type type);

/* An event number counts from 0 within its packet.  False and NULL come with an error. */
struct trc_paging_ops {
	/* Open the trace in FOLDERS (see trc_folders.h).  ALL: this reader reads all streams; else only those
	 * for which it is the first that understands them.  NULL with BASE_ERROR_IO, or with BASE_ERROR_DATA
	 * if it understands none. */
	void *(*open)(char *const *folders, bool all, GError **error);
	void (*free)(void *trace);

	/* Read PACKET.  If the reader searches the stream for it, it corrects events, first and last of
	 * PACKET.  NULL with BASE_ERROR_DATA also if this reader does not know the stream. */
	void *(*read)(void *trace, struct trc_paging_packet *packet, GError **error);
	void (*free_page)(void *page);

	/* Get event I of PAGE, valid until the next call for this page. */
	bool (*event)(void *trace, void *page, uint64_t i, struct trc_paging_event *event, GError **error);

	/* Put the number of the first event of PAGE at or after TIME (ns) into *FOUND, or the number of
	 * its events if there is none.  NULL instead of a function: the caller tries one event after the
	 * other. */
	bool (*find)(void *trace, void *page, int64_t time, uint64_t *found, GError **error);

	/* Append the contexts and fields of event I of PAGE to TO, as babeltrace2 prints them; hostile.  Also
	 * pass each to TAKER, unless that is NULL. */
	bool (*fields)(void *trace, void *page, uint64_t i, GString *to, const struct trc_taker *taker,
		GError **error);

	/*
	 * Like read(), but without decoding the events of PACKET: next() returns them from the first on, and
	 * the caller checks their number and times. NULL instead of both functions: the caller uses read()
	 * and event().
	 */
	void *(*begin)(void *trace, const struct trc_paging_packet *packet, GError **error);
	/* Decode the next events of PAGE: *N of them (0: there are no more) in *EVENTS, valid until the next
	 * call for this page. Until then event(), fields() and pick() accept only these events, by their
	 * numbers in the packet. */
	bool (*next)(void *trace, void *page, const struct trc_paging_event **events, unsigned *n,
		GError **error);

	/*
	 * Prepare to read the fields called NAMES (N of them, copied) of many events, which looks for them in
	 * each type of event once.  NULL instead of these functions: the caller takes all fields.
	 */
	void *(*picker_new)(void *trace, const char *const *names, unsigned n);
	void (*picker_free)(void *picker);
	/* Put the fields of event I of PAGE into VALUES; of several with one name the last. Texts are weak,
	 * valid until the next call for PAGE. False: of this type of event all fields must be taken. */
	bool (*pick)(void *trace, void *page, uint64_t i, void *picker, struct trc_value *values);

	/* Call TYPED with DATA for each type of event that the trace describes, and for each of its fields,
	 * in the order of fields(). NULL instead of a function: the trace does not describe them. */
	void (*types)(const void *trace, trc_paging_typed *typed, void *data);

	/* True if some stream can have events called NAME; of a counter of perf also with modifiers. NULL
	 * instead of a function: only reading all events can show it. */
	bool (*declares)(const void *trace, const char *name);

	/* How often a stream was read from its start so far.  NULL instead of a function: never, because
	 * packets are read by offset and size. */
	uint64_t (*rewound)(const void *trace);
};

/* ---- values of fields as text, as babeltrace2's sink.text.pretty prints them; for the decoders ---- */

/* Append an integer of BITS bits in BASE (2, 8, 16, else 10).  VALUE is sign-extended to 64 bits. */
void trc_text_value_integer(GString *to, bool is_signed, unsigned bits, unsigned base, uint64_t value);

/* Return the floating-point number of 16, 32 or 64 bits in VALUE. */
double trc_text_value_real(unsigned bits, uint64_t value);

/* Append the floating-point number of 16, 32 or 64 bits in VALUE; for other sizes append the bits. */
void trc_text_value_float(GString *to, unsigned bits, uint64_t value);

/* Append TEXT, which ends after LENGTH bytes or at a NUL, in quotes and escaped as in C.  Stops once TO has
 * END bytes. */
void trc_text_value_string(GString *to, const char *text, uint64_t length, gsize end);

#endif
