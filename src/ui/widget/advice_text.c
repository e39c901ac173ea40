/* SPDX-License-Identifier: MIT */
#include "ui/widget/advice_text.h"

#include "analysis/kind/advice.h"
#include "ui/term/term_grid.h"

#include <string.h>

/* The part of COMMAND that fits into WIDTH: all of it, or up to a comma. */
static size_t fitting(const char *command, unsigned width)
{
	size_t cut = strlen(command), comma = 0;

	if (cut <= width)
		return cut;
	for (size_t i = 0; command[i] && i < width; i++)
		if (command[i] == ',')
			comma = i + 1;
	return comma ? comma : cut;
}

static void add_one(GPtrArray *lines, const struct ana_advice *advice, unsigned width)
{
	char *whole = g_strdup_printf("%s   (%s)", advice->command, advice->why);
	const char *command = advice->command;

	if (term_text_width(whole) <= width) {
		g_ptr_array_add(lines, whole);
		return;
	}
	g_free(whole);
	g_ptr_array_add(lines, g_strdup_printf("%s:", advice->why));
	while (*command) {
		size_t part = fitting(command, width - 2);

		g_ptr_array_add(lines, g_strdup_printf("  %.*s", (int)part, command));
		command += part;
	}
}

void advice_text_add(GPtrArray *lines, const struct qry *q, uint32_t host, unsigned width)
{
	g_autoptr(GArray) advice = ana_advice_new(q, host);

	for (guint i = 0; i < advice->len; i++)
		add_one(lines, &g_array_index(advice, struct ana_advice, i), MAX(width, 20));
}
