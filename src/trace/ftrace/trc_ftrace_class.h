/* SPDX-License-Identifier: MIT */
/* From a record of ftrace to a model event: which fields to read is worked out once per event. */
#ifndef TRC_FTRACE_CLASS_H
#define TRC_FTRACE_CLASS_H

#include "trace/core/trc_paging.h"
#include "trace/core/trc_queue.h"
#include "trace/ftrace/trc_ftrace_pages.h"

struct trc_ftrace_class;

/* What the model wants of events of EVENT, which outlives it. */
struct trc_ftrace_class *trc_ftrace_class_new(const struct trc_ftrace_event *event);
void trc_ftrace_class_free(gpointer c);
/* Fill in kind, label, arguments and texts of EVENT, which was just added to Q, from RECORD. */
void trc_ftrace_class_read(const struct trc_ftrace_class *c, struct trc_queue *q, struct mdl_event *event,
	const struct trc_ftrace_record *record);

/* Append the fields of RECORD, one of EVENT, to TO, and give each to TAKER (may be NULL), as
 * trc_paging_ops.fields says. */
void trc_ftrace_class_fields(const struct trc_ftrace_event *event, const struct trc_ftrace_record *record,
	GString *to, const struct trc_taker *taker);

#endif
