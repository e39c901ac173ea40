/* SPDX-License-Identifier: MIT */
/*
 * One query for many hosts: each host answers a part by itself, and the parts are put together. A part has
 * the keys of its groups and, for each aggregate, what can be added: counts, sums, least, most, and sketches
 * for quantiles.
 */
#ifndef SQL_MERGE_H
#define SQL_MERGE_H

#include "sql/sql.h"

struct sql_merge;

/* Parse QUERY.  NULL with BASE_ERROR_USAGE, which shows the place, for more than one statement, or for an
 * expression whose answer does not follow from the answers of the hosts. */
struct sql_merge *sql_merge_new(const char *query, GError **error);
void sql_merge_free(struct sql_merge *m);

/* Run M's part on S, the database of one host, and append the rows to BYTES.  False with an error. */
bool sql_merge_part(const struct sql_merge *m, struct sql *s, GByteArray *bytes, GError **error);
/* Add the part of a host, BYTES of SIZE bytes.  False with an error. */
bool sql_merge_add(struct sql_merge *m, const uint8_t *bytes, size_t size, GError **error);
/* Set *S (owned by M) and *TEXT (weak): the query *TEXT on *S gives the result of all parts.  False with an
 * error if no part was added. */
bool sql_merge_whole(struct sql_merge *m, struct sql **s, const char **text, GError **error);

#endif
