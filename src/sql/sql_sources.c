/* SPDX-License-Identifier: MIT */
/* All tables that exist for every trace. */
#include "sql/sql_parts.h"

#define SOURCE_OF(name) static const struct sql_source source_##name = { .table = &table_##name };
TABLE_TABLES(SOURCE_OF)
#undef SOURCE_OF

static const struct sql_source *const all[] = {
#define SOURCE_HERE(name) &source_##name,
	TABLE_TABLES(SOURCE_HERE)
#undef SOURCE_HERE
#define SOURCE_HERE(name) &sql_source_##name,
		SQL_SOURCES(SOURCE_HERE)
#undef SOURCE_HERE
};

const struct sql_source *sql_sources_at(unsigned i)
{
	return i < G_N_ELEMENTS(all) ? all[i] : NULL;
}
