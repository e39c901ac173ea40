/* SPDX-License-Identifier: MIT */
/*
 * All fields of an event as text, as babeltrace2 prints them: "{ vector = 236 }", "( "_tcp" : container = 6
 * )", "[ [0] = 10 ]". The text is hostile: strings of the trace stand in it, with control characters escaped,
 * but not made valid UTF-8.
 */
#ifndef TRC_TEXT_H
#define TRC_TEXT_H

#include "trace/core/trc_paging.h"
#include "trace/tsdl/trc_tsdl.h"

#define TRC_TEXT_EVENT_MAX 65536 /* bytes; what is longer is cut there and ends in "…" */

/* What is kept between events, so that they are rendered quickly. */
struct trc_text;

struct trc_text *trc_text_new(void);
void trc_text_free(struct trc_text *t);

/*
 * Append to TO the contexts and fields of an event of CLASS in STREAM, those that it has, with ", " in
 * between.  They begin at bit AT of DATA, after the event's header, and lie before bit LIMIT; AT counts from
 * a place aligned as the packet.  Each of them is given to TAKER, too, unless that is NULL.  False, and TO
 * ends somewhere, when they go on behind LIMIT or make no sense.
 */
bool trc_text_event(struct trc_text *t, const struct trc_stream_class *stream,
	const struct trc_event_class *class, const uint8_t *data, uint64_t at, uint64_t limit, GString *to,
	const struct trc_taker *taker);

#endif
