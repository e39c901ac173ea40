/* SPDX-License-Identifier: MIT */
/* Parts of packets, read from where the index says that they are. */
#ifndef TRC_PART_H
#define TRC_PART_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A packet: the one at OFFSET of the stream file NAME of the trace in DIRECTORY. */
struct trc_part {
	const char *directory, *name; /* weak; NAME is hostile */
	uint64_t offset;              /* bytes */
};

/* Set ERROR (BASE_ERROR_DATA) as "…/channel0_0: the packet at byte 4096 WHAT".  Returns false. */
bool trc_part_wrong(const struct trc_part *packet, const char *what, GError **error);

/* SIZE bytes at AT of PACKET to TO.  False with BASE_ERROR_IO when the file cannot be read, _DATA when they
 * are not all there. */
bool trc_part_read(const struct trc_part *packet, uint64_t at, uint64_t size, uint8_t *to, GError **error);

#endif
