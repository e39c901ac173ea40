/* SPDX-License-Identifier: MIT */
/* The headers of network packets, with babeltrace2's fields. */
#ifndef TRC_BT2_NET_H
#define TRC_BT2_NET_H

#include "trace/core/trc_queue.h"

#include <babeltrace2/babeltrace.h>

/* The packet whose headers stand in PAYLOAD, kept in Q for EVENT; NULL: there are none. */
const struct mdl_packet *trc_bt2_net_read(struct trc_queue *q, const struct mdl_event *event,
	const bt_field *payload);

#endif
