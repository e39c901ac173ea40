/* SPDX-License-Identifier: MIT */
/* Sample traces opened for the tests of queries. */
#ifndef QRY_TRACES_H
#define QRY_TRACES_H

#include "query/qry.h"

/* The names of the sample traces to test, NULL-terminated. */
extern const char *const qry_traces[];

/* Build and open sample trace NAME; the caller frees. */
struct qry *qry_traces_open(const char *name);
/* Build and open the trace in folder PATH; the caller frees. */
struct qry *qry_traces_open_folder(const char *path);
/* Like qry_traces_open(), but built by READER (struct ing_options). */
struct qry *qry_traces_open_reader(const char *path, const char *reader);
/* Open the index files PATHS (NULL-terminated). */
struct qry *qry_traces_open_indexes(const char *const *paths);

#endif
