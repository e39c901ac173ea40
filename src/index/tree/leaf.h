/* SPDX-License-Identifier: MIT */
/* The leaves of series: write, check, read their records. */
#ifndef IDX_LEAF_H
#define IDX_LEAF_H

#include "index/file/types.h"
#include "index/tree/tree.h"
#include "model/event/fact.h"

/* ---- state intervals (index/tree/leaf.c) ---- */

/* Initialise with zeros and ROW; free TREE and RECORDS. Other members are private to index/tree/leaf.c. Each
 * living row has one, possibly 200 000 in all, so nothing is stored here that the open leaf itself has. */
struct idx_leaf_writer {
	struct idx_tree *tree; /* NULL until a first leaf is full */
	/* The open leaf: tag, length, detail and aux of one interval after the other. */
	struct idx_bytes records;
	uint32_t row, count;
	int64_t first, to;
	uint32_t last_aux;
	uint32_t last_detail[8];
};

/* Append an interval.  It must begin where the previous one ended. */
void idx_leaf_writer_add(struct idx_leaf_writer *w, struct idx_out *o, const struct mdl_interval *interval);
/* Write the open leaf.  *TOP: see idx_tree_finish(). */
void idx_leaf_writer_finish(struct idx_leaf_writer *w, struct idx_out *o, struct idx_child *top);

/* The columns of a leaf: pointers into the mapped file. */
struct idx_leaf {
	unsigned count;
	const uint8_t *tags, *lengths, *details, *auxes, *end;
};

/* Find the columns of the block of SIZE bytes.  False if they do not fit into it. */
bool idx_leaf_open(const uint8_t *block, uint32_t size, struct idx_leaf *leaf);

/* Read all intervals of LEAF, which begins at FIRST, into INTERVALS (room for all; NULL: only check them).
 * False if LEAF is invalid for a row of TYPE, or an id in it exceeds LIMITS; then INTERVALS means nothing. */
bool idx_leaf_read(const struct idx_leaf *leaf, enum mdl_row_type type, const struct idx_limits *limits,
	int64_t first, struct mdl_interval *intervals);
/* Like idx_leaf_read(), but faster: leaves aux unset. */
bool idx_leaf_read_states(const struct idx_leaf *leaf, enum mdl_row_type type,
	const struct idx_limits *limits, int64_t first, struct mdl_interval *intervals);

/* ---- wake-ups (index/tree/wake.c) ---- */

/* the sum, in nodes, that counts wake-ups for which mdl_wakeup_is_empty() is true */
#define IDX_WAKE_EMPTY 0

/* Initialise with zeros and ROW; free TREE and BYTES.  Other members are private to index/tree/wake.c. */
struct idx_wake_writer {
	struct idx_tree *tree;  /* NULL until a first leaf is full */
	struct idx_bytes bytes; /* head and records of the open leaf; empty before the first record */
	uint32_t row, count;
	int64_t first, last;
	uint64_t rank;
	uint32_t cause; /* the last cause number in the open leaf; 0: none */
	uint32_t empty; /* empty wake-ups in the open leaf */
};

/* Append a wake-up; times must not step back. */
void idx_wake_writer_add(struct idx_wake_writer *w, struct idx_out *o, const struct mdl_wakeup *wakeup);
void idx_wake_writer_finish(struct idx_wake_writer *w, struct idx_out *o, struct idx_child *top);

/* Returns how many wake-ups the leaf BLOCK claims, at most IDX_LEAF_WAKEUPS; 0 if it is damaged. */
unsigned idx_wake_count(const uint8_t *block);
/*
 * Read the leaf of SIZE bytes at BLOCK, which begins at FIRST, into WAKEUPS (room for COUNT, the result of
 * idx_wake_count()).  Returns how many; 0 if it is damaged or an id exceeds LIMITS.
 */
unsigned idx_wake_read(const uint8_t *block, uint32_t size, unsigned count, int64_t first,
	const struct idx_limits *limits, struct mdl_wakeup *wakeups);
/* Like idx_wake_read(), in a third of the time: sets only via, time, since, ran_at, event_time, cpu
 * and event_cpu. */
unsigned idx_wake_read_times(const uint8_t *block, uint32_t size, unsigned count, int64_t first,
	struct mdl_wakeup *wakeups);

/* ---- packets of a stream (index/tree/packets.c) ---- */

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

/* ---- what a thread counted (index/tree/counts.c) ---- */

/* Sums in nodes: the time (ns) of the records, and what each counter counted, from counter 0 on. */
#define IDX_COUNTS_TIME 0
#define IDX_COUNTS_FIRST 1

/* Initialise with zeros and ROW; free TREE and BYTES.  Other members are private to index/tree/counts.c. */
struct idx_counts_writer {
	struct idx_tree *tree;   /* NULL before the first record */
	struct idx_bytes bytes;  /* head and records of the open leaf */
	struct mdl_counted last; /* in the open leaf */
	uint64_t sums[16];       /* of the open leaf */
	uint32_t row, count;
	int64_t first;
};

/* Append C; it must not begin before the one before ended, nor be empty. */
void idx_counts_writer_add(struct idx_counts_writer *w, struct idx_out *o, const struct mdl_counted *c);
/* Write the open leaf.  *TOP: see idx_tree_finish(). */
void idx_counts_writer_finish(struct idx_counts_writer *w, struct idx_out *o, struct idx_child *top);

/* Read the leaf of SIZE bytes at BLOCK, which begins at FIRST, into COUNTED (room for IDX_LEAF_COUNTS).
 * Returns their number; 0 if it is damaged. */
unsigned idx_counts_read(const uint8_t *block, uint32_t size, int64_t first, struct mdl_counted *counted);

/* ---- causes of wake-ups (index/tree/cause.c) ---- */

struct idx_cause_writer;

struct idx_cause_writer *idx_cause_writer_new(void);
void idx_cause_writer_free(struct idx_cause_writer *w);
/* Append the next cause. */
void idx_cause_writer_add(struct idx_cause_writer *w, struct idx_out *o, const struct mdl_cause *cause);
/* Write the open leaf.  *TOP: see idx_tree_finish(). */
void idx_cause_writer_finish(struct idx_cause_writer *w, struct idx_out *o, struct idx_child *top);

/* Returns how many causes the leaf of SIZE bytes at BLOCK holds; 0 if its offsets are invalid. */
unsigned idx_cause_count(const uint8_t *block, uint32_t size);
/* Read cause number INDEX (0 …, below idx_cause_count()) of the leaf.  False if it is damaged or an id
 * exceeds LIMITS. */
bool idx_cause_read(const uint8_t *block, uint32_t size, unsigned index, const struct idx_limits *limits,
	struct mdl_cause *cause);

#endif
