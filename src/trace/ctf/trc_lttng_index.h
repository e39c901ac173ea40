/* SPDX-License-Identifier: MIT */
/* The index that LTTng keeps beside a stream file: whether it says what the packets say. */
#ifndef TRC_LTTNG_INDEX_H
#define TRC_LTTNG_INDEX_H

#include "trace/ctf/trc_packet.h"

struct trc_lttng_index {
	int fd;              /* owned; -1: there is no index */
	uint64_t entry_size; /* bytes */
	uint64_t entries, n; /* in the file; compared so far */
	bool lies;
};

/* Open the index of the stream file NAME in DIRECTORY; one that is not there is fine. */
void trc_lttng_index_open(struct trc_lttng_index *index, const char *directory, const char *name);

/* Compare the next entry with PACKET, the next of the stream. */
void trc_lttng_index_compare(struct trc_lttng_index *index, const struct trc_packet *packet);

/* Close it.  True when it is there and does not say what the packets said. */
bool trc_lttng_index_close(struct trc_lttng_index *index);

#endif
