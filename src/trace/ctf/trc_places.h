/* SPDX-License-Identifier: MIT */
/* Where packets are in their files, for a reader that tells only which one of its stream a packet is. */
#ifndef TRC_PLACES_H
#define TRC_PLACES_H

#include "trace/core/trc_info.h"
#include "trace/ctf/trc_survey.h"

struct trc_places;

/* For the files of SURVEY, which must outlive it. */
struct trc_places *trc_places_new(const struct trc_survey *survey);
void trc_places_free(struct trc_places *p);

/*
 * Fill in offset and size of PACKET of the stream file called NAME, by its number; later packets of a file
 * must be asked for later.  Leaves SIZE 0 where the layout of packets is not known, or the file has no such
 * packet.
 */
void trc_places_find(struct trc_places *p, const char *name, struct trc_packet_seen *packet);

#endif
