/* SPDX-License-Identifier: MIT */
/*
 * thread_state_sums: the time of each thread in each state, from the sums in the index.  Statements that need
 * only sums of thread_state read this table instead (sql_short.c).  Its sums equal those of thread_state,
 * because no interval there is empty and the sums of a thread cover its whole life.
 */
#include "sql/sql_parts.h"

#include "base/base_time.h"

struct sums {
	struct table_cursor of;
	uint32_t next;
	struct sum {
		uint32_t row;
		unsigned state;
		struct qry_cell share;
	} sum; /* STATE: that of the last row returned */
};

static bool sums_open(struct table_cursor *cursor, G_GNUC_UNUSED GError **error)
{
	struct sums *c = (struct sums *)cursor;

	c->next = cursor->ask.row == MDL_NONE ? 0 : cursor->ask.row;
	c->sum.state = MDL_ST_N;
	return true;
}

static int sums_next(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct sums *c = (struct sums *)cursor;
	uint32_t end = cursor->ask.row == MDL_NONE ? qry_row_count(cursor->q) : cursor->ask.row + 1;
	struct sum *s = &c->sum;

	while (true) {
		while (s->state < MDL_ST_N && (++s->state == MDL_ST_N || s->share.ns[s->state] == 0))
			;
		if (s->state < MDL_ST_N)
			break;
		while (c->next < end && qry_row(cursor->q, c->next)->type != MDL_ROW_THREAD)
			c->next++;
		if (c->next >= end)
			return 0;
		s->row = c->next++;
		qry_share(cursor->q, s->row, qry_row(cursor->q, s->row)->first,
			qry_row(cursor->q, s->row)->last, &s->share);
		s->state = 0;
		if (s->share.ns[0] > 0)
			break;
	}
	*row = s;
	return 1;
}

TABLE_COLUMNS(sums_columns)
{
	const struct sum *s = row;

	TABLE_COLUMN("dur", NULL, TABLE_DURATION, "", number = s->share.ns[s->state]);
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER, "", number = s->row);
	TABLE_COLUMN("state", NULL, TABLE_WORD, "", word = mdl_state_name(s->state));
}

static const struct table sums_table = {
	.name = "thread_state_sums",
	.list = "sums",
	.doc = "the time of a thread in a state, in all its life",
	.columns = sums_columns,
	.size = sizeof(struct sums),
	.takes = TABLE_TAKES_ROW | TABLE_BY_ROW | TABLE_NEEDS_SWITCHES,
	.rows = table_count_rows,
	.open = sums_open,
	.next = sums_next,
};

const struct sql_source sql_source_sums = { .table = &sums_table };
