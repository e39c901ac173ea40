/* SPDX-License-Identifier: MIT */
/* Converts records of tracepoints to model events.  The fields to read are determined once per event. */
#ifndef TRC_FORMAT_CLASS_H
#define TRC_FORMAT_CLASS_H

#include "trace/core/trc_paging.h"
#include "trace/core/trc_queue.h"
#include "trace/tracefs/trc_bytes.h"
#include "trace/tracefs/trc_format.h"

struct trc_format_class;

/* Determine what the model needs from events of EVENT, which must outlive the result.  Free with
 * g_free(). */
struct trc_format_class *trc_format_class_new(const struct trc_format_event *event);
/* Fill in kind, label, arguments and texts of EVENT, which was just added to Q, from RECORD. */
void trc_format_class_read(const struct trc_format_class *c, struct trc_queue *q, struct mdl_event *event,
	const struct trc_bytes *record);

/* Return the thread on the CPU at RECORD: its common_pid, a TID; -1 if unknown. */
int64_t trc_format_class_tid(const struct trc_format_class *c, const struct trc_bytes *record);
/* Return the kind of its events. */
enum mdl_kind trc_format_class_kind(const struct trc_format_class *c);
/* Return the argument that is made of the field FIELD; MDL_ARGS if there is none.  Readers may know such
 * fields apart from RECORD. */
unsigned trc_format_class_slot(const struct trc_format_class *c, const char *field);

/* Append the fields of RECORD, one of EVENT, to TO, and pass each to TAKER (may be NULL), as of
 * trc_paging_ops.fields. */
void trc_format_class_fields(const struct trc_format_event *event, const struct trc_bytes *record,
	GString *to, const struct trc_taker *taker);

/* Likewise append a call stack as the field NAME, which the event itself does not have: ADDRESSES, of SIZE
 * bytes each. */
void trc_format_class_stack(const char *name, struct trc_bytes addresses, unsigned size, GString *to,
	const struct trc_taker *taker);

#endif
