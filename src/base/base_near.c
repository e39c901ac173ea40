/* SPDX-License-Identifier: MIT */
#include "base/base_near.h"

#include <glib.h>
#include <string.h>

#define LETTERS_MAX 64 /* only the first letters of a longer word or name count */
#define LETTERS_NEAR 3
#define PART_MIN 3 /* a shorter word is part of too many names */

/* The number of letters to change, insert, delete or swap with their neighbour to turn A into B (optimal
 * string alignment). Case does not matter. */
static unsigned near_distance(const char *a, const char *b)
{
	unsigned rows[3][LETTERS_MAX + 1], n = (unsigned)strnlen(b, LETTERS_MAX),
					   m = (unsigned)strnlen(a, LETTERS_MAX);

	for (unsigned j = 0; j <= n; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= m; i++) {
		unsigned *row = rows[i % 3], *above = rows[(i - 1) % 3], *swapped = rows[(i + 1) % 3];

		row[0] = i;
		for (unsigned j = 1; j <= n; j++) {
			char x = g_ascii_tolower(a[i - 1]), y = g_ascii_tolower(b[j - 1]);

			row[j] = MIN(above[j - 1] + (x != y), MIN(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && x == g_ascii_tolower(b[j - 2]) &&
				y == g_ascii_tolower(a[i - 2]))
				row[j] = MIN(row[j], swapped[j - 2] + 1);
		}
	}
	return rows[m % 3][n];
}

void base_near_init(struct base_near *near, const char *word, bool any)
{
	unsigned half = (unsigned)MIN(strlen(word) / 2, LETTERS_NEAR);

	*near = (struct base_near){ .word = word, .limit = any ? LETTERS_MAX : half };
}

void base_near_offer(struct base_near *near, const char *name)
{
	bool is_part = strlen(near->word) >= PART_MIN && strstr(name, near->word);
	unsigned distance = is_part ? 1 : near_distance(near->word, name), at = near->n;

	if (distance > near->limit)
		return;
	for (unsigned i = 0; i < near->n; i++)
		if (g_str_equal(near->names[i], name))
			return;
	while (at > 0 && near->distances[at - 1] > distance)
		at--;
	if (at == BASE_NEAR_NAMES)
		return;
	near->n = MIN(near->n + 1, BASE_NEAR_NAMES);
	for (unsigned i = near->n - 1; i > at; i--) {
		near->names[i] = near->names[i - 1];
		near->distances[i] = near->distances[i - 1];
	}
	near->names[at] = name;
	near->distances[at] = distance;
}

void base_near_offer_all(struct base_near *near, const char *const *names)
{
	for (; *names; names++)
		base_near_offer(near, *names);
}

char *base_near_text(const struct base_near *near)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < near->n; i++)
		g_string_append_printf(text, "%s%s", i ? ", " : "; the nearest: ", near->names[i]);
	return g_string_free(text, FALSE);
}
