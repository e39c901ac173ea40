/* SPDX-License-Identifier: MIT */
/* From a record of a tracepoint to a model event: which fields to read is worked out once per event. */
#ifndef TRC_FORMAT_CLASS_H
#define TRC_FORMAT_CLASS_H

#include "trace/core/trc_paging.h"
#include "trace/core/trc_queue.h"
#include "trace/tracefs/trc_bytes.h"
#include "trace/tracefs/trc_format.h"

struct trc_format_class;

/* What the model wants of events of EVENT, which outlives it. */
struct trc_format_class *trc_format_class_new(const struct trc_format_event *event);
void trc_format_class_free(gpointer c);
/* Fill in kind, label, arguments and texts of EVENT, which was just added to Q, from RECORD. */
void trc_format_class_read(const struct trc_format_class *c, struct trc_queue *q, struct mdl_event *event,
	const struct trc_bytes *record);

/* Which thread was on the CPU at RECORD: its common_pid, the TID; -1: it does not tell. */
int64_t trc_format_class_tid(const struct trc_format_class *c, const struct trc_bytes *record);
/* The kind of its events. */
enum mdl_kind trc_format_class_kind(const struct trc_format_class *c);
/* Which argument is made of the field FIELD of events, which readers may know besides what RECORD tells;
 * MDL_ARGS: none. */
unsigned trc_format_class_slot(const struct trc_format_class *c, const char *field);

/* Append the fields of RECORD, one of EVENT, to TO, and give each to TAKER (may be NULL), as
 * trc_paging_ops.fields says. */
void trc_format_class_fields(const struct trc_format_event *event, const struct trc_bytes *record,
	GString *to, const struct trc_taker *taker);

/* The same of a stack of calls, a field NAME that is no field of the event: ADDRESSES, of SIZE bytes each. */
void trc_format_class_stack(const char *name, struct trc_bytes addresses, unsigned size, GString *to,
	const struct trc_taker *taker);

#endif
