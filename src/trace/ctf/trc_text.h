/* SPDX-License-Identifier: MIT */
/* All fields of an event as text, as babeltrace2 prints them: "{ vector = 236 }", "( "_tcp" : container = 6
 * )", "[ [0] = 10 ]".  The text is hostile: it contains strings of the trace, with control characters escaped
 * but possibly invalid UTF-8. */
#ifndef TRC_TEXT_H
#define TRC_TEXT_H

#include "trace/core/trc_paging.h"
#include "trace/tsdl/trc_tsdl.h"

#define TRC_TEXT_EVENT_MAX 65536 /* bytes; a longer text is cut and ends in "…" */

/* Data kept between events for speed. */
struct trc_text;

struct trc_text *trc_text_new(void);
void trc_text_free(struct trc_text *t);

/*
 * Append the contexts and fields that an event of CLASS in STREAM has to TO, separated by ", ".  They are in
 * DATA from bit AT, after the event's header, up to bit LIMIT; AT counts from a position that is aligned like
 * the packet.  Also pass each to TAKER, unless that is NULL.  False if the fields go beyond LIMIT or are
 * invalid; TO is then incomplete.
 */
bool trc_text_event(struct trc_text *t, const struct trc_stream_class *stream,
	const struct trc_event_class *class, const uint8_t *data, uint64_t at, uint64_t limit, GString *to,
	const struct trc_taker *taker);

#endif
