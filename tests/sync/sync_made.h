/* SPDX-License-Identifier: MIT */
/* Packets made by hand, as a source of them. */
#ifndef SYNC_MADE_H
#define SYNC_MADE_H

#include "sync/sync_match.h"

/* A new array of struct sync_packet, empty. */
GArray *sync_made_new(void);
/* Puts PACKETS in order of time; the source reads them, any number of times, as long as they live and stay as
 * they are. */
struct sync_source sync_made_source(GArray *packets);

#endif
