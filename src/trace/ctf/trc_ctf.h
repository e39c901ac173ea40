/* SPDX-License-Identifier: MIT */
/* CTF traces, and wakepath's own decoder for them. */
#ifndef TRC_CTF_H
#define TRC_CTF_H

#include "trace/core/trc_input.h"
#include "trace/ctf/trc_survey.h"

/* Result of the input's survey(), for the readers of CTF. */
struct trc_ctf_trace {
	struct trc_survey *survey; /* owned */
	struct trc_places *places; /* owned */
};

/* open() of trc_ctf_paging, for a trace whose clock LIKE (NULL: nothing) describes. Reads only the
 * metadata. */
void *trc_ctf_pages_open(char *const *folders, const struct trc_clock *like, GError **error);

/* The traces of user programs beside one of the kernel (trc_ctf_user.c). */
extern const struct trc_source_ops trc_ctf_user_ops;

extern const struct trc_input_ops trc_ctf_input;
extern const struct trc_source_ops trc_ctf_ops;
extern const struct trc_paging_ops trc_ctf_paging; /* reads single packets (trc_page.c) */
bool trc_ctf_cut(char *const *folders, struct trc_cut *cut, GError **error); /* trc_input_ops.cut */

/* ---- grouping folders into recordings (trc_chunks.c) ---- */

/*
 * Group FOLDERS (of char *, canonical, each once) into recordings. Returns an array of struct trc_recording *
 * (core/trc_folders.h), in the order of the first folder of each; the caller unrefs.
 */
GPtrArray *trc_chunks_join(const GPtrArray *folders, GError **error);

/* ---- all fields of an event as text (trc_text.c) ---- */

/* The text is as babeltrace2 prints it: "{ vector = 236 }", "( "_tcp" : container = 6
 * )", "[ [0] = 10 ]".  It is hostile: it contains strings of the trace, with control characters escaped
 * but possibly invalid UTF-8. */
#define TRC_TEXT_EVENT_MAX 65536 /* bytes; a longer text is cut and ends in "…" */

/* Data kept between events for speed. */
struct trc_text;

struct trc_text *trc_text_new(void);
void trc_text_free(struct trc_text *t);

/* The values around an event to which its fields refer: AROUND of its stream (NULL: none), and the REGISTERS
 * whose bits are set in KNOWN. */
struct trc_text_around {
	const struct trc_around *around; /* weak */
	uint32_t known;
	const uint64_t *registers; /* weak */
};

/*
 * Append the contexts and fields that an event of CLASS in STREAM has to TO, separated by ", ".  They are in
 * DATA from bit AT, after the event's header, up to bit LIMIT; AT counts from a position that is aligned like
 * the packet.  Also pass each to TAKER, unless that is NULL.  False if the fields go beyond LIMIT or are
 * invalid; TO is then incomplete.
 */
bool trc_text_event(struct trc_text *t, const struct trc_stream_class *stream,
	const struct trc_event_class *class, const uint8_t *data, uint64_t at, uint64_t limit,
	const struct trc_text_around *around, GString *to, const struct trc_taker *taker);

/* Call SEEN with DATA for each text in the contexts and fields of that event; it may change them. False if
 * they go beyond LIMIT or are invalid. */
bool trc_text_visit(struct trc_text *t, const struct trc_stream_class *stream,
	const struct trc_event_class *class, uint8_t *bytes, uint64_t at, uint64_t limit,
	const struct trc_text_around *around, trc_cut_seen *seen, void *data);

#endif
