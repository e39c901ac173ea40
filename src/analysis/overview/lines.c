/* SPDX-License-Identifier: MIT */
/* Pieces of the lines that several parts of an overview, and stories, share. */
#include "analysis/overview/parts.h"

void ana_overview_line_clear(void *data)
{
	struct ana_overview_line *line = data;

	g_free(line->name);
	g_free(line->what);
	if (line->answer) {
		g_free(line->answer->text);
		g_free(line->answer->cause);
		g_free(line->answer);
	}
}

unsigned ana_answer_about(const struct ana_overview_line *line)
{
	return line->way == ANA_OVERVIEW_SPANS   ? ANA_ANSWER_SPANS
		: line->way == ANA_OVERVIEW_PATH ? ANA_ANSWER_REQUESTS
						 : 1u << line->answer->kind;
}

void ana_overview_put_share(GString *text, int64_t part, int64_t whole)
{
	double share = 100 * (double)part / (double)MAX(whole, 1);

	g_string_append_printf(text, share > 0 && share < 0.95 ? "%.1f %%" : "%.0f %%", share);
}

/* The name that THREAD shares with others that do the same work. */
static char *end_group(const struct qry *q, uint32_t thread)
{
	return thread == MDL_NONE ? g_strdup("") : ana_group_name(qry_row(q, thread)->name);
}

GArray *ana_overview_pair(const struct qry *q, GHashTable *pairs, const struct ana_overview_ends *ends,
	guint size)
{
	g_autofree char *client = end_group(q, ends->client), *server = end_group(q, ends->server);
	char *key = g_strdup_printf("%u/%s %u/%s", ends->client_host, client, ends->server_host, server);
	GArray *pair = g_hash_table_lookup(pairs, key);

	if (pair) {
		g_free(key);
		return pair;
	}
	pair = g_array_new(FALSE, FALSE, size);
	g_hash_table_insert(pairs, key, pair);
	return pair;
}
