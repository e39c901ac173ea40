/* SPDX-License-Identifier: MIT */
/* All fields of an event of babeltrace2 as text: what trc_text.h makes of the bytes. */
#ifndef TRC_BT2_TEXT_H
#define TRC_BT2_TEXT_H

#include "trace/core/trc_paging.h"

#include <babeltrace2/babeltrace.h>
#include <glib.h>

/* Append to TO the contexts and fields of EVENT, those that it has, with ", " in between; at most
 * TRC_TEXT_EVENT_MAX bytes.  Each is given to TAKER, too, unless that is NULL.  Hostile. */
void trc_bt2_text_event(const bt_event *event, GString *to, const struct trc_taker *taker);

#endif
