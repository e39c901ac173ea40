/* SPDX-License-Identifier: MIT */
/*
 * The columns of tables, as they describe themselves.  With --fields it prints a line for each field of JSON that they
 * make: the section of docs/cli.md, field, type, heading, what it holds.  docs/fields.pl writes these into docs/cli.md.
 */
#include "table/table.h"

#include <stdio.h>
#include <string.h>

static const struct qry_row cpu = { .type = MDL_ROW_CPU };

static const struct documented {
	const char *section;
	const struct table *table;
	const char *prefix;  /* NULL: the list of the table */
	const void *context; /* of the columns */
} documented[] = {
	{ "threads", &table_threads, NULL, NULL },
	{ "states", &table_states, NULL, &cpu },
	{ "wakeups", &table_wakeups, NULL, NULL },
	{ "path", &table_path_segments, NULL, NULL },
	{ "path", &table_path_links, NULL, NULL },
	{ "path", &table_path_summary, NULL, NULL },
	{ "why", &table_account_phases, NULL, NULL },
	{ "why", &table_account_memory, NULL, NULL },
	{ "why", &table_account_hottest, NULL, NULL },
	{ "why", &table_account_chain, NULL, NULL },
	{ "BLAME", &table_account, "", NULL },
	{ "requests", &table_requests, NULL, NULL },
	{ "causes", &table_causes, NULL, NULL },
	{ "latency", &table_latency_histogram, NULL, NULL },
	{ "latency", &table_latency_groups, NULL, NULL },
	{ "latency", &table_latency_classes, NULL, NULL },
	{ "latency", &table_latency_open, NULL, NULL },
	{ "latency", &table_latency_worst, NULL, NULL },
	{ "latency --against", &table_against_all, NULL, NULL },
	{ "latency --against", &table_against_groups, NULL, NULL },
	{ "latency --against", &table_against_kinds, NULL, NULL },
	{ "compare", &table_compare_sets, NULL, NULL },
	{ "compare", &table_compare_groups, NULL, NULL },
	{ "compare", &table_compare_outside, NULL, NULL },
	{ "compare", &table_compare_rows, NULL, NULL },
	{ "stacks", &table_stacks, NULL, NULL },
	{ "watch", &table_watch_triggers, NULL, NULL },
	{ "watch", &table_watch_hours, NULL, NULL },
	{ "watch", &table_watch_classes, NULL, NULL },
	{ "watch", &table_watch_hits, NULL, NULL },
	{ "machines", &table_machines, NULL, NULL },
	{ "events", &table_events, NULL, NULL },
	{ "sync", &table_sync_hosts, NULL, NULL },
	{ "sync --residuals", &table_sync_packets, NULL, NULL },
	{ "sync --residuals", &table_sync_columns, NULL, NULL },
	{ "info", &table_bookmarks, NULL, NULL },
	{ "info", &table_answers, NULL, NULL },
	{ "info", &table_overview, NULL, NULL },
	{ "why", &table_story, NULL, NULL },
	{ "info", &table_traces, NULL, NULL },
	{ "fleet", &table_fleet_hosts, NULL, NULL },
	{ "fleet", &table_fleet_left, NULL, NULL },
	{ "fleet", &table_fleet_kinds, NULL, NULL },
	{ "fleet", &table_fleet_groups, NULL, NULL },
	{ "fleet", &table_fleet_worst, NULL, NULL },
	{ "fleet", &table_fleet_causes, NULL, NULL },
	{ "fleet", &table_fleet_differences, NULL, NULL },
};

/* Calls EACH for the columns of all tables and of the objects in their rows; PREFIX: "threads[].". */
static void each_documented(
	void (*each)(const char *section, const char *prefix, const struct table_column *columns, unsigned n))
{
	struct table_column columns[TABLE_COLUMNS_MAX];

	for (const struct documented *d = documented; d < documented + G_N_ELEMENTS(documented); d++) {
		g_autofree char *rows = d->prefix ? g_strdup(d->prefix)
						  : g_strconcat(d->table->list, "[].", NULL);
		struct table_in in = { .context = d->context, .format = TABLE_JSON };

		each(d->section, rows, columns, table_describe(d->table->columns, &in, columns));
		for (const struct table_part *p = d->table->parts; p && p->path; p++) {
			g_autofree char *prefix = g_strconcat(rows, p->path, ".", NULL);

			in.context = p->context;
			each(d->section, prefix, columns, table_describe(p->columns, &in, columns));
		}
	}
}

