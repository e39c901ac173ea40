/* SPDX-License-Identifier: MIT */
/* The fields around an event (in the heads of packet and event) to which the types of its stream refer. */
#include "trace/ctf/trc_plan.h"

#include <string.h>

/* Add to NAMES the last part of each reference below TYPE (may be NULL) to the head of a packet or event. */
static void around_collect(const struct trc_type *type, GHashTable *names)
{
	static const char *const roots[] = { TRC_PATH_PACKET_HEADER, TRC_PATH_PACKET_CONTEXT,
		TRC_PATH_HEADER };

	if (!type)
		return;
	for (size_t i = 0; type->reference && i < G_N_ELEMENTS(roots); i++)
		if (g_str_has_prefix(type->reference, roots[i]))
			g_hash_table_add(names, strrchr(type->reference, '.') + 1);
	around_collect(type->element, names);
	for (unsigned i = 0; i < type->n_fields; i++)
		around_collect(type->fields[i].type, names);
}

struct trc_around *trc_around_new(const struct trc_meta *t, const struct trc_stream_class *stream)
{
	GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
	struct trc_around *around;

	around_collect(stream->event_context, names);
	for (unsigned i = 0; i < stream->events->len; i++) {
		const struct trc_event_class *event = g_ptr_array_index(stream->events, i);

		around_collect(event->context, names);
		around_collect(event->fields, names);
	}
	if (!g_hash_table_size(names)) {
		g_hash_table_unref(names);
		return NULL;
	}
	around = g_new0(struct trc_around, 1);
	*around = (struct trc_around){ t, stream, names,
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free) };
	return around;
}

void trc_around_free(struct trc_around *around)
{
	if (!around)
		return;
	g_hash_table_unref(around->names);
	g_hash_table_unref(around->known);
	g_free(around);
}

void trc_reference_collect(const struct trc_type *type, GHashTable *wanted)
{
	const char *dot = type && type->reference ? strrchr(type->reference, '.') : NULL;

	if (!type)
		return;
	if (type->reference)
		g_hash_table_add(wanted, (gpointer)(dot ? dot + 1 : type->reference));
	trc_reference_collect(type->element, wanted);
	for (unsigned i = 0; i < type->n_fields; i++)
		trc_reference_collect(type->fields[i].type, wanted);
}

/* Like trc_reference_find(), for a reference with a fixed start. It is not searched outwards. */
static gpointer reference_there(GHashTable *known, const char *scope, const struct trc_type *type)
{
	g_autoptr(GString) key = g_string_new(type->up == TRC_ABSOLUTE ? "" : scope);
	const char *dot = "";

	for (unsigned i = 0; type->up != TRC_ABSOLUTE && i <= type->up && dot; i++) {
		dot = strrchr(key->str, '.');
		g_string_truncate(key, dot ? (gsize)(dot - key->str) : 0);
	}
	if (!dot)
		return NULL;
	if (key->len)
		g_string_append_c(key, '.');
	g_string_append(key, type->reference);
	return g_hash_table_lookup(known, key->str);
}

gpointer trc_reference_find(GHashTable *known, const char *scope, const struct trc_type *type)
{
	g_autofree char *inner = g_strdup(scope);
	char *key, *dot;
	gpointer found = NULL;

	if (type->reference && type->up != TRC_SEARCH)
		return reference_there(known, scope, type);
	while (type->reference && !found) {
		key = *inner ? g_strconcat(inner, ".", type->reference, NULL) : g_strdup(type->reference);
		found = g_hash_table_lookup(known, key);
		g_free(key);
		if (!*inner)
			break;
		dot = strrchr(inner, '.');
		*(dot ? dot : inner) = '\0';
	}
	return found;
}
