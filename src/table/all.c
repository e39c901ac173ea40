/* SPDX-License-Identifier: MIT */
#include "table/table.h"

const struct table *table_nth(unsigned i)
{
#define ONE(name) &table_##name,
	static const struct table *const all[] = { TABLE_TABLES(ONE) TABLE_ANSWERS(ONE) };

	for (gsize k = 0; k < G_N_ELEMENTS(all); k++)
		if ((all[k]->rows_are == TABLE_ROWS_READ || all[k]->make) &&
			!(all[k]->takes & TABLE_NEEDS_RESULT) && i-- == 0)
			return all[k];
	return NULL;
}