/* ---- fields for docs/cli.md ---- */

static const char *const types[] = { [TABLE_NUMBER] = "number",
	[TABLE_TIME] = "time",
	[TABLE_DURATION] = "duration",
	[TABLE_YES] = "flag",
	[TABLE_WORD] = "text",
	[TABLE_LONG] = "text",
	[TABLE_DECIMAL] = "decimal",
	[TABLE_SHARE] = "share" };

static void print_fields(const char *section, const char *prefix, const struct table_column *columns,
	unsigned n)
{
	for (const struct table_column *c = columns; c < columns + n; c++) {
		g_autofree char *json = c->json ? g_strndup(c->json, strcspn(c->json, ":"))
						: g_strdup(types[c->type & ~(unsigned)TABLE_FLAGS]);
		const char *list = g_str_has_suffix(json, "[]") ? "[]" : "",
			   *heading = c->heading ? c->heading
			: c->told                ? c->told
						 : "";

		if (!*c->name || c->type & TABLE_ONLY_SQL || g_str_equal(json, "{}"))
			continue;
		if (*list)
			json[strlen(json) - 2] = '\0';
		printf("%s\t%s%s%s\t%s\t%s\t%s\n", section, prefix, c->name, list, json,
			heading + (*heading == '>'), c->doc);
	}
}

/* ---- tests ---- */

static void check(const char *section, const char *prefix, const struct table_column *columns, unsigned n)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);

	g_test_message("%s: %s", section, prefix);
	g_assert_cmpuint(n, >, 0);
	for (const struct table_column *c = columns; c < columns + n; c++) {
		g_assert_true(!*c->name || g_hash_table_add(names, (char *)(uintptr_t)c->name));
		g_assert_nonnull(c->doc);
		g_assert_null(strpbrk(c->doc, "\t\n|"));
		g_assert_true(!c->told || (*c->told && !c->heading));
		g_assert_true(*c->name || c->heading); /* text or data has the column */
	}
}

static void test_once(void)
{
	each_documented(check);
}

/* A prefix of the text is removed from it. */
static void columns(struct table_row *to, G_GNUC_UNUSED const void *row,
	G_GNUC_UNUSED const struct table_in *in)
{
	TABLE_COLUMN("a", ">A", TABLE_NUMBER, "how many: all", number = 1);
	TABLE_COLUMN("b", "(A", TABLE_WORD, "SUBJECT: who", word = "");
	TABLE_COLUMN("c", NULL, TABLE_WORD, "text[]: ", word = "");
	TABLE_COLUMN("d", NULL, TABLE_WORD, "THREADs: more", word = "");
}

static void test_described(void)
{
	struct table_column is[TABLE_COLUMNS_MAX];
	const struct table_in in = { .format = TABLE_JSON };

	g_assert_cmpuint(table_describe(columns, &in, is), ==, 4);
	g_assert_cmpstr(is[0].heading, ==, ">A");
	g_assert_cmpstr(is[0].doc, ==, "how many: all");
	g_assert_null(is[0].json);
	g_assert_null(is[1].heading);
	g_assert_cmpstr(is[1].told, ==, "A");
	g_assert_cmpstr(is[1].doc, ==, "who");
	g_assert_cmpstr(is[1].json, ==, "SUBJECT: who");
	g_assert_cmpstr(is[2].doc, ==, "");
	g_assert_cmpstr(is[3].doc, ==, "THREADs: more");
}

int main(int argc, char **argv)
{
	if (argc == 2 && g_str_equal(argv[1], "--fields")) {
		each_documented(print_fields);
		return 0;
	}
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/table/columns/once", test_once);
	g_test_add_func("/table/columns/described", test_described);
	return g_test_run();
}
