/* SPDX-License-Identifier: MIT */
/* Any event of a trace that was read before, with all its fields: reads one packet at a time, with the first
 * reader that understands its stream. */
#ifndef TRC_EVENTS_H
#define TRC_EVENTS_H

#include "trace/core/trc_paging.h"
#include "trace/trc_reader.h"

struct trc_events;

/*
 * Open RECORDING, which had FINGERPRINT when it was read. READER, as in struct trc_info, read it; STREAMS
 * describes its N_STREAMS streams. FINGERPRINT NULL: the trace grows, and its last packets may have more
 * events by now. STREAMS with its names, and WARNINGS (of char *), must outlive the result. WARNINGS gets a
 * line for each stream that must be read from its start. The caller frees. NULL with BASE_ERROR_IO or
 * BASE_ERROR_DATA if the trace is missing or has changed since.
 */
struct trc_events *trc_events_open(const struct trc_recording *recording, const char *fingerprint,
	const char *reader, const struct trc_stream *streams, unsigned n_streams, GPtrArray *warnings,
	GError **error);
void trc_events_free(struct trc_events *e);

/* True if there may be events called NAME, also if only reading all events could show it. */
bool trc_events_declare(const struct trc_events *e, const char *name);

/* Call TYPED with DATA for each type of event of E that the trace describes, and each of its fields. False if
 * the trace does not describe them, so that only its events show them. */
bool trc_events_types(const struct trc_events *e, trc_paging_typed *typed, void *data);

/* The events of a packet. */
struct trc_events_page;

/* Read PACKET of stream number STREAM; PACKET's stream name is filled in.  NULL with an error if the packet
 * is not as described or cannot be read any more. */
struct trc_events_page *trc_events_read(struct trc_events *e, unsigned stream,
	const struct trc_paging_packet *packet, GError **error);
void trc_events_page_free(struct trc_events_page *page);

/* Like trc_events_read(), to read the events once, one after the other, with trc_events_next(). */
struct trc_events_page *trc_events_begin(struct trc_events *e, unsigned stream,
	const struct trc_paging_packet *packet, GError **error);
/* Set *EVENTS to the next *N events of PAGE, from trc_events_begin(); *N is 0 at the end. They are valid
 * until the next call for PAGE. Until then, other functions accept only these events of PAGE. False with an
 * error, also if the packet is not as described. */
bool trc_events_next(struct trc_events_page *page, const struct trc_paging_event **events, unsigned *n,
	GError **error);

/* Reads some fields of many events. It searches for the fields once in each type of events. */
struct trc_picker;
/* Prepare to read the fields called NAMES (N different ones, copied) of events of E. The caller frees. */
struct trc_picker *trc_picker_new(struct trc_events *e, const char *const *names, unsigned n);
void trc_picker_free(struct trc_picker *p);
/* Return the N values of the fields of event I of PAGE; TRC_VALUE_NONE for a field that it does not have. If
 * several fields have one name, the last one counts. Valid until the next call for P or PAGE; hostile. NULL
 * with an error. */
const struct trc_value *trc_picker_pick(struct trc_picker *p, struct trc_events_page *page, uint64_t i,
	GError **error);

/* Get event I (0, 1, …) of PAGE, valid until the next call for PAGE.  False with an error if the event is not
 * as described. */
bool trc_events_get(struct trc_events_page *page, uint64_t i, struct trc_paging_event *event, GError **error);

/* Put the offset of event I of PAGE, in bytes from the begin of the packet, into *OFFSET; -1 for a stream
 * that is read from its start.  False with an error. */
bool trc_events_offset(struct trc_events_page *page, uint64_t i, int64_t *offset, GError **error);

/* Put the number of the first event of PAGE at or after TIME (ns) into *FOUND, or the number of its events if
 * there is none.  False with an error. */
bool trc_events_find(struct trc_events_page *page, int64_t time, uint64_t *found, GError **error);

/* Append the contexts and fields of event I of PAGE to TO, as babeltrace2 prints them; hostile.  Also pass
 * each to TAKER (may be NULL).  False with an error. */
bool trc_events_fields(struct trc_events_page *page, uint64_t i, GString *to, const struct trc_taker *taker,
	GError **error);

/* Work done so far, for tests and measurements. */
struct trc_events_work {
	uint64_t packets; /* packets read */
	uint64_t rewound; /* streams read from their start */
};

struct trc_events_work trc_events_work(const struct trc_events *e);

#endif
