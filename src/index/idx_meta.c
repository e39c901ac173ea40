/* SPDX-License-Identifier: MIT */
#include "index/idx_load.h"

#include "base/base_error.h"

#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <stddef.h>

/* The plain members, in one table for both directions. */
enum field_type { FIELD_TEXT, FIELD_INT64, FIELD_UINT32 };

static const struct {
	const char *name;
	enum field_type type;
	size_t offset;
} fields[] = {
	{ "path", FIELD_TEXT, offsetof(struct idx_meta, path) },
	{ "host", FIELD_TEXT, offsetof(struct idx_meta, host) },
	{ "uuid", FIELD_TEXT, offsetof(struct idx_meta, uuid) },
	{ "clock_uuid", FIELD_TEXT, offsetof(struct idx_meta, clock_uuid) },
	{ "clock_frequency", FIELD_INT64, offsetof(struct idx_meta, clock_frequency) },
	{ "clock_zero", FIELD_INT64, offsetof(struct idx_meta, clock_zero) },
	{ "domain", FIELD_TEXT, offsetof(struct idx_meta, domain) },
	{ "tracer", FIELD_TEXT, offsetof(struct idx_meta, tracer) },
	{ "release", FIELD_TEXT, offsetof(struct idx_meta, release) },
	{ "reader", FIELD_TEXT, offsetof(struct idx_meta, reader) },
	{ "from", FIELD_INT64, offsetof(struct idx_meta, from) },
	{ "to", FIELD_INT64, offsetof(struct idx_meta, to) },
	{ "events", FIELD_INT64, offsetof(struct idx_meta, events) },
	{ "discarded", FIELD_INT64, offsetof(struct idx_meta, discarded) },
	{ "discarded_packets", FIELD_INT64, offsetof(struct idx_meta, discarded_packets) },
	{ "stepped_back", FIELD_INT64, offsetof(struct idx_meta, stepped_back) },
	{ "cpus", FIELD_UINT32, offsetof(struct idx_meta, n_cpus) },
	{ "built_in_ns", FIELD_INT64, offsetof(struct idx_meta, built_in_ns) },
};

#define FIELD(meta, i, type) ((type *)((char *)(meta) + fields[i].offset))
#define CONST_FIELD(meta, i, type) ((const type *)((const char *)(meta) + fields[i].offset))

static void chunk_clear(gpointer data)
{
	g_free(((struct idx_chunk *)data)->path);
}

struct idx_meta *idx_meta_new(void)
{
	struct idx_meta *meta = g_new0(struct idx_meta, 1);

	meta->missing_events = g_ptr_array_new_with_free_func(g_free);
	meta->event_names = g_ptr_array_new_with_free_func(g_free);
	meta->warnings = g_ptr_array_new_with_free_func(g_free);
	meta->notes = g_ptr_array_new_with_free_func(g_free);
	meta->gaps = g_array_new(FALSE, FALSE, sizeof(struct idx_gap));
	meta->chunks = g_array_new(FALSE, FALSE, sizeof(struct idx_chunk));
	g_array_set_clear_func(meta->chunks, chunk_clear);
	return meta;
}

void idx_meta_free(struct idx_meta *meta)
{
	if (!meta)
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
		if (fields[i].type == FIELD_TEXT)
			g_free(*FIELD(meta, i, char *));
	g_free(meta->fingerprint);
	g_ptr_array_unref(meta->missing_events);
	g_ptr_array_unref(meta->event_names);
	g_ptr_array_unref(meta->warnings);
	g_ptr_array_unref(meta->notes);
	g_array_unref(meta->gaps);
	g_array_unref(meta->chunks);
	g_free(meta);
}

static void put_texts(JsonBuilder *b, const char *name, const GPtrArray *texts)
{
	json_builder_set_member_name(b, name);
	json_builder_begin_array(b);
	for (guint i = 0; i < texts->len; i++)
		json_builder_add_string_value(b, g_ptr_array_index(texts, i));
	json_builder_end_array(b);
}

/* A gap is an array of four numbers: CPU, from, to, count. */
static void put_gaps(JsonBuilder *b, const GArray *gaps)
{
	json_builder_set_member_name(b, "gaps");
	json_builder_begin_array(b);
	for (guint i = 0; i < gaps->len; i++) {
		const struct idx_gap *g = &g_array_index(gaps, struct idx_gap, i);

		json_builder_begin_array(b);
		json_builder_add_int_value(b, g->cpu);
		json_builder_add_int_value(b, g->from);
		json_builder_add_int_value(b, g->to);
		json_builder_add_int_value(b, (gint64)g->count);
		json_builder_end_array(b);
	}
	json_builder_end_array(b);
}

/* A chunk is an array: path, from, to. */
static void put_chunks(JsonBuilder *b, const GArray *chunks)
{
	json_builder_set_member_name(b, "chunks");
	json_builder_begin_array(b);
	for (guint i = 0; i < chunks->len; i++) {
		const struct idx_chunk *c = &g_array_index(chunks, struct idx_chunk, i);

		json_builder_begin_array(b);
		json_builder_add_string_value(b, c->path);
		json_builder_add_int_value(b, c->from);
		json_builder_add_int_value(b, c->to);
		json_builder_end_array(b);
	}
	json_builder_end_array(b);
}

