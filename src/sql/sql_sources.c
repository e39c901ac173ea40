/* SPDX-License-Identifier: MIT */
/* All tables that exist for every trace. */
#include "sql/sql_parts.h"

#define SOURCE_OF(name) static const struct sql_source source_##name = { .table = &table_##name };
TABLE_TABLES(SOURCE_OF)
#undef SOURCE_OF

const struct sql_source *sql_source_at(unsigned i)
{
	static const struct sql_source *const all[] = {
#define SOURCE_HERE(name) &source_##name,
		TABLE_TABLES(SOURCE_HERE)
#undef SOURCE_HERE
			& sql_source_path,
		&sql_source_blame,
		&sql_source_running_on,
		&sql_source_pairs,
		&sql_source_overlap,
		&sql_source_windows,
		&sql_source_sums,
	};

	return i < G_N_ELEMENTS(all) ? all[i] : NULL;
}
