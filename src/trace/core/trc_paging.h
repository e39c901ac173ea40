/* SPDX-License-Identifier: MIT */
/* Events in the middle of a trace, with all their fields: what a kind of reader offers to trc_events.c. */
#ifndef TRC_PAGING_H
#define TRC_PAGING_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A packet, as who read the whole trace came to know it. */
struct trc_paging_packet {
	const char *stream;    /* weak: the name of its stream, as the reader gives it; hostile */
	uint64_t offset, size; /* bytes, in the stream's file; SIZE 0: not known */
	uint64_t before;       /* events of the stream before it */
	int64_t latest;        /* ns: time of the last one of them, INT64_MIN there is none */
	uint64_t events;       /* in it, not 0 */
	int64_t first, last;   /* ns: of its first and last event */
};

/* One event. */
struct trc_paging_event {
	int64_t time;     /* ns, as the reader gives it: never before an earlier event of the stream */
	uint32_t cpu;     /* that it tells itself; MDL_NONE: it does not */
	int64_t offset;   /* bytes from the packet's begin to its own; -1: not known */
	const char *name; /* of its class; hostile, owned by what open() gave */
};

/* What a field holds. */
enum trc_value_type { TRC_VALUE_SIGNED, TRC_VALUE_UNSIGNED, TRC_VALUE_REAL, TRC_VALUE_TEXT };

struct trc_value {
	enum trc_value_type type;
	uint64_t number; /* SIGNED, with its sign in all bits; UNSIGNED */
	double real;     /* REAL */
	/* TEXT: what a text holds, up to its NUL; of what has parts, how it is printed.  Hostile, weak. */
	const char *text;
	size_t length; /* bytes of it */
};

/* Who takes the fields of an event one by one: those of its contexts first; NAME is hostile. */
struct trc_taker {
	void (*take)(void *data, const char *name, const struct trc_value *value);
	void *data;
};

/* Numbers of events are those within a packet, from 0 on.  False and NULL come with an error. */
struct trc_paging_ops {
	/*
	 * The trace in FOLDERS (as trc_folders.h says), of which this kind reads ALL streams or only those
	 * that it is the first to understand.  NULL with BASE_ERROR_IO, or _DATA when it understands none of
	 * it.
	 */
	void *(*open)(char *const *folders, bool all, GError **error);
	void (*free)(void *trace);

	/*
	 * PACKET, of which events, first and last become those that were found, where they were looked for.
	 * NULL with BASE_ERROR_DATA also when it is of a kind that is not known here; NULL is never good.
	 */
	void *(*read)(void *trace, struct trc_paging_packet *packet, GError **error);
	void (*free_page)(void *page);

	/* Event number I of PAGE, good until the next call for this page. */
	bool (*event)(void *trace, void *page, uint64_t i, struct trc_paging_event *event, GError **error);

	/* The number of the first event of PAGE at or after TIME in *FOUND, how many it has where none is.
	 * NULL: they are gone over one by one. */
	bool (*find)(void *trace, void *page, int64_t time, uint64_t *found, GError **error);

	/* Append the contexts and fields of event I of PAGE to TO, as babeltrace2 prints them; hostile.  Each
	 * is given to TAKER, too, unless that is NULL. */
	bool (*fields)(void *trace, void *page, uint64_t i, GString *to, const struct trc_taker *taker,
		GError **error);

	/* Whether it can have events called NAME, of whichever kind their stream is; NULL: only reading
	 * tells.
	 */
	bool (*declares)(const void *trace, const char *name);

	/* How often a stream was read from its start so far; NULL: never, packets are read on their own, by
	 * offset and size. */
	uint64_t (*rewound)(const void *trace);
};

#endif
