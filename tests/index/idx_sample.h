/* SPDX-License-Identifier: MIT */
/* Made-up indexes. The test keeps in memory what it writes, and compares what it reads back. */
#ifndef IDX_SAMPLE_H
#define IDX_SAMPLE_H

#include "index/table/reader.h"
#include "index/table/writer.h"

/* A row to make. */
struct idx_sample_row {
	enum mdl_row_type type;
	unsigned intervals, wakeups;
};

/* A stream with most of the events, an empty one, a small one, and one whose packets are unknown. */
#define IDX_SAMPLE_STREAMS 4

struct idx_sample {
	GRand *rand;
	struct idx_meta *meta;
	GArray *rows;         /* of struct mdl_row */
	GPtrArray *intervals; /* by row: GArray of struct mdl_interval */
	GPtrArray *wakeups;   /* by row: GArray of struct mdl_wakeup */
	GArray *names;        /* of struct idx_name, by row and time */
	GArray *contexts;     /* of struct mdl_context */
	struct base_strings *strings;
	GArray *causes;     /* of struct mdl_cause: number 1, 2, … */
	GArray *transfers;  /* of struct mdl_transfer, by time */
	GArray *devices;    /* of struct mdl_device */
	GArray *times;      /* of int64_t: of event 1, 65, … */
	GPtrArray *packets; /* by stream: GArray of struct idx_packet */
	struct idx_stream streams[IDX_SAMPLE_STREAMS];
};

#define IDX_SAMPLE_START G_GINT64_CONSTANT(1795132800000000000)
#define IDX_SAMPLE_FINGERPRINT "0123456789abcdef0123456789abcdef"

/* N rows filled at random from SEED, and EVENTS event times. */
struct idx_sample *idx_sample_new(guint32 seed, const struct idx_sample_row *rows, size_t n, unsigned events);
void idx_sample_free(struct idx_sample *s);

/* Write it to PATH, the rows mixed as a trace would. */
void idx_sample_write(const struct idx_sample *s, const char *path);
/* A path for NAME in the temporary folder; the caller frees. */
char *idx_sample_path(const char *name);

/*
 * Read all of R and compare it with S. NULL if all is equal, else the first difference (static text). Never
 * fails itself: what R cannot read is a difference.
 */
const char *idx_sample_compare(const struct idx_sample *s, struct idx_reader *r);
/*
 * Like idx_sample_compare(), but only for facts that an index holds twice, so that idx_verify() finds any
 * change of them: the number of things of each kind, lives, begins and ends of intervals, and sums against
 * intervals. Everything else has one place in the file only (docs/index-format.md, "Trust").
 */
const char *idx_sample_contradict(const struct idx_sample *s, struct idx_reader *r);
/* The sums of ROW before TIME, added up from its first interval. */
struct idx_sums idx_sample_sums(const struct idx_sample *s, uint32_t row, int64_t time);

#endif
