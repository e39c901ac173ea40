/* SPDX-License-Identifier: MIT */
/* Packets made by hand, as a source of them. */
#ifndef SYNC_MADE_H
#define SYNC_MADE_H

#include "sync/sync_match.h"

/* A new array of struct sync_packet, empty. */
GArray *sync_made_new(void);
/* Sort PACKETS by time and return them as a source, which can be read any number of times. PACKETS must live
 * and stay unchanged until its last use. */
struct sync_source sync_made_source(GArray *packets);

#endif
