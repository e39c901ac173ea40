/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_plan.h"

#include <string.h>

void trc_reference_collect(const struct trc_type *type, GHashTable *wanted)
{
	const char *dot = type && type->reference ? strrchr(type->reference, '.') : NULL;
	unsigned i;

	if (!type)
		return;
	if (type->reference)
		g_hash_table_add(wanted, (gpointer)(dot ? dot + 1 : type->reference));
	trc_reference_collect(type->element, wanted);
	for (i = 0; i < type->n_fields; i++)
		trc_reference_collect(type->fields[i].type, wanted);
}

gpointer trc_reference_find(GHashTable *known, const char *scope, const char *reference)
{
	g_autofree char *inner = g_strdup(scope);
	char *key, *dot;
	gpointer found = NULL;

	while (reference && !found) {
		key = *inner ? g_strconcat(inner, ".", reference, NULL) : g_strdup(reference);
		found = g_hash_table_lookup(known, key);
		g_free(key);
		if (!*inner)
			break;
		dot = strrchr(inner, '.');
		*(dot ? dot : inner) = '\0';
	}
	return found;
}
