/* SPDX-License-Identifier: MIT */
/*
 * What file a program's address belongs to, from the calls by which it was mapped: mmap() and its like, where
 * system calls are recorded since before the program was started.  What the kernel maps itself (the program,
 * its loader, vdso), and what was mapped before the recording, no event tells.
 */
#ifndef QRY_MAPS_H
#define QRY_MAPS_H

#include "base/base_progress.h"
#include "query/qry.h"

struct qry_maps;

/* Of all hosts of Q (weak), which costs a walk through the traces.  NULL with an error where one cannot be
 * read, or PROGRESS (may be NULL) was cancelled. */
struct qry_maps *qry_maps_new(struct qry *q, struct base_progress *progress, GError **error);
void qry_maps_free(struct qry_maps *maps);

/* A place in a file, and by which mapping of it that is known; texts are owned by the maps. */
struct qry_place {
	const char *name; /* "libc.so.6" */
	const char *path; /* as it was opened: "/lib/x86_64-linux-gnu/libc.so.6"; NULL: not from the root on
			   */
	uint64_t offset;  /* bytes */
	uint64_t map_offset, map_length;
};

/* What is at ADDRESS of thread ROW at TIME.  False: not known. */
bool qry_maps_find(const struct qry_maps *maps, uint32_t row, int64_t time, uint64_t address,
	struct qry_place *place);

#endif
