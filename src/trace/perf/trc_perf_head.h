/* SPDX-License-Identifier: MIT */
/* What a perf.data says besides its samples (tools/perf/Documentation/perf.data-file-format.txt). */
#ifndef TRC_PERF_HEAD_H
#define TRC_PERF_HEAD_H

#include "trace/perf/trc_perf_record.h"

struct trc_perf_head {
	GMappedFile *file;                /* owned */
	GPtrArray *others;                /* owned, of GMappedFile *: those beside it that have records */
	struct trc_perf_unpack *unpacked; /* owned; NULL: it has all records, and none of it is compressed */
	GArray *parts;                    /* owned, of struct trc_perf_part: what UNPACKED is of */
	struct trc_bytes bytes;           /* of that of the two that holds the records … */
	uint64_t begin, end;              /* … and where they are in it; END of those unpacked so far */
	int fd;                           /* owned: of the file that has BYTES */
	struct trc_bytes window;          /* owned: a copy of some of BYTES … */
	uint64_t window_at;               /* … from there on */
	GArray *attrs;                    /* of struct trc_perf_attr */
	GArray *ids;                      /* owned: of those of all attrs, in ascending order */
	unsigned id, other_id;            /* where the id stands, as in struct trc_perf_attr */
	struct trc_formats formats;       /* of events */
	char *host, *release, *version;   /* "" not told; owned, hostile */
	char *command;                    /* the line that was typed; the same */
	uint32_t online;                  /* CPUs that there were; 0: not told */
	bool has_wall;                    /* the clock's 0 is known: */
	int64_t zero;                     /* ns from the Epoch */
	bool is_packed, is_pipe;
	GError *problem; /* owned: why they cannot be unpacked; NULL: they can */
	bool cut;        /* something did not fit */
};

/* Does the file PATH, or one called "data" in the folder PATH, begin as a perf.data does? */
bool trc_perf_head_detect(const char *path);
/* NULL with BASE_ERROR_IO, or BASE_ERROR_DATA where nothing can be read. */
struct trc_perf_head *trc_perf_head_open(const char *path, GError **error);
/*
 * The record at *AT of those of H, and *AT behind it, as trc_perf_record_next(), until the next call; those
 * that are compressed are unpacked for that, and H->end grows.  False: that was all, or H->problem says what
 * is wrong.
 */
bool trc_perf_head_next(struct trc_perf_head *h, uint64_t *at, struct trc_perf_record *record);
/* Copy SIZE bytes of H->bytes from AT on: false: they cannot be read. */
bool trc_perf_head_copy(const struct trc_perf_head *h, uint64_t at, uint64_t size, uint8_t *to);
/* How much of all records those before AT are, 0 to 1. */
double trc_perf_head_share(const struct trc_perf_head *h, uint64_t at);
void trc_perf_head_free(struct trc_perf_head *h);
/* The attr with ID; where none has, and there is no choice, the only one; NULL: it is not known. */
const struct trc_perf_attr *trc_perf_head_attr(const struct trc_perf_head *h, uint64_t id);

#endif
