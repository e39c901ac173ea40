/* SPDX-License-Identifier: MIT */
/* Converts babeltrace2 events to model events.  The fields to read are determined once per event class. */
#ifndef TRC_BT2_CLASS_H
#define TRC_BT2_CLASS_H

#include "trace/core/trc_queue.h"

#include <babeltrace2/babeltrace.h>

struct trc_bt2_class;

/* Determine what the model needs from events of EVENT_CLASS.  Free with g_free(). */
struct trc_bt2_class *trc_bt2_class_new(const bt_event_class *event_class);

/* Fill in kind, label, arguments and texts of EVENT, which was just added to Q, from SOURCE. */
void trc_bt2_class_read(const struct trc_bt2_class *c, struct trc_queue *q, struct mdl_event *event,
	const bt_event *source);

#endif
