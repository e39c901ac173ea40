/* SPDX-License-Identifier: MIT */
/* A record is a line: its numbers, then its texts, each after a "=", or "-" for none, with a tab after each.
 * Texts have no tab, because they are escaped as in C. */
#include "analysis/kind/record.h"

#include <string.h>

void ana_record_put(GString *to, const int64_t *numbers, unsigned n, const char *const *texts, unsigned m)
{
	for (unsigned i = 0; i < n; i++)
		g_string_append_printf(to, "%" G_GINT64_FORMAT "\t", numbers[i]);
	for (unsigned i = 0; i < m; i++) {
		g_autofree char *text = texts[i] ? g_strescape(texts[i], NULL) : NULL;

		g_string_append_printf(to, "%s%s\t", text ? "=" : "-", text ? text : "");
	}
	g_string_append_c(to, '\n');
}

bool ana_record_get(const char **at, int64_t *numbers, unsigned n, char **texts, unsigned m)
{
	const char *end = strchr(*at, '\n');
	g_autofree char *line = end ? g_strndup(*at, (gsize)(end - *at)) : g_strdup("");
	g_auto(GStrv) parts = g_strsplit(line, "\t", 0);
	bool fine = g_strv_length(parts) == n + m + 1;

	for (unsigned i = 0; fine && i < n; i++)
		fine = g_ascii_string_to_signed(parts[i], 10, INT64_MIN, INT64_MAX, &numbers[i], NULL);
	for (unsigned i = n; fine && i < n + m; i++)
		fine = *parts[i] == '=' || *parts[i] == '-';
	for (unsigned i = 0; fine && i < m; i++)
		texts[i] = *parts[n + i] == '=' ? g_strcompress(parts[n + i] + 1) : NULL;
	*at = fine ? end + 1 : *at;
	return fine;
}
