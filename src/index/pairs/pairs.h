/* SPDX-License-Identifier: MIT */
/* The file of packets that the hosts of an experiment exchanged: which received packet is which sent one.
 * docs/index-format.md describes the bytes. */
#ifndef IDX_PAIRS_H
#define IDX_PAIRS_H

#include "index/table/reader.h"
#include "index/tree/tree.h"

/* A packet at both ends: numbers (0, 1, …) of the transfers of both hosts, times (ns) of each host's own
 * clock. */
struct idx_pair {
	uint32_t sender; /* number of the host in the experiment */
	uint64_t received_number, sent_number;
	int64_t received, sent;
};

/* Identifies a host's index, so that the file is not used with other traces. */
struct idx_pairs_host {
	char fingerprint[32]; /* of the trace; no NUL */
	uint64_t transfers;   /* number of transfers in its index */
	uint32_t checksum;    /* of the top block of its transfers */
};

/* Set HOST from the index R. */
void idx_pairs_host_set(struct idx_pairs_host *host, const struct idx_reader *r);

/* The path of the file for the experiment whose indexes are the files INDEXES (of char *), in this order.  It
 * lies beside the first index.  The caller frees. */
char *idx_pairs_path(const GPtrArray *indexes);

/* ---- writing ---- */

struct idx_pairs_writer;

/* Begin the file that will become PATH, for N HOSTS (copied).  See idx_out_new(). */
struct idx_pairs_writer *idx_pairs_writer_new(const char *path, const struct idx_pairs_host *hosts,
	uint32_t n, GError **error);
void idx_pairs_writer_free(struct idx_pairs_writer *w);
/* Add a packet that host RECEIVER received.  Its numbers and times must not step back.
 * idx_pairs_writer_finish() reports failures. */
void idx_pairs_writer_add(struct idx_pairs_writer *w, uint32_t receiver, const struct idx_pair *pair);
/* Write the open leaves and the clocks (SIZE bytes of text at CLOCKS), and put the file in place.  False with
 * BASE_ERROR_IO. */
bool idx_pairs_writer_finish(struct idx_pairs_writer *w, const char *clocks, size_t size, GError **error);

/* ---- reading ---- */

struct idx_pairs;

/* Open PATH, which must belong to these N HOSTS (NULL: to any).  NULL with BASE_ERROR_STALE or BASE_ERROR_IO:
 * see idx_map_open(). */
struct idx_pairs *idx_pairs_open(const char *path, const struct idx_pairs_host *hosts, uint32_t n,
	GError **error);
void idx_pairs_free(struct idx_pairs *p);
uint32_t idx_pairs_host_count(const struct idx_pairs *p);
/* How many packets RECEIVER received from other hosts. */
uint64_t idx_pairs_count(const struct idx_pairs *p, uint32_t receiver);
/* The clocks as text: SIZE bytes, without a NUL at the end.  Owned by P. */
const char *idx_pairs_clocks(const struct idx_pairs *p, size_t *size);
/* The first damage met so far, or NULL.  Owned by P. */
const GError *idx_pairs_damage(const struct idx_pairs *p);

/* A cursor over the packets that RECEIVER received, initially at the end. */
struct idx_pairs_cursor;
struct idx_pairs_cursor *idx_pairs_cursor_new(struct idx_pairs *p, uint32_t receiver);
void idx_pairs_cursor_free(struct idx_pairs_cursor *c);
/* Go to the first packet that is transfer number NUMBER of the receiver or a later one. */
void idx_pairs_cursor_seek(struct idx_pairs_cursor *c, uint64_t number);
/* Read the pair at the cursor and step over it.  False at the end or if it is damaged. */
bool idx_pairs_cursor_next(struct idx_pairs_cursor *c, struct idx_pair *pair);

/* ---- private to src/index ---- */

struct idx_pairs {
	struct idx_map *map;
	struct idx_pairs_host *hosts;
	struct idx_ref *tops; /* the top of each host's series */
	uint32_t n;
	const char *clocks; /* in the chunk */
	size_t clocks_size;
};

/* The series of RECEIVER. */
struct idx_series idx_pairs_series(struct idx_pairs *p, uint32_t receiver);

/* Read the leaf of SIZE bytes at BLOCK, of the packets that RECEIVER received, into PAIRS (room for
 * IDX_LEAF_PAIRS). FIRST is its first number. Returns their number; 0 if it is damaged or has a host or
 * packet that does not exist. */
unsigned idx_pairs_leaf_read(const struct idx_pairs *p, uint32_t receiver, const uint8_t *block,
	uint32_t size, uint64_t first, struct idx_pair *pairs);

#endif
