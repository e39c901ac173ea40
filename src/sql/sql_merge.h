/* SPDX-License-Identifier: MIT */
/*
 * One query for many hosts: each host answers a part by itself, and the parts are put together.  A part has the keys
 * of its groups and, for each aggregate, what can be added: counts, sums, least, most, and sketches for quantiles.
 */
#ifndef SQL_MERGE_H
#define SQL_MERGE_H

#include "sql/sql.h"

struct sql_merge;

/* Take QUERY apart.  NULL with BASE_ERROR_USAGE, which shows the place: more than one statement, or something whose answer
 * does not follow from those of the hosts. */
struct sql_merge *sql_merge_new(const char *query, GError **error);
void sql_merge_free(struct sql_merge *m);

/* Answer M's part of the host of S, and append it to BYTES.  False with an error. */
bool sql_merge_part(const struct sql_merge *m, struct sql *s, GByteArray *bytes, GError **error);
/* Add the part of a host, SIZE BYTES.  False with an error. */
bool sql_merge_add(struct sql_merge *m, const uint8_t *bytes, size_t size, GError **error);
/* The sum of all parts: ask *S (owned by M) for *TEXT (weak).  False with an error: no host has answered. */
bool sql_merge_whole(struct sql_merge *m, struct sql **s, const char **text, GError **error);

#endif
