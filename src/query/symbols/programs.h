/* SPDX-License-Identifier: MIT */
/*
 * Names of programs' functions, from the mapped files, below a folder that stands for the root of the
 * recorded machine.
 *
 * No event tells which build of a file was mapped, so names are inferred.  A file that cannot be the mapped
 * one gives no names.
 */
#ifndef QRY_PROGRAMS_H
#define QRY_PROGRAMS_H

#include "query/symbols/maps.h"

/* Take files from FOLDER; "/": those of this machine.  BASE_ERROR_USAGE if the experiment has several hosts:
 * a folder is of one machine.  BASE_ERROR_IO if it is no folder. */
bool qry_set_symfs(struct qry *q, const char *folder, GError **error);
bool qry_has_symfs(const struct qry *q);

/* The function of HOST's program that contains PLACE ("malloc"); the caller frees.  NULL if unknown.
 * qry_warn() reports, once, a file that is not the mapped one. */
char *qry_program_function(struct qry *q, uint32_t host, const struct qry_place *place);

/* Called by qry_free().  PROGRAMS may be NULL. */
struct qry_programs;
void qry_programs_free(struct qry_programs *programs);
/* Copy PROGRAMS (NULL: returns NULL) for another opening.  The copy has read no file yet. */
struct qry_programs *qry_programs_again(const struct qry_programs *programs);

#endif
