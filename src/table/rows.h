/* SPDX-License-Identifier: MIT */
/* The rows of tables, for those that need more of them than their cells. */
#ifndef TABLE_ROWS_H
#define TABLE_ROWS_H

#include "query/qry.h"

/* Of table_states. */
struct table_state {
	const struct qry_row *r;
	struct mdl_interval interval;
	const char *throttled; /* static: by what quota; NULL: it is not */
};

#endif
