/* SPDX-License-Identifier: MIT */
/* Everything in a perf.data except its samples (tools/perf/Documentation/perf.data-file-format.txt). */
#ifndef TRC_PERF_HEAD_H
#define TRC_PERF_HEAD_H

#include "trace/core/trc_budget.h"
#include "trace/perf/trc_perf_record.h"
#include "trace/tracefs/trc_places.h"

struct trc_perf_head {
	char *path;                       /* owned: of it, or of the folder that it is in */
	GMappedFile *file;                /* owned */
	uint64_t size;                    /* bytes of FILE and OTHERS … */
	struct trc_budget budget;         /* … and what they may still cost */
	struct trc_places places;         /* owned: of its parts */
	GPtrArray *others;                /* owned, of GMappedFile *: those beside it that have records */
	struct trc_perf_unpack *unpacked; /* owned; NULL: it has all records, and none of it is compressed */
	GArray *parts;                    /* owned, of struct trc_perf_part: input of UNPACKED */
	struct trc_bytes bytes;           /* of that of the two that holds the records … */
	uint64_t begin, end;              /* … and where they are in it; END of those unpacked so far */
	int fd;                           /* owned: of the file that has BYTES */
	struct trc_bytes window;          /* owned: a copy of some of BYTES … */
	uint64_t window_at;               /* … from there on */
	GArray *attrs;                    /* of struct trc_perf_attr */
	GArray *ids;                      /* owned: ids of all attrs, ascending */
	unsigned id, other_id;            /* place of the id, as in struct trc_perf_attr */
	struct trc_formats formats;       /* of events */
	char *host, *release, *version;   /* "": unknown; owned, hostile */
	char *command;                    /* the command line; "": unknown; owned, hostile */
	uint32_t online;                  /* CPUs that were online; 0: unknown */
	bool has_wall;                    /* the clock's 0 is known: */
	int64_t zero;                     /* ns since the Epoch */
	bool is_packed, is_pipe;
	GError *problem; /* owned: why the records cannot be decompressed; NULL: they can */
	bool cut;        /* something did not fit into the file */
};

/* Set *IS to true if the file PATH, or "data" in the folder PATH, begins like a perf.data.  False with errno
 * if it cannot be read. */
bool trc_perf_head_detect(const char *path, bool *is);
/* NULL with BASE_ERROR_IO, or with BASE_ERROR_DATA if nothing can be read. */
struct trc_perf_head *trc_perf_head_open(const char *path, GError **error);
/* Get the record at *AT, and advance *AT, as trc_perf_record_next() does; valid until the next call.
 * Compressed records are decompressed as needed, and H->end grows.  False at the end, or if H->problem says
 * what is wrong. */
bool trc_perf_head_next(struct trc_perf_head *h, uint64_t *at, struct trc_perf_record *record);
/* Copy SIZE bytes at AT of H->bytes to TO.  False if they cannot be read. */
bool trc_perf_head_copy(const struct trc_perf_head *h, uint64_t at, uint64_t size, uint8_t *to);
/* Return the part of all records that is before AT, 0 to 1. */
double trc_perf_head_share(const struct trc_perf_head *h, uint64_t at);
void trc_perf_head_free(struct trc_perf_head *h);
/* Return the attr with ID.  If there is none: the only attr if H has just one, else NULL. */
const struct trc_perf_attr *trc_perf_head_attr(const struct trc_perf_head *h, uint64_t id);

#endif
