/* SPDX-License-Identifier: MIT */
/*
 * Names of programs' functions, from the files that they were mapped from, below a folder that stands for
 * the root of the machine of the recording.  No event tells which build of a file was mapped, so names are
 * inferred; a file that cannot be the one has none.
 */
#ifndef QRY_PROGRAMS_H
#define QRY_PROGRAMS_H

#include "query/symbols/maps.h"

/* Take files from FOLDER, "/" for those of this machine.  One folder is of one machine: BASE_ERROR_USAGE
 * where the experiment is of several hosts.  BASE_ERROR_IO: it is no folder. */
bool qry_set_symfs(struct qry *q, const char *folder, GError **error);
bool qry_has_symfs(const struct qry *q);

/*
 * The function of HOST's program with the byte at PLACE, "malloc"; the caller frees.  NULL: not known.  A
 * file that is not the one that was mapped is warned of (qry_warn()), once.
 */
char *qry_program_function(struct qry *q, uint32_t host, const struct qry_place *place);

/* For qry_free(); PROGRAMS may be NULL. */
struct qry_programs;
void qry_programs_free(struct qry_programs *programs);
/* A copy of PROGRAMS (NULL: NULL) for another opening, with no file read yet. */
struct qry_programs *qry_programs_again(const struct qry_programs *programs);

#endif
