/* SPDX-License-Identifier: MIT */
/* The file of packets that an experiment's hosts exchanged: which one received is which one sent.
 * docs/index-format.md describes the bytes. */
#ifndef IDX_PAIRS_H
#define IDX_PAIRS_H

#include "index/idx_reader.h"

/* A packet at both ends: transfers of the two hosts by number (0, 1, …), times of their own clocks. */
struct idx_pair {
	uint32_t sender; /* host: its place in the experiment */
	uint64_t received_number, sent_number;
	int64_t received, sent;
};

/* What the file must know of a host, so that it is not believed for other traces. */
struct idx_pairs_host {
	char fingerprint[32]; /* of the trace; no NUL */
	uint64_t transfers;   /* how many its index has */
	uint32_t checksum;    /* of their top block */
};

/* HOST becomes that of the index R. */
void idx_pairs_host_set(struct idx_pairs_host *host, const struct idx_reader *r);

/* Where the file of the experiment is whose indexes are the files INDEXES (of char *), in this order: beside
 * the first.  The caller frees. */
char *idx_pairs_path(const GPtrArray *indexes);

/* ---- writing ---- */

struct idx_pairs_writer;

/* Begin the file that will become PATH, for N HOSTS (copied): idx_out_new(). */
struct idx_pairs_writer *idx_pairs_writer_new(const char *path, const struct idx_pairs_host *hosts,
	uint32_t n, GError **error);
void idx_pairs_writer_free(struct idx_pairs_writer *w);
/* Add what host RECEIVER received: its numbers and times must not step back.  Failures are told by
 * idx_pairs_writer_finish(). */
void idx_pairs_writer_add(struct idx_pairs_writer *w, uint32_t receiver, const struct idx_pair *pair);
/* Write what is open, and the clocks as text (SIZE bytes at CLOCKS), and put the file in its place.  False
 * with BASE_ERROR_IO. */
bool idx_pairs_writer_finish(struct idx_pairs_writer *w, const char *clocks, size_t size, GError **error);

/* ---- reading ---- */

struct idx_pairs;

/* Open PATH, which must be that of these N HOSTS (NULL: of any).  NULL with BASE_ERROR_STALE or BASE_ERROR_IO
 * as idx_map_open(). */
struct idx_pairs *idx_pairs_open(const char *path, const struct idx_pairs_host *hosts, uint32_t n,
	GError **error);
void idx_pairs_free(struct idx_pairs *p);
uint32_t idx_pairs_host_count(const struct idx_pairs *p);
/* How many packets RECEIVER received from others. */
uint64_t idx_pairs_count(const struct idx_pairs *p, uint32_t receiver);
/* The clocks' text: SIZE bytes, without NUL.  Owned by P. */
const char *idx_pairs_clocks(const struct idx_pairs *p, size_t *size);
/* The damage met so far, or NULL.  Owned by P. */
const GError *idx_pairs_damage(const struct idx_pairs *p);

/* A place among those of RECEIVER, at first behind the last. */
struct idx_pairs_cursor;
struct idx_pairs_cursor *idx_pairs_cursor_new(struct idx_pairs *p, uint32_t receiver);
void idx_pairs_cursor_free(struct idx_pairs_cursor *c);
/* Go to the first that was received as number NUMBER or later. */
void idx_pairs_cursor_seek(struct idx_pairs_cursor *c, uint64_t number);
/* The pair at the place; then step over it.  False at the end or when damaged. */
bool idx_pairs_cursor_next(struct idx_pairs_cursor *c, struct idx_pair *pair);

#endif
