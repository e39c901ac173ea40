/* SPDX-License-Identifier: MIT */
/* Made-up indexes: what goes in is kept in memory, so that what comes out can be held against it. */
#ifndef IDX_SAMPLE_H
#define IDX_SAMPLE_H

#include "index/table/reader.h"
#include "index/table/writer.h"

/* A row to make. */
struct idx_sample_row {
	enum mdl_row_type type;
	unsigned intervals, wakeups;
};

/* One with most of the events, an empty one, a small one, and one whose packets are not known. */
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
 * Read all of R and hold it against S.  NULL when all is the same, else the
 * first thing that is not (static text).  Never fails itself: what R cannot read is a difference.
 */
const char *idx_sample_compare(const struct idx_sample *s, struct idx_reader *r);
/*
 * The same of what an index says twice, so that idx_verify() tells of any change: how many there are of
 * everything, lives, when intervals begin and end, and that sums are those of the intervals.  All else
 * nothing in the file but one place says (docs/index-format.md, "Trust").
 */
const char *idx_sample_contradict(const struct idx_sample *s, struct idx_reader *r);
/* What lies in ROW before TIME, counted from the first interval on. */
struct idx_sums idx_sample_sums(const struct idx_sample *s, uint32_t row, int64_t time);

#endif
