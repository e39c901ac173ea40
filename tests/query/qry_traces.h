/* SPDX-License-Identifier: MIT */
/* Sample traces opened for the tests of queries. */
#ifndef QRY_TRACES_H
#define QRY_TRACES_H

#include "query/qry.h"

/* The names of the sample traces that are tested, NULL-terminated. */
extern const char *const qry_traces[];

/* Build and open sample trace NAME; the caller frees. */
struct qry *qry_traces_open(const char *name);
/* The same with the trace in folder PATH. */
struct qry *qry_traces_open_folder(const char *path);
/* The same built by READER (struct ing_options). */
struct qry *qry_traces_open_reader(const char *path, const char *reader);
/* Open the index files PATHS (NULL-terminated). */
struct qry *qry_traces_open_indexes(const char *const *paths);

#endif
