/* SPDX-License-Identifier: MIT */
/* Which file an address of a program belongs to, from the recorded system calls that mapped it (mmap() and
 * similar).  They must be recorded since before the start of the program.  No event shows what the kernel
 * itself maps (program, loader, vdso), or what was mapped before the recording. */
#ifndef QRY_MAPS_H
#define QRY_MAPS_H

#include "base/base_progress.h"
#include "query/qry.h"

struct qry_maps;

/* Read the mappings of all hosts of Q (weak): this walks through the traces.  NULL with an error if one
 * cannot be read or PROGRESS (may be NULL) was cancelled. */
struct qry_maps *qry_maps_new(struct qry *q, struct base_progress *progress, GError **error);
void qry_maps_free(struct qry_maps *maps);

/* A place in a file, and the mapping of the file that contains it.  The maps own the texts. */
struct qry_place {
	const char *name; /* "libc.so.6" */
	/* As it was opened: "/lib/x86_64-linux-gnu/libc.so.6"; NULL: not an absolute path. */
	const char *path;
	uint64_t offset; /* in the file, bytes */
	uint64_t map_offset, map_length;
};

/* Find what is at ADDRESS in thread ROW at TIME.  False if unknown. */
bool qry_maps_find(const struct qry_maps *maps, uint32_t row, int64_t time, uint64_t address,
	struct qry_place *place);

#endif
