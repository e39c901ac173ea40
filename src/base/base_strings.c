/* SPDX-License-Identifier: MIT */
#include "base/base_strings.h"

#include "base/base_text.h"

#include <stdbool.h>

struct base_strings {
	GPtrArray *texts;    /* by number: char *, owned */
	GHashTable *numbers; /* char * (weak, of texts) → number */
};

struct base_strings *base_strings_new(void)
{
	struct base_strings *s = g_new(struct base_strings, 1);

	s->texts = g_ptr_array_new_with_free_func(g_free);
	s->numbers = g_hash_table_new(g_str_hash, g_str_equal);
	base_strings_add(s, "");
	return s;
}

void base_strings_free(struct base_strings *s)
{
	if (!s)
		return;
	g_hash_table_destroy(s->numbers);
	g_ptr_array_unref(s->texts);
	g_free(s);
}

uint32_t base_strings_add(struct base_strings *s, const char *text)
{
	gpointer found;
	char *copy;

	if (g_hash_table_lookup_extended(s->numbers, text, NULL, &found))
		return GPOINTER_TO_UINT(found);
	copy = g_strdup(text);
	g_ptr_array_add(s->texts, copy);
	g_hash_table_insert(s->numbers, copy, GUINT_TO_POINTER(s->texts->len - 1));
	return s->texts->len - 1;
}

/* Nearly all names are plain ASCII: they need no copy to be clean. */
static bool is_plain(const char *text)
{
	for (; *text; text++) {
		if (*text < 0x20 || *text > 0x7e)
			return false;
	}
	return true;
}

uint32_t base_strings_add_hostile(struct base_strings *s, const char *text, gssize length)
{
	g_autofree char *clean = NULL;

	if (length < 0 && is_plain(text))
		return base_strings_add(s, text);
	clean = base_text_clean(text, length);
	return base_strings_add(s, clean);
}

const char *base_strings_get(const struct base_strings *s, uint32_t id)
{
	g_assert(id < s->texts->len);
	return g_ptr_array_index(s->texts, id);
}

uint32_t base_strings_count(const struct base_strings *s)
{
	return s->texts->len;
}
