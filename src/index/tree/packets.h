/* SPDX-License-Identifier: MIT */
/* Leaves of packets: write and read. */
#ifndef IDX_PACKETS_H
#define IDX_PACKETS_H

#include "index/tree/tree.h"
#include "index/file/types.h"

#define IDX_PACKETS_EVENTS 0 /* the sum, in nodes, that counts events */

struct idx_packets_writer;

struct idx_packets_writer *idx_packets_writer_new(uint32_t stream);
void idx_packets_writer_free(gpointer writer);
/* Append a packet; its times must not step back. */
void idx_packets_writer_add(struct idx_packets_writer *w, struct idx_out *o, const struct idx_packet *packet);
void idx_packets_writer_finish(struct idx_packets_writer *w, struct idx_out *o, struct idx_child *top);

/* Read the leaf of SIZE bytes at BLOCK into PACKETS (room for IDX_LEAF_PACKETS).  It begins at time FIRST,
 * after BEFORE events of the stream.  Returns how many; 0 if it is damaged. */
unsigned idx_packets_read(const uint8_t *block, uint32_t size, int64_t first, uint64_t before,
	struct idx_packet *packets);

#endif
