/* SPDX-License-Identifier: MIT */
#include "ui/core/ui_line.h"

#include "base/base_error.h"

#include <string.h>

#define NEAR 3 /* letters by which a name may differ to be the one that was meant, and at most half */
#define NAME_MAX_LENGTH 32

/* ---- names ---- */

/* How many letters are to be changed, put in or left out to make B of A (Levenshtein, 1966). */
static unsigned line_distance(const char *a, const char *b)
{
	unsigned row[NAME_MAX_LENGTH + 1], n = (unsigned)strlen(b);

	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 1; *a; a++, i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= n; j++) {
			unsigned changed = diagonal + (*a != b[j - 1]);

			diagonal = row[j];
			row[j] = MIN(changed, MIN(row[j], row[j - 1]) + 1);
		}
	}
	return row[n];
}

/* The name that is nearest to WORD; NULL: none is near. */
static const char *nearest(const char *word)
{
	unsigned least = MIN(NEAR, (unsigned)strlen(word) / 2) + 1;
	const char *found = NULL;

	for (unsigned i = UI_CMD_NONE + 1; strlen(word) <= NAME_MAX_LENGTH && i < UI_CMD_N; i++) {
		const char *name = ui_command_info(i)->name;
		unsigned d = line_distance(word, name);

		if (d < least) {
			least = d;
			found = name;
		}
	}
	return found;
}

/* The names that begin with WORD, joined; *N of them, the first one is *COMMAND.  The caller frees. */
static char *beginning_with(const char *word, enum ui_command *command, unsigned *n)
{
	GString *names = g_string_new(NULL);

	*n = 0;
	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++) {
		if (!g_str_has_prefix(ui_command_info(i)->name, word))
			continue;
		if ((*n)++ == 0)
			*command = i;
		g_string_append_printf(names, "%s%s", names->len ? ", " : "", ui_command_info(i)->name);
	}
	return g_string_free(names, FALSE);
}

static bool line_find(const char *word, enum ui_command *command, GError **error)
{
	g_autofree char *names = NULL;
	const char *near;
	unsigned n;

	if (ui_command_find(word, command))
		return true;
	names = beginning_with(word, command, &n);
	near = nearest(word);
	if (n > 1)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "%s: which one: %s?", word, names);
	else if (!n && near)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "%s: no such command, the nearest is: %s",
			word, near);
	else if (!n)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "%s: no such command", word);
	return n == 1;
}

/* A time, or an event, without the name of a command: no name of one has a digit or one of these. */
static bool is_place(const char *word)
{
	return strpbrk(word, "0123456789#%+");
}

bool ui_line_parse(const char *line, enum ui_command *command, char **text, GError **error)
{
	g_autofree char *clean = g_strstrip(g_strdup(line));
	gsize end = strcspn(clean, " \t");
	g_autofree char *word = g_strndup(clean, end);
	const char *rest = clean + end + strspn(clean + end, " \t");

	*text = NULL;
	if (is_place(word)) {
		*command = UI_CMD_GOTO;
		*text = g_steal_pointer(&clean);
		return true;
	}
	if (!line_find(word, command, error))
		return false;
	*text = *rest ? g_strdup(rest) : NULL;
	return true;
}