static void put_field(JsonBuilder *b, const struct idx_meta *meta, size_t i)
{
	json_builder_set_member_name(b, fields[i].name);
	switch (fields[i].type) {
	case FIELD_TEXT: json_builder_add_string_value(b, *CONST_FIELD(meta, i, char *const)); break;
	case FIELD_INT64: json_builder_add_int_value(b, *CONST_FIELD(meta, i, int64_t)); break;
	case FIELD_UINT32: json_builder_add_int_value(b, *CONST_FIELD(meta, i, uint32_t)); break;
	}
}

char *idx_meta_to_json(const struct idx_meta *meta, gsize *size)
{
	JsonBuilder *b = json_builder_new();
	JsonGenerator *g = json_generator_new();
	JsonNode *root;
	char *json;

	json_builder_begin_object(b);
	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
		put_field(b, meta, i);
	put_texts(b, "missing_events", meta->missing_events);
	put_texts(b, "event_names", meta->event_names);
	put_texts(b, "warnings", meta->warnings);
	put_texts(b, "notes", meta->notes);
	put_gaps(b, meta->gaps);
	put_chunks(b, meta->chunks);
	json_builder_end_object(b);
	root = json_builder_get_root(b);
	json_generator_set_root(g, root);
	json = json_generator_to_data(g, size);
	json_node_unref(root);
	g_object_unref(g);
	g_object_unref(b);
	return json;
}

static JsonNode *member(JsonObject *object, const char *name, GType type)
{
	JsonNode *node = json_object_get_member(object, name);

	return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == type ? node : NULL;
}

static bool get_field(JsonObject *object, struct idx_meta *meta, size_t i)
{
	JsonNode *node = member(object, fields[i].name,
		fields[i].type == FIELD_TEXT ? G_TYPE_STRING : G_TYPE_INT64);

	if (!node)
		return false;
	switch (fields[i].type) {
	case FIELD_TEXT: *FIELD(meta, i, char *) = g_strdup(json_node_get_string(node)); break;
	case FIELD_INT64: *FIELD(meta, i, int64_t) = json_node_get_int(node); break;
	case FIELD_UINT32: *FIELD(meta, i, uint32_t) = (uint32_t)json_node_get_int(node); break;
	}
	return true;
}

/* The member NAME, an array of what TYPE says, as such; NULL when it is something else. */
static GVariant *array_member(JsonObject *object, const char *name, const char *type)
{
	JsonNode *node = json_object_get_member(object, name);
	GVariant *array = node ? json_gvariant_deserialize(node, type, NULL) : NULL;

	return array ? g_variant_ref_sink(array) : NULL;
}

static bool get_texts(JsonObject *object, const char *name, GPtrArray *texts)
{
	g_autoptr(GVariant) array = array_member(object, name, "as");
	GVariantIter iter;
	char *text;

	if (!array)
		return false;
	g_variant_iter_init(&iter, array);
	while (g_variant_iter_next(&iter, "s", &text))
		g_ptr_array_add(texts, text);
	return true;
}

static bool get_gaps(JsonObject *object, GArray *gaps)
{
	g_autoptr(GVariant) array = array_member(object, "gaps", "a(uxxt)");
	GVariantIter iter;
	struct idx_gap g;

	if (!array)
		return false;
	g_variant_iter_init(&iter, array);
	while (g_variant_iter_next(&iter, "(uxxt)", &g.cpu, &g.from, &g.to, &g.count))
		g_array_append_val(gaps, g);
	return true;
}

static bool get_chunks(JsonObject *object, GArray *chunks)
{
	g_autoptr(GVariant) array = array_member(object, "chunks", "a(sxx)");
	GVariantIter iter;
	struct idx_chunk c;

	if (!array)
		return false;
	g_variant_iter_init(&iter, array);
	while (g_variant_iter_next(&iter, "(sxx)", &c.path, &c.from, &c.to))
		g_array_append_val(chunks, c);
	return true;
}

static bool get_all(JsonNode *root, struct idx_meta *meta)
{
	JsonObject *object;

	if (!root || !JSON_NODE_HOLDS_OBJECT(root))
		return false;
	object = json_node_get_object(root);
	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
		if (!get_field(object, meta, i))
			return false;
	return get_texts(object, "missing_events", meta->missing_events) &&
		get_texts(object, "event_names", meta->event_names) && meta->event_names->len % 2 == 0 &&
		get_texts(object, "warnings", meta->warnings) && get_texts(object, "notes", meta->notes) &&
		get_gaps(object, meta->gaps) && get_chunks(object, meta->chunks);
}

/* Read SIZE bytes; NULL with BASE_ERROR_DATA when they are not META. */
static struct idx_meta *from_json(const char *json, gsize size, GError **error)
{
	struct idx_meta *meta = idx_meta_new();
	JsonParser *parser = json_parser_new();

	if (!json_parser_load_from_data(parser, json, (gssize)size, NULL) ||
		!get_all(json_parser_get_root(parser), meta)) {
		g_clear_pointer(&meta, idx_meta_free);
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_DATA,
			"chunk META does not hold the facts of a trace");
	}
	g_object_unref(parser);
	return meta;
}

struct idx_meta *idx_meta_load(const struct idx_map *m, GError **error)
{
	uint64_t size;
	const uint8_t *data = idx_map_chunk(m, "META", &size, error);
	struct idx_meta *meta;

	if (!data)
		return NULL;
	meta = from_json((const char *)data, size, NULL);
	if (!meta || meta->from > meta->to) {
		idx_map_bad_chunk(m, "META", error);
		idx_meta_free(meta);
		return NULL;
	}
	meta->fingerprint = idx_map_fingerprint(m);
	return meta;
}
