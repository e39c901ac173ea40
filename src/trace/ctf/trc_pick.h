/* SPDX-License-Identifier: MIT */
/* Some fields of many events, by plans that step over the rest. */
#ifndef TRC_PICK_H
#define TRC_PICK_H

#include "trace/ctf/trc_ctf.h"
#include "trace/ctf/trc_ctf_class.h"

struct trc_ctf_picker;

/* See trc_paging_ops.picker_new; for the classes of one trace. */
struct trc_ctf_picker *trc_ctf_picker_new(const char *const *names, unsigned n);
void trc_ctf_picker_free(void *picker);

/* See trc_paging_ops.pick. The event is given as for trc_text_event(); a plan must have walked over it
 * before. */
bool trc_ctf_pick(struct trc_ctf_picker *p, const struct trc_ctf_stream *stream,
	const struct trc_ctf_event *event, const uint8_t *data, uint64_t at, uint64_t limit,
	const struct trc_text_around *around, struct trc_value *values);

/* See trc_paging_ops.types; for the events that T describes. */
void trc_ctf_types(const struct trc_meta *t, trc_paging_typed *typed, void *data);

#endif
